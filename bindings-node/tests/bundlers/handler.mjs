// A function of a serverless platform, which loads the bundle and calls `handler`.

import { pay } from './pay.mjs';

export async function handler() {
  return { statusCode: 200, body: await pay() };
}
