// Generated from spec/events.toml by generate/templates/constants.js.jinja; do not edit. To update: cargo xtask generate

'use strict';

/** The events, each of which has a channel. */
const EVENT_NAMES = [
  'request_started',
  'attempt',
  'attempt_ended',
  'retry',
  'token_requested',
  'token_fetched',
  'token_reused',
  'token_failed',
  'token_invalidated',
  'token_kept',
  'store_bypassed',
  'journal_failed',
  'request_ended',
];

module.exports = { EVENT_NAMES };
