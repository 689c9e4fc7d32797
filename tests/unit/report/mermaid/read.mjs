// read.mjs - what Mermaid finds in sequence diagrams: node read.mjs FILE...
//
// Prints a line of JSON for each file: its participants and messages, or why Mermaid refuses it. Run in
// a folder that has the packages. SPDX-License-Identifier: MIT
import fs from 'node:fs';
import { JSDOM } from 'jsdom';

// Mermaid looks for a page as soon as it is loaded.
const page = new JSDOM('<!doctype html><body></body>');
globalThis.window = page.window;
globalThis.document = page.window.document;
const { default: mermaid } = await import('mermaid');

// Codes of characters (#35;) are put into the drawing in this way.
function decoded(text) {
  const html = text.replaceAll('ﬂ°°', '&#').replaceAll('ﬂ°', '&').replaceAll('¶ß', ';');
  const area = document.createElement('textarea');
  area.innerHTML = html.replaceAll('<', '&lt;');
  return area.value;
}

for (const file of process.argv.slice(2)) {
  try {
    const text = fs.readFileSync(file, 'utf8');
    const { diagramType } = await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    console.log(JSON.stringify({
      type: diagramType,
      actors: [...db.getActors().values()].map((actor) => [actor.name, decoded(actor.description)]),
      messages: db.getMessages().map((one) => [one.type, one.from, one.to, decoded(String(one.message))]),
      arrows: [db.LINETYPE.SOLID, db.LINETYPE.DOTTED, db.LINETYPE.DOTTED_CROSS],
      note: db.LINETYPE.NOTE,
    }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.message) }));
  }
}
