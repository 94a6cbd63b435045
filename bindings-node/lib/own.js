'use strict';

// The members of an object that count: its own. A merge of JSON from outside may have
// given `Object.prototype` others, which every object then seems to have.

const READ = 'only enumerable members of the object itself are read';

/** A copy that has an object's own members and inherits none. */
function own(value) {
  return { __proto__: null, ...value };
}

/** Whether this is `Object.prototype`, also that of another realm. */
function isRoot(prototype) {
  return (
    Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'propertyIsEnumerable')
  );
}

/** The prototypes of an object, without `Object.prototype`. */
function* prototypesOf(value) {
  let prototype = Object.getPrototypeOf(value);
  while (prototype !== null && !isRoot(prototype)) {
    yield prototype;
    prototype = Object.getPrototypeOf(prototype);
  }
}

/** Says that a member is there but not read; `undefined` if it is read, or is not there. */
function whyUnread(value, name) {
  const remedy = `${READ}: give it as { ${name}: object.${name} }`;
  const found = Object.getOwnPropertyDescriptor(value, name);
  if (found !== undefined) {
    return found.enumerable ? undefined : `is not enumerable, and ${remedy}`;
  }
  for (const prototype of prototypesOf(value)) {
    const inherited = Object.getOwnPropertyDescriptor(prototype, name);
    if (inherited !== undefined) {
      const what = inherited.get === undefined ? 'is inherited' : 'is a getter of a class';
      return `${what}, and ${remedy}`;
    }
  }
  return undefined;
}

/** The same for the member at a path in a value, of which only own members were encoded. */
function whyUnreadAt(root, path) {
  if (typeof path !== 'string') {
    return undefined;
  }
  const names = path.split(/[.[\]]+/);
  const last = names.pop();
  try {
    const holder = names.reduce(
      (value, name) => (isWrittenAsItIs(value) ? value[name] : undefined),
      root,
    );
    return isWrittenAsItIs(holder) ? whyUnread(holder, last) : undefined;
  } catch {
    // A getter or a proxy of the caller may throw. The failure says that the member is missing.
    return undefined;
  }
}

function isWrittenAsItIs(value) {
  return typeof value === 'object' && value !== null && typeof value.toJSON !== 'function';
}

module.exports = { own, prototypesOf, whyUnread, whyUnreadAt };
