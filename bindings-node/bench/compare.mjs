// The cost of a call in Node: against the same call in Rust, and against fetch
// with signatures by node:crypto and by jose. All of it in one run, in turns
// and by first quartiles, so that a noisy machine disturbs all sides equally.
// The first calls of a turn warm up what the turn before it left cold.
//
//   node compare.mjs BENCH_PEER      (see scripts/bench-node.sh)

import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Client } from 'libpayments';

import { CALLS_IN_TURN, compare, turnOf } from './turns.mjs';
import { longestHold, median, milliseconds, payment, Peer, printRows, waysOf } from './ways.mjs';

const MOST_OVER_RUST = 1.2;
const LARGE_RESPONSES = 15;
const MOST_HELD = 10;

const peer = await Peer.start(process.argv[2]);
const WAYS = waysOf(peer.url, peer);

/** How long the loop is blocked during `work`. */
async function loopDelay(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return { p99: delay.percentile(99), max: delay.max };
}

/** Calls one after the other, in so many lines at once. */
async function inLines(lines, calls, call) {
  let left = calls;
  const line = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: lines }, line));
}

const rows = [];
const turns = Object.fromEntries(Object.entries(WAYS).map(([name, call]) => [name, turnOf(call)]));
const bare = await compare({
  rust: () => peer.times(CALLS_IN_TURN),
  libpayments: turns.libpayments,
});
const ratio = (bare.libpayments / bare.rust).toFixed(3);
const isReached = ratio <= MOST_OVER_RUST;
rows.push([
  'keep-alive call in Node / the same call in Rust',
  ratio,
  `≤ ${MOST_OVER_RUST.toFixed(2)}`,
  isReached,
]);
const quartiles = await compare(turns);
for (const name of Object.keys(WAYS).slice(1)) {
  rows.push([
    `the same signed request by ${name} / by libpayments`,
    (quartiles[name] / quartiles.libpayments).toFixed(2),
  ]);
}

const idle = await loopDelay(() => new Promise((resolve) => setTimeout(resolve, 2_000)));
rows.push(['event loop delay, p99, of an idle process', milliseconds(idle.p99)]);
for (const [name, call] of Object.entries(WAYS)) {
  const { p99 } = await loopDelay(() => inLines(16, 1_000, call));
  rows.push([`event loop delay, p99, with 16 calls in flight by ${name}`, milliseconds(p99)]);
}

const unsigned = new Client({ base_url: peer.url, integration_key: 'key' });
const slow = payment('slow');
const many = await loopDelay(() => inLines(500, 1_000, () => unsigned.createPayment(slow)));
const delay = `p99 ${milliseconds(many.p99)}, longest ${milliseconds(many.max)}`;
rows.push(['event loop delay with 500 calls in flight, each with a response after 2 s', delay]);

const large = { order_number: 'large', email: 'maria@example.com', tracking_code: ['BR12345'] };
const holds = [];
for (let round = 0; round < LARGE_RESPONSES; round += 1) {
  const { longest, result } = await longestHold(() => unsigned.registerTracking(large));
  if (result.raw.length < 1_900_000) {
    throw new Error('a large response was expected');
  }
  holds.push(longest);
}
const held = median(holds);
rows.push([
  'a response of 2 MB with 99,900 values holds the event loop of Node',
  `${held.toFixed(1)} ms`,
  `≤ ${MOST_HELD} ms on an idle machine`,
  held <= MOST_HELD,
]);

printRows(rows);
peer.stop();
