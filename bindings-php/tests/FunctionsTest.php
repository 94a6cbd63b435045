<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Internal\Functions;
use Libpayments\Internal\Loader;
use Libpayments\Tests\Support\Php;
use Libpayments\Tests\Support\Repository;
use Libpayments\Tests\Support\Samples;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * Functions of PHP that `disable_functions` takes away.
 */
final class FunctionsTest extends TestCase
{
    /** Loading a class needs them. */
    private const BASIC = ['is_file', 'spl_autoload_register', 'str_starts_with', 'strlen', 'strtr', 'substr'];

    /** The package asks whether they are there, or needs them before anything is sent. */
    private const LEFT_OUT = ['Testing/', 'Internal/Loader.php', 'Internal/LibraryFile.php', 'functions.php',
        'Internal/Commands/'];
    private const OF_COMMANDS_AND_CALLS = 'Internal/Commands/FollowLoop.php';
    private const OPTIONAL = ['error_log', 'function_exists', 'pcntl_async_signals', 'pcntl_signal_dispatch'];

    public function testEveryFunctionThatIsCalledIsChecked(): void
    {
        $source = dirname(__DIR__) . '/src/';
        $files = new \RecursiveIteratorIterator(
            new \RecursiveDirectoryIterator($source, \FilesystemIterator::SKIP_DOTS),
        );
        $called = [];
        foreach ($files as $file) {
            $name = substr((string) $file, strlen($source));
            $isLeftOut = array_filter(self::LEFT_OUT, static fn (string $it): bool => str_starts_with($name, $it));
            $isCalled = $isLeftOut === [] || $name === self::OF_COMMANDS_AND_CALLS;
            if ($isCalled && $file->getExtension() === 'php') {
                $called += self::called((string) file_get_contents((string) $file));
            }
        }
        $called = array_diff(array_keys($called), self::OPTIONAL);
        sort($called);
        self::assertSame($called, Functions::NEEDED);
    }

    public function testACallDoesNotBeginWithoutThem(): void
    {
        $disabled = array_diff(Functions::NEEDED, self::BASIC);
        self::assertGreaterThan(50, count($disabled));
        $all = $this->pay($disabled);
        foreach ($disabled as $function) {
            self::assertMatchesRegularExpression("/^ffi_disabled .*[:,] {$function}[,;] /", $all);
        }
        foreach (['hash_hmac', 'pcntl_signal_dispatch'] as $function) {
            $said = $this->pay([$function]);
            self::assertStringContainsString(": $function; remove them from disable_functions", $said);
        }
        self::assertSame('PE', $this->pay(['error_log', 'pcntl_async_signals', 'php_ini_loaded_file', 'glob']));
    }

    /** @param list<string> $disabled */
    private function pay(array $disabled): string
    {
        $sandbox = new Sandbox();
        $given = [$sandbox->config(), Samples::payment(['merchant_payment_code' => "pay-$disabled[0]"])];
        [$config, $payment] = array_map(static fn (array $of): string => var_export($of, true), $given);
        $code = 'require ' . var_export(dirname(__DIR__) . '/autoload.php', true) . ';'
            . "try { \$client = new Libpayments\\Client($config, observer: static fn () => null);"
            . "    echo \$client->createPayment($payment)->status();"
            . '} catch (Libpayments\Exception\PaymentsException $error) {'
            . '    echo $error->getErrorCode(), " ", $error->getMessage();'
            . '}';
        $options = ['-d', 'disable_functions=' . implode(',', $disabled)];
        $said = Php::run($code, $options, [Loader::VARIABLE => Repository::built('libpayments.so')]);
        self::assertCount($said === 'PE' ? 1 : 0, $sandbox->requests('create_payment'));
        return $said;
    }

    /** @return array<string, true> the functions of PHP that the code calls or passes on, by name */
    private static function called(string $code): array
    {
        $isCode = static fn (\PhpToken $token): bool => !$token->isIgnorable();
        $tokens = array_values(array_filter(\PhpToken::tokenize($code), $isCode));
        $notBefore = [T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW];
        $called = [];
        foreach ($tokens as $at => $token) {
            $isName = $token->is([T_STRING, T_NAME_FULLY_QUALIFIED]) && ($tokens[$at + 1]->text ?? '') === '(';
            $name = strtolower(ltrim($token->text, '\\'));
            if ($isName && !$tokens[$at - 1]->is($notBefore) && function_exists($name)) {
                $called[$name] = true;
            }
        }
        return $called;
    }
}
