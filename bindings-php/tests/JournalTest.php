<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\Client;
use Libpayments\Exception\ConfigException;
use Libpayments\Exception\JournalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\ValidationException;
use Libpayments\Tests\Support\Folder;
use Libpayments\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

/**
 * A journal by configuration alone, and what is open in it.
 */
final class JournalTest extends TestCase
{
    private Sandbox $sandbox;
    private Folder $folder;

    protected function setUp(): void
    {
        $this->sandbox = new Sandbox();
        $this->folder = new Folder();
    }

    public function testAReferenceIsPaidOnceAndAPersonSettlesALostOne(): void
    {
        $path = $this->folder->file('books/journal.db');
        Client::createJournal($path);
        $client = new Client(['journal' => "file:$path"] + $this->sandbox->config());
        $uid = $client->createPayout($this->payout('p-1'))->uid();
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1')));
        self::assertInstanceOf(JournalException::class, $refused);
        self::assertSame(['already_done', 'unknown'], [$refused->getErrorCode(), $refused->getOutcome()]);
        $entry = (array) $refused->getJournalEntry();
        self::assertSame([$uid, true], [$entry['uid'], $entry['has_same_body']]);

        $fault = ['operation' => 'create_payout', 'then' => [['fault' => 'close', 'execute' => true]]];
        $this->sandbox->call('POST', '/sandbox/faults', $fault);
        $this->failure(fn () => $client->createPayout($this->payout('p-2')));
        self::assertSame('person', $client->journal('recover')['open'][0]['needs']);
        $decision = ['entry' => 'p-2', 'executed' => true, 'note' => 'seen'];
        self::assertSame('done', $client->journal('resolve', $decision)['entries'][0]['state']);
        self::assertSame(['done', 'done'], array_column($client->journal('list')['entries'], 'state'));
        $again = $this->failure(fn () => $client->journal('resolve', $decision));
        self::assertInstanceOf(ValidationException::class, $again);
    }

    public function testAJournalIsMadeOnPurposeOnly(): void
    {
        $path = $this->folder->file('books/journal.db');
        $make = fn (): Client => new Client(['journal' => "file:$path"] + $this->sandbox->config());
        $missing = $this->failure($make);
        self::assertInstanceOf(ConfigException::class, $missing);
        self::assertSame(['missing', 'journal'], [$missing->getErrorCode(), $missing->getPath()]);
        Client::createJournal($path);
        $exists = $this->failure(fn () => Client::createJournal($path));
        self::assertSame('exists', $exists->getErrorCode());
        self::assertSame([], $make()->journal('list')['entries']);
    }

    private function failure(\Closure $call): PaymentsException
    {
        try {
            $call();
        } catch (PaymentsException $error) {
            return $error;
        }
        self::fail('it worked');
    }

    /** @return array<string, mixed> */
    private function payout(string $reference): array
    {
        return [
            'external_reference' => $reference, 'country' => 'br', 'amount' => '10.00', 'currency_code' => 'BRL',
            'target' => 'pix_key', 'target_account' => 'joao@example.com', 'payee' => ['name' => 'João Souza'],
        ];
    }
}
