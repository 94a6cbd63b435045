// Lets ways to make a call take turns, so that a noisy machine disturbs all
// equally. The first calls of a turn warm up what the turn before it left cold.

import { milliseconds } from './ways.mjs';

export const CALLS_IN_TURN = 20;
const ROUNDS = 60;
const WARM_UP = 5;

function firstQuartile(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 2];
}

/** Gives how many nanoseconds each of the calls of a turn took. */
export function turnOf(call) {
  return async () => {
    const took = [];
    for (let index = 0; index < CALLS_IN_TURN; index += 1) {
      const started = process.hrtime.bigint();
      await call();
      took.push(Number(process.hrtime.bigint() - started));
    }
    return took;
  };
}

/** Lets `turns` take turns, and gives the first quartile of each one's calls. */
export async function compare(turns) {
  const took = Object.fromEntries(Object.keys(turns).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, turn] of Object.entries(turns)) {
      const calls = (await turn()).slice(WARM_UP);
      took[name].push(...(round < WARM_UP ? [] : calls));
    }
  }
  const quartiles = Object.entries(took).map(([name, values]) => [name, firstQuartile(values)]);
  console.log(quartiles.map(([name, value]) => `${name} ${milliseconds(value)}`).join(', '));
  return Object.fromEntries(quartiles);
}
