<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Tests\Scenario\Runner;
use Libpayments\Tests\Scenario\View;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Runs every scenario that all languages share; SCENARIO=part_of_a_name runs
 * some of them while one is being written.
 */
final class ScenariosTest extends TestCase
{
    public function testEveryScenarioHasItsExpectedResults(): void
    {
        $runner = new Runner(new Sandbox());
        View::learn(Repository::manifest());
        $part = getenv('SCENARIO');
        $names = [];
        $failed = [];
        foreach ($this->scenarios() as $scenario) {
            if ($part !== false && !str_contains($scenario->name, $part)) {
                continue;
            }
            $names[] = $scenario->name;
            try {
                $found = $runner->run($scenario);
            } catch (\Throwable $error) {
                $found = [$error::class . ": {$error->getMessage()} at {$error->getFile()}:{$error->getLine()}"];
            }
            if ($found !== []) {
                $failed[] = "$scenario->name\n    " . implode("\n    ", $found);
            }
        }
        fwrite(STDERR, count($names) . ' scenarios run, ' . count($failed) . " failed\n");
        self::assertSame('', implode("\n", $failed));
        if ($part === false) {
            sort($names);
            self::assertNotSame([], $names);
            self::assertSame(Repository::level()['scenarios'], $names);
        }
    }

    /** @return iterable<\stdClass> */
    private function scenarios(): iterable
    {
        $files = glob(Repository::shared('scenarios/*.json')) ?: [];
        sort($files);
        foreach ($files as $file) {
            $text = (string) file_get_contents($file);
            yield from json_decode($text, false, 512, JSON_THROW_ON_ERROR)->scenarios;
        }
    }
}
