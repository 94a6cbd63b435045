// JSON trees in the form of the scenarios.

/** Where `found` differs from `expected`; of objects, in the expected members. */
export function differences(place, expected, found) {
  if (isObject(expected) && isObject(found)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      Object.hasOwn(found, name)
        ? differences(`${place}/${name}`, value, found[name])
        : [`${place}/${name}: is not there, expected ${JSON.stringify(value)}`],
    );
  }
  return isSame(expected, found) ? [] : [`${place}: ${show(found)}, expected ${show(expected)}`];
}

/**
 * Like `differences`, and `found` must have exactly the expected members. `{number}` is any
 * whole number that is not negative, `{text}` any text but an empty one.
 */
export function exactDifferences(place, expected, found) {
  if (isObject(expected) && isObject(found)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...names].flatMap((name) =>
      Object.hasOwn(expected, name) && Object.hasOwn(found, name)
        ? exactDifferences(`${place}/${name}`, expected[name], found[name])
        : [`${place}/${name}: ${show(found[name])}, expected ${show(expected[name])}`],
    );
  }
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    return expected.flatMap((it, index) => exactDifferences(`${place}/${index}`, it, found[index]));
  }
  const isMeant =
    (expected === '{number}' && Number.isSafeInteger(found) && found >= 0) ||
    (expected === '{text}' && typeof found === 'string' && found !== '');
  return isMeant ? [] : differences(place, expected, found);
}

/** Compares lines of a log; `{duration}` is a time such as `1.204ms` or `30s`. */
export function lineDifferences(expected, found) {
  const escaped = expected.join('\n').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = escaped.replaceAll(String.raw`\{duration\}`, String.raw`[\d.]+m?s`);
  const isMeant = new RegExp(`^${pattern}$`).test(found.join('\n'));
  return isMeant ? [] : ['log:', ...found, 'expected:', ...expected];
}

export function isSame(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((it, index) => isSame(it, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
    );
  }
  return Object.is(one, other);
}

function show(value) {
  return JSON.stringify(value) ?? String(value);
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function segments(pointer) {
  return pointer
    .split('/')
    .slice(1)
    .map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a JSON Pointer; `null` when it leads nowhere. */
export function at(tree, pointer) {
  let place = tree;
  for (const name of segments(pointer)) {
    // Secret members are accessors of a class.
    const isThere = typeof place === 'object' && place !== null && name in place;
    place = isThere ? place[name] : null;
  }
  return place ?? null;
}

/** Sets the value at a JSON Pointer; a new member comes last. */
export function set(tree, pointer, value) {
  const names = segments(pointer);
  const last = names.pop();
  const holder = names.reduce((place, name) => place[name], tree);
  if (Array.isArray(holder) && last === '-') {
    holder.push(value);
  } else {
    holder[last] = value;
  }
}

export function remove(tree, pointer) {
  const names = segments(pointer);
  const last = names.pop();
  const holder = names.reduce((place, name) => place[name], tree);
  if (!Object.hasOwn(holder, last)) {
    throw new Error(`${pointer}: there is nothing to remove`);
  }
  delete holder[last];
}

/** Replaces `{name}` in a text; an unknown name is an error. */
export function fill(text, values) {
  return text.replaceAll(/\{([a-z_]+)\}/g, (_, name) => {
    if (!Object.hasOwn(values, name)) {
      throw new Error(`nothing is known of {${name}}`);
    }
    return values[name];
  });
}

/** The same in every text of a tree. */
export function fillTree(tree, values) {
  if (typeof tree === 'string') {
    return fill(tree, values);
  }
  if (Array.isArray(tree)) {
    return tree.map((it) => fillTree(it, values));
  }
  if (isObject(tree)) {
    return Object.fromEntries(
      Object.entries(tree).map(([name, it]) => [name, fillTree(it, values)]),
    );
  }
  return tree;
}

/** Refuses members that are not in the list. */
export function checkMembers(value, names, what) {
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      throw new Error(`${what}: the member ${name} is not known`);
    }
  }
}

/** `is_paid` as `isPaid`. */
export function camelCase(name) {
  return name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** An object whose members have the names of the scenarios again. */
export function withSharedNames(members) {
  const shared = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(members).map(([name, it]) => [shared(name), it]));
}

/** A tree whose objects have such names. */
export function withOwnNames(tree) {
  if (Array.isArray(tree)) {
    return tree.map(withOwnNames);
  }
  if (typeof tree !== 'object' || tree === null) {
    return tree;
  }
  const members = Object.entries(tree);
  return Object.fromEntries(members.map(([name, it]) => [camelCase(name), withOwnNames(it)]));
}
