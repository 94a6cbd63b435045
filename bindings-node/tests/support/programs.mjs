// Programs in their own processes and worker threads.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const TESTS = join(import.meta.dirname, '..');

/** The output of a program in the folder of the tests, where it finds the package. */
export function run(program, { flags = [], env = {}, cwd = TESTS } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], {
      cwd,
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

/** For `require` in a worker, which has no folder to look from. */
export const PACKAGE = createRequire(import.meta.url).resolve('libpayments');

/** A worker that runs a program and is waited for. */
export function startWorker(program, workerData) {
  const worker = new Worker(program, { eval: true, workerData });
  const ended = new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', resolve);
  });
  return { worker, ended };
}
