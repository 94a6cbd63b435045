<?php

declare(strict_types=1);

namespace Libpayments\Tests;

use Libpayments\PdoJournal;
use Libpayments\Tests\Support\UsesDatabases;
use PHPUnit\Framework\TestCase;

/**
 * A journal in PostgreSQL with a synchronous standby, which is away.
 */
final class PdoJournalStandbyTest extends TestCase
{
    use UsesDatabases;

    protected function tearDown(): void
    {
        $this->standbys('');
    }

    public function testAChangeThatAStandbyMayLackSendsNothing(): void
    {
        $this->made('pgsql');
        $this->standbys('away');
        $client = $this->client($this->journal('pgsql'));
        $refused = $this->failure(fn () => $client->createPayout($this->payout('p-1'), timeoutMs: 1000));
        self::assertSame(['unavailable', 'not_executed'], [$refused->getErrorCode(), $refused->getOutcome()]);
        self::assertStringContainsString('its standby may lack the change; nothing was sent', $refused->getMessage());
        self::assertStringContainsString('block the reference until', $refused->getMessage());
        self::assertSame(['failed'], $this->column('pgsql', 'SELECT state FROM payments_journal'));
        self::assertSame([], self::$sandbox->requests('create_payout'));
        self::assertCount(1, $client->journal()->show('p-1'), 'it is read');
    }

    public function testAUserWhoMaySeeNoStandbySendsNothing(): void
    {
        $this->made('pgsql');
        $admin = $this->connect('pgsql');
        $admin->exec('DROP ROLE IF EXISTS shop; CREATE ROLE shop LOGIN;
            GRANT USAGE ON SCHEMA public TO shop; GRANT ALL ON payments_journal TO shop');
        $dsn = str_replace('user=payments', 'user=shop', $this->dsn('pgsql'));
        $journal = new PdoJournal(static fn (): \PDO => new \PDO($dsn));
        $this->client($journal)->createPayout($this->payout('p-1'));
        $this->standbys('away');
        $refused = $this->failure(fn () => $this->client($journal)->createPayout($this->payout('p-2')));
        self::assertStringContainsString('GRANT pg_read_all_stats to that user', $refused->getMessage());
        self::assertSame(['done'], $this->column('pgsql', 'SELECT state FROM payments_journal'));
        self::assertCount(1, self::$sandbox->requests('create_payout'));
        $admin->exec('DROP OWNED BY shop; DROP ROLE shop');
    }

    private function standbys(string $names): void
    {
        $admin = $this->connect('pgsql');
        $admin->exec("ALTER SYSTEM SET synchronous_standby_names = '$names'");
        $admin->exec('SELECT pg_reload_conf()');
        while ($admin->query('SHOW synchronous_standby_names')->fetchColumn() !== $names) {
            usleep(10_000);
        }
    }
}
