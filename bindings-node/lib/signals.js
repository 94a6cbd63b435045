'use strict';

/** The calls that watch each signal. All of them share one listener. */
const watched = new WeakMap();

/**
 * Calls `onAbort` when the signal aborts. The returned function stops watching,
 * and removes the listener if no other call watches the signal.
 */
function watch(signal, onAbort) {
  let watch = watched.get(signal);
  if (watch === undefined) {
    const waiting = new Set();
    const listener = () => {
      watched.delete(signal);
      // The last first: a call that ends makes room for one that waits, which must not
      // begin before it is cancelled itself.
      for (const wake of [...waiting].reverse()) {
        wake();
      }
    };
    watch = { waiting, listener };
    watched.set(signal, watch);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { waiting, listener } = watch;
  waiting.add(onAbort);
  return () => {
    waiting.delete(onAbort);
    if (waiting.size === 0 && watched.get(signal) === watch) {
      watched.delete(signal);
      signal.removeEventListener('abort', listener);
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
