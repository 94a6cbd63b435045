<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;

/**
 * A copy of bytes for C. What a callback throws has the arguments of every
 * function below it in its trace: of these bytes it has the address.
 *
 * @internal
 */
final class Bytes
{
    use Secret;

    /** `void *`, which is taken for `const char *` as for `const uint8_t *`; valid as long as this object. */
    public readonly CData $pointer;
    public readonly int $length;
    private CData $buffer;

    public function __construct(FFI $ffi, #[\SensitiveParameter] string $bytes)
    {
        $this->length = strlen($bytes);
        $this->buffer = $ffi->new('uint8_t[' . max(1, $this->length) . ']');
        FFI::memcpy($this->buffer, $bytes, $this->length);
        $this->pointer = $ffi->cast('void *', FFI::addr($this->buffer));
    }
}
