// Runs one shared scenario through the package; tests/README.md of the
// repository describes the format.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { Client, createJournal, lint } from 'libpayments';

import { Recorder } from './recorder.mjs';
import { reportOf, shownForms, survives } from './report.mjs';
import { keyFile, readShared } from './sandbox.mjs';
import { serviceDifferences } from './service.mjs';
import {
  at,
  camelCase,
  checkMembers,
  differences,
  fill,
  fillTree,
  isObject,
  remove,
  set,
  withOwnNames,
} from './tree.mjs';

const CREDENTIALS = {
  integration_key: ['integration_key'],
  jws: ['key_file', 'kid'],
  bearer: ['auth_url', 'client_id', 'client_secret'],
};
/** The data of payers and payees in the samples, which is never shown. */
const PAYER = [
  'Maria Souza',
  'maria@example.com',
  'Ana López',
  'ana@example.com',
  'João Souza',
  'joao@example.com',
  '853.513.468-93',
];
const SCENARIO = [
  'name',
  'doc',
  'credentials',
  'config',
  'settings',
  'block_tokens',
  'faults',
  'client_error',
  'steps',
  'seen',
  'requests',
  'effects',
  'events',
  'log',
  'spans',
];
const STEP = [
  'call',
  'send',
  'prepare',
  'control',
  'input',
  'sample',
  'set',
  'remove',
  'input_text',
  'options',
  'response',
  'error',
  'prepared',
  'remember',
  'deliver',
];
const OPTIONS = ['timeout_ms', 'traceparent', 'ensure_wait_ms'];
const SEND = ['method', 'path', 'query', 'body', 'body_base64', 'content_type', 'reference'];

/** These take no request. A token may be an old one: it has no status and no body. */
const WITHOUT_REQUEST = ['access_token', 'token_status', 'forget_token', 'warm_up'];

const samples = JSON.parse(readShared('samples.json'));

/**
 * The differences from the scenario. Its spans are compared with those of `telemetry`,
 * if OpenTelemetry is installed.
 */
export async function runScenario(given, sandbox, telemetry) {
  checkMembers(given, SCENARIO, 'scenario');
  const scenario = { credentials: Object.keys(CREDENTIALS), steps: [], ...given };
  await setUp(scenario, sandbox);
  const values = placeholders(sandbox);
  const folder = mkdtempSync(join(tmpdir(), 'payments-scenario-'));
  try {
    if (Object.values(scenario.config ?? {}).includes('{journal}')) {
      const file = join(folder, 'payments.db');
      await createJournal(file);
      values.journal = `file:${file}`;
    }
    return await runSteps(scenario, sandbox, values, telemetry);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runSteps(scenario, sandbox, values, telemetry) {
  const recorder = new Recorder(scenario, telemetry);
  let client;
  try {
    client = new Client(configuration(scenario, values), recorder.listeners);
  } catch (error) {
    return scenario.client_error === undefined
      ? [`no client: ${error}`]
      : errorDifferences(error, scenario.client_error, values);
  }
  if (scenario.client_error !== undefined) {
    return ['the configuration was accepted'];
  }
  try {
    for (const [index, step] of scenario.steps.entries()) {
      const found = await performStep(step, client, sandbox, values);
      if (found.length > 0) {
        return found.map((it) => `steps/${index}: ${it}`);
      }
    }
    return [
      ...recorder.differences(values),
      ...(await serviceDifferences(scenario, sandbox, values)),
    ];
  } catch (error) {
    return [`the runner failed: ${error.stack}`];
  } finally {
    client.close();
  }
}

function placeholders({ settings, kid }) {
  const { base_url, auth_url, integration_key, client_id, client_secret } = settings;
  return {
    base_url,
    auth_url,
    integration_key,
    client_id,
    client_secret,
    kid,
    host: new URL(base_url).host,
    auth_host: new URL(auth_url).host,
    // `exactDifferences` knows what these stand for.
    number: '{number}',
    text: '{text}',
    duration: '{duration}',
    key_file: keyFile('test_rsa_4096_pkcs8.pem'),
    other_key_file: keyFile('test_other_rsa_4096_pkcs8.pem'),
  };
}

async function setUp({ credentials, settings, block_tokens, faults }, sandbox) {
  await sandbox.reset();
  const strict = { require: credentials, lenient: false, ...settings };
  await sandbox.control('POST', '/sandbox/settings', strict);
  if (block_tokens !== undefined) {
    await sandbox.control('POST', '/sandbox/tokens/block', block_tokens);
  }
  if (faults !== undefined && faults.length > 0) {
    await sandbox.faults(...faults);
  }
}

function configuration({ credentials, config = {} }, values) {
  const names = ['base_url', ...credentials.flatMap((it) => CREDENTIALS[it])];
  const given = Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  const whole = fillTree({ environment: 'sandbox', ...given, ...config }, values);
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
}

async function performStep(step, client, sandbox, values) {
  checkMembers(step, STEP, 'step');
  if (step.control !== undefined) {
    checkMembers(step.control, ['method', 'path', 'body'], 'control');
    const { method, path, body } = step.control;
    const filled = body === undefined ? undefined : fillTree(body, values);
    await sandbox.control(method, fill(path, values), filled);
    return [];
  }
  let result;
  try {
    result = await call(step, client, values);
  } catch (error) {
    return step.error === undefined
      ? [`failed: ${error.stack}`]
      : errorDifferences(error, step.error, values);
  }
  if (step.error !== undefined) {
    return ['it did not fail'];
  }
  if (step.prepare !== undefined) {
    return preparedDifferences(result, step, sandbox, values);
  }
  for (const [name, pointer] of Object.entries(step.remember ?? {})) {
    values[name] = at(result, placed(step, pointer).place);
  }
  return responseDifferences(result, step, values);
}

function call(step, client, values) {
  checkMembers(step.options ?? {}, OPTIONS, 'options');
  const options = withOwnNames(step.options);
  const send = step.send === undefined ? undefined : sendInput(step.send);
  if (step.prepare !== undefined) {
    return client.prepare(step.prepare, send ?? input(step, values), options);
  }
  if (send !== undefined) {
    return client.send(send, options);
  }
  const method = camelCase(step.call);
  if (WITHOUT_REQUEST.includes(step.call)) {
    return client[method](options);
  }
  if (step.call === 'lint') {
    return lint(input(step, values));
  }
  // A name that is not an operation has no method; the method of `send` takes
  // no JSON.
  return method === 'send' || !(method in client)
    ? client.call(step.call, input(step, values), options)
    : client[method](input(step, values), options);
}

function sendInput(given) {
  checkMembers(given, SEND, 'send');
  const { body_base64, content_type: contentType, ...send } = given;
  const body = body_base64 === undefined ? send.body : Buffer.from(body_base64, 'base64');
  return { ...send, body, contentType };
}

function input(step, values) {
  if (step.input_text !== undefined) {
    return fill(step.input_text, values);
  }
  const tree = structuredClone(step.sample === undefined ? step.input : samples[step.sample]);
  for (const pointer of step.remove ?? []) {
    remove(tree, pointer);
  }
  for (const [pointer, value] of Object.entries(step.set ?? {})) {
    set(tree, pointer, value);
  }
  return fillTree(tree, values);
}

function responseDifferences(response, step, values) {
  const { http_status = 200, view = {}, present = [], body, ...others } = step.response;
  checkMembers(others, [], 'response');
  const found = Object.entries(view).flatMap(([pointer, expected]) => {
    const { place, wanted } = placed(step, pointer, fillTree(expected, values));
    return differences(pointer, wanted, at(response, place));
  });
  const isThere = (pointer) => at(response, placed(step, pointer).place) !== null;
  found.push(...present.filter((it) => !isThere(it)).map((it) => `${it}: is not there`));
  const shown = inspect({ response }, { depth: 9, showHidden: true });
  found.push(...shownSecrets('the response', shown, values));
  if (!WITHOUT_REQUEST.includes(step.call) && step.call !== 'lint') {
    found.push(...differences('http_status', http_status, response.httpStatus));
    if (body !== undefined) {
      found.push(...differences('body', fill(body, values), response.raw.toString()));
    }
  }
  return found;
}

/**
 * The place of a response's member here, and its expected value: the names in the
 * body, under `response`, are the service's.
 */
function placed(step, pointer, wanted) {
  if (step.send !== undefined) {
    return { place: `/response${pointer}`, wanted };
  }
  return /^\/response(\/|$)/.test(pointer)
    ? { place: pointer, wanted }
    : { place: camelCase(pointer), wanted: withOwnNames(wanted) };
}

async function preparedDifferences(prepared, step, sandbox, values) {
  const {
    method,
    target,
    body,
    body_base64,
    headers = {},
    has_headers = [],
    lacks_headers = [],
    ...others
  } = step.prepared;
  checkMembers(others, [], 'prepared');
  const bytes = prepared.body ?? Buffer.alloc(0);
  const wanted =
    body_base64 === undefined
      ? Buffer.from(fill(body ?? '', values))
      : Buffer.from(body_base64, 'base64');
  const has = (name) => Object.hasOwn(prepared.headers, name);
  const found = [
    ...differences('method', method, prepared.method),
    ...differences('url', sandbox.baseUrl + fill(target, values), prepared.url),
    ...(wanted.equals(bytes) ? [] : [`body ${bytes}`]),
    ...Object.entries(headers).flatMap(([name, value]) =>
      differences(name, value, prepared.headers[name]),
    ),
    ...has_headers.filter((name) => !has(name)).map((it) => `no header ${it}`),
    ...lacks_headers.filter(has).map((it) => `has the header ${it}`),
  ];
  if (step.deliver) {
    const { status } = await fetch(prepared.url, prepared);
    found.push(...differences('delivered', 200, status));
  }
  return found;
}

function errorDifferences(error, expected, values) {
  const report = reportOf(error);
  const { message_has = [], advice_has = [], ...members } = fillTree(expected, values);
  if (isObject(members.journal_entry)) {
    members.journal_entry = withOwnNames(members.journal_entry);
  }
  const isAtItsCall = error.stack.startsWith(`PaymentsError: ${report.message}\n    at `);
  return [
    ...differences('error', members, report),
    ...message_has
      .filter((it) => !report.message.includes(it))
      .map((it) => `message lacks ${it}: ${report.message}`),
    ...advice_has
      .filter((it) => !report.advice?.includes(it))
      .map((it) => `advice lacks ${it}: ${report.advice}`),
    ...shownSecrets('the error', shownForms(error), values),
    ...(isAtItsCall && error.stack.includes('/scenario.mjs:') ? [] : [`stack ${error.stack}`]),
    ...differences('executed', report.outcome !== 'not_executed', error.mayHaveBeenExecuted),
    ...(survives(error, report) ? [] : ['another thread makes another error of its report']),
  ];
}

function shownSecrets(what, shown, { integration_key, client_secret }) {
  const secrets = [integration_key, client_secret, ...PAYER];
  return secrets.filter((it) => shown.includes(it)).map((it) => `${what} shows ${it}`);
}
