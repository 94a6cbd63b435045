'use strict';

// Only an object's own members count. A merge of foreign JSON may have given
// `Object.prototype` other members, which every object then seems to have.

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

/** Returns why a member that is there is not read; `undefined` if it is read, or is not there. */
function unreadReason(value, name) {
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
function unreadReasonAt(root, path) {
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
    return isWrittenAsItIs(holder) ? unreadReason(holder, last) : undefined;
  } catch {
    // A getter or a proxy of the caller may throw. The failure says that the member is missing.
    return undefined;
  }
}

function isWrittenAsItIs(value) {
  return typeof value === 'object' && value !== null && typeof value.toJSON !== 'function';
}

module.exports = { own, prototypesOf, unreadReason, unreadReasonAt };
