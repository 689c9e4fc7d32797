// early.mjs - early.js for `import`. SPDX-License-Identifier: MIT
import './early.js';
