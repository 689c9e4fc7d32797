// run_charts.js - how many orders a test has shown, and what its next trial may show.

(function () {
  const {el, svg} = sennit;
  const {list, object, number, isNumber, text, count, percent, card} = sennit.parts;
  const charts = (sennit.runCharts = {});
  const WIDTH = 560;
  const HEIGHT = 220;
  const BOX = {left: 52, right: 14, top: 12, bottom: 30};

  // 1, 2 or 5 times a power of ten, so that there are about n steps.
  function stepOf(max, n) {
    const raw = Math.max(max / n, 1);
    const power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= raw);
  }

  function shortCount(n) {
    if (n >= 1e9) return `${Number((n / 1e9).toPrecision(3))} G`;
    if (n >= 1e6) return `${Number((n / 1e6).toPrecision(3))} M`;
    return n >= 1e4 ? `${Number((n / 1e3).toPrecision(3))} k` : count(n);
  }

  function pointsOf(raw) {
    const points = list(raw).filter((p) => Array.isArray(p) && isNumber(p[0]) && isNumber(p[1]) && p[0] >= 0 && p[1] >= 0)
      .map(([x, y]) => ({x, y})).sort((a, b) => a.x - b.x);
    return points.length > 0 ? [{x: 0, y: 0}, ...points] : [];
  }

  // How many distinct orders there were after how many trials.
  charts.discovery = function discovery(test) {
    const points = pointsOf(test.discovery);
    if (points.length < 2)
      return card("Orders discovered", null, el("p", {class: "muted"}, "The run has kept no curve for this test."));
    const maxX = points[points.length - 1].x || 1;
    const maxY = Math.max(...points.map((p) => p.y), 1);
    const x = (value) => BOX.left + (value / maxX) * (WIDTH - BOX.left - BOX.right);
    const y = (value) => HEIGHT - BOX.bottom - (value / maxY) * (HEIGHT - BOX.top - BOX.bottom);
    const line = points.map((p, i) => `${i ? "L" : "M"}${x(p.x).toFixed(1)},${y(p.y).toFixed(1)}`).join("");
    const end = points[points.length - 1];
    const marker = svg("g", {class: "v-marker"});
    const readout = el("span", {class: "v-readout"}, sayPoint(end));
    const picture = svg("svg", {class: "v-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": `${count(end.y)} distinct orders after ${count(end.x)} trials`,
      onpointermove: (e) => follow(e), onpointerleave: () => settle(end, true)},
    ticksOf(maxX, maxY, x, y),
    svg("line", {class: "v-all-new", x1: x(0), y1: y(0), x2: x(Math.min(maxX, maxY)), y2: y(Math.min(maxX, maxY))}),
    svg("path", {class: "v-area", d: `${line}L${x(end.x)},${y(0)}L${x(0)},${y(0)}Z`}),
    svg("path", {class: "v-curve", d: line}), marker);
    function settle(point, isEnd) {
      marker.replaceChildren(svg("circle", {cx: x(point.x), cy: y(point.y), r: 4}),
        isEnd ? "" : svg("line", {x1: x(point.x), x2: x(point.x), y1: BOX.top, y2: HEIGHT - BOX.bottom}));
      readout.textContent = sayPoint(point);
    }
    function follow(event) {
      const box = picture.getBoundingClientRect();
      const at = (((event.clientX - box.left) / box.width) * WIDTH - BOX.left) / (WIDTH - BOX.left - BOX.right) * maxX;
      settle(points.reduce((a, b) => (Math.abs(b.x - at) < Math.abs(a.x - at) ? b : a)));
    }
    settle(end, true);
    return card("Orders discovered", readout, picture,
      el("p", {class: "muted v-small"}, "Distinct partial orders over trials. Dashed: every trial shows a new one."));
  };

  const sayPoint = (p) => `${count(p.y)} after ${count(p.x)} trials`;

  function ticksOf(maxX, maxY, x, y) {
    const group = svg("g", {class: "v-ticks"});
    const stepY = stepOf(maxY, 4);
    for (let v = 0; v <= maxY; v += stepY)
      group.append(svg("line", {x1: BOX.left, x2: WIDTH - BOX.right, y1: y(v), y2: y(v)}),
        svg("text", {x: BOX.left - 8, y: y(v) + 4, "text-anchor": "end"}, shortCount(v)));
    const stepX = stepOf(maxX, 5);
    for (let v = 0; v <= maxX; v += stepX)
      group.append(svg("text", {x: x(v), y: HEIGHT - 10, "text-anchor": v + stepX > maxX && x(v) > WIDTH - 40 ? "end" : "middle"}, shortCount(v)));
    return group;
  }

  // ---- What the next trial may show ----------------------------------------------------------------

  const SILENT = {
    "few trials": "too few trials to tell", "mostly new": "almost every trial showed a new order",
    "too many orders": "there were too many orders to count",
  };

  function intervalOf(arm) {
    const place = (share) => Math.min(Math.max(share, 0), 1) * 100;
    const low = number(arm.low, arm.probability);
    const high = number(arm.high, arm.probability);
    return el("div", {class: "v-interval"},
      svg("svg", {viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true"},
        svg("rect", {class: "v-track", x: 0, y: 4, width: 100, height: 2}),
        svg("rect", {class: "v-range", x: place(low), y: 2, width: Math.max(place(high) - place(low), 0.8), height: 6}),
        svg("rect", {class: "v-middle", x: Math.min(place(arm.probability), 99.2), y: 0, width: 0.8, height: 10})),
      el("span", {}, el("b", {}, percent(arm.probability)), ` (${percent(low)} to ${percent(high)})`));
  }

  function armRow(raw) {
    const arm = object(raw);
    const isKnown = isNumber(arm.probability);
    return el("tr", {}, el("th", {scope: "row"}, text(arm.strategy, 120)),
      ["trials", "orders", "once"].map((name) => el("td", {class: "v-figure"}, count(arm[name]))),
      el("td", {}, isKnown ? intervalOf(arm) : el("span", {class: "muted"}, SILENT[arm.next] || text(arm.next, 80) || "not known"),
        isNumber(arm.least) && arm.least > 0 ? el("div", {class: "muted v-small"}, `probably at least ${count(arm.least)} orders`) : null));
  }

  charts.arms = function arms(test) {
    const rows = list(test.next);
    if (rows.length === 0)
      return card("The next trial", null, el("p", {class: "muted"},
        test.exhausted === true ? "Every schedule was run: there is nothing new to see." :
          "This strategy goes from trial to trial, which is no sample: nothing can be said about the next one."));
    return card("The next trial", null, el("div", {class: "v-table"}, el("table", {},
      el("thead", {}, el("tr", {}, ["strategy", "trials", "orders", "once", "shows a new order"].map((name, i) =>
        el("th", {scope: "col", class: i > 0 && i < 4 ? "v-figure" : null}, name)))),
      el("tbody", {}, rows.slice(0, 100).map(armRow)))), uncounted(test, rows));
  };

  // Strategies that learn are other ones afterwards, and are counted anew.
  function uncounted(test, rows) {
    const counted = rows.reduce((n, arm) => n + number(object(arm).trials), 0);
    const others = number(test.trials) - counted;
    if (others <= 0) return null;
    return el("p", {class: "muted v-small"}, `The other ${count(others)} of ${count(number(test.trials))} trials do not count: after them a strategy had learned something, and is another one since.`);
  }
})();
