'use strict';

// The caller's signers, token stores, journals and observers. These functions never throw,
// and nothing on the event loop waits for them.

const { AsyncResource } = require('node:async_hooks');

/** Longer messages of callbacks are truncated. */
const LONGEST_MESSAGE = 500;

/** Callbacks that run in this scope see the caller's AsyncLocalStorage. */
function newScope() {
  return new AsyncResource('libpayments');
}

/** Runs a callback of a call. The client refuses calls from inside it. */
function run(call, callback) {
  const { callbacks, scope } = call;
  callbacks.depth += 1;
  try {
    return scope.runInAsyncScope(callback);
  } finally {
    callbacks.depth -= 1;
  }
}

async function askSigner(port, call, question, input, sha256) {
  try {
    const { signer } = call.callbacks;
    const context = { sha256, signal: call.signal };
    const signature = await run(call, () => signer.sign(input, context));
    if (!(signature instanceof Uint8Array)) {
      throw new TypeError(
        `the signer must return the raw signature as a Uint8Array, not ${nameOf(signature)}`,
      );
    }
    port.reply(question, undefined, undefined, signature);
  } catch (error) {
    call.cause = error;
    port.reply(question, failureOf('the signer', error));
  }
}

async function askStore(port, call, question, action, { key, entry, fence, value }) {
  const { tokenStore } = call.callbacks;
  const context = { signal: call.signal };
  try {
    switch (action) {
      case 'load': {
        const found = await run(call, () => tokenStore.load(key, context));
        response(found ?? null, found === null || found === undefined || typeof found === 'string');
        break;
      }
      case 'save': {
        const saved = await run(call, () => tokenStore.save(key, entry, fence, context));
        response(saved, typeof saved === 'boolean');
        break;
      }
      case 'delete_if': {
        const deleted = await run(call, () => tokenStore.deleteIf(key, value, context));
        response(deleted, typeof deleted === 'boolean');
        break;
      }
      case 'try_lock': {
        const lock = await run(call, () => tokenStore.tryLock(key, context));
        const isAwaited = response(
          lock ?? null,
          lock === null || lock === undefined || isFence(lock),
        );
        if (!isAwaited && isFence(lock)) {
          // The call has ended, so nothing else would release this lock.
          await run(call, () => tokenStore.unlock(key, lock));
        }
        break;
      }
      case 'unlock':
        await run(call, () => tokenStore.unlock(key, fence));
        break;
    }
  } catch (error) {
    // The observer gets it as `cause` of `store_bypassed`.
    call.storeFailure = error;
    if (action !== 'unlock') {
      port.reply(question, failureOf('the token store', error));
    }
  }

  /** Returns whether the call still waits for the reply. */
  function response(reply, isRight) {
    if (!isRight) {
      throw new TypeError(`the token store's ${action} returned ${nameOf(reply)}`);
    }
    return port.reply(question, undefined, JSON.stringify(reply));
  }
}

function isFence(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The core checks the results, and says who failed. */
async function askJournal(port, call, question, action, input) {
  const { journal } = call.callbacks;
  // The end of a cancelled call is recorded too, so its signal is of no use here.
  const context = { signal: call.endSignal };
  const perform = {
    insert: () => journal.insert(input.entry, context),
    update: () => journal.update(input.entry, context),
    find: () => journal.find(input, context),
    count: () => journal.count(input.scope, input.before, context),
    prune: () => journal.prune(input.scope, input.before, input.limit, context),
  };
  call.recordingFailure = undefined;
  try {
    const result = await run(call, perform[action]);
    port.reply(question, undefined, JSON.stringify(result));
  } catch (error) {
    // The call's error gets the first as `cause`, and the event `journal_failed` the last:
    // the end of a call is recorded again after a failure.
    call.journalFailure ??= error;
    call.recordingFailure = error;
    port.reply(question, messageOf(error));
  }
}

/** A failing observer does not fail the call. */
function tellObserver(call, event) {
  const { observer } = call.callbacks;
  const cause = { store_bypassed: call.storeFailure, journal_failed: call.recordingFailure };
  if (cause[event.event] !== undefined) {
    event.cause = cause[event.event];
  }
  try {
    const told = run(call, () => observer(event, call.identity));
    if (typeof told?.then === 'function') {
      told.then(undefined, warn);
    }
  } catch (error) {
    warn(error);
  }
}

function warn(error) {
  process.emitWarning(failureOf('the observer', error), {
    type: 'PaymentsWarning',
    code: 'LIBPAYMENTS_OBSERVER',
  });
}

function failureOf(who, error) {
  return `${who} failed: ${messageOf(error)}`;
}

/** An error that collects those of several addresses has a code and no message. */
function messageOf(error) {
  let message;
  try {
    message = error instanceof Error ? String(error.message || error.code) : String(error);
  } catch {
    message = '';
  }
  return message.slice(0, LONGEST_MESSAGE);
}

function nameOf(value) {
  if (value === null || value === undefined) {
    return String(value);
  }
  return typeof value === 'object' ? `an object (${value.constructor?.name})` : `a ${typeof value}`;
}

module.exports = { askJournal, askSigner, askStore, messageOf, newScope, tellObserver };
