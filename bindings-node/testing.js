'use strict';

const { error, trackingResponse } = require('./lib/testing/builders.js');

module.exports = {
  ...require('./lib/testing/sandbox.js'),
  ...require('./lib/testing/responses.js'),
  error,
  trackingResponse,
};
