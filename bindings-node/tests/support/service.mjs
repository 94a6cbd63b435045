// The requests and effects that the service recorded in its request log and
// ledger.

import { differences, fillTree, isSame } from './tree.mjs';

/** The differences between the service's records and the scenario. */
export async function serviceDifferences(scenario, sandbox, values) {
  const records = await sandbox.requests();
  const isToken = ({ operation }) => operation === 'access_token';
  const requests = records.filter((record) => !isToken(record));
  const found = [
    ...countDifferences(scenario, requests, records.filter(isToken).length),
    ...requestDifferences(scenario, requests, values),
    ...(await effectDifferences(scenario, sandbox)),
  ];
  const { faults } = await sandbox.control('GET', '/sandbox/faults');
  if (faults.length > 0) {
    found.push(`faults that struck nothing: ${JSON.stringify(faults)}`);
  }
  return found;
}

function countDifferences({ seen = {} }, requests, tokens) {
  const counts = {};
  for (const { method, path } of requests) {
    counts[`${method} ${path}`] = (counts[`${method} ${path}`] ?? 0) + 1;
  }
  if (tokens > 0) {
    counts.token = tokens;
  }
  return compareWhole('the service saw', seen, counts);
}

function compareWhole(what, expected, found) {
  return isSame(expected, found)
    ? []
    : [`${what} ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`];
}

function requestDifferences(scenario, requests, values) {
  const listed = scenario.requests;
  if (listed !== undefined && listed.length !== requests.length) {
    return [`${requests.length} requests, and ${listed.length} are listed`];
  }
  return requests.flatMap((record, index) => {
    const said = listed === undefined ? {} : fillTree(listed[index], values);
    const {
      has_headers = [],
      lacks_headers = [],
      ...expected
    } = { ...usual(scenario, record), ...said };
    const readable = withReadableMembers(record);
    const place = `requests/${index}`;
    return [
      ...has_headers
        .filter((name) => !Object.hasOwn(readable.headers, name))
        .map((it) => `${place}: lacks ${it}`),
      ...lacks_headers
        .filter((name) => Object.hasOwn(readable.headers, name))
        .map((it) => `${place}: has ${it}`),
      ...differences(place, expected, readable),
    ];
  });
}

/** Rules for every request, unless the scenario overrides them. */
function usual({ credentials }, { operation, complete, method }) {
  if (operation === null || !complete) {
    return {};
  }
  const sent = (credential, good) => (credentials.includes(credential) ? good : 'absent');
  return {
    signature: sent('jws', 'verified'),
    bearer: sent('bearer', 'valid'),
    integration_key: operation === 'send' ? 'absent' : sent('integration_key', 'valid'),
    ...(method !== 'GET' && { resend: false }),
  };
}

function withReadableMembers(record) {
  const headers = record.headers.map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...record,
    body: Buffer.from(record.body_base64, 'base64').toString(),
    headers: Object.fromEntries(headers),
    resend: record.resend_of !== null,
  };
}

async function effectDifferences({ effects = {} }, sandbox) {
  const list = async (what) => (await sandbox.control('GET', `/sandbox/${what}`))[what];
  const payments = await list('payments');
  const counts = {
    payments: payments.length,
    refunds: payments.reduce((sum, { refunds }) => sum + refunds.length, 0),
    payouts: (await list('payouts')).length,
    trackings: (await list('trackings')).length,
  };
  const found = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return compareWhole('the service made', effects, found);
}
