<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\ReadByMethods;
use Libpayments\Testing\Responses;
use Libpayments\PaymentEnded;
use PHPUnit\Framework\TestCase;

/**
 * Code that reads a method like a property.
 */
final class ReadByMethodsTest extends TestCase
{
    public function testReadingAMethodNamesIt(): void
    {
        $payment = Responses::payment('CO');
        $ended = new PaymentEnded('order-1', $payment, true);
        self::assertSame([true, true, 'order-1'], [$ended->isPaid(), $ended->isGivenUp(), $ended->reference]);
        try {
            Client::verify('no key', null, '');
            self::fail('nothing was thrown');
        } catch (PaymentsException $error) {
            $error->getOutcome();
        }
        $cases = [
            [$payment, 'isPaid', 'PaymentResponse has no property isPaid; call isPaid()'],
            [$payment, 'is_paid', 'PaymentResponse has no property is_paid; call isPaid()'],
            [$payment, 'httpStatus', ' has no property httpStatus; call httpStatus()'],
            [$payment, 'member', 'has neither a property nor a method member'],
            [$payment->nextAction(), 'kind', 'NextAction has no property kind; call kind()'],
            [$ended, 'isGivenUp', 'PaymentEnded has no property isGivenUp; call isGivenUp()'],
            [$ended, 'isPaid', 'PaymentEnded has no property isPaid; call isPaid()'],
            [$error, 'mayHaveBeenExecuted', ' has no property mayHaveBeenExecuted; call mayHaveBeenExecuted()'],
            [$error, 'outcome', ' has no property outcome; call getOutcome()'],
        ];
        foreach ($cases as [$object, $name, $says]) {
            try {
                self::fail($name . var_export($object->$name, true));
            } catch (\LogicException $thrown) {
                self::assertStringEndsWith($says, $thrown->getMessage());
            }
        }
        self::assertFalse(isset($payment->isPaid), 'as templates ask before they call the method');
    }

    public function testEveryClassWithValuesDoesSo(): void
    {
        $without = [];
        foreach (glob(dirname(__DIR__) . '/src/{,Journal/,Exception/}*.php', GLOB_BRACE) as $file) {
            $class = 'Libpayments\\' . strtr(substr(explode('/src/', $file)[1], 0, -4), '/', '\\');
            $reflection = class_exists($class) ? new \ReflectionClass($class) : null;
            if ($reflection !== null && !$reflection->hasMethod('__get') && self::values($reflection) !== []) {
                $without[] = $reflection->getShortName();
            }
        }
        sort($without);
        $others = ['CallbackSigner', 'Client', 'ClientJournal', 'JournalUnavailable', 'OpenTelemetry', 'PdoJournal',
            'StoreUnavailable'];
        self::assertSame($others, $without);
    }

    /** @return list<string> the methods that give a value, and take none */
    private static function values(\ReflectionClass $class): array
    {
        $names = [];
        foreach ($class->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
            $takes = $method->getNumberOfParameters();
            if ($takes === 0 && !$method->isStatic() && !str_starts_with($method->name, '__')) {
                $names[] = $method->name;
            }
        }
        return $names;
    }
}
