// explore.js - the one call of a test. SPDX-License-Identifier: MIT
'use strict';

const { version } = require('../package.json');
const channels = require('./channel.js');
const client = require('./client.js');
const serve = require('./serve.js');
const { launch } = require('./launch.js');
const { Recording } = require('./recording.js');
const { Report } = require('./report.js');
const { Runner } = require('./runner.js');
const { Test } = require('./test.js');

// What Sennit's first message says, for an interleaving without one.
const ALONE = { time: 1700000000000, random: 1n };
const BINDING = `js ${version}`;
let isAsked = false; // by the Sennit that has started this process, which knows one segment of it
let last = Promise.resolve(); // time and random numbers can be served to one exploration at a time

/** Runs a test once, and then the interleavings of its segment that Sennit asks for. Resolves to a
 *  report. If something was found it rejects, with `throws: false` it does not; nor does it if Sennit
 *  has started the test, as Sennit tells then what was found. */
function explore(name, test, options = {}) {
  if (typeof test !== 'function') {
    return explore(name, options, test); // explore(name, options, test) reads well, too
  }
  const report = last.then(() => exploreNow(name, test, options));
  last = report.catch(() => {});
  return report;
}

async function exploreNow(name, test, options) {
  const { SENNIT_EVENTS: where, SENNIT_INTERLEAVING: alone } = process.env;
  if (where) {
    return exploreAsked(where, name, test, options);
  }
  if (alone) {
    return exploreAlone(alone.trim().split(/\s+/).map(Number), name, test, options);
  }
  const sennit = await launch(options);
  let found;
  try {
    found = await converse(sennit.channel, name, test, options);
  } catch (error) {
    sennit.channel.close();
    const how = await sennit.ended;
    if (sennit.output() && /^Sennit /.test(error.message)) {
      error.message += `\nIt ${how} and said:\n${sennit.output()}`;
    }
    throw error;
  }
  sennit.channel.close();
  const how = await sennit.ended;
  const summary = found.summary || {
    verdict: 'stopped', message: `sennit ${how} without a word of what it found; it said:\n${sennit.output()}`,
  };
  const report = new Report(name, found.events, summary, sennit.output());
  if (options.throws !== false) {
    report.assertPassed();
  }
  return report;
}

async function exploreAsked(where, name, test, options) {
  if (isAsked) {
    throw new Error('a process that Sennit has started can explore one test; this is the second');
  }
  isAsked = true;
  const channel = await channels.open(where);
  const found = await converse(channel, name, test, options);
  channel.close();
  if (!found.summary) {
    process.exit(0); // the channel has ended, and with it all that there is to do
  }
  return new Report(name, found.events, found.summary, '');
}

/** One interleaving that was found elsewhere, without Sennit. */
async function exploreAlone(order, name, test, options) {
  serve.take();
  try {
    const { recording, runner } = await record({ ...ALONE, results: null }, test, options);
    if (!recording.canRestore) {
      throw new Error('an interleaving alone takes replicas that can be saved and restored; ' +
        'sennit events --replay can do without');
    }
    const message = await runner.runAlone(order);
    const finding = { oracle: 'assert', message, interleaving: order };
    const report = new Report(name, recording.events.map(lineOf), message === null
      ? { verdict: 'passed', interleavings: 1 }
      : { verdict: 'failed', interleavings: 1, findings: [finding] }, '');
    if (!report.passed) {
      process.exitCode = 1; // even if nobody looks at the report
    }
    if (options.throws !== false) {
      report.assertPassed();
    }
    return report;
  } finally {
    serve.giveBack();
  }
}

/** {summary, events}: the summary is null if the channel has ended without one. */
async function converse(channel, name, test, options) {
  const first = await client.greet(channel, name, BINDING);
  serve.take();
  try {
    const { recording, runner, states } = await record(first, test, options);
    client.tellRecording(channel, recording, states);
    const summary = await client.answerAll(channel, runner);
    return { summary, events: recording.events.map(lineOf) };
  } finally {
    serve.giveBack();
  }
}

/** Runs the test up to its end, and tries whether what it has recorded can be performed again. */
async function record({ time, random, results }, test, options) {
  serve.open(time, random);
  const recording = new Recording(results);
  await test(new Test(recording));
  if (recording.phase !== 'over') {
    throw new Error(recording.phase === 'set-up' ? 'the test has no t.start()' : 'the test has no t.end()');
  }
  const runner = new Runner(recording, options);
  const states = results ? null : await runner.recordedStates();
  await runner.tryOut(states);
  serve.pause();
  return { recording, runner, states };
}

function lineOf(event) {
  const values = event.values ? event.values.shown.slice(1, -1) : '';
  const { kind, replica, from, to } = event;
  const link = to ? ` to ${to.name}` : from ? ` from ${from.name} (${event.of.number})` : '';
  return `${replica.name}: ${kind === 'update' || kind === 'query' ? `${event.op}(${values})`
    : `${kind} ${event.op}${link}`}`;
}

module.exports = { explore };
