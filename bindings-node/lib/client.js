'use strict';

// The public client. It turns arguments into calls; port.js has the calls in flight.

const { inspect } = require('node:util');
const { fileURLToPath } = require('node:url');
const { ErrorCode } = require('./error-codes.js');
const { AccessToken, PreparedRequest, SendResponse } = require('./responses.js');
const { encode } = require('./encode.js');
const { Refusal, captureTrace, errorOfRefusal, errorOfReport, wrongType } = require('./errors.js');
const {
  NOTHING,
  knownMembers,
  optionsOf,
  refusedEnsure,
  requestBody,
  sendParts,
  unreadReasonIn,
} = require('./input.js');
const { ends, followAsCommand } = require('./following.js');
const { ClientJournal } = require('./journal.js');
const { own, unreadReasonAt } = require('./own.js');
const { Operations, PERFORM } = require('./operations.js');
const { RESPONSES } = require('./operation-responses.js');
const { TRACEPARENT, wantedEventsOf } = require('./listeners.js');
const { Action, ConfigSource, WantedEvents, isInside, port, start } = require('./port.js');

const CALLBACKS = ['signer', 'tokenStore', 'journal', 'observer', 'logger'];
/** The functions of the callbacks that have several. */
const FUNCTIONS = {
  tokenStore: ['load', 'save', 'deleteIf', 'tryLock', 'unlock'],
  journal: ['insert', 'update', 'find', 'count', 'prune'],
  logger: ['debug', 'info', 'warn'],
};
const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');

/** The source of a configuration, for clients that are not created by `new`. */
class Source {
  constructor(kind, from) {
    this.kind = kind;
    this.from = from;
  }

  get text() {
    return this.kind === ConfigSource.Shared ? configText(this.from) : this.from;
  }
}

/** The name of a method that only the command `libpayments follow` needs. */
const FOLLOW = Symbol('follow');

class EnsuredPayment extends RESPONSES.create_payment {
  static shown = ['status', 'isPaid', 'isCreated', 'unchecked', 'otherHash'];
}

/** The results of calls that are not operations. */
const RESULTS = {
  __proto__: null,
  access_token: AccessToken,
  ensure_payment: EnsuredPayment,
  wait_for_payment: RESPONSES.query_payment,
};

/** A client of a file, or of none, which the environment overrides if `withEnv` says so. */
function fromSources(file, withEnv, callbacks) {
  if (file === null) {
    return Client.fromEnv(callbacks);
  }
  const kind = withEnv ? ConfigSource.FileAndEnv : ConfigSource.File;
  return new Client(new Source(kind, file), callbacks);
}

/** Talks to the service for one merchant. */
class Client extends Operations {
  #native;
  #callbacks;
  #journal;

  constructor(config, callbacks) {
    super();
    const trace = captureTrace(new.target);
    try {
      this.#callbacks = checkCallbacks(callbacks);
      this.#native = nativeClient(config, this.#callbacks, trace);
      this.#callbacks.hasJournal = this.#native.hasJournal;
    } catch (error) {
      throw errorOfRefusal(error, 'config', undefined, trace);
    }
  }

  static fromFile(path, callbacks) {
    const isUrl = path instanceof URL;
    return new this(new Source(ConfigSource.File, isUrl ? fileURLToPath(path) : path), callbacks);
  }

  static fromEnv(callbacks) {
    return new this(new Source(ConfigSource.Env, ''), callbacks);
  }

  static shared(config, callbacks) {
    return new this(new Source(ConfigSource.Shared, config), callbacks);
  }

  get journal() {
    this.#journal ??= new ClientJournal((...call) => this.#start(...call));
    return this.#journal;
  }

  accessToken(options) {
    return this.#call(Client.prototype.accessToken, 'access_token', '', options);
  }

  call(operation, request, options) {
    return this.#call(Client.prototype.call, operation, request, options);
  }

  tokenStatus(options) {
    const method = Client.prototype.tokenStatus;
    const call = { method, action: Action.TokenStatus, operation: 'access_token' };
    return this.#start(call, options);
  }

  forgetToken(options) {
    const method = Client.prototype.forgetToken;
    return this.#act({ method, action: Action.ForgetToken, operation: 'access_token' }, options);
  }

  warmUp(options) {
    const method = Client.prototype.warmUp;
    return this.#act({ method, action: Action.WarmUp, operation: 'warm_up' }, options);
  }

  // Actions without arguments and without a result.
  #act(call, options) {
    return this.#start(call, options, () => undefined);
  }

  ensurePayment(request, options) {
    return this.#call(Client.prototype.ensurePayment, 'ensure_payment', request, options);
  }

  waitForPayment(request, options) {
    return this.#call(Client.prototype.waitForPayment, 'wait_for_payment', request, options);
  }

  follow(options, callOptions) {
    const start = (...call) => this.#start(...call);
    return ends(start, options, callOptions);
  }

  [FOLLOW](words, isTerminal, print, signal) {
    const start = (...call) => this.#start(...call);
    return followAsCommand(start, Client.prototype[FOLLOW], words, isTerminal, print, signal);
  }

  send(request, options) {
    const call = { method: Client.prototype.send, action: Action.Send, operation: 'send' };
    const input = () => sendParts(request);
    return this.#start(call, options, (parts) => new SendResponse(parts), input);
  }

  prepare(operation, request, options) {
    const call = { method: Client.prototype.prepare, action: Action.Prepare, operation };
    const input = () => {
      checkName(operation);
      return operation === 'send' ? sendParts(request) : { input: requestBody(operation, request) };
    };
    const unread = ({ path }) => unreadReasonIn(operation, request, path);
    return this.#start(call, options, (parts) => PreparedRequest.from(parts), input, unread);
  }

  close() {
    this.#native?.close();
    this.#native = undefined;
  }

  [dispose]() {
    this.close();
  }

  /** The members are private, so this decides what is shown. */
  [inspect.custom](_depth, options) {
    if (this.#native === undefined) {
      return 'Client { closed }';
    }
    const [baseUrl, kid] = this.#native.describe();
    return `Client ${inspect(kid === null ? { baseUrl } : { baseUrl, kid }, options)}`;
  }

  [PERFORM](method, operation, request, options) {
    return this.#call(method, operation, request, options);
  }

  #call(method, operation, request, options) {
    const Result = RESULTS[operation] ?? RESPONSES[operation];
    const input = () => {
      checkName(operation);
      try {
        return { input: requestBody(operation, request) };
      } catch (error) {
        const refused = refusedEnsure(operation, request, error);
        if (refused === undefined) {
          throw error;
        }
        return refused;
      }
    };
    const call = { method, action: Action.Call, operation };
    const unread = ({ path }) => unreadReasonIn(operation, request, path);
    return this.#start(call, options, (parts) => new Result(parts), input, unread);
  }

  /** Every failure rejects; nothing is thrown. */
  #start(
    { method, action, operation },
    options,
    read = (report) => report,
    input = () => ({}),
    unread,
  ) {
    const trace = captureTrace(method);
    const name = typeof operation === 'string' ? operation : undefined;
    const fail = (error, kind) => Promise.reject(errorOfRefusal(error, kind, name, trace));
    const callbacks = this.#callbacks;
    if (this.#native === undefined) {
      return fail(
        new Refusal(ErrorCode.CLIENT_CLOSED, undefined, 'the client is closed; create another one'),
        'config',
      );
    }
    if (callbacks.depth > 0 || (callbacks.areGiven && isInside(callbacks))) {
      const message = 'a callback called the client that it serves; use a separate client there';
      return fail(new Refusal(ErrorCode.REENTRANT_CALL, undefined, message), 'config');
    }
    let limits;
    let parts;
    try {
      limits = optionsOf(options, operation);
      parts = input();
    } catch (error) {
      return fail(error, 'validation');
    }
    const native = this.#native;
    const { signal, ...others } = limits;
    // The caller's header is sent with every request of the call.
    const isTraced =
      limits.traceparent === undefined && callbacks.observer?.[TRACEPARENT] !== undefined;
    const wantedEvents = wantedEventsOf(callbacks);
    const callsBack = callbacks.isAsked || wantedEvents !== WantedEvents.None;
    return start({ trace, signal, callbacks, callsBack, read, unread }, (number) => {
      const aborted = signal?.aborted;
      const asked = { action, operation, input: NOTHING, body: NOTHING, ...parts };
      native.start(number, { ...asked, ...others, aborted, isTraced, wantedEvents });
    });
  }
}

function checkName(operation) {
  if (typeof operation !== 'string') {
    const message = 'must be the name of an operation, for example create_payment';
    throw wrongType('operation', message);
  }
}

/** Returns the JSON text of a configuration, which contains no functions. */
function configText(config) {
  for (const name of [...CALLBACKS, 'token_store']) {
    const value = own(config)[name];
    if (typeof value === 'function' || (typeof value === 'object' && value !== null)) {
      const callback = name === 'token_store' ? 'tokenStore' : name;
      const message = `callbacks go in the second argument: new Client(configuration, { ${callback} })`;
      throw new Refusal(ErrorCode.WRONG_TYPE, name, message);
    }
  }
  return encode(config).toString();
}

/**
 * Returns the callbacks of a client, with the number that are running (`depth`), whether
 * calls ask them, and whether there are any.
 */
function checkCallbacks(callbacks) {
  const given = knownMembers(callbacks, 'callbacks', CALLBACKS);
  const { signer, tokenStore, journal, observer, logger } = given;
  if (
    signer !== undefined &&
    (typeof signer?.sign !== 'function' || typeof signer.kid !== 'string')
  ) {
    throw wrongType('signer', 'must be an object with kid and a function sign');
  }
  for (const [name, functions] of Object.entries(FUNCTIONS)) {
    const one = given[name];
    if (one !== undefined && functions.some((it) => typeof one?.[it] !== 'function')) {
      const message = `must be an object with the functions ${functions.join(', ')}`;
      throw wrongType(name, message);
    }
  }
  if (observer !== undefined && typeof observer !== 'function') {
    throw wrongType('observer', 'must be a function');
  }
  const isAsked = [signer, tokenStore, journal].some((it) => it !== undefined);
  const areGiven = isAsked || observer !== undefined || logger !== undefined;
  return {
    signer,
    tokenStore,
    journal,
    observer,
    logger,
    isAsked,
    areGiven,
    hasJournal: false,
    depth: 0,
  };
}

function nativeClient(config, callbacks, trace) {
  const { kind, text } =
    config instanceof Source ? config : { kind: ConfigSource.Json, text: configText(config) };
  if (typeof text !== 'string') {
    throw wrongType('config', 'the path of the configuration must be a string');
  }
  const has = (name) => callbacks[name] !== undefined;
  const made = port.makeClient(kind, text, {
    kid: callbacks.signer?.kid,
    tokenStore: has('tokenStore'),
    journal: has('journal'),
  });
  if (!Object.hasOwn(made, 'report')) {
    return made;
  }
  const report = own(JSON.parse(made.report));
  const given = config instanceof Source ? config.from : config;
  const unread = unreadReasonAt(given, report.path);
  if (unread === undefined) {
    throw errorOfReport(report, made.text, { trace });
  }
  throw errorOfRefusal(new Refusal(report.code, report.path, unread), 'config', undefined, trace);
}

module.exports = { Client, FOLLOW, fromSources };
