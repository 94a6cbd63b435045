<?php

declare(strict_types=1);

namespace Libpayments\Exception;

use Libpayments\Response;

/**
 * A token store or a signal handler threw after the service had responded.
 * `getPrevious()` is the original exception; `getResponse()` has the response.
 */
final class CallbackException extends CancelledException implements UnknownOutcome
{
    private ?Response $response = null;

    /** The response of the service: the operation was executed. */
    public function getResponse(): ?Response
    {
        return $this->response;
    }

    /** @internal */
    public function withResponse(Response $response): self
    {
        $this->response = $response;
        return $this;
    }
}
