<?php

declare(strict_types=1);

namespace Libpayments\Testing;

/**
 * For test cases of PHPUnit: one sandbox for the whole run, reset before each
 * test.
 *
 *     final class CheckoutTest extends TestCase
 *     {
 *         use UsesSandbox;
 *
 *         public function testPays(): void
 *         {
 *             $client = $this->sandbox()->client();
 */
trait UsesSandbox
{
    /** The sandbox, as after its start. */
    protected function sandbox(): Sandbox
    {
        return SharedSandbox::running();
    }

    /** @before */
    protected function resetSandbox(): void
    {
        SharedSandbox::running()->reset();
    }
}
