// use.mts - uses every type of the package; it only has to compile. SPDX-License-Identifier: MIT
import { explore, generic } from 'sennit';
import type { Adapter, Report, Test } from 'sennit';
import { generic as same } from 'sennit/adapters/generic';
import { yjs } from 'sennit/adapters/yjs';
import { yorkie } from 'sennit/adapters/yorkie';
import { identityOf, ipfsLog, memoryOf } from 'sennit/adapters/ipfs-log';

class Counter {
  value = 0;

  add(by: number): number {
    this.value += by;
    return this.value;
  }
}

const adapter: Adapter<Counter, number, number> = {
  kindOf: (_, name) => (name === 'add' ? 'update' : undefined),
  save: (counter) => counter.value,
  restore: (saved) => Object.assign(new Counter(), { value: saved }),
  state: (counter) => counter.value,
  request: (counter) => counter.value,
  execute: (counter, message) => counter.add(message),
};

async function test(t: Test): Promise<void> {
  const a = t.replica('A', new Counter(), adapter);
  const b = t.replica('B', new Counter(), generic<Counter>({ updates: ['add'], save: 'copy' }));
  await t.start();
  const sum: number = a.add(1);
  t.update(b, 'twice', (counter, by) => counter.add(2 * by), sum);
  const message = await t.request(a, b);
  await t.execute(message);
  await t.sync(a, b);
  t.free(() => b.add(1));
  const { number, result, isPerformed } = t.last();
  await t.deliver(a);
  t.end();
  t.check(() => t.real(a).value === number && isPerformed && result);
}

const report: Report = await explore('types', test, { throws: false, order: 'free', eventTimeout: 5 });
report.assertPassed();
const adapters: Adapter[] = [same(), yjs({}), yorkie({ actor: '' }), ipfsLog()];
console.log(adapters, memoryOf(), identityOf('alice'));
// @ts-expect-error a test is a function
await explore('types', 7);
