'use strict';

module.exports = {
  ...require('./lib/testing/sandbox.js'),
  ...require('./lib/testing/builders.js'),
};
