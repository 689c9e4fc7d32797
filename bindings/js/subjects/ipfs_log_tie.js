// ipfs_log_tie.js - one person writes to a log from two devices; who joins whom first decides the order.
//
// Entries with equal clocks of one identity tie, and ipfs-log then takes the one that it was handed first.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import Log from 'ipfs-log';
import { explore } from 'sennit';
import { identityOf, ipfsLog, memoryOf } from 'sennit/adapters/ipfs-log';

await explore('ipfs-log: one identity on two devices', async (t) => {
  const ipfs = memoryOf();
  const alice = identityOf('alice');
  const a = t.replica('A', new Log(ipfs, alice, { logId: 'X' }), ipfsLog());
  const b = t.replica('B', new Log(ipfs, alice, { logId: 'X' }), ipfsLog());

  t.start();
  await a.append('from the phone');
  await b.join(a);
  await b.append('from the desk');
  await a.join(b);
  t.end();

  t.check(async () => {
    await t.sync(a, b); // so that nothing is left under way
    await t.sync(b, a);
    assert.deepEqual(a.values.map(({ payload }) => payload), b.values.map(({ payload }) => payload));
  });
});
