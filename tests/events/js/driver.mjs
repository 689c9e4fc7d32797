#!/usr/bin/env node
// driver.mjs - the other side of the protocol, by brute force, to test the binding with.
//
//   driver.mjs events --fd R,W [--fail]           as a client starts it
//   driver.mjs events [OPTION...] --exec COMMAND  starts the client; --unix: over a socket
//
// It shares no code with the binding nor with Sennit: all interleavings that respect causes and program
// order are listed and asked for in batches. What it found is printed as one JSON object.
// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BATCH = 64;
const RANDOM = 1234567;
const TIME = 1700000000000;

/** Lines of a stream, one per call; null at the end. */
export function linesOf(stream) {
  const lines = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    lines.push(...parts);
    wake();
  });
  for (const event of ['end', 'close', 'error']) {
    stream.on(event, () => {
      isOver = true;
      wake();
    });
  }
  return async () => {
    while (lines.length === 0 && !isOver) {
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
    return lines.length > 0 ? lines.shift() : null;
  };
}

/** One side of a conversation, from streams. */
export class Link {
  constructor(from, to) {
    this.next = linesOf(from);
    this.to = to;
    this.to.on('error', () => {});
    this.id = 0;
    this.outcomes = new Map();
  }

  send(value) {
    this.to.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  }

  async receive() {
    const line = await this.next();
    return line === null ? null : JSON.parse(line);
  }

  /** The first messages and the recording. */
  async greet(results = null, random = RANDOM) {
    this.hello = await this.receive();
    this.send(`{"sennit":1,"random":${random},"time":${TIME},"results":${JSON.stringify(results)}}`);
    const message = await this.receive();
    this.recording = message ? message.recording : null;
    return this.recording;
  }

  async ask(question) {
    this.id++;
    this.send({ id: this.id, ...question });
    const answer = await this.receive();
    if (answer && answer.id !== this.id) {
      throw new Error(`the answer to ${this.id} has the id ${answer.id}`);
    }
    return answer;
  }

  /** The outcomes of interleavings, described in full. */
  async run(interleavings, check = true, more = {}) {
    if (more.fresh) {
      this.outcomes.clear();
    }
    const answer = await this.ask({ do: 'run', interleavings, ...(check ? {} : { check }), ...more });
    if (!answer || answer.error) {
      throw new Error(answer ? answer.error : 'the client has ended');
    }
    for (const outcome of answer.new) {
      if (this.outcomes.has(outcome.outcome)) {
        throw new Error(`outcome ${outcome.outcome} is described twice`);
      }
      this.outcomes.set(outcome.outcome, outcome);
    }
    return answer.outcomes.map((number) => {
      if (!this.outcomes.has(number)) {
        throw new Error(`outcome ${number} is not described`);
      }
      return this.outcomes.get(number);
    });
  }

  bye(summary = { verdict: 'passed', interleavings: 0, findings: [] }) {
    this.send({ id: ++this.id, do: 'bye', summary });
    this.to.end();
  }
}

const isArrival = ({ kind }) => kind === 'execute' || kind === 'deliver';

/** All orders of the events of a recording that respect causes and program order, smallest first. */
export function* orders(events, prefix = []) {
  if (prefix.length === events.length) {
    yield prefix;
    return;
  }
  for (let number = 0; number < events.length; number++) {
    if (!prefix.includes(number) && mayFollow(events, prefix, number)) {
      yield* orders(events, [...prefix, number]);
    }
  }
}

function mayFollow(events, prefix, number) {
  const event = events[number];
  if (isArrival(event)) {
    return prefix.includes(event.of);
  }
  return event.free || events.every((other, i) => i >= number || isArrival(other) || other.free ||
    other.replica !== event.replica || prefix.includes(i));
}

/** Explores everything; the summary of it. */
export async function exploreAll(link) {
  const recording = await link.greet();
  if (!recording) {
    return { verdict: 'stopped', message: 'the client ended before it had recorded anything' };
  }
  const findings = [];
  const counts = new Map();
  let interleavings = 0;
  let batch = [];
  const flush = async () => {
    const outcomes = await link.run(batch);
    outcomes.forEach((outcome, i) => {
      interleavings++;
      counts.set(outcome.outcome, (counts.get(outcome.outcome) || 0) + 1);
      const isNew = counts.get(outcome.outcome) === 1;
      const states = new Set(Object.values(outcome.states).map((state) => JSON.stringify(state)));
      if (isNew && outcome.failed) {
        findings.push({
          oracle: 'assert', message: outcome.failed.message, at: outcome.failed.at, interleaving: batch[i],
        });
      } else if (isNew && states.size > 1 && process.argv.includes('--converge')) {
        findings.push({ oracle: 'converge', message: 'replicas differ', interleaving: batch[i] });
      }
    });
    batch = [];
  };
  for (const order of orders(recording.events)) {
    batch.push(order);
    if (batch.length === BATCH) {
      await flush();
    }
  }
  await flush();
  const verdict = findings.length > 0 || process.argv.includes('--fail') ? 'failed' : 'passed';
  return { verdict, interleavings, findings, outcomes: [...link.outcomes.values()] };
}

// ---- Starting a client -------------------------------------------------------------------------

/** {link, child, ended}: a client that was started with the channel in its environment. */
export function startByDescriptors(command, args, options = {}) {
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', options.stdout || 'inherit', options.stderr || 'inherit', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env, SENNIT_EVENTS: 'fd:3,4' },
  });
  const link = new Link(child.stdio[4], child.stdio[3]);
  return { link, child, ended: endOf(child) };
}

export async function startBySocket(command, args, options = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-'));
  const where = path.join(folder, 'events');
  const server = net.createServer();
  await new Promise((resolve) => {
    server.listen(where, resolve);
  });
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', options.stdout || 'inherit', options.stderr || 'inherit'],
    env: { ...process.env, ...options.env, SENNIT_EVENTS: `unix:${where}` },
  });
  const ended = endOf(child);
  const socket = await Promise.race([ended.then(() => null), new Promise((resolve) => {
    server.once('connection', resolve);
  })]);
  server.close();
  fs.rmSync(folder, { recursive: true });
  return { link: socket && new Link(socket, socket), child, ended };
}

function endOf(child) {
  return new Promise((resolve) => {
    child.once('close', (status, signal) => resolve({ status, signal }));
    child.once('error', (error) => resolve({ error }));
  });
}

async function main(args) {
  const fd = args.indexOf('--fd');
  const exec = args.indexOf('--exec');
  let summary;
  if (fd >= 0) {
    const [from, to] = args[fd + 1].split(',').map(Number);
    const link = new Link(new net.Socket({ fd: from }), new net.Socket({ fd: to }));
    summary = await exploreAll(link);
    link.bye(summary);
  } else if (exec >= 0) {
    const start = args.includes('--unix') ? startBySocket : startByDescriptors;
    const { link, ended } = await start('/bin/sh', ['-c', `exec ${args[exec + 1]}`]);
    summary = link ? await exploreAll(link) : { verdict: 'stopped', message: 'nobody came' };
    if (link) {
      link.bye(summary);
    }
    await ended;
  } else {
    throw new Error('neither --fd nor --exec');
  }
  console.log(JSON.stringify(summary));
  process.exitCode = summary.verdict === 'passed' ? 0 : 1;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
}
