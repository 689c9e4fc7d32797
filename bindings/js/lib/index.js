// index.js - the package. SPDX-License-Identifier: MIT
'use strict';

const { explore } = require('./explore.js');
const { generic } = require('../adapters/generic.js');

module.exports = { explore, generic };
