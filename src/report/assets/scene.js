// scene.js - the elements of the diagram that are in sight, and some above and below. What stays in sight
// stays as it is: moving costs what comes and what goes. The drawing is as high as a part of the trial, and
// its place is left alone while that part is looked at, so that nothing is painted anew because it moved.

{
  const {svg} = sennit;
  const PART = 2000; // rows; coordinates of drawings are not exact enough for a hundred thousand

  // Elements by what they show.
  class Layer {
    constructor(kind) {
      this.group = svg("g", {class: kind});
      this.shown = new Map();
      this.turn = 0;
    }

    clear() {
      this.group.replaceChildren();
      this.shown.clear();
    }

    // make(item) gives {node, ...}, or null for what has no place.
    show(items, make) {
      this.turn++;
      const fresh = [];
      for (const item of items) {
        let entry = this.shown.get(item);
        if (!entry) {
          entry = make(item) || {node: null};
          this.shown.set(item, entry);
          if (entry.node) fresh.push(entry.node);
        }
        entry.turn = this.turn;
      }
      for (const [item, entry] of this.shown) {
        if (entry.turn === this.turn) continue;
        if (entry.node) entry.node.remove();
        this.shown.delete(item);
      }
      this.group.append(...fresh);
    }
  }

  const LASTING = [
    ["cuts", sennit.drawCut, Infinity],
    ["states", sennit.drawHeat, 2000],
    ["downs", sennit.drawDown, Infinity],
    ["operations", sennit.drawOperation, 500],
  ];

  sennit.Scene = class Scene {
    constructor() {
      this.root = svg("svg", {class: "scene", role: "presentation"});
      this.side = svg("svg", {class: "side", role: "presentation"});
      this.bands = {
        pointed: svg("rect", {class: "band pointed", x: 0, width: 0, height: sennit.ROW}),
        chosen: svg("rect", {class: "band chosen", x: 0, width: 0, height: sennit.ROW}),
      };
      this.under = svg("g", {class: "under"});
      this.over = svg("g", {class: "over", role: "presentation"});
      this.top = svg("g", {class: "top-marks"});
      this.lanes = svg("g", {class: "lines"});
      this.timers = svg("g", {class: "timers"});
      this.layers = {};
      for (const kind of ["cuts", "states", "downs", "operations", "messages", "edges"])
        this.layers[kind] = new Layer(kind);
      const {cuts, states, downs, operations, messages, edges} = this.layers;
      this.root.append(
        sennit.patterns(),
        this.bands.pointed,
        this.bands.chosen,
        this.under,
        cuts.group,
        this.lanes,
        states.group,
        downs.group,
        operations.group,
        this.over,
        messages.group, // where they meet words, both can be read; a ground under the words would hide them
        this.timers,
        edges.group,
        this.top
      );
      this.rows = new Map();
      this.first = 0;
      this.last = -1;
    }

    // From now on it is drawn from this: columns, rows, what is chosen. Nothing of it is there yet.
    use(context) {
      this.context = context;
      this.part = {first: 0, last: -1};
      this.marked = null;
      this.near = null;
      this.clear();
    }

    clear() {
      this.rows.clear();
      for (const layer of [this.under, this.over, this.side, this.top]) layer.replaceChildren();
      for (const layer of Object.values(this.layers)) layer.clear();
      this.first = 0;
      this.last = -1;
    }

    // Draws these rows, and no others.
    show(first, last) {
      if (first < this.part.first || last > this.part.last) this.move(first, last);
      this.context.first = first;
      this.context.last = last;
      this.showRows(first, last);
      const {index} = this.context;
      for (const [kind, draw, most] of LASTING) {
        this.layers[kind].show(index[kind].touching(first, last, most), (item) => draw(this.context, item));
      }
      this.showMessages();
      this.layers.edges.show(index.edges.touching(first, last), (item) => sennit.drawEdge(this.context, item));
      this.mark();
    }

    // To another part of the trial.
    move(first, last) {
      const {context} = this;
      const count = context.rows.length;
      const isWhole = last - first >= PART;
      const from = isWhole ? first : Math.max(0, Math.min(first - PART / 2, count - PART));
      this.part = {first: from, last: isWhole ? last : Math.min(count - 1, from + PART - 1)};
      const height = (this.part.last - from + 1) * sennit.ROW;
      this.clear();
      context.height = height;
      context.y = (row) => (row - from + 0.5) * sennit.ROW;
      this.root.style.setProperty("top", `${from * sennit.ROW}px`);
      this.side.style.setProperty("top", `${from * sennit.ROW}px`);
      sennit.fill(this.root, {width: context.width, height}, []);
      sennit.fill(this.side, {width: context.visibleWidth, height}, []);
      this.ground = svg("rect", {width: context.gutter - 4, height, class: "margin-ground"});
      this.side.append(this.ground);
      this.lanes.replaceChildren(...sennit.drawLanes(context));
      for (const band of Object.values(this.bands)) band.setAttribute("width", context.width);
      this.point(-1);
    }

    // Rows are elements in their order, for those who hear the page.
    showRows(first, last) {
      for (let row = this.first; row <= this.last; row++) {
        if (row >= first && row <= last) continue;
        for (const node of Object.values(this.rows.get(row))) if (node) node.remove();
        this.rows.delete(row);
      }
      const isApart = this.rows.size === 0;
      const make = (from, to) => {
        const fresh = {under: [], over: [], side: [], top: []};
        for (let row = from; row <= to; row++) {
          const drawn = sennit.drawRow(this.context, row);
          this.rows.set(row, drawn);
          for (const layer in fresh) if (drawn[layer]) fresh[layer].push(drawn[layer]);
        }
        return fresh;
      };
      const below = make(isApart ? first : Math.max(first, this.last + 1), last);
      if (!isApart && first < this.first) {
        const before = make(first, this.first - 1);
        for (const layer of ["under", "over", "top"]) this[layer].prepend(...before[layer]);
        this.ground.after(...before.side);
      }
      for (const layer in below) this[layer].append(...below[layer]);
      this.first = first;
      this.last = last;
    }

    showMessages() {
      const {context} = this;
      this.layers.messages.show(sennit.messagesInSight(context), (item) => sennit.drawMessage(context, item));
    }

    // ---- What is chosen, what is pointed at ---------------------------------------------------------

    // What is drawn stays; only what is chosen looks different.
    mark() {
      const {context, rows, part, marked} = this;
      const row = context.rowOf[context.selected];
      const {over, side} = rows.get(row) || {over: null, side: null};
      const step = context.selected;
      if (marked && marked.over === over && marked.step === step && marked.part === part) return;
      for (const node of marked ? [marked.over, marked.side] : []) if (node) choose(node, false);
      for (const node of [over, side]) if (node) choose(node, true);
      this.marked = {over, side, step, part};
      place(this.bands.chosen, context, over ? row : -1);
      for (const [item, {path}] of this.layers.messages.shown) {
        if (path) path.classList.toggle("near", context.isNear(item.about));
      }
      this.timers.replaceChildren(...sennit.drawTimers(context));
    }

    // The row under the pointer; -1: none.
    point(row) {
      if (row === this.pointed) return;
      this.pointed = row;
      place(this.bands.pointed, this.context, row);
    }

    // The message whose line is near a point: lines are too thin to be hit.
    messageNear(x, y) {
      let best = null;
      let least = 6;
      for (const [item, {points, path}] of this.layers.messages.shown) {
        const distance = points ? distanceTo(points, x, y) : Infinity;
        if (distance < least) {
          least = distance;
          best = {number: item.about.number, path};
        }
      }
      return best;
    }

    // As messageNear gives it, or null.
    pointMessage(message) {
      if (this.near && (!message || this.near.path !== message.path)) this.near.path.classList.remove("pointed");
      if (message) message.path.classList.add("pointed");
      this.near = message;
    }
  };

  function place(band, context, row) {
    if (row >= 0 && context.y) band.setAttribute("y", context.y(row) - sennit.ROW / 2);
    band.classList.toggle("shown", row >= 0);
  }

  function choose(over, isOn) {
    over.classList.toggle("chosen", isOn);
    if (over.hasAttribute("aria-selected")) over.setAttribute("aria-selected", String(isOn));
  }

  // From a point to the nearest of the lines between others.
  function distanceTo(points, x, y) {
    let least = Infinity;
    for (let i = 1; i < points.length; i++) {
      const [[x1, y1], [x2, y2]] = [points[i - 1], points[i]];
      const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
      const share = Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
      least = Math.min(least, Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1)));
    }
    return least;
  }
}
