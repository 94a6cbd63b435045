<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\Exception\MayHaveBeenExecuted;
use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Tables;

/**
 * Compares exceptions with the expected reports, and the ways to read an exception with its report.
 */
final class Errors
{
    /** The data of payers and payees in the samples, which no error may show. */
    private const PAYER = ['Maria Souza', 'maria@example.com', 'Ana López', 'ana@example.com', 'João Souza',
        'joao@example.com', '853.513.468-93'];

    /** The parts of a message, in their order. */
    private const PARTS = ['operation', 'path', 'message', 'service_code', 'advice'];

    /** @return list<string> */
    public static function check(PaymentsException $error, \stdClass $expected, Placeholders $known): array
    {
        $expected = $known->fill($expected);
        $found = [];
        $texts = ['message_has' => $error->toArray()['message'], 'advice_has' => (string) $error->getAdvice()];
        foreach ($texts as $list => $text) {
            foreach ($expected->$list ?? [] as $part) {
                if (!str_contains($text, $part)) {
                    $found[] = "$list $part: $text";
                }
            }
            unset($expected->$list);
        }
        $secrets = array_map($known->get(...), ['integration_key', 'client_secret']);
        foreach ([...$secrets, ...self::PAYER] as $secret) {
            if (str_contains(Shown::of($error), $secret)) {
                $found[] = "the error shows $secret";
            }
        }
        $found = [...$found, ...Compare::differences('error', $expected, $error->toArray())];
        return [...$found, ...self::checkClass($error), ...self::checkMembers($error), ...self::checkMessage($error)];
    }

    /** @return list<string> */
    private static function checkClass(PaymentsException $error): array
    {
        [$number, $class, $marked] = Tables::KINDS[$error->getKind()];
        $mayHave = $error->getOutcome() !== PaymentsException::NOT_EXECUTED;
        $expected = [
            'class' => $mayHave ? $marked[$error->getOutcome()] : $class,
            'number' => $number,
            'may have been executed' => $mayHave,
            'is marked' => $mayHave,
            'previous' => null,
        ];
        return Compare::differences('exception', (object) $expected, [
            'class' => $error::class,
            'number' => $error->getCode(),
            'may have been executed' => $error->mayHaveBeenExecuted(),
            'is marked' => $error instanceof MayHaveBeenExecuted,
            'previous' => $error->getPrevious(),
        ]);
    }

    /** @return list<string> */
    private static function checkMembers(PaymentsException $error): array
    {
        $report = $error->toArray();
        $read = [];
        foreach (Tables::MEMBERS as $member) {
            $read[$member] = match ($member) {
                'message' => $report['message'],
                'code' => $error->getErrorCode(),
                default => $error->{'get' . ucfirst(View::method($member))}(),
            };
        }
        return $read === $report ? [] : ['read by its methods, the report is ' . json_encode($read)];
    }

    /** @return list<string> */
    private static function checkMessage(PaymentsException $error): array
    {
        $report = $error->toArray();
        $rest = $error->getMessage();
        foreach (self::PARTS as $part) {
            $at = strpos($rest, (string) $report[$part]);
            if ($at === false) {
                return ["no $part in its place: {$error->getMessage()}"];
            }
            $rest = substr($rest, $at + strlen((string) $report[$part]));
        }
        return str_ends_with($rest, " [$report[kind]/$report[code], $report[outcome]]")
            ? []
            : ["another end: {$error->getMessage()}"];
    }
}
