'use strict';

const { Client } = require('./client.js');
const { decimal } = require('./decimal.js');
const { PaymentsError } = require('./errors.js');
const { doctor, generateKey, verify } = require('./tools.js');

module.exports = { Client, PaymentsError, decimal, doctor, generateKey, verify };
