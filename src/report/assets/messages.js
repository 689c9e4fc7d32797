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
    if (!item.route || isHidden(scene, item)) return null;
    const {points, end} = m.fate === "delivered" ? arriving(scene, item) : broken(scene, item);
    const classes = `message ${m.fate}${scene.isNoise(m) ? " noise" : ""}${scene.isNear(m) ? " near" : ""}${
      m.delayed ? " delayed" : ""
    }${m.copied ? " copied" : ""}`;
    const path = svg("path", {d: sennit.roundPath(points) + end, class: classes, "data-message": m.number});
    return {points, path, node: m.copied ? svg("g", {}, path, doubled(points)) : path};
  }

  // What begins and ends in steps that are hidden would only be a scribble.
  const isHidden = (scene, {begin, end, about}) =>
    scene.isKind(begin, "gap") && (about.fate !== "delivered" || scene.isKind(end, "gap"));

  // To the side of the box of the one who gets it; where that is hidden, to the line of its lane.
  function arriving(scene, {begin, end, from, to, route}) {
    const target = scene.isKind(end, "gap") ? {...to, left: to.x, right: to.x} : to;
    const points = sennit.wayAlong(route, from, target, {begin: scene.y(begin), end: scene.y(end), drop: -1});
    const [x, y] = points[points.length - 1];
    const barb = (by) => `M${x - 6 * route.side},${y + by}L${x},${y}`;
    return {points, end: barb(3) + barb(-3)};
  }

  // A message that did not arrive ends in the strip that it was sent into, beside the lane that it was for: in
  // a cross if something happened to it, in a ring if it could still have come.
  function broken(scene, {about, begin, from, route}) {
    const [x, y] = [route.x, scene.y(begin) + sennit.ROW / 2 + 1.5];
    const points = [
      [from.x, scene.y(begin) + HALF],
      [from.x, y],
      [x, y],
    ];
    const end =
      about.fate === "pending"
        ? `m-2.5,0a2.5,2.5 0 1 0 5,0a2.5,2.5 0 1 0 -5,0`
        : `M${x - 3.5},${y - 3.5}l7,7M${x - 3.5},${y + 3.5}l7,-7`;
    return {points, end};
  }

  // Of messages that only pass by, one on each track is enough, whatever lies under it; and of those that begin
  // or end in sight there are not more than this, unless one step sends thousands.
  const MOST = 1500;

  function messagesInSight(scene) {
    const {index, first, last} = scene;
    const shown = new Set([
      ...sennit.between(index.messages.items, "begin", first, last),
      ...sennit.between(index.arrivals, "end", first, last),
    ]);
    const tracks = new Set();
    for (const item of index.messages.touching(first, last, MOST)) {
      const key = item.route && (scene.isNoise(item.about) ? -item.route.x : item.route.x);
      if (scene.isNear(item.about) || !tracks.has(key)) shown.add(item);
      tracks.add(key);
    }
    return [...shown].slice(0, MOST);
  }

  // In the channel, before the copy arrives: no box and no words are there.
  function doubled(points) {
    const [x, y] = points[points.length - 2];
    return svg("text", {x, y: y - 7, class: "tag", "text-anchor": "middle"}, "\u00d72");
  }

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

  function edgeMark(scene, item) {
    const edge = item.about;
    if (!isDrawn(scene, edge) || edge.isValue || edge.leader || !item.route) return null;
    const {from, to, route} = item;
    const rows = edgeRows(scene, edge);
    if (rows[0] === rows[1]) return null; // hidden together
    const points = sennit.wayAlong(route, from, to, {
      begin: scene.y(rows[0]),
      end: scene.y(rows[1]),
      drop: 1,
      start: from.x + (Math.sign(route.x - from.x) * (from.right - from.left)) / 4,
    });
    const [x, y] = points[points.length - 1];
    const down = rows[1] > rows[0] ? Math.PI / 2 : -Math.PI / 2;
    const angle = to.isAcross ? down : route.side > 0 ? 0 : Math.PI;
    return {
      node: svg(
        "g",
        {class: edgeClass(scene, edge), "data-edge": edge.key},
        svg("path", {d: sennit.roundPath(points), class: "wire"}),
        svg("path", {d: head(x, y, angle, edge.isLess ? 7 : 9), class: "head"})
      ),
    };
  }

  // The rows from and to which an order goes.
  const edgeRows = (scene, edge) => [
    scene.rowOf[edge.first],
    edge.ghost ? edge.ghostRow : scene.rowOf[edge.second],
  ];

  const edgeClass = (scene, edge) =>
    [
      "edge",
      edge.isWeak ? "weak" : "",
      edge.isLess ? "less" : "",
      edge.isDecisive ? "decisive" : "",
      edge.isReversed ? "reversed" : "",
      edge.key === scene.chosenEdge ? "near" : "",
    ]
      .filter(Boolean)
      .join(" ");

  // What the orders say, and whether that matters less, beside the step that comes second; the first has only their numbers. Of
  // several the one that matters most, and the numbers of the others.
  function edgeWords(scene, step) {
    const all = scene
      .edgesAt(step)
      .filter((edge) => edge.second === step && edge.label !== "" && edge.number > 0)
      .sort(sennit.byWeight);
    if (all.length === 0) return null;
    const [first, ...others] = all;
    const also =
      others.length > 0
        ? ` (also ${others
            .map((edge) => edge.number)
            .sort((a, b) => a - b)
            .join(", ")})`
        : "";
    const text = `${first.number}: ${first.isReversed ? "the other way round here; " : ""}${first.label}${also}`;
    return {text, isLess: first.isLess};
  }

  Object.assign(sennit, {
    messagesInSight,
    drawMessage: message,
    drawTimers: timers,
    drawEdge: edgeMark,
    isEdgeDrawn: isDrawn,
    sayEdges: edgeWords,
  });
}
