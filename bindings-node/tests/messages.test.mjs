// The messages of `tests/messages/node.txt`, which only this package shows.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from 'libpayments';

import { SHARED_FOLDER, Sandbox, readShared } from './support/sandbox.mjs';

const [head, ...cases] = readShared('messages', 'node.txt').split(/^(?=== )/m);
const said = [];
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(async () => {
  await sandbox.stop();
  if (process.env.UPDATE && said.length === cases.length) {
    writeFileSync(join(SHARED_FOLDER, 'messages', 'node.txt'), head + said.join(''));
  }
});

/** Runs a statement, and returns the lines of what it throws. */
async function saidBy(code, client) {
  const AsyncFunction = (async () => {}).constructor;
  try {
    await new AsyncFunction('client', 'Client', code)(client, Client);
    return [];
  } catch (error) {
    const { port } = new URL(sandbox.config().base_url);
    const told = `${error}`.replaceAll(`:${port}`, ':{service}');
    return told.split('\n').map((line) => `! ${line}`);
  }
}

async function transcriptOf(wanted) {
  await sandbox.reset();
  const client = new Client(sandbox.config());
  const lines = [];
  for (const line of wanted.trimEnd().split('\n')) {
    if (line.startsWith('! ')) {
      continue;
    }
    lines.push(line);
    if (line.startsWith('service fails ')) {
      const fault = JSON.parse(line.slice('service fails '.length));
      await sandbox.faults({ path: '/ws/*', then: [fault] });
    } else if (line.startsWith('$ ')) {
      lines.push(...(await saidBy(line.slice(2), client)));
    }
  }
  client.close();
  const end = wanted.slice(wanted.trimEnd().length);
  return lines.join('\n') + end;
}

for (const wanted of cases) {
  test(wanted.split('\n', 1)[0], async () => {
    const transcript = await transcriptOf(wanted);
    said.push(transcript);
    if (!process.env.UPDATE) {
      assert.equal(transcript, wanted);
    }
  });
}
