// A request as a program that sends the same bytes again, and a first payment.

/** Headers that each program writes itself. */
const OWN = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'expect',
  'accept-encoding',
]);

function headersOf(record) {
  return record.headers.filter(([name]) => !OWN.has(name.toLowerCase()));
}

function targetOf(record) {
  return record.query === null ? record.path : `${record.path}?${record.query}`;
}

const quoted = JSON.stringify;
const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
const shell = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const phpText = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

export function curl(record, body, text) {
  const lines = [
    `curl --globoff --path-as-is -X ${record.method} ${shell(location.origin + targetOf(record))}`,
  ];
  const headers = headersOf(record);
  for (const [name, value] of headers) {
    lines.push(`-H ${shell(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  if (body.length > 0 && !headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    lines.push("-H 'Content-Type:'");
  }
  if (body.length === 0) {
    return `${lines.join(' \\\n  ')}\n`;
  }
  if (text !== null && !text.includes('\0')) {
    return `${[...lines, `--data-raw ${shell(text)}`].join(' \\\n  ')}\n`;
  }
  return `printf %s ${shell(base64(body))} | base64 -d |\n${[...lines, '--data-binary @-'].join(' \\\n  ')}\n`;
}

export function python(record, body, text) {
  const headers = headersOf(record)
    .map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`)
    .join('');
  const bytes =
    text === null ? `base64.b64decode(${quoted(base64(body))})` : `${quoted(text)}.encode()`;
  return `${text === null ? 'import base64\n' : ''}import http.client

connection = http.client.HTTPConnection(${quoted(location.host)})
headers = {
${headers}}
body = ${body.length === 0 ? 'None' : bytes}
connection.request(${quoted(record.method)}, ${quoted(targetOf(record))}, body, headers)
response = connection.getresponse()
print(response.status, response.read().decode())
`;
}

export function node(record, body, text) {
  const headers = headersOf(record)
    .map(([name, value]) => `    [${quoted(name)}, ${quoted(value)}],\n`)
    .join('');
  const bytes =
    text === null
      ? `Buffer.from(${quoted(base64(body))}, 'base64')`
      : `Buffer.from(${quoted(text)})`;
  return `const response = await fetch(${quoted(location.origin + targetOf(record))}, {
  method: ${quoted(record.method)},
  headers: [
${headers}  ],${body.length === 0 ? '' : `\n  body: ${bytes},`}
});
console.log(response.status, await response.text());
`;
}

export function php(record, body, text) {
  const headers = headersOf(record)
    .map(([name, value]) => `        ${phpText(`${name}: ${value}`)},\n`)
    .join('');
  const bytes = text === null ? `base64_decode(${phpText(base64(body))})` : phpText(text);
  return `<?php
$context = stream_context_create(['http' => [
    'method' => ${phpText(record.method)},
    'protocol_version' => 1.1,
    'ignore_errors' => true,
    'header' => [
${headers}    ],${body.length === 0 ? '' : `\n    'content' => ${bytes},`}
]]);
$body = file_get_contents(${phpText(location.origin + targetOf(record))}, false, $context);
echo $http_response_header[0], "\\n", $body, "\\n";
`;
}

const PAYMENT = {
  name: 'Maria Souza',
  email: 'maria@example.com',
  document: '853.513.468-93',
  country: 'br',
  payment_type_code: 'pix',
  merchant_payment_code: 'order-1001',
  currency_code: 'BRL',
  amount_total: '100.10',
};

const members = (indent, write) =>
  Object.entries(PAYMENT)
    .map(([name, value]) => `${indent}${write(name, value)},\n`)
    .join('');

/** A first payment in each language, with the configuration in payments.json. */
export const PROGRAMS = {
  Command: `payments --config payments.json create-payment - <<'END'
${JSON.stringify({ payment: PAYMENT }, null, 2)}
END
`,
  Python: `from libpayments import Client

with Client.from_file("payments.json") as client:
    response = client.create_payment(payment={
${members('        ', (name, value) => `"${name}": "${value}"`)}    })
print(response.hash, response.status)
`,
  Node: `import { Client } from 'libpayments';

const client = Client.fromFile('payments.json');
const response = await client.createPayment({ payment: {
${members('  ', (name, value) => `${name}: '${value}'`)}} });
console.log(response.hash, response.status);
`,
  PHP: `<?php
require 'vendor/autoload.php';

$client = Libpayments\\Client::fromFile('payments.json');
$payment = $client->createPayment(['payment' => [
${members('    ', (name, value) => `'${name}' => '${value}'`)}]]);
echo $payment->hash(), ' ', $payment->status(), "\\n";
`,
  Rust: `use payments_core::{Client, Config, CreatePayment, Payment};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("payments.json")?)?;
    let response = client.create_payment(&CreatePayment::new(Payment {
        name: "${PAYMENT.name}".into(),
        email: "${PAYMENT.email}".into(),
        document: Some("${PAYMENT.document}".into()),
        country: "${PAYMENT.country}".into(),
        payment_type_code: "${PAYMENT.payment_type_code}".into(),
        merchant_payment_code: "${PAYMENT.merchant_payment_code}".into(),
        currency_code: "${PAYMENT.currency_code}".into(),
        amount_total: "${PAYMENT.amount_total}".parse()?,
        ..Payment::default()
    }))?;
    println!("{}", response.qr_code_value().unwrap_or_default());
    Ok(())
}
`,
  C: `/* cc pay.c $(pkg-config --cflags --libs libpayments) -o pay
   with examples/c/pay.c of libpayments, then: */
./pay payments.json ${PAYMENT.merchant_payment_code} ${PAYMENT.amount_total}
`,
};
