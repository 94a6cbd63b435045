<?php

declare(strict_types=1);

namespace Libpayments\Exception;

use Libpayments\Internal\Hidden;
use Libpayments\Internal\Report;
use Libpayments\Internal\Tables;
use Libpayments\Response;

/**
 * A call failed. `getMessage()` says what happened, in which operation and at
 * which member, what to do next, and the kind, code and outcome. It contains
 * neither secrets nor payer data.
 *
 * The one question that matters is `mayHaveBeenExecuted()`. If it is false, you
 * can send the request again without doing it twice. If it is true, the
 * exception is a `MayHaveBeenExecuted`: an `UnknownOutcome` or an
 * `ExecutedOutcome`, and `getAdvice()` says how to go on.
 */
abstract class PaymentsException extends \RuntimeException
{
    /** Nothing was executed. */
    public const NOT_EXECUTED = 'not_executed';
    /** The operation may have been executed. */
    public const UNKNOWN = 'unknown';
    /** The operation was executed, which does not mean paid. */
    public const EXECUTED = 'executed';

    /** The service's message, the bodies and the response, which may contain payer data. */
    private Hidden $texts;

    /** @var array<string, mixed> */
    private array $report;

    /**
     * @internal
     * @param array<string, mixed> $report
     */
    final public function __construct(
        #[\SensitiveParameter] array $report,
        #[\SensitiveParameter] ?string $requestBody = null,
        #[\SensitiveParameter] ?string $responseBody = null,
        ?\Throwable $previous = null,
    ) {
        $serviceMessage = $report['service_message'] ?? null;
        unset($report['service_message']);
        $report['help'] ??= Tables::HELP_BASE . $report['code'];
        $this->report = $report;
        $this->texts = new Hidden([$serviceMessage, $requestBody, $responseBody]);
        parent::__construct(Report::sentence($report), Report::number($report['kind']), $previous);
        for ($error = $this; $error !== null; $error = $error->getPrevious()) {
            self::dropArguments($error);
        }
    }

    /** The kind of failure, for example `timeout`. `getCode()` is its number. */
    public function getKind(): string
    {
        return $this->report['kind'];
    }

    /** A stable code within the kind, for example `token_backoff`. */
    public function getErrorCode(): string
    {
        return $this->report['code'];
    }

    /** Where the documentation explains the code, for example `docs/errors.md#payment_not_found`. */
    public function getHelp(): string
    {
        return $this->report['help'];
    }

    /** `not_executed`, `unknown` or `executed`. */
    public function getOutcome(): string
    {
        return $this->report['outcome'];
    }

    /** Whether the service executed the operation, or may have. */
    public function mayHaveBeenExecuted(): bool
    {
        return $this->getOutcome() !== self::NOT_EXECUTED;
    }

    /** What to do instead of sending the operation again; null if it was not executed. */
    public function getAdvice(): ?string
    {
        return $this->report['advice'] ?? null;
    }

    /** The member at fault, for example `payment.document`. */
    public function getPath(): ?string
    {
        return $this->report['path'] ?? null;
    }

    /** The operation that failed, for example `create_payment`. */
    public function getOperation(): ?string
    {
        return $this->report['operation'] ?? null;
    }

    /** The merchant's own reference for the operation. */
    public function getReference(): ?string
    {
        return $this->report['reference'] ?? null;
    }

    /** The HTTP status of the service's response, if there was one. */
    public function getHttpStatus(): ?int
    {
        return $this->report['http_status'] ?? null;
    }

    /** The service's own code, for example `BP-DR-0`. */
    public function getServiceCode(): ?string
    {
        return $this->report['service_code'] ?? null;
    }

    /** The service's own message. It may repeat payer data: do not log it. */
    public function getServiceMessage(): ?string
    {
        return $this->texts->value()[0] ?? null;
    }

    /** The payment hash in the response, if there is one. */
    public function getPaymentHash(): ?string
    {
        return $this->report['payment_hash'] ?? null;
    }

    /** How many seconds to wait before the next request. */
    public function getRetryAfter(): ?int
    {
        return $this->report['retry_after'] ?? null;
    }

    /**
     * After a 401: what the client knows about its credentials.
     *
     * @return array{cause: ?string, finding: string, message: string}|null
     */
    public function getDiagnosis(): ?array
    {
        return $this->report['diagnosis'] ?? null;
    }

    /**
     * The earlier call that the journal has under the same reference.
     *
     * @return array{id: string, state: string, hash: ?string, uid: ?string, has_same_body: bool,
     *     created_at: int}|null
     */
    public function getJournalEntry(): ?array
    {
        return $this->report['journal_entry'] ?? null;
    }

    /** How many attempts were made, including those that could not connect. */
    public function getAttempts(): int
    {
        return $this->report['attempts'] ?? 0;
    }

    /** The body that was signed and sent, at most its first 64 KiB. It contains payer data. */
    public function getRequestBody(): ?string
    {
        return $this->texts->value()[1] ?? null;
    }

    /** The body of the response, at most its first 64 KiB. It may contain payer data. */
    public function getResponseBody(): ?string
    {
        return $this->texts->value()[2] ?? null;
    }

    /**
     * The response, if a callback or a signal handler threw when it was complete.
     * `getPrevious()` is what was thrown.
     */
    public function getResponse(): ?Response
    {
        return $this->texts->value()[3] ?? null;
    }

    /** @internal */
    public function withResponse(Response $response): self
    {
        $texts = array_slice($this->texts->value() ?? [null, null, null], 0, 3);
        $this->texts = new Hidden([...$texts, $response], (string) spl_object_id($response));
        return $this;
    }

    /**
     * All members except the bodies. `service_message` may repeat payer data.
     *
     * @return array{kind: string, code: string, message: string, outcome: string, advice: ?string,
     *     path: ?string, operation: ?string, reference: ?string, http_status: ?int,
     *     service_code: ?string, service_message: ?string, payment_hash: ?string,
     *     retry_after: ?int, diagnosis: ?array<string, ?string>,
     *     journal_entry: ?array<string, mixed>, attempts: int,
     *     help: string}
     */
    public function toArray(): array
    {
        $array = [];
        foreach (Tables::MEMBERS as $name) {
            $array[$name] = $name === 'service_message'
                ? $this->getServiceMessage()
                : $this->report[$name] ?? null;
        }
        return $array;
    }

    /**
     * Removes the arguments of this package's functions from a trace. Exports and
     * casts show what `SensitiveParameter` replaces, and PHP 8.1 ignores it.
     */
    private static function dropArguments(\Throwable $error): void
    {
        $trace = $error->getTrace();
        foreach ($trace as &$frame) {
            if (preg_match('/^(Libpayments\\\\|FFI$)/', $frame['class'] ?? '') === 1) {
                unset($frame['args']);
            }
        }
        unset($frame);
        $class = $error instanceof \Error ? \Error::class : \Exception::class;
        (new \ReflectionProperty($class, 'trace'))->setValue($error, $trace);
    }
}
