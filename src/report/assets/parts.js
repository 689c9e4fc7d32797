// parts.js - what views of data from files are made of: the data may be anything, so everything that
// is taken from it goes through one of these.

sennit.parts = {list: sennit.list, object: sennit.object};

sennit.parts.isNumber = (value) => typeof value === "number" && Number.isFinite(value);

// A number, or what stands for it.
sennit.parts.number = (value, otherwise = 0) => (sennit.parts.isNumber(value) ? value : otherwise);

// A text: numbers and truths as they are written, nothing for nothing. Bounded, since a browser that
// lays out a line of a megabyte shows nothing else for a while.
sennit.parts.text = function text(value, max = 4000) {
  if (value === undefined || value === null) return "";
  const whole = typeof value === "object" ? JSON.stringify(value) : String(value);
  return sennit.visible(whole.length > max ? whole.slice(0, max) + "…" : whole);
};

sennit.parts.count = (value) => (sennit.parts.isNumber(value) ? sennit.number(value) : "?");

sennit.parts.plural = (n, one, many) => `${sennit.parts.count(n)} ${n === 1 ? one : many || one + "s"}`;

sennit.parts.seconds = function seconds(value) {
  if (!sennit.parts.isNumber(value)) return "?";
  if (value < 1) return `${Math.max(0, Math.round(value * 1000))} ms`;
  if (value < 120) return `${value.toFixed(value < 10 ? 2 : 1)} s`;
  return value < 7200 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`;
};

// 0.0123 -> 1.2 %
sennit.parts.percent = function percent(share) {
  const hundred = share * 100;
  if (hundred === 0) return "0 %";
  return `${hundred >= 10 ? Math.round(hundred) : Number(hundred.toPrecision(2))} %`;
};

// A word with a colour: "good", "bad" or "warn"; without one it is plain.
sennit.parts.chip = (text, tone) => sennit.el("span", {class: `v-chip ${tone ? `v-${tone}` : ""}`}, text);

sennit.parts.verdictTone = function verdictTone(verdict) {
  if (["passed", "linearizable", "sequentially consistent"].includes(verdict)) return "good";
  if (["failed", "nondeterministic", "not linearizable", "not sequentially consistent", "error",
    "malformed"].includes(verdict)) return "bad";
  return "warn";
};

// A figure with what it is of.
sennit.parts.tile = (value, name, tone, hint) =>
  sennit.el("div", {class: `v-tile ${tone ? `v-${tone}` : ""}`, title: hint}, sennit.el("b", {}, value),
    sennit.el("span", {}, name));

// A panel with a title, and something at its right.
sennit.parts.card = (title, aside, ...children) =>
  sennit.el("section", {class: "v-card"},
    sennit.el("header", {}, sennit.el("h3", {}, title), aside && sennit.el("div", {class: "v-aside"}, aside)),
    children);

// A command to copy.
sennit.parts.command = (text) =>
  sennit.el("div", {class: "v-command"}, sennit.el("code", {}, text), sennit.copyButton(text));
