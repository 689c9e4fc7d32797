// binding.test.mjs - the binding against a driver that knows nothing of it but the protocol.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exploreAll, orders, startByDescriptors, startBySocket } from './driver.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const DRIVER = path.join(HERE, 'driver.mjs');
const PACKAGE = path.join(HERE, '..', '..', '..', 'bindings', 'js');
const TIME = 1700000000000;

const children = [];

// A client whose test has failed would wait for ever.
afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

/** A scenario that has told its recording. */
async function started(name, { results = null, random, start = startByDescriptors, stderr } = {}) {
  const client = await start(process.execPath, [path.join(HERE, 'scenarios.mjs'), name], { stderr });
  children.push(client.child);
  await client.link.greet(results, random);
  return { ...client, events: client.link.recording && client.link.recording.events };
}

/** Ends a client as Sennit does, and says how it took that. */
async function finished({ link, ended }) {
  link.bye();
  const { status } = await ended;
  assert.equal(status, 0);
}

/** What a program says and how it ends. */
function ran(command, args, options = {}) {
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ status: error ? error.code : 0, stdout, stderr }));
  });
}

/** A scenario that never gets as far as its recording: what it says instead. */
async function refused(name) {
  const client = await started(name, { stderr: 'pipe' });
  let said = '';
  client.child.stderr.on('data', (text) => {
    said += text;
  });
  const { status } = await client.ended;
  assert.equal(client.events, null);
  assert.notEqual(status, 0);
  return said;
}

/** splitmix64 in the words of the protocol. */
function* splitmix(seed) {
  const mask = (1n << 64n) - 1n;
  for (let state = BigInt(seed) & mask; ;) {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    yield z ^ (z >> 31n);
  }
}

const fractionOf = (value) => Number(value >> 11n) / 2 ** 53;

// ---- Recording -----------------------------------------------------------------------------------

test('proxies record one event for each call, with replica, operation, arguments and result', async () => {
  const client = await started('report');

  assert.deepEqual(client.link.hello, { sennit: 1, binding: 'js 0.1.0', name: 'report' });
  assert.deepEqual(client.link.recording.replicas, ['A', 'B']);
  assert.equal(client.link.recording.can_restore, true);
  assert.deepEqual(client.events[0],
    { kind: 'update', replica: 'A', op: 'add', args: ['otb'], result: null });
  assert.deepEqual(client.events.map(({ kind }) => kind),
    ['update', 'request', 'execute', 'update', 'update', 'request', 'execute', 'query']);
  assert.deepEqual(client.events[7],
    { kind: 'query', replica: 'A', op: 'transmit', args: [], result: ['otb', 'ph'] });
  await finished(client);
});

test('a call that is given another replica is a request there and an execution here', async () => {
  const client = await started('report');

  assert.deepEqual(client.events[1],
    { kind: 'request', replica: 'A', to: 'B', op: 'merge', args: [], result: null });
  assert.deepEqual(client.events[2],
    { kind: 'execute', replica: 'B', from: 'A', of: 1, op: 'merge', args: [], result: 1 });
  await finished(client);
});

test('the recording tells the states that the recorded order leads to', async () => {
  const client = await started('report');

  const { states } = client.link.recording;
  assert.deepEqual(states.B, { all: ['ph'], applied: 1, mood: 'calm' });
  const [outcome] = await client.link.run([client.events.map((_, i) => i)]);
  assert.deepEqual(outcome.states, states);
  await finished(client);
});

test('an event is performed again by the path that led to its object', async () => {
  const client = await started('parts');

  assert.deepEqual(client.events.map(({ op }) => op),
    ['list("roads").add', 'list("roads").size', 'list("roads").add', 'mood']);
  const [outcome] = await client.link.run([[2, 1, 3]]);
  assert.deepEqual(outcome.states.A, { roads: ['ice'], applied: 0, mood: 'angry' });
  assert.equal(outcome.results[1], 1);
  await finished(client);
});

test('arguments are those of the recorded call, whatever was done to them since', async () => {
  const client = await started('arguments');

  const [first, second] = await client.link.run([[0, 1, 2], [1, 0, 2]]);
  assert.deepEqual(first.states.A.all,
    [{ what: 'hole', owner: 'town' }, { what: 'ice', where: ['road'], owner: 'town' }]);
  assert.deepEqual(second.states.A.all.map(({ what }) => what), ['ice', 'hole']);
  assert.deepEqual(second.states.B.mood, 'hole');
  await finished(client);
});

test('calls inside of an event are part of it and no events', async () => {
  const client = await started('arguments');

  assert.equal(client.events.length, 3);
  assert.deepEqual(client.events[2].args, ['<function visit>']);
  await finished(client);
});

test('events that are freed say so', async () => {
  const client = await started('messages');

  assert.deepEqual(client.events.map(({ free }) => free),
    [undefined, undefined, undefined, undefined, undefined, true]);
  await finished(client);
});

test('a segment that changes a replica without recording it is refused', async () => {
  assert.match(await refused('unrecorded'), /the recorded events do something else when they are performed/);
});

test('a test that fails by itself is not explored', async () => {
  assert.match(await refused('early'), /the test itself fails/);
});

// ---- Running -------------------------------------------------------------------------------------

test('assertions see the replicas of the interleaving that was just run', async () => {
  const client = await started('parts');

  const [all, some] = await client.link.run([[3, 2, 1, 0], [3, 2]]);
  assert.equal(all.failed, undefined);
  assert.match(some.failed.message, /strictly deep-equal/);
  await finished(client);
});

test('assertions see what a query returned in this interleaving', async () => {
  const client = await started('report');

  const [good, bad] = await client.link.run([[0, 1, 2, 3, 4, 5, 6, 7], [0, 7, 1, 2, 3, 4, 5, 6]]);
  assert.equal(good.failed, undefined);
  assert.equal(bad.failed.message, 'ph is missing\n\nfalse !== true\n');
  assert.match(bad.failed.at, /scenarios\.mjs:\d+$/);
  assert.deepEqual(bad.results[7], ['otb']);
  await finished(client);
});

test('assertions are not run if that is not wanted', async () => {
  const client = await started('report');

  const [bad] = await client.link.run([[0, 7, 1, 2, 3, 4, 5, 6]], false);
  assert.equal(bad.failed, undefined);
  await finished(client);
});

test('all interleavings have the outcomes that they have one by one', async () => {
  const client = await started('report');
  const all = [...orders(client.events)];

  const together = await client.link.run(all);
  for (let i = all.length - 1; i >= 0; i -= 7) {
    const [alone] = await client.link.run([all[i]]);
    assert.equal(alone.outcome, together[i].outcome);
  }
  await finished(client);
});

test('an asynchronous event is over before the next one begins', async () => {
  const client = await started('slow');

  const [outcome, other] = await client.link.run([[0, 1, 2, 3], [3, 0, 1, 2]]);
  assert.deepEqual(outcome.results, ['later', null, 1, 'later']);
  assert.deepEqual(outcome.states.B.all, ['otb', 'ph']);
  assert.deepEqual(other.states.B.all, ['ph', 'otb']);
  await finished(client);
});

test('asynchronous assertions are awaited', async () => {
  const client = await started('slow');

  const [both, one] = await client.link.run([[0, 1, 2, 3], [0, 1, 2]]);
  assert.equal(both.failed.message, 'B has both');
  assert.equal(one.failed, undefined);
  await finished(client);
});

test('adapters may save, restore, tell and apply messages asynchronously', async () => {
  const client = await started('promised');

  const [outcome, other] = await client.link.run([[0, 1, 2, 3], [3, 0, 1, 2]]);
  assert.deepEqual(outcome.states.B.all, ['otb', 'ph']);
  assert.deepEqual(other.states.B.all, ['ph', 'otb']);
  await finished(client);
});

test('an event that begins while another one is not over is refused', async () => {
  assert.match(await refused('impatient'), /add begins before addLater is over: await it/);
});

test('an event that throws has that for its result, and the interleaving goes on', async () => {
  const client = await started('throws');

  assert.deepEqual(client.events[2].result, { throws: 'there is no ph' });
  const [outcome] = await client.link.run([[1, 0, 2]]);
  assert.deepEqual(outcome.results, [null, { throws: 'there is no otb' }, { throws: 'there is no ph' }]);
  assert.deepEqual(outcome.states.A.all, ['otb']);
  await finished(client);
});

test('a message is made when it is requested and does not change under way', async () => {
  const client = await started('messages');

  const [outcome] = await client.link.run([[0, 1, 2, 3]]);
  assert.deepEqual(outcome.states.B.all, ['otb']);
  await finished(client);
});

test('an event that occurs again is performed again, and its first result counts', async () => {
  const client = await started('messages');

  const [outcome] = await client.link.run([[0, 0, 1, 3, 3, 4]]);
  assert.deepEqual(outcome.states.A.all, ['otb', 'otb']);
  assert.deepEqual(outcome.states.B.applied, 3);
  assert.deepEqual(outcome.results, [null, null, null, 1, 3, null]);
  await finished(client);
});

test('an interleaving need not have all events', async () => {
  const client = await started('messages');

  const [some, none] = await client.link.run([[2, 5], []]);
  assert.deepEqual([some.states.A.all, some.states.B.all], [['ph'], ['free']]);
  assert.deepEqual(none.states.A, { applied: 0, mood: 'calm' });
  assert.deepEqual(none.results, [null, null, null, null, null, null]);
  await finished(client);
});

test('an execution without its message does nothing', async () => {
  const client = await started('messages');

  const [outcome] = await client.link.run([[3, 0, 1]]);
  assert.deepEqual(outcome.states.B, { applied: 0, mood: 'calm' });
  assert.equal(outcome.results[3], null);
  await finished(client);
});

test('a delivery applies the message of one update', async () => {
  const client = await started('delivery');

  assert.deepEqual(client.events.map(({ kind, of }) => [kind, of]),
    [['update', undefined], ['deliver', 0], ['update', undefined], ['deliver', 2]]);
  const [outcome, early] = await client.link.run([[0, 2, 3, 1], [1, 0, 2, 3]]);
  assert.deepEqual(outcome.states.B.all, ['ph 1', 'ph 2', 'otb']);
  assert.deepEqual(early.states.B.all, ['ph 1', 'ph 2']);
  await finished(client);
});

test('outcomes are described again to somebody who has not heard of them', async () => {
  const client = await started('delivery');

  const [, second] = await client.link.run([[0, 2], [0]]);
  const [again] = await client.link.run([[0]], true, { fresh: true });
  assert.deepEqual(again, second);
  await finished(client);
});

test('outcomes that differ in the order of keys only are the same', async () => {
  const client = await started('delivery');

  const [one, other] = await client.link.run([[0, 2], [0, 2]]);
  assert.equal(one.outcome, other.outcome);
  await finished(client);
});

test('sharing what interleavings have in common is given up where saving forgets', async () => {
  const client = await started('forgetful');
  const all = [...orders(client.events)];

  const outcomes = await client.link.run(all);
  assert.deepEqual(new Set(outcomes.map(({ states }) => states.A.mood)), new Set(['angry']));
  await finished(client);
});

test('an interleaving can be run step by step', async () => {
  const client = await started('report');
  const { link } = client;

  assert.deepEqual(await link.ask({ do: 'begin' }), { id: 1, ok: true });
  assert.deepEqual((await link.ask({ do: 'event', event: 0 })).states.A.all, ['otb']);
  const transmitted = await link.ask({ do: 'event', event: 7 });
  assert.deepEqual([transmitted.result, transmitted.states.B], [['otb'], { applied: 0, mood: 'calm' }]);
  assert.equal((await link.ask({ do: 'end', check: true })).failed.message,
    'ph is missing\n\nfalse !== true\n');
  assert.deepEqual(await link.ask({ do: 'end', check: false }), { id: 5 });
  assert.deepEqual(await link.ask({ do: 'begin' }), { id: 6, ok: true });
  assert.deepEqual((await link.ask({ do: 'event', event: 7 })).result, []);
  await finished(client);
});

// ---- Time and random numbers ---------------------------------------------------------------------

test('the first numbers of splitmix64 are the published ones', () => {
  const numbers = splitmix(1234567);

  assert.deepEqual([numbers.next().value, numbers.next().value, numbers.next().value],
    [6457827717110365317n, 3203168211198807973n, 9817491932198370423n]);
});

test('the set-up has the time of the first message and random numbers of its own', async () => {
  const client = await started('time');
  const numbers = splitmix(1234567 - 1);

  assert.deepEqual(client.events[0].result,
    [TIME, TIME, fractionOf(numbers.next().value), fractionOf(numbers.next().value)]);
  await finished(client);
});

test('each event has the time of its replica and random numbers of its own', async () => {
  const client = await started('time');

  const [forward, back] = await client.link.run([[0, 1, 2, 3], [3, 2, 1, 0]]);
  for (const [outcome, times] of [[forward, [1, 2, 1, 2]], [back, [2, 1, 2, 1]]]) {
    for (const number of [1, 2, 3]) {
      const numbers = splitmix(1234567 + number);
      const [now, date, hasText, performance, one, other, bytes, [word], uuid, digit] = outcome.results[number];
      assert.deepEqual([now, date, hasText, performance],
        [TIME + times[number], TIME + times[number], true, times[number]]);
      assert.deepEqual([one, other], [fractionOf(numbers.next().value), fractionOf(numbers.next().value)]);
      const drawn = Buffer.alloc(8);
      drawn.writeBigUInt64LE(numbers.next().value);
      assert.equal(bytes, drawn.subarray(0, 4).toString('hex'));
      assert.equal(BigInt(word), numbers.next().value & 0xffffffffn);
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      numbers.next();
      numbers.next();
      assert.equal(digit, Math.floor(fractionOf(numbers.next().value) * 10));
    }
  }
  await finished(client);
});

test('assertions have the time of all events and random numbers of their own', async () => {
  const client = await started('time');

  const [outcome] = await client.link.run([[0, 1, 2, 3]]);
  assert.deepEqual(JSON.parse(outcome.failed.message),
    [TIME + 4, fractionOf(splitmix(1234567 + 64).next().value)]);
  await finished(client);
});

test('a seed of 64 bits is not rounded', async () => {
  const client = await started('time', { random: 18446744073709551615n });
  const numbers = splitmix((1n << 64n) - 2n);

  assert.equal(client.events[0].result[2], fractionOf(numbers.next().value));
  await finished(client);
});

test('time and random numbers are given back', async () => {
  // Each scenario looks at the clock at its end, and finished() at what came of that.
  const client = await started('time');

  await finished(client);
});

// ---- Clients that cannot go back -----------------------------------------------------------------

test('a client without save and restore says so, and runs one interleaving', async () => {
  const client = await started('once');

  assert.equal(client.link.recording.can_restore, false);
  assert.deepEqual(client.events.map(({ result }) => result), [null, ['otb'], { throws: 'there is no ph' }]);
  client.link.to.end();
  await client.ended;
});

test('with results a client performs nothing before it is asked', async () => {
  const results = [null, ['otb'], { throws: 'there is no ph' }];
  const client = await started('once', { results });

  assert.deepEqual(client.events.map(({ result }) => result), results);
  assert.equal(client.link.recording.states, undefined);
  const [outcome] = await client.link.run([[1, 0, 2]]);
  assert.deepEqual(outcome.results, [null, [], { throws: 'there is no ph' }]);
  assert.deepEqual(outcome.states.A.all, ['otb']);
  assert.equal(outcome.failed, undefined);
  await finished(client);
});

test('a client that cannot go back refuses a second interleaving', async () => {
  const client = await started('once', { results: [null, ['otb'], { throws: 'there is no ph' }] });

  await client.link.run([[0, 1, 2]]);
  await assert.rejects(client.link.run([[0, 1, 2]]), /cannot be restored/);
  await finished(client);
});

// ---- Channels ------------------------------------------------------------------------------------

test('a client can be met at a socket', async () => {
  const client = await started('report', { start: startBySocket });

  const summary = await client.link.run([[0, 1, 2, 3, 4, 5, 6, 7]]);
  assert.equal(summary.length, 1);
  await finished(client);
});

test('at the end of the channel a client ends', async () => {
  const byDescriptors = await started('report');
  const bySocket = await started('report', { start: startBySocket });

  byDescriptors.link.to.end();
  bySocket.link.to.end();
  assert.deepEqual(await byDescriptors.ended, { status: 0, signal: null });
  assert.deepEqual(await bySocket.ended, { status: 0, signal: null });
});

test('an answer of megabytes arrives', async () => {
  const client = await started('report');
  const many = Array.from({ length: 100000 }, () => [0]);

  assert.equal((await client.link.run(many)).length, 100000);
  await finished(client);
});

test('what is not understood is answered by an error with the id of the question', async () => {
  const client = await started('report');
  const { link } = client;

  assert.deepEqual(await link.ask({ do: 'dance' }),
    { id: 1, error: 'it is not known here how to do "dance"' });
  assert.deepEqual(await link.ask({ do: 'run' }), { id: 2, error: 'the question has no interleavings' });
  assert.deepEqual(await link.ask({ do: 'run', interleavings: [[99]] }), { id: 3, error: 'there is no event 99' });
  assert.deepEqual(await link.ask({ do: 'event', event: -1 }), { id: 4, error: 'there is no event -1' });
  link.send({ do: 'run' });
  assert.deepEqual(await link.receive(), { id: null, error: 'the question has no id' });
  await finished(client);
});

test('keys that are not known are ignored', async () => {
  const client = await started('report');

  const answer = await client.link.ask({ do: 'begin', colour: 'red' });
  assert.equal(answer.ok, true);
  await finished(client);
});

test('what is no message ends a client with a sentence', async () => {
  for (const line of ['nonsense', '[1]', '"text"', '{"id":']) {
    const client = await started('report', { stderr: 'pipe' });
    let said = '';
    client.child.stderr.on('data', (text) => {
      said += text;
    });
    client.link.send(line);
    const { status } = await client.ended;
    assert.equal(status, 1);
    assert.match(said, /Sennit sent what is no message/);
  }
});

test('a Sennit that will not is quoted', async () => {
  const client = startByDescriptors(process.execPath, [path.join(HERE, 'scenarios.mjs'), 'report'],
    { stderr: 'pipe' });
  let said = '';
  client.child.stderr.on('data', (text) => {
    said += text;
  });

  client.link.send({ sennit: 1, error: 'version 7 of the protocol is not known here' });
  const { status } = await client.ended;
  assert.equal(status, 1);
  assert.match(said, /Sennit will not: version 7 of the protocol is not known here/);
});

// ---- Starting Sennit -----------------------------------------------------------------------------

function withDriver(name, options = {}, env = {}) {
  return ran(process.execPath, [path.join(HERE, 'scenarios.mjs'), name], {
    env: {
      ...process.env, SENNIT_BIN: DRIVER, ...env, SCENARIO: JSON.stringify({ options }), SENNIT_EVENTS: undefined,
    },
  });
}

test('a test that nobody has started starts Sennit, and rejects with what was found', async () => {
  const { status, stderr } = await withDriver('report');

  assert.equal(status, 1);
  assert.match(stderr, /SennitError\]?: report: ph is missing/);
  assert.match(stderr, /found by assert in this order:\n {2}0\. A: add\("otb"\)\n/);
});

test('with throws: false what was found is in the report', async () => {
  const { status, stdout } = await withDriver('report', { throws: false });

  assert.equal(status, 0);
  assert.equal(JSON.parse(stdout).verdict, 'failed');
});

test('a test in which nothing is found resolves', async () => {
  const { status, stdout } = await withDriver('messages');

  assert.equal(status, 0);
  assert.equal(JSON.parse(stdout).verdict, 'passed');
});

test('options are flags of the command', async () => {
  const { stdout } = await withDriver('messages', { fail: true, throws: false });

  assert.equal(JSON.parse(stdout).verdict, 'failed');
});

test('a Sennit that is missing is told by a sentence', async () => {
  const missing = await withDriver('report', {}, { SENNIT_BIN: '/nowhere/sennit' });
  const nowhere = await withDriver('report', {}, { SENNIT_BIN: '', PATH: '/nowhere' });

  assert.match(missing.stderr, /sennit cannot be started: SENNIT_BIN is \/nowhere\/sennit, but there is no such/);
  assert.match(nowhere.stderr, /SENNIT_BIN is not set, and there is none in PATH. Install Sennit, or set/);
});

test('a Sennit that ends in the middle is told with what it said', async () => {
  const { status, stderr } = await withDriver('report', { sennit: '/bin/false' });

  assert.equal(status, 1);
  assert.match(stderr, /Sennit has closed the channel without a word/);
});

test('explorations of one process wait for each other', async () => {
  const script = `
    const { explore } = require(${JSON.stringify(PACKAGE)});
    const one = (name) => explore(name, (t) => {
      const a = t.replica('A', { list: [], add(x) { this.list.push(x); } }, { updates: ['add'], save: 'copy' });
      t.start();
      a.add(Math.random());
      t.end();
    });
    Promise.all([one('first'), one('second')]).then((all) =>
      console.log(JSON.stringify(all.map((report) => report.summary.outcomes))));`;
  const { stdout, stderr } = await ran(process.execPath, ['-e', script],
    { env: { ...process.env, SENNIT_BIN: DRIVER } });

  assert.equal(stderr, '');
  const [first, second] = JSON.parse(stdout);
  assert.deepEqual(first, second);
});

test('one interleaving runs alone, and says what is wrong with it', async () => {
  const env = (order) => ({ SENNIT_BIN: '/nowhere/sennit', SENNIT_INTERLEAVING: order });
  const good = await withDriver('report', {}, env('0 1 2 3 4 5 6 7'));
  const bad = await withDriver('report', {}, env('0 7 1 2 3 4 5 6'));
  const quiet = await withDriver('report', { throws: false }, env('0 7'));
  const thrower = await withDriver('throws', {}, env('1 0'));
  const wrong = await withDriver('throws', {}, env('99'));

  assert.equal(good.status, 0);
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /report: ph is missing/);
  assert.equal(quiet.status, 1);
  assert.match(thrower.stderr, /remove of A throws: there is no otb/);
  assert.match(wrong.stderr, /there is no event 99/);
});

// ---- Modules -------------------------------------------------------------------------------------

test('import and require give the same package', async () => {
  const script = `
    import { createRequire } from 'node:module';
    import * as imported from 'sennit';
    import { yjs } from 'sennit/adapters/yjs';
    import 'sennit/early';
    const require = createRequire(import.meta.url);
    const required = require('sennit');
    console.log(imported.explore === required.explore, imported.generic === required.generic,
      yjs === require('sennit/adapters/yjs').yjs,
      ['generic', 'yorkie', 'ipfs-log'].every((name) => Object.keys(require('sennit/adapters/' + name)).length));`;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-'));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(PACKAGE, path.join(folder, 'node_modules', 'sennit'));
  fs.writeFileSync(path.join(folder, 'main.mjs'), script);
  const { stdout, stderr } = await ran(process.execPath, [path.join(folder, 'main.mjs')]);
  fs.rmSync(folder, { recursive: true });

  assert.equal(stderr, '');
  assert.equal(stdout, 'true true true true\n');
});

test('imported early, a library that keeps the clock in a variable is served', async () => {
  const script = `
    require(${JSON.stringify(path.join(PACKAGE, 'lib', 'early.js'))});
    const { now } = Date; // as a library does when it is loaded
    const { explore } = require(${JSON.stringify(PACKAGE)});
    explore('early', (t) => {
      const a = t.replica('A', {}, { save: 'copy' });
      t.start();
      t.query(a, 'now', () => now());
      t.end();
    }).then((report) => console.log(JSON.stringify(report.summary.outcomes[0].results), now() > ${TIME} + 1000));`;
  const { stdout } = await ran(process.execPath, ['-e', script], { env: { ...process.env, SENNIT_BIN: DRIVER } });

  assert.equal(stdout, `[${TIME + 1}] true\n`);
});

test('the driver finds what the recorded order does not show', async () => {
  const client = startByDescriptors(process.execPath, [path.join(HERE, 'scenarios.mjs'), 'report']);

  const summary = await exploreAll(client.link);
  await finished(client);
  assert.equal(summary.verdict, 'failed');
  assert.equal(summary.findings.length > 0, true);
});
