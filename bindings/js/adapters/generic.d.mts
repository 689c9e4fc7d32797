// generic.d.mts - the same for `import`. SPDX-License-Identifier: MIT
export * from './generic.js';
