<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Commands\Explanations;
use Libpayments\Tests\Support\Php;
use PHPUnit\Framework\TestCase;

/** The command `payments explain`. */
final class ExplanationsTest extends TestCase
{
    /** @return array{int, string, string} */
    private static function explain(string ...$words): array
    {
        $program = dirname(__DIR__) . '/bin/payments';
        $without = ['PATH' => (string) getenv('PATH'), 'LIBPAYMENTS_LIBRARY' => '/nowhere/libpayments.so'];
        return (new Php([PHP_BINARY, $program, 'explain', ...$words], $without, '/'))->result();
    }

    public function testACodeIsExplainedWithoutTheLibrary(): void
    {
        [$status, $output, $errors] = self::explain('rejected/Duplicate_Reference');
        $found = json_decode($output, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame([0, 'duplicate_reference', ''], [$status, $found['code'], $errors]);
        self::assertStringContainsString('unknown', $found['outcome']);
        self::assertStringContainsString('Query the payment', $found['remedy']);
        self::assertNotEmpty($found['messages']);
    }

    public function testAnUnknownCodeIsAnsweredWithTheNearest(): void
    {
        [$status, $output, $errors] = self::explain('duplicate_referense');
        $report = json_decode($errors, true, 8, JSON_THROW_ON_ERROR);
        self::assertSame([2, '', 'usage', 'not_executed'], [$status, $output, $report['kind'], $report['outcome']]);
        self::assertStringContainsString('did you mean duplicate_reference', $report['message']);
        self::assertSame("vendor/bin/payments explain $report[code]", $report['help']);
        self::assertSame(0, self::explain($report['code'])[0]);
        self::assertSame(2, self::explain('refused', 'failed')[0]);
    }

    public function testEveryTextFitsTheScreen(): void
    {
        $explanations = new Explanations();
        $all = json_decode($explanations->explain([], false)['stdout'], true, 8, JSON_THROW_ON_ERROR)['codes'];
        self::assertGreaterThan(90, count($all));
        $texts = $explanations->explain([], true)['stdout'];
        foreach ($all as ['code' => $code]) {
            self::assertStringContainsString("  $code ", $texts);
        }
        foreach ([...array_column($all, 'code'), 'BP-REF-7'] as $code) {
            ['stdout' => $text, 'exit_code' => $status] = $explanations->explain([$code], true);
            self::assertSame([0, 0], [$status, strpos($text, "$code (")]);
            $texts .= $text;
        }
        self::assertDoesNotMatchRegularExpression('/^.{81}/mu', $texts);
    }
}
