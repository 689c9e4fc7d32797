// timeline.js - operations as bars, a row for each process; the core, its longest order and what cannot
// be next are marked. Only what is visible is drawn: moving draws anew.

(function () {
  const {el, svg, timelineLayout: layout} = sennit;
  const ROW = 40;
  const BAR = 24;
  const TOP = 26; // the axis
  const GUTTER = 132; // names of processes
  const CHAR = 6.9; // of the bars' font, in pixels
  const EDGE = 24;

  // history as in history_data.js; options: {operations, byTime, onSelect}. Gives {node, select, reveal,
  // zoom}.
  sennit.timeline = function timeline(history, options) {
    const view = {history, options, zoom: 1, selected: null, drawn: 0};
    view.surface = svg("svg", {class: "v-surface", role: "img",
      "aria-label": "Timeline of operations, a row for each process"});
    view.spacer = el("div", {class: "v-spacer"}, view.surface);
    view.scroll = el("div", {class: "v-scroll", tabindex: "0", onscroll: () => later(view), onkeydown: (e) => key(view, e)},
      view.spacer);
    view.map = svg("svg", {class: "v-map", preserveAspectRatio: "none", viewBox: "0 0 1000 30",
      onpointerdown: (e) => jump(view, e), onpointermove: (e) => e.buttons & 1 && jump(view, e)});
    view.node = el("div", {class: "v-timeline"}, view.scroll, view.map);
    view.surface.addEventListener("click", (e) => pick(view, e));
    new ResizeObserver(() => arrange(view)).observe(view.scroll);
    return {
      node: view.node,
      select: (id) => select(view, id),
      reveal: (id) => reveal(view, id),
      zoom: (factor) => zoom(view, factor),
    };
  };

  // ---- Room ----------------------------------------------------------------------------------------

  function arrange(view) {
    const room = view.scroll.clientWidth - GUTTER - 2 * EDGE;
    if (room <= 0 || (room === view.room && view.placed)) return later(view);
    const isFirst = !view.placed;
    view.room = room;
    place(view);
    if (isFirst && view.wanted !== undefined) reveal(view, view.wanted);
  }

  function place(view) {
    const {operations, byTime} = view.options;
    view.placed = layout.make(operations, {charWidth: CHAR, room: view.room, zoom: view.zoom, byTime});
    view.spans = new Map();
    view.placed.rows.forEach((row, y) => row.spans.forEach((span) => view.spans.set(span.op.id, {span, y})));
    view.points = pointsOf(view);
    view.width = GUTTER + 2 * EDGE + view.placed.width;
    view.height = TOP + view.placed.rows.length * ROW + 8;
    view.spacer.style.width = `${view.width}px`;
    view.spacer.style.height = `${view.height}px`;
    view.scroll.style.setProperty("--height", `${view.height}px`);
    drawMap(view);
    draw(view);
  }

  function later(view) {
    if (view.isDue) return;
    view.isDue = true;
    requestAnimationFrame(() => {
      view.isDue = false;
      if (view.placed) draw(view);
    });
  }

  // Keeps what is in the middle there.
  function zoom(view, factor) {
    const room = view.scroll.clientWidth - GUTTER;
    const middle = (view.scroll.scrollLeft + room / 2) / view.width;
    view.zoom = Math.min(Math.max(view.zoom * factor, 0.02), 40);
    if (!view.placed) return;
    place(view);
    view.scroll.scrollLeft = middle * view.width - room / 2;
  }

  const start = (view, span) => EDGE + view.placed.positions[span.from];
  const end = (view, span) => {
    const {positions} = view.placed;
    return EDGE + positions[Math.min(span.drawnTo, positions.length - 1)];
  };

  // Where each operation of the longest order may take effect: as early as those before it allow.
  function pointsOf(view) {
    const points = [];
    let before = -Infinity;
    for (const id of view.history.order) {
      const at = view.spans.get(id);
      if (!at) continue;
      const {definite} = view.history.core.get(id);
      let x = Math.max(start(view, at.span) + 3, before + 4);
      if (view.history.isSequential) x = start(view, at.span) + 3;
      else if (definite) x = Math.max(Math.min(x, end(view, at.span) - 4), before);
      before = x;
      points.push({id, x, y: TOP + at.y * ROW + (ROW - BAR) / 2});
    }
    return points;
  }

  // ---- Drawing -------------------------------------------------------------------------------------

  function draw(view) {
    const {scroll, placed, surface} = view;
    const width = scroll.clientWidth;
    const height = Math.min(scroll.clientHeight || view.height, view.height);
    const left = scroll.scrollLeft;
    const top = scroll.scrollTop;
    const first = Math.max(0, Math.floor((top - TOP) / ROW));
    const last = Math.min(placed.rows.length, Math.ceil((top + height) / ROW) + 1);
    const window = {left, right: left + width - GUTTER, top};
    const bars = svg("g", {transform: `translate(${GUTTER - left},${-top})`});
    const names = svg("g", {class: "v-names", transform: `translate(0,${-top})`},
      svg("rect", {class: "v-gutter", x: 0, y: top, width: GUTTER, height}));
    surface.setAttribute("width", width);
    surface.setAttribute("height", height);
    view.drawn = 0;
    const [ways, places] = drawOrder(view, window);
    bars.append(...ways); // under the bars: what these say can be read
    for (let y = first; y < last; y++) {
      const row = placed.rows[y];
      bars.append(svg("line", {class: "v-lane", x1: left, x2: left + width, y1: TOP + y * ROW + ROW, y2: TOP + y * ROW + ROW}));
      drawRow(view, row, y, window, bars);
      if (row.isFirst) names.append(nameOf(row, y));
    }
    bars.append(...places);
    surface.replaceChildren(bars, names, axisOf(view, window, width));
    const shown = view.map.querySelector(".v-window");
    if (shown) {
      shown.setAttribute("x", (left / view.width) * 1000);
      shown.setAttribute("width", Math.max((width / view.width) * 1000, 3));
    }
  }

  function nameOf(row, y) {
    const max = 17;
    const short = row.name.length > max ? row.name.slice(0, max - 1) + "…" : row.name;
    return svg("text", {x: GUTTER - 14, y: TOP + y * ROW + ROW / 2 + 4, "text-anchor": "end"},
      short, svg("title", {}, row.name));
  }

  function drawRow(view, row, y, window, into) {
    const {positions} = view.placed;
    for (let i = layout.firstVisible(row, positions, window.left - EDGE); i < row.spans.length; i++) {
      const span = row.spans[i];
      if (start(view, span) > window.right) break;
      into.append(barOf(view, span, y, window));
      view.drawn++;
    }
  }

  function classOf(view, op) {
    const member = view.history.core.get(op.id);
    const names = ["op", op.status];
    if (member) names.push("core", member.definite ? "definite" : "relaxed");
    if (member && member.why !== null) names.push("refused");
    if (view.history.core.size > 0 && !member) names.push("other");
    if (view.selected === op.id) names.push("selected");
    return names.map((name) => `v-${name}`).join(" ");
  }

  function describe(view, op) {
    const member = view.history.core.get(op.id);
    const lines = [`${op.text} of ${sennit.history.who(op)}`, `called: ${op.calledAt}`,
      op.ret !== null ? `${op.status === "fail" ? "failed" : "returned"}: ${op.returnedAt}` : "never returned: it may have happened or not"];
    if (member && member.why !== null) lines.push("cannot be next" + (member.why ? `: ${member.why}` : ""));
    return lines.join("\n");
  }

  function barOf(view, span, y, window) {
    const {op} = span;
    const x = start(view, span);
    const width = Math.max(end(view, span) - x, 3);
    const top = TOP + y * ROW + (ROW - BAR) / 2;
    const member = view.history.core.get(op.id);
    const badge = member && member.why !== null ? 18 : 0;
    // The text stays in sight as long as there is some of its bar.
    const textX = Math.max(x, window.left) + 13 + badge;
    const fits = Math.floor((x + width - textX - 4) / CHAR);
    const words = fits >= op.text.length ? op.text : fits > 2 ? op.text.slice(0, fits - 1) + "…" : "";
    return svg("g", {class: classOf(view, op), "data-id": op.id},
      member && !member.definite ? svg("line", {class: "v-maybe", x1: x + width, x2: window.right, y1: top + BAR / 2, y2: top + BAR / 2}) : null,
      svg("rect", {x, y: top, width, height: BAR, rx: 5}),
      words ? svg("text", {x: textX, y: top + BAR / 2 + 4}, words) : null,
      badge ? svg("path", {class: "v-cross", d: `M${textX - 21},${top + 8}l8,8m0,-8l-8,8`}) : null,
      svg("title", {}, describe(view, op)));
  }

  function drawOrder(view, window) {
    const ways = [];
    const places = [];
    const near = 200;
    view.points.forEach((point, i) => {
      const next = view.points[i + 1];
      if (next && !view.history.isSequential && next.x > window.left - near && point.x < window.right + near)
        ways.push(svg("path", {class: "v-way", d: curve(point, next)}));
    });
    view.points.forEach((point, i) => {
      if (point.x < window.left - 20 || point.x > window.right + 20) return;
      places.push(svg("g", {class: "v-place", "data-id": point.id}, svg("circle", {cx: point.x, cy: point.y, r: 8.5}),
        svg("text", {x: point.x, y: point.y + 3.5, "text-anchor": "middle"}, i + 1)));
    });
    return [ways, places];
  }

  function curve(a, b) {
    const bend = (b.x - a.x) / 2;
    return `M${a.x},${a.y}C${a.x + bend},${a.y} ${b.x - bend},${b.y} ${b.x},${b.y}`;
  }

  // Times where there is room for them.
  function axisOf(view, window, width) {
    const {events, positions} = view.placed;
    const axis = svg("g", {class: "v-axis", transform: `translate(${GUTTER - window.left},0)`});
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (EDGE + positions[middle] < window.left) low = middle + 1;
      else high = middle;
    }
    axis.append(svg("rect", {x: window.left - GUTTER, y: 0, width, height: TOP}));
    for (let last = -Infinity; low < events.length && EDGE + positions[low] < window.right; low++) {
      const x = EDGE + positions[low];
      const {name} = events[low];
      if (x < last) continue;
      last = x + name.length * 6.4 + 18;
      axis.append(svg("line", {x1: x, x2: x, y1: TOP - 5, y2: TOP}), svg("text", {x, y: TOP - 9}, name));
    }
    axis.append(svg("rect", {class: "v-gutter", x: window.left - GUTTER, y: 0, width: GUTTER, height: TOP}));
    return axis;
  }

  // ---- The whole -----------------------------------------------------------------------------------

  // How much goes on where, and where the core is.
  function drawMap(view) {
    const isNeeded = view.width > view.scroll.clientWidth + 1;
    view.map.classList.toggle("v-unneeded", !isNeeded);
    view.map.replaceChildren();
    if (!isNeeded) return;
    const buckets = new Uint32Array(250);
    const scale = (x) => ((GUTTER + x) / view.width) * 1000;
    for (const {span} of view.spans.values()) buckets[Math.min(249, Math.floor(scale(start(view, span)) / 4))]++;
    const most = buckets.reduce((a, b) => Math.max(a, b), 1);
    let path = "M0,30";
    buckets.forEach((n, i) => (path += `L${i * 4},${30 - (n / most) * 24}L${i * 4 + 4},${30 - (n / most) * 24}`));
    view.map.append(svg("path", {class: "v-density", d: path + "L1000,30Z"}));
    for (const [bucket, name] of marksOf(view, scale))
      view.map.append(svg("rect", {class: `v-${name}`, x: bucket * 4, y: 0, width: 3, height: 30}));
    view.map.append(svg("rect", {class: "v-window", x: 0, y: 0.5, width: 10, height: 29}));
  }

  // Where the core is: a mark for each part of the map, by what counts most there.
  function marksOf(view, scale) {
    const ranks = ["relaxed", "definite", "refused"];
    const marks = new Map();
    for (const [id, member] of view.history.core) {
      const at = view.spans.get(id);
      if (!at) continue;
      const bucket = Math.min(249, Math.floor(scale(start(view, at.span)) / 4));
      const name = member.why !== null ? "refused" : member.definite ? "definite" : "relaxed";
      if (ranks.indexOf(name) > ranks.indexOf(marks.get(bucket))) marks.set(bucket, name);
    }
    return marks;
  }

  function jump(view, event) {
    const box = view.map.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    view.scroll.scrollLeft = share * view.width - view.scroll.clientWidth / 2;
  }

  // ---- Choosing ------------------------------------------------------------------------------------

  function pick(view, event) {
    const group = event.target instanceof Element ? event.target.closest("[data-id]") : null;
    choose(view, group ? Number(group.getAttribute("data-id")) : null);
  }

  function choose(view, id) {
    select(view, id);
    view.options.onSelect(id);
  }

  function select(view, id) {
    view.selected = id;
    later(view);
  }

  function reveal(view, id) {
    view.wanted = id;
    const at = view.placed && view.spans.get(id);
    if (!at) return;
    const room = view.scroll.clientWidth - GUTTER;
    const x = start(view, at.span);
    const y = TOP + at.y * ROW;
    if (x < view.scroll.scrollLeft || x > view.scroll.scrollLeft + room - 80)
      view.scroll.scrollLeft = x - room / 3;
    if (y < view.scroll.scrollTop + TOP || y > view.scroll.scrollTop + view.scroll.clientHeight - ROW)
      view.scroll.scrollTop = y - view.scroll.clientHeight / 2;
    later(view);
  }

  // From operation to operation by arrows: in the order of calls.
  function key(view, event) {
    const way = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.key === "Escape") choose(view, null);
    if (event.key === "+" || event.key === "-") zoom(view, event.key === "+" ? 1.5 : 1 / 1.5);
    if (!way || view.options.operations.length === 0) return;
    event.preventDefault();
    const sorted = (view.sorted = view.sorted || [...view.options.operations].sort((a, b) => a.call - b.call || a.id - b.id));
    const at = sorted.findIndex((op) => op.id === view.selected);
    const next = sorted[Math.min(Math.max(at + way, 0), sorted.length - 1)];
    choose(view, next.id);
    reveal(view, next.id);
  }
})();
