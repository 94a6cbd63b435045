<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;

/**
 * A copy of bytes for C. The trace of an exception that a callback throws has
 * the arguments of every caller, but only the address of these bytes.
 *
 * @internal
 */
final class Bytes
{
    use Secret;

    /** `void *`, which C functions accept as `const char *` and `const uint8_t *`; valid as long as this object. */
    public readonly CData $pointer;
    public readonly int $length;
    private CData $buffer;

    public function __construct(FFI $ffi, #[\SensitiveParameter] string $bytes)
    {
        $this->length = strlen($bytes);
        $this->buffer = $ffi->new('uint8_t[' . max(1, $this->length) . ']');
        FFI::memcpy($this->buffer, $bytes, $this->length);
        $this->pointer = Memory::address($ffi, $this->buffer);
    }

    /**
     * Pointer and length, as C takes them. Keep this object until C returns.
     *
     * @return array{CData, int}
     */
    public function parts(): array
    {
        return [$this->pointer, $this->length];
    }
}
