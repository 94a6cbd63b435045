'use strict';

/** The calls that watch each signal. All of them share one listener. */
const watched = new WeakMap();

/**
 * Calls `cancel` with all calls that watch the signal when it aborts. The returned
 * function stops watching, and removes the listener if no other call watches the signal.
 */
function watch(signal, call, cancel) {
  let watch = watched.get(signal);
  if (watch === undefined) {
    const waiting = new Set();
    const listener = () => {
      watched.delete(signal);
      cancel([...waiting]);
    };
    watch = { waiting, listener };
    signal.addEventListener('abort', listener, { __proto__: null, once: true });
    watched.set(signal, watch);
  }
  const { waiting, listener } = watch;
  waiting.add(call);
  return () => {
    waiting.delete(call);
    if (waiting.size === 0 && watched.get(signal) === watch) {
      watched.delete(signal);
      try {
        signal.removeEventListener('abort', listener);
      } catch {
        // An object of the caller's may throw. The call ends as it did.
      }
    }
  };
}

function isSignal(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  );
}

module.exports = { isSignal, watch };
