'use strict';

const { inspect } = require('node:util');

/** The members of answers that hold no payer data. */
const SHOWN = ['status', 'is_paid', 'refund_status', 'payment_status'];

/** Names in lower case; values that come more than once are joined. */
function headersOf(pairs) {
  const headers = {};
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    headers[lower] = Object.hasOwn(headers, lower) ? `${headers[lower]}, ${value}` : value;
  }
  return headers;
}

/** The answer to a call: the members of the core's view, and where they come from. */
class Answer {
  #headers;
  #raw;

  constructor({ httpStatus, view, headers, body }) {
    Object.assign(this, JSON.parse(view));
    this.httpStatus = httpStatus;
    this.#headers = headers;
    this.#raw = body;
  }

  get headers() {
    if (typeof this.#headers === 'string') {
      this.#headers = headersOf(JSON.parse(this.#headers));
    }
    return this.#headers;
  }

  get raw() {
    return this.#raw;
  }

  /** A log of an answer must not hold the payer. */
  [inspect.custom](depth, options) {
    const names = SHOWN.filter((name) => this[name] !== undefined);
    const shown = Object.fromEntries(names.map((name) => [name, this[name]]));
    const { httpStatus, raw } = this;
    return `${this.constructor.name} ${inspect({ ...shown, httpStatus, bodyLength: raw.length }, options)}`;
  }
}

/** The answer to `send`: any body, whose JSON is there if it is JSON. */
class SendAnswer extends Answer {
  constructor(parts) {
    super(parts);
    this.answer ??= null;
  }
}

class AccessToken {
  constructor({ view }) {
    Object.assign(this, JSON.parse(view));
  }

  [inspect.custom](depth, options) {
    return `AccessToken ${inspect({ ...this, access_token: '(secret)' }, options)}`;
  }
}

/** Can be given to `fetch(prepared.url, prepared)` as it is. */
class PreparedRequest {
  constructor({ head, headers, body }) {
    this.method = head.method;
    this.url = head.url;
    this.headers = headersOf(headers);
    this.body = body.length > 0 ? body : null;
    // Followed by fetch, a redirect would take signature and body elsewhere.
    this.redirect = 'manual';
  }

  [inspect.custom](depth, options) {
    const shown = { method: this.method, url: this.url.split('?')[0] };
    return `PreparedRequest ${inspect({ ...shown, headers: Object.keys(this.headers) }, options)}`;
  }
}

class KeyPair {
  constructor({ privateKeyPem, publicKeyPem }) {
    this.privateKeyPem = privateKeyPem;
    this.publicKeyPem = publicKeyPem;
  }

  [inspect.custom](depth, options) {
    return `KeyPair ${inspect({ ...this, privateKeyPem: '(secret)' }, options)}`;
  }
}

module.exports = { AccessToken, Answer, KeyPair, PreparedRequest, SendAnswer };
