// diagram.js - the space-time diagram: lanes to the right, time downward. Only the rows in sight, and
// some above and below, exist as elements (scene.js); what spans rows is found by its interval.

{
  const {el, svg} = sennit;
  const SPARE = 16; // rows drawn above and below those in sight
  const LEAST = 6; // ... and how many of them are left when more are drawn
  const REST_MS = 100; // after a jump
  const HEAD = 58;

  sennit.Diagram = class Diagram {
    // view: {model, edges, explanation, past, choose(step, how), hover(target, x, y)}
    constructor(view) {
      this.view = view;
      this.hidden = sennit.quietLanes(view.model, view.past);
      this.mode = "all";
      this.opened = new Set();
      this.hits = null;
      this.onlyHits = false;
      this.showsPayloads = true;
      this.selected = 0;
      this.chosenEdge = 0;
      this.drawn = {first: 0, last: -1};
      this.words = new Map();
      this.scene = new sennit.Scene();
      this.build();
      this.prepare();
    }

    build() {
      this.head = svg("svg", {class: "head", height: HEAD, "aria-hidden": "true"});
      this.corner = svg("svg", {class: "corner", height: HEAD, "aria-hidden": "true"});
      this.heads = el("div", {class: "heads", role: "presentation"}, this.corner, this.head);
      const margin = el("div", {class: "margin", role: "presentation"}, this.scene.side);
      this.sizer = el("div", {class: "sizer", role: "presentation"}, margin, this.scene.root);
      this.scroller = el(
        "div",
        {class: "scroller", tabindex: 0, role: "listbox", "aria-label": "steps of the trial"},
        this.heads,
        this.sizer
      );
      this.map = new sennit.Minimap(this);
      this.root = el("div", {class: "diagram"}, this.scroller, this.map.root);
      this.scroller.addEventListener("scroll", () => this.scheduleDraw(), {passive: true});
      this.scroller.addEventListener("scroll", () => this.coverLanes(), {passive: true});
      this.scroller.addEventListener("click", (event) => this.click(event));
      this.scroller.addEventListener("keydown", (event) => this.press(event));
      this.scroller.addEventListener("pointermove", (event) => this.follow(event), {passive: true});
      this.scroller.addEventListener("pointerleave", () => this.follow(null));
      new ResizeObserver(() => this.resize()).observe(this.scroller);
    }

    // What is looked up again and again, once for each trial.
    prepare() {
      const {model} = this.view;
      this.laneOf = (step) => (step > 0 ? model.laneOf(model.steps[step].task) : null);
      this.told = new Map();
      for (const lane of model.lanes) {
        for (const record of lane.told) {
          if (!this.told.has(record.step)) this.told.set(record.step, new Map());
          const inStep = this.told.get(record.step);
          if (!inStep.has(lane)) inStep.set(lane, []);
          inStep.get(lane).push(record);
        }
      }
      this.edgesOfStep = new Map();
      for (const edge of this.view.edges) {
        for (const step of new Set([edge.first, edge.second])) {
          if (step > 0) this.edgesOfStep.set(step, [...(this.edgesOfStep.get(step) || []), edge]);
        }
      }
      model.messages.forEach((message, number) => {
        message.number = number;
      });
      this.margin = sennit.layOutMargin(model);
      this.layOut();
    }

    // ---- Layout -----------------------------------------------------------------------------------

    isKept(step) {
      const {past, ofNote, model} = this.view;
      if (this.hidden.has(model.steps[step].task) && this.laneOf(step).kind === "machine") return false;
      if (this.onlyHits && this.hits) return this.hits.has(step);
      if (this.mode === "past" && past) return past[step] === 1;
      if (this.mode === "note" && ofNote)
        return ofNote.has(step) || this.edgesOfStep.has(step) || step === model.failure;
      return true;
    }

    layOut() {
      const {model, explanation} = this.view;
      const isMine = explanation && explanation.explained === model;
      this.lost = isMine && explanation.lost.found ? explanation.lost.step : -1;
      const ghosts = this.view.edges.filter((edge) => edge.ghost && !edge.leader).slice(0, 12);
      const {rows, rowOf} = sennit.layOutRows(model, {
        isKept: (step) => this.isKept(step),
        opened: this.opened,
        lost: this.lost,
        cycle: this.view.cycle ? this.view.cycle.from : -1,
        ghosts,
      });
      for (const edge of this.view.edges) if (edge.leader) edge.ghostRow = edge.leader.ghostRow;
      this.rows = rows;
      this.rowOf = rowOf;
      this.indexIntervals();
      this.resize(true);
    }

    indexIntervals() {
      const {model} = this.view;
      const end = this.rows.length - 1;
      const row = (step) => (step < this.rowOf.length ? this.rowOf[step] : end);
      const over = (list, from, to) =>
        new sennit.Intervals(list.map((about) => ({about, begin: from(about), end: to(about)})));
      const states = [];
      for (const lane of model.lanes) {
        if (lane.kind !== "monitor") continue;
        lane.states.forEach((record, i) =>
          states.push({
            lane,
            state: record.state,
            step: record.step,
            to: i + 1 < lane.states.length ? lane.states[i + 1].step : model.steps.length,
            heat: model.heatOf(lane, record),
          })
        );
      }
      this.index = {
        messages: over(
          model.messages.filter((m) => m.from),
          (m) => row(m.sent),
          (m) => (m.delivered ? row(m.delivered) : row(m.sent) + 1)
        ),
        arrivals: [],
        operations: over(
          model.operations,
          (o) => row(o.begin),
          (o) => (o.end ? row(o.end) : end)
        ),
        cuts: over(
          model.cuts,
          (c) => row(c.begin),
          (c) => row(c.end)
        ),
        downs: over(
          model.lanes.flatMap((lane) => lane.downs),
          (d) => row(d.begin),
          (d) => row(d.end)
        ),
        states: over(
          states,
          (s) => row(s.step),
          (s) => row(s.to)
        ),
        edges: over(
          this.view.edges,
          (e) => Math.min(row(e.first), e.ghost ? e.ghostRow : row(e.second)),
          (e) => Math.max(row(e.first), e.ghost ? e.ghostRow : row(e.second))
        ),
      };
      this.index.arrivals = this.index.messages.items.slice().sort((a, b) => a.end - b.end);
    }

    // Nothing is drawn before there is a place for it.
    resize(always = false) {
      if (!this.root.isConnected) return undefined;
      const width = this.scroller.clientWidth || 900;
      const isHigher = this.height !== this.scroller.clientHeight;
      this.height = this.scroller.clientHeight;
      if (!always && width === this.widthSeen) {
        if (isHigher) this.map.draw();
        return this.scheduleDraw();
      }
      this.widthSeen = width;
      this.words.clear();
      this.layout = sennit.layOutLanes(this.view.model, this.hidden, width, this.margin);
      this.places = new Map();
      this.allotRoutes();
      this.scroller.classList.toggle("wide", this.layout.width > width);
      this.sizer.style.setProperty("width", `${this.layout.width}px`);
      this.sizer.style.setProperty("height", `${this.rows.length * sennit.ROW + 40}px`);
      this.heads.style.setProperty("width", `${this.layout.width}px`);
      this.head.setAttribute("width", this.layout.width);
      this.head.replaceChildren(...sennit.drawHead(this, HEAD));
      this.corner.setAttribute("width", this.layout.gutter - 4);
      this.corner.replaceChildren(...sennit.drawCorner(this, HEAD));
      this.redrawAll();
      return undefined;
    }

    // Where the boxes of a step are: of a fault there may be several, of a lane that is not shown none.
    placesOf(step) {
      let places = this.places.get(step);
      if (!places) {
        const {model} = this.view;
        const lane = this.laneOf(step);
        const column = this.layout.columns.get(lane);
        places =
          lane && lane.kind === "faults"
            ? sennit.placesOfFault(model, this.layout, model.steps[step])
            : column
              ? [column]
              : [];
        this.places.set(step, places);
      }
      return places;
    }

    // The ways of messages and orders, among each other.
    allotRoutes() {
      const {columns, across} = this.layout;
      const placeOf = (lane) => columns.get(lane) || (lane && lane.kind === "faults" ? across : null);
      const routed = [];
      for (const item of this.index.messages.items) {
        const m = item.about;
        item.from = placeOf(m.from);
        item.to = placeOf(m.to);
        item.route = null;
        if (!item.from || !item.to) continue;
        item.key = m.fate === "delivered" ? 1 + m.sent * 4096 + item.to.first : 0;
        routed.push(item);
      }
      for (const item of this.index.edges.items) {
        const {first, second, ghost, key} = item.about;
        item.from = this.placesOf(first)[0];
        item.to = ghost ? columns.get(ghost.lane) : this.placesOf(second)[0];
        item.route = null;
        item.key = -key - 1;
        if (item.from && item.to) routed.push(item);
      }
      sennit.allotTracks(
        routed.sort((a, b) => a.begin - b.begin),
        this.layout
      );
    }

    // ---- Drawing ----------------------------------------------------------------------------------

    // Once a frame, however often it is asked for.
    scheduleDraw() {
      if (this.scheduled) return;
      this.scheduled = true;
      requestAnimationFrame(() => {
        this.scheduled = false;
        this.draw();
      });
    }

    redraw() {
      this.drawn = {first: 0, last: -1};
      this.scene.use(this.sceneOf());
      this.draw();
    }

    // The same for the strip beside it.
    redrawAll() {
      this.redraw();
      this.map.draw();
    }

    // Lanes that are scrolled to the left go under the margin.
    coverLanes() {
      const isAside = this.scroller.scrollLeft > 0;
      if (isAside === this.isAside) return;
      this.isAside = isAside;
      this.scroller.classList.toggle("aside", isAside);
    }

    scrollTo(top) {
      this.scroller.scrollTop = top;
      this.draw();
    }

    // The rows in sight.
    inSight() {
      const top = Math.max(0, this.scroller.scrollTop);
      const height = Math.max(0, this.height - HEAD);
      const most = this.rows.length - 1;
      return {
        first: Math.min(most, Math.floor(top / sennit.ROW)),
        last: Math.min(most, Math.ceil((top + height) / sennit.ROW)),
      };
    }

    // Who jumps sees what is there first, and gets the rest when they rest.
    draw() {
      const most = this.rows.length - 1;
      const sight = this.inSight();
      const {drawn} = this;
      this.map.move();
      const least = this.resting ? 0 : LEAST;
      const isThere =
        (drawn.first === 0 || sight.first - least >= drawn.first) &&
        (drawn.last === most || sight.last + least <= drawn.last);
      if (isThere && drawn.last >= 0) return;
      const isJump = sight.first > drawn.last || sight.last < drawn.first;
      const spare = isJump ? 1 : SPARE;
      this.drawn = {first: Math.max(0, sight.first - spare), last: Math.min(most, sight.last + spare)};
      this.scene.show(this.drawn.first, this.drawn.last);
      clearTimeout(this.resting);
      this.resting = isJump ? setTimeout(() => this.rest(), REST_MS) : 0;
    }

    rest() {
      this.resting = 0;
      this.scheduleDraw();
    }

    sceneOf() {
      const {model, past, risk, edges} = this.view;
      return {
        model,
        edges,
        risk,
        rows: this.rows,
        rowOf: this.rowOf,
        index: this.index,
        ...this.layout,
        visibleWidth: this.widthSeen,
        selected: this.selected,
        chosenEdge: this.chosenEdge,
        showsPayloads: this.showsPayloads,
        stripWords: {lost: this.view.lostWords, verdict: this.view.verdictWords, cycle: this.view.cycleWords},
        cycle: this.view.cycle,
        placesOf: (step) => this.placesOf(step),
        isKind: (row, kind) => this.rows[row] !== undefined && this.rows[row].kind === kind,
        isDim: (row) =>
          row.kind === "step" && past !== null && past[row.step] === 0 && !this.edgesOfStep.has(row.step),
        isNoise: (m) => past !== null && (m.delivered ? past[m.delivered] === 0 : past[m.sent] === 0),
        isNear: (m) => this.selected > 0 && (m.delivered === this.selected || m.sent === this.selected),
        isHit: (step) => this.hits !== null && this.hits.has(step),
        blameOf: (operation) => this.view.blameOf(operation),
        toldIn: (step) => this.told.get(step) || [],
        edgesAt: (step) => this.edgesOfStep.get(step) || [],
        timersOf: (step) => this.view.timersOf(step),
        details: (step) => this.detailsOf(step),
      };
    }

    // What a row says, kept: it is asked for at every draw.
    detailsOf(step) {
      let known = this.words.get(step);
      if (!known) {
        const about = this.view.model.steps[step];
        const lane = this.laneOf(step);
        const column = this.layout.columns.get(lane);
        const name = column && column.lanes.length > 1 ? `${lane.name}: ` : "";
        known = {
          words: (name + sennit.saySummary(about)).replace(/: $/, ""),
          kind: sennit.sayKind(this.view.model, about),
          halts: sennit.list(about.details).some((r) => r.how === "halt"),
        };
        this.words.set(step, known);
      }
      return known;
    }

    // ---- Choosing ---------------------------------------------------------------------------------

    choose(step, isCentred) {
      this.selected = step;
      const row = this.rowOf[step];
      if (this.rows[row] && this.rows[row].kind === "gap") this.open(row);
      this.reveal(this.rowOf[step], isCentred);
      this.revealLane(step);
      this.scroller.setAttribute("aria-activedescendant", `step-${step}`);
      const isEdgeNew = this.chosenEdge !== this.scene.context.chosenEdge;
      if (isEdgeNew && this.view.edges.length > 0) return this.redraw();
      this.scene.context.selected = step;
      this.draw();
      this.scene.showMessages(); // also those of this step that only pass by
      this.scene.mark();
      return undefined;
    }

    reveal(row, isCentred) {
      const y = row * sennit.ROW;
      const height = this.height - HEAD;
      const top = this.scroller.scrollTop;
      const margin = 3 * sennit.ROW;
      if (isCentred || y < top - 20 * sennit.ROW || y > top + height + 20 * sennit.ROW)
        this.scroller.scrollTop = y - height / 2;
      else if (y < top + margin) this.scroller.scrollTop = y - margin;
      else if (y > top + height - margin - sennit.ROW) this.scroller.scrollTop = y - height + margin + sennit.ROW;
    }

    revealLane(step) {
      const [place] = this.placesOf(step);
      if (!place || place.isAcross) return;
      const {scrollLeft, clientWidth} = this.scroller;
      const {begin, width} = place;
      if (begin < scrollLeft + this.layout.gutter || begin + width > scrollLeft + clientWidth) {
        this.scroller.scrollLeft = begin - clientWidth / 2;
      }
    }

    // The step that is shown next to this one, by so many rows.
    neighbour(step, by) {
      let row = this.rowOf[step] + by;
      while (this.rows[row] && this.rows[row].kind !== "step" && this.rows[row].kind !== "setup") row += by;
      return this.rows[row] ? this.rows[row].step : step;
    }

    open(number) {
      const row = this.rows[number];
      for (let step = row.step; step <= row.to; step++) {
        this.opened.add(step);
        this.hidden.delete(this.view.model.steps[step].task);
      }
      this.layOut();
      this.view.refreshToolbar();
    }

    // Shows a lane and its steps, or not.
    show(lane, isShown) {
      if (isShown) this.hidden.delete(lane.name);
      else this.hidden.add(lane.name);
      this.opened.clear();
      this.layOut();
    }

    click(event) {
      const edge = event.target.closest("[data-edge]");
      if (edge) return this.view.chooseEdge(Number(edge.dataset.edge));
      const number = this.rowAt(event.clientY - this.scene.root.getBoundingClientRect().top);
      const row = this.rows[number];
      if (!row || this.heads.contains(event.target)) return undefined;
      if (row.kind === "gap") return this.open(number);
      if (row.kind === "ghost") return this.view.chooseEdge(row.edge.key);
      return this.view.choose(row.step, "diagram");
    }

    // Hidden steps are shown by a key, too.
    press(event) {
      const opens = event.target.closest(".opens");
      if (!opens || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.open(Number(opens.closest("[data-row]").dataset.row));
      this.scroller.focus({preventScroll: true});
    }

    rowAt(y) {
      return this.scene.part.first + Math.floor(y / sennit.ROW);
    }

    // Where the pointer is, once a frame. Null: elsewhere.
    follow(event) {
      const isWaiting = this.pointer !== undefined;
      this.pointer = event;
      if (isWaiting) return;
      requestAnimationFrame(() => {
        const last = this.pointer;
        this.pointer = undefined;
        this.point(last);
      });
    }

    point(event) {
      if (!event || !this.sizer.contains(event.target)) {
        this.scene.point(-1);
        this.scene.pointMessage(null);
        return this.view.hover(null);
      }
      const box = this.scene.root.getBoundingClientRect();
      const row = this.rowAt(event.clientY - box.top);
      const mark = event.target.closest("[data-step]");
      const message = mark ? null : this.scene.messageNear(event.clientX - box.left, event.clientY - box.top);
      this.scene.point(this.rows[row] ? row : -1);
      this.scene.pointMessage(message);
      const words = event.target.closest("[role=option]"); // and what monitors were told
      const step = mark ? Number(mark.dataset.step) : words && this.rows[row] ? this.rows[row].step : -1;
      const target = message ? {message: message.number} : step >= 0 ? {step} : null;
      return this.view.hover(target, event.clientX, event.clientY);
    }
  };

  // ---- The heads of lanes ---------------------------------------------------------------------------

  function laneHead(column, height, group) {
    const {lane, lanes, x, width, isNarrow} = column;
    const room = width - 8;
    const above = (text) =>
      svg(
        "text",
        {x, y: height - 27, class: "type", "text-anchor": "middle"},
        sennit.fittingName(text, room, "event")
      );
    const name = (text) =>
      svg(
        "text",
        {x, y: height - 11, class: `name ${lane.kind}`, "text-anchor": "middle"},
        sennit.fittingName(text, room)
      );
    if (lanes.length > 1) {
      const all = sennit.cut(lanes.map((one) => one.name).join(", "), 600);
      return svg("g", {}, svg("title", {}, all), above(`${lanes.length} machines`), name(lane.type));
    }
    if (isNarrow) {
      return svg(
        "text",
        {x: 0, y: 0, class: "name monitor", transform: `translate(${x + 4},${height - 6}) rotate(-90)`},
        sennit.cut(lane.name, 9),
        svg("title", {}, sennit.cut(`monitor ${lane.name}`, 200))
      );
    }
    const type = lane.type !== lane.name.replace(/#\d+$/, "") ? lane.type : "";
    return svg(
      "g",
      {},
      svg("title", {}, sennit.cut([lane.name, lane.type, lane.node].filter(Boolean).join(" \u00b7 "), 300)),
      above(lane.kind === "monitor" ? "monitor" : group || type),
      name(lane.name)
    );
  }

  // Over the columns of the margin.
  sennit.drawCorner = ({margin}, height) => [
    svg("text", {x: margin.numberEnd, y: height - 11, class: "type", "text-anchor": "end"}, "step"),
    svg("text", {x: margin.timeEnd, y: height - 11, class: "type", "text-anchor": "end"}, "time"),
  ];

  // Names of lanes; machines of one node stand under its name.
  sennit.drawHead = function drawHead(diagram, height) {
    const marks = [];
    const columns = [...new Set(diagram.layout.columns.values())];
    for (let i = 0; i < columns.length;) {
      const {node} = columns[i].lane;
      let end = i + 1;
      while (node && end < columns.length && columns[end].lane.node === node) end++;
      if (node && end - i > 1) {
        const left = columns[i].begin + 4;
        const right = columns[end - 1].begin + columns[end - 1].width - 4;
        marks.push(
          svg("path", {d: `M${left},26V20H${right}V26`, class: "node"}),
          svg(
            "text",
            {x: (left + right) / 2, y: 14, class: "node", "text-anchor": "middle"},
            sennit.fittingName(node, right - left, "event")
          )
        );
      }
      const isAlone = end - i === 1;
      for (; i < end; i++) marks.push(laneHead(columns[i], height, isAlone ? node : ""));
    }
    return marks;
  };
}
