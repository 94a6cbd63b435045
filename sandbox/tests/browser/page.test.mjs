// Each part of the page at /sandbox/.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import {
  copyBy,
  eventually,
  launch,
  open,
  OTHER_PUBLIC_KEY,
  payment,
  Sandbox,
  signature,
} from './support.mjs';

let browser;
let sandbox;
let page;
let problems;

before(async () => {
  browser = await launch();
});

after(() => browser.close());

beforeEach(async () => {
  sandbox = await Sandbox.start();
  ({ page, problems } = await open(browser, sandbox.page));
  await page.getByText('live', { exact: true }).waitFor();
});

afterEach(async () => {
  await page.context().close();
  await sandbox.stop();
  assert.deepEqual(problems, []);
});

const rows = () => page.locator('#request-list tbody tr');
const references = () => rows().locator('[data-name="Reference"]').allTextContents();

test('requests appear as they come, with their verdicts', async () => {
  await page.getByText('No requests yet.').waitFor();
  const body = payment('order-1');
  const token = await sandbox.token();
  assert.equal((await sandbox.send('/ws/direct', body, { token })).status, 200);
  await page
    .getByRole('row', {
      name: 'create_payment order-1 BRL 100.10 200 success verified valid not sent',
    })
    .waitFor();
  await sandbox.send('/ws/direct', payment('order-2'), { token, signed: 'other' });
  const refused = page.getByRole('row', {
    name: 'order-2 BRL 100.10 401 not executed signature mismatch valid',
  });
  await refused.waitFor();
  await eventually(references, ['order-2', 'order-1', ''], 'the newest is first');

  await page.getByLabel('Filter').fill('ORDER-1 create');
  await eventually(references, ['order-1']);
  await page.getByLabel('Filter').fill('');
  await page.getByLabel('refused only').check();
  await eventually(references, ['order-2']);
  await page.getByLabel('Filter').fill('nothing like it');
  await page.getByText('No request matches the filter.').waitFor();
});

test('queries can be hidden', async () => {
  const token = await sandbox.token();
  await sandbox.send('/ws/direct', payment('order-1'), { token });
  const headers = { Authorization: `Bearer ${token}`, 'X-JWS-Signature': signature('') };
  await fetch(`${sandbox.url}/ws/query?merchant_payment_code=order-1`, { headers });
  await page.getByRole('row', { name: 'query_payment order-1' }).waitFor();
  await page.getByLabel('no queries').check();
  await page.getByRole('row', { name: 'query_payment order-1' }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'create_payment order-1' }).waitFor();
});

test('a request shows its bytes, its header and why it was refused', async () => {
  const signed = payment('order-1', { name: 'José' });
  const sent = JSON.stringify(JSON.parse(signed), null, 2);
  await sandbox.send('/ws/direct', sent, { signed });
  await page.getByRole('link', { name: '2', exact: true }).click();
  await page.getByRole('heading', { name: 'Request 2' }).waitFor();
  assert.equal(await page.locator('#cause').textContent(), 'signature mismatch');
  assert.match(await page.locator('#finding').textContent(), /^the body was serialized again/);
  const header = JSON.parse(await page.locator('#protected-header').textContent());
  assert.deepEqual(header, { alg: 'RS256', kid: 'browser', b64: false, crit: ['b64'] });
  assert.equal((await page.locator('#body').textContent()).replaceAll('↵', ''), sent);
  assert.equal(await page.locator('#signed').textContent(), signed);
  assert.equal(await page.locator('#signed mark').count(), 0, 'all of what was signed arrived');
  const marks = await page.locator('#arrived mark').allTextContents();
  assert.ok(marks.length > 3, `${marks.length} marks`);
  assert.ok(
    marks.every((mark) => /^[↵\s]+$/.test(mark)),
    'only white space differs',
  );
  assert.match(await page.locator('#response').textContent(), /^401/);
});

test('a request shows its findings', async () => {
  const body = payment('order-1', { payment_type_code: 'tomorrow' });
  const response = await sandbox.send('/ws/direct', body);
  assert.equal((await response.json()).status, 'SUCCESS');
  await page.getByRole('link', { name: '2', exact: true }).click();
  const finding = page.locator('#findings li');
  await finding.waitFor();
  assert.match(await finding.textContent(), /^payment\.payment_type_code .* \(perhaps\)$/);
});

test('each of the five causes is shown', async () => {
  const body = payment('order-1');
  const token = await sandbox.token();
  const good = signature(body);
  const [header, , end] = good.split('.');
  const bare = Buffer.from('{"alg":"RS256","b64":false,"crit":["b64"]}').toString('base64url');
  const spoiled = {
    missing_signature: undefined,
    invalid_token_format: `${header}.${end}`,
    payload_not_detached: `${header}.${Buffer.from(body).toString('base64url')}.${end}`,
    invalid_header: `${bare}..${end}`,
    signature_mismatch: signature('other bytes'),
  };
  let number = 1;
  for (const [cause, value] of Object.entries(spoiled)) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    if (value !== undefined) {
      headers['X-JWS-Signature'] = value;
    }
    await fetch(`${sandbox.url}/ws/direct`, { method: 'POST', headers, body });
    number += 1;
    const words = cause.replaceAll('_', ' ');
    await page.getByRole('row', { name: `401 not executed ${words}` }).waitFor();
    await page.goto(`${sandbox.page}#requests/${number}`);
    await page.getByRole('heading', { name: `Request ${number}` }).waitFor();
    assert.equal(await page.locator('#cause').textContent(), words);
    await page.keyboard.press('Escape');
  }
});

test('a resend leads to its first', async () => {
  const body = payment('order-1');
  const token = await sandbox.token();
  for (let times = 0; times < 3; times += 1) {
    await sandbox.send('/ws/direct', body, { token });
  }
  await page.getByRole('row', { name: 'resend of 3' }).waitFor();
  await page.goto(`${sandbox.page}#requests/4`);
  await page.getByRole('link', { name: 'again as 3' }).waitFor();
  await page.getByRole('link', { name: 'first as 2' }).click();
  await page.getByRole('heading', { name: 'Request 2' }).waitFor();
});

test('the numbers that a serializer rewrote are marked', async () => {
  const signed = payment('order-1').replace('100.1', '100.10');
  await sandbox.send('/ws/direct', payment('order-1'), { signed });
  await page.getByRole('link', { name: '2', exact: true }).click();
  await page.getByText('wrote its numbers in other digits').waitFor();
  assert.deepEqual(await page.locator('#signed mark').allTextContents(), ['100.10']);
  assert.deepEqual(await page.locator('#arrived mark').allTextContents(), ['100.1']);
});

test('a token of an unknown key leads to the doctor command', async () => {
  const token = await sandbox.token();
  const pem = readFileSync(OTHER_PUBLIC_KEY, 'utf8');
  await sandbox.control('DELETE', 'keys/browser');
  for (const [number, kid] of [
    [2, null],
    [3, 'other'],
    [4, 'browser'],
  ]) {
    if (kid !== null) {
      await sandbox.control('POST', 'keys', { pem, kid });
    }
    await sandbox.send('/ws/direct', payment('order-1'), { token });
    await page.getByRole('link', { name: `${number}`, exact: true }).click();
    await page.getByRole('heading', { name: `Request ${number}` }).waitFor();
    assert.match(
      await page.locator('#finding').textContent(),
      /`payments doctor --key FILE` tells/,
    );
    assert.equal(await page.locator('#signed').count(), 0);
  }
});

test('the kind of a bearer token is named', async () => {
  const token = await sandbox.token();
  await sandbox.send('/ws/direct', payment('order-1'), { token: token.slice(0, -20) });
  await page
    .getByRole('row', { name: 'order-1 BRL 100.10 401 not executed verified cut' })
    .waitFor();
  await sandbox.control('POST', 'settings', { client_id: 'another' });
  await sandbox.control('POST', 'reset');
  const claims = Buffer.from('{"client_id":"another"}').toString('base64url');
  const foreign = `${token.split('.')[0]}.${claims}.${token.split('.')[2]}`;
  await sandbox.send('/ws/direct', payment('order-2'), { token: foreign });
  await page
    .getByRole('row', { name: 'order-2 BRL 100.10 401 not executed verified of another client' })
    .waitFor();
  await sandbox.control('POST', 'tokens/lifetime', { ms: 1 });
  await sandbox.send('/ws/direct', payment('order-3'));
  await page
    .getByRole('row', { name: 'order-3 BRL 100.10 401 not executed verified expired' })
    .waitFor();
  await page.getByRole('row', { name: 'order-3' }).getByRole('link').click();
  await page.getByText('expired: request a new token').waitFor();
});

test('with a request open, the list explains a 401', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await sandbox.send('/ws/direct', payment('order-1'), { token: 'nonsense' });
  await page.getByRole('link', { name: '1', exact: true }).click();
  await page.getByRole('heading', { name: 'Request 1' }).waitFor();
  for (const name of ['Status', 'Client reports', 'Signature', 'Bearer', 'Integration key']) {
    assert.ok(await page.getByRole('columnheader', { name, exact: true }).isVisible(), name);
    assert.ok(await rows().first().locator(`[data-name="${name}"]`).isVisible(), name);
  }
  const list = await page.locator('#request-list').boundingBox();
  const detail = await page.locator('.detail').boundingBox();
  assert.ok(list.x + list.width <= detail.x, 'the list ends before the request begins');
});

test('a refusal with status 200 has its reason in the list', async () => {
  await sandbox.pay('order-1', { amount_total: 'much' });
  await page.getByRole('row', { name: '200 refused' }).getByText('payment.amount_total').waitFor();
});

test('queries and token requests repeat without being resends', async () => {
  const token = await sandbox.token();
  await sandbox.token();
  for (let times = 0; times < 2; times += 1) {
    const headers = { Authorization: `Bearer ${token}`, 'X-JWS-Signature': signature('') };
    await fetch(`${sandbox.url}/ws/query?merchant_payment_code=order-1`, { headers });
  }
  await page.getByRole('link', { name: '4', exact: true }).click();
  await page.getByRole('heading', { name: 'Request 4' }).waitFor();
  assert.equal(await page.getByText('resend of').count(), 0);
  assert.equal(await page.getByText('again as').count(), 0);
});

test('times have milliseconds and a duration, also of payments', async () => {
  const before = Date.now();
  await sandbox.control('POST', 'faults', { then: [{ fault: 'slow', delay_ms: 25 }] });
  await sandbox.pay('order-1');
  // Not that of the token, which comes first.
  const row = rows().filter({ hasText: 'order-1' });
  await row.locator('[data-name="Took"]', { hasText: /^\d+ ms$/ }).waitFor();
  assert.ok(Number.parseInt(await row.locator('[data-name="Took"]').textContent(), 10) >= 25);
  assert.match(await row.locator('time').textContent(), /^\d\d:\d\d:\d\d[.,]\d{3}$/);
  await page.getByRole('link', { name: 'Payments' }).click();
  const steps = page.locator('.history time');
  await eventually(() => steps.count(), 2);
  for (const step of await steps.all()) {
    const at = Date.parse(await step.getAttribute('datetime'));
    assert.ok(at >= before && at <= Date.now(), `${at}`);
    assert.match(await step.textContent(), /\d\d:\d\d:\d\d[.,]\d{3}$/);
  }
});

test('a request is copied as a program that sends the same bytes', async () => {
  const body = payment('order-1', { name: 'O\'Hara "$HOME" `x` \\n José 😀' });
  const token = await sandbox.token();
  await sandbox.send('/ws/direct?a=b%20c', body, { token });
  await page.goto(`${sandbox.page}#requests/2`);
  const run = {
    curl: (text) => execFileSync('sh', ['-c', text]),
    Python: (text) => execFileSync('python3', ['-'], { input: text }),
    Node: (text) => execFileSync('node', ['--input-type=module', '-'], { input: text }),
    PHP: (text) => execFileSync('php', [], { input: text }),
  };
  const [, first] = await sandbox.requests();
  for (const [language, start] of Object.entries(run)) {
    start(await copyBy(page, language));
    const last = (await sandbox.requests()).at(-1);
    assert.equal(last.body_base64, first.body_base64, language);
    assert.equal(last.signature, 'verified', language);
    assert.equal(last.target, first.target, language);
    assert.ok(last.resend_of > 0, language);
  }
});

test('payments show their history and take legal moves only', async () => {
  await sandbox.pay('order-1');
  await sandbox.pay('order-2', {
    payment_type_code: 'oxxo',
    country: 'mx',
    currency_code: 'MXN',
  });
  await page.getByRole('link', { name: 'Payments' }).click();
  const row = page.getByRole('row', { name: 'order-1' });
  await row.getByText('PE (pending)').waitFor();
  await row.getByRole('button', { name: 'Pay' }).click();
  await row.getByText('CO (confirmed)').waitFor();
  await eventually(() => row.getByRole('button').count(), 0, 'no move is left');
  const history = await row.locator('.history li').allTextContents();
  assert.deepEqual(
    history.map((entry) => entry.slice(0, 2)),
    ['OP', 'PE', 'CO'],
  );
  await page.getByRole('row', { name: 'order-2' }).getByRole('button', { name: 'Decline' }).click();
  await page.getByText('CA (cancelled)').waitFor();
  await page.getByLabel('Find').fill('order-2');
  await row.waitFor({ state: 'detached' });
});

test('refunds, payouts and trackings are shown', async () => {
  const { payment: created } = await sandbox.pay('order-1');
  await sandbox.control('POST', 'payments/order-1/confirm');
  const token = await sandbox.token();
  await sandbox.send('/ws/refund', JSON.stringify({ hash: created.hash, description: 'broken' }), {
    token,
  });
  const payout = {
    external_reference: 'salary-1',
    country: 'br',
    amount: 12500,
    currency_code: 'BRL',
    target: 'pix',
    target_account: 'someone@example.com',
    payee: { name: 'João' },
  };
  await sandbox.send('/ws/payout/create', JSON.stringify(payout), { token });
  payout.external_reference = 'salary-2';
  await sandbox.send('/ws/payout/create', JSON.stringify(payout), { token });
  const tracking = { tracking_code: ['AA1BR'], order_number: '7', email: 'maria@example.com' };
  const codes = await sandbox.send('/ws/tracking', JSON.stringify(tracking), { token });
  assert.equal((await codes.json()).status, 'SUCCESS');
  await page.getByRole('link', { name: 'Payments' }).click();
  await page.getByLabel('Show').selectOption('refunds');
  // The list of payments shows the same state.
  await page.getByRole('columnheader', { name: 'Confirm or cancel' }).waitFor();
  await page.getByText('RE (requested)').waitFor();
  const amounts = () => page.locator('#ledger td:nth-child(3)').allTextContents();
  await eventually(amounts, ['BRL 100.10']);
  await page.getByRole('button', { name: 'Make pending' }).click();
  await page.getByText('PE (pending)').waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('CO (confirmed)').waitFor();
  await page.getByLabel('Show').selectOption('payouts');
  await page.getByText('salary-1').waitFor();
  await eventually(amounts, Array(2).fill('BRL 12\u00a0500.00'));
  const first = page.getByRole('row', { name: 'salary-1' });
  await first.getByRole('button', { name: 'Make pending' }).click();
  await first.getByText('PE (pending)').waitFor();
  await first.getByRole('button', { name: 'Pay' }).click();
  await first.getByText('PA (paid)').waitFor();
  await eventually(() => first.getByRole('button').count(), 0);
  const second = page.getByRole('row', { name: 'salary-2' });
  await second.getByLabel('Code of the cancellation').selectOption('BANK_INFO');
  await second.getByRole('button', { name: 'Cancel' }).click();
  await second.getByText('CA (cancelled)').waitFor();
  await second.getByText('BANK_INFO', { exact: true }).waitFor();
  const history = await second.locator('.history li').allTextContents();
  assert.deepEqual(
    history.map((entry) => entry.slice(0, 2)),
    ['OP', 'CA'],
  );
  await page.getByLabel('Find').fill('12 501');
  await page.getByText('No payouts match.').waitFor();
  await page.getByLabel('Find').fill('12 500');
  await page.getByText('salary-1').waitFor();
  await page.getByLabel('Find').fill('');
  await page.getByLabel('Show').selectOption('trackings');
  await page.getByText('AA1BR').waitFor();
});

test('faults are scripted, strike, and are dropped', async () => {
  await page.getByRole('link', { name: 'Faults' }).click();
  const names = page.locator('#fault-name');
  await names.locator('option').first().waitFor({ state: 'attached' });
  assert.equal(
    await names.locator('option').first().textContent(),
    'Response lost after execution',
  );
  await page
    .locator('#fault-about')
    .getByText('The operation is executed, then the connection closes without a response.')
    .waitFor();
  await page.locator('#fault-operation').selectOption('create_payment');
  await page.getByLabel('Times').fill('2');
  await page.getByRole('button', { name: 'Script it' }).click();
  await page.locator('#waiting').getByRole('cell', { name: 'response lost' }).waitFor();
  await assert.rejects(sandbox.pay('order-1'));
  await page.locator('#waiting td[data-name="Left"]', { hasText: '1' }).waitFor();
  await page.getByRole('button', { name: 'Drop', exact: true }).click();
  await page.getByText('No faults are waiting.').waitFor();
  assert.equal((await sandbox.pay('order-1')).status_code, 'BP-DR-0', 'it was executed');

  await names.selectOption('Token server blocked');
  assert.equal(await page.locator('#fault-operation').inputValue(), 'access_token');
  await page.getByRole('button', { name: 'Script it' }).click();
  await page.getByRole('cell', { name: 'access_token' }).waitFor();
  await names.selectOption('401: invalid header');
  await page.getByLabel('Delay (ms)').fill('5');
  await page.getByRole('button', { name: 'Script it' }).click();
  await page.getByRole('cell', { name: '5 ms' }).waitFor();
  assert.equal(await sandbox.token(), undefined);
  const refused = await sandbox.send('/ws/direct', payment('order-2'));
  assert.equal(refused.status, 401);
  assert.equal((await sandbox.requests()).at(-1).signature, 'invalid_header');
});

test('faults are listed with their effect and remaining strikes', async () => {
  await page.getByRole('link', { name: 'Faults' }).click();
  const row = page.locator('#known-faults').getByRole('row', { name: 'signature_mismatch' });
  await row.getByText('Refused as if another key, or other bytes, had been signed.').waitFor();
  assert.equal(await row.locator('[data-name="Times"]').textContent(), '2');
  await row.getByRole('button', { name: 'Choose' }).click();
  await eventually(() => page.getByLabel('Times').inputValue(), '2');
  await page.getByRole('button', { name: 'Script it' }).click();
  await page.locator('#waiting').getByRole('cell', { name: 'signature mismatch' }).waitFor();
  for (const status of [401, 401, 200]) {
    assert.equal((await sandbox.send('/ws/direct', payment('order-1'))).status, status);
  }
});

test('keys are registered by paste and by drop, and removed', async () => {
  await page.getByRole('link', { name: 'Signing keys and tokens' }).click();
  const pem = readFileSync(OTHER_PUBLIC_KEY, 'utf8');
  await page.getByLabel('Public key in PEM').fill(pem);
  await page.getByLabel('kid').fill('pasted');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('row', { name: 'pasted 4096' }).waitFor();
  // The form is emptied after the list has the key.
  await eventually(() => page.getByLabel('Public key in PEM').inputValue(), '');
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'public_key.pem'));
    return data;
  }, pem);
  await page.dispatchEvent('form.card', 'drop', { dataTransfer: dropped });
  await page.waitForFunction(() => document.getElementById('pem').value.startsWith('-----BEGIN'));
  await page.getByLabel('kid').fill('dropped');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('row', { name: 'dropped 4096' }).waitFor();
  for (const kid of ['pasted', 'dropped']) {
    await page.getByRole('row', { name: kid }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: kid }).waitFor({ state: 'detached' });
  }
});

test('tokens show their lifetime, and are revoked and blocked', async () => {
  await page.getByRole('link', { name: 'Signing keys and tokens' }).click();
  await page.getByText('No live tokens.').waitFor();
  const token = await sandbox.token();
  await page.getByText(/^23 h 59 min \d+ s$/).waitFor();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('No live tokens.').waitFor();
  const refused = await sandbox.send('/ws/direct', payment('order-1'), { token });
  assert.equal(refused.status, 401);
  await page.getByRole('button', { name: 'Block the token server' }).click();
  await page.getByText('The token server is blocked').waitFor();
  assert.equal(await sandbox.token(), undefined);
  await page.getByRole('button', { name: 'Unblock' }).click();
  await page.getByRole('button', { name: 'Block the token server' }).waitFor();
  assert.equal(typeof (await sandbox.token()), 'string');
});

test('a configuration works, with a program in each language', async () => {
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Make a key and a configuration' }).click();
  const configuration = await copyBy(page, 'Copy payments.json');
  const folder = mkdtempSync(join(tmpdir(), 'payments-page-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'payments.json');
  writeFileSync(file, configuration);
  const input = payment('order-1');
  const paid = execFileSync(
    process.env.PAYMENTS_COMMAND,
    ['--config', file, 'create-payment', '-'],
    { input },
  );
  assert.equal(JSON.parse(paid).status, 'PE');
  for (const [language, part] of Object.entries({
    Command: 'create-payment',
    Python: 'from libpayments import Client',
    Node: "from 'libpayments'",
    PHP: 'Libpayments\\Client',
    Rust: 'payments_core',
    C: 'pkg-config',
  })) {
    await page.getByLabel('Language').selectOption(language);
    assert.ok((await copyBy(page, 'Copy the program')).includes(part), language);
  }
});

test('a reset asks, and empties the page', async () => {
  await sandbox.pay('order-1');
  await page.getByRole('row', { name: 'order-1' }).waitFor();
  const [reset, question] = [page.getByRole('button', { name: 'Reset' }), page.getByRole('dialog')];
  await reset.click();
  await question.getByRole('button', { name: 'Keep them' }).click();
  await question.waitFor({ state: 'hidden' });
  await page.getByRole('row', { name: 'order-1' }).waitFor();
  await reset.click();
  await page.getByText('Delete all requests, payments, tokens and waiting faults?').waitFor();
  await question.getByRole('button', { name: 'Delete all' }).click();
  await page.getByText('No requests yet.').waitFor();
});

test('the finding of a refusal comes first, as one sentence', async () => {
  await sandbox.pay('order-1', { amount_total: 'much' });
  await page.getByRole('link', { name: '2', exact: true }).click();
  const [heading, finding] = [page.locator('.detail .top'), page.locator('.detail .top + p')];
  await heading.getByText('Request 2').waitFor();
  assert.match(await finding.textContent(), /^Refused: SANDBOX-INVALID: payment\.amount_total: /);
  await sandbox.send('/ws/direct', payment('order-2'), { signed: 'other bytes' });
  await page.getByRole('link', { name: '4', exact: true }).click();
  await heading.getByText('Request 4').waitFor();
  assert.match(await finding.textContent(), /^Refused: .{20}/);
  assert.equal(await page.locator('.detail #finding').count(), 1, 'it is told once');
});

test('the whole row opens a request', async () => {
  await sandbox.pay('order-1');
  await page.getByRole('cell', { name: 'BRL 100.10' }).click();
  await page.getByRole('heading', { name: 'Request 2' }).waitFor();
});

test('signing keys and the integration key are told apart', async () => {
  await sandbox.pay('order-1');
  await page.getByRole('columnheader', { name: 'Integration key', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Signing keys and tokens' }).click();
  await page.getByRole('heading', { name: 'Signing keys', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Register the public key of a signing key' }).waitFor();
});

test('a payment shows its refunds, and its requests, and back', async () => {
  const { payment: created } = await sandbox.pay('order-1');
  await sandbox.pay('order-2', { name: 'Ana Lima' });
  await sandbox.control('POST', 'payments/order-1/confirm');
  await sandbox.send('/ws/refund', JSON.stringify({ hash: created.hash, amount: 40 }));
  await page.getByRole('link', { name: 'Payments' }).click();
  const row = page.getByRole('row', { name: 'order-1' });
  await row.getByText('BRL 40.00 RE (requested)').waitFor();
  await row.getByRole('link', { name: 'Requests' }).click();
  await page.getByText('Requests of the payment order-1.').waitFor();
  await page.getByRole('row', { name: 'create_payment' }).waitFor();
  await page.getByRole('row', { name: 'refund_payment' }).waitFor();
  await eventually(() => rows().count(), 2);
  await page.getByRole('row', { name: 'refund_payment' }).getByRole('link').click();
  await page.locator('.detail').getByRole('link', { name: 'order-1' }).click();
  await eventually(() => page.locator('#ledger tbody tr').count(), 1);
  await page.getByRole('row', { name: 'BRL 40.00 RE' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByRole('row', { name: 'order-2' }).waitFor();
});

test('the lists have amounts, right-aligned, and the time since', async () => {
  const alignment = (cell) => cell.evaluate((element) => getComputedStyle(element).textAlign);
  await sandbox.pay('order-1', { amount_total: 1500 });
  for (const [part, table] of Object.entries({ Requests: '#request-list', Payments: '#ledger' })) {
    await page.getByRole('navigation').getByRole('link', { name: part }).click();
    const amount = page.locator(table).getByRole('cell', { name: 'BRL 1\u00a0500.00' });
    await amount.waitFor();
    assert.equal(await alignment(amount), 'right', part);
    const age = page.locator(`${table} [data-since]`).first();
    await age.getByText(/^\d+ s ago$/).waitFor();
    await age.evaluate((element) => {
      element.dataset.since = `${Date.now() - 125_000}`;
    });
    await page.getByText('2 min ago').waitFor();
  }
});

test('faults are in four groups, with one form', async () => {
  await page.getByRole('link', { name: 'Faults' }).click();
  const headings = page.locator('#known-faults h3');
  await eventually(() => headings.count(), 4);
  const titles = await headings.allTextContents();
  const groups = page.locator('#fault-name optgroup');
  const labels = await groups.evaluateAll((all) => all.map(({ label }) => label));
  assert.deepEqual(labels, titles);
  assert.equal(await page.locator('form.bar').count(), 1);
});

test('the tab of the faults counts those that wait', async () => {
  const tab = page.getByRole('navigation').getByRole('link', { name: 'Faults' });
  const lost = { then: [{ fault: 'response_lost' }] };
  await sandbox.control('POST', 'faults', lost);
  await sandbox.control('POST', 'faults', lost);
  await tab.getByText('(2)').waitFor();
  await assert.rejects(sandbox.pay('order-1'));
  await tab.getByText('(1)').waitFor();
  await sandbox.control('DELETE', 'faults');
  await tab.getByText('(1)').waitFor({ state: 'detached' });
});

test('a resend after a 401 is folded into one row', async () => {
  const body = payment('order-1');
  await sandbox.control('POST', 'faults', { then: [{ fault: 'signature_mismatch' }] });
  const token = await sandbox.token();
  await sandbox.send('/ws/direct', body, { token });
  await sandbox.send('/ws/direct', body, { token });
  const row = page.getByRole('row', { name: 'order-1' }).filter({ hasText: 'resend of 2' });
  await row.getByRole('link', { name: 'which had a 401' }).waitFor();
  await eventually(() => page.getByRole('row', { name: 'order-1' }).count(), 1);
  await row.getByRole('link', { name: 'which had a 401' }).click();
  await page.getByRole('heading', { name: 'Request 2' }).waitFor();
});

test('a request is replayed with a lost response', async () => {
  await sandbox.pay('order-1');
  await page.getByRole('link', { name: '2', exact: true }).click();
  await page.getByRole('button', { name: 'Replay with a lost response' }).click();
  const row = rows().filter({ hasText: 'resend of 2' });
  await row.getByText('no response').waitFor();
  await row.getByText('fault: response lost').waitFor();
  await row.getByText('unknown', { exact: true }).waitFor();
  const [, first, again] = await sandbox.requests();
  assert.equal(again.body_base64, first.body_base64);
  assert.equal(again.signature, 'verified');
});

test('the outcome that a client will report is beside each request', async () => {
  const reports = (reference) =>
    page.getByRole('row', { name: reference }).locator('[data-name="Client reports"]');
  await sandbox.pay('order-1');
  await reports('order-1').getByText('success').waitFor();
  await sandbox.pay('order-2', { payment_type_code: 'pixx' });
  await reports('order-2').getByText('not executed').waitFor();
  for (const [reference, fault, outcome] of [
    ['order-3', 'response_cut', 'unknown'],
    ['order-4', 'doubtful', 'unknown'],
    ['order-5', 'server_error', 'unknown'],
    ['order-6', 'rate_limited', 'not executed'],
  ]) {
    await sandbox.control('POST', 'faults', { operation: 'create_payment', then: [{ fault }] });
    await sandbox.pay(reference).catch(() => {});
    await reports(reference).getByText(outcome, { exact: true }).waitFor();
  }
});

test('the log is exported as HAR, without secrets', async () => {
  const { integration_key: key, client_secret: secret } = sandbox.settings;
  const body = JSON.stringify({ integration_key: key, ...JSON.parse(payment('order-1')) });
  const token = await sandbox.token();
  await sandbox.send('/ws/direct', body, { token });
  await fetch(`${sandbox.url}/ws/query?integration_key=${key}&merchant_payment_code=order-1`);
  await page.getByRole('row', { name: 'query_payment' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as HAR' }).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  const { entries } = JSON.parse(text).log;
  assert.deepEqual(
    entries.map(({ request }) => new URL(request.url).pathname),
    ['/authorization-server/oauth/token', '/ws/direct', '/ws/query'],
  );
  assert.equal(JSON.parse(entries[1].request.postData.text).payment.name, 'Maria Souza');
  const basic = Buffer.from(`${sandbox.settings.client_id}:${secret}`).toString('base64');
  for (const hidden of [key, secret, token, basic, signature(body)]) {
    assert.ok(hidden.length > 3 && !text.includes(hidden), 'a secret is in the file');
  }
});

test('responses have the time', async () => {
  for (const path of ['/ws/direct', '/sandbox/']) {
    const response = await fetch(sandbox.url + path);
    const age = Date.now() - Date.parse(response.headers.get('date'));
    assert.ok(Math.abs(age) < 60_000, `${path}: ${response.headers.get('date')}`);
  }
});
