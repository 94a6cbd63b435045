<?php

declare(strict_types=1);

namespace Libpayments\Tests\Scenario;

/**
 * Names in braces that stand for values known only when a scenario runs.
 */
final class Placeholders
{
    /** @var array<string, string> */
    private array $values = [];

    public function set(string $name, string $value): void
    {
        $this->values[$name] = $value;
    }

    public function get(string $name): string
    {
        return $this->values[$name] ?? throw new \LogicException("nothing is known of {{$name}}");
    }

    /** The value with every `{name}` in its texts replaced. */
    public function fill(mixed $value): mixed
    {
        if (is_string($value)) {
            return preg_replace_callback('/\{([a-z_]+)\}/', fn (array $found): string => $this->get($found[1]), $value);
        }
        if (is_array($value)) {
            return array_map($this->fill(...), $value);
        }
        if ($value instanceof \stdClass) {
            return (object) array_map($this->fill(...), get_object_vars($value));
        }
        return $value;
    }
}
