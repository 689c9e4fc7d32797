// early.js - for libraries that keep Date.now or Math.random in a variable when they are loaded.
//
// Imported before them (node --import sennit/early), it has them keep the replacements, which do what
// the originals do unless an exploration is at work. SPDX-License-Identifier: MIT
'use strict';

require('./serve.js').take();
