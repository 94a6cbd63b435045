// Every scenario that all languages share, through the installed package;
// SCENARIO=part_of_a_name runs some of them.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { SCENARIOS } from './support/level.mjs';
import { Sandbox, SHARED_FOLDER, readShared } from './support/sandbox.mjs';
import { runScenario } from './support/scenario.mjs';
import { checkMembers } from './support/tree.mjs';

/** Most of a scenario is waiting for the other side. */
const AT_ONCE = 4;

function loadAll() {
  const files = readdirSync(join(SHARED_FOLDER, 'scenarios')).sort();
  return files.flatMap((file) => {
    const parsed = JSON.parse(readShared('scenarios', file));
    checkMembers(parsed, ['about', 'scenarios'], file);
    return parsed.scenarios;
  });
}

test('every scenario has its expected results', async () => {
  const part = process.env.SCENARIO;
  const scenarios = loadAll().filter(({ name }) => name.includes(part ?? ''));
  const failed = [];
  const ran = [];
  const waiting = scenarios.values();
  const work = async () => {
    const sandbox = await Sandbox.start();
    for (const scenario of waiting) {
      const found = await runScenario(scenario, sandbox);
      if (found.length > 0) {
        failed.push(`${scenario.name}\n    ${found.join('\n    ')}`);
      }
      ran.push(scenario.name);
    }
    await sandbox.stop();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  console.log(`${ran.length} scenarios run, ${failed.length} failed`);
  assert.equal(failed.length, 0, `${failed.length} of ${ran.length} failed:\n${failed.join('\n')}`);
  if (part === undefined) {
    assert.ok(ran.length > 0);
    assert.deepEqual(ran.toSorted(), SCENARIOS);
  }
});
