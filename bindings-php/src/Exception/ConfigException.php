<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `config`: the configuration cannot work.
 */
class ConfigException extends PaymentsException
{
}
