// The Node process that pays with a journal in a database; src/bytes/mod.rs has the protocol.

import { createInterface } from 'node:readline';

import { Client, PaymentsError, PostgresJournal } from 'libpayments';
import pg from 'pg';

// Garbage inside a message makes the parser of `pg` throw where no caller can catch it.
process.on('uncaughtException', (error) => {
  if (!error.stack?.includes('pg-protocol')) {
    throw error;
  }
});

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const configuration = JSON.parse((await lines.next()).value);

function clientAt(port, timeout_ms) {
  const connectionString = `postgresql://payments@127.0.0.1:${port}/postgres`;
  const pool = new pg.Pool({ connectionString });
  pool.on('error', () => {});
  const journal = new PostgresJournal(pool);
  const client = new Client({ ...configuration, timeout_ms }, { journal });
  const close = () => {
    client.close();
    // A connection whose server is silent does not end soon.
    void pool.end();
  };
  return { client, close };
}

async function pay(client, request) {
  try {
    await client.call('create_payment', request);
    return { outcome: 'success', kind: null };
  } catch (error) {
    if (!(error instanceof PaymentsError)) {
      throw error;
    }
    return { outcome: error.outcome, kind: error.kind };
  }
}

const direct = clientAt((await lines.next()).value, 60_000);
for await (const line of lines) {
  const { port, timeout_ms, request } = JSON.parse(line);
  const { client, close } = port === undefined ? direct : clientAt(port, timeout_ms);
  console.log(JSON.stringify(await pay(client, request)));
  if (port !== undefined) {
    close();
  }
}
direct.close();
