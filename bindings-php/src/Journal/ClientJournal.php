<?php

declare(strict_types=1);

namespace Libpayments\Journal;

use Libpayments\Exception\PaymentsException;
use Libpayments\Internal\Tables;
use Libpayments\PaymentResponse;

/**
 * The journal of a client: the entries of its scope, and how to resolve open
 * ones. An entry is open while the outcome of the operation is not known, or
 * while it has a rival.
 */
class ClientJournal
{
    /**
     * @internal
     * @param \Closure(string, array<string, mixed>): array<string, mixed> $act performs an action
     */
    public function __construct(private \Closure $act)
    {
    }

    /**
     * Reads entries, the oldest first, page by page as you iterate.
     *
     * @param ?string $after an id: entries with larger ids only
     * @return \Generator<int, Entry>
     * @throws PaymentsException
     */
    public function list(bool $onlyOpen = false, ?string $after = null): \Generator
    {
        do {
            $entries = $this->entries('journal_list', ['only_open' => $onlyOpen, 'after' => $after]);
            foreach ($entries as $entry) {
                $after = $entry->id;
                yield $entry;
            }
        } while ($entries !== []);
    }

    /**
     * Reads all entries of a reference, or the one with that id.
     *
     * @return list<Entry>
     * @throws PaymentsException
     */
    public function show(string $reference): array
    {
        return $this->entries('journal_show', ['reference' => $reference]);
    }

    /**
     * Queries the outcomes of open entries. It may run in parallel to calls.
     * Each query has the deadline of the configuration.
     *
     * @throws PaymentsException
     */
    public function recover(): Recovery
    {
        return new Recovery(($this->act)('journal_recover', []));
    }

    /**
     * Records a person's decision. Returns the entry as it is stored: if another
     * entry has taken the reference of one that was executed, it is `failed` with
     * a `$rival`.
     *
     * @param string $entry its id, or its reference if no other entry of it is open
     * @param string $note how the person found out
     * @throws PaymentsException
     */
    public function resolve(string $entry, bool $executed, string $note): Entry
    {
        return $this->entries('journal_resolve', ['entry' => $entry, 'executed' => $executed, 'note' => $note])[0];
    }

    /**
     * Deletes entries that were created before a moment and are not open. Their
     * references can be used again. Nothing else ever deletes an entry.
     *
     * @param \DateTimeInterface|string $before a text is a date, or an ISO 8601 time with its offset
     * @param bool $recent whether entries of the last 30 days may go
     * @param bool $dryRun whether to only count them
     * @throws PaymentsException
     */
    public function prune(\DateTimeInterface|string $before, bool $recent = false, bool $dryRun = false): Pruned
    {
        if (!is_string($before)) {
            $before = $before->format(\DateTimeInterface::RFC3339_EXTENDED);
        }
        $input = ['before' => $before, 'recent' => $recent, 'dry_run' => $dryRun];
        return new Pruned(($this->act)('journal_prune', $input));
    }

    /**
     * Compares a payment that was found by its reference with an order, and with this journal, if there is one:
     * how it differs, if it is paid and does.
     *
     * @internal
     * @throws PaymentsException
     */
    public function difference(string $reference, PaymentResponse $payment, string $amount, string $currency): ?string
    {
        $input = ['reference' => $reference, 'payment' => $payment->raw(), 'amount' => $amount,
            'currency' => $currency];
        return ($this->act)('journal_compare', $input)['difference'];
    }

    /**
     * Does what `payments journal` does with these arguments.
     *
     * @internal
     * @param list<string> $arguments
     * @return array{stdout: string, stderr: string, exit_code: int}
     * @throws PaymentsException
     */
    public function command(string $program, array $arguments, bool $isTerminal): array
    {
        $input = ['program' => $program, 'arguments' => $arguments, 'is_terminal' => $isTerminal]
            + ['explain' => Tables::EXPLAIN];
        return ($this->act)('journal_command', $input);
    }

    /**
     * @param array<string, mixed> $input
     * @return list<Entry>
     */
    private function entries(string $action, array $input): array
    {
        ['entries' => $entries] = ($this->act)($action, $input);
        return array_map(static fn (array $entry): Entry => new Entry($entry), $entries);
    }
}
