// layout.js - where everything goes on the diagram: a column for each lane, a row for each step that is
// shown. One step a row leaves the rest of the row free for words.

{
  sennit.ROW = 24;
  sennit.HALF = 9; // of the height of a mark
  const WIDE = {least: 64, usual: 84, most: 280};
  const NARROW = 26;
  const EDGE = 12; // at the left, for the edge of risk; at the right of the last lane

  // How wide the columns of steps and times are: as wide as what they hold. Of a long trial some times are
  // looked at: the longest are many.
  sennit.layOutMargin = function layOutMargin(model) {
    const every = Math.ceil(model.steps.length / 5000);
    let longest = "time";
    for (let step = 1; step < model.steps.length; step += every) {
      const time = sennit.time(model.steps[step].time_ns || 0);
      if (time.length > longest.length) longest = time;
    }
    const number = Math.max(sennit.widthOf("step", "time"), sennit.widthOf(String(model.count), "number"));
    const numberEnd = Math.ceil(EDGE + Math.max(26, number));
    const timeEnd = Math.ceil(numberEnd + 10 + Math.max(30, sennit.widthOf(longest, "time") + 2));
    return {numberEnd, timeEnd, width: timeEnd + 6};
  };

  // Lanes as wide as there is room for, with some left for the words of the last one; narrower than usual
  // only where that makes all of them fit.
  function sizeOf(free, count, hasWords) {
    const even = free / Math.max(1, count);
    if (even < WIDE.usual) return Math.floor(even >= WIDE.least ? even : WIDE.usual);
    const spare = hasWords ? Math.min(240, free / 5) : 0;
    return Math.floor(Math.max(Math.min(even, 150), Math.min(WIDE.most, (free - spare) / Math.max(1, count))));
  }

  // Between the boxes of two lanes, where messages run.
  const channelOf = (size) => Math.round(Math.max(14, Math.min(26, size / 7)));

  // Lanes from left to right: machines, those of a node together, then monitors, the one that failed
  // first. Faults have none: they strike across.
  sennit.orderLanes = function orderLanes(model) {
    const nodes = new Map();
    const machines = model.lanes.filter(
      (lane) => lane.kind === "machine" && (lane.steps.length > 0 || lane.type !== "")
    );
    for (const lane of machines) {
      const key = lane.node ? `node ${lane.node}` : `lane ${lane.name}`;
      if (!nodes.has(key)) nodes.set(key, []);
      nodes.get(key).push(lane);
    }
    const monitors = model.lanes
      .filter((lane) => lane.kind === "monitor")
      .sort((a, b) => (b === model.monitor) - (a === model.monitor));
    return [...[...nodes.values()].flat(), ...monitors];
  };

  // Lanes that say nothing are not shown unless they are asked for: monitors that saw nothing go
  // wrong, machines that took no step and, where there are many, those that the failure does not
  // depend on.
  sennit.quietLanes = function quietLanes(model, past) {
    const quiet = new Set();
    const isCrowded = sennit.orderLanes(model).filter((lane) => lane.kind === "machine").length > 7;
    for (const lane of model.lanes) {
      const isInPast = !past || lane.steps.some((step) => past[step.step] === 1);
      if (lane.kind === "monitor" && lane !== model.monitor && lane.states.length <= 1) quiet.add(lane.name);
      else if (lane.kind === "machine" && (lane.steps.length === 0 || (isCrowded && !isInPast)))
        quiet.add(lane.name);
    }
    return quiet;
  };

  // Which lanes share a column: where there are many, machines of one type that live shortly, one
  // after another.
  function shareColumns(model, shown) {
    const groups = [];
    const isCrowded = shown.filter((lane) => lane.kind === "machine").length > 9;
    const alike = (lane) =>
      shown.filter((one) => one.kind === "machine" && one.type === lane.type && one.steps.length <= 8).length;
    for (const lane of shown) {
      const isShort =
        isCrowded &&
        lane.kind === "machine" &&
        lane.steps.length > 0 &&
        lane.steps.length <= 8 &&
        alike(lane) >= 3;
      const free =
        isShort &&
        groups.find(
          (group) => group.isShort && group.lanes[0].type === lane.type && group.end < lane.steps[0].step
        );
      const end = isShort ? lane.steps[lane.steps.length - 1].step : 0;
      if (free) {
        free.lanes.push(lane);
        free.end = end;
      } else groups.push({lanes: [lane], isShort, end});
    }
    return groups.map((group) => group.lanes);
  }

  // {columns: by lane, channels: where they are, from left to right, pill: how wide boxes are, ...}
  sennit.layOutLanes = function layOutLanes(model, hidden, width, margin) {
    const shown = shareColumns(
      model,
      sennit.orderLanes(model).filter((lane) => !hidden.has(lane.name))
    );
    const isNarrow = ([lane]) => lane.kind === "monitor" && lane !== model.monitor;
    const wide = shown.filter((lanes) => !isNarrow(lanes)).length;
    const free = width - margin.width - EDGE - (shown.length - wide) * NARROW;
    const size = sizeOf(
      free,
      wide,
      shown.every(([lane]) => lane !== model.monitor)
    );
    const channel = channelOf(size);
    const columns = new Map();
    const channels = [];
    let x = margin.width;
    shown.forEach((lanes, index) => {
      const laneWidth = isNarrow(lanes) ? NARROW : size;
      const middle = x + laneWidth / 2;
      const column = {
        lane: lanes[0],
        lanes,
        first: index,
        last: index,
        left: middle - (size - channel) / 2,
        right: middle + (size - channel) / 2,
        begin: x,
        width: laneWidth,
        x: middle,
        isNarrow: isNarrow(lanes),
      };
      for (const lane of lanes) columns.set(lane, column);
      channels.push(x);
      x += laneWidth;
    });
    const layout = {
      columns,
      channels: [...channels, x],
      channel,
      margin,
      gutter: margin.width,
      pill: size - channel,
      width: Math.max(x + EDGE, width),
      right: Math.max(x, width - 16), // words may go on where no lane is any more
    };
    layout.across = across(layout);
    return layout;
  };

  // What is about all machines: it has a box as wide as all of them, with the channels at both ends.
  function across({columns, channels}) {
    const last = Math.max(
      0,
      ...[...columns.values()].filter(({lane}) => lane.kind === "machine").map((c) => c.last)
    );
    const left = channels[0] - 3;
    const right = (channels[last + 1] ?? channels[0]) + 3;
    return {isAcross: true, left, right, x: (left + right) / 2, first: 0, last};
  }

  // Where a fault is drawn: over the lanes of the node that it strikes; one that strikes the network, or a node
  // that is not shown, across all lanes. The first is the one that words and orders are at.
  sennit.placesOfFault = function placesOfFault(model, layout, step) {
    const nodes = new Set(
      sennit
        .list(step.details)
        .filter((r) => r.fault !== undefined && r.event === undefined && !["cut", "heal"].includes(r.fault))
        .map((r) => r.node)
    );
    const struck = new Set(
      model.lanes
        .filter((lane) => nodes.has(lane.node) && layout.columns.has(lane))
        .map((lane) => layout.columns.get(lane))
    );
    const places = [];
    for (const column of [...struck].sort((a, b) => a.x - b.x)) {
      const before = places[places.length - 1];
      if (before && before.last + 1 === column.first) {
        before.last = column.last;
        before.right = column.right;
        before.x = (before.left + before.right) / 2;
      } else places.push({...column});
    }
    return places.length > 0 ? places : [layout.across];
  };

  // Rows from top to bottom: the set-up, steps that are kept, one row for each run of steps that are
  // not, and rows of their own for what is said about the whole trial: where it was lost, what
  // comes again and again, how it failed, what never ran. Returns the rows, and for each step the row
  // that it is on (or hidden in).
  sennit.layOutRows = function layOutRows(model, {isKept, opened, lost, cycle, ghosts}) {
    const rows = [{kind: "setup", step: 0}];
    const rowOf = new Int32Array(model.steps.length);
    for (let step = 1; step < model.steps.length; step++) {
      const last = rows[rows.length - 1];
      if (isKept(step) || opened.has(step)) rows.push({kind: "step", step});
      else if (last.kind === "gap") last.to = step;
      else rows.push({kind: "gap", step, to: step});
      rowOf[step] = rows.length - 1;
      if (step === lost) rows.push({kind: "lost", step});
      if (step === cycle) rows.push({kind: "cycle", step});
      if (step === model.failure) rows.push({kind: "verdict", step});
    }
    if (model.failure === 0) rows.push({kind: "verdict", step: 0});
    for (const edge of ghosts) {
      edge.ghostRow = rows.length;
      rows.push({kind: "ghost", step: 0, edge});
    }
    return {rows, rowOf};
  };
}
