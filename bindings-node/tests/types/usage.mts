// Compiled only: code that the declarations accept, and code that they refuse.

import pg from 'pg';

import libpayments, {
  Client,
  JournalUnavailableError,
  PaymentsError,
  PostgresJournal,
  decimal,
  generateKey,
  qrPng,
  verify,
  type ChannelMessage,
  type CountryCode,
  type CreatePayment,
  type CurrencyCode,
  type EnsuredPayment,
  type Journal,
  type JournalEntry,
  type JournalRow,
  type Logger,
  type Observer,
  type ObserverEvent,
  type PaymentResponse,
  type PaymentStatus,
  type PaymentTypeCode,
  type PaymentsErrorReport,
  type Signer,
  type TokenStore,
} from 'libpayments';
import { Sandbox, error, paymentResponse } from 'libpayments/testing';

const signer: Signer = {
  kid: 'mine',
  async sign(input, { sha256, signal }) {
    signal.throwIfAborted();
    return new Uint8Array(input.length + sha256.length);
  },
};
const tokenStore: TokenStore = {
  load: () => null,
  save: async () => true,
  deleteIf: () => false,
  tryLock: async () => 7,
  unlock: () => {},
};

const rows: JournalRow[] = [];
const journal: Journal = {
  insert: async (entry, { signal }) => {
    signal.throwIfAborted();
    return rows.push(entry) > 0;
  },
  update: ({ version, state }) =>
    state === 'done' ? { changed: version > 0 } : { changed: false, takenBy: rows[0]?.id ?? null },
  find: async ({ scope }) => ({ now: 1, entries: rows.filter((it) => it.scope === scope) }),
  count: (_scope, before) => ({ now: before, newest: null, done: 0, failed: 0, open: 0 }),
  prune: (_scope, _before, limit) => limit,
};

function nextStep({ needs, reference, rival }: JournalEntry): string {
  switch (needs) {
    case 'person':
      return `look ${reference} up${rival === null ? '' : ` beside ${rival}`}`;
    case 'something new':
      return 'a need that this version does not know';
    default:
      return needs ?? 'nothing';
  }
}

async function settle(client: Client): Promise<number> {
  for await (const entry of client.journal.list({ onlyOpen: true })) {
    const { createdAt, endedAt, decidedBy, bodySha256 } = entry;
    const took: number = (endedAt ?? new Date()).getTime() - createdAt.getTime();
    console.log(nextStep(entry), took, decidedBy === 'person', bodySha256.length);
  }
  const [shown] = await client.journal.show('order-1', { signal: AbortSignal.timeout(5_000) });
  const { recovered, open } = await client.journal.recover();
  console.log(shown?.state, recovered.map(nextStep), open[0]?.reason);
  const { rival } = await client.journal.resolve('order-1', { executed: true, note: 'seen' });
  const { dryRun } = await client.journal.prune({ before: '2026-01-31', dryRun: rival !== null });
  return dryRun ? 0 : (await client.journal.prune({ before: new Date(), recent: true })).done;
}

export async function ensure(client: Client, request: CreatePayment): Promise<string> {
  const ensured: EnsuredPayment = await client.ensurePayment(request, { timeoutMs: 5_000 });
  const payment: PaymentResponse = ensured;
  const isCreated: boolean = (await client.ensurePayment('{}')).isCreated;
  // @ts-expect-error: a query does not say how the payment came to be known.
  console.log((await client.queryPayment({ hash: 'a' })).isCreated);
  // @ts-expect-error: it takes the request of a creation.
  await client.ensurePayment({ hash: 'a' });
  // @ts-expect-error: it is not written.
  ensured.isCreated = isCreated;
  const [part] = ensured.unchecked;
  switch (part) {
    case undefined:
      return payment.hash ?? '';
    case 'currency_code':
    case 'amount_total':
    case 'body':
      return part;
    default: {
      const none: never = part;
      return none;
    }
  }
}

function describe(event: ObserverEvent): string {
  switch (event.event) {
    case 'request_ended':
      return `${event.operation} took ${event.durationUs} µs`;
    case 'token_invalidated':
      return event.event;
    default:
      return event.event;
  }
}

const methods = new Map<number, string>();
const observer: Observer = async (event) => {
  if (event.event === 'request_started') {
    methods.set(event.call, event.method);
  } else if (event.event === 'store_bypassed') {
    console.warn(event.action, event.reason, event.cause);
  } else if (event.event === 'journal_failed') {
    console.warn(event.id, event.reason, event.cause);
  } else if (event.event === 'token_failed') {
    const backoff: number = event.backoffUs ?? 0;
    console.warn(methods.get(event.call), event.reference, event.kind, backoff);
  }
};

const channelMessage: ChannelMessage = {
  event: { event: 'token_invalidated', call: 7, reference: 'order-1001', hash: null },
};
describe(channelMessage.event);
const logger: Logger = console;

function say(status: PaymentStatus | null): string {
  switch (status) {
    case 'CO':
      return 'paid';
    case 'something new':
      return 'a status that this version does not know';
    default:
      return String(status);
  }
}

export async function useAll(): Promise<void> {
  const config = {
    base_url: 'https://api.example',
    environment: 'sandbox',
    auth: { send: { bearer: false } },
  } as const;
  using client = new Client(config, {
    signer,
    tokenStore,
    journal,
    observer: (event) => console.log(describe(event)),
  });
  const others: Client[] = [
    Client.fromFile('payments.json'),
    Client.fromFile(new URL('file:///x')),
    Client.fromEnv(),
    Client.shared(config),
  ];
  const ofDatabase = new PostgresJournal(new pg.Pool());
  await ofDatabase.create();
  others.push(new Client(config, { journal: ofDatabase }));
  others.push(new Client(config, { observer, logger }), new Client(config, { observer: () => {} }));
  console.log(await settle(client));
  for (const other of others) other.close();

  await useRequests(client);
  await useOthers(client);
}

const request: CreatePayment = {
  payment: {
    name: 'Maria Souza',
    email: 'maria@example.com',
    country: 'br',
    payment_type_code: 'a method of next year',
    merchant_payment_code: 'order-1',
    currency_code: 'BRL',
    amount_total: '100.10',
    document: '853.513.468-93',
    extra: { further: { is: ['passed', 'on'], rate: decimal('0.50') } },
  },
};
const signal = AbortSignal.timeout(1_000);

/** The codes that editors complete in an open set. */
type Known<Code> = Code extends string ? (string extends Code ? never : Code) : never;
export const codes: [Known<PaymentTypeCode>, Known<CountryCode>, Known<CurrencyCode>] = [
  'nequi',
  'uy',
  'BOB',
];
// @ts-expect-error: it is accepted, and not known
codes[0] = 'a method of next year';

async function useRequests(client: Client): Promise<void> {
  const payment = await client.createPayment(request, { signal });
  // @ts-expect-error members of the library are in camelCase
  console.log(payment.is_paid);
  const amount: unknown = payment.response['payment'];
  const text: string =
    payment.raw.toString('utf8') + payment.headers['content-type'] + say(payment.status);
  const pictures: [string | null, Buffer | null] = [payment.qrSvg(), payment.qrPng()];
  console.log(pictures, payment.qrPng({ moduleSize: 9 })?.length, qrPng('0002')?.length);
  // @ts-expect-error a module has a size
  qrPng('0002', { size: 9 });
  console.log(payment.isPaid, payment.qrCodeValue?.length, payment.httpStatus, amount, text);

  await client.createPayment(JSON.stringify(request));
  await client.createPayment({ payment: { ...request.payment, amount_total: 10n } });
  const queried = await client.queryPayment({ merchant_payment_code: 'order-1' });
  await client.queryPayment({ hash: queried.hash ?? 'none' });
  const refund = await client.refundPayment({ hash: 'x', amount: 1 });
  console.log(refund.refundStatus === 'RE', refund.paymentStatus);
  const payout = await client.createPayout({
    external_reference: 'p',
    country: 'br',
    amount: '1.00',
    currency_code: 'BRL',
    target: 'pix_key',
    target_account: 'k',
    payee: { name: 'João Souza' },
  });
  const uid: string | null = payout.uid;
  await client.queryPayment({ hash: 'x' }, { signal });
  const tracking = await client.registerTracking({
    order_number: 'o',
    email: 'm@example.com',
    tracking_code: ['A', { tracking_code: 'B', items: [{ quantity: 1 }] }],
  });
  console.log(uid, tracking.result[0]?.status, tracking.countMismatch?.sent);
}

async function useOthers(client: Client): Promise<void> {
  const sent = await client.send({
    method: 'GET',
    path: '/ws/x',
    query: [
      ['a', '1'],
      ['a', '2'],
    ],
    body: Buffer.from('x'),
  });
  console.log(sent.response);
  const prepared = await client.prepare('create_payment', request);
  await fetch(prepared.url, prepared);
  await fetch(prepared.url, prepared.toRequestInit({ signal: AbortSignal.timeout(1000) }));
  // @ts-expect-error What is signed cannot be replaced.
  prepared.toRequestInit({ body: '{}' });
  const redirect: 'manual' = prepared.redirect;
  await client.prepare('send', { method: 'POST', path: '/ws/x' });
  const called = await client.call('query_payment', { hash: 'x' });
  const isPaid: boolean = called.isPaid;
  const byName: string = (await client.call('access_token')).accessToken;
  await client.call('access_token', {}, { timeoutMs: 5_000, signal });
  const { accessToken, expiresAt } = await client.accessToken({ signal });
  const { isUsable, remaining } = await client.tokenStatus();
  await client.forgetToken({ timeoutMs: 5_000 });
  console.log(isPaid, redirect, byName, accessToken, expiresAt + 1, isUsable, remaining);

  const { privateKeyPem, publicKeyPem } = await generateKey();
  const verified = await verify({ publicKey: publicKeyPem, token: 'x', body: privateKeyPem });
  console.log(verified.valid ? verified.kid : verified.remedy);
}

export function handle(error: unknown): string {
  if (!(error instanceof PaymentsError)) {
    throw error;
  }
  const wait: number | undefined = error.retryAfter;
  if (error.code === 'interrupted_after_response' && error.response !== undefined) {
    return 'hash' in error.response ? `it was done: ${error.response.hash}` : 'it was done';
  }
  if (error.outcome === 'unknown') {
    return `${error.reference}: ${error.advice} ${error.cause} ${wait}`;
  }
  const since: Date | undefined = error.journalEntry?.createdAt;
  if (error.journalEntry?.hasSameBody) {
    return `it was sent at ${since?.toISOString()}`;
  }
  // @ts-expect-error members of the library are in camelCase
  console.log(error.journalEntry?.has_same_body);
  const report: PaymentsErrorReport = error.toJSON();
  console.log(PaymentsError.from(report).outcome, report.message, report.help);
  if (error.cause instanceof JournalUnavailableError) {
    return error.cause.name;
  }
  // @ts-expect-error it may hold payer data
  console.log(report.serviceMessage);
  return `${error.kind} ${error.code} ${error.path} ${error.httpStatus} ${error.diagnosis?.finding} ${error.serviceMessage}`;
}

export async function refused(client: Client): Promise<void> {
  // @ts-expect-error the address is required
  new Client({});
  // @ts-expect-error there is no such option
  new Client({ base_url: 'x', baseUrl: 'x' });
  // @ts-expect-error the event of that name has no such member
  const observer: Observer = (event) => event.event === 'attempt' && event.waitUs;
  new Client({ base_url: 'x' }, { observer });
  // @ts-expect-error there are two environments
  new Client({ base_url: 'x', environment: 'test' });
  // @ts-expect-error a payment has more members
  await client.createPayment({ payment: { name: 'x' } });
  // @ts-expect-error by one of the two
  await client.queryPayment({ hash: 'x', merchant_payment_code: 'y' });
  // @ts-expect-error not a signal
  await client.accessToken({ signal: 'x' });
  // @ts-expect-error a number of milliseconds
  await client.accessToken({ timeoutMs: '5' });
  // @ts-expect-error there is no such option
  await client.accessToken({ supersede: true });
  // @ts-expect-error members of the library are in camelCase
  client.journal.list({ only_open: true });
  // @ts-expect-error somebody has to say how they found out
  await client.journal.resolve('order-1', { executed: true });
  // @ts-expect-error each step has the client's own deadline
  await client.journal.recover({ timeoutMs: 5_000 });
  // @ts-expect-error not a time
  await client.journal.prune({ before: 7 });
  // @ts-expect-error a client of the application
  new PostgresJournal(new pg.Client());
  // @ts-expect-error nothing is asked of it
  await client.call('access_token', { hash: 'x' });
  // @ts-expect-error a body is bytes
  await client.send({ method: 'POST', path: '/', body: { a: 1 } });
  // @ts-expect-error no operation
  await client.prepare('access_token', {});
  // @ts-expect-error it may be null
  (await client.createPayment('{}')).hash.length;
  // @ts-expect-error not one of the kinds
  new PaymentsError('x', { kind: 'none', code: 'x', outcome: 'unknown' });
}

export async function testing(): Promise<void> {
  const sandbox = await Sandbox.start({ options: ['--require', 'none'] });
  const client: Client = sandbox.client({ timeout_ms: 2000 });
  await sandbox.failNext('response_lost', { operation: 'create_payment', delayMs: 5 });
  // @ts-expect-error no operation
  await sandbox.failNext('response_lost', { operation: 'pay' });
  const made: PaymentStatus | null = paymentResponse({ status: 'CO', amount_ext: '1.00' }).status;
  const failure: PaymentsError = error('deadline_exceeded', { kind: 'timeout' });
  // @ts-expect-error an error has a kind
  error('deadline_exceeded', {});
  console.log(client, made, failure);
}

export const SameClient: typeof Client = libpayments.Client;
