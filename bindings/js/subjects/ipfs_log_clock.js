// ipfs_log_clock.js - somebody writes with a clock at 2^53, and it stands still for everybody who joins.
//
// To that number a JavaScript number cannot add one. SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import Log from 'ipfs-log';
import { explore } from 'sennit';
import { identityOf, ipfsLog, memoryOf } from 'sennit/adapters/ipfs-log';

await explore('ipfs-log: a clock that sticks', async (t) => {
  const ipfs = memoryOf();
  const clock = { id: 'mallory', time: 2 ** 53 - 1 };
  const m = t.replica('M', new Log(ipfs, identityOf('mallory'), { logId: 'X', clock }), ipfsLog());
  const a = t.replica('A', new Log(ipfs, identityOf('alice'), { logId: 'X' }), ipfsLog());

  t.start();
  await m.append('p');
  await a.append('q');
  await a.append('r');
  await a.join(m);
  t.end();

  t.check(() => {
    for (const entry of a.values) {
      for (const before of entry.next) {
        assert(a.get(before).clock.time < entry.clock.time,
          `${entry.payload} follows ${a.get(before).payload}, and its clock is not later`);
      }
    }
  });
});
