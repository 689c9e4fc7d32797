// in_mocha.cjs - run by mocha. SPDX-License-Identifier: MIT
'use strict';

const assert = require('node:assert');
const { explore } = require('sennit');
const { counters } = require('./counter.cjs');

it('passes', async () => {
  assert.equal((await explore('counters', counters(false))).verdict, 'passed');
});

it('rejects', async () => {
  await assert.rejects(explore('counters', counters(true)), /looked too early/);
});

it('fails', async () => {
  await explore('counters', counters(true));
});
