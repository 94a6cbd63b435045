// Waits of calls and of the event loop when more calls are in flight than there
// are cores: by libpayments, and by fetch with signatures by jose. The ways
// take turns against one server.
//
//   node saturation.mjs BENCH_PEER      (see scripts/bench-node.sh)

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { availableParallelism, loadavg } from 'node:os';

import { Peer, printRows, waysOf } from './ways.mjs';

const OURS = 'libpayments';
const THEIRS = 'fetch, jose';
const IN_FLIGHT = [50, 400];
const ROUNDS = 3;
const SECONDS = 5;
/** Calls are on their way, and connections are made. */
const WARM_UP_SECONDS = 2;

function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Keeps this many calls in flight, and reports those that end after the warm-up. */
async function saturate(call, inFlight) {
  const begin = performance.now() + WARM_UP_SECONDS * 1e3;
  const end = begin + SECONDS * 1e3;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const starting = setTimeout(() => delay.enable(), WARM_UP_SECONDS * 1e3);
  const took = [];
  const line = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      await call();
      const ended = performance.now();
      if (started >= begin && ended <= end) {
        took.push(ended - started);
      }
    }
  };
  const lines = Promise.all(Array.from({ length: inFlight }, line));
  await new Promise((resolve) => setTimeout(resolve, (WARM_UP_SECONDS + SECONDS) * 1e3));
  delay.disable();
  clearTimeout(starting);
  await lines;
  return { took, delay };
}

/** The results of all rounds of one way. */
class Results {
  took = [];
  /** By rounds: what else runs on the machine may differ from one to the next. */
  tails = [];
  delays = { p99: [], p999: [], max: [] };

  add({ took, delay }) {
    this.took.push(...took);
    const sorted = took.toSorted((one, other) => one - other);
    this.tails.push(quantile(sorted, 0.99) / quantile(sorted, 0.5));
    this.delays.p99.push(delay.percentile(99) / 1e6);
    this.delays.p999.push(delay.percentile(99.9) / 1e6);
    this.delays.max.push(delay.max / 1e6);
  }

  summary() {
    const sorted = this.took.toSorted((one, other) => one - other);
    const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];
    return {
      throughput: sorted.length / (ROUNDS * SECONDS),
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      tail: median(this.tails),
      loopP99: median(this.delays.p99),
      loopP999: median(this.delays.p999),
      loopMax: Math.max(...this.delays.max),
    };
  }
}

const peer = await Peer.start(process.argv[2]);
const all = waysOf(peer.url, peer);
const ways = { [OURS]: all[OURS], [THEIRS]: all[THEIRS] };
const rows = [];
console.log(
  `${availableParallelism()} cores, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')} at the start`,
);
for (const inFlight of IN_FLIGHT) {
  const measured = Object.fromEntries(Object.keys(ways).map((name) => [name, new Results()]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries(ways)) {
      measured[name].add(await saturate(call, inFlight));
    }
  }
  const [ours, theirs] = [OURS, THEIRS].map((name) => measured[name].summary());
  for (const [name, it] of [
    [OURS, ours],
    [THEIRS, theirs],
  ]) {
    const loop = `${it.loopP99.toFixed(1)}, ${it.loopP999.toFixed(1)}, ${it.loopMax.toFixed(1)} ms`;
    const calls = `${it.throughput.toFixed(0)}/s, p50 ${it.p50.toFixed(0)} ms, p99 ${it.p99.toFixed(0)} ms`;
    rows.push([
      `Node, ${inFlight} calls in flight by ${name}`,
      `${calls}; event loop delay p99, p99.9, max ${loop}`,
    ]);
  }
  const { tail } = ours;
  const loop = ours.loopP99 / theirs.loopP99;
  const faster = ours.throughput / theirs.throughput;
  rows.push(
    [
      `Node, ${inFlight} in flight: throughput / by ${THEIRS}`,
      faster.toFixed(2),
      '≥ 1',
      faster >= 1,
    ],
    [`Node, ${inFlight} in flight: p99 of a call / p50`, tail.toFixed(2), '≤ 1.5', tail <= 1.5],
    [
      `Node, ${inFlight} in flight: event loop delay, p99 / by ${THEIRS}`,
      loop.toFixed(2),
      '≤ 1.2',
      loop <= 1.2,
    ],
    [
      `Node, ${inFlight} in flight: event loop delay, p99.9`,
      `${ours.loopP999.toFixed(1)} ms`,
      '≤ 50 ms',
      ours.loopP999 <= 50,
    ],
  );
}
console.log(
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')} at the end`,
);
printRows(rows);
peer.stop();
process.exit();
