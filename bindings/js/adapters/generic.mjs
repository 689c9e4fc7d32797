// generic.mjs - generic.js for `import`. SPDX-License-Identifier: MIT
import adapter from './generic.js';

export const { generic } = adapter;
