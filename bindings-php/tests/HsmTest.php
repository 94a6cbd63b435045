<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Hsm;
use Libpayments\Tests\Support\Payer;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * A key that stays in an HSM, by configuration alone.
 */
final class HsmTest extends TestCase
{
    private Sandbox $sandbox;
    private Folder $folder;
    private Hsm $hsm;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
        $this->hsm = new Hsm();
    }

    public function testTheKeyOfAnHsmSigns(): void
    {
        $paid = $this->pay('order-1', ['pkcs11_pin' => Hsm::PIN]);
        self::assertSame('PE', $paid['status'] ?? $paid['error']['message']);
        $file = $this->folder->file('pin', Hsm::PIN . "\n");
        $paid = $this->pay('order-2', ['pkcs11_pin_file' => $file, 'pkcs11_key_id' => 'a1', 'pkcs11_sessions' => 1]);
        self::assertSame('PE', $paid['status'] ?? $paid['error']['message']);
        $requests = $this->sandbox->requests('create_payment');
        self::assertSame(['verified', 'verified'], array_column($requests, 'signature'));
    }

    public function testAClientWithAnInvalidHsmIsRefused(): void
    {
        $error = $this->pay('order-1', ['pkcs11_pin' => 'canary-wrong-pin'])['error'];
        self::assertSame(['config', 'not_executed'], [$error['kind'], $error['outcome']]);
        self::assertStringContainsString('PIN', $error['message']);
        self::assertStringNotContainsString('canary', (string) json_encode($error));
        $error = $this->pay('order-1', ['pkcs11_pin' => Hsm::PIN, 'pkcs11_key_label' => 'no-such-key'])['error'];
        self::assertSame('config', $error['kind']);
        self::assertStringNotContainsString('canary', (string) json_encode($error));
        self::assertSame([], $this->sandbox->requests('create_payment'));
    }

    /**
     * @param array<string, mixed> $members
     * @return array<string, mixed>
     */
    private function pay(string $reference, array $members): array
    {
        $config = $members + array_diff_key($this->sandbox->config(), ['key_file' => 0]) + [
            'pkcs11_module' => Hsm::module(),
            'pkcs11_token' => Hsm::TOKEN,
            'pkcs11_key_label' => Hsm::LABEL,
        ];
        $file = $this->folder->file('config.json', (string) json_encode($config));
        return (new Payer($file, $reference, $this->hsm->environment()))->end();
    }
}
