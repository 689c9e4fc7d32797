// text.js - how data is turned into text that can be shown: made visible, cut, counted.

{
  // Control characters would vanish, and marks of direction would make text read as it is not: both
  // are shown as what they are. Line feeds and tabs stay where the caller keeps lines.
  const UNSEEN =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const BLANKS = /[\t\n]/g;

  function picture(character) {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  }

  sennit.visible = (value) => String(value ?? "").replace(UNSEEN, picture);

  // For one line: at most so many characters. Cut before it is made visible, so that a megabyte
  // costs what is seen of it; never between the halves of a pair.
  sennit.cut = function cut(value, length) {
    let text = String(value ?? "");
    if (text.length > length) {
      const end = /[\ud800-\udbff]/.test(text[length - 2]) ? length - 2 : length - 1;
      text = `${text.slice(0, end)}\u2026`;
    }
    return sennit.visible(text).replace(BLANKS, picture);
  };

  // Text of several lines, of which the beginning is shown and more on demand.
  sennit.longText = function longText(value, attributes = {}, shown = 4000) {
    const text = String(value ?? "");
    const block = sennit.el("pre", {class: "text", ...attributes}, sennit.visible(text.slice(0, shown)));
    if (text.length <= shown) return block;
    const more = sennit.el("button", {
      class: "link",
      type: "button",
      onclick: () => {
        shown = Math.min(text.length, shown * 8);
        block.firstChild.data = sennit.visible(text.slice(0, shown));
        if (shown === text.length) more.remove();
        else say();
      },
    });
    const say = () => {
      more.textContent = `show more (${sennit.count(text.length - shown, "character")} left)`;
    };
    say();
    return sennit.el("div", {}, block, more);
  };

  // With commas; toLocaleString takes a while to find out how.
  sennit.number = (value) =>
    Number.isSafeInteger(Number(value))
      ? String(Number(value)).replace(/\B(?=(\d{3})+$)/g, ",")
      : Number(value).toLocaleString("en-US");
  sennit.count = (n, noun) => `${sennit.number(n)} ${noun}${n === 1 ? "" : "s"}`;

  sennit.time = function time(ns) {
    const units = [
      [1e9, "s"],
      [1e6, "ms"],
      [1e3, "\u00b5s"],
    ];
    for (const [size, unit] of units) {
      if (ns >= size) return `${Number((ns / size).toFixed(3))}${unit}`;
    }
    return ns === 0 ? "0" : `${ns}ns`;
  };

  // `name=value` pairs divided by blanks, of which a value may hold blanks within brackets or
  // quotes. What is not of that form has no fields: null.
  sennit.fields = function fields(value) {
    const text = String(value ?? "");
    const pairs = [];
    let at = 0;
    if (text.length > 20000) return null;
    while (at < text.length) {
      const name = /^[A-Za-z_][\w.\-\[\]]*=/.exec(text.slice(at, at + 200));
      if (!name) return null;
      const from = at + name[0].length;
      at = endOfValue(text, from);
      pairs.push([name[0].slice(0, -1), text.slice(from, at)]);
      while (text[at] === " ") at++;
    }
    return pairs.length > 0 ? pairs : null;
  };

  // Blanks within brackets belong to a value; so do words behind it that are no pair themselves.
  function endOfValue(text, from) {
    let depth = 0;
    let at = from;
    for (; at < text.length; at++) {
      const c = text[at];
      if (c === "[" || c === "{" || c === "(") depth++;
      else if ((c === "]" || c === "}" || c === ")") && depth > 0) depth--;
      else if (c === '"') at = Math.max(at, text.indexOf('"', at + 1));
      else if (c === " " && depth === 0 && /^ +(?:[A-Za-z_][\w.\-\[\]]*=|$)/.test(text.slice(at, at + 200))) break;
    }
    return at;
  }

  // A word of a command line, as a shell must be given it.
  sennit.quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${String(word).replace(/'/g, "'\\''")}'`);

  // What files hold that anybody may have written: the type that is asked for, or nothing.
  sennit.list = (value) => (Array.isArray(value) ? value : []);
  sennit.object = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
  sennit.string = (value) => (typeof value === "string" ? value : "");
  sennit.whole = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : 0);
}
