// in_vitest.test.mjs - run by vitest. SPDX-License-Identifier: MIT
import { expect, test } from 'vitest';
import { explore } from 'sennit';
import { counters } from './counter.cjs';

test('passes', async () => {
  expect((await explore('counters', counters(false))).verdict).toBe('passed');
});

test('rejects', async () => {
  await expect(explore('counters', counters(true))).rejects.toThrow('looked too early');
});

test('fails', async () => {
  await explore('counters', counters(true));
});
