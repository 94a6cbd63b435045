<?php

declare(strict_types=1);

namespace Libpayments\Exception;

use Libpayments\Answer;

/**
 * An observer, a token store or a signal handler threw after the service had
 * responded. `getPrevious()` is the original exception; `getAnswer()` has the
 * response.
 */
final class CallbackException extends CancelledException implements UnknownOutcome
{
    private ?Answer $answer = null;

    /** The response of the service: the operation was executed. */
    public function getAnswer(): ?Answer
    {
        return $this->answer;
    }

    /** @internal */
    public function withAnswer(Answer $answer): self
    {
        $this->answer = $answer;
        return $this;
    }
}
