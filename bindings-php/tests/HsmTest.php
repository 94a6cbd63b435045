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
    public function testTheKeyOfAnHsmSigns(): void
    {
        [$sandbox, $folder, $hsm] = [new Sandbox(), new Folder(), new Hsm()];
        $config = array_diff_key($sandbox->config(), ['key_file' => 0]) + [
            'pkcs11_module' => Hsm::module(),
            'pkcs11_token' => Hsm::TOKEN,
            'pkcs11_key_label' => Hsm::LABEL,
            'pkcs11_pin' => Hsm::PIN,
        ];
        $file = $folder->file('config.json', (string) json_encode($config));
        $paid = (new Payer($file, 'order-1', $hsm->environment()))->end();
        self::assertSame('PE', $paid['status'] ?? $paid['error']['message']);
        self::assertSame('verified', $sandbox->requests('create_payment')[0]['signature']);
    }
}
