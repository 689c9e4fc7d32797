// turn.js - one thing after the other, waiting only if there is something to wait for.
//
// A promise per event would cost more than many an event does. SPDX-License-Identifier: MIT
'use strict';

function isThenable(value) {
  return value !== null && value !== undefined && typeof value.then === 'function' &&
    (typeof value === 'object' || typeof value === 'function');
}

/** next(value), once the value is there. */
function after(value, next) {
  return isThenable(value) ? value.then(next) : next(value);
}

/** Calls each(i) for i from `from` to count - 1 in turn. A promise if one of them gave one. */
function inTurn(count, each, from = 0) {
  for (let i = from; i < count; i++) {
    const value = each(i);
    if (isThenable(value)) {
      return value.then(() => inTurn(count, each, i + 1));
    }
  }
  return undefined;
}

module.exports = { isThenable, after, inTurn };
