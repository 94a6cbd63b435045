<?php

// Generated from the core's tables; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `tls`: the TLS handshake failed.
 */
class TlsException extends PaymentsException
{
}
