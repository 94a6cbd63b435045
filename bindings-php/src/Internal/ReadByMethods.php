<?php

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Names the method if code reads it like a property, for which PHP has only null and a warning:
 * `if ($payment->isPaid)` would never be true.
 *
 * @internal
 */
trait ReadByMethods
{
    /** @throws \LogicException always */
    public function __get(string $name): never
    {
        $camel = str_replace('_', '', ucwords($name, '_'));
        foreach ([lcfirst($camel), "get$camel"] as $method) {
            if (method_exists($this, $method) && (new \ReflectionMethod($this, $method))->isPublic()) {
                throw new \LogicException(static::class . " has no property $name; call $method()");
            }
        }
        throw new \LogicException(static::class . " has neither a property nor a method $name");
    }
}
