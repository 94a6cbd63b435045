<?php

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `tls`: the TLS handshake failed.
 */
class TlsException extends PaymentsException
{
}
