// index.mjs - the package for `import`; there is one instance of it either way.
// SPDX-License-Identifier: MIT
import sennit from './index.js';

export const { explore, generic } = sennit;
