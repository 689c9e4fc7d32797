// use.cts - the types as CommonJS meets them; it only has to compile. SPDX-License-Identifier: MIT
import sennit = require('sennit');
import adapters = require('sennit/adapters/yjs');

sennit.explore('types', (t) => {
  t.replica('A', {}, adapters.yjs({}));
}).then((report) => report.assertPassed());
