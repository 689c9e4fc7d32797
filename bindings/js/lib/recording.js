// recording.js - what a test does: its replicas, the events of its segment, its assertions.
//
// The test is run once. Between start() and end() each call on a proxy that the replica's adapter knows
// as an update or a query becomes an event, and is performed. A client that cannot go back is started
// again for each interleaving; from the second time on it is handed the results and performs nothing.
// SPDX-License-Identifier: MIT
'use strict';

const serve = require('./serve.js');
const { Event, textOfThrow } = require('./event.js');
const { Replica, Values, follow, proxyOf, wayOf, realOf } = require('./replica.js');
const { generic } = require('../adapters/generic.js');
const { after, inTurn, isThenable } = require('./turn.js');

const EVENTS_MAX = 64;
const REPLICAS_MAX = 16;

class Recording {
  /** `notes`: the results of the events if they are only to be noted, else null. */
  constructor(notes) {
    this.notes = notes;
    this.phase = 'set-up';
    this.replicas = [];
    this.events = [];
    this.checks = [];
    this.shared = new Map(); // between the adapters of this test
    this.messages = [];
    this.counts = []; // of the events of each replica
    this.starts = []; // what each replica was saved as at the start
    this.running = null; // the event that is not over
    this.isFree = false;
    this.isChecking = false; // assertions are being run
    this.shown = null; // the results of the interleaving that was run last: {texts, performed}
  }

  // ---- What proxies call -----------------------------------------------------------------------

  get isRecording() {
    return this.phase === 'segment' && !(this.running && this.running.isInside);
  }

  call(replica, steps, name, values) {
    const { adapter } = replica;
    const target = follow(replica.use(), steps);
    const kind = this.isRecording ? adapter.kindOf(target, name, replica.info) : undefined;
    if (kind === 'sync') {
      return this.syncByCall(replica, name, values);
    }
    const plain = () => target[name](...values.map(realOf));
    if (kind !== 'update' && kind !== 'query') {
      return this.partOr(replica, steps, name, values, plain());
    }
    const event = new Event({ kind, replica, steps, name, values: new Values(values, adapter) });
    if (kind === 'query' && !this.notes && adapter.isPart) {
      // Only what it returns tells a look at a value from a step on the way to a part.
      return this.look(event, values);
    }
    return this.record(event);
  }

  read(replica, steps, name, value) {
    const { adapter } = replica;
    if (adapter.isPart && adapter.isPart(value)) {
      return proxyOf(this, replica, [...steps, { name }]);
    }
    const target = follow(replica.use(), steps);
    if (typeof name === 'symbol' || !this.isRecording ||
        adapter.kindOf(target, name, replica.info) !== 'query') {
      return value;
    }
    return this.record(new Event({
      kind: 'query', replica, steps, name, isRead: true, values: new Values([], adapter),
    }));
  }

  write(replica, steps, name, value) {
    const { adapter } = replica;
    const target = follow(replica.use(), steps);
    if (typeof name === 'symbol' || !this.isRecording ||
        adapter.kindOf(target, name, replica.info) !== 'update') {
      target[name] = realOf(value);
      return;
    }
    this.record(new Event({
      kind: 'update', replica, steps, name, isWrite: true, values: new Values([value], adapter),
    }));
  }

  look(event, values) {
    const { replica, steps, name } = event;
    const value = this.performFirst(event);
    if (replica.adapter.isPart(value)) {
      this.forget(event);
      return this.partOr(replica, steps, name, values, value);
    }
    return value;
  }

  partOr(replica, steps, name, values, value) {
    const { adapter } = replica;
    if (!adapter.isPart || !adapter.isPart(value)) {
      return value;
    }
    return proxyOf(this, replica, [...steps, { name, values: new Values(values, adapter) }]);
  }

  /** b.merge(a): a makes a message, b applies it. */
  syncByCall(replica, name, values) {
    const other = values.map(wayOf).find((way) => way && way.steps.length === 0);
    if (!other || other.replica === replica) {
      throw new Error(`${replica.name}.${name}() has no other replica among its arguments`);
    }
    return after(this.request(other.replica, replica, name), (request) => this.execute(request));
  }

  // ---- Recording -------------------------------------------------------------------------------

  /** Adds an event and performs it, or notes it; returns what the test is to see of it. */
  record(event) {
    return this.notes ? this.note(event) : this.performFirst(event);
  }

  add(event) {
    if (this.phase !== 'segment') {
      throw new Error(`${event.op} is no part of the segment: it comes ` +
        (this.phase === 'set-up' ? 'before t.start()' : 'after t.end()'));
    }
    if (this.running) {
      throw new Error(`${event.op} begins before ${this.running.op} is over: await it`);
    }
    if (this.events.length === EVENTS_MAX) {
      throw new Error(`a segment has at most ${EVENTS_MAX} events`);
    }
    event.number = this.events.length;
    event.isFree = this.isFree;
    this.events.push(event);
  }

  forget(event) {
    this.events.pop();
    this.counts[event.replica.index]--;
  }

  performFirst(event) {
    this.add(event);
    const { index, adapter } = event.replica;
    // Whether a message of it is delivered will be known later.
    event.isDelivered = event.kind === 'update' && typeof adapter.collect === 'function';
    const before = serve.suspend();
    this.counts[index] = (this.counts[index] || 0) + 1;
    serve.event(event.number, this.counts[index]);
    event.isInside = true;
    this.running = event;
    const over = () => {
      event.isInside = false;
      event.isDelivered = false;
      this.running = null;
      serve.resume(before);
    };
    const failed = (error) => {
      over();
      event.resultText = textOfThrow(error);
      throw error;
    };
    const returned = (value) => {
      over();
      event.resultText = event.textOfResult(value);
      return value;
    };
    let value;
    try {
      value = event.perform(this.messages, true);
    } catch (error) {
      return failed(error);
    }
    if (isThenable(value)) {
      // What the test does while it waits is outside of the event; but the event is not over.
      event.isInside = false;
      return value.then((result) => after(this.settled(event), () => returned(result)), failed);
    }
    return event.replica.adapter.settle
      ? after(this.settled(event), () => returned(value)) : returned(value);
  }

  settled(event) {
    const { settle } = event.replica.adapter;
    return settle ? settle(event.replica.use(), event.replica.info) : undefined;
  }

  /** Takes an event without performing it, and gives the test what it returned the first time. */
  note(event) {
    this.add(event);
    const result = this.notes[event.number];
    if (event.number >= this.notes.length) {
      throw new Error(`event ${event.number}, ${event.op}, was not recorded before`);
    }
    event.resultText = JSON.stringify(result === undefined ? null : result);
    const isAsync = isAsyncCall(event);
    if (result && typeof result === 'object' && typeof result.throws === 'string') {
      const error = new Error(result.throws);
      if (isAsync) {
        return Promise.reject(error);
      }
      throw error;
    }
    return isAsync ? Promise.resolve(result) : result;
  }

  /** A request and its execution that are no events. */
  syncNow(from, to) {
    refuseWithoutMessages(from, to);
    const info = { op: 'sync', from: from.name, to: to.name };
    return after(from.adapter.request(from.use(), { ...from.info, ...info }), (message) =>
      to.adapter.execute(to.use(), message, { ...to.info, ...info }));
  }

  request(from, to, name = 'sync') {
    refuseWithoutMessages(from, to);
    const event = new Event({ kind: 'request', replica: from, to, name });
    return after(this.record(event), () => event);
  }

  execute(request) {
    return this.record(new Event({
      kind: 'execute', replica: request.to, from: request.replica, of: request, name: request.name,
    }));
  }

  deliver(update, to) {
    if (!update || update.kind !== 'update') {
      throw new Error('there is no update to deliver');
    }
    if (!update.replica.adapter.collect) {
      throw new Error(`the adapter of ${update.replica.name} cannot tell the message of one update`);
    }
    return this.record(new Event({
      kind: 'deliver', replica: to, from: update.replica, of: update, name: 'deliver',
    }));
  }

  // ---- The segment -----------------------------------------------------------------------------

  replica(name, object, adapter) {
    if (this.phase !== 'set-up') {
      throw new Error(`replica ${name} comes after t.start()`);
    }
    if (this.replicas.some((one) => one.name === name)) {
      throw new Error(`there are two replicas with the name ${name}`);
    }
    if (this.replicas.length === REPLICAS_MAX) {
      throw new Error(`a test has at most ${REPLICAS_MAX} replicas`);
    }
    const full = adapter && typeof adapter.kindOf === 'function' ? adapter : generic(adapter);
    const replica = new Replica(name, this.replicas.length, full, this.shared);
    replica.object = object;
    replica.isThere = true;
    if (full.open) {
      replica.object = full.open(object, replica.info) || object;
    }
    this.replicas.push(replica);
    return proxyOf(this, replica, []);
  }

  get canRestore() {
    return this.replicas.every(({ adapter }) => adapter.save && adapter.restore);
  }

  start() {
    if (this.phase !== 'set-up') {
      throw new Error('t.start() was called before: a test has one segment');
    }
    const begin = () => {
      this.phase = 'segment';
    };
    if (!this.canRestore) {
      return begin();
    }
    this.phase = 'starting'; // until what takes time is saved
    return after(inTurn(this.replicas.length, (i) => {
      const replica = this.replicas[i];
      return after(replica.adapter.save(replica.use(), replica.info), (saved) => {
        this.starts[i] = saved;
      });
    }), begin);
  }

  end() {
    if (this.phase !== 'segment') {
      throw new Error(this.phase === 'over' ? 't.end() was called before'
        : this.phase === 'starting' ? 't.start() is not over: await it' : 't.end() without t.start()');
    }
    if (this.running) {
      throw new Error(`t.end() comes before ${this.running.op} is over: await it`);
    }
    this.phase = 'over';
    for (const { adapter, object, info } of this.replicas) {
      if (adapter.recorded) {
        adapter.recorded(object, info);
      }
    }
    for (const event of this.events) {
      if (event.kind === 'deliver') {
        event.of.isDelivered = true;
      }
    }
  }
}

function refuseWithoutMessages(from, to) {
  if (!from.adapter.request) {
    throw new Error(`the adapter of ${from.name} has no request()`);
  }
  if (!to.adapter.execute) {
    throw new Error(`the adapter of ${to.name} has no execute()`);
  }
}

/** Whether a call that is only noted would have returned a promise, as far as can be seen. */
function isAsyncCall(event) {
  if (event.kind !== 'update' && event.kind !== 'query') {
    return false;
  }
  const { adapter } = event.replica;
  if (adapter.isAsync) {
    return adapter.isAsync(event.name, event.info);
  }
  const called = event.action || follow(event.replica.use(), event.steps)[event.name];
  return typeof called === 'function' && called.constructor.name === 'AsyncFunction';
}

module.exports = { Recording };
