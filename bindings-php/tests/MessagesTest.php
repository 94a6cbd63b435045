<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * The messages of `tests/messages/php.txt`, which only this package shows.
 */
final class MessagesTest extends TestCase
{
    private const FILE = 'messages/php.txt';

    public function testEveryMessageIsAsListed(): void
    {
        $parts = self::parts();
        self::assertGreaterThan(1, count($parts));
        $sandbox = new Sandbox();
        $said = array_shift($parts);
        foreach ($parts as $case) {
            $said .= $this->transcript($sandbox, $case);
        }
        if (getenv('UPDATE') !== false) {
            file_put_contents(Repository::shared(self::FILE), $said);
        }
        self::assertStringEqualsFile(Repository::shared(self::FILE), $said);
    }

    /**
     * The head of the file, and its cases.
     *
     * @return list<string>
     */
    private static function parts(): array
    {
        $text = (string) file_get_contents(Repository::shared(self::FILE));
        return preg_split('/^(?=== )/m', $text) ?: [];
    }

    private function transcript(Sandbox $sandbox, string $case): string
    {
        $sandbox->reset();
        $client = new Client($sandbox->config(), shared: false);
        $transcript = '';
        foreach (explode("\n", substr($case, 0, -1)) as $line) {
            if (str_starts_with($line, '! ')) {
                continue;
            }
            $transcript .= "$line\n";
            if (str_starts_with($line, 'service fails ')) {
                $fault = json_decode(substr($line, 14), true, 64, JSON_THROW_ON_ERROR);
                $sandbox->call('POST', '/sandbox/faults', ['path' => '/ws/*', 'then' => [$fault]]);
            } elseif (str_starts_with($line, '$ ')) {
                $transcript .= self::saidBy(substr($line, 2), $client);
            }
        }
        $port = parse_url($sandbox->config()['base_url'], PHP_URL_PORT);
        return str_replace(":$port", ':{service}', $transcript);
    }

    /** What a statement of the file throws. */
    private static function saidBy(string $code, Client $client): string
    {
        try {
            (static function (Client $client) use ($code): void {
                eval("use Libpayments\\Client; $code");
            })($client);
            return '';
        } catch (\Throwable $thrown) {
            $class = (new \ReflectionClass($thrown))->getShortName();
            return '! ' . str_replace("\n", "\n! ", "$class: {$thrown->getMessage()}") . "\n";
        }
    }
}
