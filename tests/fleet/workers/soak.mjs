// The Node process of the soak test; src/soak/mod.rs describes the protocol.

import { createInterface } from 'node:readline';

import { Client, PaymentsError } from 'libpayments';

const reportOf = (error) => {
  if (!(error instanceof PaymentsError)) {
    throw error;
  }
  return error.response === undefined ? error.outcome : 'responded';
};

async function perform(client, { operation, request, cancel_ms: cancelMs }) {
  const controller = new AbortController();
  const timer = cancelMs === null ? undefined : setTimeout(() => controller.abort(), cancelMs);
  try {
    await client.call(operation, request, { signal: controller.signal });
    return 'success';
  } catch (error) {
    return reportOf(error);
  } finally {
    clearTimeout(timer);
  }
}

const response = async (client, call) =>
  console.log(JSON.stringify({ id: call.id, report: await perform(client, call) }));

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const client = new Client(JSON.parse((await lines.next()).value));
console.log('ready');
const calls = new Set();
for await (const line of lines) {
  if (line === 'collect') {
    globalThis.gc();
    console.log('collected');
    continue;
  }
  if (line === 'recover') {
    // Another process may be recovering it.
    await client.journal.recover().catch((error) => {
      if (error.code !== 'already_running') {
        throw error;
      }
    });
    console.log('recovered');
    continue;
  }
  const call = response(client, JSON.parse(line)).finally(() => calls.delete(call));
  calls.add(call);
}
await Promise.all(calls);
