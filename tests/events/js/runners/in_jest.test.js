// in_jest.test.js - run by jest. SPDX-License-Identifier: MIT
'use strict';

const { explore } = require('sennit');
const { counters } = require('./counter.cjs');

test('passes', async () => {
  expect((await explore('counters', counters(false))).verdict).toBe('passed');
});

test('rejects', async () => {
  await expect(explore('counters', counters(true))).rejects.toThrow('looked too early');
});

test('fails', async () => {
  await explore('counters', counters(true));
});
