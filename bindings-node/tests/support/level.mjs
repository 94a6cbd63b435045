// The level of this package in tests/manifest.json, and the shared tests of it.

import { readShared } from './sandbox.mjs';

const manifest = JSON.parse(readShared('manifest.json'));
const { level: own } = manifest.languages.node;
const names = manifest.levels.map(({ name }) => name);
// A level has everything of those before it.
const levels = manifest.levels.slice(0, names.indexOf(own) + 1);

/** The names of the scenarios. */
export const SCENARIOS = levels.flatMap(({ scenarios }) => scenarios).sort();

/** How many cases each file has. */
export const CASES = Object.assign({}, ...levels.map(({ cases }) => cases));

/** The names of the functions. */
export const FUNCTIONS = manifest.functions
  .filter(({ level }) => levels.some(({ name }) => name === level))
  .map(({ name }) => name);
