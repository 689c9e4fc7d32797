// rows.js - the rows of the diagram: the mark of each step, and the words beside it.

{
  const {svg, fitting, widthOf} = sennit;
  const {HALF} = sennit;

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
      marks.push(
        svg("rect", {
          x: column.x - scene.pill / 2,
          y: y - HALF,
          width: scene.pill,
          height: 2 * HALF,
          rx: 4,
          class: `pill told${row.step === scene.model.failure ? " failed" : ""}`,
        }),
        svg("text", {x: column.x, y: y + 4, class: "event", "text-anchor": "middle"}, text)
      );
    }
    return marks;
  }

  // Small pictures for what is no message: not every font has signs for them.
  const GLYPHS = {
    timer: "M0-4.5A4.5 4.5 0 1 0 .01-4.5M0-2.5V0L2 1.5",
    start: "M-3-4L4 0L-3 4Z",
    fault: "M1-5L-3 1H0L-1 5L3-1H0Z",
  };

  // A step that begins or ends an operation of a client is called after that.
  function nameOf(step) {
    const operation = sennit
      .list(step.details)
      .filter((r) => r.operation !== undefined)
      .pop();
    if (operation) return `${operation.operation} ${operation.text}`;
    return step.op === "start" ? "start" : step.event;
  }

  // Where one event stands for many kinds, its payload tells them apart: the kind belongs to the name.
  function nameFitting(step, kind, room) {
    const name = nameOf(step);
    const about = name.replace(/^(send|spawn) /, ""); // matters more than that it is sent
    const isEvent = kind && name === step.event && !name.endsWith(kind);
    const names =
      about !== name
        ? [isEvent ? `${name} ${kind}` : name, name, about]
        : isEvent
          ? [`${name} ${kind}`, kind]
          : [name];
    return names.find((one) => widthOf(one, "event") <= room) ?? fitting(names[names.length - 1], room, "event");
  }

  function pill(scene, row, y) {
    const step = scene.model.steps[row.step];
    const lane = scene.laneOf(row.step);
    const column = scene.columns.get(lane);
    if (!column) return [];
    const classes = [
      "pill",
      step.op,
      row.step === scene.model.failure ? "failed" : "",
      scene.edgesAt(row.step).some((edge) => !edge.isWeak && !edge.isValue) ? "needed" : "",
      scene.isHit(row.step) ? "hit" : "",
      scene.details(row.step).halts ? "halts" : "",
    ]
      .filter(Boolean)
      .join(" ");
    const room = scene.pill - 10 - (GLYPHS[step.op] ? 14 : 0);
    const name = nameFitting(step, scene.details(row.step).kind, room);
    const mark = svg(
      "g",
      {class: "step", "data-step": row.step},
      svg("rect", {
        x: column.x - scene.pill / 2,
        y: y - HALF,
        width: scene.pill,
        height: 2 * HALF,
        rx: 4,
        class: classes,
      }),
      svg(
        "text",
        {x: column.x + (GLYPHS[step.op] ? 7 : 0), y: y + 4, class: "event", "text-anchor": "middle"},
        name
      ),
      GLYPHS[step.op]
        ? svg("path", {
            d: GLYPHS[step.op],
            class: `glyph ${step.op}`,
            transform: `translate(${column.x - widthOf(name, "event") / 2 - 5},${y})`,
          })
        : null
    );
    return [mark, words(scene, row, y, column), badges(scene, row.step, column, y)];
  }

  // Numbers of the orders that a step is part of, outside the corner of its mark.
  function badges(scene, step, column, y) {
    const numbers = new Set(
      scene
        .edgesAt(step)
        .filter((edge) => edge.number > 0 && sennit.isEdgeDrawn(scene, edge))
        .map((edge) => edge.number)
    );
    return numbers.size === 0
      ? null
      : svg(
          "g",
          {class: "badges"},
          [...numbers]
            .slice(0, 6)
            .map((number, i) => badge(number, column.x - scene.pill / 2 - 1 - 12 * i, y - HALF + 1))
        );
  }

  const badge = (number, x, y) =>
    svg(
      "g",
      {class: "badge"},
      svg("circle", {cx: x, cy: y, r: number > 9 ? 8 : 6.5}),
      svg("text", {x, y: y + 3, "text-anchor": "middle"}, number)
    );

  // The rest of the row says what the step was about: on the side that its message does not come
  // from, if there is room.
  function words(scene, row, y, column) {
    const step = scene.model.steps[row.step];
    const said = sennit.sayEdges(scene, row.step);
    const target = step.op === "fault" ? scene.details(row.step).words : "";
    const needed = said && [target, said].filter(Boolean).join(" \u00b7 ");
    const text = needed || (scene.showsPayloads ? scene.details(row.step).words : "");
    if (!text) return null;
    const from = step.from === undefined ? null : scene.columns.get(scene.model.laneOf(step.from));
    // Where orders begin or end, their edges stay in sight.
    const isTied = scene.edgesAt(row.step).some((edge) => !edge.isValue && sennit.isEdgeDrawn(scene, edge));
    const near = scene.pill / 2 + (isTied ? 46 : 9);
    const room = {right: endOfRoom(scene, row.step) - column.x - near, left: column.x - near - scene.gutter};
    const wanted = from && from.x > column.x ? "left" : "right";
    const other = wanted === "left" ? "right" : "left";
    const isGood = needed ? room[wanted] > widthOf(needed, "needed") : room[wanted] > 120;
    const side = isGood || room[wanted] > room[other] ? wanted : other;
    const gap = side !== wanted && from ? near + 16 : near; // where a message comes in, its head stays in sight
    const kind = needed ? "needed" : "payload";
    const way = side === "right" ? 1 : -1;
    const fit = fitting(text, Math.min(room[side] + near - gap, Math.max(560, scene.visibleWidth * 0.6)), kind);
    return beside(column.x + way * gap, y, way, fit, kind);
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
      parts.push(
        svg("text", {x: 86, y: y + 4, class: "time", "text-anchor": "end"}, sennit.time(step.time_ns || 0))
      );
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
    return !(share >= 0)
      ? null
      : svg(
          "rect",
          {
            x: 0,
            y: y - sennit.ROW / 2,
            width: 4,
            height: sennit.ROW,
            class: "risk",
            "fill-opacity": Math.max(0.06, share),
          },
          svg("title", {}, `${Math.round(100 * share)} of 100 continuations fail after this step`)
        );
  }

  // A row that speaks of the whole trial.
  function strip(scene, y, kind, text) {
    return svg(
      "g",
      {class: `strip ${kind}`},
      svg("rect", {x: 0, y: y - sennit.ROW / 2 + 2, width: scene.width, height: sennit.ROW - 4}),
      svg(
        "text",
        {x: 12, y: y + 4},
        fitting(text, scene.visibleWidth - 30, "strip"),
        svg("title", {}, sennit.cut(text, 2000))
      )
    );
  }

  // What lies under the messages on a row, if anything does, and what lies over them.
  sennit.drawRow = function drawRow(scene, number) {
    const row = scene.rows[number];
    const y = scene.y(number);
    const isChosen = (row.kind === "step" || row.kind === "setup") && row.step === scene.selected;
    const isFault = row.kind === "step" && scene.model.steps[row.step].op === "fault";
    const classes = `row ${row.kind}${isFault ? " strikes" : ""}${isChosen ? " chosen" : ""}${
      scene.isDim(row) ? " dim" : ""
    }`;
    const over = svg("g", {class: classes, "data-row": number}, content(scene, row, y, number));
    if (row.kind === "step" || row.kind === "setup") option(over, scene, row.step, isChosen);
    return [under(scene, row, y, isFault), over];
  };

  // Rows that speak of the whole trial lie over everything.
  sennit.isAbove = (row) => ["lost", "cycle", "verdict"].includes(row.kind);

  function under(scene, row, y, isFault) {
    if (row.kind !== "step" && row.kind !== "setup") return null;
    const marks = [
      isFault
        ? svg("rect", {x: 0, y: y - sennit.ROW / 2, width: scene.width, height: sennit.ROW, class: "band struck"})
        : null,
      risk(scene, row, y),
      round(scene, row, y),
    ].filter(Boolean);
    return marks.length > 0 ? svg("g", {}, marks) : null;
  }

  function content(scene, row, y, number) {
    if (row.kind === "step")
      return [gutter(scene, row, y, scene.rows[number - 1]), told(scene, row, y), pill(scene, row, y)];
    if (row.kind === "setup")
      return [
        svg("text", {x: 38, y: y + 4, class: "number", "text-anchor": "end"}, "0"),
        svg("text", {x: scene.gutter, y: y + 4, class: "payload"}, "set-up of the test"),
      ];
    if (row.kind === "gap")
      return svg(
        "text",
        {x: scene.gutter, y: y + 4, class: "payload"},
        `\u22ef ${sennit.count(row.to - row.step + 1, "step")} hidden: show`
      );
    return row.kind === "ghost" ? ghost(scene, row, y) : strip(scene, y, row.kind, scene.stripWords[row.kind]);
  }

  function option(group, scene, step, isChosen) {
    sennit.fill(
      group,
      {
        role: "option",
        id: `step-${step}`,
        "aria-selected": String(isChosen),
        "aria-posinset": step + 1,
        "aria-setsize": scene.model.steps.length,
        "aria-label": sennit.sayStep(scene.model, step),
      },
      []
    );
  }

  // What never ran, below the end; its words where the edge does not come in, if there is room.
  function ghost(scene, row, y) {
    const {edge} = row;
    const {lane, event, kind, others} = edge.ghost;
    const column = scene.columns.get(lane);
    const from = scene.columns.get(scene.laneOf(edge.first));
    if (!column || !from) return [];
    const more = others.length > 0 ? `, nor did ${others.length} more` : "";
    const text = `${edge.number}: never ran${more}${edge.label ? `; ${edge.label}` : ""}`;
    const {end} = sennit.sidesOf(scene, from, column);
    const gap = (side) => scene.pill / 2 + (side === end ? 60 : 10);
    const room = (side) => (side > 0 ? scene.right - column.x : column.x - scene.gutter) - gap(side);
    const side = room(-end) >= Math.min(widthOf(text, "needed"), room(end)) ? -end : end;
    const names = [`${event} ${kind}`.trim() || "start", kind || event];
    const name = names.find((one) => widthOf(one, "event") <= scene.pill - 8) || names[1];
    return [
      svg("rect", {
        x: column.x - scene.pill / 2,
        y: y - HALF,
        width: scene.pill,
        height: 2 * HALF,
        rx: 4,
        class: "pill ghost needed",
      }),
      svg(
        "text",
        {x: column.x, y: y + 4, class: "event", "text-anchor": "middle"},
        fitting(name, scene.pill - 8, "event"),
        svg("title", {}, sennit.cut([edge.ghost, ...others].map(sayGhost).join(", "), 600))
      ),
      badge(edge.number, column.x - scene.pill / 2 + 2, y - HALF + 1),
      beside(column.x + side * gap(side), y, side, fitting(text, room(side), "needed"), "needed"),
    ];
  }

  const sayGhost = ({lane, event, kind}) => `${lane.name} ${event || "start"}${kind ? ` ${kind}` : ""}`;

  // Words on a ground of their own: what passes behind them does not strike them through.
  function beside(x, y, side, text, kind) {
    if (!text) return null;
    const width = widthOf(text, kind);
    return [
      svg("rect", {x: (side > 0 ? x : x - width) - 3, y: y - 7, width: width + 6, height: 15, class: "ground"}),
      svg("text", {x, y: y + 4, class: kind, "text-anchor": side > 0 ? "start" : "end"}, text),
    ];
  }
}
