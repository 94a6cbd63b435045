<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

use Symfony\Component\DependencyInjection\Extension\ExtensionInterface;
use Symfony\Component\HttpKernel\Bundle\Bundle;

/**
 * The bundle for Symfony: docs/frameworks/symfony.md.
 */
final class LibpaymentsBundle extends Bundle
{
    public function getContainerExtension(): ?ExtensionInterface
    {
        return new LibpaymentsExtension();
    }
}
