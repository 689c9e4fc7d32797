// layout.js - where everything goes on the diagram: a column for each lane, a row for each step that is
// shown. One step a row leaves the rest of the row free for words.

{
  sennit.ROW = 24;
  sennit.HALF = 9; // of the height of a mark
  const GUTTER = 92; // step and time
  const WIDE = {least: 84, most: 168};
  const mostOf = (width) => Math.max(WIDE.most, Math.min(280, width / 12)); // where there is room, use it
  const NARROW = 26;

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
        isCrowded && lane.kind === "machine" && lane.steps.length > 0 && lane.steps.length <= 8 && alike(lane) >= 3;
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

  sennit.layOutLanes = function layOutLanes(model, hidden, width) {
    const shown = shareColumns(
      model,
      sennit.orderLanes(model).filter((lane) => !hidden.has(lane.name))
    );
    const isNarrow = ([lane]) => lane.kind === "monitor" && lane !== model.monitor;
    const wide = shown.filter((lanes) => !isNarrow(lanes)).length;
    const free = width - GUTTER - 12 - (shown.length - wide) * NARROW;
    const size = Math.round(Math.min(mostOf(width), Math.max(WIDE.least, free / Math.max(1, wide))));
    const columns = new Map();
    let x = GUTTER;
    for (const lanes of shown) {
      const laneWidth = isNarrow(lanes) ? NARROW : size;
      const column = {
        lane: lanes[0],
        lanes,
        left: x,
        width: laneWidth,
        x: x + laneWidth / 2,
        isNarrow: isNarrow(lanes),
      };
      for (const lane of lanes) columns.set(lane, column);
      x += laneWidth;
    }
    for (const lane of model.lanes) {
      if (lane.kind === "faults") {
        columns.set(lane, {lane, lanes: [lane], left: GUTTER, width: size, x: GUTTER + size / 2, isAcross: true});
      }
    }
    // Words may go on where no lane is any more.
    return {
      columns,
      gutter: GUTTER,
      pill: size - 12,
      width: Math.max(x + 12, width),
      right: Math.max(x, width - 16),
    };
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
