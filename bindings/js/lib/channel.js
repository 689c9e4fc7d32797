// channel.js - lines to and from Sennit.
//
// Over inherited descriptors everything is read and written at once, without the event loop: nothing
// happens in a client until it is asked. Sockets, and pipes to a Sennit that was started from here, are
// Node's own and have to be waited for. receive() gives a line, a promise of one, or null at the
// end. SPDX-License-Identifier: MIT
'use strict';

const fs = require('node:fs');
const net = require('node:net');

const LINE_MAX = 16 * 1024 * 1024;
const CHUNK = 256 * 1024;
const NEWLINE = 10;
const RETRY_MS = 1;

/** Cuts what arrives into lines. */
class Lines {
  constructor() {
    this.lines = [];
    this.next = 0;
    this.rest = [];
    this.restSize = 0;
  }

  add(chunk) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.rest.push(chunk.subarray(from, at));
      const line = this.rest.length === 1 ? this.rest[0] : Buffer.concat(this.rest);
      this.lines.push(line.toString('utf8'));
      this.rest = [];
      this.restSize = 0;
      from = at + 1;
    }
    if (from < chunk.length) {
      // Chunks are read into one buffer again and again: what stays must be a copy.
      this.rest.push(Buffer.from(chunk.subarray(from)));
      this.restSize += chunk.length - from;
      if (this.restSize > LINE_MAX) {
        throw new Error(`Sennit sent a line of more than ${LINE_MAX} bytes`);
      }
    }
  }

  /** The next line, or undefined. */
  take() {
    if (this.next >= this.lines.length) {
      return undefined;
    }
    const line = this.lines[this.next++];
    if (this.next === this.lines.length) {
      this.lines = [];
      this.next = 0;
    }
    return line;
  }
}

class DescriptorChannel {
  constructor(readFrom, writeTo) {
    this.readFrom = readFrom;
    this.writeTo = writeTo;
    this.lines = new Lines();
    this.chunk = Buffer.allocUnsafe(CHUNK);
  }

  receive() {
    for (;;) {
      const line = this.lines.take();
      if (line !== undefined) {
        return line;
      }
      const size = retried(() => fs.readSync(this.readFrom, this.chunk, 0, CHUNK, null), 0);
      if (size === 0) {
        return null;
      }
      this.lines.add(this.chunk.subarray(0, size));
    }
  }

  /** False if nobody listens any more. */
  send(line) {
    const bytes = Buffer.from(`${line}\n`);
    for (let at = 0; at < bytes.length;) {
      const size = retried(() => fs.writeSync(this.writeTo, bytes, at), -1);
      if (size < 0) {
        return false;
      }
      at += size;
    }
    return true;
  }

  close() {
    for (const descriptor of new Set([this.readFrom, this.writeTo])) {
      try {
        fs.closeSync(descriptor);
      } catch {
        // It was closed by somebody else, which is what was wanted.
      }
    }
  }
}

/** Calls until there is something to read, or room to write; `atEnd` once the other side is gone. */
function retried(call, atEnd) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code === 'EOF' || error.code === 'EPIPE' || error.code === 'ECONNRESET') {
        return atEnd;
      }
      if (error.code !== 'EAGAIN') {
        throw error;
      }
      // A descriptor that somebody has made non-blocking. There is no other way to wait for it here.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

class StreamChannel {
  constructor(readFrom, writeTo) {
    this.readFrom = readFrom;
    this.writeTo = writeTo;
    this.lines = new Lines();
    this.isOver = false;
    this.error = null;
    this.wake = null;
    const over = () => {
      this.isOver = true;
      this.notify();
    };
    readFrom.on('data', (chunk) => {
      try {
        this.lines.add(chunk);
      } catch (error) {
        this.error = error;
      }
      this.notify();
    });
    for (const stream of new Set([readFrom, writeTo])) {
      stream.on('error', over);
    }
    readFrom.on('end', over);
    readFrom.on('close', over);
  }

  notify() {
    const { wake } = this;
    this.wake = null;
    if (wake) {
      wake();
    }
  }

  receive() {
    const line = this.lines.take();
    return line === undefined ? this.wait() : line;
  }

  async wait() {
    for (;;) {
      if (this.error) {
        throw this.error;
      }
      const line = this.lines.take();
      if (line !== undefined) {
        return line;
      }
      if (this.isOver) {
        return null;
      }
      await new Promise((resolve) => {
        this.wake = resolve;
      });
    }
  }

  send(line) {
    if (this.isOver || this.writeTo.destroyed) {
      return false;
    }
    this.writeTo.write(`${line}\n`);
    return true;
  }

  close() {
    this.writeTo.end();
    this.readFrom.destroy();
  }
}

/** The channel that SENNIT_EVENTS names, or a promise of it. */
function open(where) {
  const descriptors = /^fd:(\d+),(\d+)$/.exec(where);
  if (descriptors) {
    return new DescriptorChannel(Number(descriptors[1]), Number(descriptors[2]));
  }
  if (!where.startsWith('unix:')) {
    throw new Error(`SENNIT_EVENTS is "${where}", neither fd:R,W nor unix:PATH`);
  }
  return new Promise((resolve, reject) => {
    const socket = net.connect(where.slice('unix:'.length));
    socket.once('connect', () => resolve(new StreamChannel(socket, socket)));
    socket.once('error', (error) =>
      reject(new Error(`the socket of SENNIT_EVENTS cannot be connected to: ${error.message}`)));
  });
}

module.exports = { open, StreamChannel, LINE_MAX };
