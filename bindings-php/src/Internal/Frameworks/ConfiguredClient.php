<?php

declare(strict_types=1);

namespace Libpayments\Internal\Frameworks;

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\ErrorCode;
use Libpayments\Internal\Report;
use Libpayments\Journal;
use Libpayments\Signer;
use Libpayments\Testing\SharedSandbox;
use Libpayments\TokenStore;
use Psr\Log\LoggerInterface;

/**
 * The client of an application, by the settings that all frameworks share.
 *
 * @internal
 */
final class ConfiguredClient
{
    /**
     * @param array{file?: ?string, config?: array<string, mixed>, sandbox?: mixed} $settings the file of the
     *     configuration or its members; with `sandbox`, a sandbox of this process takes the place of the service
     * @param (callable(array<string, mixed>): mixed)|null $observer
     * @param string $environment of the application
     * @param list<string> $forSandbox the environments in which `sandbox` loses no payments
     */
    public static function make(
        #[\SensitiveParameter] array $settings,
        string $environment,
        array $forSandbox,
        ?LoggerInterface $logger = null,
        ?callable $observer = null,
        ?Signer $signer = null,
        ?TokenStore $tokenStore = null,
        ?Journal $journal = null,
    ): Client {
        $options = ['signer' => $signer, 'tokenStore' => $tokenStore, 'observer' => $observer, 'journal' => $journal,
            'logger' => $logger];
        if (self::isOn($settings['sandbox'] ?? false)) {
            if (!in_array($environment, $forSandbox, true)) {
                throw self::refused("is on in the environment \"$environment\", whose payments it would not send to "
                    . 'the service; remove it there, or set the environment of the application to '
                    . implode(' or ', $forSandbox));
            }
            return new Client(SharedSandbox::running()->configuration(), ...$options);
        }
        return ($settings['file'] ?? '') !== ''
            ? Client::fromFile($settings['file'], ...$options)
            : new Client(self::members($settings['config'] ?? []), ...$options);
    }

    /**
     * The members that are set, those that are text in the environment in their own types. What cannot be
     * converted stays, and the client refuses it.
     *
     * @param array<string, mixed> $given
     * @return array<string, mixed>
     */
    private static function members(#[\SensitiveParameter] array $given): array
    {
        $members = array_filter($given, static fn (mixed $value): bool => $value !== null);
        foreach (array_intersect_key(Members::SHAPES, array_filter($members, is_string(...))) as $name => $shape) {
            $members[$name] = match ($shape) {
                'integer' => filter_var($members[$name], FILTER_VALIDATE_INT, FILTER_NULL_ON_FAILURE),
                'switch' => filter_var($members[$name], FILTER_VALIDATE_BOOL, FILTER_NULL_ON_FAILURE),
                'list' => array_map(trim(...), explode(',', $members[$name])),
                'object' => json_decode($members[$name], true),
            } ?? $members[$name];
        }
        return $members;
    }

    /** Whether a flag is on, which a variable of the environment may hold as text. */
    private static function isOn(mixed $flag): bool
    {
        $isOn = is_scalar($flag) ? filter_var($flag, FILTER_VALIDATE_BOOLEAN, FILTER_NULL_ON_FAILURE) : null;
        return $isOn ?? throw self::refused('must be true or false; 1, on and yes are true, and 0, off, no and an '
            . 'empty text are false');
    }

    private static function refused(string $message): PaymentsException
    {
        return Report::exception(Report::local('config', ErrorCode::VALUE_INVALID, $message, 'sandbox'));
    }
}
