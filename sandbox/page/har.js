// The log as an HTTP archive (HAR 1.2), without secrets.

import { asText, fromBase64 } from './bytes.js';

const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'x-jws-signature',
  'cookie',
]);
const SECRET_MEMBERS = ['integration_key', 'access_token', 'client_secret'];
const HIDDEN = '***';
/** A secret member of JSON, of a query or of a form, with its value. */
const SECRETS = new RegExp(
  `((?:^|[?&"])(?:${SECRET_MEMBERS.join('|')})(?:"\\s*:\\s*"|=))((?:[^"\\\\&]|\\\\.)*)`,
  'g',
);

/** The requests of the log. */
export function harOf(records) {
  const creator = { name: 'payments sandbox', version: '1' };
  return { log: { version: '1.2', creator, entries: records.map(entryOf) } };
}

function entryOf(record) {
  const time = record.duration_ms ?? 0;
  return {
    startedDateTime: new Date(record.received_ms).toISOString(),
    time,
    request: requestOf(record),
    response: responseOf(record.response),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: record.refused ?? '',
  };
}

function requestOf(record) {
  const body = shownBody(fromBase64(record.body_base64));
  const query = new URLSearchParams(without(record.query ?? ''));
  return {
    method: record.method,
    url: location.origin + without(record.target),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headersOf(record.headers),
    queryString: [...query].map(([name, value]) => ({ name, value })),
    headersSize: -1,
    bodySize: record.body_length,
    ...(body === '' ? {} : { postData: { mimeType: typeOf(record.headers), text: body } }),
  };
}

/** The response; for none, the status 0, as browsers write it. */
function responseOf(response) {
  const { status, headers, body } = response ?? { status: 0, headers: [], body: '' };
  const content = { size: body.length, mimeType: typeOf(headers), text: without(body) };
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headersOf(headers),
    content,
    redirectURL: '',
    headersSize: -1,
    bodySize: body.length,
  };
}

const headersOf = (headers) =>
  headers.map(([name, value]) => ({
    name,
    value: SECRET_HEADERS.has(name.toLowerCase()) ? HIDDEN : value,
  }));

const typeOf = (headers) =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

/** Bytes that are no text are left out: a secret in them would not be found. */
const shownBody = (bytes) => without(asText(bytes) ?? '');

const without = (text) => text.replace(SECRETS, `$1${HIDDEN}`);
