// yorkie_move.js - two people move elements of one list, in a Yorkie (0.4.10) whose move refers to an element
// that is moved itself: the lists differ afterwards.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import yorkie from 'yorkie-js-sdk';
import { explore } from 'sennit';
import { yorkie as adapter } from 'sennit/adapters/yorkie';

function moveAfter(previous, moved) {
  return (root) => {
    const at = (index) => root.list.getElementByIndex(index).getID();
    root.list.moveAfter(at(previous), at(moved));
  };
}

await explore('yorkie 0.4.10: move', async (t) => {
  const a = t.replica('A', new yorkie.Document('list'), adapter());
  const b = t.replica('B', new yorkie.Document('list'), adapter());
  a.update((root) => {
    root.list = [0, 1, 2, 3, 4];
  });
  t.sync(a, b);

  t.start();
  a.update(moveAfter(0, 2), 'move 2 behind 0');
  t.sync(a, b);
  b.update(moveAfter(4, 0), 'move 0 behind 4');
  t.sync(b, a);
  t.end();

  t.check(() => {
    t.sync(a, b); // so that nothing is left under way
    t.sync(b, a);
    assert.equal(a.toSortedJSON(), b.toSortedJSON());
  });
});
