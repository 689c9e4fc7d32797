// yjs_todo.js - a to-do list that numbers its items by itself and moves them by deleting and inserting.
//
// Yjs does what it promises; what the application believes of it is wrong. Two people who add an item at
// the same time give it the same number, and one item is lost; two who move the same item have it twice.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import * as Y from 'yjs';
import { explore } from 'sennit';
import { yjs } from 'sennit/adapters/yjs';

function add(doc, title) {
  const items = doc.getMap('items');
  const number = Math.max(0, ...Array.from(items.keys(), Number)) + 1;
  items.set(String(number), title);
  doc.getArray('order').push([number]);
}

function move(doc, from, to) {
  const order = doc.getArray('order');
  if (order.length > Math.max(from, to)) {
    const [number] = order.slice(from, from + 1);
    order.delete(from, 1);
    order.insert(to, [number]);
  }
}

await explore('yjs: to-do list', async (t) => {
  const a = t.replica('A', new Y.Doc(), yjs(Y));
  const b = t.replica('B', new Y.Doc(), yjs(Y));

  t.start();
  t.update(a, 'add', add, 'sweep');
  t.sync(a, b);
  t.update(b, 'add', add, 'paint');
  t.sync(b, a);
  t.update(a, 'move', move, 0, 1);
  t.end();

  t.check(() => {
    const order = a.getArray('order').toArray();
    assert.equal(new Set(order).size, order.length, `an item is there twice: ${order}`);
  });
});
