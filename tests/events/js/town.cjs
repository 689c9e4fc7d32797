// town.cjs - a small replicated set for the tests, with everything that a binding may meet: parts,
// properties, methods that take time, methods that fail. SPDX-License-Identifier: MIT
'use strict';

class Problems {
  constructor() {
    this.names = [];
  }

  add(name) {
    this.names.push(name);
    return this.names.length;
  }

  get size() {
    return this.names.length;
  }
}

class Town {
  constructor() {
    this.lists = new Map();
    this.applied = 0;
    this.mood = 'calm';
  }

  list(name) {
    if (!this.lists.has(name)) {
      this.lists.set(name, new Problems());
    }
    return this.lists.get(name);
  }

  /** A list, but only if it is there. */
  find(name) {
    return this.lists.get(name);
  }

  add(name) {
    this.list('all').add(name);
  }

  adopt(problem) {
    problem.owner = 'town'; // it changes what it is given
    this.list('all').add(problem);
  }

  remove(name) {
    const { names } = this.list('all');
    if (!names.includes(name)) {
      throw new Error(`there is no ${name}`);
    }
    names.splice(names.indexOf(name), 1);
  }

  async addLater(name) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.add(name);
    return 'later';
  }

  each(visit) {
    this.list('all').names.forEach((name) => visit(name));
  }

  transmit() {
    return this.list('all').names.slice();
  }

  merge(other) {
    this.applied++;
    for (const name of other.list('all').names) {
      if (!this.list('all').names.includes(name)) {
        this.add(name);
      }
    }
    return this.applied;
  }

  toJSON() {
    const lists = {};
    for (const [name, { names }] of this.lists) {
      lists[name] = names;
    }
    return { ...lists, applied: this.applied, mood: this.mood };
  }
}

/** Options of the generic adapter for it. */
const lists = {
  updates: ['add', 'adopt', 'remove', 'addLater', 'mood', 'each'],
  queries: ['transmit', 'size', 'find'],
  syncs: ['merge'],
  paths: ['list'],
  isPart: (value) => value instanceof Problems,
};

module.exports = { Town, Problems, lists };
