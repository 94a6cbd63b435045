<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\ExecutedOutcome;
use Libpayments\Exception\MayHaveBeenExecuted;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\UnknownOutcome;
use Libpayments\Internal\Report;
use Libpayments\Internal\Tables;
use Libpayments\Journal\ClientJournal;
use Libpayments\Requests;
use Libpayments\Tests\Scenario\View;
use Libpayments\Tests\Support\Repository;
use PHPUnit\Framework\TestCase;

/**
 * The package offers everything that the manifest of the core lists.
 */
final class ManifestTest extends TestCase
{
    /** Functions that are a method with another name here, or an argument. */
    private const FUNCTIONS = ['shared' => '__construct'];

    public function testEveryOperationIsAMethodWhoseResponseHasEveryMember(): void
    {
        foreach (Repository::manifest()['operations'] as $operation) {
            $method = new \ReflectionMethod(Client::class, View::method($operation['name']));
            self::assertTrue($method->isPublic());
            $response = (string) $method->getReturnType();
            foreach ($operation['view'] as $member) {
                self::assertTrue(method_exists($response, View::method($member)), "$response: $member");
            }
        }
    }

    public function testEveryRequestHasItsType(): void
    {
        $types = (string) (new \ReflectionClass(Requests::class))->getDocComment();
        foreach (Repository::manifest()['operations'] as $operation) {
            if ($operation['request'] === null || $operation['name'] === 'send') {
                continue;
            }
            ['type' => $type] = $operation['request'];
            $method = new \ReflectionMethod(Client::class, View::method($operation['name']));
            self::assertStringContainsString("@param $type|string \$request", (string) $method->getDocComment());
            self::assertSame(1, preg_match("/@phpstan-type $type array\\{([^}]*)\\}/", $types, $shape));
            foreach ($operation['fields'] as $field) {
                self::assertMatchesRegularExpression("/\\* +{$field['name']}\\??: /", $shape[1]);
            }
        }
    }

    public function testEveryFunctionExists(): void
    {
        foreach (Repository::level()['functions'] as $function) {
            $name = self::FUNCTIONS[$function] ?? View::method($function);
            self::assertTrue(method_exists(Client::class, $name), $function);
        }
        $parameters = (new \ReflectionMethod(Client::class, '__construct'))->getParameters();
        $names = array_map(static fn (\ReflectionParameter $of): string => $of->getName(), $parameters);
        self::assertContains('shared', $names);
    }

    public function testTheReadmeListsEveryMethod(): void
    {
        $readme = (string) file_get_contents(Repository::root() . '/bindings-php/README.md');
        self::assertSame(1, preg_match('/<!-- methods:begin -->(.*)<!-- methods:end -->(.*)/s', $readme, $found));
        preg_match_all('/`(?:new |Client::|Libpayments\\\\)?(\w+)\(\)`.* \| /', $found[1], $names);
        $methods = [...self::methodsOf(Client::class), 'Client', 'decimal'];
        self::assertEqualsCanonicalizing($methods, $names[1]);
        foreach (self::methodsOf(ClientJournal::class) as $name) {
            self::assertStringContainsString("`$name()`", $found[2]);
        }
    }

    /**
     * @param class-string $class
     * @return list<string> its public methods that are for others
     */
    private static function methodsOf(string $class): array
    {
        $methods = (new \ReflectionClass($class))->getMethods(\ReflectionMethod::IS_PUBLIC);
        $isOurs = static fn (\ReflectionMethod $of): bool => !str_starts_with($of->getName(), '__')
            && !str_contains((string) $of->getDocComment(), '@internal');
        $name = static fn (\ReflectionMethod $of): string => $of->getName();
        return array_values(array_map($name, array_filter($methods, $isOurs)));
    }

    public function testEveryCaseOfTheLevelRuns(): void
    {
        $databases = [];
        $cases = static function (iterable ...$all) use (&$databases): array {
            $cases = [];
            foreach ($all as $of) {
                foreach ($of as $name => $_) {
                    [$database, $case] = explode(': ', $name, 2);
                    $databases[strtolower(explode(' ', $database)[0])] = true;
                    $cases[$case] = true;
                }
            }
            return $cases;
        };
        $run = [
            'journal_commands.json' => count($cases(JournalCommandTest::cases())),
            'journal_databases.json' => count($cases(JournalDatabasesTest::actions(), JournalDatabasesTest::tables())),
        ];
        $level = Repository::level();
        self::assertSame($level['cases'], $run);
        self::assertSame(array_map('strtolower', $level['databases']), array_keys($databases));
    }

    public function testEveryKindHasItsNumberAndClasses(): void
    {
        $numbers = array_column(Repository::manifest()['error_kinds'], 'number', 'name');
        self::assertSame($numbers, array_map(static fn (array $kind): int => $kind[0], Tables::KINDS));
        $outcomes = array_column(Repository::manifest()['error_kinds'], 'outcomes', 'name');
        foreach (Tables::KINDS as $kind => [$number, $class, $marked]) {
            $error = Report::exception(Report::local($kind, 'code', 'message'));
            self::assertSame($class, get_class($error));
            self::assertSame($number, $error->getCode());
            self::assertNotInstanceOf(MayHaveBeenExecuted::class, $error);
            self::assertSame(array_values(array_diff($outcomes[$kind], ['not_executed'])), array_keys($marked));
            foreach (['unknown' => UnknownOutcome::class, 'executed' => ExecutedOutcome::class] as $outcome => $mark) {
                $error = Report::exception(['outcome' => $outcome] + Report::local($kind, 'code', 'message'));
                self::assertInstanceOf(MayHaveBeenExecuted::class, $error);
                self::assertTrue($error->mayHaveBeenExecuted());
                self::assertSame($kind, $error->getKind());
                if (isset($marked[$outcome])) {
                    self::assertInstanceOf($class, $error);
                    self::assertInstanceOf($mark, $error);
                    self::assertSame($marked[$outcome], get_class($error));
                }
            }
        }
    }

    public function testEveryMemberOfAReportExists(): void
    {
        $members = Repository::manifest()['error_members'];
        self::assertSame($members, Tables::MEMBERS);
        $error = Report::exception(Report::local('config', 'code', 'message'));
        self::assertSame($members, array_keys($error->toArray()));
        foreach ($members as $member) {
            $method = 'get' . ucfirst(View::method($member === 'code' ? 'error_code' : $member));
            self::assertTrue(method_exists(PaymentsException::class, $method), $method);
        }
        foreach (Repository::manifest()['error_details'] as $detail) {
            $method = 'get' . str_replace('_', '', ucwords($detail, '_'));
            self::assertTrue(method_exists(PaymentsException::class, $method), $method);
        }
        $outcomes = [PaymentsException::NOT_EXECUTED, PaymentsException::UNKNOWN, PaymentsException::EXECUTED];
        self::assertSame($outcomes, Repository::manifest()['outcomes']);
    }

    public function testEveryMemberOfAConfigurationIsTaken(): void
    {
        foreach (Repository::manifest()['configuration'] as $field) {
            // A value that no member can have is refused by the member's name.
            $said = $this->refused(static fn (): Client => new Client([$field['name'] => ['x' => ['y' => 1]]]));
            self::assertStringStartsWith($field['name'], (string) $said->getPath());
            self::assertNotSame('member_unknown', $said->getErrorCode());
        }
        self::assertSame('member_unknown', $this->refused(fn (): Client => new Client(['x' => 1]))->getErrorCode());
    }

    public function testTheVariablesOfTheEnvironmentAreRead(): void
    {
        foreach (Repository::manifest()['configuration'] as $field) {
            if (!in_array($field['shape'], ['integer', 'switch', 'object'], true)) {
                continue;
            }
            $variable = $field['environment_variable'];
            putenv("$variable=nonsense");
            try {
                $said = $this->refused(static fn (): Client => Client::fromEnv());
            } finally {
                putenv($variable);
            }
            self::assertSame($field['name'], $said->getPath());
            self::assertStringContainsString($variable, $said->getMessage());
        }
    }

    private function refused(\Closure $make): PaymentsException
    {
        try {
            $make();
        } catch (ConfigException $error) {
            return $error;
        }
        self::fail('it was accepted');
    }
}
