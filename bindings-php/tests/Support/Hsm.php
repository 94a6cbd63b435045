<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * An HSM in software: SoftHSM with a new token that holds the key of the tests.
 */
final class Hsm
{
    public const TOKEN = 'payments';
    public const LABEL = 'signing';
    public const PIN = 'canary-pin-27182';

    private const MODULES = [
        '/usr/lib/softhsm/libsofthsm2.so',
        '/usr/lib64/softhsm/libsofthsm2.so',
        '/usr/local/lib/softhsm/libsofthsm2.so',
        '/usr/lib64/pkcs11/libsofthsm2.so',
    ];

    private Folder $folder;

    public function __construct()
    {
        $this->folder = new Folder();
        $tokens = $this->folder->file('tokens');
        mkdir($tokens);
        $this->folder->file('softhsm2.conf', "directories.tokendir = $tokens\nobjectstore.backend = file\n");
        $this->util('--init-token', '--free', '--label', self::TOKEN, '--so-pin', 'canary-so-pin-31415');
        $key = Repository::key('test_rsa_4096_pkcs8.pem');
        $this->util('--import', $key, '--token', self::TOKEN, '--label', self::LABEL, '--id', 'a1');
    }

    /** The path of the PKCS#11 module. */
    public static function module(): string
    {
        foreach (self::MODULES as $module) {
            if (is_file($module)) {
                return $module;
            }
        }
        throw new \RuntimeException('libsofthsm2.so is missing: scripts/setup.sh test installs it');
    }

    /**
     * By which the module finds its token.
     *
     * @return array<string, string>
     */
    public function environment(): array
    {
        return ['SOFTHSM2_CONF' => $this->folder->file('softhsm2.conf')];
    }

    private function util(string ...$arguments): void
    {
        Php::output(['softhsm2-util', ...$arguments, '--pin', self::PIN], $this->environment());
    }
}
