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

  // Small pictures for what is no message, and for what processes do: not every font has signs for them, and
  // there is room for what is sent rather than for "send".
  const GLYPHS = {
    timer: "M0-4.5A4.5 4.5 0 1 0 .01-4.5M0-2.5V0L2 1.5",
    start: "M-3-4L4 0L-3 4Z",
    fault: "M1-5L-3 1H0L-1 5L3-1H0Z",
    send: "M-4-4V4M-4 0H4M1.5-2.5L4 0L1.5 2.5",
    receive: "M4-4V4M-5 0H3M.5-2.5L3 0L.5 2.5",
    spawn: "M-4 0H4M0-4V4",
    monitor: "M-5 0Q0-6 5 0Q0 6-5 0M0-1A1 1 0 1 0 .01-1",
    exit: "M-3.5-3.5L3.5 3.5M-3.5 3.5L3.5-3.5",
  };
  const VERBS = {reply: "send", link: "monitor", kill: "exit", halt: "exit"};

  // Which of them a step has, or "".
  function signOf(step) {
    const verb = step.op === "do" ? sennit.string(step.event).split(" ", 1)[0] : step.op;
    const sign = Object.hasOwn(VERBS, verb) ? VERBS[verb] : verb;
    return Object.hasOwn(GLYPHS, sign) ? sign : "";
  }

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
  function nameFitting(step, kind, room, font) {
    const name = nameOf(step);
    const about = name.replace(/^(send|reply|receive|spawn|monitor|link|exit|kill) /, ""); // its sign says what is done with it
    const isEvent = kind && name === step.event && !name.endsWith(kind);
    const names =
      about !== name
        ? [isEvent ? `${name} ${kind}` : name, name, about]
        : isEvent
          ? [`${name} ${kind}`, kind]
          : [name];
    const last = names[names.length - 1];
    // Of one word both ends: what is asked and what is answered often begin in the same way.
    const cut = / /.test(last) ? fitting : sennit.fittingName;
    return names.find((one) => widthOf(one, font) <= room) ?? cut(last, room, font);
  }

  function pill(scene, row, y) {
    const step = scene.model.steps[row.step];
    const places = scene.placesOf(row.step);
    if (places.length === 0) return [];
    const classes = [
      "pill",
      step.op,
      row.step === scene.model.failure ? "failed" : "",
      scene.edgesAt(row.step).some((edge) => !edge.isWeak && !edge.isLess && !edge.isValue) ? "needed" : "",
      scene.isHit(row.step) ? "hit" : "",
      scene.details(row.step).halts ? "halts" : "",
    ]
      .filter(Boolean)
      .join(" ");
    const numbers = numbersAt(scene, row.step, places[0]);
    const isPushed = numbers.length > (places[0].isAcross ? 0 : 1); // one fits beside the name
    const shift = isPushed ? badgeAt(places[0], numbers.length) - places[0].left - BADGE / 2 : 0;
    const boxes = places.map((place, i) =>
      box(scene, step, place, {
        y,
        classes: place.isAcross ? `${classes} across` : classes,
        shift: i === 0 ? shift : 0,
        font: row.step === scene.model.failure ? "strong" : "event",
      })
    );
    return [
      svg(
        "g",
        {class: "step", "data-step": row.step},
        boxes.map((one) => one.marks)
      ),
      words(scene, row, y, {...places[0], named: boxes[0].end}),
    ];
  }

  // The box of a step with its sign and name, in the middle; what lies across all lanes is read from its left.
  function box(scene, step, place, {y, classes, shift, font}) {
    const sign = signOf(step);
    const left = place.left + shift;
    const signRoom = sign ? 14 : 0;
    const room = place.right - left - 10 - signRoom;
    const name = nameFitting(step, scene.details(step.step).kind, room, font);
    const width = widthOf(name, font);
    const from = place.isAcross ? left + 10 + signRoom : (left + place.right - width + signRoom) / 2;
    return {
      end: from + width,
      marks: [
        svg("rect", {
          x: place.left,
          y: y - HALF,
          width: place.right - place.left,
          height: 2 * HALF,
          rx: 4,
          class: classes,
        }),
        svg("text", {x: from, y: y + 4, class: "event"}, name),
        sign
          ? svg("path", {d: GLYPHS[sign], class: `glyph ${sign}`, transform: `translate(${from - 9},${y})`})
          : null,
      ],
    };
  }

  // Numbers of the orders that a step is part of, at the corner of its box, those that decide first; where there
  // are many, how many more.
  const BADGE = 14;

  function numbersAt(scene, step, place) {
    const most = place.right - place.left < 90 ? 2 : 3;
    const edges = scene.edgesAt(step).filter((edge) => edge.number > 0 && sennit.isEdgeDrawn(scene, edge));
    const numbers = [...new Set(edges.sort(sennit.byWeight).map((edge) => edge.number))];
    if (numbers.length <= most) return numbers;
    return [...numbers.slice(0, most - 1), `+${numbers.length - most + 1}`];
  }

  const badgeAt = (place, i) => place.left + (place.isAcross ? 9 : -3) + BADGE * i;

  function badges(scene, step, y) {
    const [place] = scene.placesOf(step);
    const numbers = place ? numbersAt(scene, step, place) : [];
    if (numbers.length === 0) return null;
    return svg(
      "g",
      {class: "badges", "data-of": step},
      numbers.map((number, i) => badge(number, badgeAt(place, i), y - HALF + 1))
    );
  }

  const badge = (number, x, y) =>
    svg(
      "g",
      {class: "badge"},
      svg("circle", {cx: x, cy: y, r: String(number).length > 1 ? 7 : 6.5}),
      svg("text", {x, y: y + 3, "text-anchor": "middle"}, number)
    );

  // What is said of a step beside its box: {text, kind, more}. What the orders say comes first, then what it
  // was about.
  function sayingsOf(scene, number) {
    const isFault = scene.model.steps[number].op === "fault";
    const orders = sennit.sayEdges(scene, number);
    const about = scene.details(number).words;
    const told = scene.showsPayloads ? about : "";
    if (!orders) return {text: told, kind: "payload", more: ""};
    const text = [isFault ? about : "", orders.text].filter(Boolean).join(" \u00b7 ");
    return {text, kind: orders.isLess ? "less" : "needed", more: isFault ? "" : told};
  }

  // In the rest of the row, beyond the channel beside the box: at the right if it fits there, else where there
  // is more room.
  function words(scene, row, y, place) {
    const {text, kind, more} = sayingsOf(scene, row.step);
    if (!text) return null;
    if (place.isAcross)
      return within(place.named + 12, y, fitting(text, place.right - place.named - 20, kind), kind);
    const most = Math.max(560, scene.visibleWidth * 0.6);
    const right = Math.min(most, endOfRoom(scene, row.step) - place.right - scene.channel);
    const left = Math.min(most, place.left - scene.channel - scene.gutter);
    const write = (side, room, from, what, how) => {
      const shown = fitting(what, room - from, how);
      const x = side > 0 ? place.right + scene.channel + from : place.left - scene.channel - from;
      return {node: beside(x, y, side, shown, how), end: from + widthOf(shown, how) + 14};
    };
    const isRight = right >= widthOf(text, kind) || right >= left;
    const [side, here, there] = isRight ? [1, right, left] : [-1, left, right];
    const first = write(side, here, 0, text, kind);
    if (!more || Math.max(here - first.end, there) < LEAST_MORE) return first.node;
    const isBehind = here - first.end >= Math.min(there, widthOf(more, "payload"));
    const second = isBehind ? write(side, here, first.end, more, "payload") : write(-side, there, 0, more, "payload");
    return [first.node, second.node];
  }

  const LEAST_MORE = 60; // pixels: less would be a scrap
  const CLASSES = {less: "needed less"};

  const within = (x, y, text, kind) => text && svg("text", {x, y: y + 4, class: CLASSES[kind] || kind}, text);

  // Words end where a monitor is told something.
  function endOfRoom(scene, step) {
    let end = scene.right;
    for (const [lane] of scene.toldIn(step)) {
      const column = scene.columns.get(lane);
      if (column) end = Math.min(end, column.isNarrow ? column.begin : column.left - 6);
    }
    return end;
  }

  // ---- The margin: steps and times, which stay where they are when lanes are scrolled --------------------

  const number = (scene, y, text) =>
    svg("text", {x: scene.margin.numberEnd, y: y + 4, class: "number", "text-anchor": "end"}, text);

  function timeOf(scene, row, y, before) {
    const step = scene.model.steps[row.step];
    if (!step || (before && scene.model.steps[before.step].time_ns === step.time_ns)) return null;
    const text = sennit.time(step.time_ns || 0);
    return svg("text", {x: scene.margin.timeEnd, y: y + 4, class: "time", "text-anchor": "end"}, text);
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
      svg("rect", {x: 0, y: y - sennit.ROW / 2 + 2, width: scene.visibleWidth, height: sennit.ROW - 4}),
      svg(
        "text",
        {x: 12, y: y + 4},
        fitting(text, scene.visibleWidth - 30, "strip"),
        svg("title", {}, sennit.cut(text, 2000))
      )
    );
  }

  // Steps that are hidden: who follows it, by the pointer or by a key, gets them.
  function gap(scene, row, y) {
    const text = `\u22ef ${sennit.count(row.to - row.step + 1, "step")} hidden: show`;
    const width = widthOf(text, "event") + 6;
    return svg(
      "g",
      {class: "opens", tabindex: 0, role: "button", "aria-label": text.slice(2)},
      svg("rect", {x: scene.gutter - 3, y: y - 9, width, height: 18, rx: 4, class: "ground"}),
      svg("text", {x: scene.gutter, y: y + 4, class: "payload"}, text)
    );
  }

  function margin(scene, row, y, before) {
    if (row.kind === "step" || row.kind === "setup")
      return [
        risk(scene, row, y),
        round(scene, row, y),
        number(scene, y, row.step),
        row.kind === "step" ? timeOf(scene, row, y, before) : null,
      ];
    if (row.kind === "gap") return gap(scene, row, y);
    return strip(scene, y, row.kind, scene.stripWords[row.kind]);
  }

  // ---- A row -----------------------------------------------------------------------------------------

  // What a row has in each layer, or null: `under` its words, its box and its words `over` that, what is at the
  // `side`, and what is on `top` of messages.
  sennit.drawRow = function drawRow(scene, index) {
    const row = scene.rows[index];
    const y = scene.y(index);
    const isStep = row.kind === "step" || row.kind === "setup";
    const isChosen = isStep && row.step === scene.selected;
    const isFault = row.kind === "step" && scene.model.steps[row.step].op === "fault";
    const classes = `${row.kind}${isFault ? " strikes" : ""}${isChosen ? " chosen" : ""}${
      scene.isDim(row) ? " dim" : ""
    }`;
    const over =
      isStep || row.kind === "ghost"
        ? svg("g", {class: `row ${classes}`, "data-row": index}, content(scene, row, y))
        : null;
    if (isStep) option(over, scene, row.step, isChosen);
    return {
      under: isFault
        ? svg("rect", {x: 0, y: y - sennit.ROW / 2, width: scene.width, height: sennit.ROW, class: "band struck"})
        : null,
      over,
      side:
        row.kind === "ghost"
          ? null
          : svg("g", {class: classes, "data-row": index}, margin(scene, row, y, scene.rows[index - 1])),
      top: row.kind === "step" ? badges(scene, row.step, y) : null,
    };
  };

  function content(scene, row, y) {
    if (row.kind === "step") return [told(scene, row, y), pill(scene, row, y)];
    if (row.kind === "setup")
      return svg("text", {x: scene.gutter, y: y + 4, class: "payload"}, "set-up of the test");
    return ghost(scene, row, y);
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

  // What never ran, below the end; its words at the right, if there is room.
  function ghost(scene, row, y) {
    const {edge} = row;
    const {lane, event, kind, others} = edge.ghost;
    const column = scene.columns.get(lane);
    if (!column) return [];
    const more = others.length > 0 ? `, nor did ${others.length} more` : "";
    const text = `${edge.number}: never ran${more}${edge.label ? `; ${edge.label}` : ""}`;
    const room = {
      right: scene.right - column.right - scene.channel,
      left: column.left - scene.channel - scene.gutter,
    };
    const side = room.right >= Math.min(widthOf(text, "needed"), room.left) ? 1 : -1;
    const names = [`${event} ${kind}`.trim() || "start", kind || event];
    const name = names.find((one) => widthOf(one, "event") <= scene.pill - 8) || names[1];
    return [
      svg("rect", {
        x: column.x - scene.pill / 2,
        y: y - HALF,
        width: scene.pill,
        height: 2 * HALF,
        rx: 4,
        class: `pill ghost ${edge.isLess ? "less" : "needed"}`,
      }),
      svg(
        "text",
        {x: column.x, y: y + 4, class: "event", "text-anchor": "middle"},
        fitting(name, scene.pill - 8, "event"),
        svg("title", {}, sennit.cut([edge.ghost, ...others].map(sayGhost).join(", "), 600))
      ),
      badge(edge.number, column.left - 3, y - HALF + 1),
      beside(
        side > 0 ? column.right + scene.channel : column.left - scene.channel,
        y,
        side,
        fitting(text, side > 0 ? room.right : room.left, "needed"),
        edge.isLess ? "less" : "needed"
      ),
    ];
  }

  const sayGhost = ({lane, event, kind}) => `${lane.name} ${event || "start"}${kind ? ` ${kind}` : ""}`;

  // Words on a ground of their own: what passes behind them does not strike them through.
  function beside(x, y, side, text, kind) {
    if (!text) return null;
    const width = widthOf(text, kind);
    return [
      svg("rect", {x: (side > 0 ? x : x - width) - 3, y: y - 7, width: width + 6, height: 15, class: "ground"}),
      svg("text", {x, y: y + 4, class: CLASSES[kind] || kind, "text-anchor": side > 0 ? "start" : "end"}, text),
    ];
  }
}
