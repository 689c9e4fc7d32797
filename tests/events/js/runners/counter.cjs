// counter.cjs - what the tests of each runner explore. SPDX-License-Identifier: MIT
'use strict';

/** Two counters; the second must not be behind the first when somebody looks. */
function counters(isWrong) {
  return (t) => {
    const adapter = { updates: ['set'], queries: ['get'], syncs: ['take'], save: 'copy' };
    const make = () => ({
      value: 0,
      at: 0,
      set(value) {
        this.value = value;
        this.at = Date.now() + Math.random();
      },
      take(other) {
        this.value = Math.max(this.value, other.value);
      },
      get() {
        return this.value;
      },
    });
    const a = t.replica('A', make(), adapter);
    const b = t.replica('B', make(), adapter);
    t.start();
    a.set(1);
    t.sync(a, b);
    b.get();
    const seen = t.last();
    t.end();
    t.check(() => {
      if (isWrong && seen.result !== 1) {
        throw new Error('looked too early');
      }
    });
  };
}

module.exports = { counters };
