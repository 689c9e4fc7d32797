// yjs.js - the adapter for Yjs (13.6).
//
// A message is the whole state as an update, which is also how a document is saved. Observers of a
// document are not part of it: those that the set-up registers are gone once it is restored.
// SPDX-License-Identifier: MIT
'use strict';

const DOC_UPDATES = new Set(['transact']);
const UPDATES = new Set(['set', 'delete', 'clear', 'insert', 'push', 'unshift', 'format', 'applyDelta',
  'insertEmbed', 'insertAfter', 'setAttribute', 'removeAttribute']);
const QUERIES = new Set(['get', 'has', 'toJSON', 'toArray', 'slice', 'toString', 'toDelta', 'length', 'size',
  'getAttribute', 'getAttributes']);
const NOBODY = 0;
const ROOTS = 'yjs.roots'; // the types of all roots that some replica has asked for, by name

/** `Y` is the module that the test uses: two instances of Yjs do not go together. Options: clientID (else
 *  1, 2, ... in the order of the replicas), doc (options of new documents), roots ({name: type}, for those
 *  that the recording does not meet), state(doc). */
function yjs(Y, options = {}) {
  if (!Y || typeof Y.encodeStateAsUpdate !== 'function') {
    throw new TypeError('yjs(Y, options): Y is to be the module yjs');
  }
  return {
    open(doc, info) {
      doc.clientID = options.clientID === undefined ? info.index + 1 : options.clientID;
      info.clientID = doc.clientID;
      info.doc = { guid: doc.guid, gc: doc.gc, gcFilter: doc.gcFilter, meta: doc.meta, ...options.doc };
      if (!info.shared.has(ROOTS)) {
        info.shared.set(ROOTS, new Map());
      }
      for (const [name, Type] of Object.entries(options.roots || {})) {
        info.shared.get(ROOTS).set(name, Type);
      }
    },

    kindOf(target, name) {
      if (target instanceof Y.Doc) {
        return DOC_UPDATES.has(name) ? 'update' : undefined;
      }
      return UPDATES.has(name) ? 'update' : QUERIES.has(name) ? 'query' : undefined;
    },

    isPart: (value) => value instanceof Y.AbstractType,
    copy: (value) => (value instanceof Y.AbstractType ? copierOf(Y, value) : undefined),

    request: (doc) => Y.encodeStateAsUpdate(doc),
    execute(doc, message) {
      Y.applyUpdate(doc, message);
    },

    collect(doc) {
      const updates = [];
      const note = (update) => updates.push(update);
      doc.on('update', note);
      return () => {
        doc.off('update', note);
        return updates.length > 1 ? Y.mergeUpdates(updates) : updates[0];
      };
    },

    recorded(doc, info) {
      noteRoots(Y, doc, info);
    },
    save: (doc) => ({ roots: typedRoots(Y, doc), update: Y.encodeStateAsUpdate(doc) }),
    restore(saved, info) {
      const doc = new Y.Doc(info.doc);
      // A document that is told of changes of its own client believes in a second one, and takes
      // another number. So it gets its number last.
      doc.clientID = NOBODY;
      // A text must be known as one to notice that it is formatted.
      for (const [name, Type] of saved.roots) {
        doc.get(name, Type);
      }
      Y.applyUpdate(doc, saved.update);
      doc.clientID = info.clientID;
      return doc;
    },

    state(doc, info) {
      if (options.state) {
        return options.state(doc);
      }
      noteRoots(Y, doc, info);
      const state = {};
      for (const [name, Type] of info.shared.get(ROOTS)) {
        const root = doc.get(name, Type);
        const value = root instanceof Y.Text ? textOf(root) : root.toJSON();
        if (!isEmpty(value)) { // one that is empty cannot be told from one that nobody has asked for
          state[name] = value;
        }
      }
      return state;
    },

    // What a transaction returns may be a part of the document, whose JSON is its value.
    result: (value) => (value instanceof Y.AbstractType ? value.toJSON() : value),
  };
}

/** The roots that somebody has asked for with their types: [name, type]. */
function typedRoots(Y, doc) {
  const roots = [];
  for (const [name, root] of doc.share) {
    if (root.constructor !== Y.AbstractType) {
      roots.push([name, root.constructor]);
    }
  }
  return roots;
}

/** A document shows a root only to those who have asked for it with its type. To compare replicas, each
 *  is asked for the roots of all. */
function noteRoots(Y, doc, info) {
  const roots = info.shared.get(ROOTS);
  for (const [name, Type] of typedRoots(Y, doc)) {
    if (!roots.has(name)) {
      roots.set(name, Type);
    }
  }
}

/** A text as it is; what is formatted, as a delta. */
function textOf(text) {
  const delta = text.toDelta();
  const isPlain = ({ insert, attributes }) => typeof insert === 'string' && !attributes;
  return delta.every(isPlain) ? delta.map(({ insert }) => insert).join('') : delta;
}

function isEmpty(value) {
  for (const key in value) { // of a string, an array or an object
    return key === undefined;
  }
  return true;
}

/** What makes a type that is not in a document yet anew: it can be put into one only once. */
function copierOf(Y, type) {
  if (type.doc) {
    return undefined;
  }
  const copied = (value) => (value instanceof Y.AbstractType ? copierOf(Y, value) : () => value);
  if (type instanceof Y.Map && type._prelimContent) {
    const entries = Array.from(type._prelimContent, ([key, value]) => [key, copied(value)]);
    return () => new Y.Map(entries.map(([key, make]) => [key, make()]));
  }
  if (type instanceof Y.Array && type._prelimContent) {
    const items = type._prelimContent.map(copied);
    return () => Y.Array.from(items.map((make) => make()));
  }
  if (type instanceof Y.Text && !(type._pending && type._pending.length > 0)) {
    return () => new type.constructor();
  }
  throw new Error(`a ${type.constructor.name} with content cannot be kept for other interleavings: ` +
    'make it in t.update(replica, name, (doc) => ...)');
}

module.exports = { yjs };
