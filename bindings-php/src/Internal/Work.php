<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * The arguments of a call.
 *
 * @internal
 */
final class Work
{
    use Secret;

    /**
     * @param string $request JSON text
     * @param bool $isSent false if the operation is not sent to the service
     * @param ?bool $opens whether it begins an open call, or ends one; null if neither
     * @param ?\Throwable $cause what the HTTP client of an open call threw
     * @param bool $isCancelled whether it is cancelled from the start
     */
    public function __construct(
        public readonly string $operation,
        #[\SensitiveParameter] public readonly string $request = '{}',
        public readonly bool $isSent = false,
        public readonly ?int $timeoutMs = null,
        public readonly ?string $traceparent = null,
        public readonly ?bool $opens = null,
        public readonly ?\Throwable $cause = null,
        public readonly bool $isCancelled = false,
    ) {
    }
}
