// A journal in memory, whose clock the tests move, and calls that are recorded.

import assert from 'node:assert/strict';

/** The unique indexes of the table, for operations other than refunds. */
function blocks(earlier, entry) {
  return (
    ['scope', 'operation', 'reference'].every((name) => earlier[name] === entry[name]) &&
    earlier.id !== entry.id &&
    earlier.state !== 'failed'
  );
}

function isOpen({ state, rival }) {
  return ['in_progress', 'unknown'].includes(state) || rival !== null;
}

export class MemoryJournal {
  entries = [];
  now = 1_000_000;
  /** The names of the methods that were called. */
  calls = [];

  async insert(entry) {
    this.calls.push('insert');
    if (this.entries.some((it) => blocks(it, entry))) {
      return false;
    }
    const moved = (time) => this.now + time - entry.created_at;
    const deadline_at = moved(entry.deadline_at);
    const settles_at = moved(entry.settles_at);
    this.entries.push({ ...entry, created_at: this.now, deadline_at, settles_at });
    return true;
  }

  async update(entry) {
    this.calls.push('update');
    const stored = this.entries.find((it) => it.id === entry.id && it.version === entry.version);
    if (stored === undefined) {
      return { changed: false };
    }
    const other = this.entries.find((it) => entry.state !== 'failed' && blocks(it, entry));
    if (other !== undefined) {
      return { changed: false, takenBy: other.id };
    }
    const { state, decided_by, hash, uid, kind, code, note, rival } = entry;
    Object.assign(stored, { state, decided_by, hash, uid, kind, code, note, rival });
    Object.assign(stored, { version: entry.version + 1, ended_at: this.now });
    return { changed: true };
  }

  async find({ scope, id, reference, hash, isOpen: onlyOpen, after, limit }) {
    this.calls.push('find');
    const isAny = reference === null && hash === null;
    const found = this.entries.filter(
      (it) =>
        it.scope === scope &&
        (id === null || it.id === id) &&
        (isAny || it.reference === reference || (hash !== null && it.hash === hash)) &&
        (!onlyOpen || isOpen(it)) &&
        (after === null || it.id > after),
    );
    found.sort((one, other) => (one.id < other.id ? -1 : 1));
    return { now: this.now, entries: found.slice(0, limit) };
  }

  async count(scope, before) {
    this.calls.push('count');
    const all = this.entries.filter((it) => it.scope === scope);
    const old = all.filter((it) => it.created_at < before);
    const settled = (state) => old.filter((it) => it.state === state && it.rival === null).length;
    return {
      now: this.now,
      newest: all.length === 0 ? null : Math.max(...all.map((it) => it.created_at)),
      done: settled('done'),
      failed: settled('failed'),
      open: old.filter(isOpen).length,
    };
  }

  async prune(scope, before, limit) {
    this.calls.push('prune');
    const isOld = (it) => it.scope === scope && it.created_at < before && !isOpen(it);
    const gone = this.entries.filter(isOld).slice(0, limit);
    this.entries = this.entries.filter((it) => !gone.includes(it));
    return gone.length;
  }
}

/** A payout of this reference. */
export function payout(reference) {
  return {
    external_reference: reference,
    country: 'br',
    amount: '10.00',
    currency_code: 'BRL',
    target: 'pix_key',
    target_account: 'joao@example.com',
    payee: { name: 'João Souza' },
  };
}

/** The operations of the requests that reached the service. */
export async function sent(sandbox) {
  return (await sandbox.requests()).map(({ operation }) => operation);
}

/** Lets the next payout be executed, and its response be lost. */
export function loseNext(sandbox) {
  return sandbox.faults({ operation: 'create_payout', then: [{ fault: 'close', execute: true }] });
}

/** The entries that a journal lists. */
export async function listed(client, filter) {
  const entries = [];
  for await (const entry of client.journal.list(filter)) {
    entries.push(entry);
  }
  return entries;
}

/** Asserts that `found` has the members of `expected`, at any depth. */
export function assertHas(found, expected) {
  if (typeof expected !== 'object' || expected === null) {
    assert.equal(found, expected);
    return;
  }
  if (Array.isArray(expected)) {
    assert.equal(found.length, expected.length, JSON.stringify(found));
  }
  for (const [name, value] of Object.entries(expected)) {
    assertHas(found[name] ?? null, value);
  }
}
