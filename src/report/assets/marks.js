// marks.js - what is drawn on the diagram, one function for each kind of mark. A scene has the model,
// the columns and rows of the layout, what is selected, and y(row): where the middle of a row is in the
// window that is being drawn.

{
  const {svg} = sennit;
  const HALF = 9; // of the height of a pill

  // How wide a text is, by the font that it will have: guesses make ends meet badly.
  const FONTS = {event: "11px ", needed: "600 11px ", payload: "10.5px ", strip: "600 12px "};
  const widths = new Map();
  let measuring = null;

  function widthOf(text, kind) {
    // Letters of the payload are all as wide as one.
    if (kind === "payload" && text.length > 1 && !/[^ -~\u2026]/.test(text)) return text.length * widthOf("m", kind);
    const key = `${kind} ${text}`;
    let width = widths.get(key);
    if (width === undefined) {
      if (!measuring) {
        const style = getComputedStyle(document.documentElement);
        measuring = document.createElement("canvas").getContext("2d");
        measuring.families = {sans: style.getPropertyValue("--sans"), mono: style.getPropertyValue("--mono")};
      }
      measuring.font = FONTS[kind] + measuring.families[kind === "payload" ? "mono" : "sans"];
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
      const most = Math.min(text.length - 1, Math.floor(text.length * room / width));
      if (most < 2) return "";
      text = sennit.cut(text, most);
    }
    return text;
  }

  function head(x, y, angle, size = 6) {
    const point = (turn) => `${x - size * Math.cos(angle + turn)},${y - size * Math.sin(angle + turn)}`;
    return `M${x},${y}L${point(0.45)}L${point(-0.45)}Z`;
  }

  // ---- Lanes, and what lasts ------------------------------------------------------------------------

  function lanes(scene) {
    const group = svg("g", {class: "lines"});
    const bottom = scene.height;
    for (const {lane, x, isNarrow, isAcross} of scene.columns.values()) {
      if (isAcross) continue;
      group.append(svg("line", {x1: x, x2: x, y1: 0, y2: bottom, class: `lane ${lane.kind}${isNarrow ? " narrow" : ""}`}));
    }
    return group;
  }

  // The sides that the network is cut into: hatched over the lanes that are cut off.
  function cuts(scene) {
    const group = svg("g", {});
    for (const cut of scene.index.cuts.touching(scene.first, scene.last)) {
      const top = scene.y(cut.begin);
      const height = scene.y(cut.end) - top;
      for (const lane of cut.about.lanes) {
        const column = scene.columns.get(lane);
        if (column) {
          group.append(svg("rect", {x: column.left + 1, y: top, width: column.width - 2, height, class: "cut",
            fill: "url(#hatch)"}));
        }
      }
    }
    return group;
  }

  // A machine that is down has no line, and comes back with another one.
  function downs(scene) {
    const group = svg("g", {});
    for (const down of scene.index.downs.touching(scene.first, scene.last)) {
      const column = scene.columns.get(down.about.lane);
      if (!column) continue;
      const top = scene.y(down.begin);
      const bottom = Math.min(scene.height, scene.y(down.end));
      group.append(svg("rect", {x: column.x - 3, y: top, width: 6, height: Math.max(0, bottom - top), class: "gone"}),
        svg("line", {x1: column.x, x2: column.x, y1: top, y2: bottom, class: "down"}));
      if (scene.isKind(down.begin, "step")) {
        group.append(svg("text", {x: column.x, y: top + 18, class: "crash", "text-anchor": "middle"}, "\u2715"));
      }
    }
    return group;
  }

  // Operations of clients take time: a bar beside the lane from call to return.
  function operations(scene) {
    const group = svg("g", {});
    for (const item of scene.index.operations.touching(scene.first, scene.last, 500)) {
      const {lane, text, how} = item.about;
      const column = scene.columns.get(lane);
      if (!column) continue;
      const top = scene.y(item.begin) - HALF;
      const bottom = how ? scene.y(item.end) + HALF : scene.y(item.end);
      group.append(svg("rect", {x: column.x - scene.pill / 2 - 7, y: top, width: 5, height: Math.max(6, bottom - top), rx: 2.5,
        class: `operation ${how || "open"} ${scene.blameOf(item.about)}`}, svg("title", {}, sennit.cut(text, 300))));
    }
    return group;
  }

  // Monitors: the state that they are in, as a band that shows how hot it is, and when they were told.
  function monitors(scene) {
    const group = svg("g", {});
    for (const item of scene.index.states.touching(scene.first, scene.last, 2000)) {
      const column = scene.columns.get(item.about.lane);
      if (!column) continue;
      const top = scene.y(item.begin);
      const height = Math.max(2, scene.y(item.end) - top);
      const width = column.isNarrow ? 8 : column.width - 12;
      group.append(svg("rect", {x: column.x - width / 2, y: top, width, height, class: `heat ${item.about.heat}`},
        svg("title", {}, sennit.cut(`${item.about.lane.name}: ${item.about.state}`, 200))));
    }
    return group;
  }

  function told(scene, row, y) {
    const marks = [];
    for (const [lane, records] of scene.toldIn(row.step)) {
      const column = scene.columns.get(lane);
      if (!column) continue;
      if (column.isNarrow) {
        marks.push(svg("circle", {cx: column.x, cy: y, r: 3, class: "told"}));
        continue;
      }
      const last = records[records.length - 1];
      const more = records.length > 1 ? ` +${records.length - 1}` : "";
      const text = fitting(last.event, scene.pill - 10 - widthOf(more, "event"), "event") + more;
      marks.push(svg("rect", {x: column.x - scene.pill / 2, y: y - HALF, width: scene.pill, height: 2 * HALF, rx: 4,
        class: `pill told${row.step === scene.model.failure ? " failed" : ""}`}),
      svg("text", {x: column.x, y: y + 4, class: "event", "text-anchor": "middle"}, text));
    }
    return marks;
  }

  // ---- Messages -------------------------------------------------------------------------------------

  // A message is one path, head and all: there may be hundreds in sight.
  function message(scene, item) {
    const m = item.about;
    const from = scene.columns.get(m.from);
    const to = scene.columns.get(m.to);
    if (!from || !to) return null;
    const way = wayOf(scene, item, from, to);
    scene.ways.push({number: m.number, ...way});
    const classes = ["message", m.fate, scene.isNoise(m) ? "noise" : "", scene.isNear(m) ? "near" : "", m.delayed ? "delayed" : "",
      m.copied ? "copied" : ""].filter(Boolean).join(" ");
    return svg("path", {d: way.path, class: classes, "data-message": m.number});
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
      return {x1: side + 16, y1, x2: side + 16, y2,
        path: `M${side},${y1 - HALF}C${side + 22},${y1} ${side + 22},${y2} ${side},${y2}${barbs(side, y2, Math.PI)}`};
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
    const end = m.fate === "pending" ? `m-2.5,0a2.5,2.5 0 1 0 5,0a2.5,2.5 0 1 0 -5,0`
      : `M${x2 - 4},${y2 - 4}l8,8M${x2 - 4},${y2 + 4}l8,-8`;
    return {x1, y1, x2, y2, path: `M${x1},${y1}L${x2},${y2}${end}`};
  }

  function barbs(x, y, angle) {
    const point = (turn) => `${(x - 7 * Math.cos(angle + turn)).toFixed(1)},${(y - 7 * Math.sin(angle + turn)).toFixed(1)}`;
    return `M${point(0.42)}L${x},${y}L${point(-0.42)}`;
  }

  // Of messages that only pass by, some are enough where there are very many.
  const PASSING_MOST = 120;

  function messages(scene) {
    const group = svg("g", {});
    let passing = 0;
    for (const item of scene.index.messages.touching(scene.first, scene.last, 1500)) {
      const isPassing = item.begin < scene.first && item.end > scene.last;
      if (isPassing && !scene.isNear(item.about) && ++passing > PASSING_MOST) continue;
      const drawn = message(scene, item);
      if (drawn) group.append(drawn);
      if (drawn && item.about.copied) group.append(doubled(scene.ways[scene.ways.length - 1]));
    }
    return group;
  }

  const doubled = ({x1, y1, x2, y2}) => svg("text", {x: (x1 + x2) / 2, y: (y1 + y2) / 2, class: "tag"}, "\u00d72");

  // A timer that is chosen shows when it was started.
  function timers(scene) {
    const group = svg("g", {class: "timers"});
    for (const timer of scene.timersOf(scene.selected)) {
      const column = scene.columns.get(timer.lane);
      if (!column || !timer.end) continue;
      const x = column.x - scene.pill / 2 - 4;
      const y1 = scene.y(scene.rowOf[timer.begin]);
      const y2 = scene.y(scene.rowOf[timer.end]);
      group.append(svg("path", {d: `M${x + 4},${y1}H${x}V${y2}H${x + 4}`, class: `timer-span ${timer.fate}`}));
    }
    return group;
  }

  // ---- Orders that are needed -----------------------------------------------------------------------

  // Exceptions to the default schedule say less than orders that are needed: where there are many, only
  // the one that is chosen.
  const isDrawn = (scene, edge) => !edge.isHold || scene.edges.length <= 6 || edge.key === scene.chosenEdge;

  function edges(scene) {
    const group = svg("g", {});
    for (const item of scene.index.edges.touching(scene.first, scene.last)) {
      const edge = item.about;
      if (!isDrawn(scene, edge)) continue;
      const from = scene.columns.get(scene.laneOf(edge.first));
      const to = scene.columns.get(edge.ghost ? edge.ghost.lane : scene.laneOf(edge.second));
      if (!from || !to) continue;
      const y1 = scene.y(scene.rowOf[edge.first]);
      const y2 = scene.y(edge.ghost ? edge.ghostRow : scene.rowOf[edge.second]);
      // Beside a lane of its own, on the way to another one.
      const same = from.x === to.x;
      const side = same ? (from.x + scene.pill + 60 > scene.right ? -1 : 1) : Math.sign(to.x - from.x);
      const x1 = from.x + side * scene.pill / 2;
      const end = same ? side : -side;
      const x2 = to.x + end * scene.pill / 2;
      const bow = same ? 26 + Math.min(30, Math.abs(y2 - y1) / 12) : 30;
      const path = `M${x1},${y1}C${x1 + side * bow},${y1} ${x2 + end * bow},${y2} ${x2 + end * 3},${y2}`;
      group.append(svg("g", {class: edgeClass(scene, edge), "data-edge": edge.key},
        svg("path", {d: path, class: "wire"}),
        svg("path", {d: head(x2 + end, y2, end > 0 ? Math.PI : 0, 9), class: "head"})));
    }
    return group;
  }

  const edgeClass = (scene, edge) => ["edge", edge.isWeak ? "weak" : "", edge.isDecisive ? "decisive" : "",
    edge.isReversed ? "reversed" : "", edge.key === scene.chosenEdge ? "near" : ""].filter(Boolean).join(" ");

  // What the orders say, beside the step that comes second; the first has only their numbers. Of
  // several the one that matters most, and the numbers of the others.
  function edgeWords(scene, step) {
    const all = scene.edgesAt(step).filter((edge) => edge.second === step && edge.label !== "")
      .sort((a, b) => b.isDecisive - a.isDecisive || a.number - b.number);
    if (all.length === 0) return "";
    const [first, ...others] = all;
    const also = others.length > 0 ? ` (also ${others.map((edge) => edge.number).sort((a, b) => a - b).join(", ")})` : "";
    return `${first.number}: ${first.isReversed ? "the other way round here; " : ""}${first.label}${also}`;
  }

  // ---- Rows -----------------------------------------------------------------------------------------

  // Small pictures for what is no message: not every font has signs for them.
  const GLYPHS = {
    timer: "M0-4.5A4.5 4.5 0 1 0 .01-4.5M0-2.5V0L2 1.5",
    start: "M-3-4L4 0L-3 4Z",
    fault: "M1-5L-3 1H0L-1 5L3-1H0Z",
  };

  // A step that begins or ends an operation of a client is called after that.
  function nameOf(step) {
    const operation = sennit.list(step.details).filter((r) => r.operation !== undefined).pop();
    if (operation) return `${operation.operation} ${operation.text}`;
    return step.op === "start" ? "start" : step.event;
  }

  // Where one event stands for many kinds, its payload tells them apart: the kind belongs to the name.
  function nameFitting(step, kind, room) {
    const name = nameOf(step);
    const whole = kind && name === step.event ? `${name} ${kind}` : name;
    if (widthOf(whole, "event") <= room) return whole;
    return fitting(whole === name ? name : kind, room, "event");
  }

  function pill(scene, row, y) {
    const step = scene.model.steps[row.step];
    const lane = scene.laneOf(row.step);
    const column = scene.columns.get(lane);
    if (!column) return [];
    const classes = ["pill", step.op, row.step === scene.model.failure ? "failed" : "", scene.edgesAt(row.step).some((edge) => !edge.isWeak) ? "needed" : "",
      scene.isHit(row.step) ? "hit" : "", scene.details(row.step).halts ? "halts" : ""].filter(Boolean).join(" ");
    const room = scene.pill - 10 - (GLYPHS[step.op] ? 14 : 0);
    const name = nameFitting(step, scene.details(row.step).kind, room);
    const mark = svg("g", {class: "step", "data-step": row.step},
      svg("rect", {x: column.x - scene.pill / 2, y: y - HALF, width: scene.pill, height: 2 * HALF, rx: 4, class: classes}),
      svg("text", {x: column.x + (GLYPHS[step.op] ? 7 : 0), y: y + 4, class: "event", "text-anchor": "middle"}, name),
      GLYPHS[step.op] ? svg("path", {d: GLYPHS[step.op], class: `glyph ${step.op}`,
        transform: `translate(${column.x - widthOf(name, "event") / 2 - 5},${y})`}) : null);
    return [mark, words(scene, row, y, column), badges(scene, row.step, column, y)];
  }

  // Numbers of the orders that a step is part of, outside the corner of its mark.
  function badges(scene, step, column, y) {
    const numbers = new Set(scene.edgesAt(step).filter((edge) => edge.number > 0 && isDrawn(scene, edge)).map((edge) => edge.number));
    return numbers.size === 0 ? null : svg("g", {class: "badges"}, [...numbers].slice(0, 6).map((number, i) => badge(number,
      column.x - scene.pill / 2 - 1 - 12 * i, y - HALF + 1)));
  }

  const badge = (number, x, y) => svg("g", {class: "badge"}, svg("circle", {cx: x, cy: y, r: number > 9 ? 8 : 6.5}),
    svg("text", {x, y: y + 3, "text-anchor": "middle"}, number));

  // The rest of the row says what the step was about: on the side that its message does not come
  // from, if there is room.
  function words(scene, row, y, column) {
    const step = scene.model.steps[row.step];
    const said = edgeWords(scene, row.step);
    const target = said && step.op === "fault" ? `${scene.details(row.step).words} \u00b7 ` : "";
    const needed = said && target + said;
    const text = needed || (scene.showsPayloads ? scene.details(row.step).words : "");
    if (!text) return null;
    const from = step.from === undefined ? null : scene.columns.get(scene.model.laneOf(step.from));
    const near = scene.pill / 2 + (needed ? 46 : 9);
    const room = {right: endOfRoom(scene, row.step) - column.x - near, left: column.x - near - scene.gutter};
    const wanted = from && from.x > column.x ? "left" : "right";
    const other = wanted === "left" ? "right" : "left";
    const isGood = needed ? room[wanted] > widthOf(needed, "needed") : room[wanted] > 120;
    const side = isGood || room[wanted] > room[other] ? wanted : other;
    const gap = side !== wanted && from ? near + 16 : near; // where a message comes in, its head stays in sight
    const kind = needed ? "needed" : "payload";
    return svg("text", {x: side === "right" ? column.x + gap : column.x - gap, y: y + 4, class: kind,
      "text-anchor": side === "right" ? "start" : "end"}, fitting(text, Math.min(room[side] + near - gap, 560), kind));
  }

  // Words end where a monitor is told something.
  function endOfRoom(scene, step) {
    let end = scene.right;
    for (const [lane] of scene.toldIn(step)) {
      const column = scene.columns.get(lane);
      if (column) end = Math.min(end, column.isNarrow ? column.left : column.x - scene.pill / 2 - 6);
    }
    return end;
  }

  function gutter(scene, row, y, before) {
    const step = scene.model.steps[row.step];
    const parts = [svg("text", {x: 38, y: y + 4, class: "number", "text-anchor": "end"}, row.step)];
    if (step && (!before || scene.model.steps[before.step].time_ns !== step.time_ns)) {
      parts.push(svg("text", {x: 86, y: y + 4, class: "time", "text-anchor": "end"}, sennit.time(step.time_ns || 0)));
    }
    return parts;
  }

  // What goes round for ever is marked at the edge.
  function round(scene, row, y) {
    const isIn = scene.cycle && row.step > scene.cycle.from && row.step <= scene.cycle.to;
    return isIn ? svg("rect", {x: 6, y: y - sennit.ROW / 2, width: 3, height: sennit.ROW, class: "round"}) : null;
  }

  function risk(scene, row, y) {
    const share = scene.risk ? scene.risk[row.step] : NaN;
    return !(share >= 0) ? null : svg("rect", {x: 0, y: y - sennit.ROW / 2, width: 4, height: sennit.ROW, class: "risk",
      "fill-opacity": Math.max(0.06, share)}, svg("title", {}, `${Math.round(100 * share)} of 100 continuations fail after this step`));
  }

  // A row that speaks of the whole trial.
  function strip(scene, y, kind, text) {
    return svg("g", {class: `strip ${kind}`},
      svg("rect", {x: 0, y: y - sennit.ROW / 2 + 2, width: scene.width, height: sennit.ROW - 4}),
      svg("text", {x: 12, y: y + 4}, fitting(text, scene.visibleWidth - 30, "strip"), svg("title", {}, sennit.cut(text, 2000))));
  }

  // What lies under the messages on a row, and what lies over them.
  function row(scene, number) {
    const row = scene.rows[number];
    const y = scene.y(number);
    const isChosen = (row.kind === "step" || row.kind === "setup") && row.step === scene.selected;
    const isFault = row.kind === "step" && scene.model.steps[row.step].op === "fault";
    const classes = `row ${row.kind}${isFault ? " strikes" : ""}${isChosen ? " chosen" : ""}${scene.isDim(row) ? " dim" : ""}`;
    const under = svg("g", {class: classes, "data-row": number},
      svg("rect", {x: 0, y: y - sennit.ROW / 2, width: scene.width, height: sennit.ROW, class: "band"}),
      row.kind === "step" || row.kind === "setup" ? [risk(scene, row, y), round(scene, row, y)] : null);
    const over = svg("g", {class: classes, "data-row": number});
    if (row.kind === "step") {
      over.append(...gutter(scene, row, y, scene.rows[number - 1]), ...told(scene, row, y), ...pill(scene, row, y).filter(Boolean));
      option(over, scene, row.step, isChosen);
    } else if (row.kind === "setup") {
      over.append(svg("text", {x: 38, y: y + 4, class: "number", "text-anchor": "end"}, "0"),
        svg("text", {x: scene.gutter, y: y + 4, class: "payload"}, "set-up of the test"));
      option(over, scene, 0, isChosen);
    } else if (row.kind === "gap") {
      over.append(svg("text", {x: scene.gutter, y: y + 4, class: "payload"},
        `\u22ef ${sennit.count(row.to - row.step + 1, "step")} hidden: show`));
    } else if (row.kind === "ghost") over.append(...ghost(scene, row, y));
    else over.append(strip(scene, y, row.kind, scene.stripWords[row.kind]));
    return [under, over];
  }

  function option(group, scene, step, isChosen) {
    sennit.fill(group, {role: "option", id: `step-${step}`, "aria-selected": String(isChosen), "aria-posinset": step + 1,
      "aria-setsize": scene.model.steps.length, "aria-label": sennit.sayStep(scene.model, step)}, []);
  }

  function ghost(scene, row, y) {
    const {edge} = row;
    const column = scene.columns.get(edge.ghost.lane);
    if (!column) return [];
    const words = `${edge.number}: could run, but never did. ${edge.label}`;
    const isLeft = scene.right - column.x < column.x - scene.gutter;
    return [svg("rect", {x: column.x - scene.pill / 2, y: y - HALF, width: scene.pill, height: 2 * HALF, rx: 4, class: "pill ghost needed"}),
      svg("text", {x: column.x, y: y + 4, class: "event", "text-anchor": "middle"}, fitting(edge.ghost.event || "start", scene.pill - 8, "event")),
      badge(edge.number, column.x - scene.pill / 2 + 2, y - HALF + 1),
      svg("text", {x: column.x + (isLeft ? -1 : 1) * (scene.pill / 2 + 60), y: y + 4, class: "needed",
        "text-anchor": isLeft ? "end" : "start"}, fitting(words, (isLeft ? column.x - scene.gutter : scene.right - column.x) - scene.pill / 2 - 60,
        "needed"))];
  }

  // The whole window, from back to front.
  sennit.drawTimers = timers;
  sennit.drawScene = function drawScene(scene) {
    const under = svg("g", {});
    const over = svg("g", {});
    for (let number = scene.first; number <= scene.last; number++) {
      const [back, front] = row(scene, number);
      under.append(back);
      over.append(front);
    }
    return [under, cuts(scene), lanes(scene), monitors(scene), downs(scene), operations(scene), messages(scene), timers(scene),
      over, edges(scene)];
  };
}
