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
     * @param bool $isProduction whether the application runs where `sandbox` would lose payments
     */
    public static function make(
        #[\SensitiveParameter] array $settings,
        ?LoggerInterface $logger = null,
        ?callable $observer = null,
        ?Signer $signer = null,
        ?TokenStore $tokenStore = null,
        ?Journal $journal = null,
        bool $isProduction = false,
    ): Client {
        $options = ['signer' => $signer, 'tokenStore' => $tokenStore, 'observer' => $observer, 'journal' => $journal,
            'logger' => $logger];
        // Members that an environment variable leaves unset.
        $members = array_filter($settings['config'] ?? [], static fn (mixed $value): bool => $value !== null);
        if (self::isOn($settings['sandbox'] ?? false)) {
            if ($isProduction) {
                throw self::refused('is on in an application in production, whose payments it would not send to the '
                    . 'service; remove PAYMENTS_SANDBOX there, or correct the environment of the application');
            }
            return new Client(SharedSandbox::running()->configuration(), ...$options);
        }
        return ($settings['file'] ?? '') !== ''
            ? Client::fromFile($settings['file'], ...$options)
            : new Client($members, ...$options);
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
