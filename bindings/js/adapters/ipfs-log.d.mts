// ipfs-log.d.mts - the same for `import`. SPDX-License-Identifier: MIT
export * from './ipfs-log.js';
