// state.js - where each machine is at the chosen step: its state, what it remembers, what is on its way to
// it, which timers run; and what this step has changed of that.

{
  const {el, list} = sennit;
  const INBOX_MOST = 12;

  // Each from the step that begins it to the last one after which it still lasts, once for each trial:
  // asked at every step, it must cost what it finds.
  const lasting = (view, key, items) =>
    view.kept(key, () => new sennit.Intervals(items().filter(({begin, end}) => begin <= end)));

  const byLane = (items, laneOf) => {
    const found = new Map();
    for (const {about} of items) {
      const lane = laneOf(about);
      if (!found.has(lane)) found.set(lane, []);
      found.get(lane).push(about);
    }
    return found;
  };

  // Messages by the lane that they are for that are under way after this step.
  function inboxes(view, step) {
    const underWay = lasting(view, "underWay", () =>
      view.model.messages
        .filter((m) => m.fate !== "dropped")
        .map((m) => ({about: m, begin: m.sent, end: (m.delivered || m.ended || Infinity) - 1}))
    );
    return byLane(underWay.touching(step, step), (m) => m.to);
  }

  function timersAt(view, step) {
    const running = lasting(view, "runningTimers", () =>
      view.model.timers.map((t) => ({about: t, begin: t.begin, end: (t.end || Infinity) - 1}))
    );
    return byLane(running.touching(step, step), (t) => t.lane);
  }

  function inbox(view, messages) {
    if (!messages) return null;
    return el(
      "div",
      {class: "inbox"},
      el("span", {class: "muted"}, "on its way: "),
      messages
        .slice(0, INBOX_MOST)
        .map((m) =>
          el(
            "button",
            {
              class: "chip",
              type: "button",
              title: sennit.cut(m.payload, 500),
              onclick: () => view.choose(m.delivered || m.sent, "link"),
            },
            sennit.cut(m.event, 40),
            el("span", {class: "muted"}, m.from ? ` ${sennit.cut(m.from.name, 30)}` : "")
          )
        ),
      messages.length > INBOX_MOST
        ? el("span", {class: "muted"}, ` and ${messages.length - INBOX_MOST} more`)
        : null
    );
  }

  function timers(running) {
    if (!running) return null;
    return el(
      "div",
      {class: "inbox"},
      el("span", {class: "muted"}, "timers: "),
      running.map((t) =>
        el(
          "span",
          {class: "chip quiet"},
          sennit.cut(t.event, 40),
          t.how === "start" ? ` ${sennit.time(t.delay)}` : ""
        )
      )
    );
  }

  const isAt = (records, step) => (records[sennit.lastAt(records, step)] || {}).step === step;

  // Processes have no states: what they have done tells whether they have begun. A state that a start has
  // left behind is that of a life before.
  function lifeAt(lane, step) {
    const last = lane.steps[sennit.lastAt(lane.steps, step)];
    const state = lane.states[sennit.lastAt(lane.states, step)];
    const isOver = state && state.how === "halt" && last && last.step > state.step;
    if (state && !isOver) return {state, word: state.how === "halt" ? "halted" : state.state};
    return {state: null, word: last || lane.isBorn ? "started" : "not started"};
  }

  // All that is shown of a machine; as long as it is the same, so are its elements.
  const sameness = (view, lane, {step, waiting, running, lane: active}) =>
    [
      sennit.lastAt(lane.states, step),
      lifeAt(lane, step).word,
      sennit.lastAt(lane.memories, step),
      isAt(lane.states, step) || isAt(lane.memories, step) ? step : "",
      lane.downs.some((down) => down.begin <= step && step < down.end),
      active === lane,
      ...(waiting.get(lane) || []).slice(0, INBOX_MOST).map((m) => m.number),
      (waiting.get(lane) || []).length,
      ...(running.get(lane) || []).map((t) => t.begin),
    ].join(" ");

  // Elements that are shown already stay where they are, if only others move.
  function arrange(container, nodes) {
    const wanted = new Set(nodes);
    for (const old of [...container.children]) if (!wanted.has(old)) old.remove();
    let at = container.firstChild;
    for (const node of nodes) {
      if (node === at) at = at.nextSibling;
      else container.insertBefore(node, at);
    }
  }

  function machine(view, lane, context) {
    const {step, waiting, running} = context;
    const {state, word} = lifeAt(lane, step);
    const at = sennit.lastAt(lane.memories, step);
    const memory = at >= 0 ? lane.memories[at] : null;
    const isDown = lane.downs.some((down) => down.begin <= step && step < down.end);
    const isActive = context.lane === lane;
    const isNew = state && state.step === step && step > 0;
    const name = isDown ? "down" : word;
    const isHot = state && view.model.heatOf(lane, state) === "hot";
    return el(
      "section",
      {class: `machine${isActive ? " active" : ""}`},
      el(
        "header",
        {},
        el("b", {}, sennit.cut(lane.name, 60)),
        lane.node && lane.node !== lane.name ? el("span", {class: "muted"}, ` ${sennit.cut(lane.node, 40)}`) : null,
        el(
          "code",
          {class: `state${isNew ? " changed" : ""}${isDown ? " bad" : ""}${isHot ? " hot" : ""}`},
          sennit.cut(name, 60)
        )
      ),
      memory
        ? sennit.showMemory(
            at > 0 ? lane.memories[at - 1].text : null,
            memory.text,
            memory.step === step && step > 0
          )
        : null,
      inbox(view, waiting.get(lane)),
      timers(running.get(lane))
    );
  }

  sennit.panels.state = function statePanel(container, view) {
    const {model, selected} = view;
    const lanes = sennit.orderLanes(model).filter((lane) => lane.kind !== "faults");
    const lane = selected > 0 ? model.laneOf(model.steps[selected].task) : null;
    // First who acts, then what its doing changed or was told to that matters, then the others.
    const told = new Set(
      list(model.steps[selected].details)
        .map((r) => r.monitor)
        .filter((name) => name !== undefined)
    );
    const isOf = (one) => one === model.monitor || isAt(one.memories, selected) || isAt(one.states, selected);
    const rank = (one) =>
      one === lane ? 0 : told.has(one.name) && selected > 0 && isOf(one) ? 1 : one.kind === "monitor" ? 3 : 2;
    const context = {step: selected, lane, waiting: inboxes(view, selected), running: timersAt(view, selected)};
    const sorted = lanes
      .map((one, i) => [rank(one), i, one])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .map((entry) => entry[2]);
    const hasMemory = model.lanes.some((one) => one.memories.length > 0);
    const shown = view.kept("machines", () => new Map());
    const sections = sorted.slice(0, 200).map((one) => {
      const key = sameness(view, one, context);
      if (!shown.has(one) || shown.get(one).key !== key) shown.set(one, {key, node: machine(view, one, context)});
      return shown.get(one).node;
    });
    arrange(container, [
      el(
        "p",
        {class: "muted"},
        selected === 0
          ? "After the set-up"
          : `After step ${selected}: ${sennit.sayOperation(model.steps[selected])}`
      ),
      ...sections,
      ...(hasMemory
        ? []
        : [el("p", {class: "hint"}, "Machines that declare fields show here what they remember.")]),
    ]);
  };
}
