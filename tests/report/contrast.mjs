// contrast.mjs - how well text can be told from what lies under it, as the browser has painted it.
// SPDX-License-Identifier: MIT

/** Texts in sight whose contrast is below what WCAG asks for (AA: 4.5, or 3 for large text), each once. */
export const tooFaint = (page) => page.evaluate(() => {
  const parse = (text) => {
    const numbers = (text.match(/[\d.]+(e-?\d+)?/g) || []).map(Number);
    const share = text.startsWith('color(srgb') ? 255 : 1;
    const [r, g, b, a = 1] = numbers;
    return text === 'none' || text === 'transparent' || numbers.length < 3 ? [0, 0, 0, 0] : [r * share, g * share, b * share, a];
  };
  const over = ([r, g, b, a], [R, G, B, A]) => {
    const alpha = a + A * (1 - a);
    const mix = (x, X) => (alpha === 0 ? 0 : (x * a + X * A * (1 - a)) / alpha);
    return [mix(r, R), mix(g, G), mix(b, B), alpha];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };
  const faded = (colour, ...shares) => [...colour.slice(0, 3), shares.reduce((a, s) => a * Number(s), colour[3])];
  /** What an element paints as a ground. Of a gradient the first colour, which is the strongest here. */
  const ground = (node) => {
    const style = getComputedStyle(node);
    if (['rect', 'circle'].includes(node.tagName)) {
      return style.fill.startsWith('url') ? [0, 0, 0, 0] : faded(parse(style.fill), style.fillOpacity, style.opacity);
    }
    if (node instanceof SVGElement && node.tagName !== 'svg') {
      return [0, 0, 0, 0];
    }
    const stop = /gradient\([^,]*?, ((?:rgb|color)[^)]*\))/.exec(style.backgroundImage);
    return over(stop ? parse(stop[1]) : [0, 0, 0, 0], parse(style.backgroundColor));
  };
  // Whatever is under a point counts, also what lets the pointer through.
  const sheet = document.styleSheets[0];
  const rule = sheet.insertRule('* { pointer-events: auto !important; }', sheet.cssRules.length);
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const node = walker.currentNode.parentElement;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const [box] = range.getClientRects();
    if (!text || !box || box.width < 2 || node.closest('title, script, style, noscript')) {
      continue;
    }
    const stack = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const [top] = stack;
    const isInSight = top && (top.contains(node) || node.contains(top) || (node.ownerSVGElement && node.ownerSVGElement.contains(top)));
    if (!isInSight) {
      continue; // scrolled away, or under something else
    }
    const style = getComputedStyle(node);
    const isDrawn = node instanceof SVGElement;
    let under = [0, 0, 0, 0];
    const from = Math.max(0, stack.indexOf(node));
    for (const one of stack.slice(from)) {
      under = over(under, ground(one));
    }
    under = over(under, [255, 255, 255, 1]);
    let shown = isDrawn ? faded(parse(style.fill), style.fillOpacity) : parse(style.color);
    for (let one = node; one; one = one.parentElement) {
      shown = faded(shown, getComputedStyle(one).opacity);
    }
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const measured = ratio(over(shown, under), under);
    if (measured < (isLarge ? 3 : 4.5)) {
      found.set(`${node.tagName}.${node.getAttribute('class') || node.parentElement.getAttribute('class')}`,
        `${measured.toFixed(2)} "${text.slice(0, 30)}" ${shown.map(Math.round)} on ${under.map(Math.round)}`);
    }
  }
  sheet.deleteRule(rule);
  return [...found].map(([where, what]) => `${where}: ${what}`);
});
