// client.js - answers Sennit's questions. SPDX-License-Identifier: MIT
'use strict';

const serve = require('./serve.js');
const { LINE_MAX } = require('./channel.js');
const { messageOf } = require('./event.js');
const { textOfFailure } = require('./runner.js');
const { after } = require('./turn.js');

const VERSION = 1;

/** The exchange of first messages; Sennit's, with `random` as a BigInt. */
async function greet(channel, name, binding) {
  channel.send(JSON.stringify({ sennit: VERSION, binding, name }));
  const line = await channel.receive();
  if (line === null) {
    throw new Error('Sennit has closed the channel without a word');
  }
  const first = parsed(line);
  if (typeof first.error === 'string') {
    throw new Error(`Sennit will not: ${first.error}`);
  }
  if (first.sennit !== VERSION) {
    throw new Error(`Sennit speaks version ${first.sennit} of the protocol, this is ${VERSION}`);
  }
  if (!Number.isSafeInteger(first.time)) {
    throw new Error('Sennit\'s first message has no time');
  }
  // JSON.parse would round what is larger than 2^53.
  const random = /"random"\s*:\s*(-?\d+)/.exec(line);
  if (!random) {
    throw new Error('Sennit\'s first message has no random');
  }
  const results = Array.isArray(first.results) ? first.results : null;
  return { time: first.time, random: BigInt(random[1]), results };
}

function parsed(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    value = null;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new Error(`Sennit sent what is no message: ${line.slice(0, 200)}`);
  }
  return value;
}

function tellRecording(channel, recording, statesText) {
  const { replicas, events, canRestore } = recording;
  const states = statesText === null ? '' : `,"states":{${statesText}}`;
  recording.told = `{"replicas":${JSON.stringify(replicas.map(({ name }) => name))},` +
    `"can_restore":${canRestore},"events":[${events.map((event) => event.text()).join(',')}]${states}}`;
  channel.send(`{"recording":${recording.told}}`);
}

/** Answers until Sennit says bye; its summary, or null if the channel has ended without one. */
async function answerAll(channel, runner) {
  for (;;) {
    let line = channel.receive();
    if (line !== null && typeof line !== 'string') {
      line = await line;
    }
    if (line === null) {
      return null;
    }
    const question = parsed(line);
    if (question.do === 'bye') {
      return question.summary || {};
    }
    let text;
    try {
      text = answer(runner, question);
      if (typeof text !== 'string') {
        text = await text;
      }
    } catch (error) {
      text = errorText(question, messageOf(error));
    }
    serve.pause();
    if (text.length > LINE_MAX / 4 && Buffer.byteLength(text) > LINE_MAX) {
      text = errorText(question, `the answer has more than ${LINE_MAX} bytes`);
    }
    if (!channel.send(text)) {
      return null;
    }
  }
}

function errorText({ id }, message) {
  return JSON.stringify({ id: id === undefined ? null : id, error: message });
}

/** The line that answers a question, or a promise of it. */
function answer(runner, question) {
  const { id } = question;
  if (!Number.isSafeInteger(id)) {
    throw new Error('the question has no id');
  }
  switch (question.do) {
    case 'run':
      if (question.fresh === true) {
        runner.forgetDescribed();
      }
      return after(runner.run(ordersOf(runner, question), question.check !== false), (ran) =>
        `{"id":${id},"outcomes":[${ran.outcomes}],"new":[${ran.descriptions}]}`);
    case 'recording':
      return `{"id":${id},"recording":${runner.recording.told}}`;
    case 'begin':
      return after(runner.begin(), () => `{"id":${id},"ok":true}`);
    case 'event':
      numberOf(runner, question.event);
      return after(runner.perform(question.event), () => {
        const result = runner.resultText;
        return after(runner.states(), (states) => `{"id":${id},"result":${result},"states":{${states}}}`);
      });
    case 'end':
      return after(question.check === false ? undefined : runner.check(), (failure) =>
        `{"id":${id}${textOfFailure(failure)}}`);
    default:
      throw new Error(`it is not known here how to do ${JSON.stringify(question.do)}`);
  }
}

function ordersOf(runner, { interleavings }) {
  if (!Array.isArray(interleavings) || !interleavings.every(Array.isArray)) {
    throw new Error('the question has no interleavings');
  }
  for (const order of interleavings) {
    for (const number of order) {
      numberOf(runner, number);
    }
  }
  return interleavings;
}

function numberOf(runner, number) {
  if (!Number.isInteger(number) || number < 0 || number >= runner.events.length) {
    throw new Error(`there is no event ${JSON.stringify(number)}`);
  }
}

module.exports = { greet, tellRecording, answerAll };
