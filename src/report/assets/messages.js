// messages.js - what goes from step to step on the diagram: messages, timers, and orders that are needed.

{
  const {svg} = sennit;
  const {HALF} = sennit;

  function head(x, y, angle, size = 6) {
    const point = (turn) => `${x - size * Math.cos(angle + turn)},${y - size * Math.sin(angle + turn)}`;
    return `M${x},${y}L${point(0.45)}L${point(-0.45)}Z`;
  }

  // A message is one path, head and all: there may be hundreds in sight.
  function message(scene, item) {
    const m = item.about;
    const from = scene.columns.get(m.from);
    const to = scene.columns.get(m.to);
    if (!from || !to) return null;
    const way = wayOf(scene, item, from, to);
    const classes = `message ${m.fate}${scene.isNoise(m) ? " noise" : ""}${scene.isNear(m) ? " near" : ""}${
      m.delayed ? " delayed" : ""
    }${m.copied ? " copied" : ""}`;
    const path = svg("path", {d: way.path, class: classes, "data-message": m.number});
    return {way, path, node: m.copied ? svg("g", {}, path, doubled(way)) : path};
  }

  // Where it goes from and to, and how it is drawn: to the side of the one who gets it, in a bow to oneself.
  function wayOf(scene, item, from, to) {
    const m = item.about;
    const x1 = from.x;
    const y1 = scene.y(item.begin) + HALF;
    const y2 = scene.y(item.end);
    if (m.fate !== "delivered") return broken(m, x1, y1, to.x);
    if (from === to) {
      const side = x1 + scene.pill / 2;
      return {
        x1: side + 16,
        y1,
        x2: side + 16,
        y2,
        path: `M${side},${y1 - HALF}C${side + 22},${y1} ${side + 22},${y2} ${side},${y2}${barbs(side, y2, Math.PI)}`,
      };
    }
    const x2 = to.x - Math.sign(to.x - x1) * (scene.pill / 2 + 1);
    return {x1, y1, x2, y2, path: `M${x1},${y1}L${x2},${y2}${barbs(x2, y2, Math.atan2(y2 - y1, x2 - x1))}`};
  }

  // A message that did not arrive ends on its way: in a cross if something happened to it, in a ring
  // if it could still have come.
  function broken(m, x1, y1, target) {
    const distance = target - x1 || 40;
    const x2 = x1 + Math.sign(distance) * Math.min(Math.abs(distance) * 0.6, 90);
    const y2 = y1 + 10;
    const end =
      m.fate === "pending"
        ? `m-2.5,0a2.5,2.5 0 1 0 5,0a2.5,2.5 0 1 0 -5,0`
        : `M${x2 - 4},${y2 - 4}l8,8M${x2 - 4},${y2 + 4}l8,-8`;
    return {x1, y1, x2, y2, path: `M${x1},${y1}L${x2},${y2}${end}`};
  }

  function barbs(x, y, angle) {
    const point = (turn) =>
      `${(x - 7 * Math.cos(angle + turn)).toFixed(1)},${(y - 7 * Math.sin(angle + turn)).toFixed(1)}`;
    return `M${point(0.42)}L${x},${y}L${point(-0.42)}`;
  }

  // Of messages that only pass by, some are enough where there are very many.
  const PASSING_MOST = 120;

  function messagesInSight(scene) {
    let passing = 0;
    return scene.index.messages.touching(scene.first, scene.last, 1500).filter((item) => {
      const isPassing = item.begin < scene.first && item.end > scene.last;
      return !isPassing || scene.isNear(item.about) || ++passing <= PASSING_MOST;
    });
  }

  const doubled = ({x1, y1, x2, y2}) => svg("text", {x: (x1 + x2) / 2, y: (y1 + y2) / 2, class: "tag"}, "\u00d72");

  // A timer that is chosen shows when it was started.
  function timers(scene) {
    const marks = [];
    for (const timer of scene.timersOf(scene.selected)) {
      const column = scene.columns.get(timer.lane);
      if (!column || !timer.end) continue;
      const x = column.x - scene.pill / 2 - 4;
      const y1 = scene.y(scene.rowOf[timer.begin]);
      const y2 = scene.y(scene.rowOf[timer.end]);
      marks.push(svg("path", {d: `M${x + 4},${y1}H${x}V${y2}H${x + 4}`, class: `timer-span ${timer.fate}`}));
    }
    return marks;
  }

  // ---- Orders that are needed -----------------------------------------------------------------------

  // Exceptions to the default schedule say less than orders that are needed: where there are many, only
  // the one that is chosen.
  const isDrawn = (scene, edge) => !edge.isHold || scene.edges.length <= 6 || edge.key === scene.chosenEdge;

  // On which side of its marks an order begins and ends: beside a lane of its own, on the way to another one.
  function sidesOf(scene, from, to) {
    const same = from.x === to.x;
    const side = same ? (from.x + scene.pill + 60 > scene.right ? -1 : 1) : Math.sign(to.x - from.x);
    return {same, side, end: same ? side : -side};
  }

  function edgeMark(scene, item) {
    const edge = item.about;
    const from = scene.columns.get(scene.laneOf(edge.first));
    const to = scene.columns.get(edge.ghost ? edge.ghost.lane : scene.laneOf(edge.second));
    if (!isDrawn(scene, edge) || edge.isValue || edge.leader || !from || !to) return null;
    const y1 = scene.y(scene.rowOf[edge.first]);
    const y2 = scene.y(edge.ghost ? edge.ghostRow : scene.rowOf[edge.second]);
    const {side, end, same} = sidesOf(scene, from, to);
    const x1 = from.x + (side * scene.pill) / 2;
    const x2 = to.x + (end * scene.pill) / 2;
    const bow = same ? 26 + Math.min(30, Math.abs(y2 - y1) / 12) : 30;
    const path = `M${x1},${y1}C${x1 + side * bow},${y1} ${x2 + end * bow},${y2} ${x2 + end * 3},${y2}`;
    return {
      node: svg(
        "g",
        {class: edgeClass(scene, edge), "data-edge": edge.key},
        svg("path", {d: path, class: "wire"}),
        svg("path", {d: head(x2 + end, y2, end > 0 ? Math.PI : 0, 9), class: "head"})
      ),
    };
  }

  const edgeClass = (scene, edge) =>
    [
      "edge",
      edge.isWeak ? "weak" : "",
      edge.isDecisive ? "decisive" : "",
      edge.isReversed ? "reversed" : "",
      edge.key === scene.chosenEdge ? "near" : "",
    ]
      .filter(Boolean)
      .join(" ");

  // What the orders say, beside the step that comes second; the first has only their numbers. Of
  // several the one that matters most, and the numbers of the others.
  function edgeWords(scene, step) {
    const all = scene
      .edgesAt(step)
      .filter((edge) => edge.second === step && edge.label !== "" && edge.number > 0)
      .sort((a, b) => b.isDecisive - a.isDecisive || a.number - b.number);
    if (all.length === 0) return "";
    const [first, ...others] = all;
    const also =
      others.length > 0
        ? ` (also ${others
            .map((edge) => edge.number)
            .sort((a, b) => a - b)
            .join(", ")})`
        : "";
    return `${first.number}: ${first.isReversed ? "the other way round here; " : ""}${first.label}${also}`;
  }

  Object.assign(sennit, {
    messagesInSight,
    drawMessage: message,
    drawTimers: timers,
    drawEdge: edgeMark,
    sidesOf,
    isEdgeDrawn: isDrawn,
    sayEdges: edgeWords,
  });
}
