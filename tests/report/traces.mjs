// traces.mjs - trace files and explanations to make reports of. SPDX-License-Identifier: MIT
import fs from 'node:fs';

// ---- Writing -----------------------------------------------------------------------------------

/** FNV-1a of 64 bits, in two halves: there may be many bytes. */
function check(bytes) {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + (low << 8) + Math.floor(product / 0x100000000)) >>> 0;
    low = product >>> 0;
  }
  return hex(high, 8) + hex(low, 8);
}

const hex = (number, digits = 16) => number.toString(16).padStart(digits, '0');
const NO_ID = hex(0);

/** A trial that is told step by step. */
export class Trial {
  constructor(header = {}) {
    this.lines = [{ sennit: 'trace', version: 1, suite: 'town', test: 'bridge', program: './town', args: ['--bug', 'late'],
      build: '', seed: 1, trial: 17, strategy: 'random', max_steps: 1000000, world: 'full', ...header }];
    this.steps = 0;
    this.time = 0;
    this.ids = 0x1000;
    this.messages = new Map();
  }

  add(...records) {
    this.lines.push(...records);
    return this;
  }

  /** A machine; its first step has the id that `start` asks for. */
  create(name, node) {
    const start = hex(++this.ids);
    this.messages.set(`start ${name}`, { id: start, cause: this.steps });
    return this.add({ create: name, type: name.replace(/[-#]?\d+$/, ''), id: hex(++this.ids), start, ...(node && { node }) });
  }

  step(op, task, event, more = {}) {
    this.steps += 1;
    const { id = hex(++this.ids), cause = 0, ...rest } = more;
    return this.add({ step: this.steps, time_ns: this.time, id, op, task, ...rest, event, digest: NO_ID, cause });
  }

  start(name) {
    return this.step('start', name, 'start', this.messages.get(`start ${name}`));
  }

  timer(name, event) {
    return this.step('timer', name, event, { cause: this.messages.get(`timer ${name} ${event}`) });
  }

  startTimer(name, event, delay = 1000000) {
    this.messages.set(`timer ${name} ${event}`, this.steps);
    return this.add({ timer: 'start', event, delay_ns: delay });
  }

  /** Sent by the machine of this step; `what` is how `deliver` calls it. */
  send(what, to, event, payload) {
    const id = hex(++this.ids);
    this.messages.set(what, { id, to, event, payload, cause: this.steps, from: this.running() });
    return this.add({ send: event, to, ...(payload && { payload }), id });
  }

  deliver(what) {
    const { to, event, ...message } = this.messages.get(what);
    return this.step('deliver', to, event, message);
  }

  running() {
    return this.lines.findLast((line) => line.step !== undefined).task;
  }

  /** What happens to a message instead of being delivered. */
  fate(what, fault) {
    const { to, event, id, from } = this.messages.get(what);
    return this.add({ fault, event, from, to, id });
  }

  idOf(what) {
    return this.messages.get(what).id;
  }

  write(file, verdict = {}) {
    const last = { verdict: 'failed', oracle: 'assert', message: 'two cars on the bridge', at: 'bridge.c:12',
      step: this.steps, order: NO_ID, cut: false, ...verdict };
    if (last.verdict === 'passed') {
      for (const key of ['oracle', 'message', 'at']) {
        delete last[key];
      }
    }
    const text = Buffer.from([...this.lines, last].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const end = { end: true, steps: this.steps, lines: this.lines.length + 1, check: check(text) };
    fs.writeFileSync(file, Buffer.concat([text, Buffer.from(`${JSON.stringify(end)}\n`)]));
    return file;
  }
}

// ---- Trials ------------------------------------------------------------------------------------

/**
 * One lane over a bridge, a keeper on each side: both let a car go since the news of one is late. Has one
 * of everything that a diagram shows. `isLate` decides whether it is.
 */
export function bridge(isLate = true) {
  const t = new Trial();
  t.add({ state: 'Empty', how: 'start', task: 'Bridge', heat: 'cold' });
  t.create('east', 'hill').create('west', 'town').create('car-1', 'town').create('clerk');
  t.add({ create: 'faults', type: 'faults', id: hex(7) });
  t.start('east').add({ state: 'Open', how: 'start', task: 'east' }, { memory: 'east', text: 'open=true cars=0' });
  t.startTimer('east', 'Dawn');
  t.start('west').add({ state: 'Open', how: 'start', task: 'west' }, { memory: 'west', text: 'open=true cars=0' });
  t.start('clerk').send('gossip', 'clerk', 'Gossip', 'word=rain').add({ note: 'the clerk is bored' });
  t.deliver('gossip').add({ output: 'hello from the clerk' });
  t.time = 1000000;
  t.start('car-1').add({ operation: 'call', number: 1, process: 'car-1', text: 'cross(1)' });
  t.send('ask', 'west', 'Ask', 'car=1 direction=east').send('horn', 'east', 'Horn').fate('horn', 'lost');
  t.step('fault', 'faults', 'partition').add({ fault: 'cut', node: 'hill' });
  t.deliver('ask').add({ memory: 'west', text: 'open=false cars=1' }, { state: 'Closed', was: 'Open', how: 'goto', task: 'west' });
  t.send('news', 'east', 'News', 'closed=true').add({ monitor: 'Bridge', event: 'Enters', payload: 'car=1' });
  t.add({ state: 'Taken', was: 'Empty', how: 'goto', task: 'Bridge', heat: 'hot' }, { draw: 'toll', value: 2, of: 5, key: hex(9) });
  t.send('go', 'car-1', 'Go', 'car=1');
  t.step('fault', 'faults', 'heal').add({ fault: 'heal' });
  t.step('fault', 'faults', 'crash').add({ fault: 'crash', node: 'hill' });
  t.step('fault', 'faults', 'restart').add({ fault: 'restart', node: 'hill' });
  t.deliver('go').add({ operation: 'return', number: 1, process: 'car-1', text: 'cross(1) = ok' });
  if (!isLate) {
    t.deliver('news').add({ memory: 'east', text: 'open=false cars=0' });
  }
  t.time = 3000000;
  t.timer('east', 'Dawn').add({ monitor: 'Bridge', event: 'Enters', payload: 'car=2' });
  t.add({ memory: 'east', text: isLate ? 'open=true cars=1' : 'open=false cars=0' });
  return t;
}

/** What explains it: that the news comes after dawn decides. */
export function bridgeExplanation(t, more = {}) {
  const share = (failed, trials = 1000) => ({ trials, failed, stuck: 0, low: failed / trials, high: failed / trials });
  const constraint = (first, second, rest) => ({ kind: 'order', first: `step ${first}`, second: `step ${second}`,
    second_never_ran: second === 0, first_step: first, second_step: second, group: 0, label: 'needed', require: '',
    dropped: share(500), reversed: share(600), ...rest });
  return {
    format: 'sennit-explanation', version: 1, suite: 'town', test: 'bridge', failure: 'assert: two cars on the bridge',
    trial: { strategy: 'random', number: 17, steps_before: 20, steps: t.steps,
      list: [{ step: 7, operation: 'west handles Ask', changes: '', of_note: true }] },
    lost: { found: true, step: 7, operation: 'west handles Ask', before: share(275, 400), after: share(400, 400),
      curve: [0, 3, 7].map((step) => ({ step, after: share(step * 14, 100) })), jumps: [] },
    base: share(499),
    causes: [{ sufficient: true, minimal: true, verified: share(1000), from: null, base: share(499), covers: 60, also: '', trace: '',
      given_up: false, ladder: [], constraints: [
        constraint(2, 7),
        constraint(12, 0, { label: 'decisive', reversed: share(0), require: 'timer Dawn of east before deliver News to east from west number 1' }),
      ] }],
    pool: 60, covered: 60, machines_change_places: false, too_long: 0, alike: null, run: null,
    core: { failing: 60, passing: 200, orders: [] },
    nearest: { result: 'found', first: 'east handles News from west', second: 'Dawn of east', tried: 3, inversions: 1, difference: '' },
    rates: { random: share(663) }, executions: 16013, seed: 1, complete: true, ...more,
  };
}

/** A long trial: machines that pass messages on, some of which take long. */
export function relay(steps, machines = 8) {
  const t = new Trial({ test: 'relay' });
  const name = (i) => `Relay#${(i % machines) + 1}`;
  const pending = [];
  for (let i = 0; i < machines; i++) {
    t.create(name(i), `node-${(i >> 1) + 1}`);
  }
  for (let i = 0; i < machines; i++) {
    t.start(name(i)).send(`m${i}`, name(i + 3), 'Pass', `hops=0 origin=${i}`);
    pending.push(i);
  }
  for (let i = machines; t.steps < steps; i++) {
    // Mostly the oldest; every ninth message waits for a few hundred steps.
    const at = i % 9 === 0 && pending.length > 40 ? Math.floor(pending.length / 2) : 0;
    const [what] = pending.splice(at, 1);
    t.time += 1000;
    t.deliver(`m${what}`).send(`m${i}`, name(i * 7 + (i >> 4)), i % 5 === 0 ? 'Acknowledge' : 'Pass', `hops=${i} origin=${what}`);
    t.add({ memory: t.running(), text: `hops=${i} seen=${what}` });
    t.messages.delete(`m${what}`);
    pending.push(i);
    if (i % 9 === 0) {
      t.send(`m${i}b`, name(i + 1), 'Extra', '');
      pending.push(`${i}b`);
    }
  }
  return t;
}
