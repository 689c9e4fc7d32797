// documents.mjs - a history, a run and an explanation of it as Sennit writes them, small enough to
// count by hand. SPDX-License-Identifier: MIT

/** A read that misses what another one has seen; a write may have happened. */
export function history() {
  const op = (index, process, text, call, ret) => ({ index, process: String(process), text, call, return: ret, status: ret === null ? 'unknown' : 'ok', line: 10 + index });
  return {
    format: 'sennit-history', version: 1, file: 'a.edn', model: 'register', consistency: 'linearizable', verdict: 'not linearizable', why: null,
    clock: 'events', total: 5, keys: 1, algorithm: 'search', configurations: 12, seconds: 0.25, stuck: 2, origin: '1',
    operations: [op(0, 0, 'write(1)', 0, null), op(1, 1, 'read() = 1', 2, 3), op(2, 2, 'read() = 0', 6, 7), op(3, 1, 'read() = 1', 8, 9), op(4, 2, 'read() = 1', 10, 11)],
    core: {
      model: 'register', key: '0', sequential: false, minimal: true,
      operations: [{ index: 0, definite: false }, { index: 1, definite: true }, { index: 2, definite: true }],
      order: [0, 1], longest: true, state: '1', states: ['1', '1'], candidates: [{ index: 2, refused: false, allowed: ['1'] }],
    },
  };
}

/** A run of one test with two kinds of failures. */
export function summary(changes) {
  const failure = (trial, count, signature, message) => ({ verdict: 'failed', trial, step: 9, count, trials: [trial, trial + 5], signature, oracle: 'assert', message,
    trace: `out/shop-sell-${trial}.trace`, shrunk: '9 -> 4 steps', shrunk_trace: `out/shop-sell-${trial}.shrunk.trace`, repro: './shop --replay x.trace', stack: ['main (till.c:3)'] });
  return {
    format: 1, sennit: '0.1.0', suite: 'shop', program: './shop', args: ['--bug', 'late'], build: '0123456789abcdef', strategy: 'random+ca', seed: 7, iterations: 1000,
    shard: null, verdict: 'failed', complete: true, interrupted: false, seconds: 0.5, planned: 1, strict: false,
    tests: [{ name: 'sell', verdict: 'failed', seconds: 0.5, trials: 1000, steps: 9000, distinct_orders: 400, cut: 2, stuck: 0, draws: 10, discarded: 0, unseen: null, failed: 31, kinds: 2,
      exhausted: false, within: null, estimate: null, earlier_trials: 0, timed_out: false, note: 'a note', error: null,
      next: [{ strategy: 'random+ca', trials: 600, orders: 300, once: 120, twice: 30, next: 'known', probability: 0.2, low: 0.17, high: 0.23, least: 540 },
        { strategy: 'pos+ca', trials: 400, orders: 200, once: 199, twice: 1, next: 'mostly new' }],
      discovery: [[100, 90], [500, 300], [1000, 400]], classes: [{ table: 'size', value: 'small', trials: 700 }],
      surveyed: 43, states: 77, never_came: 1, races: 3, races_one_sided: 2,
      failures: [failure(7, 1, 'deadlock', 'nothing can happen'), failure(4, 30, 'assert at till.c:31', 'paid twice')] }],
    sometimes: [{ kind: 'sn_sometimes', name: 'two pay at once', file: 'till.c', line: 40, condition: 'open > 1', reached: true, held: true, test: 'sell', trial: 12 },
      { kind: 'sn_reachable', name: 'somebody is refunded', file: 'till.c', line: 60, condition: '', reached: false, held: false, test: null, trial: null }],
    ...changes,
  };
}

export function coverage() {
  return {
    sennit: 'coverage', version: 2, suite: 'shop', test: 'sell', trials: 1000, survey: { trials: 43, complete: true, states: 77, least: false },
    races: [{ machine: 'Till', first: 'Pay', second: 'Cancel', forth: true, back: false }, { machine: 'Till', first: 'Pay', second: 'Close', forth: false, back: true },
      { machine: 'Till', first: 'Pay', second: 'Pay', forth: true, back: true }],
    came: 3, never: 1, machines: { Customer: { Waiting: { came: ['Done'], never: [] } }, Till: { Open: { came: ['Pay', 'Close'], never: ['Refund'] } } },
  };
}

export function explanation() {
  return {
    format: 'sennit-explanation', version: 1, suite: 'shop', test: 'sell', pool: 50, covered: 48,
    causes: [{ sufficient: true, minimal: true, covers: 30, constraints: [{ kind: 'order', first: 'Pay', second: 'Close', label: 'decisive' }] },
      { sufficient: true, minimal: true, covers: 18, constraints: [{ kind: 'value', first: 'coin', second: '1', label: 'decisive' }] }],
    run: { failed: 30, looked_at: 30, covers: [20, 8], first: [4, 9], none: 2 },
  };
}
