<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use Libpayments\Client;
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
     * @param array{file?: ?string, config?: array<string, mixed>, sandbox?: bool} $settings the file of the
     *     configuration or its members; with `sandbox`, a sandbox of this process takes the place of the service
     * @param (callable(array<string, mixed>): mixed)|null $observer
     */
    public static function make(
        #[\SensitiveParameter] array $settings,
        ?LoggerInterface $logger = null,
        ?callable $observer = null,
        ?Signer $signer = null,
        ?TokenStore $tokenStore = null,
        ?Journal $journal = null,
    ): Client {
        $options = ['signer' => $signer, 'tokenStore' => $tokenStore, 'observer' => $observer, 'journal' => $journal,
            'logger' => $logger];
        // What an environment variable leaves unset.
        $members = array_filter($settings['config'] ?? [], static fn (mixed $value): bool => $value !== null);
        if ($settings['sandbox'] ?? false) {
            return new Client(SharedSandbox::running()->configuration(), ...$options);
        }
        return ($settings['file'] ?? '') !== ''
            ? Client::fromFile($settings['file'], ...$options)
            : new Client($members, ...$options);
    }
}
