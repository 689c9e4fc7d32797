// serve.js - the time of day and random numbers of an interleaving.
//
// The same interleaving must always have the same outcome, so what JavaScript has for time and for
// random numbers is replaced while an exploration is at work. The replacements ask whether something
// is being served at all and otherwise do what the originals do: a test runner that looks at the
// clock while an exploration waits sees the real one. SPDX-License-Identifier: MIT
'use strict';

const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const { Splitmix } = require('./splitmix.js');

const ASSERTIONS = 64; // added to the seed, where events add their number
const SET_UP = -1;

const served = {
  on: false,
  time: 0, // of Sennit's first message, in milliseconds
  now: 0,
  seed: 0n,
  starts: [], // of each event's generator: [high, low], so that no BigInt is needed later
  random: new Splitmix(),
};

/** Serves from here on; what is served belongs to the set-up until an event begins. */
function open(time, seed) {
  served.time = time;
  served.seed = seed;
  served.starts = [];
  for (let number = SET_UP; number <= ASSERTIONS; number++) {
    served.random.begin(seed, number);
    served.starts.push([served.random.high, served.random.low]);
  }
  setUp();
}

function setUp() {
  served.on = true;
  served.now = served.time;
  beginRandom(SET_UP);
}

/** An event begins whose replica performs its count-th one. */
function event(number, count) {
  served.on = true;
  served.now = served.time + count;
  beginRandom(number);
}

/** Assertions begin, after so many events. */
function assertions(count) {
  event(ASSERTIONS, count);
}

/** What is served now, to be gone on with after an event in the middle of a recording. */
function suspend() {
  return { on: served.on, now: served.now, high: served.random.high, low: served.random.low };
}

function resume(before) {
  served.on = before.on;
  served.now = before.now;
  served.random.beginFrom(before.high, before.low);
}

/** Time and random numbers are the real ones, until the next of the calls above. */
function pause() {
  served.on = false;
}

function beginRandom(number) {
  const start = served.starts[number - SET_UP];
  served.random.beginFrom(start[0], start[1]);
}

// ---- Replacing ---------------------------------------------------------------------------------

let installs = 0;
let undo = [];

/** Puts the replacements in place. Each call needs a call of giveBack(). */
function take() {
  if (installs++ > 0) {
    return;
  }
  undo = [];
  takeDate();
  takePerformance();
  replace(Math, 'random', (real) => () => (served.on ? served.random.fraction() : real()));
  takeCrypto();
}

/** Gives everything back that take() has replaced. */
function giveBack() {
  if (--installs > 0) {
    return;
  }
  served.on = false;
  for (const back of undo.reverse()) {
    back();
  }
  undo = [];
  syncBuiltinESMExports();
}

function replace(object, name, makeReplacement) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  if (before && !before.configurable && !before.writable) {
    return; // crypto.getRandomValues asks webcrypto for it, where it is replaced
  }
  const replacement = makeReplacement(object[name]);
  Object.defineProperty(object, name, {
    value: replacement, writable: true, configurable: true, enumerable: before ? before.enumerable : true,
  });
  undo.push(() => {
    if (object[name] !== replacement) {
      return; // somebody else has replaced it since (fake timers): it is theirs now
    }
    if (before) {
      Object.defineProperty(object, name, before);
    } else {
      delete object[name];
    }
  });
}

function takeDate() {
  replace(globalThis.Date, 'now', (real) => () => (served.on ? served.now : real()));
  replace(globalThis, 'Date', (Real) => {
    const replacement = new Proxy(Real, {
      construct(target, args, newTarget) {
        const list = args.length === 0 && served.on ? [served.now] : args;
        return Reflect.construct(target, list, newTarget === replacement ? target : newTarget);
      },
      apply(target, self, args) {
        return served.on ? new target(served.now).toString() : Reflect.apply(target, self, args);
      },
    });
    return replacement;
  });
}

function takePerformance() {
  const { performance } = globalThis;
  if (performance && typeof performance.now === 'function') {
    replace(performance, 'now', (real) =>
      () => (served.on ? served.now - served.time : real.call(performance)));
  }
}

function takeCrypto() {
  const bytes = (size) => {
    const buffer = Buffer.alloc(size);
    served.random.fill(buffer);
    return buffer;
  };
  const fill = (view, offset = 0, size = view.byteLength - offset) => {
    served.random.fill(new Uint8Array(view.buffer || view, (view.byteOffset || 0) + offset, size));
    return view;
  };
  const whole = (size) => (ArrayBuffer.isView(size) ? size.byteLength : size);
  // Served results come at once; one that was asked for by a callback comes with the next tick.
  const either = (makeServed, done, real) => {
    if (!served.on) {
      return real();
    }
    const value = makeServed();
    return typeof done === 'function' ? void process.nextTick(done, null, value) : value;
  };

  for (const web of new Set([crypto.webcrypto, globalThis.crypto])) {
    if (!web) {
      continue;
    }
    replace(web, 'getRandomValues', (real) =>
      (view) => (served.on ? fill(view) : real.call(web, view)));
    replace(web, 'randomUUID', (real) => () => (served.on ? uuid(bytes(16)) : real.call(web)));
  }
  replace(crypto, 'getRandomValues', (real) => (view) => (served.on ? fill(view) : real(view)));
  replace(crypto, 'randomUUID', (real) => (...args) => (served.on ? uuid(bytes(16)) : real(...args)));
  replace(crypto, 'randomBytes', (real) =>
    (size, done) => either(() => bytes(size), done, () => real(size, done)));
  replace(crypto, 'pseudoRandomBytes', (real) =>
    (size, done) => either(() => bytes(size), done, () => real(size, done)));
  replace(crypto, 'randomFillSync', (real) =>
    (view, ...rest) => (served.on ? fill(view, ...rest) : real(view, ...rest)));
  replace(crypto, 'randomFill', (real) => (view, ...rest) =>
    either(() => fill(view, ...rest.slice(0, -1).map(whole)), rest[rest.length - 1],
      () => real(view, ...rest)));
  replace(crypto, 'randomInt', (real) => (...args) => {
    const [low, high] = typeof args[1] === 'number' ? args : [0, args[0]];
    return either(() => low + Math.floor(served.random.fraction() * (high - low)),
      args[args.length - 1], () => real(...args));
  });
  syncBuiltinESMExports();
}

function uuid(bytes) {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .join('-');
}

module.exports = { open, setUp, event, assertions, suspend, resume, pause, take, giveBack };
