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

    /**
     * Before each test: PHPUnit 9 reads the annotation, later versions the attribute.
     *
     * @before
     */
    #[\PHPUnit\Framework\Attributes\Before]
    protected function resetSandbox(): void
    {
        SharedSandbox::running()->reset();
    }
}
