// page.mjs - how quickly a report opens and moves in a browser.
//
//   node bench/page.mjs SENNIT PACKAGES [STEPS...]    10000 and 100000 steps, if none are named
//
// Prints NAME<TAB>VALUE<TAB>UNIT for trials of so many steps: from the beginning of loading the file to
// the first picture, how long drawing takes after a key, and frames while it is scrolled from one end to
// the other. Without node, chromium or playwright-core it says why it is left out.
// SPDX-License-Identifier: MIT
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser, report } from '../tests/report/browser.mjs';
import { relay } from '../tests/report/traces.mjs';

const FRAMES = 200;
const KEYS = 100;

const say = (name, value, unit) => console.log(`${name}\t${Number(value.toPrecision(4))}\t${unit}`);
const quantile = (values, q) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];

/** From the beginning of navigation to the frame after the diagram is there, as the page's own clock says. */
async function load(page, url) {
  await page.goto('about:blank');
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForSelector('.scene [role=option]', { timeout: 120000 });
  return page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame((time) => resolve(time)));
  }));
}

/** Milliseconds between frames while all of it goes by. */
const scroll = (page) => page.evaluate((frames) => new Promise((resolve) => {
  const { scroller } = sennit.current().diagram;
  const times = [];
  const next = (time) => {
    times.push(time);
    scroller.scrollTop = (times.length / frames) * scroller.scrollHeight;
    if (times.length <= frames) {
      requestAnimationFrame(next);
    } else {
      resolve(times.slice(1).map((t, i) => t - times[i]));
    }
  };
  requestAnimationFrame(next);
}), FRAMES);

/** Milliseconds of work for each step that a key takes. */
const step = (page) => page.evaluate((keys) => {
  const view = sennit.current();
  const times = [];
  view.choose(Math.floor(view.model.count / 2), 'link');
  for (let i = 0; i < keys; i++) {
    const from = performance.now();
    view.step(1);
    times.push(performance.now() - from);
  }
  return times;
}, KEYS);

async function measure(browser, sennit, folder, steps) {
  const file = path.join(folder, `page${steps}.html`);
  report(sennit, file, relay(steps).write(path.join(folder, `page${steps}.trace`)));
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  const url = pathToFileURL(file).href;
  const loads = [];
  for (let i = 0; i < 3; i++) {
    loads.push(await load(page, url));
  }
  say(`page.size.${steps}`, fs.statSync(file).size, 'bytes');
  say(`page.load.${steps}`, quantile(loads, 0.5), 'ms');
  const frames = await scroll(page);
  say(`page.scroll.median.${steps}`, quantile(frames, 0.5), 'ms/frame');
  say(`page.scroll.p99.${steps}`, quantile(frames, 0.99), 'ms/frame');
  const times = await step(page);
  say(`page.step.median.${steps}`, quantile(times, 0.5), 'ms');
  say(`page.step.p99.${steps}`, quantile(times, 0.99), 'ms');
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
    for (const steps of sizes.length > 0 ? sizes.map(Number) : [10000, 100000]) {
      await measure(browser, sennit, folder, steps);
    }
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
  }
}
