// scenarios.mjs - clients for the tests: node scenarios.mjs NAME. SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { explore, generic } from '../../../bindings/js/lib/index.mjs';
import town from './town.cjs';

const { Town, lists } = town;
const adapter = generic({ ...lists, save: 'copy' });

function two(t, how = adapter) {
  return [t.replica('A', new Town(), how), t.replica('B', new Town(), how)];
}

/** The motivating example: A is told of a problem and of its solution, and transmits its list. */
function report(t) {
  const [a, b] = two(t);
  t.start();
  a.add('otb');
  b.merge(a);
  b.remove('otb');
  b.add('ph');
  a.merge(b);
  a.transmit();
  const transmitted = t.last();
  t.end();
  t.check(() => {
    assert.deepEqual(transmitted.result.includes('ph'), true, 'ph is missing');
  });
}

const scenarios = {
  report,

  parts(t) {
    const [a] = two(t);
    t.start();
    a.list('roads').add('hole');
    const roads = a.list('roads');
    assert.equal(roads.size, 1);
    roads.add('ice');
    a.mood = 'angry';
    t.end();
    t.check(() => assert.deepEqual([roads.names.length, a.mood], [2, 'angry']));
  },

  arguments(t) {
    const [a, b] = two(t);
    const problem = { what: 'hole' };
    t.start();
    a.adopt(problem);
    a.adopt({ what: 'ice', where: ['road'] });
    problem.what = 'changed by the test';
    a.each(function visit(name) {
      b.mood = name.what;
    });
    t.end();
  },

  async slow(t) {
    const [a, b] = two(t);
    t.start();
    assert.equal(await a.addLater('otb'), 'later');
    await b.merge(a);
    await b.addLater('ph');
    t.end();
    t.check(async () => {
      await null;
      assert(b.transmit().length < 2, 'B has both');
    });
  },

  impatient(t) {
    const [a] = two(t);
    t.start();
    a.addLater('otb').catch(() => {});
    a.add('ph');
    t.end();
  },

  throws(t) {
    const [a] = two(t);
    t.start();
    a.add('otb');
    a.remove('otb');
    assert.throws(() => a.remove('ph'), { message: 'there is no ph' });
    t.end();
  },

  messages(t) {
    const [a, b] = two(t);
    t.start();
    a.add('otb');
    const message = t.request(a, b);
    a.add('ph');
    t.execute(message);
    t.execute(message);
    t.free(() => b.add('free'));
    t.end();
  },

  delivery(t) {
    const [a, b] = two(t, generic({
      ...lists,
      save: 'copy',
      collect: (object) => {
        const before = object.transmit();
        return () => object.transmit().filter((name) => !before.includes(name));
      },
      deliver: (object, names) => names.forEach((name) => object.add(name)),
    }));
    t.start();
    a.add('otb');
    t.deliver(b);
    const update = t.update(a, 'twice', (object, name) => {
      object.add(`${name} 1`);
      object.add(`${name} 2`);
      return name;
    }, 'ph');
    assert.equal(update, 'ph');
    t.deliver(b, t.last());
    t.end();
  },

  time(t) {
    const drawn = [Date.now(), new Date().getTime(), Math.random(), Math.random()];
    const [a, b] = two(t);
    const look = () => [Date.now(), new Date().getTime(), Date().length > 0, performance.now(),
      Math.random(), Math.random(), crypto.randomBytes(4).toString('hex'),
      Array.from(globalThis.crypto.getRandomValues(new Uint32Array(1))), crypto.randomUUID(),
      crypto.randomInt(10)];
    t.start();
    t.query(a, 'drawn', () => drawn);
    t.query(a, 'look', look);
    t.query(b, 'look', look);
    t.query(b, 'later', async () => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return look();
    });
    return Promise.resolve(t.last()).then(() => {
      setImmediate(() => {});
    }).then(() => new Promise((resolve) => {
      setTimeout(resolve, 20);
    })).then(() => {
      t.end();
      t.check(() => {
        throw new Error(JSON.stringify([Date.now(), Math.random()]));
      });
    });
  },

  once(t) {
    const [a, b] = two(t, generic(lists));
    t.start();
    a.add('otb');
    const seen = a.transmit();
    assert.deepEqual(seen, ['otb']);
    assert.throws(() => b.remove('ph'), { message: 'there is no ph' });
    t.end();
    t.check(() => assert.deepEqual(a.transmit(), ['otb']));
  },

  unrecorded(t) {
    const [a] = two(t);
    t.start();
    a.add('otb');
    t.real(a).add('ph');
    t.end();
  },

  early(t) {
    const [a] = two(t);
    t.start();
    t.real(a);
    throw new Error('the test itself fails');
  },

  async promised(t) {
    const how = generic({
      ...lists,
      save: async (object) => adapter.save(object),
      restore: async (saved) => adapter.restore(saved),
      request: async (object) => adapter.save(object),
      execute: async (object, message) => object.merge(message),
      state: async (object) => object.toJSON(),
    });
    const [a, b] = two(t, how);
    await t.start();
    a.add('otb');
    await t.sync(a, b);
    b.add('ph');
    t.end();
  },

  // What is saved is not all there is: it is right at the beginning only.
  forgetful(t) {
    const how = generic({
      ...lists,
      save: (object) => adapter.save(object),
      restore: (saved) => Object.assign(adapter.restore(saved), { mood: 'calm' }),
    });
    const [a, b] = two(t, how);
    t.start();
    a.mood = 'angry';
    a.add('otb');
    a.add('ph');
    b.add('x');
    b.add('y');
    t.end();
  },
};

const { options } = JSON.parse(process.env.SCENARIO || '{"options":{}}');
const found = await explore(process.argv[2], scenarios[process.argv[2]], options);
if (process.env.SENNIT_EVENTS === undefined) {
  console.log(JSON.stringify({ verdict: found.verdict, text: found.text() }));
} else {
  // Given back: the clock goes on, and numbers are random again.
  process.exitCode = Date.now() - 1700000000000 > 1000 && Math.random() !== Math.random() ? 0 : 7;
}
