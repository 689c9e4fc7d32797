// yorkie.d.mts - the same for `import`. SPDX-License-Identifier: MIT
export * from './yorkie.js';
