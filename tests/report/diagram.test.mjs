// diagram.test.mjs - where things are on the diagram, measured in a browser. One browser for all of it.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { drawn, findBrowser, newWindow, report } from './browser.mjs';
import { Trial, bridge, bridgeExplanation, relay } from './traces.mjs';

const SENNIT = process.env.SENNIT_COMMAND || 'build/sennit';
const found = await findBrowser(process.env.SENNIT_JS_PACKAGES || 'packages');
const skip = found.why || false;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-diagram-'));
const inFolder = (name) => path.join(folder, name);

let browser = null;
let page = null;
let problems = [];

before(async () => {
  if (skip) {
    return;
  }
  browser = await found.launch();
  page = await newWindow(browser, { viewport: { width: 1366, height: 768 }, reducedMotion: 'reduce', colorScheme: 'light' });
  page.setDefaultTimeout(60000);
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
});

after(async () => {
  if (browser) {
    await browser.close();
  }
  fs.rmSync(folder, { recursive: true });
});

/** Opens the report of a trial in a window of a size, at a step. */
async function open(t, { name = 'trial', width = 1366, step = 0, explain = null } = {}) {
  problems = [];
  t.write(inFolder(`${name}.trace`));
  if (explain) {
    t.write(inFolder(`${name}.explained.trace`));
    fs.writeFileSync(inFolder(`${name}.explained.json`), JSON.stringify(explain(bridgeExplanation(t))));
  }
  await page.setViewportSize({ width, height: 768 });
  await page.goto('about:blank'); // or another hash would not load it
  await page.goto(pathToFileURL(report(SENNIT, inFolder(`${name}.html`), inFolder(`${name}.trace`))).href + (step ? `#/trial/0?step=${step}` : ''));
  await page.waitForSelector('.scene [role=option]');
  await drawn(page);
}

/** A claim about the page; at the end it must have had no reason to complain. */
function claim(name, run) {
  test(name, { skip }, async () => {
    await run();
    assert.deepEqual(problems, []);
  });
}

const count = async (selector) => (await drawn(page), page.locator(selector).count());

/** The boxes {left, right, top, bottom} of elements on the screen. */
const placesOf = (selector) => page.evaluate((of) => [...document.querySelectorAll(of)].map((node) => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return { left, right, top, bottom };
}), selector);

const placeOf = async (selector) => (await placesOf(selector))[0];

/** Points of paths, two pixels apart, on the screen: {of, points}. */
const waysOf = (selector) => page.evaluate((of) => [...document.querySelectorAll(of)].map((wire) => {
  const { left, top } = wire.ownerSVGElement.getBoundingClientRect();
  const length = wire.getTotalLength();
  const points = Array.from({ length: Math.ceil(length / 2) + 1 }, (_, i) => wire.getPointAtLength(Math.min(length, 2 * i)));
  return { of: wire.dataset.message ?? wire.parentNode.dataset.edge, points: points.map(({ x, y }) => [x + left, y + top]) };
}), selector);

/** Which points lie in a box, by more than its border. */
const within = (points, { left, right, top, bottom }) => points.filter(([x, y]) => x > left + 1.5 && x < right - 1.5 && y > top + 1.5 && y < bottom - 1.5);

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** A coordinator asks three others, who answer late and out of order. */
function votes() {
  const t = new Trial().create('chief', 'n0').create('p1', 'n1').create('p2', 'n2').create('p3', 'n3');
  t.start('chief').start('p1').start('p2').start('p3').step('do', 'chief', 'begin');
  for (const i of [1, 2, 3]) {
    t.send(`ask${i}`, `p${i}`, 'Prepare', `transaction=257 from=0 key=${i}`);
  }
  t.fate('ask2', 'duplicated');
  t.messages.set('again', { ...t.messages.get('ask2'), id: '00000000000a9a19' });
  t.add({ send: 'Prepare', to: 'p2', payload: 'transaction=257 from=0 key=2', id: '00000000000a9a19' });
  for (const i of [1, 2, 3]) {
    t.deliver(`ask${i}`).send(`yes${i}`, 'chief', 'Yes', `transaction=257 from=${i} key=0`);
  }
  t.deliver('yes3').deliver('yes1').send('late', 'p3', 'Commit', 'transaction=257').fate('late', 'delayed');
  t.send('gone', 'p1', 'Commit', 'transaction=257').fate('gone', 'lost');
  t.deliver('yes2').deliver('again').send('own', 'p2', 'Retry').deliver('own').deliver('late').send('never', 'chief', 'Done');
  return t;
}

// ---- Ways --------------------------------------------------------------------------------------

claim('no message runs behind or through a box', async () => {
  for (const t of [votes(), relay(120, 5), relay(200, 9)]) {
    await open(t);
    const boxes = await placesOf('.scene .pill');
    const ways = await waysOf('.scene .message');

    assert.ok(ways.length > 5);
    for (const { of, points } of ways) {
      assert.deepEqual(boxes.flatMap((box) => within(points, box)), [], `message ${of}`);
    }
  }
});

claim('a message begins under the box of who sent it, and ends at the side of the box of who gets it', async () => {
  await open(votes());
  const messages = await page.evaluate(() => sennit.current().model.messages.filter((m) => m.fate === 'delivered').map(({ number, sent, delivered }) => ({ number, sent, delivered })));

  assert.equal(messages.length, 9);
  for (const { number, sent, delivered } of messages) {
    const [{ points }] = await waysOf(`[data-message="${number}"]`);
    const [from, to] = [await placeOf(`[data-step="${sent}"] rect`), await placeOf(`[data-step="${delivered}"] rect`)];
    const [x1, y1] = points[0];
    assert.ok(x1 > from.left && x1 < from.right && Math.abs(y1 - from.bottom) < 2, `message ${number}`);
    const [x2, y2] = points.at(-1); // of its head
    assert.ok(Math.min(Math.abs(x2 - to.left), Math.abs(x2 - to.right)) < 2 && Math.abs(y2 - (to.top + to.bottom) / 2) < 1, `message ${number}`);
  }
});

claim('messages of several senders that are on their way to one lane at the same time run apart', async () => {
  const t = new Trial().create('a').create('b').create('c').create('z');
  t.start('a').send('1', 'z', 'One').start('b').send('2', 'z', 'Two').start('c').send('3', 'z', 'Three').start('z');
  t.deliver('2').deliver('3').deliver('1');
  await open(t);

  const ways = await waysOf('.scene .message');
  const middles = ways.map(({ points }) => Math.round(points.find(([, y], i) => i > 0 && y - points[i - 1][1] > 1.9)[0]));
  assert.equal(new Set(middles).size, 3, middles.join(' '));
});

claim('however many messages pass by, those that begin or end in sight are drawn', async () => {
  const t = new Trial().create('a').create('b').create('c').start('a');
  for (let i = 0; i < 2000; i++) {
    t.send(`slow${i}`, 'b', 'Slow');
  }
  t.start('b').start('c');
  for (let i = 0; i < 100; i++) {
    t.send(`m${i}`, i % 2 ? 'c' : 'b', 'Quick').deliver(`m${i}`);
  }
  for (let i = 0; i < 2000; i++) {
    t.deliver(`slow${i}`);
  }
  await open(t, { name: 'passing', step: 50 });

  const [quick, slow] = await page.evaluate(() => ['Quick', 'Slow'].map((event) => [...document.querySelectorAll('.scene .message')]
    .map((one) => sennit.current().model.messages[one.dataset.message]).filter((m) => m.event === event)));
  assert.ok([48, 49, 50, 51, 52].every((step) => quick.some((m) => m.delivered === step) && quick.some((m) => m.sent === step)));
  assert.ok(slow.length > 0 && slow.length < 10);
});

claim('a doubled message has two arrows from one step, and its sign lies free', async () => {
  await open(votes());

  const arrows = await page.evaluate(() => sennit.current().model.messages.filter((m) => m.sent === 5 && m.to.name === 'p2').map((m) => m.delivered));
  const tags = await placesOf('.scene .tag');
  const boxes = await placesOf('.scene .pill');
  assert.deepEqual(arrows, [7, 12]);
  assert.equal(await page.locator('.scene .tag').textContent(), '×2');
  assert.equal(await count('.scene .message.copied'), 1);
  assert.deepEqual(boxes.filter((box) => overlap(box, tags[0])), []);
});

claim('a delayed message is dashed, and no other is', async () => {
  await open(votes());

  const dashed = await page.evaluate(() => [...document.querySelectorAll('.scene .message')].filter((one) => getComputedStyle(one).strokeDasharray !== 'none')
    .map((one) => sennit.current().model.messages[one.dataset.message].event));
  assert.deepEqual(dashed, ['Commit']);
  assert.equal(await count('.scene .message.delayed'), 1);
});

claim('words hide no message, cross, ring or sign: those are painted later', async () => {
  await open(votes());

  const [isLater, marks] = await page.evaluate(() => {
    const lastOf = (selector) => [...document.querySelectorAll(selector)].at(-1);
    const words = lastOf('.scene .ground');
    const later = ['.message.lost', '.message.pending', '.message.delivered', '.tag'].map((one) =>
      Boolean(words.compareDocumentPosition(document.querySelector(`.scene ${one}`)) & Node.DOCUMENT_POSITION_FOLLOWING));
    return [later, document.querySelectorAll('.scene .ground').length];
  });
  assert.deepEqual(isLater, [true, true, true, true]);
  assert.ok(marks > 5);
});

claim('what did not arrive ends between two rows, beside the lane that it was for', async () => {
  await open(votes());

  const [lost] = await placesOf('.scene .message.lost');
  const [from, below] = [await placeOf('[data-step="10"] rect'), await placeOf('[data-step="11"] rect')];
  const target = await placeOf('[data-step="6"] rect'); // p1
  assert.ok(lost.top >= from.bottom - 2 && lost.bottom <= below.top + 4, JSON.stringify([lost, from, below]));
  assert.ok(lost.right < target.left + 4 && lost.right > target.left - 30);
});

claim('the pointer finds a message all along its way', async () => {
  await open(votes());
  const late = await page.evaluate(() => sennit.current().model.messages.find((m) => m.delayed).number);
  const [{ points }] = await waysOf(`[data-message="${late}"]`);

  for (const share of [0.3, 0.6, 0.9]) {
    const [x, y] = points[Math.floor(points.length * share)];
    const near = await page.evaluate(([px, py]) => {
      const { left, top } = document.querySelector('.scene').getBoundingClientRect();
      return sennit.current().diagram.scene.messageNear(px - left, py - top)?.number;
    }, [x, y]);
    assert.equal(near, late, `at ${share}`);
  }
});

// ---- Orders ------------------------------------------------------------------------------------

/** The bridge, with orders between these steps. */
const ordered = (...pairs) => (e) => {
  const [one] = e.causes[0].constraints;
  e.causes[0].constraints = pairs.map(([first, second]) => ({ ...one, first: `step ${first}`, second: `step ${second}`, first_step: first, second_step: second }));
  return e;
};

claim('orders run behind no box and strike through no words of the rows that they join', async () => {
  await open(bridge(), { name: 'orders', explain: ordered([2, 7], [4, 5], [5, 11], [7, 12], [1, 12]) });
  const boxes = await placesOf('.scene .pill:not(.across)');

  assert.equal(await count('.edge'), 5);
  for (const { of, points } of await waysOf('.edge .wire')) {
    const words = await placesOf(`#step-${[7, 5, 11, 12, 12][of - 1]} text.needed, #step-${[2, 4, 5, 7, 1][of - 1]} text.needed`);
    assert.deepEqual([...boxes, ...words].flatMap((box) => within(points, box)), [], `order ${of}`);
  }
});

/** The same, each with a label. */
const labelled = (...all) => (e) => {
  ordered(...all.map(([first, second]) => [first, second]))(e);
  e.causes[0].constraints.forEach((constraint, i) => Object.assign(constraint, { label: all[i][2] }));
  return e;
};

claim('an order is the thicker the more it matters, and only what is needed fills its boxes', async () => {
  await open(bridge(), { name: 'weights', explain: labelled([2, 7, 'needed'], [4, 5, 'helping'], [5, 11, 'set-up'], [1, 12, 'decisive']) });

  const [needed, helping, scene, decisive] = await page.evaluate(() => [1, 2, 3, 4].map((key) => parseFloat(getComputedStyle(document.querySelector(`[data-edge="${key}"] .wire`)).strokeWidth)));
  const filled = await page.evaluate(() => [...document.querySelectorAll('.pill.needed')].map((box) => Number(box.closest('[data-step]').dataset.step)));
  const weights = await page.evaluate(() => [7, 5].map((step) => getComputedStyle(document.querySelector(`#step-${step} text.needed`)).fontWeight));
  assert.ok(decisive > needed && needed > helping && helping === scene, [needed, helping, scene, decisive].join(' '));
  assert.deepEqual(filled, [1, 2, 7, 12]);
  assert.deepEqual(weights, ['600', '400']);
});

claim('what a step was about is told beside the order that it is part of, and hides none of it', async () => {
  await open(bridge(), { name: 'beside', explain: ordered([2, 7], [4, 5]) });

  const row = page.locator('#step-7');
  assert.match(await row.locator('text.needed').textContent(), /^1: reversed, 600 of 1,000 fail$/);
  assert.match(await row.locator('text.payload').textContent(), /^→ Closed · car=1 dir/);
  const [order, about] = [await placeOf('#step-7 text.needed'), await placeOf('#step-7 text.payload')];
  assert.ok(!overlap(order, about), JSON.stringify([order, about]));
  await page.keyboard.press('p'); // without payloads
  assert.equal(await count('#step-7 text.payload'), 0);
});

claim('an order with a fault begins and ends at the box of the fault', async () => {
  await open(bridge(), { name: 'faulty', explain: ordered([9, 12], [5, 6], [8, 11]) });
  const [crash, partition, heal] = [await placeOf('[data-step="9"] rect'), await placeOf('[data-step="6"] rect'), await placeOf('[data-step="8"] rect')];

  const ways = new Map((await waysOf('.edge .wire')).map(({ of, points }) => [of, points]));
  const [fromCrash, toPartition, fromHeal] = ['1', '2', '3'].map((key) => ways.get(key));
  const touches = ([x, y], { left, right, top, bottom }) => x >= left && x <= right && y >= top - 2 && y <= bottom + 2;
  assert.ok(touches(fromCrash[0], crash));
  assert.ok(touches(toPartition.at(-1), partition));
  assert.ok(touches(fromHeal[0], heal));
});

claim('numbers of orders cover neither times nor names', async () => {
  await open(bridge(), { name: 'badges', explain: ordered([1, 5], [1, 7], [1, 11], [1, 12], [2, 12]) });
  const badges = await placesOf('.badge circle');
  const others = [...await placesOf('.side .time'), ...await placesOf('.side .number'), ...await placesOf('#step-1 .event')];

  assert.equal(await page.locator('.badges[data-of="1"]').textContent(), '12+2');
  assert.deepEqual(badges.filter((badge) => others.some((other) => overlap(badge, other))), []);
});

claim('where continuations were not sampled there is no edge of risk', async () => {
  const unfound = (e) => ({ ...e, lost: { ...e.lost, found: false } });
  await open(bridge(), { name: 'risk', explain: unfound });

  const risky = await page.evaluate(() => [...document.querySelectorAll('.risk')].map((edge) => Number(edge.closest('[data-row]').dataset.row)));
  assert.deepEqual(risky, [0, 1, 2, 3, 4, 5, 6, 7]);
});

// ---- Faults ------------------------------------------------------------------------------------

const FAULTS = { create: 'faults', type: 'faults', id: '0000000000000007' };

claim('a crash and a restart stand on the lane of the node that they strike, a cut and a heal across all', async () => {
  const t = new Trial().create('a', 'hill').create('b', 'town').create('c', 'port').add(FAULTS).start('a').start('b').start('c');
  t.step('fault', 'faults', 'crash').add({ fault: 'crash', node: 'port' });
  t.step('fault', 'faults', 'restart').add({ fault: 'restart', node: 'port' });
  t.step('fault', 'faults', 'partition').add({ fault: 'cut', node: 'town' });
  t.step('fault', 'faults', 'heal').add({ fault: 'heal' });
  await open(t);
  const [a, c, crash, restart, cut, heal] = await Promise.all([1, 3, 4, 5, 6, 7].map((step) => placeOf(`[data-step="${step}"] rect`)));

  for (const box of [crash, restart]) {
    assert.deepEqual([box.left, box.right], [c.left, c.right]);
  }
  for (const box of [cut, heal]) {
    assert.ok(box.left <= a.left && box.right >= c.right);
  }
  assert.equal(await count('.pill.across'), 2);
});

claim('a fault of a node with several machines is one box over their lanes', async () => {
  const t = new Trial().create('a', 'hill').create('b', 'town').create('c', 'town').add(FAULTS).start('a').start('b').start('c');
  t.step('fault', 'faults', 'crash').add({ fault: 'crash', node: 'town' });
  await open(t);

  const [b, c] = [await placeOf('[data-step="2"] rect'), await placeOf('[data-step="3"] rect')];
  const boxes = await placesOf('[data-step="4"] rect');
  assert.deepEqual(boxes.map(({ left, right }) => [left, right]), [[b.left, c.right]]);
});

// ---- Folding -----------------------------------------------------------------------------------

claim('between steps that are hidden no message is drawn', async () => {
  await open(relay(300));
  await page.click('[data-key=past]');
  await drawn(page);

  const [shown, scribbles] = await page.evaluate(() => {
    const { rows, rowOf } = sennit.current().diagram;
    const all = [...document.querySelectorAll('.scene .message')].map((one) => sennit.current().model.messages[one.dataset.message]);
    const isHidden = (step) => rows[rowOf[step]].kind === 'gap';
    return [all.length, all.filter((m) => isHidden(m.sent) && (!m.delivered || isHidden(m.delivered))).length];
  });
  assert.ok(await count('.side .gap') > 0);
  assert.ok(shown > 0);
  assert.equal(scribbles, 0);
});

claim('hidden steps are shown by a key, too', async () => {
  await open(bridge());
  await page.click('[data-key=past]');
  const before = await count('.scene [role=option]');

  await page.focus('.side .opens');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'button');
  await page.keyboard.press('Enter');

  assert.ok(await count('.scene [role=option]') > before);
  assert.equal(await page.locator('.card').isVisible(), false); // what Enter does elsewhere
});

// ---- Width -------------------------------------------------------------------------------------

/** Forty machines with long names that differ only at their end. */
function many() {
  const name = (i) => `VeryLongWorkerName-${i}`;
  const t = new Trial();
  for (let i = 1; i <= 40; i++) {
    t.create(name(i), `datacenter-${Math.ceil(i / 4)}`);
  }
  for (let i = 1; i <= 40; i++) {
    t.start(name(i));
  }
  for (let i = 1; i < 40; i++) {
    t.send(`m${i}`, name(i + 1), 'Replicate', `term=${i}`).deliver(`m${i}`);
  }
  return t;
}

claim('steps, times and words about the whole trial stay in sight when lanes are scrolled', async () => {
  await open(many(), { name: 'scrolled' });
  await page.evaluate(() => { sennit.current().diagram.scroller.scrollLeft = 700; });
  await page.waitForSelector('.scroller.aside');
  const window = await placeOf('.scroller');

  for (const selector of ['.side .number', '.corner text', '.strip.verdict text']) {
    const places = await placesOf(selector);
    assert.ok(places.length > 0);
    assert.ok(places.every(({ left, right }) => left >= window.left && right <= window.right), selector);
  }
  const ground = await page.evaluate(() => getComputedStyle(document.querySelector('.margin-ground')).fill);
  assert.notEqual(ground, 'none');
});

claim('the lane of a fault that is chosen comes into sight', async () => {
  const t = many().add(FAULTS).step('fault', 'faults', 'crash').add({ fault: 'crash', node: 'datacenter-1' });
  await open(t, { name: 'faraway', step: 79 }); // of the last lane
  const isLeft = () => page.evaluate(() => sennit.current().diagram.scroller.scrollLeft);
  const before = await isLeft();

  await page.keyboard.press('j');

  const [box, margin] = [await placeOf('[data-step="80"] rect'), await placeOf('.corner')];
  assert.ok(before > 1000);
  assert.ok(box.left >= margin.right - 4, `${box.left} ${margin.right}`);
});

claim('names of lanes are as wide as their lane, differ where names do, and are whole under the pointer', async () => {
  await open(many(), { name: 'names' });

  const names = await page.evaluate(() => [...document.querySelectorAll('.head .name')].map((node) => ({ text: node.textContent, title: node.parentNode.querySelector('title').textContent })));
  const places = (await placesOf('.head .name')).sort((a, b) => a.left - b.left);
  assert.equal(new Set(names.map(({ text }) => text)).size, names.length);
  assert.match(names[11].title, /^VeryLongWorkerName-\d+ /);
  assert.deepEqual(places.filter((place, i) => i > 0 && place.left < places[i - 1].right), []);
});

claim('of a long event both ends are shown: a question is told from its answer', async () => {
  const names = ['AppendEntriesToTheLogOfAFollower', 'AppendEntriesToTheLogOfAFollowerResult'];
  const t = many();
  names.forEach((name, i) => t.send(`long${i}`, 'VeryLongWorkerName-1', name).deliver(`long${i}`));
  await open(t, { name: 'ends', step: 80 });

  const [question, answer] = await page.evaluate(() => [80, 81].map((step) => document.querySelector(`[data-step="${step}"] .event`).textContent));
  assert.match(question, /^App.*\u2026.*wer$/);
  assert.match(answer, /^App.*\u2026.*ult$/);
});

claim('lanes are narrower where that makes all of them fit, and wider where there is room', async () => {
  const last = () => page.evaluate(() => {
    const { layout, scroller } = sennit.current().diagram;
    return [layout.channels.at(-1) / scroller.clientWidth, scroller.scrollWidth > scroller.clientWidth];
  });
  await open(relay(60, 8), { width: 1024 });
  const [, isWider] = await last();
  await open(relay(60, 4), { width: 1920 });
  const [share] = await last();

  assert.equal(isWider, false);
  assert.ok(share > 0.75, `${share}`);
});

claim('a trial of a hundred thousand steps opens, its steps and times stand apart, and only what is in sight is an element', async () => {
  await open(relay(100000), { name: 'long' });
  const [numbers, times] = [await placesOf('.side .number'), await placesOf('.side .time')];
  const [lanes] = await placesOf('line.lane');
  const scroller = await placeOf('.scroller');

  assert.equal(await page.evaluate(() => sennit.current().selected), 100000);
  assert.ok(await count('*') < 4000);
  assert.ok(numbers.length > 10 && times.length > 10);
  assert.ok(Math.min(...numbers.map(({ left }) => left)) >= scroller.left);
  assert.ok(Math.max(...numbers.map(({ right }) => right)) < Math.min(...times.map(({ left }) => left)));
  assert.ok(Math.max(...times.map(({ right }) => right)) < lanes.left);
});

// ---- Signs -------------------------------------------------------------------------------------

claim('starting, timers, sending, receiving, starting another, watching and ending have signs of their own', async () => {
  const long = 'AcknowledgementOfWhatIsDone'.repeat(3);
  const t = new Trial().create('a').create('b').start('a').start('b');
  t.step('do', 'a', `send ${long}`).send('x', 'b', long).step('do', 'b', 'receive', { sent: 3 });
  t.step('do', 'b', 'spawn Delay').step('do', 'b', 'monitor Delay').step('do', 'b', 'exit normal').step('do', 'b', 'sleep').timer('b', 'Dawn');
  await open(t);

  const signs = await page.evaluate(() => [1, 3, 4, 5, 6, 7, 8, 9].map((step) => document.querySelector(`[data-step="${step}"] .glyph`)?.getAttribute('class') ?? ''));
  assert.deepEqual(signs, ['glyph start', 'glyph send', 'glyph receive', 'glyph spawn', 'glyph monitor', 'glyph exit', '', 'glyph timer']);
  assert.match(await page.locator('[data-step="3"] .event').textContent(), /^Ack/); // rather than "send…"
  assert.match(await page.locator('[data-step="4"] .event').textContent(), /^Ack/);
});
