// fit.js - how much of a text fits into the room that there is.

{
  // How wide a text is, by the font that it will have: guesses make ends meet badly.
  const FONTS = {
    event: "11px ",
    strong: "700 11px ",
    needed: "600 11px ",
    less: "11px ",
    payload: "10.5px ",
    strip: "600 12px ",
    name: "600 12.5px ",
    time: "11px ",
    number: "11px ",
  };
  const isMono = (kind) => kind === "payload" || kind === "number";
  const widths = new Map();
  let measuring = null;

  function widthOf(text, kind) {
    // Letters of the payload are all as wide as one.
    if (isMono(kind) && text.length > 1 && !/[^ -~\u2026]/.test(text)) return text.length * widthOf("m", kind);
    const key = `${kind} ${text}`;
    let width = widths.get(key);
    if (width === undefined) {
      if (!measuring) {
        const style = getComputedStyle(document.documentElement);
        measuring = document.createElement("canvas").getContext("2d");
        measuring.families = {sans: style.getPropertyValue("--sans"), mono: style.getPropertyValue("--mono")};
      }
      measuring.font = FONTS[kind] + measuring.families[isMono(kind) ? "mono" : "sans"];
      if (widths.size > 20000) widths.clear();
      width = measuring.measureText(text).width;
      widths.set(key, width);
    }
    return width;
  }

  // As much of a text as fits.
  function fitting(value, room, kind) {
    let text = sennit.cut(value, Math.max(2, Math.floor(room / 4)));
    for (let width = widthOf(text, kind); width > room; width = widthOf(text, kind)) {
      const most = Math.min(text.length - 1, Math.floor((text.length * room) / width));
      if (most < 2) return "";
      text = sennit.cut(text, most);
    }
    return text;
  }

  // As much of a name as fits, from both of its ends: many names differ only in the last letters.
  function fittingName(value, room, kind = "name") {
    const whole = sennit.cut(value, 200);
    let kept = whole.length;
    let text = whole;
    while (kept > 2 && widthOf(text, kind) > room) {
      kept = Math.min(kept - 1, Math.max(2, Math.floor((text.length * room) / widthOf(text, kind))));
      const end = Math.floor(kept / 2);
      text = `${[...whole].slice(0, kept - end).join("")}\u2026${[...whole].slice(-end).join("")}`;
    }
    return text;
  }

  Object.assign(sennit, {widthOf, fitting, fittingName});
}
