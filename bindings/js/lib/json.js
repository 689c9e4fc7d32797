// json.js - what the protocol says about values: JSON of anything, compared whatever the order of keys.
// SPDX-License-Identifier: MIT
'use strict';

const DEPTH_MAX = 64;

/** The JSON text of any value, for people and for comparing. What JSON has no word for is told in
 *  angle brackets, so that two different things rarely look the same. */
function textOf(value) {
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : `"<${value}>"`;
    default:
      return value === null ? 'null' : JSON.stringify(plain(value, 0, []));
  }
}

/** A value of which JSON.stringify() loses nothing. */
function plain(value, depth, above) {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'number':
      return Number.isFinite(value) ? value : `<${value}>`;
    case 'bigint':
      return `<${value}n>`;
    case 'symbol':
      return `<${String(value)}>`;
    case 'function':
      return `<function ${value.name || 'without a name'}>`;
    case 'object':
      break;
    default:
      return value;
  }
  if (value === null) {
    return null;
  }
  if (depth > DEPTH_MAX || above.includes(value)) {
    return '<the same again>';
  }
  above.push(value);
  const result = plainObject(value, depth + 1, above);
  above.pop();
  return result;
}

function plainObject(value, depth, above) {
  if (Array.isArray(value)) {
    return value.map((item) => plain(item, depth, above));
  }
  if (ArrayBuffer.isView(value)) {
    return `<${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}>`;
  }
  if (typeof value.toJSON === 'function') {
    return plain(value.toJSON(), depth, above);
  }
  if (tagOf(value) === 'Map') {
    return Array.from(value, (pair) => plain(pair, depth, above));
  }
  if (tagOf(value) === 'Set') {
    return Array.from(value, (item) => plain(item, depth, above));
  }
  if (tagOf(value) === 'Error') {
    return `<${value.name}: ${value.message}>`;
  }
  const result = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== undefined && typeof value[key] !== 'function') {
      result[key] = plain(value[key], depth, above);
    }
  }
  return result;
}

/** Not `instanceof`: jest has a Map of its own. */
function tagOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** A JSON value with the keys of all objects in order. */
function sorted(value) {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  const result = Object.create(null);
  for (const key of Object.keys(value).sort()) {
    result[key] = sorted(value[key]);
  }
  return result;
}

/** Whether an object is one of those that literals make. */
function isLiteral(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

module.exports = { textOf, plain, sorted, isLiteral, tagOf };
