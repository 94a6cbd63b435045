// Programs in processes of their own.

import { spawn } from 'node:child_process';
import { join } from 'node:path';

const TESTS = join(import.meta.dirname, '..');

/** What a program in the folder of the tests, where it finds the package, does. */
export function run(program, { flags = [], env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], {
      cwd: TESTS,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].on('data', (data) => {
        texts[name] += data;
      });
    }
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
}
