// packages.mjs - folders with packages of npm, for tests, benchmarks and people.
//
//   node packages.mjs subjects|runners|browser|mermaid FOLDER
//
// Installs; says why if it cannot, and exits 1.
//
// What is installed stays in the folder, and is looked at again only if it is wanted otherwise. The
// binding is copied there, not linked: that is how users get it. SPDX-License-Identifier: MIT
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const BINDING = path.join(HERE, '..', '..', '..', 'bindings', 'js');
const SOURCES = {
  subjects: path.join(BINDING, 'subjects'),
  runners: path.join(HERE, 'runners'),
  browser: path.join(HERE, '..', '..', 'report', 'browser'),
  mermaid: path.join(HERE, '..', '..', 'unit', 'report', 'mermaid'),
};
const TIMEOUT_MS = 240000;

/** Installs what a folder of ours asks for, with its files beside it. Null, or why it cannot be had. */
export function install(name, folder) {
  const wanted = JSON.parse(fs.readFileSync(path.join(SOURCES[name], 'package.json'), 'utf8'));
  delete wanted.dependencies.sennit;
  const text = JSON.stringify(wanted, null, 2);
  const place = path.join(folder, 'package.json');
  const isThere = fs.existsSync(path.join(folder, 'complete')) && fs.existsSync(place) &&
    fs.readFileSync(place, 'utf8') === text;
  if (!isThere) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(place, text);
    try {
      execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts',
        '--prefer-offline', '--loglevel=error', '--fetch-retries=1'],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
    } catch (error) {
      const said = String(error.stderr || error.message).split('\n').filter((line) =>
        line.includes('error') || line.includes('Error'));
      // One line, without what TAP would read.
      return `npm cannot install them: ${(said[0] || error.message).replace(/[#\\]/g, '').trim()}`;
    }
    fs.writeFileSync(path.join(folder, 'complete'), '');
  }
  copyOurs(name, folder);
  return null;
}

function copyOurs(name, folder) {
  const sennit = path.join(folder, 'node_modules', 'sennit');
  fs.rmSync(sennit, { recursive: true, force: true });
  for (const part of ['package.json', 'lib', 'adapters']) {
    fs.cpSync(path.join(BINDING, part), path.join(sennit, part), { recursive: true });
  }
  for (const file of fs.readdirSync(SOURCES[name])) {
    if (file !== 'package.json' && file !== 'node_modules') {
      fs.copyFileSync(path.join(SOURCES[name], file), path.join(folder, file));
    }
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [name, folder] = process.argv.slice(2);
  if (!SOURCES[name] || !folder) {
    console.error(`node packages.mjs ${Object.keys(SOURCES).join('|')} FOLDER`);
    process.exit(2);
  }
  const why = install(name, path.resolve(folder));
  if (why) {
    console.error(why);
    process.exit(1);
  }
}
