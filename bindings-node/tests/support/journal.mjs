// A journal in memory, whose clock the tests move, and calls that are recorded.

/** What the unique indexes of the table say of operations that are not refunds. */
function blocks(earlier, entry) {
  return (
    ['scope', 'operation', 'reference'].every((name) => earlier[name] === entry[name]) &&
    earlier.state !== 'failed' &&
    earlier.superseded_by === null
  );
}

export class MemoryJournal {
  entries = [];
  now = 1_000_000;
  /** The names of the methods that were called. */
  calls = [];

  async insert(entry, superseded) {
    this.calls.push('insert');
    const current = superseded.map(({ id, version }) =>
      this.entries.find((it) => it.id === id && it.version === version),
    );
    const rest = this.entries.filter((it) => !current.includes(it));
    if (current.includes(undefined) || rest.some((it) => blocks(it, entry))) {
      return false;
    }
    for (const earlier of current) {
      earlier.superseded_by = entry.id;
      earlier.version += 1;
    }
    const deadline_at = this.now + entry.deadline_at - entry.created_at;
    this.entries.push({ ...entry, created_at: this.now, deadline_at });
    return true;
  }

  async update(entry) {
    this.calls.push('update');
    const stored = this.entries.find((it) => it.id === entry.id && it.version === entry.version);
    if (stored === undefined) {
      return false;
    }
    const { state, decided_by, hash, uid, kind, code, note, conflict, version } = entry;
    Object.assign(stored, { state, decided_by, hash, uid, kind, code, note, conflict });
    Object.assign(stored, { version: version + 1, ended_at: this.now });
    for (const earlier of this.entries) {
      if (state === 'failed' && earlier.superseded_by === entry.id) {
        earlier.superseded_by = stored.superseded_by;
        earlier.version += 1;
      }
    }
    return true;
  }

  async find({ scope, id, reference, is_open, after, limit }) {
    this.calls.push('find');
    const isOpen = ({ state, superseded_by }) =>
      ['in_progress', 'unknown'].includes(state) && superseded_by === null;
    const found = this.entries.filter(
      (it) =>
        it.scope === scope &&
        (id === null || it.id === id) &&
        (reference === null || it.reference === reference) &&
        (!is_open || isOpen(it)) &&
        (after === null || it.id > after),
    );
    found.sort((one, other) => (one.id < other.id ? -1 : 1));
    return { now: this.now, entries: found.slice(0, limit) };
  }

  async prune() {
    this.calls.push('prune');
    return 0;
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
