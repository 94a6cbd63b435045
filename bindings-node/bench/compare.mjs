// What a call costs in Node: against the same call in Rust, and against fetch
// with signatures by node:crypto and by jose. All of it in one run, in turns
// and by first quartiles, so that a noisy machine disturbs all sides alike. The
// first calls of a turn warm up what the turn before it left cold.
//
//   node compare.mjs BENCH_PEER KEY_FILE      (see scripts/bench-node.sh)

import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Client } from 'libpayments';

import { milliseconds, payment, Peer, printRows, waysOf } from './ways.mjs';

const [peer, keyFile] = process.argv.slice(2);
const ROUNDS = 60;
const CALLS_IN_TURN = 20;
const WARM_UP = 5;
const MOST_OVER_RUST = 1.2;

const server = new Peer(peer, 'serve');
const url = `http://127.0.0.1:${await server.line()}`;
const rust = new Peer(peer, 'calls', url, keyFile);
const WAYS = waysOf(url, keyFile);

function firstQuartile(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 2];
}

/** How long each of the calls of a turn took. */
async function callsOf(call) {
  const took = [];
  for (let index = 0; index < CALLS_IN_TURN; index += 1) {
    const started = process.hrtime.bigint();
    await call();
    took.push(Number(process.hrtime.bigint() - started));
  }
  return took;
}

async function callsInRust() {
  return (await rust.line(CALLS_IN_TURN)).split(' ').map(Number);
}

/** Lets `turns` take turns, and gives the first quartile of each one's calls. */
async function compare(turns) {
  const took = Object.fromEntries(Object.keys(turns).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, turn] of Object.entries(turns)) {
      const calls = (await turn()).slice(WARM_UP);
      took[name].push(...(round < WARM_UP ? [] : calls));
    }
  }
  const quartiles = Object.entries(took).map(([name, values]) => [name, firstQuartile(values)]);
  console.log(quartiles.map(([name, value]) => `${name} ${milliseconds(value)}`).join(', '));
  return Object.fromEntries(quartiles);
}

/** How long the loop is held while `work` goes on. */
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
const turns = Object.fromEntries(Object.entries(WAYS).map(([name, call]) => [name, () => callsOf(call)]));
const bare = await compare({ rust: callsInRust, libpayments: turns.libpayments });
const ratio = (bare.libpayments / bare.rust).toFixed(3);
const isReached = ratio <= MOST_OVER_RUST;
rows.push(['keep-alive call in Node / the same call in Rust', ratio, `≤ ${MOST_OVER_RUST.toFixed(2)}`, isReached]);
const quartiles = await compare(turns);
for (const name of Object.keys(WAYS).slice(1)) {
  rows.push([`the same signed request by ${name} / by libpayments`, (quartiles[name] / quartiles.libpayments).toFixed(2)]);
}

const idle = await loopDelay(() => new Promise((resolve) => setTimeout(resolve, 2_000)));
rows.push(['event loop delay, p99, of an idle process', milliseconds(idle.p99)]);
for (const [name, call] of Object.entries(WAYS)) {
  const { p99 } = await loopDelay(() => inLines(16, 1_000, call));
  rows.push([`event loop delay, p99, with 16 calls in flight by ${name}`, milliseconds(p99)]);
}

const unsigned = new Client({ base_url: url });
const slow = payment('slow');
const many = await loopDelay(() => inLines(500, 2_500, () => unsigned.createPayment(slow)));
const held = `p99 ${milliseconds(many.p99)}, longest ${milliseconds(many.max)}`;
rows.push(['event loop delay with 500 calls in flight, each answered after 200 ms', held]);

printRows(rows);
server.stop();
rust.stop();
