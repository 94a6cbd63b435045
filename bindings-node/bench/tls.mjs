// The cost of a call over TLS compared with fetch and signatures by jose, over
// open connections to one server.
//
//   node tls.mjs BENCH_PEER      (see scripts/bench-node.sh)

import { spawnSync } from 'node:child_process';

import { compare, turnOf } from './turns.mjs';
import { Peer, printRows, waysOf } from './ways.mjs';

const OURS = 'libpayments';
const THEIRS = 'fetch, jose';
const [program, given] = process.argv.slice(2);

if (given === undefined) {
  // Node reads the authority for fetch when it starts.
  const peer = await Peer.start(program);
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: peer.ca_file };
  const parameters = [import.meta.filename, program, JSON.stringify(peer)];
  const { status } = spawnSync(process.execPath, parameters, { env, stdio: 'inherit' });
  peer.stop();
  process.exitCode = status ?? 1;
} else {
  const peer = JSON.parse(given);
  const ways = waysOf(peer.tls_url, peer);
  const took = await compare({ [OURS]: turnOf(ways[OURS]), [THEIRS]: turnOf(ways[THEIRS]) });
  const ratio = took[OURS] / took[THEIRS];
  printRows([
    [`keep-alive call over TLS in Node / by ${THEIRS}`, ratio.toFixed(2), '≤ 1.00', ratio <= 1],
  ]);
}
