// trial.js - one trial: banner, diagram, panels, and what moves between them. What is chosen is part of
// the address, so that a place in a trial can be passed on.

{
  const {el} = sennit;
  const PANELS = [
    ["why", "Why"],
    ["step", "Step"],
    ["state", "State"],
    ["log", "Log"],
    ["output", "Output"],
  ];
  const PLAY_MS = 450;
  const LOW = 560; // pixels: a window in which every row counts
  const LATE = ["hot", "lasso", "deadlock"]; // oracles that judge long after it went wrong
  const ENDLESS = ["hot", "lasso"]; // ... while nothing new happens

  // Where a trial that came back to a state goes round, in the words of its verdict.
  function cycleOf(model) {
    const said = /the state after step (\d+) comes back after step (\d+)/.exec(
      sennit.string(model.verdict.message)
    );
    return said && model.verdict.oracle === "lasso" ? {from: Number(said[1]), to: Number(said[2])} : null;
  }

  sennit.panels.step = function stepPanel(container, view) {
    sennit.fill(container, {}, sennit.describeStep(view, view.selected));
  };

  class TrialView {
    constructor(container, trial, index, params) {
      Object.assign(this, {
        container,
        trial,
        index,
        path: trial.path,
        selected: 0,
        tab: "why",
        query: "",
        isFolded: innerHeight < LOW,
        cache: new Map(),
      });
      this.variants = sennit.variantsOf(trial);
      this.readExplanation();
      this.card = new sennit.Card(this);
      this.searchBox = sennit.searchBox(this);
      this.live = el("div", {class: "away", "aria-live": "polite", role: "status"});
      this.use(this.variantOf(params.get("show")) || this.bestVariant());
      this.build();
      const wanted = Number(params.get("step"));
      if (params.has("step") && wanted >= 0 && wanted <= this.model.count) this.choose(wanted, "start");
      else this.begin();
      if (params.get("compare")) this.compare(params.get("compare"));
    }

    variantOf(key) {
      return this.variants.find((variant) => variant.key === key);
    }

    readExplanation() {
      const {trial} = this;
      if (!trial.explanation) return;
      const own = this.variantOf("explained") || (trial.explained ? this.variants[0] : null);
      const model = own ? own.model : this.variants[0].model;
      const read = sennit.readExplanation(trial.explanation, model);
      // Its steps may be those of no trial here.
      if (read && !own && !sennit.isExplainedBy(model, read)) read.explained = null;
      this.explanation = read;
    }

    // The trial on which the orders that are needed can be seen, or where it was lost if it was judged
    // much later; the small one if there is nothing of that.
    bestVariant() {
      const [small] = this.variants;
      const explained = this.variantOf("explained");
      if (!explained || explained.count > 2 * small.count + 50) return small;
      const hasOrders = sennit.edgesOf(explained.model, this.explanation).some((edge) => !edge.isHold);
      const isLate = LATE.includes(explained.model.verdict.oracle) && this.explanation.lost.found;
      return hasOrders || isLate ? explained : small;
    }

    // Where to begin: at the failure. One that is judged by what did not happen for long was lost much
    // earlier: where that is known, where its share of failing continuations grew most, or else at the
    // exception that tells most. What goes round for ever at the end shows nothing.
    begin() {
      const {verdict, failure} = this.model;
      const lost = LATE.includes(verdict.oracle) ? Math.max(0, this.diagram.lost) || this.jump() : 0;
      const [[told] = []] = ENDLESS.includes(verdict.oracle) ? sennit.rankExceptions(this.model) : [];
      const isTold = told && told.isRun && (!lost || lost === told.until.step) && this.edges.some((edge) => edge.isHold && edge.key === told.number);
      if (isTold) return this.chooseEdge(told.number);
      return this.choose(lost || (this.cycle ? this.cycle.from : Math.max(0, failure)), "start");
    }

    // The step with which the share of continuations that fail grew most, or 0.
    jump() {
      const e = this.explanation;
      const grown = ({before, after}) => after.failed / after.trials - before.failed / before.trials;
      const jumps = e && e.explained === this.model ? [...e.lost.jumps].sort((a, b) => grown(b) - grown(a)) : [];
      return jumps.length > 0 && jumps[0].step <= this.model.count ? jumps[0].step : 0;
    }

    use(variant) {
      this.variant = variant;
      this.model = variant.model;
      this.cache.clear();
      this.edges = sennit.edgesOf(this.model, this.explanation);
      this.past = sennit.pastOfFailure(this.model);
      this.risk = sennit.riskOf(this.model, this.explanation);
      const e = this.explanation;
      this.ofNote =
        e && e.explained === this.model && e.steps.length > 0
          ? new Set(e.steps.filter((s) => s.ofNote).map((s) => s.step))
          : null;
      const {verdict} = this.model;
      const place = sennit.isPlace(verdict.at) ? `  (${verdict.at})` : "";
      this.verdictWords = `\u2715 FAILED  ${verdict.oracle}: ${verdict.message}${place}`;
      this.lostWords =
        e && e.lost.after
          ? `Point of no return: from here on ${sennit.sayShare(e.lost.after)} continuations fail` +
            `${e.lost.before ? `; one step earlier, ${sennit.sayShare(e.lost.before)}` : ""}`
          : "";
      this.cycle = cycleOf(this.model);
      this.cycleWords = this.cycle
        ? `\u21bb From here to step ${this.cycle.to} is a cycle: it can go on for ever`
        : "";
      this.diagram = new sennit.Diagram(this);
    }

    // ---- Elements ---------------------------------------------------------------------------------

    build() {
      this.tabs = el(
        "div",
        {class: "tabs", role: "tablist"},
        PANELS.map(([key, title], i) =>
          el(
            "button",
            {
              type: "button",
              role: "tab",
              id: `tab-${key}`,
              "aria-controls": "panel",
              title: `${title} (${i + 1})`,
              onclick: () => this.showPanel(i),
            },
            title
          )
        )
      );
      this.bodies = new Map(PANELS.map(([key]) => [key, el("div", {class: `body ${key}`})]));
      this.panel = el(
        "aside",
        {class: "panel", "aria-label": "panels"},
        this.tabs,
        el("div", {class: "bodies", role: "tabpanel", id: "panel"}, [...this.bodies.values()])
      );
      this.left = el("div", {class: "left"});
      this.main = el("div", {class: "trial-main"}, this.left, this.splitter(), this.panel);
      this.top = el("div", {});
      this.compared = el("div", {class: "compare", hidden: true});
      this.container.append(this.top, this.main, this.compared, this.card.root, this.live);
      this.refresh();
    }

    refresh() {
      this.top.replaceChildren(sennit.banner(this));
      this.toolbar = sennit.toolbar(this);
      this.left.replaceChildren(this.toolbar, this.diagram.root);
      this.diagram.resize(true);
      for (const body of this.bodies.values()) {
        body.replaceChildren();
        body.listOf = null;
      }
      this.whyOf = null;
    }

    foldBanner(isFolded) {
      this.isFolded = isFolded;
      this.top.replaceChildren(sennit.banner(this));
      this.top.querySelector(".fold-banner").focus();
      this.diagram.resize();
    }

    refreshToolbar() {
      const next = sennit.toolbar(this);
      this.toolbar.replaceWith(next);
      this.toolbar = next;
    }

    // Dragged, it divides the width anew; also with the arrow keys.
    splitter() {
      const set = (width) => {
        this.panel.style.setProperty("width", `${Math.max(240, Math.min(innerWidth - 400, width))}px`);
        this.diagram.resize();
      };
      const bar = el("div", {
        class: "splitter",
        role: "separator",
        "aria-orientation": "vertical",
        tabindex: 0,
        "aria-label": "width of the panels",
        onkeydown: (event) => {
          if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
          set(this.panel.offsetWidth + (event.key === "ArrowLeft" ? 24 : -24));
          event.preventDefault();
          event.stopPropagation();
        },
        onpointerdown: (event) => bar.setPointerCapture(event.pointerId),
        onpointermove: (event) => bar.hasPointerCapture(event.pointerId) && set(innerWidth - event.clientX),
      });
      return bar;
    }

    // ---- What panels ask --------------------------------------------------------------------------

    // Something made once for a trial.
    kept(key, make) {
      if (!this.cache.has(key)) this.cache.set(key, make());
      return this.cache.get(key);
    }

    // The step of this trial that a step of the explained one is, or 0.
    stepHere(step) {
      const there = this.explanation && this.explanation.explained;
      if (!step || !there || !there.steps[step]) return 0;
      if (there === this.model) return step;
      const same = this.model.stepOfId.get(there.steps[step].id);
      return same ? same.step : 0;
    }

    timersOf(step) {
      const byStep = this.kept("timers", () => {
        const map = new Map();
        for (const timer of this.model.timers)
          if (timer.end) map.set(timer.end, [...(map.get(timer.end) || []), timer]);
        return map;
      });
      return byStep.get(step) || [];
    }

    // The operation that cannot be put in order, and those that are enough to see it: the oracle
    // lists them in remarks, a line each.
    blameOf(operation) {
      if (String(this.model.verdict.message ?? "").startsWith(`${operation.text} of ${operation.process},`))
        return "bad";
      const core = this.kept("core", () => {
        const lines = this.model.said.filter((s) => s.kind === "note").map((s) => s.text);
        const from = lines.findIndex((line) => /^\d+ operations? (is|are) enough/.test(line));
        const rest = from < 0 ? [] : lines.slice(from + 1);
        const to = rest.findIndex((line) => !line.startsWith("  "));
        return new Set(rest.slice(0, to < 0 ? rest.length : to).map((line) => line.trim().replace(/\s+/g, " ")));
      });
      return core.has(
        `${operation.process} step ${operation.begin} step ${operation.end} ${operation.text}`.replace(/\s+/g, " ")
      )
        ? "core"
        : "";
    }

    hover(target, x, y) {
      this.card.offer(target, x, y);
    }

    // ---- Moving -----------------------------------------------------------------------------------

    choose(step, how) {
      this.selected = step;
      this.diagram.chosenEdge = how === "edge" ? this.diagram.chosenEdge : 0;
      this.diagram.choose(step, how === "start" || how === "link" || how === "edge");
      if (how === "diagram" && this.tab === "why") this.tab = "step";
      this.renderPanel();
      this.live.textContent = sennit.sayStep(this.model, step);
      this.tellAddress();
    }

    // Of the first trial of several it goes without saying.
    shownParam() {
      return this.variant.key === this.variants[0].key ? null : this.variant.key;
    }

    addressOf(step) {
      const show = this.shownParam();
      return `#/trial/${this.index}?step=${step}${show ? `&show=${show}` : ""}`;
    }

    // Not at every step of a quick walk: browsers mind.
    tellAddress() {
      clearTimeout(this.telling);
      this.telling = setTimeout(
        () =>
          sennit.replaceParams({
            step: this.selected,
            show: this.shownParam(),
          }),
        150
      );
    }

    step(by) {
      if (this.comparedWith) return this.toDifference(by);
      let step = this.selected;
      for (let i = 0; i < Math.abs(by); i++) step = this.diagram.neighbour(step, Math.sign(by));
      return this.choose(step, "key");
    }

    toFailure() {
      if (this.model.failure >= 0) this.choose(this.model.failure, "link");
    }

    toCause() {
      const step = this.model.steps[this.selected];
      const message = this.model.messageOfId.get(step.id);
      if (this.selected > 0) this.choose((message && message.sent) || step.sent || step.cause || 0, "key");
    }

    toNextOfLane() {
      const lane = this.selected > 0 ? this.model.laneOf(this.model.steps[this.selected].task) : null;
      const next = lane && lane.steps.find((step) => step.step > this.selected);
      if (next) this.choose(next.step, "key");
    }

    chooseEdge(key) {
      const edge = this.edges.find((one) => one.key === key);
      if (!edge) return;
      this.diagram.chosenEdge = key;
      this.choose(edge.second && this.selected === edge.first ? edge.second : edge.first, "edge");
      for (const item of this.bodies.get("why").querySelectorAll("[data-constraint]")) {
        const isIt = item.dataset.constraint === String(key);
        item.classList.toggle("chosen", isIt);
        for (let at = isIt && item.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
      }
    }

    // From one order to the next, as the panel has them.
    toEdge(by) {
      const edges = this.edges.filter((edge) => !edge.leader).sort(sennit.byWeight);
      if (edges.length === 0) return;
      const at = edges.findIndex((edge) => edge.key === this.diagram.chosenEdge);
      const next = at < 0 ? (by > 0 ? 0 : edges.length - 1) : (at + by + edges.length) % edges.length;
      this.chooseEdge(edges[next].key);
    }

    togglePlay() {
      const stop = () => {
        clearInterval(this.playing);
        this.playing = 0;
        this.playButton.textContent = "\u25b6";
      };
      if (this.playing) return stop();
      if (this.selected >= this.diagram.neighbour(this.model.count + 0, 0)) this.choose(0, "key");
      this.playButton.textContent = "\u275a\u275a";
      this.playing = setInterval(() => {
        const next = this.diagram.neighbour(this.selected, 1);
        if (next === this.selected) stop();
        else this.choose(next, "play");
      }, PLAY_MS);
      return undefined;
    }

    // ---- Finding and folding ----------------------------------------------------------------------

    search(text) {
      this.query = text;
      const hits = sennit.findSteps(
        this.model,
        text,
        this.kept("texts", () => [])
      );
      this.diagram.hits = hits;
      this.hitList = hits ? [...hits] : [];
      this.searchBox.count.textContent = hits ? sennit.number(hits.size) : "";
      this.searchBox.root.classList.toggle("nothing", hits !== null && hits.size === 0);
      this.searchBox.only.hidden = hits === null;
      if (this.diagram.onlyHits) this.diagram.layOut();
      else this.diagram.redrawAll();
    }

    toHit(by) {
      if (!this.hitList || this.hitList.length === 0) return;
      const next =
        by > 0
          ? (this.hitList.find((step) => step > this.selected) ?? this.hitList[0])
          : ([...this.hitList].reverse().find((step) => step < this.selected) ??
            this.hitList[this.hitList.length - 1]);
      this.choose(next, "link");
      this.searchBox.count.textContent = `${this.hitList.indexOf(next) + 1}/${this.hitList.length}`;
    }

    filter(isOn) {
      this.searchBox.only.setAttribute("aria-pressed", String(isOn));
      this.diagram.onlyHits = isOn;
      this.diagram.opened.clear();
      this.diagram.layOut();
      this.diagram.reveal(this.diagram.rowOf[this.selected], true);
    }

    focusSearch() {
      this.searchBox.input.focus();
      this.searchBox.input.select();
    }

    setMode(mode) {
      this.diagram.mode = mode;
      this.diagram.opened.clear();
      this.diagram.layOut();
      this.diagram.reveal(this.diagram.rowOf[this.selected], true);
      this.refreshToolbar();
    }

    cycleMode() {
      const modes = ["all", this.past ? "past" : null, this.ofNote ? "note" : null].filter(Boolean);
      this.setMode(modes[(modes.indexOf(this.diagram.mode) + 1) % modes.length]);
    }

    togglePayloads() {
      this.diagram.showsPayloads = !this.diagram.showsPayloads;
      this.diagram.redraw();
    }

    showCard() {
      const mark = this.diagram.scene.root.querySelector(`[data-step="${this.selected}"]`);
      if (!mark) return;
      const box = mark.getBoundingClientRect();
      this.card.show({step: this.selected}, box.right, box.bottom);
    }

    escape() {
      const menu = this.toolbar.querySelector("details[open]");
      this.card.hide();
      if (menu) {
        menu.open = false;
        return menu.querySelector("summary").focus();
      }
      if (this.comparedWith) return this.compare(null);
      if (this.playing) this.togglePlay();
      if (this.query) {
        this.searchBox.input.value = "";
        this.search("");
        if (this.diagram.onlyHits) this.filter(false);
      }
      return this.diagram.scroller.focus({preventScroll: true});
    }

    // ---- Panels and trials ------------------------------------------------------------------------

    showPanel(number) {
      this.tab = PANELS[number][0];
      this.renderPanel();
    }

    renderPanel() {
      for (const [key] of PANELS) {
        const isOn = key === this.tab;
        this.bodies.get(key).hidden = !isOn;
        const button = this.tabs.querySelector(`#tab-${key}`);
        button.setAttribute("aria-selected", String(isOn));
      }
      const body = this.bodies.get(this.tab);
      const isOnce = this.tab === "why";
      if (isOnce && this.whyOf === this.model) return;
      if (isOnce) this.whyOf = this.model;
      if (this.tab === "why" || this.tab === "step") body.replaceChildren(); // the others keep what stays
      sennit.guard(body, "this panel", () => sennit.panels[this.tab](body, this));
    }

    showVariant(key) {
      const variant = this.variantOf(key);
      if (!variant || variant === this.variant) return;
      const old = this.model.steps[this.selected];
      const {mode} = this.diagram;
      this.use(variant);
      this.diagram.mode = mode === "note" && !this.ofNote ? "all" : mode;
      this.diagram.layOut();
      this.refresh();
      this.search(this.query);
      const same = this.model.stepOfId.get(old.id);
      this.choose(same ? same.step : Math.max(0, this.model.failure), "start");
    }

    goTo(key, step) {
      this.compare(null);
      this.showVariant(key);
      this.choose(step, "link");
    }

    canCompare(key) {
      return Boolean(this.variantOf(key));
    }

    // What there is to compare with: the trial as it was found, the nearest one that passes.
    rivals() {
      return ["original", "nearest"].filter((key) => this.canCompare(key));
    }

    // What can stand at the left: the other trials that fail. Unless one is chosen it is the one that is
    // looked at; what passes is nearest to the one that was explained.
    leftOf(key, wanted) {
      const lefts = this.variants.filter((variant) => variant.key !== key && variant.key !== "nearest");
      const natural = key === "nearest" ? "explained" : this.variant.key;
      const find = (one) => lefts.find((variant) => variant.key === one);
      return {lefts, left: find(wanted) || find(natural) || find(this.variant.key) || lefts[0]};
    }

    // Side by side with another trial; with none, back to the diagram.
    compare(key, wanted) {
      const other = key && this.variantOf(key);
      this.main.hidden = Boolean(other);
      this.compared.hidden = !other;
      this.compared.replaceChildren();
      this.comparedWith = other ? key : null;
      sennit.replaceParams({compare: this.comparedWith});
      if (!other) return this.diagram.resize(true);
      const {lefts, left} = this.leftOf(key, wanted);
      return sennit.guard(this.compared, "the comparison", () =>
        sennit.showComparison(this.compared, this, {left, lefts, right: other})
      );
    }

    // One after another, and back.
    compareNext() {
      const keys = this.rivals();
      this.compare(keys[keys.indexOf(this.comparedWith) + 1] || null);
    }

    leave() {
      clearInterval(this.playing);
      clearTimeout(this.telling);
    }
  }

  sennit.showTrial = (container, trial, index, params) => new TrialView(container, trial, index, params);
}
