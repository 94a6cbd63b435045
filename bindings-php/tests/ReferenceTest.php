<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Loader;
use Libpayments\Testing\Sandbox;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use PHPUnit\Framework\TestCase;

/**
 * The programs of `examples/reference` print the responses that the reference shows. The README of
 * that folder has the rules.
 */
final class ReferenceTest extends TestCase
{
    public function testTheProgramsPrintTheirResponses(): void
    {
        $folder = new Folder();
        // As Composer makes it.
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        $home = dirname($folder->file('autoload.php', "<?php\n\nrequire $autoload;\n"));
        mkdir("$home/vendor");
        rename("$home/autoload.php", "$home/vendor/autoload.php");
        $options = ['--seed', '1', '--config-out', "$home/merchant", '--accept-path', '/ws/payout/commit'];
        $command = Repository::built('payments');
        $sandbox = new Sandbox($options, $command);
        $path = dirname($command) . ':' . getenv('PATH');
        $configuration = self::json("$home/merchant/payments.json") + ['payout_query' => true];
        file_put_contents("$home/merchant/payments.json", json_encode($configuration));
        $programs = Repository::root() . '/examples/reference';
        foreach ([...array_column(Repository::manifest()['operations'], 'name'), 'ensure_payment'] as $name) {
            if (is_file("$programs/$name.before.sh")) {
                // It makes the payment that the program needs.
                (new Php(['sh', '-eu', "$programs/$name.before.sh"], ['PATH' => $path], $home))->end();
            }
            $command = [PHP_BINARY, '-d', 'display_errors=stderr', "$programs/$name.php"];
            $library = [Loader::VARIABLE => Repository::built('libpayments.so')];
            [$status, $output, $errors] = (new Php($command, $library, $home))->result();
            self::assertSame([0, ''], [$status, $errors], "$name: $output");
            self::assertEquals(self::json("$programs/$name.json"), json_decode($output, true), $name);
        }
    }

    /** @return array<string, mixed> */
    private static function json(string $file): array
    {
        return json_decode((string) file_get_contents($file), true, 64, JSON_THROW_ON_ERROR);
    }
}
