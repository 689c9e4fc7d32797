// runner.js - performs interleavings, and tells their outcomes.
//
// Interleavings come in an order in which neighbours begin alike. So what all replicas look like is
// saved where the next interleaving will part from the present one, and the next one goes on from there.
// That is sound as long as what an adapter saves and restores cannot be told from the original; every
// now and then an interleaving is run from the beginning as well, and if its outcome is another one,
// nothing is shared from then on. SPDX-License-Identifier: MIT
'use strict';

const crypto = require('node:crypto');
const serve = require('./serve.js');
const { textOfThrow, messageOf } = require('./event.js');
const { placeOf } = require('./place.js');
const { textOf, sorted } = require('./json.js');
const { after, inTurn, isThenable } = require('./turn.js');

const SHARED_MIN = 2; // fewer events are performed again faster than they are saved
const VERIFIED_FIRST = 16; // interleavings that share, all of them run twice
const VERIFIED_EVERY = 256; // after those
const KEYS_MAX = 100000; // texts of outcomes that are kept as they are, without sorting

const THROWN = /^\{"throws":"/; // the result of an event

/** A replica as it was somewhere: what its adapter saved, and its state once somebody asked. */
class Saved {
  constructor(value) {
    this.value = value;
    this.stateText = null;
  }
}

/** Everything that an interleaving can change, after `depth` of its events. */
class Frame {
  constructor(depth, saved, progress) {
    this.depth = depth;
    this.saved = saved; // by replica
    this.progress = progress;
  }
}

class Progress {
  constructor(texts, isPerformed, messages, counts, performed) {
    this.texts = texts; // of the results, by event
    this.isPerformed = isPerformed; // by event
    this.messages = messages; // by the event that made it
    this.counts = counts; // of events, by replica
    this.performed = performed;
  }

  copy() {
    return new Progress(this.texts.slice(), this.isPerformed.slice(), this.messages.slice(),
      this.counts.slice(), this.performed);
  }
}

class Runner {
  constructor(recording, { share = true } = {}) {
    const { replicas, events } = recording;
    this.recording = recording;
    this.replicas = replicas;
    this.events = events;
    this.checks = recording.checks;
    this.canRestore = recording.canRestore;
    this.isSharing = share && this.canRestore;
    this.restoresLate = this.canRestore;
    this.isUsed = false;
    this.saved = replicas.map(() => null); // what each replica looks like, unless it has changed since
    this.frames = [new Frame(0, this.canRestore ? recording.starts.map((one) => new Saved(one)) : null,
      new Progress(events.map(() => 'null'), events.map(() => false), events.map(() => undefined),
        replicas.map(() => 0), 0))];
    this.progress = this.frames[0].progress.copy();
    this.previous = []; // the interleaving that the frames belong to
    this.sharedCount = 0;
    this.outcomes = new Map(); // by digests of their sorted texts
    this.keys = new Map(); // by their texts
    this.described = new Set(); // outcomes that Sennit knows
    this.stateNames = replicas.map(({ name }) => JSON.stringify(name));
  }

  // ---- Whole interleavings ---------------------------------------------------------------------

  /** Runs interleavings; {outcomes, descriptions} of those that are new, or a promise. */
  run(interleavings, isChecked) {
    const outcomes = [];
    const descriptions = [];
    return after(inTurn(interleavings.length, (i) =>
      after(this.runOne(interleavings[i], interleavings[i + 1], isChecked), (outcome) => {
        outcomes.push(this.numberOf(outcome, descriptions));
      })), () => ({ outcomes, descriptions }));
  }

  /** Runs one interleaving; a promise of what is wrong with it, or of null. */
  async runAlone(order) {
    const wrong = order.find((number) => !this.events[number]);
    if (wrong !== undefined) {
      throw new Error(`there is no event ${wrong}`);
    }
    const { failure } = await this.runFrom(this.frames[0], order, null, true);
    if (failure) {
      return messageOf(failure.error);
    }
    const event = this.events.find(({ number, resultText }) =>
      THROWN.test(this.progress.texts[number]) && !THROWN.test(resultText));
    return event ? `${event.op} of ${event.replica.name} throws: ` +
      JSON.parse(this.progress.texts[event.number]).throws : null;
  }

  runOne(order, next, isChecked) {
    const shared = this.isSharing ? this.frameFor(order) : this.frames[0];
    if (shared.depth === 0 || !this.isVerifying()) {
      return this.runFrom(shared, order, next, isChecked);
    }
    return after(this.runFrom(this.frames[0], order, null, isChecked), (expected) =>
      after(this.runFrom(shared, order, next, isChecked), (outcome) => {
        if (outcome.key !== expected.key) {
          this.isSharing = false;
          this.dropFrames();
        }
        return expected;
      }));
  }

  isVerifying() {
    this.sharedCount++;
    return this.sharedCount <= VERIFIED_FIRST || this.sharedCount % VERIFIED_EVERY === 0;
  }

  /** The deepest frame that an interleaving can go on from. Deeper ones are dropped. */
  frameFor(order) {
    const depth = sameUntil(this.previous, order);
    while (this.frames[this.frames.length - 1].depth > depth) {
      this.frames.pop();
    }
    this.previous = order;
    return this.frames[this.frames.length - 1];
  }

  dropFrames() {
    this.frames.length = 1;
    this.previous = [];
  }

  runFrom(frame, order, next, isChecked) {
    const saveAt = this.isSharing && next ? sameUntil(order, next) : 0;
    const mustSave = saveAt >= frame.depth + SHARED_MIN;
    return after(this.goTo(frame), () => after(inTurn(order.length, (i) => {
      if (mustSave && i === saveAt) {
        this.frames.push(this.save(i));
      }
      return this.perform(order[i]);
    }, frame.depth), () => this.conclude(isChecked)));
  }

  /** {key, results, states, failure} of the interleaving that was just performed. */
  conclude(isChecked) {
    return after(this.states(), (states) => after(isChecked ? this.check() : undefined, (failure) => {
      serve.pause();
      const results = this.progress.texts.join(',');
      const failureText = failure ? JSON.stringify(messageOf(failure.error)) : '';
      return { key: `${results}\n${states}\n${failureText}`, results, states, failure };
    }));
  }

  // ---- Going back ------------------------------------------------------------------------------

  goTo(frame) {
    this.progress = frame.progress.copy();
    if (!this.canRestore) {
      if (this.isUsed) {
        throw new Error('the replicas cannot be restored: this process can run one interleaving');
      }
      this.isUsed = true;
      return undefined;
    }
    for (let i = 0; i < this.replicas.length; i++) {
      this.saved[i] = frame.saved[i];
      this.replicas[i].restore(frame.saved[i].value);
    }
    return this.restoresLate ? undefined : this.restoreNow();
  }

  restoreNow() {
    return inTurn(this.replicas.length, (i) => {
      const replica = this.replicas[i];
      return after(replica.current(), (object) => {
        replica.object = object;
      });
    });
  }

  save(depth) {
    const saved = this.replicas.map((replica, i) => {
      if (replica.isChanged) {
        this.saved[i] = new Saved(replica.adapter.save(replica.current(), replica.info));
        replica.isChanged = false;
      }
      return this.saved[i];
    });
    return new Frame(depth, saved, this.progress.copy());
  }

  /** The states that the recording has left, as long as nothing was restored. */
  recordedStates() {
    this.progress.performed = this.events.length;
    return this.states();
  }

  /** Tries whether the recorded events, performed again in their order, do what they did. If not, the
   *  segment does something that is not recorded, or does not do the same each time. */
  tryOut(states) {
    if (!this.canRestore) {
      return undefined;
    }
    const recorded = { results: this.events.map((event) => event.resultText).join(','), states };
    return after(this.tryAdapters(), () =>
      after(this.runFrom(this.frames[0], this.events.map((_, i) => i), null, false), (outcome) => {
        if (digestOf(outcome) !== digestOf(recorded)) {
          throw new Error('the recorded events do something else when they are performed again. ' +
            'Is a replica changed by something that is not recorded, such as a function that was ' +
            'given a replica, or by what is outside of the test?\n' +
            `recorded:  [${recorded.results}] {${recorded.states}}\n` +
            `performed: [${outcome.results}] {${outcome.states}}`);
        }
      }));
  }

  /** One that restores or saves with a promise is always waited for, and then nothing is shared, as
   *  waiting costs more than most events. */
  tryAdapters() {
    this.restoresLate = false;
    return after(inTurn(this.replicas.length, (i) => {
      const replica = this.replicas[i];
      replica.restore(this.frames[0].saved[i].value);
      const object = replica.current();
      if (isThenable(object)) {
        this.isSharing = false;
        this.isWaiting = true;
      }
      return after(object, (there) => {
        replica.object = there;
        const saved = replica.adapter.save(there, replica.info);
        this.isSharing = this.isSharing && !isThenable(saved);
        return isThenable(saved) ? saved : undefined;
      });
    }), () => {
      this.restoresLate = !this.isWaiting;
    });
  }

  // ---- Step by step ----------------------------------------------------------------------------

  begin() {
    this.dropFrames();
    return this.goTo(this.frames[0]);
  }

  /** Performs an event; undefined or a promise. What it returned is in the progress. */
  perform(number) {
    const event = this.events[number];
    const { progress } = this;
    const { index } = event.replica;
    progress.performed++;
    serve.event(number, ++progress.counts[index]);
    let value;
    try {
      value = event.perform(progress.messages);
    } catch (error) {
      return this.note(event, textOfThrow(error));
    }
    if (!isThenable(value)) {
      return this.note(event, value === undefined ? 'null' : event.textOfResult(value));
    }
    return value.then((result) => this.note(event, event.textOfResult(result)),
      (error) => this.note(event, textOfThrow(error)));
  }

  /** An event has returned. Of one that occurs again only the first result counts. */
  note(event, text) {
    const { isPerformed, texts } = this.progress;
    const { adapter, info } = event.replica;
    if (!isPerformed[event.number]) {
      isPerformed[event.number] = true;
      texts[event.number] = text;
    }
    this.resultText = text;
    return adapter.settle ? adapter.settle(event.replica.use(), info) : undefined;
  }

  /** The JSON text of the states of all replicas, or a promise of it. */
  states() {
    serve.assertions(this.progress.performed);
    const texts = [];
    return after(inTurn(this.replicas.length, (i) => after(this.stateOf(i), (text) => {
      if (text !== undefined) {
        texts.push(`${this.stateNames[i]}:${text}`);
      }
    })), () => texts.join(','));
  }

  stateOf(i) {
    const { adapter, info, isChanged } = this.replicas[i];
    const saved = isChanged ? null : this.saved[i];
    if (saved && saved.stateText !== null) {
      return saved.stateText;
    }
    if (!adapter.state) {
      return undefined;
    }
    return after(adapter.state(this.replicas[i].current(), info), (state) => {
      const text = textOf(state);
      if (saved) {
        saved.stateText = text;
      }
      return text;
    });
  }

  /** Runs the assertions of the test; {error} of the first that fails. */
  check() {
    const { progress, recording } = this;
    recording.shown = progress;
    recording.isChecking = true;
    serve.assertions(progress.performed);
    let failure;
    return after(inTurn(this.checks.length, (i) => {
      if (failure) {
        return undefined;
      }
      try {
        const value = this.checks[i]();
        return isThenable(value) ? value.then(undefined, (error) => {
          failure = { error };
        }) : undefined;
      } catch (error) {
        failure = { error };
        return undefined;
      }
    }), () => {
      recording.isChecking = false;
      return failure;
    });
  }

  // ---- Outcomes --------------------------------------------------------------------------------

  /** The number of an outcome. If Sennit does not know it, its description is added to those. */
  numberOf(outcome, descriptions) {
    let number = this.keys.get(outcome.key);
    if (number === undefined) {
      number = this.numberByDigest(digestOf(outcome));
      if (this.keys.size >= KEYS_MAX) {
        this.keys.clear();
      }
      this.keys.set(outcome.key, number);
    }
    if (!this.described.has(number)) {
      this.described.add(number);
      descriptions.push(`{"outcome":${number},"results":[${outcome.results}],` +
        `"states":{${outcome.states}}${textOfFailure(outcome.failure)}}`);
    }
    return number;
  }

  numberByDigest(digest) {
    let number = this.outcomes.get(digest);
    if (number === undefined) {
      number = this.outcomes.size;
      this.outcomes.set(digest, number);
    }
    return number;
  }

  /** Somebody asks who has not heard of any outcome. */
  forgetDescribed() {
    this.described.clear();
  }
}

/** By which outcomes are the same: neither the order of keys nor their size matters. */
function digestOf({ results, states, failure }) {
  const value = [JSON.parse(`[${results}]`), JSON.parse(`{${states}}`),
    failure ? messageOf(failure.error) : null];
  return crypto.createHash('sha256').update(JSON.stringify(sorted(value))).digest('base64');
}

function textOfFailure(failure) {
  if (!failure) {
    return '';
  }
  const place = placeOf(failure.error);
  return `,"failed":${JSON.stringify({ message: messageOf(failure.error), at: place })}`;
}

/** How many of their first events two interleavings have in common. */
function sameUntil(one, other) {
  const count = Math.min(one.length, other.length);
  let i = 0;
  while (i < count && one[i] === other[i]) {
    i++;
  }
  return i;
}

module.exports = { Runner, textOfFailure };
