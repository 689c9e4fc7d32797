// test.js - what a test is given: t. SPDX-License-Identifier: MIT
'use strict';

const { Event } = require('./event.js');
const { Values, wayOf, realOf } = require('./replica.js');
const { after } = require('./turn.js');

class Test {
  #recording;

  constructor(recording) {
    this.#recording = recording;
  }

  /** Names a replica; returns what to use instead of it from here on. */
  replica(name, object, adapter) {
    return this.#recording.replica(name, object, adapter);
  }

  start() {
    return this.#recording.start();
  }

  end() {
    this.#recording.end();
  }

  /** One event that does more than one call: action(object, ...values), the object being the real one. */
  update(replica, name, action, ...values) {
    return this.#act('update', replica, name, action, values);
  }

  query(replica, name, action, ...values) {
    return this.#act('query', replica, name, action, values);
  }

  /** Two events: `from` makes a message for `to`, and `to` applies it. In the set-up and in assertions it
   *  just happens. */
  sync(from, to) {
    if (this.#recording.phase === 'set-up' || this.#recording.isChecking) {
      return this.#recording.syncNow(rootOf(from), rootOf(to));
    }
    return after(this.request(from, to), (request) => this.execute(request));
  }

  /** The first half of sync(): returns the message under way. */
  request(from, to) {
    const recording = this.#recording;
    return after(recording.request(rootOf(from), rootOf(to)), (event) => new Handle(recording, event));
  }

  /** The second half, for the same message as often as wanted. */
  execute(request) {
    return after(request, (handle) => this.#recording.execute(eventOf(handle, 'request')));
  }

  /** Applies the message of one update elsewhere; of the last one, if none is given. */
  deliver(to, update) {
    const { events } = this.#recording;
    const last = update ? eventOf(update, 'update') : events.filter(({ kind }) => kind === 'update').pop();
    return this.#recording.deliver(last, rootOf(to));
  }

  /** What is recorded inside is not held by the program order of its replica. */
  free(inside) {
    const recording = this.#recording;
    recording.isFree = true;
    const over = (value) => {
      recording.isFree = false;
      return value;
    };
    try {
      return after(inside(), over);
    } catch (error) {
      over();
      throw error;
    }
  }

  /** The event that was recorded last. */
  last() {
    const event = this.#recording.events[this.#recording.events.length - 1];
    if (!event) {
      throw new Error('nothing is recorded yet');
    }
    return new Handle(this.#recording, event);
  }

  /** An assertion, run after each interleaving. */
  check(assertion) {
    this.#recording.checks.push(assertion);
  }

  /** The library's own object behind a proxy, as it is now. */
  real(proxy) {
    return realOf(proxy);
  }

  #act(kind, replica, name, action, values) {
    const of = rootOf(replica);
    const event = new Event({
      kind, replica: of, name, action, values: new Values(values, of.adapter),
    });
    return this.#recording.record(event);
  }
}

/** An event as tests see it: in assertions, what it did in the interleaving just run. */
class Handle {
  #recording;
  #event;

  constructor(recording, event) {
    this.#recording = recording;
    this.#event = event;
  }

  get number() {
    return this.#event.number;
  }

  /** What it returned, as JSON has it; {throws: message} if it threw. */
  get result() {
    const { shown } = this.#recording;
    return JSON.parse(shown ? shown.texts[this.number] : this.#event.resultText);
  }

  get isPerformed() {
    const { shown } = this.#recording;
    return shown ? shown.isPerformed[this.number] : true;
  }

  static eventOf(handle) {
    return handle.#event;
  }
}

function eventOf(handle, kind) {
  const event = handle instanceof Handle ? Handle.eventOf(handle) : undefined;
  if (!event || event.kind !== kind) {
    throw new Error(`this is no ${kind}`);
  }
  return event;
}

function rootOf(proxy) {
  const way = wayOf(proxy);
  if (!way || way.steps.length > 0) {
    throw new Error('this is no replica: t.replica() returns them');
  }
  return way.replica;
}

module.exports = { Test };
