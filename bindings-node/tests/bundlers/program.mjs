import { pay } from './pay.mjs';

console.log(await pay());
