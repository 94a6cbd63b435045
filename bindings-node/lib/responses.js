'use strict';

const { inspect } = require('node:util');

/** Header names are in lower case; repeated values are joined. */
function headersOf(pairs) {
  const headers = {};
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    headers[lower] = Object.hasOwn(headers, lower) ? `${headers[lower]}, ${value}` : value;
  }
  return headers;
}

/** Defines members that are read on first access. */
function defineParts(response, names, text) {
  let parts;
  const settle = (name, value) =>
    Object.defineProperty(response, name, {
      configurable: true,
      enumerable: true,
      writable: true,
      value,
    });
  for (const name of names) {
    Object.defineProperty(response, name, {
      configurable: true,
      enumerable: true,
      get() {
        parts ??= JSON.parse(text.toString());
        settle(name, parts[name]);
        return parts[name];
      },
      set: (value) => settle(name, value),
    });
  }
}

/** The response to a call: the members that the core read, and their source. */
class OperationResponse {
  /** The members that hold no payer data. */
  static shown = [];
  #headers;
  #raw;

  constructor({ httpStatus, members, largeNames, large, headers, body }) {
    Object.assign(this, JSON.parse(members));
    defineParts(this, largeNames, large);
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

  /** Hides payer data, because responses may be logged. */
  [inspect.custom](_depth, options) {
    const { shown: names } = this.constructor;
    const shown = Object.fromEntries(names.map((name) => [name, this[name]]));
    const { httpStatus, raw } = this;
    return `${this.constructor.name} ${inspect({ ...shown, httpStatus, bodyLength: raw.length }, options)}`;
  }
}

/** The response to `send`: any body, parsed if it is JSON. */
class SendResponse extends OperationResponse {
  constructor(parts) {
    super(parts);
    if (!Object.hasOwn(this, 'response')) {
      this.response = null;
    }
  }
}

class AccessToken {
  constructor({ members }) {
    Object.assign(this, JSON.parse(members));
  }

  [inspect.custom](_depth, options) {
    return `AccessToken ${inspect({ ...this, accessToken: '(secret)' }, options)}`;
  }
}

/** Works as it is in `fetch(prepared.url, prepared)`. */
class PreparedRequest {
  constructor({ method, url, headers, body }) {
    this.method = method;
    this.url = url;
    this.headers = headersOf(JSON.parse(headers));
    this.body = body.length > 0 ? body : null;
    // Prevents fetch from forwarding the signed request on a redirect.
    this.redirect = 'manual';
  }

  [inspect.custom](_depth, options) {
    const shown = { method: this.method, host: new URL(this.url).host };
    return `PreparedRequest ${inspect({ ...shown, headers: Object.keys(this.headers) }, options)}`;
  }
}

class KeyPair {
  constructor({ privateKeyPem, publicKeyPem }) {
    this.privateKeyPem = privateKeyPem;
    this.publicKeyPem = publicKeyPem;
  }

  [inspect.custom](_depth, options) {
    return `KeyPair ${inspect({ ...this, privateKeyPem: '(secret)' }, options)}`;
  }
}

module.exports = { AccessToken, KeyPair, OperationResponse, PreparedRequest, SendResponse };
