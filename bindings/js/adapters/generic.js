// generic.js - the adapter for any object with methods. SPDX-License-Identifier: MIT
'use strict';

const { plain } = require('../lib/json.js');
const { after } = require('../lib/turn.js');

/** What is left out has a default; see the README for each. */
function generic(options = {}) {
  const { updates, queries = [], syncs = [], paths = [], save, restore } = options;
  const knows = (list, name) => list.includes(name);
  const adapter = {
    kindOf(target, name) {
      if (knows(queries, name)) {
        return 'query';
      }
      if (knows(syncs, name)) {
        return 'sync';
      }
      if (knows(paths, name)) {
        return undefined;
      }
      return !updates || knows(updates, name) ? 'update' : undefined;
    },
    state: stateOf,
  };
  if (save === 'copy') {
    adapter.save = (object) => copyOf(object);
    adapter.restore = (saved) => copyOf(saved);
  } else if (save && restore) {
    adapter.save = save;
    adapter.restore = restore;
  }
  if (adapter.save && syncs.length > 0) {
    // merge(other): the other one as it is now, kept until it arrives.
    adapter.request = adapter.save;
    adapter.execute = (object, message, info) => {
      const name = knows(syncs, info.op) ? info.op : syncs[0];
      return after(adapter.restore(message, info), (other) => object[name](other));
    };
  }
  for (const name of OPTIONAL) {
    if (options[name] !== undefined) {
      adapter[name] = options[name];
    }
  }
  return adapter;
}

const OPTIONAL = ['open', 'recorded', 'isPart', 'copy', 'request', 'execute', 'collect', 'deliver', 'state',
  'result', 'settle', 'isAsync'];

/** toJSON(), or what can be seen of the object. */
function stateOf(object) {
  return plain(object, 0, []);
}

/** A copy of an object with all that it holds; objects of classes keep their classes. Functions stay
 *  the same ones, and so does what isFixed() says. */
function copyOf(object, isFixed = () => false) {
  return copyInto(object, new Map(), isFixed);
}

function copyInto(value, done, isFixed) {
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (done.has(value)) {
    return done.get(value);
  }
  if (isFixed(value)) {
    return value;
  }
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (tag === 'Date' || tag === 'RegExp' || ArrayBuffer.isView(value) || tag === 'ArrayBuffer') {
    return structuredClone(value);
  }
  const copy = emptyLike(value, tag);
  done.set(value, copy);
  if (tag === 'Map') {
    value.forEach((item, key) => copy.set(copyInto(key, done, isFixed), copyInto(item, done, isFixed)));
  } else if (tag === 'Set') {
    value.forEach((item) => copy.add(copyInto(item, done, isFixed)));
  }
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor.writable && descriptor.enumerable && descriptor.configurable) {
      copy[key] = copyInto(descriptor.value, done, isFixed); // by far the fastest way
      continue;
    }
    if ('value' in descriptor) {
      descriptor.value = copyInto(descriptor.value, done, isFixed);
    }
    Object.defineProperty(copy, key, descriptor);
  }
  return copy;
}

function emptyLike(value, tag) {
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    return Object.setPrototypeOf([], prototype);
  }
  if (tag === 'Map' || tag === 'Set') {
    return Object.setPrototypeOf(tag === 'Map' ? new Map() : new Set(), prototype);
  }
  return Object.create(prototype);
}

module.exports = { generic, copyOf };
