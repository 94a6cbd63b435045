// How long a program takes to start: medians, over bare Node.
//
//   node start.mjs BENCH_PEER      (see scripts/bench-node.sh)

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

import { median, payment, Peer, printRows } from './ways.mjs';

const ROUNDS = 5;
/** A start that takes only milliseconds more than bare Node needs more turns. */
const TURNS = 21;

const peer = await Peer.start(process.argv[2]);
const FIRST_RESPONSE = `
const { Client } = require('libpayments');
const config = ${JSON.stringify({ base_url: peer.url, integration_key: 'key', key: peer.private_key, kid: 'bench-key' })};
const started = process.hrtime.bigint();
const client = new Client(config);
const took = Number(process.hrtime.bigint() - started) / 1e6;
client.createPayment(${JSON.stringify(payment())}).then(() => console.log(took));
`;

/** How many milliseconds a process takes from its start to its end. */
function run(program) {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, ['--eval', program], { stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(`the status of node is ${status}`);
  }
  return performance.now() - started;
}

/** How long a process takes to its first response, and the making of the client in it. */
async function firstResponse() {
  const started = performance.now();
  const child = spawn(process.execPath, ['--eval', FIRST_RESPONSE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const whole = performance.now() - started;
  await once(child, 'close');
  return { whole, client: Number(line) };
}

/** The median of its time over bare Node's, turn by turn. */
function overBare(program) {
  const turns = Array.from({ length: TURNS + 1 }, () => run(program) - run('0'));
  // The first turn reads the files from the disk.
  return median(turns.slice(1));
}

const starts = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  starts.push(await firstResponse());
}
const [whole, client] = ['whole', 'client'].map((part) =>
  median(starts.slice(1).map((it) => it[part])),
);
const loading = overBare("require('libpayments')");
peer.stop();
const idle = 'on an idle machine';
printRows([
  ['from the start of Node to the first response', `${whole.toFixed(1)} ms`],
  [
    "require('libpayments'), over bare Node",
    `${loading.toFixed(1)} ms`,
    `≤ 10 ms ${idle}`,
    loading <= 10,
  ],
  ['a client from PEM in Node', `${client.toFixed(1)} ms`, `≤ 3 ms ${idle}`, client <= 3],
]);
