// page.test.mjs - the report, driven in a browser as a person would. One browser for all of it.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { drawn, findBrowser, newWindow, report } from './browser.mjs';
import { tooFaint } from './contrast.mjs';
import { Trial, bridge, bridgeExplanation, relay } from './traces.mjs';

const SENNIT = process.env.SENNIT_COMMAND || 'build/sennit';
const found = await findBrowser(process.env.SENNIT_JS_PACKAGES || 'packages');
const skip = found.why || false;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-page-'));

let browser = null;
let page = null;
let problems = [];
const pages = {};

before(async () => {
  if (skip) {
    return;
  }
  browser = await found.launch();
  pages.bridge = bridgePage();
  pages.plain = report(SENNIT, inFolder('plain.html'), bridge().write(inFolder('plain.trace')));
});

after(async () => {
  if (browser) {
    await browser.close();
  }
  fs.rmSync(folder, { recursive: true });
});

const inFolder = (name) => path.join(folder, name);

/** The trial of the bridge with all that can lie beside it. */
function bridgePage() {
  const t = bridge();
  bridge().deliver('news').write(inFolder('bridge.trace'));
  bridge(false).write(inFolder('bridge.nearest.trace'), { verdict: 'passed' });
  t.write(inFolder('bridge.explained.trace'));
  t.add({ shrunk: 13, draws: 0, runs: 20, held_steps: 12 });
  t.write(inFolder('bridge.shrunk.trace'));
  fs.writeFileSync(inFolder('bridge.explained.json'), JSON.stringify(bridgeExplanation(t)));
  return report(SENNIT, inFolder('bridge.html'), inFolder('bridge.trace'));
}

/** A window; whatever its page complains of, or asks the network for, is kept. */
async function newPage(options) {
  const made = await newWindow(browser, { viewport: { width: 1366, height: 768 }, reducedMotion: 'reduce', ...options });
  made.setDefaultTimeout(60000);
  made.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  made.on('pageerror', (error) => problems.push(error.message));
  made.on('request', (request) => /^(file|data|about):/.test(request.url()) || problems.push(`asks for ${request.url()}`));
  return made;
}

/** Opens a report anew, in the one window. */
async function open(file, hash = '') {
  page ??= await newPage({ colorScheme: 'light' });
  problems = [];
  await page.emulateMedia({ media: null, colorScheme: 'light' });
  await page.goto('about:blank'); // or another hash would not load it
  await page.goto(pathToFileURL(file).href + hash);
  await drawn(page);
}

/** A claim about the page; at the end it must have had no reason to complain. */
function claim(name, run) {
  test(name, { skip }, async () => {
    await run();
    assert.deepEqual(problems, []);
  });
}

const selected = () => page.evaluate(() => document.querySelector('[role=option][aria-selected=true]').id);
// Drawings have no innerText.
const textOf = (selector) => page.locator(selector).first().evaluate((node) => node.innerText ?? node.textContent);
const count = async (selector) => (await drawn(page), page.locator(selector).count());
const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
const rowsShown = () => page.evaluate(() => [...document.querySelectorAll('.scene [role=option]')].map((row) => row.id));

// ---- Opening -----------------------------------------------------------------------------------

claim('a report opens from a disk without a complaint and asks the network for nothing', async () => {
  await open(pages.bridge);

  assert.match(await page.title(), /Sennit/);
  assert.equal(await count('.scene [role=option]'), 13);
});

claim('what failed, where, and the command that shows it again are at the top', async () => {
  await open(pages.bridge);

  assert.equal(await textOf('.banner h1'), 'two cars on the bridge');
  assert.match(await textOf('.banner .facts'), /at bridge\.c:12.*step 12 of 12.*shrunk from 13 steps.*seed 1.*trial 17/s);
  assert.match(await textOf('.banner code'), /^\.\/town --bug late --replay \S*bridge\.shrunk\.trace$/);
  assert.equal(await page.locator('.banner .copy').getAttribute('data-copy'), await textOf('.banner code'));
});

claim('the only trial is shown at its failure, which cannot be missed', async () => {
  await open(pages.bridge);

  assert.equal(await selected(), 'step-12');
  assert.equal(await count('.pill.timer.failed'), 1);
  assert.match(await textOf('.strip.verdict'), /FAILED.*two cars on the bridge/);
});

claim('a seed that is larger than a double can hold is shown with all its digits', async () => {
  const file = new Trial({ seed: 1 }).create('a').start('a').write(inFolder('seed.trace'));
  const text = fs.readFileSync(file, 'utf8');
  // Written by hand: numbers of JavaScript could not hold it either.
  const data = fs.readFileSync(report(SENNIT, inFolder('seed.html'), file), 'utf8').replace('"seed":1,', '"seed":18446744073709551557,');
  fs.writeFileSync(inFolder('seed.html'), data);
  assert.match(text, /"seed":1,/);

  await open(inFolder('seed.html'));

  assert.match(await textOf('.facts'), /seed 18446744073709551557/);
});

claim('the command that shows a trial again names the file of the one that is shown', async () => {
  await open(pages.bridge);
  const commands = {};

  for (const key of ['trace', 'original', 'nearest']) {
    await page.click(`.toolbar [data-key=${key}]`);
    commands[key] = (await textOf('.banner .command')).replace(/\s+/g, ' ');
  }

  assert.match(commands.trace, /^reproduce \S+ --bug late --replay \S*bridge\.shrunk\.trace copy$/);
  assert.match(commands.original, /^reproduce \S+ --bug late --replay \S*bridge\.trace copy$/);
  assert.match(commands.nearest, /^replay \(it passes\) \S+ --bug late --replay \S*bridge\.nearest\.trace copy$/);
  assert.equal(await textOf('.banner h1'), 'The nearest trial that passes, to compare with');
});

claim('the command of an explained trial that is another one names its file', async () => {
  bridge().write(inFolder('apart.trace'));
  bridge().deliver('news').write(inFolder('apart.explained.trace'));
  fs.writeFileSync(inFolder('apart.explained.json'), JSON.stringify(bridgeExplanation(bridge())));

  await open(report(SENNIT, inFolder('apart.html'), inFolder('apart.trace')), '#/trial/0?show=explained');

  assert.match(await textOf('.banner code'), /--replay \S*apart\.explained\.trace$/);
});

claim('only a file and a line are called a place', async () => {
  const t = bridge();
  t.write(inFolder('kind.trace'), { at: 'value' });
  await open(report(SENNIT, inFolder('kind.html'), inFolder('kind.trace')));

  assert.match(await textOf('.banner .facts'), /^kind value/);
  assert.doesNotMatch(await textOf('.strip.verdict'), /\(value\)/);
});

/** East goes down while its news is late: what comes of it is judged at the end of a long, idle trial. */
function late(verdict) {
  const t = new Trial().create('east').create('west').create('clerk').start('east').send('news', 'west', 'News').start('west');
  t.startTimer('west', 'Dawn').start('clerk').send('rumour', 'clerk', 'Rumour').step('do', 'east', 'leave').add({ state: 'gone', how: 'halt', task: 'east' });
  t.timer('west', 'Dawn').deliver('rumour').deliver('news');
  for (let i = 0; i < 60; i++) {
    t.send(`m${i}`, 'clerk', 'Idle').deliver(`m${i}`);
  }
  const dawn = t.lines.find((line) => line.event === 'Dawn' && line.step).id;
  t.add({ shrunk: 90, draws: 0, runs: 20, held_steps: t.steps });
  t.add({ hold: t.idOf('rumour'), until: dawn }, { hold: t.idOf('news'), until: dawn });
  t.add({ hold: '00000000000000aa', until: t.lines.find((line) => line.step === 2).id }, { hold: '00000000000000bb', until: dawn, name: 'Snow of west' });
  t.write(inFolder(`late-${verdict.oracle}.trace`), { message: 'monitor Bridge can be hot (state Taken) for ever', ...verdict });
  return [t, inFolder(`late-${verdict.oracle}.trace`)];
}

claim('what is judged at the end of an idle trial is shown at the exception that tells most', async () => {
  const [, file] = late({ oracle: 'hot' });

  await open(report(SENNIT, inFolder('late-hot.html'), file));

  assert.equal(await selected(), 'step-5'); // dawn, before the news of one who is gone
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.edge.near')].map((one) => one.dataset.edge)), ['2']);
  assert.equal(await page.locator('.constraints > .chosen').getAttribute('data-constraint'), '2');
});

claim('what is judged at the end is shown where the share that fails grew most, if no step has decided it', async () => {
  const [t, file] = late({ oracle: 'hot' });
  const e = bridgeExplanation(t, { causes: [] });
  const share = (failed) => ({ trials: 100, failed, stuck: 0, low: 0, high: 1 });
  e.trial.list = [{ step: 5, operation: "west's timer Dawn fires", changes: '', of_note: true }];
  e.lost = { ...e.lost, found: false, after: null, curve: [{ step: 3, after: share(10) }, { step: 7, after: share(65) }],
    jumps: [{ step: 4, operation: 'leave', before: share(10), after: share(20) }, { step: 7, operation: 'News', before: share(20), after: share(65) }] };
  fs.writeFileSync(file.replace('.trace', '.explained.json'), JSON.stringify(e));

  await open(report(SENNIT, inFolder('jump.html'), file));

  assert.equal(await selected(), 'step-7');
  assert.match(await textOf('.body.why'), /Not found: even after step 7 only 65 of 100 continuations fail.*It grew most with:.*step 7 News: 20 → 65 of 100/s);
});

claim('a trial that fails at once is shown at its failure, whatever exceptions it has', async () => {
  const [t, file] = late({ oracle: 'assert' });

  await open(report(SENNIT, inFolder('late-assert.html'), file));

  assert.equal(await selected(), `step-${t.steps}`);
});

// ---- Stepping ----------------------------------------------------------------------------------

claim('keys step forward and back, to the ends, to the failure and to the cause', async () => {
  await open(pages.bridge);
  const walk = [];

  for (const key of ['k', 'ArrowUp', 'j', 'Home', 'ArrowDown', 'End', 'Home', 'f', 'h', 'l']) {
    await press(key);
    walk.push(Number((await selected()).replace('step-', '')));
  }

  assert.deepEqual(walk, [11, 10, 11, 0, 1, 12, 0, 12, 1, 12]);
});

claim('keys go twenty steps on and back', async () => {
  await open(report(SENNIT, inFolder('twenty.html'), relay(300).write(inFolder('twenty.trace'))), '#/trial/0?step=100');
  const walk = [];

  for (const key of ['PageDown', 'PageDown', 'PageUp']) {
    await press(key);
    walk.push(await selected());
  }

  assert.deepEqual(walk, ['step-120', 'step-140', 'step-120']);
});

claim('play goes on step by step until it is stopped', async () => {
  await open(report(SENNIT, inFolder('play.html'), relay(300).write(inFolder('play.trace'))));
  await press('Home', ' ');
  await page.waitForFunction(() => sennit.current().selected >= 2);

  await press(' ');

  const [playing, at] = await page.evaluate(() => [sennit.current().playing, sennit.current().selected]);
  assert.equal(playing, 0);
  assert.ok(at >= 2 && at < 300);
});

claim('the address names the step, and a page opened with it shows that', async () => {
  await open(pages.bridge);
  await press('Home', 'j', 'j', 'j');
  await page.waitForFunction(() => location.hash.endsWith('step=3'));
  const hash = await page.evaluate(() => location.hash);

  await open(pages.bridge, hash);

  assert.equal(await selected(), 'step-3');
});

// ---- What is drawn -----------------------------------------------------------------------------

claim('machines stand under their node, and monitors beside them', async () => {
  await open(pages.bridge);

  const head = await page.locator('svg.head').textContent();
  assert.match(head, /hill.*east.*town.*west.*car-1.*clerk.*monitor.*Bridge/s);
});

claim('messages that are lost end in a cross, those on their way in a ring', async () => {
  await open(pages.bridge);

  assert.match(await page.locator('.scene .message.lost').getAttribute('d'), /l7,7M.*l7,-7$/);
  assert.match(await page.locator('.scene .message.pending').getAttribute('d'), /a2\.5,2\.5/);
  assert.equal(await count('.scene .message.lost'), 1);
  assert.equal(await count('.scene .message.pending'), 1);
  assert.equal(await count('.scene .message.delivered'), 3);
});

claim('a cut is hatched over the lanes that it cuts off, from the cut to the heal', async () => {
  await open(pages.bridge);

  const [cut, from, to] = await page.evaluate(() => ['.cut', '#step-6', '#step-8'].map((selector) => {
    const { top, bottom, width } = document.querySelector(selector).getBoundingClientRect();
    return { top, bottom, width };
  }));
  assert.equal(await count('.cut'), 1);
  assert.ok(from.top < cut.top && cut.top < from.bottom);
  assert.ok(to.top < cut.bottom && cut.bottom < to.bottom);
});

/** Whether a mark goes from the row of a step to that of another, on the screen. */
async function assertSpans(mark, from, to) {
  const [span, first, last] = await page.evaluate((all) => all.map((selector) => {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { top, bottom };
  }), [mark, `[data-step="${from}"] rect`, `[data-step="${to}"] rect`]);
  assert.ok(span.top > first.top - 2 && span.top < first.bottom, `${mark} begins in step ${from}: ${JSON.stringify([span, first])}`);
  assert.ok(span.bottom > last.top && span.bottom < last.bottom + 2, `${mark} ends in step ${to}: ${JSON.stringify([span, last])}`);
}

claim('the lane of a machine that has crashed is interrupted until it is started again', async () => {
  await open(pages.bridge);

  assert.equal(await count('line.down'), 1);
  assert.equal(await count('.diagram .crash'), 1);
  await assertSpans('line.down', 9, 10);
});

claim('the lane of a machine that was stopped is interrupted, too', async () => {
  const t = new Trial().create('a', 'hill').create('b', 'town').add({ create: 'faults', type: 'faults', id: '0000000000000007' }).start('a').start('b');
  t.step('fault', 'faults', 'stop').add({ fault: 'stop', node: 'hill' }).step('fault', 'faults', 'restart').add({ fault: 'restart', node: 'hill' });
  await open(report(SENNIT, inFolder('stop.html'), t.write(inFolder('stop.trace'))));

  assert.equal(await count('line.down'), 1);
  await assertSpans('line.down', 3, 4);
});

claim('a timer that is chosen shows when it was started', async () => {
  await open(pages.bridge, '#/trial/0?step=8');
  assert.equal(await count('.timer-span'), 0);
  const t = new Trial().create('a').create('b').start('a').startTimer('a', 'Dawn').start('b').timer('a', 'Dawn').start('b');
  await open(report(SENNIT, inFolder('started.html'), t.write(inFolder('started.trace'))), '#/trial/0?step=3');

  assert.equal(await count('.timer-span'), 1);
  await assertSpans('.timer-span', 1, 3);
});

claim('the more continuations fail after a step, the more the edge beside it is seen', async () => {
  await open(pages.bridge);

  const shares = await page.evaluate(() => [0, 2, 3, 6, 7, 12].map((step) => Number(document.querySelector(`.side [data-row="${sennit.current().diagram.rowOf[step]}"] .risk`).getAttribute('fill-opacity'))));
  assert.deepEqual(shares.map((share) => Math.round(100 * share)), [6, 6, 42, 42, 100, 100]);
});

claim('monitors show when they turn hot, and what they were told', async () => {
  await open(pages.bridge);

  assert.equal(await count('.heat.hot'), 1);
  assert.equal(await count('.heat.cold'), 1);
  const [hot, cold, turn, end] = await page.evaluate(() => ['.heat.hot', '.heat.cold', '[data-step="7"]', '[data-step="12"]'].map((selector) => {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { top, bottom };
  }));
  assert.ok(cold.bottom > turn.top && cold.bottom < turn.bottom && Math.abs(hot.top - cold.bottom) < 1, JSON.stringify([hot, cold, turn]));
  assert.ok(hot.bottom > end.bottom);
  assert.equal(await count('rect.told'), 2);
  assert.equal(await count('rect.told.failed'), 1);
});

claim('operations of clients are bars from call to return', async () => {
  await open(pages.bridge);

  assert.equal(await count('.operation.return'), 1);
  await assertSpans('.operation.return', 5, 11);
  assert.match(await textOf('#step-5'), /call cross\(1\)/);
});

claim('operations that cannot be put in order are told from the others', async () => {
  const t = new Trial().create('a').create('b').create('c');
  t.start('a').add({ operation: 'call', number: 1, process: 'a', text: 'write(1)' }).start('b').add({ operation: 'call', number: 2, process: 'b', text: 'write(2)' });
  t.step('do', 'a', 'end').add({ operation: 'return', number: 1, process: 'a', text: 'write(1) = ok' });
  t.start('c').add({ operation: 'call', number: 3, process: 'c', text: 'read()' }).step('do', 'c', 'end').add({ operation: 'return', number: 3, process: 'c', text: 'read() = 0' });
  t.add({ note: '2 operations are enough to see it:' }, { note: '  a  step 1  step 3  write(1) = ok' }, { note: '  c  step 4  step 5  read() = 0' });
  t.write(inFolder('blame.trace'), { oracle: 'linear', message: 'read() = 0 of c, which returned in step 5, cannot be put in order' });
  await open(report(SENNIT, inFolder('blame.html'), inFolder('blame.trace')));

  const looks = await page.evaluate(() => [...document.querySelectorAll('.operation')].map((bar) => [bar.querySelector('title').textContent, bar.getAttribute('class').trim()]));
  assert.deepEqual(looks.sort(), [['read() = 0', 'operation return bad'], ['write(1) = ok', 'operation return core'], ['write(2)', 'operation open']]);
});

claim('orders that are needed are bold edges with their figures, also to what never ran', async () => {
  await open(pages.bridge);

  assert.equal(await count('.edge'), 2);
  assert.equal(await count('.edge.decisive'), 1);
  assert.match(await textOf('#step-7 text.needed'), /1: reversed, 600 of 1,000 fail/);
  assert.match(await page.locator('.row.ghost').textContent(), /News.*2: never ran; decisive: reversed, 0 of 1,000 fail/s);
});

claim('the point of no return is a line across, behind its step', async () => {
  await open(pages.bridge);

  const [strip, step] = await page.evaluate(() => ['.strip.lost', '#step-7'].map((selector) =>
    document.querySelector(selector).getBoundingClientRect().top));
  assert.match(await textOf('.strip.lost'), /400 of 400.*275 of 400/);
  assert.ok(strip > step && strip < step + 48);
});

claim('in the nearest trial that passes, an order that is there the other way round is marked', async () => {
  await open(pages.bridge);
  await page.evaluate(() => { // Both operations run in the passing one.
    const c = sennit.data.trials[0].explanation.causes[0].constraints[1];
    Object.assign(c, { second_never_ran: false, first_step: 12, second_step: 11 });
  });
  await page.evaluate(() => { location.hash = '#/trial/0?show=explained'; });
  await page.waitForSelector('.edge.reversed');

  assert.match(await page.locator('#step-11 text.needed').textContent(), /the other way round here/);
});

claim('what a machine fetches itself is an arrow from the step that sent it, and named after it', async () => {
  const t = new Trial().create('a').create('b').start('a').start('b');
  t.step('do', 'a', 'send Hello').send('x', 'b', 'Hello').step('do', 'b', 'receive', { sent: 3 });
  await open(report(SENNIT, inFolder('fetch.html'), t.write(inFolder('fetch.trace'))));

  assert.equal(await count('.scene .message.delivered'), 1);
  assert.equal(await count('.scene .message.near'), 1);
  assert.match(await textOf('#step-4'), /receive Hello/);
});

/** Replicas as they were recorded: the id of the first step of the second is that of a step of the first. */
function replicas() {
  const t = new Trial();
  const ids = ['000000000000000a', '000000000000000b', '000000000000000c', '000000000000000d'];
  const told = [['A', 'add'], ['B', 'remove'], ['A', 'make'], ['B', 'apply']];
  t.add({ create: 'A', type: 'A', id: '0000000000000001', start: '0000000000000002' }, { create: 'B', type: 'B', id: '0000000000000002', start: ids[0] });
  told.forEach(([to, event], i) => t.add({ send: event, to, payload: 'x', id: ids[i] }));
  told.forEach(([to, event], i) => t.step('deliver', to, event, { id: ids[i], payload: 'x', cause: [0, 0, 1, 3][i] }));
  return t;
}

claim('replicas stay apart, and what one makes of another is an arrow to where it is applied', async () => {
  await open(report(SENNIT, inFolder('replicas.html'), replicas().write(inFolder('replicas.trace'), { oracle: 'convergence', message: 'A and B differ' })));

  assert.equal(await textOf('.menu summary'), 'Lanes 2/2');
  assert.deepEqual(await page.evaluate(() => sennit.current().model.lanes.map((lane) => [lane.name, lane.steps.map((step) => step.step)])), [['A', [1, 3]], ['B', [2, 4]]]);
  assert.equal(await count('.scene .message.delivered'), 1);
  assert.deepEqual(await page.evaluate(() => sennit.current().model.messages.filter((m) => m.from).map((m) => [m.from.name, m.sent, m.to.name, m.delivered])), [['A', 3, 'B', 4]]);
  assert.equal(await count('.row.dim'), 0); // both are what they are by all of it
});

claim('machines that were started by a call and have other names since are there once', async () => {
  const t = new Trial().create('Agent#1').create('Agent#2').add({ send: 'Read', to: 'agent2', id: '00000000000000aa' });
  t.add({ state: 'Working', how: 'start', task: 'agent1' }, { state: 'Working', how: 'start', task: 'agent2' });
  t.step('deliver', 'agent2', 'Read', { id: '00000000000000aa' });
  await open(report(SENNIT, inFolder('agents.html'), t.write(inFolder('agents.trace'))));

  await press('3');

  assert.equal(await textOf('.menu summary'), 'Lanes 1/2');
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.machine header')].map((one) => one.innerText.replace(/\s+/g, ' ')).sort()), ['agent1 Working', 'agent2 Working']);
});

claim('machines whose first steps are part of the set-up keep their nodes, whatever they are called since', async () => {
  const t = new Trial().create('Server', 'hill').create('Server#2', 'town').create('Client').add({ create: 'faults', type: 'faults', id: '0000000000000007' });
  t.add(...['S1', 'S2', 'C1'].map((task) => ({ state: 'Born', how: 'start', task })));
  t.add({ send: 'Ask', to: 'S1', id: '00000000000000aa' }).step('deliver', 'S1', 'Ask', { id: '00000000000000aa' });
  t.step('fault', 'faults', 'crash').add({ fault: 'crash', node: 'hill' });
  await open(report(SENNIT, inFolder('settled.html'), t.write(inFolder('settled.trace'))));

  assert.deepEqual(await page.evaluate(() => sennit.current().model.lanes.filter((lane) => lane.kind === 'machine').map(({ name, node, type }) => [name, node, type])),
    [['S1', 'hill', 'Server'], ['S2', 'town', 'Server'], ['C1', '', 'Client']]);
  assert.equal(await count('line.down'), 1);
});

claim('a fault is called after what it struck, not after who sent the messages that it took', async () => {
  const t = new Trial().create('a', 'hill').create('b', 'town').add({ create: 'faults', type: 'faults', id: '0000000000000007' });
  t.start('b').start('a').send('x', 'b', 'Ask').send('y', 'b', 'Ask').send('z', 'b', 'Late');
  t.step('fault', 'faults', 'partition').add({ fault: 'cut', node: 'town' });
  for (const what of ['x', 'y']) {
    t.add({ fault: 'cut-off', node: 'hill', event: 'Ask', from: 'a', to: 'b', id: t.idOf(what) });
  }
  t.step('fault', 'faults', 'delay').add({ fault: 'delayed', node: 'hill', event: 'Late', from: 'a', to: 'b', id: t.idOf('z') });
  await open(report(SENNIT, inFolder('struck.html'), t.write(inFolder('struck.trace'))));

  assert.deepEqual(await page.evaluate(() => [3, 4].map((step) => document.querySelector(`#step-${step}`).getAttribute('aria-label').replace('; the trial failed here', ''))),
    ['step 3: fault: partition of town', 'step 4: fault: delay of Late from a to b']);
  assert.equal(await count('.message.cut-off'), 2);
});

claim('what was cut off or dropped ends in a cross, and the pointer tells which it was', async () => {
  const t = new Trial().create('a').create('b').start('a').send('x', 'b', 'Cut').fate('x', 'cut-off').start('b').add({ dropped: 'Gone', to: 'a' });
  await open(report(SENNIT, inFolder('fates.html'), t.write(inFolder('fates.trace'))));
  const said = [];
  for (const event of ['Cut', 'Gone']) {
    const end = await page.evaluate((wanted) => {
      const { x, y } = document.querySelector('.scene').getBoundingClientRect();
      const [, { points, path }] = [...sennit.current().diagram.scene.layers.messages.shown].find(([item]) => item.about.event === wanted);
      return { x: x + points.at(-1)[0], y: y + points.at(-1)[1], d: path.getAttribute('d') };
    }, event);
    assert.match(end.d, /l7,7M.*l7,-7$/);
    await page.mouse.move(5, 5);
    await page.mouse.move(end.x, end.y);
    await page.waitForFunction((wanted) => document.querySelector('.card:not([hidden]) h3')?.textContent === wanted, event);
    said.push(await textOf('.card'));
  }

  assert.match(said[0], /lost: the network was cut/);
  assert.match(said[1], /dropped: its machine was not there any more/);
});

claim('a node stands above its machines once', async () => {
  await open(report(SENNIT, inFolder('nodes.html'), relay(30, 4).write(inFolder('nodes.trace'))));

  assert.equal((await page.locator('svg.head > text').allTextContents()).filter((text) => text === 'node-1').length, 1);
  assert.equal((await page.locator('svg.head g > text').allTextContents()).filter((text) => text === 'node-1').length, 0);
});

claim('a machine that is born only when its node is back stands under that node', async () => {
  const t = new Trial().create('a', 'hill').create('b', 'town').add({ create: 'faults', type: 'faults', id: '0000000000000007' });
  t.start('a').step('fault', 'faults', 'crash').add({ fault: 'crash', node: 'town' });
  t.step('fault', 'faults', 'restart').add({ fault: 'restart', node: 'town' }).step('start', 'renamed', 'start', { cause: 3 });
  await open(report(SENNIT, inFolder('late.html'), t.write(inFolder('late.trace'))));

  assert.match(await page.locator('svg.head').textContent(), /hill.*a.*town.*renamed/s);
  assert.equal(await count('line.down'), 1);
});

claim('machines of one type that live one after another share a column where there are many', async () => {
  const t = new Trial();
  for (let i = 1; i <= 12; i++) {
    t.create(`Worker#${i}`);
  }
  for (let i = 1; i <= 12; i++) {
    t.start(`Worker#${i}`);
  }
  await open(report(SENNIT, inFolder('many.html'), t.write(inFolder('many.trace'))));
  await page.click('.menu summary');
  for (let i = 1; i < 12; i++) { // what the failure does not depend on is left out
    await page.click(`.menu label:has-text("Worker#${i} ")`);
  }

  assert.match(await page.locator('svg.head').textContent(), /12 machines/);
  assert.match(await textOf('#step-7 .payload'), /^Worker#7/);
});

claim('the past of a deadlock is also that of the machine that waits', async () => {
  const t = new Trial().create('a').create('b').create('c').start('a').start('b').start('c');
  t.write(inFolder('waits.trace'), { oracle: 'deadlock', message: 'nothing can happen any more, but b waits for Answer (its mailbox is empty)' });
  await open(report(SENNIT, inFolder('waits.html'), inFolder('waits.trace')));

  assert.equal(await count('.scene [role=option].dim'), 1);
  assert.equal(await count('#step-1.dim'), 1);
});

// ---- Pointing and panels -----------------------------------------------------------------------

claim('the pointer over a step shows its payload, its cause, and the state before and after', async () => {
  await open(pages.bridge);

  await page.hover('[data-step="7"]');
  await page.waitForSelector('.card:not([hidden])');

  const card = await textOf('.card');
  assert.match(card, /west handles Ask from car-1/);
  assert.match(card, /car\s+1\s+direction\s+east/);
  assert.match(card, /sent by car-1 in step 5/);
  assert.match(card, /state Open → Closed/);
  assert.match(card, /open\s+true → false/);
});

claim('the pointer over what a step was about, or over what a monitor was told, shows the same', async () => {
  await open(pages.bridge);
  const said = [];
  for (const mark of ['#step-7 .told + .event', '#step-4 .payload']) {
    await page.mouse.move(5, 5);
    await page.waitForSelector('.card', { state: 'hidden' });
    await page.hover(mark);
    await page.waitForSelector('.card:not([hidden])');
    said.push(await textOf('.card h3'));
  }

  assert.match(said[0], /7\s*west handles Ask from car-1/);
  assert.match(said[1], /4\s*clerk handles Gossip from clerk/);
});

claim('enter shows the same card for the chosen step, and escape closes it', async () => {
  await open(pages.bridge);

  await press('Enter');
  assert.match(await textOf('.card'), /east's timer Dawn fires/);
  await press('Escape');

  assert.equal(await page.locator('.card').isVisible(), false);
});

claim('the pointer over a message shows what became of it', async () => {
  await open(pages.bridge);

  const end = await page.evaluate(() => {
    const { x, y } = document.querySelector('.scene').getBoundingClientRect();
    const shown = [...sennit.current().diagram.scene.layers.messages.shown];
    const [, { points }] = shown.find(([item]) => item.about.event === 'Horn');
    const [before, last] = points.slice(-2);
    return { x: x + (before[0] + last[0]) / 2, y: y + last[1] };
  });
  await page.mouse.move(end.x, end.y);
  await page.waitForSelector('.card:not([hidden])');

  assert.match(await textOf('.card'), /Horn\s+from car-1 to east, sent in step 5, lost/);
});

claim('the state of each machine shows what the step has changed, what is on its way, and timers', async () => {
  await open(pages.bridge, '#/trial/0?step=7');

  await press('3');

  assert.match(await textOf('.machine.active'), /west.*town.*Closed.*open\s+true → false.*cars\s+0 → 1/s);
  assert.deepEqual(await page.locator('.machine dt.changed').allTextContents(), ['open', 'cars']);
  const east = () => page.locator('.machine', { has: page.locator('b', { hasText: 'east' }) }).innerText();
  assert.match(await east(), /on its way:\s+News west/);
  assert.doesNotMatch(await east(), /Horn/); // it is lost
  assert.match(await east(), /timers:\s+Dawn 1ms/);
  assert.equal(await textOf('.machine:nth-of-type(2) b'), 'Bridge'); // it was told
  await press('j');
  assert.match(await east(), /on its way:\s+News west/);
});

claim('processes, which have no states, are said to be started from their first step on', async () => {
  const t = new Trial().create('a').create('b').start('a').step('do', 'a', 'work').start('b').step('do', 'b', 'end').add({ state: 'normal', how: 'halt', task: 'b' });
  const file = report(SENNIT, inFolder('processes.html'), t.write(inFolder('processes.trace')));
  const said = async (step) => {
    await open(file, `#/trial/0?step=${step}`);
    await press('3');
    return page.evaluate(() => [...document.querySelectorAll('.machine header')].map((one) => one.innerText.replace(/\s+/g, ' ')).sort());
  };

  assert.deepEqual(await said(0), ['a not started', 'b not started']);
  assert.deepEqual(await said(2), ['a started', 'b not started']);
  assert.deepEqual(await said(4), ['a started', 'b halted']);
});

claim('timers end when their machine crashes', async () => {
  await open(pages.bridge, '#/trial/0?step=9');

  await press('3');

  assert.equal(await page.locator('.machine', { hasText: 'timers:' }).count(), 0);
  assert.match(await page.locator('.machine', { hasText: 'hill' }).innerText(), /down/);
});

claim('no heading stands over nothing: a fault has no state before and after', async () => {
  await open(pages.bridge, '#/trial/0?step=9');

  await press('2');

  assert.match(await textOf('.body.step'), /fault: crash of hill/);
  assert.doesNotMatch(await textOf('.body.step'), /before and after/i);
});

claim('the explanation is told in words, and its orders lead to their steps', async () => {
  await open(pages.bridge);

  assert.match(await textOf('.body.why'), /In 1,000 of 1,000 random schedules with these 2 orders the test fails \(without: 499 of 1,000\)/);
  assert.equal(await count('.curve circle'), 3);
  await page.click('[data-constraint="1"] .tools .link');

  assert.equal(await selected(), 'step-2');
  assert.equal(await count('.edge.near'), 1);
});

claim('the log has every decision, drawn values among them, and leads to its steps', async () => {
  await open(pages.bridge);

  await press('4');
  assert.match(await textOf('.body.log'), /draw toll = 2 of 5/);
  await page.click('.body.log .entry >> nth=3');

  assert.equal(await selected(), 'step-3');
});

claim('what the code under test printed has a panel', async () => {
  await open(pages.bridge);

  await press('5');

  assert.match(await textOf('.body.output'), /hello from the clerk/);
});

claim('output is shown where the chosen step is', async () => {
  const t = relay(300);
  t.lines = t.lines.flatMap((line) => (line.step ? [line, { output: `said in ${line.step}` }] : [line]));
  await open(report(SENNIT, inFolder('said.html'), t.write(inFolder('said.trace'))), '#/trial/0?step=200');
  const inSight = () => page.evaluate(() => {
    const window = document.querySelector('.body.output .long-list').getBoundingClientRect();
    return [...document.querySelectorAll('.body.output .entry')].filter((one) => one.getBoundingClientRect().top >= window.top && one.getBoundingClientRect().bottom <= window.bottom).map((one) => one.innerText);
  });

  await press('5');
  await drawn(page);
  const first = await inSight();
  await press('Home', 'j', 'j');
  await drawn(page);

  assert.ok(first.some((text) => /said in 200/.test(text)), first.join());
  assert.ok((await inSight()).some((text) => /said in 2$/.test(text)));
});

claim('a trial that was not explained says which command does that, ready to be copied', async () => {
  await open(pages.plain);

  const command = await page.locator('.unexplained .copy').getAttribute('data-copy');
  assert.equal(command, `sennit explain ${inFolder('plain.trace')}`);
  assert.match(await textOf('.unexplained'), /has not been explained yet.*plain\.html/s);
});

/** The bridge with other constraints of its cause. */
function explainedBridge(name, change) {
  const t = bridge();
  const e = bridgeExplanation(t);
  t.write(inFolder(`${name}.trace`));
  t.write(inFolder(`${name}.explained.trace`));
  change(e.causes[0].constraints);
  fs.writeFileSync(inFolder(`${name}.explained.json`), JSON.stringify(e));
  return report(SENNIT, inFolder(`${name}.html`), inFolder(`${name}.trace`));
}

claim('a value that is needed is marked at the step that draws it, and leads there', async () => {
  await open(explainedBridge('value', (constraints) => constraints.push({ ...constraints[0], kind: 'value',
    first: 'west draws "toll" (number 1)', second: '2', first_step: 7, second_step: 0 })));

  assert.match(await textOf('#step-7 text.needed'), /1: .*\(also 3\)/);
  assert.equal(await page.locator('.badges[data-of="7"]').textContent(), '13');
  assert.equal(await count('.edge'), 2);
  await page.click('[data-constraint="3"] .link.step');
  assert.equal(await selected(), 'step-7');
  await press('f', '[');

  assert.equal(await selected(), 'step-7');
  await press('2');
  assert.match(await textOf('.body.step'), /value 3: draws "toll" \(number 1\) = 2/);
});

claim('of what a failure needs that comes first which decides; drawn values and what only helps are folded', async () => {
  const share = (failed) => ({ trials: 1000, failed, stuck: 0, low: failed / 1000, high: failed / 1000 });
  await open(explainedBridge('ranked', (constraints) => {
    const [needed, decisive] = constraints;
    const value = (name, failed, label = 'needed') => ({ ...needed, kind: 'value', label, first: `west draws "${name}"`, second: '2', first_step: 7, second_step: 0, reversed: null, dropped: share(failed) });
    constraints.splice(0, 2, { ...needed, label: 'helping', reversed: share(990) }, needed, decisive, value('a', 300), value('b', 200), value('c', 400), value('d', 100));
  }));
  const numbers = (selector) => page.evaluate((all) => [...document.querySelectorAll(all)].map((item) => item.value), selector);

  assert.deepEqual(await numbers('.body.why > ol > .constraint'), [3, 2]);
  assert.deepEqual(await page.locator('.fold > summary').allTextContents(), ['4 more that it needs: drawn values', '1 that only helps']);
  assert.deepEqual(await numbers('.fold:nth-of-type(1) li'), [7, 5, 4, 6]);
  assert.match(await textOf('#step-7 text.needed'), /\(also/); // the same numbers as on the diagram

  await page.evaluate(() => sennit.current().chooseEdge(6));
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.fold')].map((fold) => fold.open)), [true, false]);
});

claim('an event that stands for many kinds is called after both, in the explanation as on the diagram', async () => {
  const said = 'west handles Message (kind=ASK car=1) from car-1';
  await open(explainedBridge('kinds', (constraints) => Object.assign(constraints[0], { first: said, second: 'east handles Message (car=2 kind=NEWS)' })));
  const words = await textOf('[data-constraint="1"]');
  const t = new Trial().create('a').create('b').start('a').send('x', 'b', 'Message', 'kind=ASK car=1').start('b').deliver('x');
  await open(report(SENNIT, inFolder('kind-of.html'), t.write(inFolder('kind-of.trace'))));

  assert.match(words, /west handles Message ASK from car-1 \(car=1\) before east handles Message NEWS \(car=2\)/);
  assert.match(await textOf('[data-step="3"]'), /Message ASK/);
  assert.equal(await page.locator('#step-3').getAttribute('aria-label'), 'step 3: b handles Message ASK from a; the trial failed here');
});

claim('keys go from order to order as the panel has them, what decides first', async () => {
  await open(explainedBridge('going', (constraints) => {
    const [needed, decisive] = constraints;
    const last = { ...decisive, second_never_ran: false, first_step: 5, second_step: 11 };
    constraints.splice(0, 2, { ...needed, label: 'helping' }, needed, last);
  }));
  const walk = [];

  for (const key of [']', ']', ']', ']', '[']) {
    await press(key);
    walk.push(await page.locator('.constraints > .chosen').getAttribute('data-constraint'));
  }

  assert.deepEqual(walk, ['3', '2', '1', '3', '1']);
});

claim('few values that are needed stand beside the orders', async () => {
  await open(explainedBridge('few', (constraints) => constraints.push({ ...constraints[0], kind: 'value', first: 'west draws "toll"', second: '2', first_step: 7, second_step: 0 })));

  assert.equal(await count('.body.why > ol > .constraint'), 3);
  assert.equal(await count('.fold'), 0);
});

claim('where no order is needed, one sentence says so, and what makes it pass comes next', async () => {
  const t = bridge();
  const e = bridgeExplanation(t);
  e.causes[0].constraints = [];
  t.write(inFolder('always.trace'));
  t.write(inFolder('always.explained.trace'));
  fs.writeFileSync(inFolder('always.explained.json'), JSON.stringify(e));
  await open(report(SENNIT, inFolder('always.html'), inFolder('always.trace')));

  assert.match(await textOf('.body.why'), /^Why it fails\s+Every random schedule fails \(1,000 of 1,000\): no order is needed\.\s/);
  assert.deepEqual((await page.locator('.body.why h3').allTextContents()).slice(0, 3), ['Why it fails', 'Nearest trial that passes', 'Point of no return']);
});

claim('exceptions that wait for one step are one point, and those of what never ran are folded', async () => {
  const [, file] = late({ oracle: 'lasso' });
  await open(report(SENNIT, inFolder('merged.html'), file));

  const points = await page.evaluate(() => [...document.querySelectorAll('.body.why > ol > li')].map((item) => item.innerText.replace(/\s+/g, ' ')));
  assert.equal(points.length, 1);
  assert.match(points[0], /^west's timer Dawn fires before west handles News from east show on the diagram and before clerk handles Rumour from clerk show on the diagram Snow of west \(not run here\)/);
  assert.deepEqual(await page.locator('.fold > summary').allTextContents(), ['1 more holds back what never ran here']);
});

claim('orders that are said together are one point, with one mark for all that never ran', async () => {
  await open(explainedBridge('group', (constraints) => {
    Object.assign(constraints[1], { group: 1, second: 'east handles News (kind=CLOSED)' });
    constraints.push({ ...constraints[1], second: 'clerk handles Rumour', require: 'timer Dawn of east before deliver Rumour to clerk number 1' });
  }));

  assert.equal(await count('.row.ghost'), 1);
  assert.match(await page.locator('.row.ghost').textContent(), /News CLOSED.*2: never ran, nor did 1 more/s);
  assert.match(await textOf('.constraint[value="2"]'), /before each of these could run:.*News.*Rumour/s);
  assert.equal(await count('.constraint[value="2"]'), 1);
  assert.equal(await count('.edge'), 2);
});

claim('words about the whole trial lie over the edges', async () => {
  await open(pages.bridge);

  const top = await page.evaluate(() => {
    const { x, y, width, height } = document.querySelector('.strip.verdict').getBoundingClientRect();
    return [...Array(Math.floor(Math.min(width, innerWidth / 2))).keys()].map((i) => document.elementFromPoint(x + i + 1, y + height / 2).closest('.strip, .edge')?.getAttribute('class'));
  });
  assert.deepEqual([...new Set(top)], ['strip verdict']);
});

claim('a step in words is a link with an address', async () => {
  await open(pages.bridge, '#/trial/0?step=7');

  await press('2');

  assert.equal(await page.locator('.origin a.step').getAttribute('href'), '#/trial/0?step=5');
  await page.evaluate(() => { window.view = sennit.current(); });
  await page.click('.origin a.step');
  assert.equal(await selected(), 'step-5');
  assert.ok(await page.evaluate(() => window.view === sennit.current())); // nothing was loaded anew
});

// ---- Finding and folding -----------------------------------------------------------------------

claim('search finds by text, machine, event and key, and goes from one to the next', async () => {
  await open(pages.bridge);
  const hits = async (query) => {
    await press('/');
    await page.fill('#search', query);
    return page.evaluate(() => [...sennit.current().diagram.hits]);
  };

  assert.deepEqual(await hits('bored'), [3]);
  assert.deepEqual(await hits('machine:west'), [2, 7]);
  assert.deepEqual(await hits('event:gos'), [4]);
  assert.deepEqual(await hits('key:direction'), [5, 7]);
  assert.deepEqual(await hits('key:direct'), []);
  assert.deepEqual(await hits('key:car=1 machine:car'), [5, 11]);
  assert.deepEqual(await hits('op:timer'), [12]);
  assert.deepEqual(await hits('state:closed'), [7]);
  assert.deepEqual(await hits('step:9'), [9]);
  assert.deepEqual(await hits('machine:"car-1"'), [5, 11]);
  await press('Enter');
  assert.equal(await selected(), 'step-5');
  await press('Enter');
  assert.equal(await selected(), 'step-11');
  assert.equal(await count('.pill.hit'), 2);
  await page.click('#only');
  assert.deepEqual(await rowsShown(), ['step-0', 'step-5', 'step-11']);
  await press('Escape');
  assert.equal(await count('.pill.hit'), 0);
  assert.equal((await rowsShown()).length, 13);
});

claim('the filter leaves out what was not found, and brings it back', async () => {
  await open(pages.bridge);
  assert.equal(await page.locator('#only').isVisible(), false);
  await press('/');
  await page.keyboard.type('machine:west');

  await page.click('#only');
  const some = await rowsShown();
  await page.click('#only');

  assert.deepEqual(some, ['step-0', 'step-2', 'step-7']);
  assert.equal(await page.locator('#only').getAttribute('aria-pressed'), 'false');
  assert.equal((await rowsShown()).length, 13);
});

claim('the search box takes the free room of its row while something is in it', async () => {
  await open(pages.bridge);
  const width = () => page.locator('#search').evaluate((box) => box.offsetWidth);
  const height = () => page.locator('.toolbar').evaluate((bar) => bar.offsetHeight);
  const [before, row] = [await width(), await height()];

  await press('/');
  await page.keyboard.type('event:Append');

  assert.ok(await width() > before + 20, `${before} to ${await width()}`);
  assert.equal(await height(), row);
});

claim('what the failure does not depend on is dim, or hidden and shown again', async () => {
  await open(pages.bridge);
  const dim = await page.evaluate(() => [...document.querySelectorAll('.scene [role=option].dim')].map((row) => row.id));

  await page.click('[data-key=past]');
  const folded = await rowsShown();
  await page.click('.gap text');

  assert.deepEqual(dim, ['step-3', 'step-4', 'step-11']);
  assert.deepEqual(folded.filter((id) => dim.includes(id)), []);
  assert.equal(folded.length, 10);
  assert.ok((await rowsShown()).includes('step-3'));
});

claim('key steps are those that the explanation speaks of', async () => {
  await open(pages.bridge);

  await page.click('[data-key=note]');

  assert.deepEqual(await rowsShown(), ['step-0', 'step-2', 'step-7', 'step-12']);
});

claim('a lane can be left out together with its steps', async () => {
  await open(pages.bridge);

  await page.click('.menu summary');
  await page.click('.menu label:has-text("clerk")');

  assert.doesNotMatch(await page.locator('svg.head').textContent(), /clerk/);
  assert.ok(!(await rowsShown()).includes('step-3'));
});

claim('escape closes the list of lanes', async () => {
  await open(pages.bridge);
  await page.click('.menu summary');
  assert.equal(await page.locator('.menu-body').isVisible(), true);

  await press('Escape');

  assert.equal(await page.locator('.menu-body').isVisible(), false);
});

// ---- Two trials --------------------------------------------------------------------------------

claim('a trial stands beside the nearest one that passes, with the first difference marked', async () => {
  await open(pages.bridge);

  await page.click('#compare');

  assert.equal(await count('.pair.first'), 1);
  assert.match(await textOf('.pair.first'), /first difference.*12\s+east handles News from west.*only here/s);
  assert.equal(await count('.pair.differs'), 0);
  assert.match(await textOf('.compare-head'), /12 steps, fails.*13 steps, passed/s);
  await press('Escape');
  assert.equal(await page.locator('.diagram').isVisible(), true);
});

claim('the two trials that are compared are named, and either can be another one', async () => {
  bridge().deliver('news').write(inFolder('pair.trace'));
  bridge().write(inFolder('pair.shrunk.trace'));
  bridge(false).write(inFolder('pair.explained.trace'));
  fs.writeFileSync(inFolder('pair.explained.json'), JSON.stringify(bridgeExplanation(bridge())));
  await open(report(SENNIT, inFolder('pair.html'), inFolder('pair.trace')), '#/trial/0?show=explained');

  await page.click('#compare');
  const pair = () => textOf('.compare-head').then((text) => text.replace(/\s+/g, ' '));
  const first = await pair();
  await page.click('.compare-bar [data-key=trace]');

  assert.match(first, /^Explained 13 steps, fails As found 13 steps, fails/);
  assert.match(await pair(), /^Shrunk 12 steps, fails As found 13 steps, fails/);
});

claim('steps that two trials have in another order are told from those that one of them lacks', async () => {
  const t = new Trial().create('a').create('b').create('c').start('a').start('b').start('c');
  const other = new Trial().create('a').create('b').create('c').start('b').start('a');
  other.write(inFolder('order.trace'));
  t.write(inFolder('order.shrunk.trace'));

  await open(report(SENNIT, inFolder('order.html'), inFolder('order.trace')), '#/trial/0?compare=original');

  assert.equal(await count('.cell.moved'), 2);
  assert.equal(await count('.cell.only'), 1);
  assert.match(await textOf('.compare-bar'), /1 only left, 0 only right, 1 in another order/);
});

// ---- Themes, keys, paper -----------------------------------------------------------------------

claim('the page is light or dark as the system says, and as its switch says', async () => {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await open(pages.bridge);
  const light = await colour();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await colour();

  await page.click('#theme');
  const chosenLight = await colour();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.click('#theme');
  const chosenDark = await colour();
  await page.click('#theme');

  assert.notEqual(dark, light);
  assert.equal(chosenLight, light);
  assert.equal(chosenDark, dark);
  assert.equal(await colour(), light);
});

for (const theme of ['light', 'dark']) {
  claim(`every text can be told from its ground, ${theme}`, async () => {
    await open(pages.bridge);
    await page.emulateMedia({ colorScheme: theme });
    const faint = [];

    for (const keys of [['1'], ['2'], ['3'], ['4'], ['5'], ['k'], ['Home', 'j', 'j', 'j'], ['Enter'], ['/'], ['Escape', 'c'], ['Escape', '?']]) {
      await press(...keys);
      await drawn(page);
      faint.push(...(await tooFaint(page)).map((line) => `after ${keys}: ${line}`));
    }

    await open(pages.plain);
    await page.emulateMedia({ colorScheme: theme });
    faint.push(...await tooFaint(page));
    assert.deepEqual(faint, []);
  });
}

claim('a text that is too faint is noticed', async () => {
  await open(pages.bridge);

  await page.evaluate(() => document.documentElement.style.setProperty('--muted', '#8a94a2'));

  assert.match((await tooFaint(page)).join('\n'), /fact: [23]\.\d\d /);
});

claim('paper is light, whatever the screen is', async () => {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await open(pages.bridge);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const asSystem = await colour();
  await page.evaluate(() => sennit.theme.set('dark'));
  const asChosen = await colour();
  await page.evaluate(() => sennit.theme.set('auto'));

  assert.equal(asSystem, 'rgb(255, 255, 255)');
  assert.equal(asChosen, 'rgb(255, 255, 255)');
});

for (const width of [1024, 3840]) {
  claim(`in a window of ${width} pixels nothing sticks out, and nothing is left empty`, async () => {
    await open(pages.bridge);
    await page.setViewportSize({ width, height: 768 });
    await drawn(page);

    for (const key of ['1', '2', '3', '4', '5']) {
      await press(key);
      const out = await page.evaluate(() => [...document.querySelectorAll('.top *, .banner *, .toolbar *, .panel *')]
        .filter((node) => node.getBoundingClientRect().right > innerWidth + 1 && !node.closest('.menu-body') && !node.parentElement.closest('.entry > span')).map((node) => node.className));
      assert.deepEqual(out, [], `panel ${key}`);
    }
    const [lanes, diagram, panel] = await page.evaluate(() => [...['.lines', '.scroller', '.panel']].map((selector) => document.querySelector(selector).getBoundingClientRect().width));
    await page.setViewportSize({ width: 1366, height: 768 });
    assert.ok(lanes > diagram / 4, `${lanes} of ${diagram}`);
    assert.ok(panel < width / 3 + 1 && diagram > width / 2);
  });
}

claim('two trials are gone through by keys alone', async () => {
  const started = (names) => names.split('').reduce((t, name) => t.start(name), 'abcdefg'.split('').reduce((t, name) => t.create(name), new Trial()));
  started('bacdgfe').write(inFolder('keys.trace'));
  started('abcdefg').write(inFolder('keys.shrunk.trace'));
  await open(report(SENNIT, inFolder('keys.html'), inFolder('keys.trace')));
  const where = () => textOf('.compare-bar .muted');

  await press('c');
  await page.waitForFunction(() => /^difference 1 of/.test(document.querySelector('.compare-bar .muted').textContent));
  const isFocused = await page.evaluate(() => document.activeElement.classList.contains('long-list'));
  await press('k');
  const last = await where();
  await press('ArrowDown'); // the list's own
  const same = await where();

  assert.ok(isFocused);
  assert.match(last, /^difference ([2-9]) of \1$/);
  assert.equal(same, last);
});

claim('help begins with how to read the diagram', async () => {
  await open(pages.bridge);
  await page.setViewportSize({ width: 1366, height: 420 });

  await press('?');

  assert.equal(await page.evaluate(() => document.querySelector('#help').scrollTop), 0);
  assert.match(await textOf('#help'), /^\s*Reading the diagram/);
  await page.setViewportSize({ width: 1366, height: 768 });
});

claim('a question mark shows the keys', async () => {
  await open(pages.bridge);

  await press('?');

  assert.match(await textOf('#help'), /next step.*the failure.*search.*play/s);
  await press('Escape');
  assert.equal(await page.locator('#help').isVisible(), false);
});

claim('steps have names for those who hear the page', async () => {
  await open(pages.bridge);

  const [list, label, live] = await page.evaluate(() => [document.querySelector('.scroller').getAttribute('aria-activedescendant'),
    document.querySelector('#step-7').getAttribute('aria-label'), document.querySelector('[role=status]').textContent]);
  assert.equal(list, 'step-12');
  assert.equal(label, 'step 7: west handles Ask from car-1');
  assert.match(live, /^step 12: .*failed here/);
});

/** The page on paper, as text of each of its pages; null without pdftotext. */
async function printed(name) {
  const file = inFolder(name);
  await page.pdf({ path: file, format: 'A4' });
  const { status, stdout } = spawnSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\f').slice(0, -1) : null;
}

claim('on paper all steps are drawn, and no tools', async () => {
  await open(report(SENNIT, inFolder('paper.html'), relay(300).write(inFolder('paper.trace'))));
  assert.ok(await count('.scene [role=option]') < 120);

  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });

  assert.equal(await count('.paper [role=option]'), 301);
  assert.equal(await page.locator('.paper').isVisible(), true);
  assert.equal(await page.locator('.diagram').isVisible(), false);
  assert.equal(await page.locator('.toolbar').isVisible(), false);
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await count('.paper'), 0);
  assert.equal(await page.locator('.diagram').isVisible(), true);
});

claim('on paper words about the whole trial lie over all lanes, and payloads look as they do on the screen', async () => {
  await open(pages.bridge);
  await page.setViewportSize({ width: 794, height: 1123 });
  await drawn(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const [top, strip, table, font] = await page.evaluate(() => {
    const bar = document.querySelector('.paper .strip.verdict rect');
    bar.scrollIntoView();
    const { left, right, top: y, height } = bar.getBoundingClientRect();
    const at = [...Array(Math.floor(right - left) - 2).keys()].map((i) => document.elementFromPoint(left + i + 1, y + height / 2).closest('.strip')?.getAttribute('class'));
    return [[...new Set(at)], right - left, document.querySelector('.paper').offsetWidth, getComputedStyle(document.querySelector('.paper .payload')).fontFamily];
  });
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  const screen = await page.evaluate(() => getComputedStyle(document.querySelector('.scene .payload')).fontFamily);
  await page.setViewportSize({ width: 1366, height: 768 });

  assert.deepEqual(top, ['strip verdict']);
  assert.ok(Math.abs(strip - table) < 4, `${strip} of ${table}`);
  assert.equal(font, screen);
});

claim('each printed page that has rows has the names of the lanes, and the first has rows', async () => {
  await open(report(SENNIT, inFolder('heads.html'), relay(150).write(inFolder('heads.trace'))));
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const [head, row, heights] = await page.evaluate(() => [getComputedStyle(document.querySelector('.paper thead')).display,
    getComputedStyle(document.querySelector('.paper tbody tr')).breakInside, [...document.querySelectorAll('.paper tbody tr')].map((one) => one.offsetHeight)]);
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  const sheets = await printed('heads.pdf');

  assert.equal(head, 'table-header-group'); // which browsers repeat
  assert.equal(row, 'avoid');
  assert.ok(Math.max(...heights) < 300, `${Math.max(...heights)}`);
  for (const [i, sheet] of (sheets || []).entries()) {
    assert.equal(/hops=/.test(sheet), /Relay#1 .*Relay#8/.test(sheet), `page ${i + 1}:\n${sheet}`);
  }
  assert.ok(!sheets || (sheets.length > 2 && /hops=/.test(sheets[0])));
});

claim('on paper what is folded in the panel is open, and afterwards as it was', async () => {
  const [, file] = late({ oracle: 'lasso' });
  await open(report(SENNIT, inFolder('folds.html'), file));
  const isOpen = () => page.evaluate(() => [...document.querySelectorAll('.fold')].map((fold) => fold.open));

  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const onPaper = await isOpen();
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));

  assert.deepEqual(onPaper, [true]);
  assert.deepEqual(await isOpen(), [false]);
});

claim('in a low window the head is one line until it is asked for', async () => {
  await open(pages.bridge);
  await page.setViewportSize({ width: 911, height: 512 });
  await page.reload();
  await drawn(page);
  const height = () => page.locator('.banner').evaluate((node) => node.offsetHeight);
  const low = await height();
  const isToldLow = await page.locator('.banner h1').isVisible();

  await page.click('.fold-banner');

  const high = await height();
  const isCommandShown = await page.locator('.banner .command').isVisible();
  await page.setViewportSize({ width: 1366, height: 768 });
  assert.ok(low < 34 && isToldLow, `${low}`);
  assert.ok(high > 80 && isCommandShown, `${high}`);
});

// ---- Many steps --------------------------------------------------------------------------------

claim('of ten thousand steps only those in sight are elements', async () => {
  await open(report(SENNIT, inFolder('long.html'), relay(10000).write(inFolder('long.trace'))));

  assert.equal(await selected(), 'step-10000');
  assert.ok(await count('*') < 4000);
  await press('Home', 'j', 'j');
  assert.equal(await selected(), 'step-2');
  assert.ok(await count('*') < 4000);
  await page.evaluate(() => { document.querySelector('.scroller').scrollTop = 5000 * 24; });
  await page.waitForSelector('#step-5000');
  assert.ok(await count('*') < 4000);
});


/** What is in sight of the diagram: rows with their words and places, and messages that begin or end there. */
const inSight = () => page.evaluate(() => {
  const { scene, scroller } = sennit.current().diagram;
  const window = scroller.getBoundingClientRect();
  const place = (node) => Object.values(node.getBoundingClientRect().toJSON()).map((x) => Math.round(x * 4) / 4);
  const isSeen = (node) => node.getBoundingClientRect().bottom > window.top + 58 && node.getBoundingClientRect().top < window.bottom;
  const { first, last } = sennit.current().diagram.inSight();
  const isAt = (step) => sennit.current().diagram.rowOf[step] >= first && sennit.current().diagram.rowOf[step] <= last;
  const ends = (number) => ['sent', 'delivered'].some((end) => isAt(sennit.current().model.messages[number][end]));
  const of = (selector, name, isWanted = () => true) => [...scene.root.querySelectorAll(selector)].filter((node) => isSeen(node) && isWanted(node))
    .map((node) => [name(node), ...place(node)].join(' '));
  return [...of('.over > .row', (row) => `${row.getAttribute('class')} ${row.textContent}`), ...of('.message', (path) => `${path.getAttribute('class')} ${path.dataset.message}`, (path) => ends(path.dataset.message)).sort(),
    ...of('.band.shown', (band) => band.getAttribute('class'))];
});

claim('what stays in sight while it is scrolled stays as it is, and what comes is as if drawn anew', async () => {
  await open(report(SENNIT, inFolder('scroll.html'), relay(5000).write(inFolder('scroll.trace'))), '#/trial/0?step=2500');
  await page.evaluate(() => {
    window.kept = [...document.querySelectorAll('#step-2500, #step-2500 *, .message.near')];
  });
  const top = await page.evaluate(() => sennit.current().diagram.scroller.scrollTop);

  for (const by of [90, 180, -60, -200, 20, 30000, 29000, -60000, 0]) { // a little, and far
    await page.evaluate((to) => { sennit.current().diagram.scroller.scrollTop = to; }, top + by);
    await drawn(page);
    if (Math.abs(by) <= 200 && by !== 0) {
      assert.ok(await page.evaluate(() => window.kept.every((node) => node.isConnected)), `moved by ${by}`);
    }
    const moved = await inSight();
    const isPainted = await page.evaluate(() => [...document.querySelectorAll('.scene .pill')].some((pill) => {
      const { x, y } = pill.getBoundingClientRect();
      return document.elementFromPoint(x + 3, y + 3) === pill;
    }));
    await page.evaluate(() => sennit.current().diagram.redraw());
    const anew = await inSight();

    assert.ok(moved.length > 20);
    assert.deepEqual(moved, anew, `moved by ${by}`);
    assert.ok(isPainted, `moved by ${by}`);
    if (Math.abs(by) <= 200) {
      await page.evaluate(() => { window.kept = [...document.querySelectorAll('#step-2500, #step-2500 *, .message.near')]; });
    }
  }
});

claim('the strip beside the diagram is dragged to any place, and shows which one is in sight', async () => {
  await open(report(SENNIT, inFolder('strip.html'), relay(5000).write(inFolder('strip.trace'))));
  const strip = await page.locator('.minimap').boundingBox();

  await page.mouse.move(strip.x + 9, strip.y + 5);
  await page.mouse.down();
  await page.mouse.move(strip.x + 9, strip.y + strip.height / 4);
  await page.mouse.move(strip.x + 9, strip.y + strip.height / 2);
  await page.waitForSelector('#step-2500');
  await page.mouse.up();
  await page.mouse.move(strip.x + 9, strip.y + 5); // not any more
  await drawn(page);

  const frame = await page.locator('.minimap .frame').boundingBox();
  assert.ok(Math.abs(frame.y + frame.height / 2 - strip.y - strip.height / 2) < 8);
  assert.equal(await count('#step-2500'), 1);
});

claim('stepping marks one step and its messages, and leaves the rows as they are', async () => {
  await open(report(SENNIT, inFolder('mark.html'), relay(400).write(inFolder('mark.trace'))), '#/trial/0?step=200');
  await page.evaluate(() => { window.kept = document.querySelector('#step-200'); });

  await press('j');

  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.row.chosen, [aria-selected=true][role=option]')].map((row) => row.id)), ['step-201']);
  assert.ok(await page.evaluate(() => window.kept === document.querySelector('#step-200')));
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.message.near')].map((one) => Number(one.dataset.message)).sort()),
    await page.evaluate(() => sennit.current().model.messages.filter((m) => m.sent === 201 || m.delivered === 201).map((m) => m.number).sort()));
});

claim('machines in the panel of states stay as they are while nothing happens to them', async () => {
  await open(report(SENNIT, inFolder('kept.html'), relay(400).write(inFolder('kept.trace'))), '#/trial/0?step=200');
  await press('3');
  const before = await page.evaluate(() => {
    window.kept = [...document.querySelectorAll('.machine')];
    return window.kept.length;
  });

  await press('j');

  const stayed = await page.evaluate(() => window.kept.filter((node) => node.isConnected).length);
  assert.equal(await count('.machine'), before);
  assert.ok(stayed >= before - 4 && stayed < before, `${stayed} of ${before}`);
});

claim('the panel of states is the same whichever way one came to a step', async () => {
  await open(pages.bridge);
  const shown = () => page.evaluate(() => document.querySelector('.body.state').innerHTML);
  await press('3', 'Home');
  const walked = [await shown()];
  for (let i = 1; i <= 12; i++) {
    await press('j');
    walked.push(await shown());
  }

  for (const [step, html] of walked.entries()) {
    await open(pages.bridge, `#/trial/0?step=${step}`);
    await press('3');
    assert.equal(await shown(), html, `step ${step}`);
  }
});

claim('a message that passes through the window is drawn, wherever it was sent', async () => {
  const t = new Trial().create('a').create('b').start('a').send('slow', 'b', 'Slow').start('b');
  for (let i = 0; i < 500; i++) {
    t.send(`m${i}`, 'b', 'Quick').deliver(`m${i}`);
  }
  t.deliver('slow');
  await open(report(SENNIT, inFolder('slow.html'), t.write(inFolder('slow.trace'))), '#/trial/0?step=250');

  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.scene .message')]
    .filter((one) => sennit.current().model.messages[one.dataset.message].event === 'Slow').length), 1);
});

// ---- Hostile data ------------------------------------------------------------------------------

const HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">';

/** Fails if anything of the data has become part of the page. */
async function assertHarmless() {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await count('img, iframe, object, embed'), 0);
  assert.equal(await count('script'), 2);
}

claim('markup in names, payloads, remarks and verdicts is shown, and never run', async () => {
  const t = new Trial({ suite: HOSTILE, test: HOSTILE, strategy: HOSTILE, args: [HOSTILE] });
  t.create(HOSTILE, HOSTILE).start(HOSTILE).send('x', HOSTILE, HOSTILE, HOSTILE).add({ note: HOSTILE }, { output: HOSTILE },
    { memory: HOSTILE, text: HOSTILE }, { state: HOSTILE, how: 'start', task: HOSTILE }).deliver('x');
  t.add({ operation: 'call', number: 1, process: HOSTILE, text: HOSTILE }, { monitor: HOSTILE, event: HOSTILE, payload: HOSTILE });
  t.write(inFolder('hostile.trace'), { oracle: HOSTILE, message: HOSTILE, at: HOSTILE });
  await open(report(SENNIT, inFolder('hostile.html'), inFolder('hostile.trace')));

  for (const key of ['1', '2', '3', '4', '5', 'Enter', 'm', 'p', '?']) {
    await press(key);
  }

  await assertHarmless();
  assert.equal(await textOf('.banner h1'), HOSTILE);
});

claim('control characters and marks of direction are made visible', async () => {
  const t = new Trial().create('a').start('a').send('x', 'a', 'E', 'bell=\u0007 flip=\u202edrawkcab nothing=\u200b').deliver('x');
  await open(report(SENNIT, inFolder('control.html'), t.write(inFolder('control.trace'))));

  await press('2');

  const shown = await textOf('.body.step');
  assert.match(shown, /\u2407/);
  assert.match(shown, /\u27e8U\+202E\u27e9drawkcab/);
  assert.match(shown, /\u27e8U\+200B\u27e9/);
});

claim('bytes of a payload that are no text are shown by their numbers', async () => {
  const t = new Trial().create('a').start('a').send('x', 'a', 'E', 'name=\\xff\\xc3 code=7').deliver('x');
  await open(report(SENNIT, inFolder('bytes.html'), t.write(inFolder('bytes.trace'))));

  await press('2');

  assert.match(await textOf('.body.step'), /name\s+\\xff\\xc3\s+code\s+7/);
  assert.match(await textOf('#step-2 .payload'), /name=\\xff\\xc3 code=7/);
});

claim('a trace in which a payload is no UTF-8 is refused, not shown as something else', async () => {
  const file = new Trial().create('a').start('a').send('x', 'a', 'E', 'name=Q').deliver('x').write(inFolder('raw.trace'));
  fs.writeFileSync(file, fs.readFileSync(file, 'latin1').replace('name=Q', 'name=\xff'), 'latin1');

  assert.throws(() => report(SENNIT, inFolder('raw.html'), file), /raw\.trace:\d+.*UTF-8/);
});

claim('a text of a megabyte is cut, and shown on demand', async () => {
  const t = new Trial().create('a').start('a').add({ memory: 'a', text: 'x'.repeat(65000) });
  t.write(inFolder('huge.trace'));
  const e = bridgeExplanation(t);
  const huge = 'y'.repeat(1 << 20);
  Object.assign(e.causes[0].constraints[0], { first: huge, second: `${huge} (${huge}) from ${huge}` });
  Object.assign(e, { failure: huge, nearest: { result: 'found', first: huge, second: huge, difference: huge }, rates: { [huge]: e.base } });
  e.lost.operation = huge;
  fs.writeFileSync(inFolder('huge.explained.json'), JSON.stringify(e));
  await open(report(SENNIT, inFolder('huge.html'), inFolder('huge.trace')));

  assert.ok(await page.evaluate(() => document.getElementById('app').textContent.length) < 20000);
  await press('3');
  await page.click('.machine .link');

  assert.ok(await page.evaluate(() => document.querySelector('.machine pre').textContent.length) >= 12000);
});

claim('an explanation of any other shape leaves the trial as it is', async () => {
  const shapes = ['[]', '"text"', '{}', '{"format":"sennit-explanation"}',
    JSON.stringify({ format: 'sennit-explanation', causes: [null, 1, { constraints: [null, 'x', { first: 1, first_step: 'x' }], verified: 7 }],
      lost: { found: true, step: 1e300, curve: [null, { after: 3 }, { step: -1, after: { trials: 'x' } }], jumps: 'x' }, trial: [],
      core: { orders: [null] }, nearest: 'x', rates: { a: null, b: { trials: HOSTILE } } })];
  for (const [i, shape] of shapes.entries()) {
    bridge().write(inFolder(`shape${i}.trace`));
    fs.writeFileSync(inFolder(`shape${i}.explained.json`), shape);
    await open(report(SENNIT, inFolder(`shape${i}.html`), inFolder(`shape${i}.trace`)));

    assert.equal(await count('.scene [role=option]'), 13, shape);
    assert.equal(await count('.broken'), 0, shape);
    assert.equal(/has not been explained/.test(await textOf('.body.why')), i < 3, shape);
    assert.deepEqual(problems, [], shape);
  }
  await assertHarmless();
});

claim('a view that fails says so and leaves the others working', async () => {
  await open(pages.bridge);
  await page.evaluate(() => {
    sennit.data.runs = [{}];
    sennit.views.run = () => { throw new Error('no such thing'); };
    location.hash = '#/run/0';
  });

  await page.waitForSelector('.broken');
  assert.match(await textOf('.broken'), /cannot show this: no such thing/);
  await page.evaluate(() => { location.hash = '#/trial/0'; });

  await page.waitForSelector('.diagram');
});

// ---- Several -----------------------------------------------------------------------------------

claim('a report of several trials begins with what is in it', async () => {
  await open(report(SENNIT, inFolder('several.html'), inFolder('bridge.trace'), inFolder('plain.trace')));

  assert.equal(await count('.tile.failed'), 2);
  assert.match(await textOf('.top nav'), /Overview.*bridge.*plain/s);
  await page.click('.tile >> nth=1');
  await page.waitForSelector('.diagram');
  assert.match(await textOf('.body.why'), /has not been explained/);
  await page.evaluate(() => { location.hash = '#/trial/9'; });

  await page.waitForSelector('text=There is no such place');
});

claim('a report of a run in which one trial failed begins with that trial, and leads to the run', async () => {
  const run = inFolder('run');
  fs.mkdirSync(run);
  bridge().write(path.join(run, 'town.trace'));
  fs.writeFileSync(path.join(run, 'summary.json'), '{}');

  await open(report(SENNIT, inFolder('run.html'), run));

  assert.equal(await count('.scene [role=option]'), 13);
  assert.equal(await textOf('.place[aria-current]'), 'town');
  assert.match(await textOf('.top nav'), /Run/);
});
