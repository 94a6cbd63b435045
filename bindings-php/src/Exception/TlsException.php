<?php

// Generated from spec/errors by generate/templates/Exception.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Exception;

/**
 * Kind `tls`: the TLS handshake failed.
 */
class TlsException extends PaymentsException
{
}
