import { pay } from '../../../../pay.mjs';

export async function POST() {
  return Response.json({ status: await pay() });
}
