// How long the event loop is blocked when thousands of calls are cancelled at once,
// most of which wait for a thread.
//
//   node cancel.mjs BENCH_PEER      (see scripts/bench-node.sh)

import { Client } from 'libpayments';

import { longestHold, median, payment, Peer, printRows } from './ways.mjs';

const CALLS = 4_000;
const THREADS = 512;
const ROUNDS = 7;
const MOST_HELD = 50;

const peer = await Peer.start(process.argv[2]);
// Without a key: the threads are to wait for the service.
const client = new Client({ base_url: peer.url, integration_key: 'key' });
const slow = payment('slow');

const one = () => Array(CALLS).fill(new AbortController());
const each = () => Array.from({ length: CALLS }, () => new AbortController());

/** Lets the loop run for a while. */
function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** How long cancelling holds the loop. */
async function hold(controllers) {
  const calls = controllers.map(({ signal }) => client.createPayment(slow, { signal }));
  const ended = Promise.allSettled(calls);
  await sleep(500);
  const { longest, result } = await longestHold(async () => {
    // The last first: no call that waits to be cancelled begins.
    for (const controller of [...new Set(controllers)].reverse()) {
      controller.abort();
    }
    return ended;
  });
  const waited = result.filter(({ reason }) => reason?.outcome === 'not_executed').length;
  if (waited < CALLS - THREADS || result.some(({ reason }) => reason?.kind !== 'cancelled')) {
    throw new Error(`${waited} calls waited`);
  }
  return longest;
}

const rows = [];
for (const [name, controllers] of Object.entries({ 'one signal': one, 'a signal each': each })) {
  const holds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    holds.push(await hold(controllers()));
  }
  const held = median(holds);
  const row = [`cancelling ${CALLS} calls by ${name} holds the event loop of Node`];
  row.push(`${held.toFixed(1)} ms`);
  if (controllers === one) {
    // With one signal each, Node itself takes most of the time to abort them.
    row.push(`≤ ${MOST_HELD} ms on an idle machine`, held <= MOST_HELD);
  }
  rows.push(row);
}
printRows(rows);
peer.stop();
process.exit();
