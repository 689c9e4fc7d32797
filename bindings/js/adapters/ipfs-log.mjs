// ipfs-log.mjs - ipfs-log.js for `import`. SPDX-License-Identifier: MIT
import adapter from './ipfs-log.js';

export const { ipfsLog, identityOf, memoryOf } = adapter;
