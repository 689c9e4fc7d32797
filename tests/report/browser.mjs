// browser.mjs - the browser that tests and benchmarks of the report drive: Debian's chromium, by
// playwright-core. SPDX-License-Identifier: MIT
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { install } from '../events/js/packages.mjs';

const PROGRAM = '/usr/bin/chromium';
const OPTIONS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** {launch} or {why}: a browser can be had, or the reason why not. Packages are kept in the folder. */
export async function findBrowser(folder) {
  if (!fs.existsSync(PROGRAM)) {
    return { why: `there is no ${PROGRAM}` };
  }
  const place = path.join(path.resolve(folder), 'browser');
  const why = install('browser', place);
  if (why) {
    return { why };
  }
  const { chromium } = await import(pathToFileURL(path.join(place, 'node_modules', 'playwright-core', 'index.mjs')));
  // Each launch has a new profile of its own, which is removed with it.
  return { launch: () => chromium.launch({ executablePath: PROGRAM, args: OPTIONS }) };
}

/**
 * A window. With SENNIT_SLOW_FRAMES in the environment its frames and sizes come late, as on a busy
 * machine: a test that does not wait for them fails.
 */
export async function newWindow(browser, options) {
  const context = await browser.newContext(options);
  if (process.env.SENNIT_SLOW_FRAMES) {
    await context.addInitScript(() => {
      const late = 200;
      const frame = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (done) => setTimeout(() => frame(done), late);
      window.ResizeObserver = class extends window.ResizeObserver {
        constructor(done) {
          super((...seen) => setTimeout(() => done(...seen), late));
        }
      };
    });
  }
  return context.newPage();
}

/** When what was asked for has been drawn: sizes are told a frame late, and drawn in the next. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Runs `sennit report` and returns the path of the page. */
export function report(sennit, page, ...inputs) {
  const { status, stderr } = spawnSync(sennit, ['report', '-o', page, ...inputs], { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`sennit report: ${stderr}`);
  }
  return page;
}
