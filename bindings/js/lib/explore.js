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
  const where = process.env.SENNIT_EVENTS;
  if (where) {
    return exploreAsked(where, name, test, options);
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

/** {summary, events}: the summary is null if the channel has ended without one. */
async function converse(channel, name, test, options) {
  const first = await client.greet(channel, name, BINDING);
  serve.take();
  try {
    serve.open(first.time, first.random);
    const recording = new Recording(first.results);
    await test(new Test(recording));
    if (recording.phase !== 'over') {
      throw new Error(recording.phase === 'set-up' ? 'the test has no t.start()' : 'the test has no t.end()');
    }
    const runner = new Runner(recording, options);
    const states = first.results ? null : await runner.recordedStates();
    await runner.tryOut(states);
    serve.pause();
    client.tellRecording(channel, recording, states);
    const summary = await client.answerAll(channel, runner);
    return { summary, events: recording.events.map(lineOf) };
  } finally {
    serve.giveBack();
  }
}

function lineOf(event) {
  const values = event.values ? event.values.shown.slice(1, -1) : '';
  const { kind, replica, from, to } = event;
  const link = to ? ` to ${to.name}` : from ? ` from ${from.name} (${event.of.number})` : '';
  return `${replica.name}: ${kind === 'update' || kind === 'query' ? `${event.op}(${values})`
    : `${kind} ${event.op}${link}`}`;
}

module.exports = { explore };
