// The same for a bundle in CommonJS, which has no `await` outside of functions.

import { pay } from './pay.mjs';

pay().then((status) => console.log(status));
