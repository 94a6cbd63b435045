<?php

declare(strict_types=1);

namespace Libpayments\Exception;

use Libpayments\Answer;

/**
 * An observer, a token store or a handler of a signal threw after the service
 * had answered: `getPrevious()` is what was thrown, and the answer is not lost.
 */
final class CallbackException extends CancelledException implements UnknownOutcome
{
    private ?Answer $answer = null;

    /** The answer of the service: the operation was executed. */
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
