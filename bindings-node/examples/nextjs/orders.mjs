// The orders, in files of the folder ORDERS. In your shop, they are rows of your database.

import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = process.env.ORDERS ?? 'orders';
const fileOf = (reference, ending) => {
  if (!/^[\w-]{1,40}$/.test(reference)) {
    throw new RangeError('no reference of this shop');
  }
  return join(folder, `${reference}.${ending}`);
};

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
  const order = await readFile(fileOf(reference, 'json'), 'utf8').catch(unless('ENOENT'));
  const state = await readFile(fileOf(reference, 'state'), 'utf8').catch(unless('ENOENT'));
  return order && { ...JSON.parse(order), state: state ?? 'waiting' };
}

/** Ends an order that is waiting, and acts on it. If `act` throws, it waits again. */
export async function endOrder(reference, state, act) {
  const file = fileOf(reference, 'state');
  // In a database: UPDATE … SET state = … WHERE reference = … AND state = 'waiting'.
  const isOurs = await writeFile(file, state, { flag: 'wx' }).then(() => true, unless('EEXIST'));
  if (isOurs) {
    try {
      await act();
    } catch (error) {
      await rm(file);
      throw error;
    }
  }
}

function unless(code) {
  return (error) => {
    if (error.code !== code) {
      throw error;
    }
  };
}
