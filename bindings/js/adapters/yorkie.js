// yorkie.js - the adapter for documents of Yorkie (yorkie-js-sdk 0.4 to 0.6, @yorkie-js/sdk 0.7).
//
// Documents are used without a server: what a client would push goes to the other replicas as it is. As
// the server does, a message has all changes that its sender knows, and an arriving change that is known
// already is left out, by the number that its client gave it. Yorkie changes documents inside of
// update(), which is one event. SPDX-License-Identifier: MIT
'use strict';

const { copyOf } = require('./generic.js');

const UPDATES = new Set(['update']);
const QUERIES = new Set(['toJSON', 'toSortedJSON', 'getRoot', 'getValueByPath']);
const HISTORY = new Set(['undo', 'redo']);
const REMOTE = 'remote'; // OpSource.Remote; versions before 0.4.7 take no such argument

/** Options: actor (24 hexadecimal digits; else ones that count up with the replicas), key (of restored
 *  documents, else the document's own), state(doc). */
function yorkie(options = {}) {
  return {
    open(doc, info) {
      refuseOthers(doc);
      info.actor = options.actor || (info.index + 1).toString(16).padStart(24, '0');
      info.Document = doc.constructor;
      info.key = options.key || doc.getKey();
      info.opts = doc.opts;
      doc.setActor(info.actor);
      watch(doc);
    },

    kindOf(target, name) {
      if (HISTORY.has(name)) {
        return 'update';
      }
      return UPDATES.has(name) ? 'update' : QUERIES.has(name) ? 'query' : undefined;
    },
    isPart: (value) => value !== null && typeof value === 'object' && isHistory(value),

    request: (doc) => noteLocal(doc).changes.slice(),
    execute: applyNew,

    collect(doc) {
      const before = noteLocal(doc).changes.length;
      return () => {
        const made = noteLocal(doc).changes.slice(before);
        return made.length > 0 ? made : undefined;
      };
    },

    save,
    restore,

    state: options.state || ((doc) => JSON.parse(doc.toSortedJSON())),
    // Yorkie's toJSON() returns text.
    result: (value, info) => parsed(value && typeof value.toJSON === 'function' ? value.toJSON()
      : info.op.startsWith('to') ? value : JSON.stringify(value)),
  };
}

// ---- What a document knows -----------------------------------------------------------------------

/** Of each document, all changes in the order in which it met them, and the last number of each actor. */
const known = new WeakMap();

function noteLocal(doc) {
  if (!known.has(doc)) {
    known.set(doc, { changes: [], seen: new Map() });
  }
  const log = known.get(doc);
  for (const change of doc.createChangePack().getChanges()) {
    take(log, change);
  }
  return log;
}

function isSeen(seen, change) {
  const id = change.getID();
  return Number(id.getClientSeq()) <= (seen.get(id.getActorID()) || 0);
}

function take(log, change) {
  if (!isSeen(log.seen, change)) {
    log.seen.set(change.getID().getActorID(), Number(change.getID().getClientSeq()));
    log.changes.push(change);
  }
}

/** Has this document note what it is told by others than the adapter, such as the test's set-up. */
function watch(doc) {
  const { applyChanges } = doc;
  doc.applyChanges = (changes, source) => {
    const log = noteLocal(doc);
    changes.forEach((change) => take(log, change));
    return applyChanges.call(doc, changes, source);
  };
}

function applyNew(doc, message) {
  const { seen } = noteLocal(doc); // its own changes come before those that arrive
  const changes = message.filter((change) => !isSeen(seen, change));
  if (changes.length > 0) {
    doc.applyChanges(changes, REMOTE);
  }
}

// ---- Saving --------------------------------------------------------------------------------------

// What makes up a document. Yorkie can copy its root by itself, but then forgets what was overwritten, to
// which others may still refer. `clone` is the copy that updaters work on; it belongs to the document, as
// it was made at some time and has forgotten what was overwritten before.
const PARTS = ['root', 'clone', 'presences', 'changeID', 'checkpoint', 'localChanges', 'status',
  'onlineClients', 'internalHistory'];

function partsOf(doc) {
  return Object.fromEntries(PARTS.filter((name) => name in doc).map((name) => [name, doc[name]]));
}

function save(doc) {
  return copyOf({ parts: partsOf(doc), known: noteLocal(doc) }, isFixed);
}

function restore(saved, info) {
  const { parts, known: log } = copyOf(saved, isFixed);
  const doc = Object.assign(new info.Document(info.key, info.opts), parts);
  known.set(doc, log);
  watch(doc);
  return doc;
}

/** What is never changed in place, and so need not be copied: changes and times. */
function isFixed(value) {
  return typeof value.getLamport === 'function' || typeof value.getOperations === 'function' ||
    typeof value.getLamportAsString === 'function';
}

function isHistory(value) {
  return typeof value.undo === 'function' && typeof value.redo === 'function';
}

function refuseOthers(doc) {
  const has = (name) => typeof doc[name] === 'function';
  if (!['setActor', 'createChangePack', 'applyChanges', 'getKey', 'toSortedJSON'].every(has) ||
      !doc.root || !doc.changeID || !Array.isArray(doc.localChanges)) {
    throw new TypeError('this is no document of a Yorkie that is known here (0.4 to 0.7)');
  }
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

module.exports = { yorkie };
