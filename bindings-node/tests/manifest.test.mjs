// The package has what the core has, by the manifest that all languages share.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import * as libpayments from 'libpayments';

import { CASES, FUNCTIONS } from './support/level.mjs';
import { REPORT } from './support/report.mjs';
import { readShared, rejection } from './support/sandbox.mjs';
import { camelCase } from './support/tree.mjs';

const { Client, PaymentsError } = libpayments;
const manifest = JSON.parse(readShared('manifest.json'));
const home = dirname(createRequire(import.meta.url).resolve('libpayments/package.json'));
const files = readdirSync(home).filter((file) => file.endsWith('.d.ts'));
const declarations = files.map((file) => readFileSync(join(home, file), 'utf8')).join('\n');

/** The declaration of an interface, a class or a type. */
function declarationOf(name) {
  const start = declarations.search(new RegExp(`^export (interface|class|type) ${name}\\b`, 'm'));
  assert.ok(start >= 0, `${name} is not declared`);
  const end = declarations.slice(start + 1).search(/^export /m);
  return declarations.slice(start, end < 0 ? undefined : start + 1 + end);
}

/** The names of the members that a declaration has. */
function membersOf(name) {
  const members = declarationOf(name).matchAll(
    /^ +(?:readonly |get )?([a-z_A-Z0-9]+)(?:\(\))?\??:/gm,
  );
  return [...members].map((match) => match[1]);
}

/** The texts of a type that is a choice of texts. */
function choicesOf(text) {
  return [...text.matchAll(/'([a-z_0-9]+)'/g)].map((match) => match[1]);
}

test('every operation has a method, its fields and its response', () => {
  const names = choicesOf(/type OperationName = .*;/.exec(declarations)[0]);
  const declared = [...names, ...membersOf('Operations')];
  for (const { name, request, fields, view } of manifest.operations) {
    assert.equal(typeof Client.prototype[camelCase(name)], 'function', name);
    assert.ok(declared.includes(name), name);
    if (request !== null && name !== 'send') {
      checkFields(request, fields);
    }
    if (name !== 'send') {
      const method = new RegExp(`^  ${camelCase(name)}\\(.*\\): Promise<(\\w+)>;`, 'm').exec(
        declarations,
      );
      const response = membersOf(method[1]);
      const own = view.filter((member) => member !== 'response').map(camelCase);
      const missing = own.filter((member) => !response.includes(member));
      assert.deepEqual(missing, [], name);
    }
  }
});

function checkFields({ type, holds_key: holdsKey }, fields) {
  const key = holdsKey ? ['integration_key'] : [];
  const expected = [...fields.map(({ name }) => name), ...key, 'extra'].sort();
  assert.deepEqual([...new Set(membersOf(type))].sort(), expected, type);
  for (const { name, presence, condition, object, fields: parts } of fields) {
    const isOptional = new RegExp(`^ +${name}\\?:`, 'm').test(declarationOf(type));
    const isRequired = presence === 'required' && condition === undefined;
    assert.equal(isOptional, !isRequired, `${type}.${name}`);
    if (object !== undefined) {
      checkFields(object, parts);
    }
  }
}

test('every function exists', () => {
  for (const name of FUNCTIONS) {
    const places = [libpayments, Client, Client.prototype];
    assert.ok(
      places.some((it) => camelCase(name) in it),
      name,
    );
  }
});

test('the README lists every method', () => {
  const readme = readFileSync(join(home, 'README.md'), 'utf8');
  const [, table] = readme.split(/<!-- methods:(?:begin|end) -->/);
  const codes = table
    .split('\n')
    .map((row) => row.split(' | ')[0].matchAll(/`(?:Client\.)?(\w+)`/g));
  const listed = codes.flatMap((row) => [...row].map(([, name]) => name));
  const isMethod = (name) => !['constructor', 'length', 'name', 'prototype'].includes(name);
  const holders = [Client, Client.prototype, Object.getPrototypeOf(Client.prototype)];
  const places = holders.flatMap((it) => Object.getOwnPropertyNames(it));
  const exported = Object.entries(libpayments).filter(
    ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
  );
  const expected = [...places.filter(isMethod), ...exported.map(([name]) => name)];
  assert.deepEqual(listed.sort(), expected.sort());
});

test('each file of cases has a file of tests that runs it', () => {
  const tests = readdirSync(import.meta.dirname).filter((it) => it.endsWith('.check.mjs'));
  const texts = tests.map((it) => readFileSync(join(import.meta.dirname, it), 'utf8'));
  for (const file of Object.keys(CASES)) {
    assert.ok(
      texts.some((it) => it.includes(`CASES['${file}']`)),
      file,
    );
  }
});

test('every option is declared, and reaches the core', () => {
  const names = manifest.configuration.map(({ name }) => name);
  assert.deepEqual(membersOf('Config').sort(), names.toSorted());
  for (const name of names) {
    try {
      new Client({ [name]: [] });
      assert.fail(`${name} took a list`);
    } catch (error) {
      assert.notEqual(error.code, 'member_unknown', name);
      assert.equal(error.kind, 'config', name);
    }
  }
});

test('every kind, outcome, cause and finding is declared', () => {
  const declared = (name) => choicesOf(declarationOf(name).replaceAll(/\/\*[^]*?\*\//g, ''));
  assert.deepEqual(
    declared('ErrorKind'),
    manifest.error_kinds.map(({ name }) => name),
  );
  assert.deepEqual(declared('Outcome'), manifest.outcomes);
  assert.deepEqual(declared('VerifyCause'), manifest.diagnosis.causes);
  assert.deepEqual(declared('Diagnosis'), manifest.diagnosis.findings);
});

test('an error has every member of the report', async () => {
  assert.deepEqual(Object.keys(REPORT), manifest.error_members);
  const declared = membersOf('PaymentsError');
  const details = membersOf('PaymentsErrorDetails');
  for (const name of Object.values(REPORT).filter((it) => it !== 'message')) {
    assert.ok(declared.includes(name), name);
    assert.ok(details.includes(name), name);
    const error = new PaymentsError('x', { [name]: 'given' });
    assert.equal(error[name], 'given', name);
  }
  for (const detail of manifest.error_details) {
    assert.ok(details.includes(camelCase(detail)), detail);
  }
  const client = new Client({ base_url: 'http://127.0.0.1:1', integration_key: 'k' });
  const real = await rejection(client.createPayment({}));
  assert.deepEqual([real.kind, real.code, real.path], ['validation', 'required', 'payment']);
});
