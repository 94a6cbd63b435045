<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `config`: the configuration cannot work. `getPath()` names the member.
 */
class ConfigException extends PaymentsException
{
}
