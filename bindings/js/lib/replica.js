// replica.js - a replica of the test: the real object as it is now, and the proxies that stand for it.
//
// A proxy does not hold an object of the library but the way to it: the replica, and the calls that
// lead from there (getMap('m')). It is gone anew for each use, so that what the test keeps in its
// variables always shows the interleaving that was run last. SPDX-License-Identifier: MIT
'use strict';

const { textOf, isLiteral, tagOf } = require('./json.js');

const REAL = Symbol('sennit.real');
const WAY = Symbol('sennit.way');

class Replica {
  constructor(name, index, adapter, shared) {
    this.name = name;
    this.index = index;
    this.adapter = adapter;
    // What adapters are told about a replica, and may keep notes of their own in.
    this.info = { name, index, shared };
    this.object = undefined;
    this.saved = undefined; // what `object` is to be made of, if it is not there
    this.isThere = false;
    this.isChanged = true; // perhaps, since it was last saved or restored
  }

  /** The object of the library. It is made when it is first needed: many interleavings end without
   *  ever looking at some replica. */
  current() {
    if (!this.isThere) {
      this.object = this.adapter.restore(this.saved, this.info);
      this.isThere = true;
    }
    return this.object;
  }

  /** The object for one who may change it. Not only the event that happens at a replica does: what it
   *  calls may reach others. */
  use() {
    this.isChanged = true;
    return this.current();
  }

  restore(saved) {
    this.isChanged = false;
    this.saved = saved;
    this.object = undefined;
    this.isThere = false;
  }
}

/** A way from a replica to a part of it: steps are {name, values} for calls and {name} for
 *  properties. */
function follow(object, steps) {
  for (const step of steps) {
    object = step.values ? object[step.name](...step.values.list()) : object[step.name];
    if (object === undefined || object === null) {
      throw new TypeError(`${textOfSteps([step])} is ${object} here`);
    }
  }
  return object;
}

function textOfSteps(steps) {
  const text = (step) => (step.values ? `${step.name}(${step.values.shown.slice(1, -1)})` : step.name);
  return steps.map(text).join('.');
}

// ---- Arguments ---------------------------------------------------------------------------------

/** Makes an argument keep: a library may change or adopt what it is given, so all that is not a plain
 *  value is made anew for each call. */
function keep(value, adapter) {
  if (value === null || typeof value !== 'object') {
    return { value };
  }
  const way = value[WAY];
  if (way) {
    return { make: () => follow(way.replica.use(), way.steps), shown: `<${textOfWay(way)}>` };
  }
  const make = adapter.copy ? adapter.copy(value) : undefined;
  if (make) {
    return { value, make, isAdopted: true, shown: `<${value.constructor.name}>` };
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => keep(item, adapter));
    return { make: () => items.map(valueOf) };
  }
  if (ArrayBuffer.isView(value) || ['Date', 'Map', 'Set', 'ArrayBuffer'].includes(tagOf(value))) {
    const copy = copied(value);
    return { make: () => copied(copy) };
  }
  if (isLiteral(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, keep(item, adapter)]);
    return { make: () => Object.fromEntries(entries.map(([key, item]) => [key, valueOf(item)])) };
  }
  return { value };
}

function copied(value) {
  return Buffer.isBuffer(value) ? Buffer.from(value) : structuredClone(value);
}

function valueOf(kept) {
  return kept.make ? kept.make() : kept.value;
}

/** The arguments of a call, as often as they are needed. */
class Values {
  constructor(values, adapter) {
    const kept = values.map((value) => keep(value, adapter));
    this.kept = kept.some((one) => one.make) ? kept : null;
    this.constant = values.slice();
    // Now, as the library may change them.
    this.shown = textOf(values.map((value, i) => kept[i].shown || value));
  }

  list() {
    return this.kept ? this.kept.map(valueOf) : this.constant;
  }

  /** Those of the recorded call: what the library adopts there is the object that the test has in its
   *  hands, and may go on to use. */
  firstList() {
    return this.kept ? this.kept.map((one) => (one.isAdopted ? one.value : valueOf(one))) : this.constant;
  }
}

function textOfWay(way) {
  return [way.replica.name, ...(way.steps.length > 0 ? [textOfSteps(way.steps)] : [])].join('.');
}

// ---- Proxies -----------------------------------------------------------------------------------

/** What stands for the part of a replica that steps lead to. `recorder` hears of each call. */
function proxyOf(recorder, replica, steps) {
  const real = () => follow(replica.use(), steps);
  const methods = new Map();
  const method = (name) => {
    if (!methods.has(name)) {
      methods.set(name, (...values) => recorder.call(replica, steps, name, values));
    }
    return methods.get(name);
  };
  // The target is never looked at. It is a plain object so that no invariant of a real one, which
  // comes and goes, binds the proxy.
  return new Proxy({}, {
    get(_, name) {
      if (name === WAY) {
        return { replica, steps };
      }
      const object = real();
      if (name === REAL) {
        return object;
      }
      const value = Reflect.get(object, name, object);
      if (typeof value === 'function' && name !== 'constructor') {
        return method(name);
      }
      return recorder.read(replica, steps, name, value);
    },
    set(_, name, value) {
      recorder.write(replica, steps, name, value);
      return true;
    },
    has: (_, name) => Reflect.has(real(), name),
    deleteProperty: (_, name) => Reflect.deleteProperty(real(), name),
    ownKeys: () => Reflect.ownKeys(real()),
    getPrototypeOf: () => Reflect.getPrototypeOf(real()),
    getOwnPropertyDescriptor(_, name) {
      const descriptor = Reflect.getOwnPropertyDescriptor(real(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}

function wayOf(value) {
  return value !== null && typeof value === 'object' ? value[WAY] : undefined;
}

/** The object that a proxy stands for now; any other value as it is. */
function realOf(value) {
  return wayOf(value) ? value[REAL] : value;
}

module.exports = {
  Replica, Values, follow, textOfSteps, proxyOf, wayOf, realOf,
};
