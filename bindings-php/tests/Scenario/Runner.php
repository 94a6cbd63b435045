<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\Response;
use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\PreparedRequest;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Http;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;

/**
 * Runs scenarios one after the other in one sandbox.
 */
final class Runner
{
    /** Besides the operations, which give a response. */
    private const FUNCTIONS = ['lint', 'token_status', 'forget_token', 'warm_up'];

    private Placeholders $known;
    /** @var array<string, mixed> */
    private array $samples;

    public function __construct(private Sandbox $sandbox)
    {
        $this->known = new Placeholders();
        foreach (['base_url', 'auth_url', 'integration_key', 'client_id', 'client_secret'] as $name) {
            $this->known->set($name, $sandbox->settings()[$name]);
        }
        foreach (['host' => 'base_url', 'auth_host' => 'auth_url'] as $host => $url) {
            $parts = parse_url($this->known->get($url));
            $this->known->set($host, "$parts[host]:$parts[port]");
        }
        // `Compare` knows what these stand for.
        foreach (['number', 'text', 'duration'] as $name) {
            $this->known->set($name, "{{$name}}");
        }
        $this->known->set('key_file', Repository::key('test_rsa_4096_pkcs8.pem'));
        $this->known->set('other_key_file', Repository::key('test_other_rsa_4096_pkcs8.pem'));
        $this->known->set('kid', $sandbox->kid());
        $samples = (string) file_get_contents(Repository::shared('samples.json'));
        $this->samples = get_object_vars(json_decode($samples, false, 512, JSON_THROW_ON_ERROR));
    }

    /**
     * The differences from the scenario.
     *
     * @return list<string>
     */
    public function run(\stdClass $scenario): array
    {
        Members::check($scenario);
        $scenario->credentials ??= ['integration_key', 'jws', 'bearer'];
        $this->setUp($scenario);
        $known = clone $this->known;
        $known->set('client_id', $this->sandbox->settings()['client_id']);
        $folder = new Folder();
        if (in_array('{journal}', get_object_vars($scenario->config ?? new \stdClass()), true)) {
            Client::createJournal($file = $folder->file('journal/payments.db'));
            $known->set('journal', "file:$file");
        }
        // Without an observer, a client takes another path.
        $recorder = isset($scenario->events) ? new Recorder() : null;
        try {
            $config = $this->configuration($scenario, $known);
            $client = new Client($config, observer: $recorder, logger: $recorder?->logger, shared: false);
        } catch (PaymentsException $error) {
            return isset($scenario->client_error)
                ? Errors::check($error, $scenario->client_error, $known)
                : ["no client: {$error->getMessage()}"];
        }
        if (isset($scenario->client_error)) {
            return ['the configuration was accepted'];
        }
        foreach ($scenario->steps as $index => $step) {
            $found = $this->perform($client, $step, $known);
            if ($found !== []) {
                return array_map(static fn (string $why): string => "steps/$index: $why", $found);
            }
        }
        $found = $recorder === null ? [] : $recorder->differences($scenario, $known);
        return [...$found, ...(new Service($this->sandbox))->check($scenario, $known)];
    }

    private function setUp(\stdClass $scenario): void
    {
        $this->sandbox->reset();
        $settings = get_object_vars($scenario->settings ?? new \stdClass());
        $settings += ['require' => $scenario->credentials, 'lenient' => false];
        $this->sandbox->call('POST', '/sandbox/settings', $settings);
        if (isset($scenario->block_tokens)) {
            $this->sandbox->call('POST', '/sandbox/tokens/block', $scenario->block_tokens);
        }
        if (($scenario->faults ?? []) !== []) {
            $this->sandbox->call('POST', '/sandbox/faults', $scenario->faults);
        }
    }

    /** @return array<string, mixed> */
    private function configuration(\stdClass $scenario, Placeholders $known): array
    {
        $names = ['integration_key' => ['integration_key'], 'jws' => ['key_file', 'kid'],
            'bearer' => ['auth_url', 'client_id', 'client_secret']];
        $config = ['base_url' => '{base_url}', 'environment' => 'sandbox'];
        foreach ($scenario->credentials as $credential) {
            foreach ($names[$credential] as $name) {
                $config[$name] = "{{$name}}";
            }
        }
        foreach ($scenario->config ?? [] as $name => $value) {
            $config[$name] = Input::native($value);
        }
        return array_filter($known->fill($config), static fn (mixed $value): bool => $value !== null);
    }

    /** @return list<string> */
    private function perform(Client $client, \stdClass $step, Placeholders $known): array
    {
        if (isset($step->control)) {
            $body = $known->fill($step->control->body ?? null);
            $this->sandbox->text($step->control->method, $known->fill($step->control->path), $body);
            return [];
        }
        $options = [];
        foreach ($step->options ?? [] as $name => $value) {
            $options[View::method($name)] = $value;
        }
        try {
            if (isset($step->prepare)) {
                $prepared = isset($step->send)
                    ? $client->prepare('send', $this->head($step->send), self::bytes($step->send), ...$options)
                    : $client->prepare($step->prepare, Input::of($step, $this->samples, $known), ...$options);
                return isset($step->prepared)
                    ? $this->checkPrepared($prepared, $step, $known)
                    : ['it was prepared'];
            }
            if (in_array($step->call ?? '', self::FUNCTIONS, true)) {
                $result = $step->call === 'lint'
                    ? Client::lint(Input::of($step, $this->samples, $known))
                    : $client->{View::method($step->call)}(...$options);
                return self::viewDifferences(View::plain($result), $step->response, $known);
            }
            $response = match (true) {
                isset($step->send) => $this->send($client, $step->send, $options),
                // Only this method has the option.
                isset($options['ensureWaitMs'])
                    => $client->ensurePayment(Input::of($step, $this->samples, $known), ...$options),
                default => $client->call($step->call, Input::of($step, $this->samples, $known), ...$options),
            };
        } catch (PaymentsException $error) {
            return isset($step->error)
                ? Errors::check($error, $step->error, $known)
                : ["failed: {$error->getMessage()}"];
        }
        if (!isset($step->response)) {
            return ["responded {$response->httpStatus()}"];
        }
        $view = isset($step->send) ? $response->json() : View::of($step->call, $response);
        foreach ($step->remember ?? [] as $name => $pointer) {
            $known->set($name, Compare::at($view, $pointer));
        }
        return $this->checkResponse($response, $view, $step->response, $known);
    }

    /** @param array<string, mixed> $options */
    private function send(Client $client, \stdClass $send, array $options): Response
    {
        return $client->send(
            $send->method,
            $send->path,
            self::bytes($send),
            $send->query ?? [],
            $send->content_type ?? null,
            $send->reference ?? null,
            ...$options,
        );
    }

    /** @return array<string, mixed> */
    private function head(\stdClass $send): array
    {
        return array_diff_key(get_object_vars($send), ['body' => 0, 'body_base64' => 0]);
    }

    private static function bytes(\stdClass $of): string
    {
        return isset($of->body_base64) ? base64_decode($of->body_base64, true) : $of->body ?? '';
    }

    /** @return list<string> */
    private function checkResponse(Response $response, mixed $view, \stdClass $expected, Placeholders $known): array
    {
        $found = [];
        if ($response->httpStatus() !== ($expected->http_status ?? 200)) {
            $found[] = "status {$response->httpStatus()}";
        }
        if (isset($expected->body) && $response->raw() !== $known->fill($expected->body)) {
            $found[] = "body {$response->raw()}";
        }
        $found = [...$found, ...self::viewDifferences($view, $expected, $known)];
        return [...$found, ...View::differences($response, $view)];
    }

    /** @return list<string> */
    private static function viewDifferences(mixed $view, \stdClass $expected, Placeholders $known): array
    {
        $found = [];
        foreach ($expected->view ?? [] as $pointer => $value) {
            $differences = Compare::differences($pointer, $known->fill($value), Compare::at($view, $pointer));
            array_push($found, ...$differences);
        }
        foreach ($expected->present ?? [] as $pointer) {
            if (Compare::at($view, $pointer) === null) {
                $found[] = "$pointer: is not there";
            }
        }
        return $found;
    }

    /** @return list<string> */
    private function checkPrepared(PreparedRequest $request, \stdClass $step, Placeholders $known): array
    {
        $expected = $step->prepared;
        $found = [];
        $target = substr($request->url(), strlen($this->sandbox->url()));
        if ($request->method() !== $expected->method || $target !== $known->fill($expected->target)) {
            $found[] = "{$request->method()} $target";
        }
        if ($request->body() !== $known->fill(self::bytes($expected))) {
            $found[] = "body {$request->body()}";
        }
        foreach ($expected->headers ?? [] as $name => $value) {
            if ($request->header($name) !== $value) {
                $found[] = "header $name: {$request->header($name)}";
            }
        }
        foreach ($expected->has_headers ?? [] as $name) {
            if ($request->header($name) === null) {
                $found[] = "no header $name";
            }
        }
        foreach ($expected->lacks_headers ?? [] as $name) {
            if ($request->header($name) !== null) {
                $found[] = "has the header $name";
            }
        }
        if ($step->deliver ?? false) {
            $sent = Http::send($request->method(), $request->url(), $request->headerLines(), $request->body());
            if ($sent[0] !== 200) {
                $found[] = "delivered by another client, it got $sent[0]";
            }
        }
        return $found;
    }
}
