// yorkie.mjs - yorkie.js for `import`. SPDX-License-Identifier: MIT
import adapter from './yorkie.js';

export const { yorkie } = adapter;
