// events_yjs.mjs - Yjs in all interleavings of a small program: by hand, and through the binding.
//
//   node events_yjs.mjs --recording                  the events, as the protocol has them
//   node events_yjs.mjs --by-hand < INTERLEAVINGS    a loop as one would write it for this program
//   node events_yjs.mjs --binding < INTERLEAVINGS    the binding's own loop, without a channel
//   node events_yjs.mjs                              the program as a client of Sennit
//
// INTERLEAVINGS is one array of numbers on each line, or nothing for all that respect causes and
// program order. The loops print {"interleavings", "seconds", "per_second", "outcomes"}. Run it where
// yjs and sennit can be imported. SPDX-License-Identifier: MIT
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import * as Y from 'yjs';
import { explore } from 'sennit';
import { yjs } from 'sennit/adapters/yjs';

// ---- The program -------------------------------------------------------------------------------

function program(t) {
  const a = t.replica('A', new Y.Doc(), yjs(Y));
  const b = t.replica('B', new Y.Doc(), yjs(Y));
  a.getArray('problems').push(['pothole', 'street light']);
  t.sync(a, b);

  t.start();
  a.getArray('problems').push(['graffiti']);
  b.getMap('reported').set('pothole', true);
  t.sync(a, b);
  b.getArray('problems').delete(0, 1);
  t.sync(b, a);
  a.getMap('reported').set('pothole', false);
  t.end();

  t.check(() => {
    if (a.getArray('problems').length < 1) {
      throw new Error('everything is solved');
    }
  });
}

/** The same by hand: no recording, no proxies; each event is a line. */
function makeByHand() {
  const first = new Y.Doc();
  first.clientID = 1;
  first.getArray('problems').push(['pothole', 'street light']);
  const start = Y.encodeStateAsUpdate(first);
  const restored = (clientID) => {
    const doc = new Y.Doc({ guid: 'bench' });
    Y.applyUpdate(doc, start);
    doc.clientID = clientID;
    return doc;
  };
  const outcomes = new Map();
  return (order) => {
    const a = restored(1);
    const b = restored(2);
    const results = [null, null, null, null, null, null, null, null];
    let fromA = null;
    let fromB = null;
    for (const number of order) {
      switch (number) {
        case 0: a.getArray('problems').push(['graffiti']); break;
        case 1: results[1] = b.getMap('reported').set('pothole', true); break;
        case 2: fromA = Y.encodeStateAsUpdate(a); break;
        case 3: if (fromA) { Y.applyUpdate(b, fromA); } break;
        case 4: b.getArray('problems').delete(0, 1); break;
        case 5: fromB = Y.encodeStateAsUpdate(b); break;
        case 6: if (fromB) { Y.applyUpdate(a, fromB); } break;
        default: results[7] = a.getMap('reported').set('pothole', false);
      }
    }
    const state = (doc) => ({
      problems: doc.getArray('problems').toJSON(), reported: doc.getMap('reported').toJSON(),
    });
    const outcome = { results, states: { A: state(a), B: state(b) }, failed: null };
    if (a.getArray('problems').length < 1) {
      outcome.failed = 'everything is solved';
    }
    const key = JSON.stringify(outcome);
    if (!outcomes.has(key)) {
      outcomes.set(key, outcomes.size);
    }
    return outcomes.size;
  };
}

// ---- The binding without a channel -------------------------------------------------------------

async function makeBinding() {
  const { recording, runner } = await recorded();
  const outcomes = new Set();
  return {
    events: recording.events.map((event) => JSON.parse(event.text())),
    run(orders) {
      for (const number of runner.run(orders, true).outcomes) {
        outcomes.add(number);
      }
      return outcomes.size;
    },
  };
}

const require = createRequire(import.meta.url);
const part = (name) => require(path.join(path.dirname(require.resolve('sennit')), `${name}.js`));
const giveBack = () => part('serve').giveBack();

async function recorded() {
  const recording = new (part('recording').Recording)(null);
  part('serve').take();
  part('serve').open(1700000000000, 1n);
  program(new (part('test').Test)(recording));
  const runner = new (part('runner').Runner)(recording);
  runner.tryOut(runner.recordedStates());
  return { recording, runner };
}

// ---- Measuring ---------------------------------------------------------------------------------

const BATCH = 256;
const WARM_UP = 20000;
const SECONDS = 3;

function* allOrders(events, prefix = []) {
  if (prefix.length === events.length) {
    yield prefix;
    return;
  }
  const arrives = (number) => events[number].of !== undefined;
  for (let number = 0; number < events.length; number++) {
    const isReady = arrives(number) ? prefix.includes(events[number].of)
      : events.every((other, i) => i >= number || arrives(i) || other.replica !== events[number].replica ||
          prefix.includes(i));
    if (isReady && !prefix.includes(number)) {
      yield* allOrders(events, [...prefix, number]);
    }
  }
}

function given(events) {
  const text = process.stdin.isTTY ? '' : fs.readFileSync(0, 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines.map((line) => JSON.parse(line)) : [...allOrders(events)];
}

/** Runs all orders, again and again until the seconds are over; how many in one of them. */
function measure(orders, runBatch) {
  const batches = [];
  for (let i = 0; i < orders.length; i += BATCH) {
    batches.push(orders.slice(i, i + BATCH));
  }
  let outcomes = 0;
  const all = () => batches.forEach((batch) => {
    outcomes = runBatch(batch);
  });
  for (let done = 0; done < WARM_UP; done += orders.length) {
    all();
  }
  let interleavings = 0;
  const started = process.cpuUsage(); // others may be at work on this machine
  let seconds = 0;
  while (seconds < SECONDS) {
    all();
    interleavings += orders.length;
    const used = process.cpuUsage(started);
    seconds = (used.user + used.system) / 1e6;
  }
  return { interleavings, seconds, per_second: Math.round(interleavings / seconds), outcomes };
}

const mode = process.argv[2];
if (mode === '--recording') {
  console.log(JSON.stringify((await makeBinding()).events));
} else if (mode === '--by-hand') {
  const run = makeByHand();
  const { events } = await makeBinding();
  giveBack();
  console.log(JSON.stringify(measure(given(events), (orders) => orders.map(run).pop())));
} else if (mode === '--binding') {
  const binding = await makeBinding();
  console.log(JSON.stringify(measure(given(binding.events), (orders) => binding.run(orders))));
} else {
  await explore('yjs', program);
}
