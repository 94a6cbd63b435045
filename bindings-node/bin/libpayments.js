#!/usr/bin/env node
'use strict';

require('../lib/index.js').runCommand(process.argv.slice(2));
