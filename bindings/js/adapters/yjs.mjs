// yjs.mjs - yjs.js for `import`. SPDX-License-Identifier: MIT
import adapter from './yjs.js';

export const { yjs } = adapter;
