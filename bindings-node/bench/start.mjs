// How long a program takes to start: medians of five, over bare Node.
//
//   node start.mjs KEY_FILE      (see scripts/bench-node.sh)

import { spawnSync } from 'node:child_process';

import { printRows } from './ways.mjs';

const [keyFile] = process.argv.slice(2);
const ROUNDS = 5;
const CLIENT = `
const { Client } = require('libpayments');
const key = require('node:fs').readFileSync(${JSON.stringify(keyFile)}, 'utf8');
const started = process.hrtime.bigint();
new Client({ base_url: 'http://127.0.0.1:1', key, kid: 'bench-key' });
console.log(Number(process.hrtime.bigint() - started) / 1e6);
`;

function median(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}

function run(program) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(stderr);
  }
  return { took: performance.now() - started, stdout };
}

/** The median over that of bare Node, which takes turns with it. */
function overBare(program) {
  const [ours, bare] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const turn = [run(program).took, run('0').took];
    // The first turn reads the files from the disk.
    if (round > 0) {
      ours.push(turn[0]);
      bare.push(turn[1]);
    }
  }
  return median(ours) - median(bare);
}

const loading = overBare("require('libpayments')");
const client = median(Array.from({ length: ROUNDS }, () => Number(run(CLIENT).stdout)));
printRows([
  ["require('libpayments'), over bare Node", `${loading.toFixed(1)} ms`, '≤ 10 ms', loading <= 10],
  ['a client from PEM in Node', `${client.toFixed(1)} ms`, '≤ 3 ms', client <= 3],
]);
