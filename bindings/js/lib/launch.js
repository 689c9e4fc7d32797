// launch.js - starts Sennit for a test that nobody has started under it. SPDX-License-Identifier: MIT
'use strict';

const { spawn } = require('node:child_process');
const { StreamChannel } = require('./channel.js');

const OUTPUT_MAX = 1024 * 1024; // characters that are kept of what it says
const OURS = new Set(['throws', 'share', 'sennit', 'args', 'stdio']); // options that are no flags

/** Options as flags: eventTimeout: 5 is --event-timeout 5, true is the flag alone, lists have commas. */
function flagsOf(options) {
  const flags = [];
  for (const [key, value] of Object.entries(options)) {
    if (OURS.has(key) || value === undefined || value === null || value === false) {
      continue;
    }
    flags.push(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    if (value !== true) {
      flags.push(Array.isArray(value) ? value.join(',') : String(value));
    }
  }
  return [...flags, ...(options.args || [])];
}

/** {channel, ended, output}: `ended` is a promise of how it ended, and output() what it has said. */
async function launch(options) {
  const command = options.sennit || process.env.SENNIT_BIN || 'sennit';
  const isInherited = options.stdio === 'inherit';
  const says = isInherited ? 'inherit' : 'pipe';
  // Sennit reads from its descriptor 3 and writes to 4.
  const child = spawn(command, ['events', '--fd', '3,4', ...flagsOf(options)],
    { stdio: ['ignore', says, says, 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output = (output + text).slice(-OUTPUT_MAX);
      });
    }
  }
  const ended = new Promise((resolve) => {
    child.once('close', (status, signal) =>
      resolve(signal ? `was ended by ${signal}` : `ended with exit code ${status}`));
  });
  const channel = new StreamChannel(child.stdio[4], child.stdio[3]);
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(missing(command, options, error)));
  });
  return { channel, ended, output: () => output };
}

function missing(command, options, error) {
  const why = error.code === 'ENOENT' ? 'there is no such program' : error.message;
  const from = options.sennit ? `the option sennit is ${command}`
    : process.env.SENNIT_BIN ? `SENNIT_BIN is ${command}`
      : 'SENNIT_BIN is not set, and there is none in PATH';
  const failure = new Error(`sennit cannot be started: ${from}` +
    `${command === 'sennit' && error.code === 'ENOENT' ? '' : `, but ${why}`}. ` +
    'Install Sennit, or set SENNIT_BIN to its command.');
  failure.code = 'SENNIT_MISSING';
  return failure;
}

module.exports = { launch, flagsOf };
