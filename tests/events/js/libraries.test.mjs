// libraries.test.mjs - what the adapters make of real libraries. SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { exploreAll, orders, startByDescriptors } from './driver.mjs';
import { install } from './packages.mjs';

const FOLDER = path.join(process.env.SENNIT_JS_PACKAGES || 'packages', 'subjects');
const skip = install('subjects', path.resolve(FOLDER)) || false;

async function explored(subject) {
  const client = startByDescriptors(process.execPath, [path.join(path.resolve(FOLDER), `${subject}.js`)]);
  const summary = await exploreAll(client.link);
  client.link.bye(summary);
  await client.ended;
  return summary;
}

const messagesOf = ({ findings }) => findings.map(({ message }) => message).join('\n');

test('yjs converges in all interleavings of a list and a map', { skip }, async () => {
  const summary = await explored('yjs_list');

  assert.equal(summary.verdict, 'passed');
  assert.equal(summary.interleavings, 140);
});

test('a to-do list on yjs that numbers its items has an item twice', { skip }, async () => {
  const summary = await explored('yjs_todo');

  assert.match(messagesOf(summary), /an item is there twice: 1,1/);
  const [first] = summary.findings;
  assert.notDeepEqual(first.interleaving, first.interleaving.slice().sort()); // not as recorded
});

test('yorkie 0.4.10 diverges if the element that a move refers to is moved', { skip }, async () => {
  const summary = await explored('yorkie_move');

  assert.match(messagesOf(summary), /\[2,1,3,4,0\]/);
  assert.match(messagesOf(summary), /\[1,3,4,0,2\]/);
});

test('yorkie 0.7.7 converges there', { skip }, async () => {
  assert.equal((await explored('yorkie_move_fixed')).verdict, 'passed');
});

test('entries of one identity in an ipfs-log have the order in which logs were joined', { skip }, async () => {
  assert.match(messagesOf(await explored('ipfs_log_tie')), /strictly deep-equal/);
});

test('the clock of an ipfs-log stands still at 2^53', { skip }, async () => {
  assert.match(messagesOf(await explored('ipfs_log_clock')), /r follows p, and its clock is not later/);
});

// ---- Saving and restoring ------------------------------------------------------------------------

/** Runs a test's interleavings with and without sharing, in this process. */
async function outcomesOf(testOf, share) {
  const require = createRequire(path.join(path.resolve(FOLDER), 'package.json'));
  const lib = path.dirname(require.resolve('sennit'));
  const part = (name) => require(path.join(lib, `${name}.js`));
  const serve = part('serve');
  const recording = new (part('recording').Recording)(null);
  serve.take();
  serve.open(1700000000000, 1n);
  try {
    await testOf(new (part('test').Test)(recording), require);
    const runner = new (part('runner').Runner)(recording, { share });
    await runner.tryOut(await runner.recordedStates());
    const events = recording.events.map((event) => JSON.parse(event.text()));
    const { outcomes } = await runner.run([...orders(events)], true);
    return { outcomes, isSharing: runner.isSharing };
  } finally {
    serve.giveBack();
  }
}

async function sharesSoundly(testOf) {
  const shared = await outcomesOf(testOf, true);
  const alone = await outcomesOf(testOf, false);

  assert.equal(shared.isSharing, true);
  assert.deepEqual(shared.outcomes, alone.outcomes);
  assert.equal(new Set(alone.outcomes).size > 1, true);
}

test('a yjs document goes on from where it was saved as if it never was', { skip }, () =>
  sharesSoundly((t, require) => {
    const Y = require('yjs');
    const { yjs } = require('sennit/adapters/yjs');
    const [a, b] = ['A', 'B'].map((name) => t.replica(name, new Y.Doc(), yjs(Y)));
    a.getText('text').insert(0, 'bridge');
    t.sync(a, b);
    t.start();
    a.getText('text').delete(1, 3);
    t.deliver(b);
    b.getText('text').insert(2, 'X');
    t.sync(b, a);
    a.getText('text').format(0, 2, { bold: true });
    b.getMap('map').set('list', Y.Array.from([1, 2]));
    t.sync(a, b);
    t.end();
  }));

test('a yorkie document goes on from where it was saved as if it never was', { skip }, async () => {
  for (const name of ['yorkie-js-sdk', '@yorkie-js/sdk']) {
    await sharesSoundly((t, require) => {
      const { yorkie } = require('sennit/adapters/yorkie');
      const { Document } = require(name);
      const [a, b] = ['A', 'B'].map((one) => t.replica(one, new Document('doc'), yorkie()));
      a.update((root) => {
        root.list = [0, 1, 2];
        root.counts = { x: 1 };
      });
      t.sync(a, b);
      t.start();
      a.update((root) => root.list.push(3));
      t.deliver(b);
      b.update((root) => {
        root.list.moveFront(root.list.getElementByIndex(2).getID());
      });
      t.sync(b, a);
      a.update((root) => {
        delete root.counts.x;
        root.list.splice(0, 1);
      });
      b.update((root) => {
        root.counts.x = 2;
      });
      t.sync(a, b);
      t.end();
    });
  }
});

test('an ipfs-log goes on from where it was saved as if it never was', { skip }, () =>
  sharesSoundly(async (t, require) => {
    const Log = require('ipfs-log');
    const { ipfsLog, identityOf, memoryOf } = require('sennit/adapters/ipfs-log');
    const ipfs = memoryOf();
    const [a, b] = ['A', 'B'].map((name) =>
      t.replica(name, new Log(ipfs, identityOf('alice'), { logId: 'X' }), ipfsLog()));
    t.start();
    await a.append('one');
    await t.deliver(b);
    await b.append('two');
    await a.join(b);
    await a.append('three');
    await b.join(a);
    t.end();
  }));

test('a message that arrives twice changes nothing, and one that never does is missed', { skip }, async () => {
  const client = startByDescriptors(process.execPath, [path.join(path.resolve(FOLDER), 'yorkie_move_fixed.js')]);
  await client.link.greet();

  const [once, twice, never] = await client.link.run([[0, 1, 2, 3], [0, 1, 2, 2, 3], [0, 1, 3]]);
  client.link.bye();
  await client.ended;
  assert.equal(once.outcome, twice.outcome);
  assert.notEqual(once.outcome, never.outcome);
});

test('a yjs document that was restored keeps its client, and so its way to settle conflicts', { skip }, async () => {
  const { outcomes } = await outcomesOf((t, require) => {
    const Y = require('yjs');
    const { yjs } = require('sennit/adapters/yjs');
    const a = t.replica('A', new Y.Doc(), yjs(Y, { clientID: 7 }));
    a.getMap('m').set('x', 0);
    t.start();
    a.getMap('m').set('x', 1);
    t.end();
    t.check(() => assert.equal(t.real(a).clientID, 7));
  }, true);

  assert.deepEqual(outcomes, [0]);
});

// ---- With the command ----------------------------------------------------------------------------

const COMMAND = process.env.SENNIT_COMMAND || '';
const why = skip || (fs.existsSync(`${COMMAND}-events`) ? false : 'sennit events is not built');

/** Runs `sennit ...` where the subjects are; {status, stdout, stderr, out}, the last its directory. */
function sennit(...words) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-js-'));
  const env = { ...process.env, SENNIT_NO_SHRINK: '0' };
  const done = spawnSync(COMMAND, words.map((word) => (word === 'OUT' ? out : word)),
    { cwd: path.resolve(FOLDER), env, encoding: 'utf8', timeout: 120000 });
  return { ...done, out };
}

const explores = (subject, ...words) => sennit('events', '--exec', `node ${subject}.js`, '-o', 'OUT', ...words);

test('sennit finds the move of yorkie 0.4.10, shrinks it to the two moves and explains it', { skip: why }, () => {
  const found = explores('yorkie_move');
  const trace = path.join(found.out, 'events-interleavings-1.shrunk.trace');
  const explained = sennit('explain', '-i', '8000', trace);

  assert.equal(found.status, 1, found.stderr);
  assert.match(found.stdout, /shrunk: +6 -> 2 steps/);
  assert.match(sennit('show', trace).stdout, /move 2 behind 0[^]*move 0 behind 4/);
  assert.match(explained.stdout, /WHY +In 1000 of 1000 random schedules with/);
});

test('sennit finds nothing in yorkie 0.7.7, nor in yjs', { skip: why }, () => {
  for (const subject of ['yorkie_move_fixed', 'yjs_list']) {
    const done = explores(subject);

    assert.equal(done.status, 0, done.stdout + done.stderr);
    assert.match(done.stdout, /was run/);
  }
});

test('sennit finds both bugs of ipfs-log, and the application that numbers its items', { skip: why }, () => {
  for (const subject of ['ipfs_log_tie', 'ipfs_log_clock', 'yjs_todo']) {
    assert.equal(explores(subject).status, 1, subject);
  }
});

test('a file that sennit emits runs the failing interleaving alone', { skip: why }, () => {
  const file = path.join(path.resolve(FOLDER), 'emitted.cjs');
  const found = explores('yorkie_move', '--emit', file);
  const alone = spawnSync(process.execPath, [file], { cwd: path.resolve(FOLDER), encoding: 'utf8' });

  assert.equal(found.status, 1);
  assert.equal(alone.status, 1, alone.stdout + alone.stderr);
  assert.match(alone.stderr, /\[1,3,4,0,2\]/);
});

test('explore() starts sennit by itself, and tells what it has found', { skip: why }, () => {
  const run = (subject) => spawnSync(process.execPath, [`${subject}.js`], {
    cwd: path.resolve(FOLDER), encoding: 'utf8', timeout: 120000,
    env: { ...process.env, SENNIT_BIN: COMMAND, SENNIT_NO_SHRINK: '0' },
  });
  const failing = run('yorkie_move');

  assert.equal(failing.status, 1);
  assert.match(failing.stderr, /in this order:\n +0\. .*\n +3\. /);
  assert.equal(run('yjs_list').status, 0);
});
