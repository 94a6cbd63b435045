// Compiled only: the declarations by require.

import libpayments = require('libpayments');

const client: libpayments.Client = new libpayments.Client({ base_url: 'https://api.example' });
export const status: Promise<libpayments.PaymentStatus | null> = client
  .queryPayment({ hash: 'x' })
  .then((response) => response.status);
