// A server of several processes by `cluster`, led by cluster.test.mjs: it gets
// its commands as messages, and reports in the same way.

import cluster from 'node:cluster';
import { createServer } from 'node:http';

import { Client } from 'libpayments';

import { payment } from './sandbox.mjs';

const config = JSON.parse(process.env.PAYMENTS_TEST_CONFIG);
let payments = 0;

/** A payment whose reference names the process that made it. */
async function pay(client) {
  payments += 1;
  const { merchantPaymentCode } = await client.createPayment(
    payment(`p${process.pid}-${payments}`),
  );
  return merchantPaymentCode;
}

/** Starts a worker, and gives its process once it takes part in serving. */
function fork() {
  const worker = cluster.fork();
  return new Promise((resolve) => {
    worker.once('listening', ({ port }) => resolve({ pid: worker.process.pid, port }));
  });
}

async function lead() {
  const client = new Client(config);
  const orders = {
    pay: async () => ({ paid: await pay(client) }),
    // The workers share the port that the first of them was given.
    fork: async () => ({ forked: await fork() }),
    kill: ({ pid }) => {
      const worker = Object.values(cluster.workers).find((each) => each.process.pid === pid);
      const ended = new Promise((resolve) => {
        worker.once('exit', (_, signal) => resolve({ killed: signal }));
      });
      worker.process.kill('SIGKILL');
      return ended;
    },
    stop: () => {
      cluster.disconnect();
      process.off('disconnect', abandoned);
      process.disconnect();
    },
  };
  // The test has ended silently: so do the workers, with their primary.
  const abandoned = () => process.exit(1);
  process.once('disconnect', abandoned);
  process.on('message', async (order) => {
    const done = await orders[order.do](order);
    if (done !== undefined) {
      process.send(done);
    }
  });
  process.send({ ready: await pay(client) });
}

function serve() {
  const client = new Client(config);
  createServer(async (_request, response) => {
    const paid = await pay(client);
    response.end(JSON.stringify({ pid: process.pid, paid }));
  }).listen(0, '127.0.0.1');
}

if (cluster.isPrimary) {
  await lead();
} else {
  serve();
}
