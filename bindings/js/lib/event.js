// event.js - one recorded event, and what it takes to perform it again. SPDX-License-Identifier: MIT
'use strict';

const { after } = require('./turn.js');
const { follow, textOfSteps } = require('./replica.js');
const { textOf } = require('./json.js');

class Event {
  /** kind, replica, op and the kept values; of updates and queries, steps and name or action; of
   *  messages, `to`, `from` and `of` (an event). */
  constructor(fields) {
    this.steps = [];
    this.isFree = false;
    this.isDelivered = false; // an update whose message somebody applies
    this.resultText = 'null'; // as recorded
    Object.assign(this, fields);
    const { from, to } = this;
    this.info = { ...this.replica.info, op: this.name, from: from && from.name, to: to && to.name };
  }

  get op() {
    return this.steps.length > 0 ? `${textOfSteps(this.steps)}.${this.name}` : this.name;
  }

  /** Calls what was called, at the object that the replica has now. */
  call(values) {
    const object = this.replica.use();
    if (this.action) {
      return this.action(object, ...values);
    }
    const target = follow(object, this.steps);
    if (this.isRead) {
      return target[this.name];
    }
    if (this.isWrite) {
      target[this.name] = values[0];
      return undefined;
    }
    return target[this.name](...values);
  }

  /** Performs the event. Messages are kept by the numbers of the events that made them. May throw,
   *  and may return a promise. */
  perform(messages, isFirst = false) {
    const { adapter } = this.replica;
    switch (this.kind) {
      case 'update':
        return this.isDelivered ? this.update(messages, isFirst) : this.call(this.valuesOf(isFirst));
      case 'query':
        return this.call(this.valuesOf(isFirst));
      case 'request':
        return after(adapter.request(this.replica.use(), this.info), (message) => {
          messages[this.number] = message;
        });
      case 'execute':
        return this.apply(messages, adapter.execute);
      default:
        return this.apply(messages, adapter.deliver || adapter.execute);
    }
  }

  valuesOf(isFirst) {
    return isFirst ? this.values.firstList() : this.values.list();
  }

  update(messages, isFirst) {
    const collected = this.replica.adapter.collect(this.replica.use(), this.info);
    const note = () => {
      messages[this.number] = collected();
    };
    try {
      return after(this.call(this.valuesOf(isFirst)), (value) => {
        note();
        return value;
      });
    } catch (error) {
      note(); // an update may have done something before it failed
      throw error;
    }
  }

  apply(messages, how) {
    const message = messages[this.of.number];
    if (message === undefined || message === null) {
      return undefined;
    }
    return how.call(this.replica.adapter, this.replica.use(), message, this.info);
  }

  /** The JSON text of what the event returned. */
  textOfResult(value) {
    const { adapter } = this.replica;
    return textOf(adapter.result && value !== undefined ? adapter.result(value, this.info) : value);
  }

  /** The JSON text of the event, as the protocol has it. */
  text() {
    const fields = [['kind', this.kind], ['replica', this.replica.name]];
    if (this.to) {
      fields.push(['to', this.to.name]);
    }
    if (this.from) {
      fields.push(['from', this.from.name], ['of', this.of.number]);
    }
    fields.push(['op', this.op]);
    const texts = fields.map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
    texts.push(`"args":${this.values ? this.values.shown : '[]'}`, `"result":${this.resultText}`);
    if (this.isFree) {
      texts.push('"free":true');
    }
    return `{${texts.join(',')}}`;
  }
}

/** The JSON text of what an event that threw has for a result. */
function textOfThrow(error) {
  return `{"throws":${JSON.stringify(messageOf(error))}}`;
}

function messageOf(error) {
  return error !== null && typeof error === 'object' && typeof error.message === 'string'
    ? error.message : String(error);
}

module.exports = { Event, textOfThrow, messageOf };
