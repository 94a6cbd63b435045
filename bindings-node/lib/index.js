'use strict';

const { Client } = require('./client.js');
const { PaymentsError } = require('./errors.js');
const { doctor, generateKey, verify } = require('./tools.js');

module.exports = { Client, PaymentsError, doctor, generateKey, verify };
