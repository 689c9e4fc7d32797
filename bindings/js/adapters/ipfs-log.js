// ipfs-log.js - the adapter for logs of ipfs-log (4.6), which OrbitDB is built on.
//
// A message is the log as it is: entries and heads. Entries are never changed, so logs share them. The
// order in which a log has met its entries is kept, as the order of entries that tie depends on it.
// SPDX-License-Identifier: MIT
'use strict';

const crypto = require('node:crypto');

const QUERIES = new Set(['values', 'heads', 'tails', 'length', 'has', 'get', 'toString']);
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DAG_CBOR = [0x01, 0x71, 0x12, 0x20]; // version 1, dag-cbor, sha2-256, 32 bytes

/** Options: state(log). */
function ipfsLog(options = {}) {
  const state = options.state || ((log) => log.values.map(({ payload }) => payload));
  return {
    open(log, info) {
      if (!log._entryIndex || !log._headsIndex || typeof log.join !== 'function') {
        throw new TypeError('this is no log of an ipfs-log that is known here (4.6)');
      }
      info.Log = log.constructor;
    },
    kindOf(target, name) {
      if (name === 'join') {
        return 'sync';
      }
      return name === 'append' ? 'update' : QUERIES.has(name) ? 'query' : undefined;
    },
    isAsync: (name) => name === 'append',

    request: partsOf,
    async execute(log, message, info) {
      await log.join(logOf(info.Log, message));
    },

    collect(log) {
      const before = new Set(Object.keys(log._entryIndex._cache));
      return () => {
        const entries = entriesOf(log).filter(({ hash }) => !before.has(hash));
        return entries.length > 0 ? { ...partsOf(log), entries, heads: entries.slice(-1) } : undefined;
      };
    },

    save: partsOf,
    restore: (saved, info) => logOf(info.Log, saved),
    state,
    result: shown,
  };
}

const entriesOf = (log) => Object.values(log._entryIndex._cache);

function partsOf(log) {
  return {
    storage: log._storage,
    identity: log._identity,
    logId: log._id,
    access: log._access,
    entries: entriesOf(log),
    heads: Object.values(log._headsIndex),
    clock: log._clock,
    sortFn: log._sortFn,
    concurrency: log.joinConcurrency,
  };
}

function logOf(Log, { storage, identity, ...parts }) {
  return new Log(storage, identity, parts);
}

/** Entries as people read them: hashes differ with everything that came before. */
function shown(value) {
  if (Array.isArray(value)) {
    return value.map(shown);
  }
  return value && value.clock && value.payload !== undefined
    ? { payload: value.payload, time: value.clock.time } : value;
}

// ---- What a log needs besides --------------------------------------------------------------------

/** As much of IPFS as a log uses: what is put is kept in memory, under the digest of its JSON. */
function memoryOf() {
  const nodes = new Map();
  return {
    dag: {
      async put(node) {
        const digest = crypto.createHash('sha256').update(JSON.stringify(node)).digest();
        const name = `z${base58([...DAG_CBOR, ...digest])}`;
        nodes.set(name, node);
        return { toBaseEncodedString: () => name, toString: () => name };
      },
      get: async (name) => ({ value: nodes.get(String(name)) }),
    },
    pin: { add: async () => {} },
  };
}

/** An identity whose signatures anybody can make. */
function identityOf(name) {
  const signatures = { id: `${name}:id`, publicKey: `${name}:key` };
  const provider = {
    sign: async (identity, data) => `${identity.publicKey}:${data.length}`,
    verify: async (signature, key) => signature.startsWith(`${key}:`),
  };
  const identity = { id: name, publicKey: name, signatures, type: 'memory' };
  return { ...identity, provider, toJSON: () => identity };
}

function base58(bytes) {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) {
    text = BASE58[Number(number % 58n)] + text;
  }
  return text;
}

module.exports = { ipfsLog, identityOf, memoryOf };
