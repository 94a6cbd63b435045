'use strict';

const { inspect } = require('node:util');
const { ErrorCode } = require('./error-codes.js');
const { Refusal, errorOfRefusal } = require('./errors.js');
const { checkObject } = require('./input.js');

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
      __proto__: null,
      configurable: true,
      enumerable: true,
      writable: true,
      value,
    });
  for (const name of names) {
    Object.defineProperty(response, name, {
      __proto__: null,
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

/*
 * Secrets of the classes below are in private fields, behind accessors: whatever prints, copies or
 * clones an object reads its own members.
 */

class AccessToken {
  #accessToken;

  constructor({ members }) {
    const { accessToken, ...shown } = JSON.parse(members);
    this.#accessToken = accessToken;
    Object.assign(this, shown);
  }

  get accessToken() {
    return this.#accessToken;
  }
}

/** Works as it is in `fetch(prepared.url, prepared)`. */
class PreparedRequest {
  #parts;

  constructor({ method, url, headers, body }) {
    this.#parts = { method, url, headers, body };
  }

  /** `parts` are those of a call's result. */
  static from({ headers, body, ...parts }) {
    return new PreparedRequest({
      ...parts,
      headers: headersOf(JSON.parse(headers)),
      body: body.length > 0 ? body : null,
    });
  }

  get method() {
    return this.#parts.method;
  }

  get url() {
    return this.#parts.url;
  }

  get headers() {
    return this.#parts.headers;
  }

  get body() {
    return this.#parts.body;
  }

  /** Prevents fetch from forwarding the signed request on a redirect. */
  get redirect() {
    return 'manual';
  }

  /** The same request with further options of fetch as its own members. */
  toRequestInit(options) {
    try {
      checkObject(options, 'options', 'signal');
      const isFixed = (name) => Object.hasOwn(PreparedRequest.prototype, name);
      const fixed = Object.keys(options ?? {}).find(isFixed);
      if (fixed !== undefined) {
        const message = 'belongs to the signed request; omit it';
        throw new Refusal(ErrorCode.VALUE_INVALID, `options.${fixed}`, message);
      }
    } catch (refusal) {
      throw errorOfRefusal(refusal, 'validation');
    }
    return Object.assign(new PreparedRequest(this.#parts), options);
  }

  /** The members that may be logged. */
  toJSON() {
    const { method, url, headers } = this;
    return { method, host: new URL(url).host, headers: Object.keys(headers) };
  }

  [inspect.custom](_depth, options) {
    return `PreparedRequest ${inspect(this.toJSON(), options)}`;
  }
}

class KeyPair {
  #privateKeyPem;

  constructor({ privateKeyPem, publicKeyPem }) {
    this.#privateKeyPem = privateKeyPem;
    this.publicKeyPem = publicKeyPem;
  }

  get privateKeyPem() {
    return this.#privateKeyPem;
  }
}

module.exports = { AccessToken, KeyPair, OperationResponse, PreparedRequest, SendResponse };
