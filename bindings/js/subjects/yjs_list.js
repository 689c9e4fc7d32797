// yjs_list.js - two people edit a list and a map; Yjs converges whatever happens when.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import * as Y from 'yjs';
import { explore } from 'sennit';
import { yjs } from 'sennit/adapters/yjs';

await explore('yjs: list and map', async (t) => {
  const a = t.replica('A', new Y.Doc(), yjs(Y));
  const b = t.replica('B', new Y.Doc(), yjs(Y));
  a.getArray('problems').push(['pothole']);
  t.sync(a, b);

  t.start();
  a.getArray('problems').push(['street light']);
  b.getMap('reported').set('pothole', true);
  t.sync(a, b);
  b.getArray('problems').delete(0, 1);
  t.sync(b, a);
  a.getMap('reported').set('pothole', false);
  t.end();

  t.check(() => {
    t.sync(a, b); // so that nothing is left under way
    t.sync(b, a);
    assert.deepEqual(a.getArray('problems').toJSON(), b.getArray('problems').toJSON());
    assert.deepEqual(a.getMap('reported').toJSON(), b.getMap('reported').toJSON());
  });
});
