// timeline_layout.js - where the bars of a timeline are: rows by process, columns by what came before
// what.
//
// Whether a history is legal depends on the order of calls and returns alone. So each of these is a
// column of its own, as wide as the texts of the bars need; times that are far apart cost no room.
// By time instead, distances are those of the clock.

(function () {
  const layout = (sennit.timelineLayout = {});

  layout.GAP = 26; // between two columns, if no text needs more
  layout.ROWS_MAX = 60; // of more processes, those that never overlap share rows
  const LONG = 40; // columns that are enough for any text
  const WIDTH_MAX = 16e6; // browsers scroll no further than about 17 million pixels

  // Calls before returns where times are equal, as the checker has it.
  function columnsOf(operations) {
    const events = [];
    for (const op of operations) {
      events.push({at: op.call, isReturn: 0, op, name: op.calledAt});
      if (op.ret !== null) events.push({at: op.ret, isReturn: 1, op, name: op.returnedAt});
    }
    events.sort((a, b) => a.at - b.at || a.isReturn - b.isReturn || a.op.id - b.op.id);
    return events;
  }

  function spansOf(operations, events) {
    const spans = new Map(operations.map((op) => [op.id, {op, from: 0, to: events.length, isOpen: op.ret === null}]));
    events.forEach((event, i) => {
      const span = spans.get(event.op.id);
      if (event.isReturn) span.to = i;
      else span.from = i;
    });
    return [...spans.values()];
  }

  // Numbers in names count as numbers: client 2 comes before client 10.
  layout.compareNames = (a, b) => a.localeCompare(b, "en", {numeric: true});

  // Rows without overlaps, in the order of the names of processes.
  function rowsOf(spans, isShared) {
    const groups = new Map();
    for (const span of spans) {
      const name = isShared ? "" : span.op.process;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(span);
    }
    const rows = [];
    for (const name of [...groups.keys()].sort(layout.compareNames)) {
      const own = [];
      const owners = new Map(); // of a shared row, the process that has it for now
      for (const span of groups.get(name).sort((a, b) => a.from - b.from)) {
        const end = span.isOpen && isShared ? span.from + 2 : span.to;
        let row = owners.get(span.op.process);
        if (!row || row.end > span.from) row = own.find((one) => one.end <= span.from);
        if (!row) own.push((row = {name, spans: [], end: 0, isFirst: own.length === 0, names: new Set()}));
        if (isShared) owners.set(span.op.process, row);
        row.spans.push(span);
        row.names.add(span.op.process);
        row.end = end;
        span.drawnTo = end;
      }
      rows.push(...own);
    }
    if (isShared) rows.forEach(nameShared);
    return rows;
  }

  function nameShared(row) {
    const names = [...row.names].sort(layout.compareNames);
    row.isFirst = true;
    row.name = names.length > 1 ? `${names[0]} … ${names[names.length - 1]}` : names[0];
  }

  // Columns so far apart that each text fits its bar, the short bars first.
  function fitTexts(spans, gaps, charWidth) {
    const bySize = spans.filter((span) => span.to - span.from < LONG).sort((a, b) => a.to - a.from - (b.to - b.from));
    for (const span of bySize) {
      const need = Math.min(span.op.text.length, 42) * charWidth + 42;
      let width = 0;
      for (let i = span.from; i < span.to; i++) width += gaps[i];
      const more = (need - width) / (span.to - span.from);
      for (let i = span.from; more > 0 && i < span.to; i++) gaps[i] += more;
    }
  }

  // options: {charWidth, room, zoom, byTime}. Gives {rows, events, positions, width}; a span has `from`
  // and `drawnTo`, columns that `positions` gives the place of.
  layout.make = function make(operations, options) {
    const events = columnsOf(operations);
    const spans = spansOf(operations, events);
    const isShared = new Set(operations.map((op) => op.process)).size > layout.ROWS_MAX;
    const positions = options.byTime ? placeByTime(events, options) : placeByOrder(spans, events, options);
    return {rows: rowsOf(spans, isShared), events, positions, width: positions[events.length]};
  };

  function placeByOrder(spans, events, options) {
    const gaps = new Float64Array(events.length).fill(layout.GAP);
    fitTexts(spans, gaps, options.charWidth);
    let natural = 0;
    for (const gap of gaps) natural += gap;
    // What is small fills the page, and what is large stays within what can be scrolled.
    const stretch = Math.min(Math.max(1, options.room / (natural || 1)), 3);
    const scale = Math.min(stretch * options.zoom, WIDTH_MAX / (natural || 1));
    const positions = new Float64Array(events.length + 1);
    for (let i = 0; i < events.length; i++) positions[i + 1] = positions[i] + gaps[i] * scale;
    return positions;
  }

  function placeByTime(events, options) {
    const positions = new Float64Array(events.length + 1);
    const first = events.length > 0 ? events[0].at : 0;
    const last = events.length > 0 ? events[events.length - 1].at : 0;
    const width = Math.min(Math.max(options.room - 40, events.length * 8) * options.zoom, WIDTH_MAX);
    events.forEach((event, i) => {
      positions[i] = ((event.at - first) / (last - first || 1)) * width;
    });
    positions[events.length] = width + 40;
    return positions;
  }

  // The first span of a row, whose spans do not overlap, that ends behind a place.
  layout.firstVisible = function firstVisible(row, positions, left) {
    let low = 0;
    let high = row.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (positions[Math.min(row.spans[middle].drawnTo, positions.length - 1)] < left) low = middle + 1;
      else high = middle;
    }
    return low;
  };
})();
