<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

use Libpayments\Exception\PaymentsException;

/**
 * Everything that a log, a dump or an error page shows of an exception: its
 * text, its properties, and the arguments of the package's own functions.
 * The arguments of their callers are the program's.
 */
final class Shown
{
    public static function of(PaymentsException $error): string
    {
        $shown = [$error->getMessage(), get_class($error)];
        foreach ((array) $error as $name => $value) {
            if (!str_ends_with($name, "\0trace") && !str_ends_with($name, "\0previous")) {
                $shown[] = print_r($value, true);
                $shown[] = (string) json_encode($value);
            }
        }
        return implode("\n", $shown) . "\n" . self::arguments($error);
    }

    /** The arguments of the package's own functions, and of those of C, in a trace. */
    public static function arguments(\Throwable $error): string
    {
        $shown = [];
        foreach ($error->getTrace() as $frame) {
            $class = $frame['class'] ?? '';
            $isOwn = str_starts_with($class, 'Libpayments\\') && !str_starts_with($class, 'Libpayments\\Tests\\');
            if ($isOwn || $class === \FFI::class) {
                $shown[] = "$class::$frame[function] " . print_r($frame['args'] ?? [], true);
            }
        }
        return implode("\n", $shown);
    }
}
