<?php

declare(strict_types=1);

namespace Libpayments;

use FFI;
use FFI\CData;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Callbacks;
use Libpayments\Internal\Descriptors;
use Libpayments\Internal\Commands\FollowLoop;
use Libpayments\Internal\Hidden;
use Libpayments\Internal\Json;
use Libpayments\Internal\Loader;
use Libpayments\Internal\NativeClient;
use Libpayments\Internal\Events\Observers;
use Libpayments\Internal\Operations;
use Libpayments\Internal\Signals;
use Libpayments\Internal\Tools;
use Libpayments\Journal\ClientJournal;
use Psr\Log\LoggerInterface;

/**
 * Talks to the service for one merchant.
 *
 * Requests are arrays with the service's member names, or JSON text, which is
 * passed on as it is. Amounts are strings or ints, never floats. A call
 * that fails throws a `PaymentsException`. Unless it implements
 * `MayHaveBeenExecuted`, nothing was executed. `$timeoutMs` replaces the
 * configured deadline for that call. `$traceparent` is sent as the header of
 * that name (W3C Trace Context), which the interface does not state.
 *
 * Clients are shared: all clients with the same configuration use one parsed
 * key, one token and the same connections, also across the requests of a
 * PHP-FPM worker. Each new client reads the files of keys and secrets again, so
 * it notices a rotated key. A client with callbacks shares the connections, and
 * the token unless it has a token store.
 *
 * @phpstan-import-type Config from Configuration
 * @phpstan-import-type QueryPayment from Requests
 * @phpstan-import-type Request from Requests
 */
final class Client implements ClientInterface
{
    use Operations;
    use Tools;

    /** A `NativeClient`, which has the callbacks. */
    private Hidden $native;

    /**
     * @param Config|string $config the members of a configuration file, or its JSON text
     * @param ?Signer $signer signs instead of a key in the configuration
     * @param ?TokenStore $tokenStore keeps the bearer token, instead of the memory of this process
     * @param (callable(array<string, mixed>): mixed)|null $observer receives each event: `event` and its members;
     *     its exceptions go to error_log(), and do not affect the call
     * @param bool $shared false for a client that shares only its token
     * @param ?Journal $journal records calls that move money, instead of the configuration's `journal`; without
     *     a logger, its failures go to error_log()
     * @param ?LoggerInterface $logger of PSR-3: `warning` for unknown outcomes, retries and backoff, `info` for other
     *     failures, `debug` for the rest; its exceptions go to error_log(), and do not affect the call
     * @throws Exception\ConfigException which names the member, or says why the library cannot be used
     */
    public function __construct(
        #[\SensitiveParameter] array|string $config,
        ?Signer $signer = null,
        ?TokenStore $tokenStore = null,
        ?callable $observer = null,
        bool $shared = true,
        ?Journal $journal = null,
        ?LoggerInterface $logger = null,
    ) {
        Loader::ffi();
        $text = Json::encode($config, Json::CONFIG);
        $function = $shared ? 'payments_client_shared' : 'payments_client_new';
        $make = static fn (FFI $ffi, ?CData ...$places): int => $ffi->$function($text, strlen($text), ...$places);
        $this->make($signer, $tokenStore, Observers::of($logger, $observer), $journal, $make);
    }

    /**
     * Creates a client from a JSON file. Paths in it are relative to its folder.
     *
     * @param (callable(array<string, mixed>): mixed)|null $observer
     * @throws Exception\ConfigException
     */
    public static function fromFile(
        string $path,
        ?Signer $signer = null,
        ?TokenStore $tokenStore = null,
        ?callable $observer = null,
        bool $shared = true,
        ?Journal $journal = null,
        ?LoggerInterface $logger = null,
    ): self {
        Loader::ffi();
        Json::check($path, 'path', Json::CONFIG);
        $make = static fn (FFI $ffi, ?CData ...$places): int
            => $ffi->payments_client_from_file($path, strlen($path), (int) $shared, ...$places);
        return self::with($signer, $tokenStore, Observers::of($logger, $observer), $journal, $make);
    }

    /**
     * Creates a client from the environment of the process: PAYMENTS_BASE_URL
     * and so on. It ignores `$_ENV`, `$_SERVER` and the parameters of an HTTP request.
     *
     * @param (callable(array<string, mixed>): mixed)|null $observer
     * @throws Exception\ConfigException
     */
    public static function fromEnv(
        ?Signer $signer = null,
        ?TokenStore $tokenStore = null,
        ?callable $observer = null,
        bool $shared = true,
        ?Journal $journal = null,
        ?LoggerInterface $logger = null,
    ): self {
        $make = static fn (FFI $ffi, ?CData ...$places): int
            => $ffi->payments_client_from_env((int) $shared, ...$places);
        return self::with($signer, $tokenStore, Observers::of($logger, $observer), $journal, $make);
    }

    /**
     * Returns a bearer token that is valid now: the cached one, or a new one.
     *
     * @throws PaymentsException
     */
    public function accessToken(?int $timeoutMs = null): AccessToken
    {
        return $this->native()->accessToken(AccessToken::class, $timeoutMs);
    }

    /**
     * Returns the state of the bearer token, without fetching one.
     *
     * @throws PaymentsException
     */
    public function tokenStatus(?int $timeoutMs = null): TokenStatus
    {
        return new TokenStatus(Json::decode($this->native()->tokenStatus($timeoutMs)));
    }

    /**
     * Drops the bearer token from this process and the token store, so that the
     * next call requests another one. Nothing else changes: pauses continue,
     * and that request counts like one after a 401.
     *
     * @throws PaymentsException
     */
    public function forgetToken(?int $timeoutMs = null): void
    {
        $this->native()->act('forget_token', $timeoutMs);
    }

    /**
     * Obtains the token and opens a connection, so that the next call takes one
     * round trip. Sends nothing to the service. The connection stays open for up
     * to 4 seconds of idleness.
     *
     * @throws PaymentsException
     */
    public function warmUp(?int $timeoutMs = null): void
    {
        $this->native()->act('warm_up', $timeoutMs);
    }

    /**
     * Returns the payment with this reference, and creates it if the service has
     * none. A new attempt needs a new reference: a payment that is found is
     * returned in any state, even cancelled.
     *
     * One call sends at most one creation. Two calls at a time create one payment
     * if they share a journal; without one, that depends on the service.
     *
     * @param CreatePayment|string $request
     * @param ?int $ensureWaitMs how long to wait for a payment that may exist and is not found, in place of the
     *     configuration's `ensure_wait_ms`
     * @throws PaymentsException code `reference_used` if the payment with this reference is another one
     */
    public function ensurePayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
        ?int $ensureWaitMs = null,
    ): EnsuredPayment {
        $body = $this->takeEnsured($request);
        $class = EnsuredPayment::class;
        return $this->native()->operate('ensure_payment', $body, $class, $timeoutMs, $traceparent, $ensureWaitMs);
    }

    /**
     * Queries a payment until it is over, or until `$timeoutMs` (by default the
     * client's) has passed: then the last response may be of an open payment.
     * Between queries, a tenth of the time that has passed goes by, but at least
     * two seconds.
     *
     * @param QueryPayment|string $request
     * @throws PaymentsException
     */
    public function waitForPayment(
        #[\SensitiveParameter] array|string $request,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PaymentResponse {
        return $this->operate('wait_for_payment', $request, PaymentResponse::class, $timeoutMs, $traceparent);
    }

    /**
     * Follows payments, refunds and payouts until all have ended, and yields the end of
     * each once. The interface has no events: this queries each payment, later
     * and later, with one query at a time. It is for a long-running command; in a
     * web request, see `waitForPayment`.
     *
     * An end counts as reported when the next one is asked for. If that does not
     * happen, the next run with the same state file yields it again, as
     * `repeated`.
     *
     * @param ?list<string> $references the payments, by `merchant_payment_code`; null follows the payments
     *     and refunds that the journal says were done, and its payouts if `payout_query` is on
     * @param ?string $state the file that remembers what was reported, also after a crash; one process uses
     *     it at a time. Without it, the next run reports all again
     * @param ?int $sinceMs how far back the journal is read, by default 7 days
     * @param ?int $giveUpAfterMs the age at which an open payment is given up, by default 7 days
     * @param ?int $perSecond the most queries in a second, by default 5
     * @param bool $byHash whether the references are payment hashes
     * @param ?int $forgetAfterMs how long the state file keeps a reported end that no run asks for, by default
     *     90 days, and at least `sinceMs` and a day
     * @param bool $byExternalReference whether the references are the `external_reference` of payouts, which
     *     needs `payout_query`
     * @param bool $byUid whether the references are the `uid` of payouts, which needs `payout_query`
     * @return \Generator<int, FollowEnd>
     * @throws PaymentsException
     */
    public function follow(
        ?array $references = null,
        ?string $state = null,
        ?int $sinceMs = null,
        ?int $giveUpAfterMs = null,
        ?int $perSecond = null,
        bool $byHash = false,
        ?int $forgetAfterMs = null,
        bool $byExternalReference = false,
        bool $byUid = false,
    ): \Generator {
        return FollowLoop::ends($this->act(...), [
            'references' => $references === null ? null : array_values($references),
            'by_hash' => $byHash,
            'by_external_reference' => $byExternalReference,
            'by_uid' => $byUid,
            'state' => $state,
            'since_ms' => $sinceMs,
            'give_up_after_ms' => $giveUpAfterMs,
            'per_second' => $perSecond,
            'forget_after_ms' => $forgetAfterMs,
        ]);
    }

    /**
     * The command `follow`. Returns its exit code.
     *
     * @internal
     * @param list<string> $arguments
     */
    public function followAsCommand(array $arguments, bool $isForPeople): int
    {
        return FollowLoop::command($this->act(...), $arguments, $isForPeople);
    }

    /** Returns the journal of this client, to read its entries and to resolve open ones. */
    public function journal(): ClientJournal
    {
        return new ClientJournal($this->act(...));
    }

    /**
     * Performs an action of the core.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    private function act(string $action, array $input): array
    {
        return (array) Json::decode($this->native()->work($action, Json::encode($input, 'journal')));
    }

    /**
     * Signs your own bytes and sends them unchanged, to any path under the
     * base URL. Any 2xx response is a success.
     *
     * @param array<string, string|int>|list<array{string, string|int}> $query by name, or pairs if a
     *     name repeats
     * @param ?string $contentType null means `application/json` if there is a body
     * @param ?string $reference your own reference for errors; it is not sent
     * @throws PaymentsException
     */
    public function send(
        string $method,
        string $path,
        #[\SensitiveParameter] string $body = '',
        #[\SensitiveParameter] array $query = [],
        ?string $contentType = null,
        ?string $reference = null,
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): Response {
        $head = ['method' => $method, 'path' => $path, 'query' => $query];
        $head += ['content_type' => $contentType, 'reference' => $reference];
        $query = [];
        return $this->native()->send(Json::take($head, 'send'), $body, $timeoutMs, $traceparent);
    }

    /**
     * Prepares a request for your own HTTP client without sending it. This may
     * fetch a token. Its risks: {@see PreparedRequest}.
     *
     * @param string $operation the operation's name, for example `create_payment`
     * @param Request|array{method: string, path: string, query?: array<array-key, mixed>, content_type?: string,
     *     reference?: string}|string $request the request of the operation; for `send` an array with `method`,
     *     `path` and optionally `query`, `content_type` and `reference`
     * @param string $body the bytes of `send`; empty for all other operations
     * @throws PaymentsException
     */
    public function prepare(
        string $operation,
        #[\SensitiveParameter] array|string $request,
        #[\SensitiveParameter] string $body = '',
        ?int $timeoutMs = null,
        ?string $traceparent = null,
    ): PreparedRequest {
        Json::check($operation, 'operation', 'prepare');
        $input = Json::take($request, $operation);
        return $this->native()->prepare($operation, $input, $body, $timeoutMs, $traceparent);
    }

    /** @throws \LogicException always */
    public function __clone(): void
    {
        throw new \LogicException('a client cannot be cloned; create another one from the same configuration, which '
            . 'shares the key, token and connections');
    }

    /**
     * @return array<string, mixed>
     * @throws \LogicException always
     */
    public function __serialize(): array
    {
        throw new \LogicException('a client cannot be serialized: it contains keys and connections; create one from '
            . 'the configuration where you need it');
    }

    /**
     * @param array<string, mixed> $values
     * @throws \LogicException always
     */
    public function __unserialize(array $values): void
    {
        throw new \LogicException('a client cannot be unserialized; create one from the configuration');
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['has_callbacks' => isset($this->native) && $this->native()->hasCallbacks()];
    }

    private function native(): NativeClient
    {
        return $this->native->value();
    }

    /**
     * @template T of Response
     * @param array<string, mixed>|string $request
     * @param class-string<T> $class
     * @return T
     */
    private function operate(
        string $operation,
        #[\SensitiveParameter] array|string &$request,
        string $class,
        ?int $timeoutMs,
        ?string $traceparent,
    ): Response {
        $body = Json::take($request, $operation);
        return $this->native()->operate($operation, $body, $class, $timeoutMs, $traceparent);
    }

    /**
     * The JSON text of a request of `ensurePayment`. If it has none, the outcome of the exception is that of the
     * reference.
     *
     * @param array<string, mixed>|string $request
     * @throws PaymentsException
     */
    private function takeEnsured(#[\SensitiveParameter] array|string &$request): string
    {
        $payment = is_array($request) ? (array) ($request['payment'] ?? []) : [];
        $reference = $payment['merchant_payment_code'] ?? null;
        unset($payment);
        try {
            return Json::take($request, 'ensure_payment');
        } catch (PaymentsException $refused) {
            if (is_string($reference) && preg_match('//u', $reference) === 1) {
                $this->native()->refuseEnsured($reference, $refused);
            }
            throw $refused;
        }
    }

    /** @param \Closure(FFI, ?CData, CData, CData): int $make */
    private static function with(
        ?Signer $signer,
        ?TokenStore $store,
        ?Observers $observers,
        ?Journal $journal,
        #[\SensitiveParameter] \Closure $make,
    ): self {
        $client = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $client->make($signer, $store, $observers, $journal, $make);
        return $client;
    }

    /** @param \Closure(FFI, ?CData, CData, CData): int $make */
    private function make(
        ?Signer $signer,
        ?TokenStore $store,
        ?Observers $observers,
        ?Journal $journal,
        #[\SensitiveParameter] \Closure $make,
    ): void {
        $native = Signals::held(static function () use ($signer, $store, $observers, $journal, $make): NativeClient {
            $ffi = Loader::ffi();
            $callbacks = $signer === null && $store === null && $observers === null && $journal === null
                ? null
                : new Callbacks($ffi, $signer, $store, $observers, $journal);
            return new NativeClient($ffi, $callbacks, $make);
        });
        $this->native = new Hidden($native);
        Descriptors::reserve(Loader::ffi());
    }
}
