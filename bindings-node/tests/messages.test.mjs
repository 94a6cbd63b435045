// The messages of `tests/messages/node.txt`, which only this package shows.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import libpayments from 'libpayments';

import { SHARED_FOLDER, Sandbox, payment, readShared } from './support/sandbox.mjs';

const { Client } = libpayments;
const [head, ...cases] = readShared('messages', 'node.txt').split(/^(?=== )/m);
const transcripts = [];
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(async () => {
  await sandbox.stop();
  if (process.env.UPDATE && transcripts.length === cases.length) {
    writeFileSync(join(SHARED_FOLDER, 'messages', 'node.txt'), head + transcripts.join(''));
  }
});

/** Runs a statement, and returns its exception. */
async function exceptionOf(code, names) {
  const AsyncFunction = (async () => {}).constructor;
  try {
    await new AsyncFunction(...Object.keys(names), code)(...Object.values(names));
    return '';
  } catch (error) {
    return `${error}\n`;
  }
}

/** Runs a script, and returns its output. */
function outputOf(script) {
  const commands = join(import.meta.dirname, '..', 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${commands}:${process.env.PATH}` };
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', env });
  return stdout + stderr;
}

async function transcriptOf(wanted) {
  await sandbox.reset();
  const configuration = sandbox.config();
  const client = new Client(configuration);
  const names = { client, configuration, payment: payment(), ...libpayments };
  let text = '';
  // The lines of a statement continue with two spaces; known messages are left
  // out.
  for (const [line] of wanted.matchAll(/^(?!! ).*\n(?: {2}.*\n)*/gm)) {
    text += line;
    const code = line.slice(2, -1).replaceAll('\n  ', '\n');
    let printed = '';
    if (line.startsWith('service fails ')) {
      const fault = JSON.parse(line.slice('service fails '.length));
      await sandbox.faults({ path: '/ws/*', then: [fault] });
    } else if (line.startsWith('$ ')) {
      printed = await exceptionOf(code, names);
    } else if (line.startsWith('% ')) {
      printed = outputOf(code);
    }
    text += printed.replaceAll(/^(?=.)/gm, '! ');
  }
  client.close();
  return text.replaceAll(`:${new URL(configuration.base_url).port}`, ':{service}');
}

for (const wanted of cases) {
  test(wanted.split('\n', 1)[0], async () => {
    const transcript = await transcriptOf(wanted);
    transcripts.push(transcript);
    if (!process.env.UPDATE) {
      assert.equal(transcript, wanted);
    }
  });
}
