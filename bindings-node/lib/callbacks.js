'use strict';

// The caller's signers, token stores, journals, observers and loggers. These functions never
// throw, and nothing on the event loop waits for them.

const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const { JournalUnavailableError } = require('./errors.js');
const { own } = require('./own.js');
const { TRACEPARENT, publish } = require('./listeners.js');

/** A callback returned something else. */
class WrongResultError extends TypeError {}

/** Callbacks that run in this scope see the caller's AsyncLocalStorage. */
function newScope() {
  return new AsyncResource('libpayments');
}

/**
 * The callbacks in which code runs, innermost first: also after an `await`, and in what they
 * have started, until they end.
 */
const inside = new AsyncLocalStorage();

/** Whether code runs in a callback with these functions that has not ended. */
function isInside(callbacks) {
  for (let it = inside.getStore(); it !== undefined; it = it.outer) {
    if (it.isOpen && it.callbacks === callbacks) {
      return true;
    }
  }
  return false;
}

/** Runs a callback until its promise settles. The client refuses calls from inside it. */
async function ask(call, callback) {
  const entered = { callbacks: call.callbacks, outer: undefined, isOpen: true };
  try {
    return await enter(call, entered, callback);
  } finally {
    entered.isOpen = false;
  }
}

function enter(call, entered, callback) {
  return run(call, () => {
    entered.outer = inside.getStore();
    return inside.run(entered, callback);
  });
}

/** Runs a callback until it returns. The client refuses calls from inside it. */
function run(call, callback) {
  const { callbacks, scope } = call;
  callbacks.depth += 1;
  try {
    return scope.runInAsyncScope(callback);
  } finally {
    callbacks.depth -= 1;
  }
}

async function askSigner(port, call, { question, input, sha256 }) {
  try {
    const { signer } = call.callbacks;
    const context = { sha256, signal: call.signal };
    const signature = await ask(call, () => signer.sign(input, context));
    if (!(signature instanceof Uint8Array)) {
      throw new WrongResultError(
        `the signer must return the raw signature as a Uint8Array, not ${nameOf(signature)}`,
      );
    }
    port.reply(call.number, question, own({ bytes: signature }));
  } catch (error) {
    call.cause = error;
    port.reply(call.number, question, own({ failure: failureOf('the signer', error) }));
  }
}

/** Asks the token store, whose functions have the names of the messages. */
async function askStore(port, call, { kind, question, key, entry, fence, value }) {
  const { tokenStore } = call.callbacks;
  const context = { signal: call.signal };
  try {
    switch (kind) {
      case 'load': {
        const found = await ask(call, () => tokenStore.load(key, context));
        reply(found ?? null, found === null || found === undefined || typeof found === 'string');
        break;
      }
      case 'save': {
        const saved = await ask(call, () => tokenStore.save(key, entry, fence, context));
        reply(saved, typeof saved === 'boolean');
        break;
      }
      case 'deleteIf': {
        const deleted = await ask(call, () => tokenStore.deleteIf(key, value, context));
        reply(deleted, typeof deleted === 'boolean');
        break;
      }
      case 'tryLock': {
        const lock = await ask(call, () => tokenStore.tryLock(key, context));
        const isAwaited = reply(lock ?? null, lock === null || lock === undefined || isFence(lock));
        if (!isAwaited && isFence(lock)) {
          // The call has ended, so nothing else would release this lock.
          await ask(call, () => tokenStore.unlock(key, lock));
        }
        break;
      }
      case 'unlock':
        await ask(call, () => tokenStore.unlock(key, fence));
        break;
    }
  } catch (error) {
    // The observer gets it as `cause` of `store_bypassed`.
    call.storeFailure = error;
    if (kind !== 'unlock') {
      port.reply(call.number, question, own({ failure: failureOf('the token store', error) }));
    }
  }

  /** Returns whether the call still waits for the reply. */
  function reply(result, isRight) {
    if (!isRight) {
      throw new WrongResultError(`the token store's ${kind} returned ${nameOf(result)}`);
    }
    return port.reply(call.number, question, own({ json: JSON.stringify(result) }));
  }
}

function isFence(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

/** A filter of the core with the package's names. */
function filterOf({ is_open: isOpen, ended_from: endedFrom, ...others }) {
  return { ...others, isOpen, ...(endedFrom === undefined ? {} : { endedFrom }) };
}

/** The result of an update, with the core's names. Anything else is for the core to refuse. */
function updateOf(updated) {
  if (typeof updated !== 'object' || updated === null) {
    return updated;
  }
  const { changed, takenBy: taken_by } = updated;
  return { changed, taken_by };
}

/** The core checks the results, and names the callback that failed. */
async function askJournal(port, call, { question, action, input: json }) {
  const { journal } = call.callbacks;
  const input = JSON.parse(json);
  // The end of a cancelled call is recorded too, so its signal is of no use there.
  const context = { signal: action === 'insert' ? call.insertSignal : call.endSignal };
  const perform = {
    insert: () => journal.insert(input.entry, context),
    update: async () => updateOf(await journal.update(input.entry, context)),
    find: () => journal.find(filterOf(input), context),
    count: () => journal.count(input.scope, input.before, context),
    prune: () => journal.prune(input.scope, input.before, input.limit, context),
  };
  call.recordingFailure = undefined;
  try {
    const result = await ask(call, perform[action]);
    port.reply(call.number, question, own({ json: JSON.stringify(result) }));
  } catch (error) {
    // The call's error gets the first failure as `cause`, and the event `journal_failed` the
    // last: the end of a call is recorded again after a failure.
    call.journalFailure ??= error;
    call.recordingFailure = error;
    const duringCommit = error instanceof JournalUnavailableError ? error.duringCommit : undefined;
    port.reply(call.number, question, own({ failure: reasonOf(error), duringCommit }));
  }
}

/** Passes an event to all listeners. */
function notifyListeners(call, event, level) {
  const { observer, logger } = call.callbacks;
  call.observedAs = event.call;
  const cause = own({ store_bypassed: call.storeFailure, journal_failed: call.recordingFailure });
  if (cause[event.event] !== undefined) {
    // It may hold a secret, and events are logged.
    Object.defineProperty(event, 'cause', own({ value: cause[event.event] }));
  }
  if (observer !== undefined) {
    notify('the observer', call, () => observer(event));
  }
  if (logger !== undefined) {
    notify('the logger', call, () => logger[level](event, `payments ${event.event}`));
  } else if (event.event === 'journal_failed') {
    emitWarning('LIBPAYMENTS_JOURNAL', lineOf(event), event.cause);
  }
  run(call, () => publish(event));
}

/** Replies with the `traceparent` of the span of the request that begins. */
function askTraceparent(port, call, { question }) {
  let json;
  try {
    json = call.callbacks.observer[TRACEPARENT](call.observedAs);
  } catch {
    // The event met the same failure, and already warned of it.
  }
  port.reply(call.number, question, own({ json }));
}

/** Calls a listener, whose failure does not fail the call. */
function notify(who, call, callback) {
  const entered = { callbacks: call.callbacks, outer: undefined, isOpen: true };
  const end = () => {
    entered.isOpen = false;
  };
  const fail = (error) => {
    end();
    warn(who, error);
  };
  try {
    const returned = enter(call, entered, callback);
    if (typeof returned?.then === 'function') {
      returned.then(end, fail);
    } else {
      end();
    }
  } catch (error) {
    fail(error);
  }
}

function warn(who, error) {
  emitWarning('LIBPAYMENTS_OBSERVER', failureOf(who, error), error);
}

function emitWarning(code, text, cause) {
  const warning = new Error(text, { cause });
  for (const [name, value] of Object.entries({ name: 'PaymentsWarning', code })) {
    Object.defineProperty(warning, name, own({ value, enumerable: true, configurable: true }));
  }
  process.emitWarning(warning);
}

/** An event as a line of `PAYMENTS_LOG`. */
function lineOf({ event, ...members }) {
  const given = Object.entries(members).filter(([, value]) => value !== null);
  const shown = given.map(([name, value]) => {
    const isWord = typeof value !== 'string' || /^[!#-~]+$/.test(value);
    return `${name}=${isWord ? value : JSON.stringify(value)}`;
  });
  return [event, ...shown].join(' ');
}

function failureOf(who, error) {
  return `${who} failed: ${reasonOf(error)}`;
}

/**
 * The part of a callback's exception that errors and events show: its text only
 * if it is meant for them, because any other text may contain secrets.
 */
function reasonOf(thrown) {
  try {
    if (thrown instanceof JournalUnavailableError || thrown instanceof WrongResultError) {
      return String(thrown.message);
    }
  } catch {
    // A proxy may refuse to be looked at.
  }
  return `it threw ${nameOf(thrown)}`;
}

/** The class of a value. Nothing about the value can make this throw. */
function nameOf(value) {
  if (value === null || value === undefined) {
    return String(value);
  }
  if (typeof value !== 'object') {
    return `a ${typeof value}`;
  }
  try {
    const { name } = Object.getPrototypeOf(value).constructor;
    return typeof name === 'string' && /^[\w$]{1,100}$/.test(name) ? name : 'an object';
  } catch {
    return 'an object';
  }
}

module.exports = {
  isInside,
  askJournal,
  askSigner,
  askStore,
  newScope,
  notifyListeners,
  askTraceparent,
};
