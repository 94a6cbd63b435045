<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\CallbackSigner;
use Libpayments\Client;
use Libpayments\Internal\Loader;
use Libpayments\PreparedRequest;
use Libpayments\Response;
use Libpayments\Testing\Responses;
use Libpayments\TrackingResponse;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\PrefixedCopy;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * The package's objects in dumps, exports, casts and serialization.
 */
final class DumpsTest extends TestCase
{
    /** Written on purpose: a response may be stored. */
    private const KEPT = [
        'serialize' => ['payment', 'tracking', 'result of tracking'],
        'json_encode' => ['payment', 'tracking'],
    ];

    /** @var array<string, array{secrets: array<string, string>, shown: array<string, array<string, string>>}> */
    private static array $dumps;

    public static function setUpBeforeClass(): void
    {
        $sandbox = new Sandbox();
        // The message of a sandbox on this host is shown.
        $config = ['environment' => 'production'] + $sandbox->config();
        (new Client($config))->createPayment(Samples::payment());
        $response = ['status' => 'ERROR', 'status_code' => 'X-1', 'status_message' => 'Maria Souza is not known'];
        $sandbox->fault('create_payment', ['fault' => 'response', 'json' => $response]);
        $folder = new Folder();
        $copy = new PrefixedCopy();
        $fixture = 'tests/fixtures/dumps.php';
        foreach (['' => dirname(__DIR__) . "/$fixture", 'with a prefix: ' => $copy->file($fixture)] as $name => $file) {
            $command = [PHP_BINARY, '-d', 'zend.exception_ignore_args=0', $file];
            self::$dumps[$name] = json_decode(Php::output($command, [
                Loader::VARIABLE => Repository::built('libpayments.so'),
                'TEST_CONFIG' => $folder->file('config.json', (string) json_encode($config)),
            ]), true, 16, JSON_THROW_ON_ERROR);
        }
    }

    public function testNoWayOfShowingAnObjectShowsASecret(): void
    {
        $leaks = [];
        foreach (self::$dumps as $copy => ['shown' => $objects, 'secrets' => $secrets]) {
            self::assertGreaterThan(10, count($objects));
            foreach ($objects as $object => $ways) {
                foreach ($ways as $way => $shown) {
                    self::assertNotSame('', $shown, "$copy$object by $way");
                    if (!in_array($object, self::KEPT[$way] ?? [], true)) {
                        array_push($leaks, ...self::leaks("$copy$object by $way", $shown, $secrets));
                    }
                }
            }
        }
        self::assertSame([], $leaks);
        $prefixed = self::$dumps['with a prefix: ']['shown']['client']['var_dump'];
        self::assertStringContainsString(PrefixedCopy::PREFIX . Client::class, $prefixed);
    }

    /**
     * @param array<string, string> $secrets
     * @return list<string>
     */
    private static function leaks(string $where, string $shown, array $secrets): array
    {
        $leaks = [];
        foreach ($secrets as $name => $secret) {
            self::assertGreaterThan(3, strlen($secret), $name);
            if (str_contains($shown, $secret)) {
                $leaks[] = "$where: $name";
            }
        }
        return $leaks;
    }

    /** @dataProvider harmless */
    public function testADumpShowsWhatIsHarmless(string $object, string $pattern): void
    {
        self::assertMatchesRegularExpression($pattern, self::$dumps['']['shown'][$object]['dump']);
    }

    /** @return array<string, array{string, string}> */
    public static function harmless(): array
    {
        return [
            'status' => ['payment', '/status: "PE"/'],
            'HTTP status' => ['payment', '/httpStatus: 200/'],
            'status of tracking' => ['result of tracking', '/status: "CREATED"/'],
            'kid' => ['signer', '/kid: "[0-9a-f-]{36}"/'],
            'public key' => ['key pair', '/BEGIN PUBLIC KEY/'],
            'method' => ['prepared request', '/method: "POST"/'],
            'kind and code' => ['refusal', '/"kind" => "rejected".*"service_code" => "X-1"/s'],
            'callbacks' => ['client with callbacks', '/has_callbacks: true/'],
        ];
    }

    public function testHiddenValuesAreCompared(): void
    {
        $first = new PreparedRequest('POST', 'https://api.example/ws', [['a', 'b']], 'Maria');
        self::assertTrue($first == new PreparedRequest('POST', 'https://api.example/ws', [['a', 'b']], 'Maria'));
        self::assertFalse($first == new PreparedRequest('POST', 'https://api.example/ws', [['a', 'b']], 'Marie'));
        self::assertSame('Maria', (clone $first)->body());
        self::assertFalse(Responses::payment('PE') == Responses::payment('CO'));
    }

    public function testResponsesMayBeKept(): void
    {
        $tracked = Responses::tracking('BR1', 'BR2');
        $kept = unserialize(serialize([$tracked, $tracked->result()]));
        self::assertInstanceOf(TrackingResponse::class, $kept[0]);
        self::assertEquals($tracked, $kept[0]);
        self::assertSame(['BR2', 'CREATED'], [$kept[1][1]->trackingCode(), $kept[1][1]->status()]);
        self::assertSame($tracked->raw(), (clone $tracked)->raw());
    }

    public function testTheGarbageCollectorSeesHiddenValues(): void
    {
        $holder = new \stdClass();
        $holder->signer = new CallbackSigner('kid', static fn (): string => $holder::class);
        $gone = \WeakReference::create($holder);
        unset($holder);
        gc_collect_cycles();
        self::assertNull($gone->get());
    }

    public function testADestructorAtTheEndSeesAResponse(): void
    {
        $code = 'require ' . var_export(dirname(__DIR__) . '/autoload.php', true) . ';' . <<<'PHP'
            final class Last
            {
                public static ?self $last = null;
                public ?self $self = null;

                public function __construct(private Libpayments\Response $response)
                {
                    $this->self = self::$last = $this;
                }

                public function __destruct()
                {
                    echo $this->response->status(), ' ', $this->response['payment']['hash'];
                }
            }
            new Last(Libpayments\Testing\Responses::payment('CO', hash: 'h'));
            PHP;
        self::assertSame('CO h', Php::run($code));
    }
}
