import * as libpayments from './index.js';

export * from './index.js';
export default libpayments;
