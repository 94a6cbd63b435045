<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * The arguments of a call. One object, because a stack trace shows arguments,
 * but only the class of an object.
 *
 * @internal
 */
final class Work
{
    use Secret;

    /**
     * @param string $request JSON text
     * @param bool $isSent false if the operation is not sent to the service
     */
    public function __construct(
        public readonly string $operation,
        #[\SensitiveParameter] public readonly string $request = '{}',
        public readonly bool $isSent = false,
        public readonly ?int $timeoutMs = null,
        public readonly ?string $traceparent = null,
        public readonly ?int $ensureWaitMs = null,
    ) {
    }
}
