// page.mjs - how quickly a report opens and moves in a browser.
//
//   node bench/page.mjs SENNIT PACKAGES [STEPS...]    10000 and 100000 steps, if none are named
//
// Prints NAME<TAB>VALUE<TAB>UNIT. How long it takes to open a trial of so many steps, and for each way to move in it
// milliseconds between frames, and how many of them were work of the page's own thread: script, style, layout, and the rest
// (painting, handing over). A page that only has lines of text is moved in the same way: what a frame costs there is what
// this browser on this machine takes without us. Browsers show at most 60 frames a second, 16.7 ms each.
//
//   open    from the beginning of loading to the first picture of the diagram
//   wheel   scrolled by 100 pixels a frame          drag    scrolled from one end to the other in 200 frames
//   step    next step, by a key a frame             hover   the pointer goes over the rows
//   map     the strip beside the diagram is dragged
//
// Without node, chromium or playwright-core it says why it is left out.
// SPDX-License-Identifier: MIT
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser, report } from '../tests/report/browser.mjs';
import { relay } from '../tests/report/traces.mjs';

const FRAMES = 200;
const WHEEL = 100;
const PARTS = { script: 'ScriptDuration', style: 'RecalcStyleDuration', layout: 'LayoutDuration' };

const say = (name, value, unit) => console.log(`${name}\t${Number(value.toPrecision(4))}\t${unit}`);
const quantile = (values, q) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];

/** What the page's own thread has spent since it was opened, in milliseconds. */
async function spent(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => 1000 * metrics.find((metric) => metric.name === name).value;
  const parts = Object.fromEntries(Object.entries(PARTS).map(([part, name]) => [part, of(name)]));
  return { ...parts, rest: of('TaskDuration') - parts.script - parts.style - parts.layout };
}

/** Says the median and the 99th percentile of the frames, and where the page's thread has spent its time. */
async function sayMove(session, name, steps, move) {
  const before = await spent(session);
  const frames = await move();
  const after = await spent(session);
  say(`page.${name}.median.${steps}`, quantile(frames, 0.5), 'ms/frame');
  say(`page.${name}.p99.${steps}`, quantile(frames, 0.99), 'ms/frame');
  for (const part of Object.keys(before)) {
    say(`page.${name}.${part}.${steps}`, (after[part] - before[part]) / frames.length, 'ms/frame');
  }
}

/** Calls what `each` names on the page's `bench` once a frame; milliseconds between frames. */
const inFrames = (page, each) => page.evaluate(([name, count]) => new Promise((resolve) => {
  const times = [];
  const next = (time) => {
    times.push(time);
    window.bench[name](times.length / count);
    if (times.length <= count) {
      requestAnimationFrame(next);
    } else {
      resolve(times.slice(1).map((t, i) => t - times[i]));
    }
  };
  requestAnimationFrame(next);
}), [each, FRAMES]);

/** Ways to move, as a person's hand does: by events. The scroller is ours, or that of the plain page. */
const prepare = (page, wheel) => page.evaluate((by) => {
  const scroller = document.querySelector('.scroller');
  const pointer = (type, target, x, y) => target.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: x, clientY: y, pointerId: 1 }));
  window.bench = {
    wheel() { scroller.scrollTop += by; },
    drag(share) { scroller.scrollTop = share * scroller.scrollHeight; },
    step() { document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true })); },
    hover(share) {
      const { left, width, top, height } = scroller.getBoundingClientRect();
      const x = left + 120 + ((share * 7) % 1) * (width - 160);
      const y = top + 70 + ((share * 3) % 1) * (height - 90);
      pointer('pointermove', document.elementFromPoint(x, y), x, y);
    },
    map(share) {
      const map = document.querySelector('.minimap');
      const { left, top, height } = map.getBoundingClientRect();
      map.setPointerCapture = () => {}; // no pointer of this browser is down
      pointer(share <= 1 / 200 ? 'pointerdown' : share > 1 ? 'pointerup' : 'pointermove', map, left + 9, top + share * height);
    },
    begin() { scroller.scrollTop = 0; },
  };
}, wheel);

/** Two frames later: what is under way has been drawn. */
const settle = (page) => page.evaluate(() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame((time) => resolve(time)));
}));

/** From the beginning of navigation to the frame after the diagram is there, as the page's own clock says. */
async function load(page, url) {
  await page.goto('about:blank');
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForSelector('.scene [role=option]', { timeout: 120000 });
  return settle(page);
}

async function moves(page, session, names, steps, prefix = '') {
  await prepare(page, WHEEL);
  for (const name of names) {
    await page.evaluate(() => window.bench.begin());
    await settle(page);
    await sayMove(session, prefix + name, steps, () => inFrames(page, name));
  }
}

async function open(browser) {
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' }); // others may use the machine, too
  return { page, session };
}

/** Lines of text, as many as there are steps, in a box that scrolls. */
async function measurePlain(browser, folder, steps) {
  const file = path.join(folder, 'plain.html');
  const lines = Array.from({ length: steps }, (_, i) => `step ${i} of a plain page, with words in its row\n`).join('');
  fs.writeFileSync(file, `<!doctype html><style>body{margin:0}.scroller{height:600px;overflow:auto;background:#fff}pre{margin:0;line-height:24px}</style><div class="scroller"><pre>${lines}</pre></div>`);
  const { page, session } = await open(browser);
  await page.goto(pathToFileURL(file).href);
  await moves(page, session, ['wheel', 'drag'], steps, 'plain.');
  await page.close();
}

async function measure(browser, sennit, folder, steps) {
  const file = path.join(folder, `page${steps}.html`);
  report(sennit, file, relay(steps).write(path.join(folder, `page${steps}.trace`)));
  const { page, session } = await open(browser);
  const url = pathToFileURL(file).href;
  const loads = [];
  for (let i = 0; i < 3; i++) {
    loads.push(await load(page, url));
  }
  say(`page.size.${steps}`, fs.statSync(file).size, 'bytes');
  say(`page.open.${steps}`, quantile(loads, 0.5), 'ms');
  for (const [part, value] of Object.entries(await spent(session))) { // of the last time
    say(`page.open.${part}.${steps}`, value, 'ms');
  }
  await moves(page, session, ['wheel', 'drag', 'hover', 'map'], steps);
  await page.evaluate(() => sennit.current().choose(Math.floor(sennit.current().model.count / 2), 'link'));
  await settle(page);
  await sayMove(session, 'step', steps, () => inFrames(page, 'step'));
  await page.keyboard.press('3'); // what every machine knows, at each step
  await sayMove(session, 'step.state', steps, () => inFrames(page, 'step'));
  say(`page.elements.${steps}`, await page.locator('*').count(), 'elements');
  await page.close();
}

const [sennit, packages, ...sizes] = process.argv.slice(2);
const found = await findBrowser(packages);
if (found.why) {
  console.log(`# page: left out: ${found.why}`);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sennit-page-'));
  const browser = await found.launch();
  try {
    await measurePlain(browser, folder, 10000);
    for (const steps of sizes.length > 0 ? sizes.map(Number) : [10000, 100000]) {
      await measure(browser, sennit, folder, steps);
    }
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
  }
}
