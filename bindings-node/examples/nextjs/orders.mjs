// The orders, in files of the folder ORDERS. In your shop, they are rows of your database.

import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = process.env.ORDERS ?? 'orders';
// Else, the build copies the whole project with its files, such as a key, to the server.
const fileOf = (reference, ending) =>
  join(/* turbopackIgnore: true */ folder, `${reference}.${ending}`);

/** Whether it may be a reference of this shop. */
export const isReference = (text) => /^[\w-]{1,40}$/.test(text);

/** Saves an order, unless there is one, and returns the one that is there. */
export async function createOrder(reference, order) {
  await mkdir(folder, { recursive: true });
  const draft = fileOf(reference, `${process.pid}-${performance.now()}`);
  await writeFile(draft, JSON.stringify(order), { flush: true });
  await link(draft, fileOf(reference, 'json')).catch(unless('EEXIST'));
  await rm(draft);
  return readOrder(reference);
}

/** The order; undefined if there is none. */
export async function readOrder(reference) {
  if (!isReference(reference)) {
    return undefined;
  }
  const order = await readFile(fileOf(reference, 'json'), 'utf8').catch(unless('ENOENT'));
  const state = await readFile(fileOf(reference, 'state'), 'utf8').catch(unless('ENOENT'));
  return order && { ...JSON.parse(order), state: state ?? 'waiting' };
}

/**
 * Acts on an order that is waiting, and ends it. If `act` throws, it waits still.
 *
 * In a database, in one transaction: UPDATE … SET state = … WHERE reference = … AND
 * state = 'waiting', and `act` if that changed the row.
 */
export async function endOrder(reference, state, act) {
  await act();
  await writeFile(fileOf(reference, 'state'), state, { flag: 'wx', flush: true });
}

function unless(code) {
  return (error) => {
    if (error.code !== code) {
      throw error;
    }
  };
}
