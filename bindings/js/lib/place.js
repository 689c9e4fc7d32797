// place.js - where in the test an assertion failed. SPDX-License-Identifier: MIT
'use strict';

const path = require('node:path');
const { fileURLToPath } = require('node:url');

const HERE = __dirname + path.sep;
const FRAME = /\(?((?:file:\/\/)?\/[^()]*?|[A-Za-z]:[\\/][^()]*?):(\d+):\d+\)?$/;

/** "file:line" of the first line of the stack that is neither ours nor a library's, or undefined. */
function placeOf(error) {
  const stack = error && typeof error.stack === 'string' ? error.stack.split('\n') : [];
  for (const line of stack) {
    const match = /^\s+at /.test(line) ? FRAME.exec(line) : null;
    if (!match) {
      continue;
    }
    const file = match[1].startsWith('file://') ? fileURLToPath(match[1]) : match[1];
    if (!file.startsWith(HERE) && !file.includes(`${path.sep}node_modules${path.sep}`)) {
      return `${shortened(file)}:${match[2]}`;
    }
  }
  return undefined;
}

function shortened(file) {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? path.basename(file) : relative;
}

module.exports = { placeOf };
