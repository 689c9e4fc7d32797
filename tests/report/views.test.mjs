// views.test.mjs - histories and runs in the report, driven in a browser. One browser for all of it.
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { drawn as drawnIn, findBrowser, newWindow, report } from './browser.mjs';
import { tooFaint } from './contrast.mjs';
import { coverage, explanation, history, summary } from './documents.mjs';

const SENNIT = process.env.SENNIT_COMMAND || 'build/sennit';
const DS2 = path.join(path.dirname(SENNIT), 'systems', 'ds2');
const HISTORIES = path.join(import.meta.dirname, '..', 'data', 'histories');
const EVIL = '</script><img src=x onerror="document.title=\'evil\'">\u202e\u0007<b>bold</b>';
const found = await findBrowser(process.env.SENNIT_JS_PACKAGES || 'packages');
const skip = found.why || false;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-views-'));
const inFolder = (name) => path.join(folder, name);

let browser = null;
let page = null;
let problems = [];
let empty = '';
let ds2 = '';

before(async () => {
  if (skip) {
    return;
  }
  browser = await found.launch();
  page = await newWindow(browser, { viewport: { width: 1366, height: 900 }, reducedMotion: 'reduce', colorScheme: 'light' });
  page.setDefaultTimeout(60000);
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => /^(file|data|about):/.test(request.url()) || problems.push(`asks for ${request.url()}`));
  empty = fs.readFileSync(check('empty.html', path.join(HISTORIES, 'queue.log'), '--model', 'queue'), 'utf8');
  spawnSync(DS2, ['-f', 'erroneous', '-o', inFolder('ds2'), '-i', '2000'], { encoding: 'utf8' });
  ds2 = report(SENNIT, inFolder('ds2.html'), inFolder('ds2'));
});

after(async () => {
  if (browser) {
    await browser.close();
  }
  fs.rmSync(folder, { recursive: true });
});

/** Runs `sennit check --html` and returns the path of the page. */
function check(name, ...args) {
  const { status, stderr } = spawnSync(SENNIT, ['check', ...args, '--html', inFolder(name)], { encoding: 'utf8' });
  assert.ok(status <= 1, stderr);
  return inFolder(name);
}

/** A page of this Sennit with any data. */
function write(data) {
  const json = JSON.stringify({ format: 'sennit-report', version: 1, title: 'made', ...data }).replaceAll('<', '\\u003c');
  const [head, rest] = empty.split('id="data">\n');
  fs.writeFileSync(inFolder('made.html'), `${head}id="data">\n${json}\n${rest.slice(rest.indexOf('</script>'))}`);
  return inFolder('made.html');
}

async function open(file, hash = '') {
  problems = [];
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('about:blank'); // or another hash would not load it
  await page.goto(pathToFileURL(file).href + hash);
  await drawn();
}

/** A claim about the page; at the end it must have had no reason to complain. */
function claim(name, run) {
  test(name, { skip }, async () => {
    await run();
    assert.deepEqual(problems, []);
    assert.notEqual(await page.title(), 'evil');
  });
}

/** Operations are drawn a frame after their place is known: nothing is counted before. */
const drawn = () => drawnIn(page);
const all = async (selector) => (await drawn(), page.locator(selector));
const textOf = (selector) => page.locator(selector).first().evaluate((node) => node.innerText ?? node.textContent);
const textsOf = async (selector) => (await all(selector)).evaluateAll((nodes) => nodes.map((node) => (node.innerText ?? node.textContent).trim()));
const count = async (selector) => (await all(selector)).count();
const classOf = (id) => page.locator(`.v-op[data-id="${id}"]`).getAttribute('class');

// ---- Histories ---------------------------------------------------------------------------------

claim('the timeline shows each operation in the row of its process, from its call to its return', async () => {
  await open(check('stale.html', path.join(HISTORIES, 'stale.edn'), '--model', 'map'));
  const boxes = await page.locator('.v-op rect').evaluateAll((bars) => bars.map((bar) => ({ x: +bar.getAttribute('x'), y: +bar.getAttribute('y'), end: +bar.getAttribute('x') + +bar.getAttribute('width') })));

  assert.deepEqual(await textsOf('.v-op text'), ['write(:x, 1)', 'read(:x) = 1', 'write(:x, 2)']);
  assert.deepEqual(await page.locator('.v-names text').evaluateAll((names) => names.map((name) => name.firstChild.data)), ['0', '1']);
  const [first, last, second] = boxes;
  assert.equal(first.y, last.y);
  assert.notEqual(first.y, second.y);
  assert.ok(first.end < second.x && second.end < last.x);
});

claim('a history that is not linearizable says how many operations are enough to see it', async () => {
  await open(check('stale.html', path.join(HISTORIES, 'stale.edn'), '--model', 'map'));

  assert.match(await textOf('.v-head'), /not linearizable.*3 operations are enough to see that the history is not linearizable: those of key :x/s);
});

claim('the core is highlighted, and what may have happened looks other than what did', async () => {
  await open(write({ histories: [history()] }));
  await page.click('[data-key=all]');
  await drawn();

  assert.match(await classOf(0), /v-core v-relaxed/);
  assert.match(await classOf(1), /v-core v-definite/);
  assert.match(await classOf(3), /v-other/);
  const look = (id) => page.locator(`.v-op[data-id="${id}"] rect`).evaluate((bar) => { const { stroke, strokeDasharray } = getComputedStyle(bar); return stroke + strokeDasharray; });
  const looks = new Set([await look(0), await look(1), await look(2), await look(3)]);
  assert.equal(looks.size, 4);
});

claim('only the core is shown at first, and all on demand', async () => {
  await open(write({ histories: [history()] }));

  assert.equal(await count('.v-op'), 3);
  await page.click('[data-key=all]');
  await drawn();
  assert.equal(await count('.v-op'), 5);
});

claim('the longest order is numbered on the bars, and listed with the state after each', async () => {
  await open(write({ histories: [history()] }));

  assert.deepEqual(await page.locator('g.v-place').evaluateAll((places) => places.map((place) => [place.dataset.id, place.textContent])), [['0', '1'], ['1', '2']]);
  assert.deepEqual((await textsOf('ol.v-lines li')).map((text) => text.replace(/\s+/g, ' ')), ['1 write(1) process 0 → 1', '2 read() = 1 process 1 → 1']);
  assert.match(await textOf('.v-state'), /Then the state is 1/);
});

claim('points of the longest order go forward in time', async () => {
  await open(write({ histories: [history()] }));
  const xs = await page.locator('.v-place circle').evaluateAll((circles) => circles.map((circle) => +circle.getAttribute('cx')));

  assert.deepEqual(xs, [...xs].sort((a, b) => a - b));
});

claim('what cannot be next is marked and says why', async () => {
  await open(write({ histories: [history()] }));

  assert.match(await classOf(2), /v-refused/);
  assert.equal(await count('.v-op .v-cross'), 1);
  assert.match((await textsOf('ul.v-lines li'))[0], /read\(\) = 0.*process 2.*its result would be 1/s);
});

claim('an operation that is chosen tells when it was called and returned, and what it is to the core', async () => {
  await open(write({ histories: [history()] }));
  await page.locator('.v-op[data-id="1"]').click();

  assert.match(await textOf('.v-detail'), /read\(\) = 1.*process\s+1.*called\s+event 3.*returned\s+event 4.*line in the file\s+11.*number 2 in the longest order/s);
  await drawn();
  assert.match(await classOf(1), /v-selected/);
});

claim('what is chosen in the list is shown in the timeline, and arrow keys go on from there', async () => {
  await open(write({ histories: [history()] }));
  await page.click('ol.v-lines li:first-child button');
  await drawn();
  assert.match(await classOf(0), /v-selected/);

  await page.focus('.v-scroll');
  await page.keyboard.press('ArrowRight');
  await drawn();
  assert.match(await classOf(1), /v-selected/);
});

claim('of many keys the one of the core can be looked at alone', async () => {
  const made = history();
  made.operations.forEach((op, i) => (op.key = i < 4 ? ':x' : ':y'));
  made.core.key = ':x';
  await open(write({ histories: [made] }));
  await page.click('[data-key=key]');
  await drawn();

  assert.equal(await count('.v-op'), 4);
  assert.match(await textOf('[data-key=key]'), /Key :x 4/);
});

claim('of a hundred thousand operations only those that are visible are drawn', async () => {
  const lines = [];
  for (let i = 0; i < 100000; i++) {
    const [f, value] = i % 2 === 1 ? ['write', i] : ['read', i === 50000 ? 1 : i === 0 ? 'nil' : i - 1];
    lines.push(`{:process ${i % 7}, :type :invoke, :f :${f}, :value ${f === 'write' ? value : 'nil'}}\n{:process ${i % 7}, :type :ok, :f :${f}, :value ${value}}\n`);
  }
  fs.writeFileSync(inFolder('long.edn'), lines.join(''));
  await open(check('long.html', inFolder('long.edn'), '--model', 'register'));
  await page.click('[data-key=all]');
  await drawn();

  assert.match(await textOf('[data-key=all]'), /100,000/);
  assert.ok(await count('.v-op') < 200, 'too many bars');
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 2000);
  assert.equal(await count('.v-op[data-id="50000"]'), 1); // it begins where it matters
  await page.evaluate(() => (document.querySelector('.v-scroll').scrollLeft = 0));
  await drawn();
  assert.equal(await count('.v-op[data-id="0"]'), 1);
  assert.equal(await count('.v-op[data-id="50000"]'), 0);
  await page.locator('.v-map').click({ position: { x: 680, y: 10 } });
  await drawn();
  assert.ok(await page.evaluate(() => document.querySelector('.v-scroll').scrollLeft) > 1e5);
});

claim('hundreds of processes that never overlap share rows', async () => {
  const operations = Array.from({ length: 400 }, (_, i) => ({ index: i, process: String(i), text: `write(${i})`, call: 2 * i, return: i % 3 ? 2 * i + 1 : null, status: i % 3 ? 'ok' : 'unknown' }));
  await open(write({ histories: [{ ...history(), operations, core: null, verdict: 'linearizable' }] }));

  assert.ok(await count('.v-names text') < 10);
  assert.match(await textOf('.v-names text'), /…/);
});

claim('zooming keeps the middle in place and makes bars wider', async () => {
  await open(write({ histories: [history()] }));
  const width = () => page.locator('.v-op[data-id="1"] rect').evaluate((bar) => +bar.getAttribute('width'));
  const before = await width();

  await page.click('[aria-label=larger]');
  await drawn();

  assert.ok(await width() > before * 1.3);
});

claim('a part of a long history says how much of it is there', async () => {
  await open(write({ histories: [{ ...history(), total: 3000000 }] }));

  assert.match(await textOf('.v-notice'), /Of 3,000,000 operations 5 are in this page: the core, and what is nearest to it/);
});

claim('times since 1970 in nanoseconds are told with all their digits', async () => {
  await open(write({ histories: [{ ...history(), clock: 'time', origin: '1763429821000000001' }] }));
  await page.locator('.v-op[data-id="1"]').click();

  assert.match(await textOf('.v-detail'), /called\s+1763429821000000003/);
});

claim('distances are those of the clock on demand', async () => {
  const made = { ...history(), clock: 'time' };
  made.operations[2].call = 1000;
  made.operations[2].return = 1001;
  await open(write({ histories: [made] }));
  await page.click('[data-key=time]');
  await drawn();

  const [first, last] = await page.evaluate(() => [1, 2].map((id) => +document.querySelector(`.v-op[data-id="${id}"] rect`).getAttribute('x')));
  assert.ok(last - first > 500);
});

claim('a linearizable history is drawn without a core', async () => {
  await open(check('queue.html', path.join(HISTORIES, 'queue.log'), '--model', 'queue'));

  assert.match(await textOf('.v-head'), /linearizable.*There is an order of all operations/s);
  assert.equal(await count('g.v-place, .v-refused.v-op, .v-core'), 0);
  assert.equal(await count('.v-op'), 4);
});

claim('a history that is not sequentially consistent has no line through time', async () => {
  const made = { ...history(), consistency: 'sequential', verdict: 'not sequentially consistent' };
  await open(write({ histories: [made] }));

  assert.match(await textOf('.v-lead'), /not sequentially consistent/);
  assert.equal(await count('.v-way'), 0);
  assert.equal(await count('g.v-place'), 2);
});

claim('a file that could not be read says why, and the others are shown', async () => {
  await open(write({ histories: [{ ...history(), operations: [], total: 0, core: null, verdict: 'malformed', why: 'a.edn:7: no' }, history()] }), '#/history/0');
  assert.match(await textOf('.v-notice'), /a\.edn:7: no/);

  await page.evaluate(() => (location.hash = '#/history/1'));
  await page.waitForSelector('.v-op');
});

claim('several histories are listed with their verdicts', async () => {
  await open(write({ histories: [history(), { ...history(), file: 'b.edn', verdict: 'linearizable', core: null }] }));

  assert.match(await textOf('.overview'), /a\.edn.*not linearizable.*b\.edn.*linearizable/s);
});

// ---- Histories of trials -----------------------------------------------------------------------

claim('a trial whose clients saw the impossible leads to the same view', async () => {
  await open(ds2, '#/trial/0');
  await page.click('.banner a[href="#/trial/0/history"]');

  assert.match(await textOf('.v-head'), /not linearizable.*model register.*operations? (is|are) enough/s);
  assert.ok(await count('.v-op.v-core') >= 2);
  assert.ok(await count('g.v-place') >= 1);
  assert.match((await textsOf('ul.v-lines li'))[0], /read\(\) = 0.*its result would be \d/s);
});

claim('the history of a trial leads to the steps in which operations were called and returned', async () => {
  await open(ds2, '#/trial/0/history');
  const step = Number((await textOf('.v-detail dd a')).replace('step ', ''));
  await page.click('.v-detail dd a');

  await page.waitForSelector(`#step-${step}[aria-selected=true]`);
});

// ---- Hostile histories -------------------------------------------------------------------------

claim('whatever a history says is shown as text', async () => {
  const made = history();
  made.file = made.model = made.verdict = made.algorithm = EVIL;
  made.core.state = EVIL;
  made.core.candidates[0].allowed = [EVIL];
  made.operations.forEach((op) => Object.assign(op, { text: EVIL, process: EVIL, key: EVIL }));
  await open(write({ title: EVIL, histories: [made] }), '#/history/0');

  assert.equal(await count('img, #page b:text-is("bold")'), 0);
  assert.match(await textOf('.v-head h2'), /<\/script><img src=x.*⟨U\+202E⟩␇/);
});

claim('a megabyte in one value does not keep the page from being shown', async () => {
  const made = history();
  made.operations[1].text = 'x'.repeat(1 << 20);
  await open(write({ histories: [made] }));

  assert.equal(await count('.v-op'), 3);
  assert.ok((await textOf('ol.v-lines')).length < 10000);
});

claim('a history of another version says so', async () => {
  await open(write({ histories: [{ ...history(), version: 2 }] }), '#/history/0');

  assert.match(await textOf('#page [role=alert]'), /cannot show this history.*version 2/s);
});

/** Every document that differs from this one by one member, gone or of another type. */
function mutants(document) {
  const made = [];
  const visit = (node, put) => {
    for (const other of [null, 7, -1e300, 'x', [], {}, true, [[null]]]) {
      made.push(put(other));
    }
    if (node !== null && typeof node === 'object') {
      for (const key of Object.keys(node)) {
        visit(node[key], (value) => put(Array.isArray(node) ? node.map((old, i) => (String(i) === key ? value : old)) : { ...node, [key]: value }));
      }
    }
  };
  visit(document, (value) => value);
  return made;
}

/** Shows each in turn; gives how many there were, and those on which a script failed. */
async function showAll(view, documents, extra) {
  await open(write(extra || { histories: [history()] }), '#/history/0');
  return page.evaluate(async ([name, all]) => {
    const bad = [];
    const place = document.getElementById('page');
    const guard = sennit.guard;
    for (const [i, one] of all.entries()) {
      const box = place.appendChild(document.createElement('div'));
      sennit.guard = (container, what, show) => guard(container, what, () => {
        try {
          return show();
        } catch (error) {
          if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) bad.push(`${error.message}: ${JSON.stringify(one).slice(0, 300)}`);
          throw error;
        }
      });
      sennit.views[name](box, one);
      if (box.textContent === '') bad.push(`nothing is shown: ${JSON.stringify(one).slice(0, 300)}`);
      // What is drawn a moment later is drawn, too.
      if (i % 25 === 24) {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        place.replaceChildren();
      }
    }
    sennit.guard = guard;
    return bad;
  }, [view, documents]);
}

claim('a history with any member missing or of another type is shown, or refused with a sentence', async () => {
  const documents = mutants(history());
  assert.ok(documents.length > 500);

  assert.deepEqual(await showAll('history', documents), []);
});

claim('the history of a trial leads back to it', async () => {
  await open(ds2, '#/trial/0/history');

  await page.click('.v-back a');

  await page.waitForSelector('.diagram');
  assert.equal(await page.evaluate(() => location.hash.replace(/\?.*/, '')), '#/trial/0');
});

claim('help in a history is about its timeline', async () => {
  await open(write({ histories: [history()] }), '#/history/0');

  await page.keyboard.press('?');
  const here = await textOf('#help');
  await page.keyboard.press('Escape');
  await page.evaluate(() => (location.hash = '#/'));

  assert.match(here, /^\s*Reading a timeline.*the next call/s);
  assert.doesNotMatch(here, /fold: all steps/);
});

claim('the way of the longest order goes on behind the bars', async () => {
  await open(write({ histories: [history()] }), '#/history/0');
  await page.waitForSelector('.v-way');

  const [isBehind, opacity] = await page.evaluate(() => {
    const [way, bar] = ['.v-way', '.v-op'].map((selector) => document.querySelector(selector));
    return [Boolean(way.compareDocumentPosition(bar) & Node.DOCUMENT_POSITION_FOLLOWING), getComputedStyle(document.querySelector('.v-op.v-core rect')).fillOpacity];
  });
  assert.ok(isBehind);
  assert.equal(opacity, '1');
});

// ---- Runs --------------------------------------------------------------------------------------

const run = (changes, more) => ({ runs: [{ path: 'out', summary: summary(changes), coverages: [coverage()], ...more }] });

claim('a run shows what was run, with what verdict, and its figures', async () => {
  await open(write(run()), '#/run/0');

  assert.match(await textOf('.v-head'), /shop\s*failed.*strategy\s+random\+ca.*seed\s+7.*\.\/shop --bug late/s);
  assert.match(await textOf('.v-test .v-tiles'), /1,000\s+trials.*31\s+failing trials/s);
});

claim('the curve of distinct orders over trials is drawn, and followed by the pointer', async () => {
  await open(write(run()), '#/run/0');
  const d = await page.locator('.v-curve').getAttribute('d');

  assert.equal(d.match(/[ML]/g).length, 4); // three points, and the beginning
  assert.equal(await textOf('.v-readout'), '400 after 1,000 trials');
  const box = await page.locator('.v-chart').boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
  assert.equal(await textOf('.v-readout'), '90 after 100 trials');
});

claim('each arm of the strategy tells trials, orders, those that came once, and the chance of a new one', async () => {
  await open(write(run()), '#/run/0');
  const rows = (await textsOf('.v-card:has-text("The next trial") tbody tr')).map((text) => text.replace(/\s+/g, ' '));

  assert.equal(rows[0], 'random+ca 600 300 120 20 % (17 % to 23 %) probably at least 540 orders');
  assert.match(rows[1], /^pos\+ca 400 200 199 almost every trial showed a new order$/);
  const range = await page.locator('.v-interval .v-range').first().evaluate((bar) => [+bar.getAttribute('x'), +bar.getAttribute('width')]);
  assert.ok(Math.abs(range[0] - 17) < 0.01 && Math.abs(range[1] - 6) < 0.01);
});

claim('events that never came are named by machine and state, the worst machine first', async () => {
  await open(write(run()), '#/run/0');

  assert.deepEqual(await textsOf('.v-machine .v-name'), ['Till', 'Customer']);
  assert.deepEqual(await textsOf('.v-machine[open] .v-event.v-never'), ['Refund']);
  assert.match(await textOf('.v-machine summary'), /2 of 3/);
});

claim('races that were seen in one order only are named with that order', async () => {
  await open(write(run()), '#/run/0');
  const rows = (await textsOf('.v-races tr')).map((text) => text.replace(/\s+/g, ' '));

  assert.deepEqual(rows, ['Till Pay always before Cancel', 'Till Close always before Pay']);
});

claim('races that were all seen in both orders leave nothing to say of another one', async () => {
  const both = { ...coverage(), races: coverage().races.map((race) => ({ ...race, forth: true, back: true })) };
  await open(write(run({}, { coverages: [both] })), '#/run/0');
  const said = await textOf('.v-card:has-text("Races in one order only")');

  assert.match(said, /All races were seen in both orders\./);
  assert.doesNotMatch(said, /never tried/);
});

claim('trials that do not count for the next one are accounted for', async () => {
  const [test] = summary().tests;
  await open(write(run({ tests: [{ ...test, trials: 1320 }] })), '#/run/0');
  assert.match(await textOf('.v-card:has-text("The next trial")'), /The other 320 of 1,320 trials do not count/);

  await open(write(run()), '#/run/0'); // 600 and 400 of 1000
  assert.doesNotMatch(await textOf('.v-card:has-text("The next trial")'), /do not count/);
});

claim('failures are grouped by kind, the most frequent first', async () => {
  await open(write(run()), '#/run/0');

  assert.deepEqual(await textsOf('.v-times'), ['30×', '1×']);
  assert.match((await textsOf('.v-failure'))[0], /assert at till\.c:31.*first in trial 4.*3 % of all trials.*paid twice/s);
});

claim('a failure leads to its trial in the same page', async () => {
  await open(ds2, '#/run/0');
  await page.click('.v-failure a.v-open');

  assert.match(await page.evaluate(() => location.hash), /^#\/trial\/0/);
  await page.waitForSelector('.banner.failed');
});

claim('a failure whose shrunk trial says something else says that, too', async () => {
  const messages = async (message, original = { steps: [] }) => {
    const trace = { header: {}, steps: [], verdict: { verdict: 'failed', oracle: 'assert', message } };
    await open(write({ ...run(), trials: [{ name: 'shop-sell-4', path: 'out/shop-sell-4.shrunk.trace', original_path: 'out/shop-sell-4.trace', trace, original }] }), '#/run/0');
    return textsOf('.v-failure:has(.v-open) .v-message');
  };

  assert.deepEqual(await messages('paid twice'), ['paid twice']);
  assert.deepEqual(await messages('paid thrice'), ['paid twice', 'shrunk: paid thrice']);
  assert.equal(await textOf('.v-failure a.v-open'), 'Look at trial 4, shrunk →');
  assert.deepEqual(await messages('paid thrice', null), ['paid twice']); // it is the one that was found
  assert.equal(await textOf('.v-failure a.v-open'), 'Look at trial 4 →');
});

claim('a failure is found by its file if the run was started elsewhere', async () => {
  await open(ds2, '#/run/0');
  const match = (paths, where) => page.evaluate(([a, b]) => sennit.trialOfTrace({ path: b }, a), [paths, where]);
  const own = await page.evaluate(() => sennit.data.trials[0].path);
  const name = path.basename(own).replace('.shrunk', '');

  assert.equal(await match([own], 'elsewhere'), 0);
  assert.equal(await match([`other/${name}`], path.dirname(own)), 0);
  assert.equal(await match([`other/${name}`], 'elsewhere'), -1);
  assert.equal(await match(['ds2/none.trace'], path.dirname(own)), -1);
});

claim('where an explanation tells causes apart, failures are grouped by cause with what each explains', async () => {
  await open(ds2, '#/run/0');
  await page.evaluate((e) => {
    sennit.data.trials[0].explanation = e;
    sennit.views.run(document.getElementById('page'), sennit.data.runs[0]);
  }, explanation());
  const causes = (await textsOf('.v-cause')).map((text) => text.replace(/\s+/g, ' '));

  assert.match(causes[0], /^Cause 1 20 trials of 30 first in trial 4 Pay before Close/);
  assert.match(causes[1], /^Cause 2 8 trials of 30 first in trial 9 coin is 1/);
  assert.match(await textOf('.v-causes'), /2 trials that no cause explains/);
});

claim('places that must be met in some trial are listed, those that were not first', async () => {
  await open(write(run()), '#/run/0');
  const rows = (await textsOf('.v-places tr')).map((text) => text.replace(/\s+/g, ' '));

  assert.match(rows[0], /^never reached somebody is refunded sn_reachable till\.c:60/);
  assert.match(rows[1], /^met two pay at once open > 1 sn_sometimes till\.c:40 first in sell trial 12/);
});

claim('tests are listed with their verdicts, and those that failed are open', async () => {
  const base = summary();
  const tests = ['a', 'b', 'c', 'd'].map((name, i) => ({ ...base.tests[0], name, verdict: i === 2 ? 'failed' : 'passed', failed: i === 2 ? 3 : 0, failures: [] }));
  await open(write(run({ tests })), '#/run/0');

  assert.deepEqual(await textsOf('.v-card:has-text("Tests") tbody th'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await textsOf('.v-test[open] > summary h2'), ['c']);
  await page.click('.v-card:has-text("Tests") tbody tr:nth-child(4) button');
  await page.waitForSelector('.v-test:nth-of-type(4)[open] .v-curve');
});

claim('several runs are in one page, each with its own trials and coverage', async () => {
  const other = { path: 'out2', summary: summary({ suite: 'bank' }), coverages: [] };
  await open(write({ runs: [...run().runs, other] }), '#/run/1');

  assert.match(await textOf('.v-head h2'), /bank/);
  assert.match(await textOf('#page'), /which is not in this page/);
  await page.evaluate(() => (location.hash = '#/run/0'));
  await page.waitForSelector('.v-machine');
  assert.match(await textOf('.v-head h2'), /shop/);
});

claim('a run of a system without a bug has no failures to show', async () => {
  const [first] = summary().tests;
  await open(write(run({ verdict: 'passed', tests: [{ ...first, verdict: 'passed', failed: 0, failures: [] }] })), '#/run/0');

  assert.equal(await count('.v-failure'), 0);
  assert.match(await textOf('.v-head'), /passed/);
  assert.equal(await count('.v-curve'), 1);
});

claim('a summary of another format says so, and other runs are shown', async () => {
  await open(write({ runs: [{ path: 'x', summary: { format: 9 }, coverages: [] }, ...run().runs] }), '#/run/0');
  assert.match(await textOf('#page [role=alert]'), /cannot show this run.*format 9.*knows format 1/s);

  await page.evaluate(() => (location.hash = '#/run/1'));
  await page.waitForSelector('.v-curve');
});

claim('whatever a run says is shown as text', async () => {
  const hostile = JSON.parse(JSON.stringify(run()), (key, value) => (typeof value === 'string' && !['format', 'sennit', 'next'].includes(key) ? EVIL : value));
  await open(write(hostile), '#/run/0');

  assert.equal(await count('#page img, #page b:text-is("bold")'), 0);
  assert.match(await textOf('.v-head h2'), /<\/script><img/);
});

claim('a run with any member missing or of another type is shown, or refused with a sentence', async () => {
  const documents = mutants(run().runs[0]);
  assert.ok(documents.length > 1000);

  assert.deepEqual(await showAll('run', documents), []);
});

claim('both views have colours of their own in the dark', async () => {
  for (const [data, hash, selector] of [[{ histories: [history()] }, '#/history/0', '.v-op.v-definite rect'], [run(), '#/run/0', '.v-curve']]) {
    await open(write(data), hash);
    const look = () => page.locator(selector).first().evaluate((node) => getComputedStyle(node).stroke + getComputedStyle(document.body).backgroundColor);
    const light = await look();
    await page.emulateMedia({ colorScheme: 'dark' });

    assert.notEqual(await look(), light);
    assert.equal(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), true);
  }
});

claim('nothing is wider than a narrow window', async () => {
  await page.setViewportSize({ width: 480, height: 800 });
  for (const [data, hash] of [[{ histories: [history()] }, '#/history/0'], [run(), '#/run/0']]) {
    await open(write(data), hash);
    const over = await page.evaluate(() => document.getElementById('page').scrollWidth - document.getElementById('page').clientWidth);

    assert.ok(over <= 0, `${hash}: ${over} pixels`);
  }
  await page.setViewportSize({ width: 1366, height: 900 });
});

claim('in the overview what failed is marked, and oracles have the names that they have in the trial', async () => {
  await open(write({ histories: [history()], runs: run().runs, trials: [{ name: 'a.trace', path: 'a.trace',
    trace: { header: {}, steps: [], verdict: { verdict: 'failed', oracle: 'linear', message: 'no order' } } }, { name: 'b.trace', path: 'b.trace',
    trace: { header: {}, steps: [], verdict: { verdict: 'passed' } } }] }), '#/');

  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.tile')].map((tile) => tile.classList.contains('failed'))), [true, false, true, true]);
  assert.equal(await textOf('.tile .oracle'), 'linearizability');
});

// ---- Colours -----------------------------------------------------------------------------------

for (const theme of ['light', 'dark']) {
  claim(`every text of runs and histories can be told from its ground, ${theme}`, async () => {
    const file = write({ histories: [history()], runs: [{ path: 'out', summary: summary(), coverages: [coverage()] }] });
    const faint = [];

    for (const hash of ['#/', '#/history/0', '#/run/0']) {
      await open(file, hash);
      await page.emulateMedia({ colorScheme: theme });
      faint.push(...(await tooFaint(page)).map((line) => `${hash}: ${line}`));
      await page.evaluate(() => document.querySelector('#page').scrollTo(0, 1e6));
      faint.push(...(await tooFaint(page)).map((line) => `${hash}, below: ${line}`));
    }
    await open(ds2, '#/trial/0/history');
    await page.emulateMedia({ colorScheme: theme });

    assert.deepEqual([...faint, ...await tooFaint(page)], []);
  });
}
