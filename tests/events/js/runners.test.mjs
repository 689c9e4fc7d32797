// runners.test.mjs - the binding inside of other people's tools. SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { install } from './packages.mjs';

const FOLDER = path.resolve(process.env.SENNIT_JS_PACKAGES || 'packages', 'runners');
const DRIVER = path.join(path.dirname(fileURLToPath(import.meta.url)), 'driver.mjs');
const skip = install('runners', FOLDER) || false;

/** A program of the folder: its status, and what it says. */
function ran(program, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(FOLDER, 'node_modules', program), ...args], {
      cwd: FOLDER,
      env: { ...process.env, SENNIT_BIN: DRIVER, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined, CI: '1' },
      maxBuffer: 1 << 24,
    }, (error, stdout, stderr) => resolve({ status: error ? error.code : 0, stdout, stderr }));
  });
}

function assertOneFinding(outcomes, failure) {
  assert.deepEqual(outcomes, { passes: 'passed', rejects: 'passed', fails: 'failed' });
  assert.match(failure, /counters: looked too early\n(.*\n)*.*3\. B: get\(\)/);
}

test('explore() passes, rejects and fails tests of vitest', { skip }, async () => {
  const { stdout } = await ran('vitest/vitest.mjs', ['run', '--reporter=json', 'in_vitest']);

  const { assertionResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))).testResults[0];
  assertOneFinding(Object.fromEntries(assertionResults.map(({ title, status }) => [title, status])),
    assertionResults[2].failureMessages[0]);
});

test('explore() passes, rejects and fails tests of jest', { skip }, async () => {
  const { stdout } = await ran('jest/bin/jest.js', ['--json', '--silent', 'in_jest']);

  const { assertionResults } = JSON.parse(stdout).testResults[0];
  assertOneFinding(Object.fromEntries(assertionResults.map(({ title, status }) => [title, status])),
    assertionResults[2].failureMessages[0]);
});

test('explore() passes, rejects and fails tests of mocha', { skip }, async () => {
  const { stdout, status } = await ran('mocha/bin/mocha.js', ['--reporter=tap', 'in_mocha.cjs']);

  assert.equal(status, 1);
  assert.match(stdout, /^ok 1 passes\nok 2 rejects\nnot ok 3 fails\n/m);
  assert.match(stdout, /looked too early/);
});

test('TypeScript accepts the types, imported and required', { skip }, async () => {
  const { status, stdout } = await ran('typescript/bin/tsc',
    ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', 'use.mts',
      'use.cts']);

  assert.equal(stdout, '');
  assert.equal(status, 0);
});
