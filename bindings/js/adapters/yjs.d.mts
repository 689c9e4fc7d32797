// yjs.d.mts - the same for `import`. SPDX-License-Identifier: MIT
export * from './yjs.js';
