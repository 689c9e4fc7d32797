// state.js - where each machine is at the chosen step: its state, what it remembers, what is on its way to
// it, which timers run; and what this step has changed of that.

{
  const {el, list} = sennit;
  const INBOX_MOST = 12;

  // Messages by the lane that they are for that are under way after this step.
  function inboxes(model, step) {
    const byLane = new Map();
    for (const m of model.messages) {
      const isGone = (m.delivered && m.delivered <= step) || (m.ended && m.ended <= step);
      if (m.sent > step || isGone || m.fate === "dropped") continue;
      if (!byLane.has(m.to)) byLane.set(m.to, []);
      byLane.get(m.to).push(m);
    }
    return byLane;
  }

  function timersAt(model, step) {
    const byLane = new Map();
    for (const timer of model.timers) {
      if (timer.begin > step || (timer.end && timer.end <= step)) continue;
      if (!byLane.has(timer.lane)) byLane.set(timer.lane, []);
      byLane.get(timer.lane).push(timer);
    }
    return byLane;
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

  function machine(view, lane, context) {
    const {step, waiting, running} = context;
    const state = lane.states[sennit.lastAt(lane.states, step)];
    const at = sennit.lastAt(lane.memories, step);
    const memory = at >= 0 ? lane.memories[at] : null;
    const isDown = lane.downs.some((down) => down.begin <= step && step < down.end);
    const isActive = context.lane === lane;
    const isNew = state && state.step === step && step > 0;
    const name = isDown ? "down" : !state ? "not started" : state.how === "halt" ? "halted" : state.state;
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
    const isOf = (one) =>
      one === model.monitor ||
      one.memories.some((m) => m.step === selected) ||
      one.states.some((s) => s.step === selected);
    const rank = (one) =>
      one === lane ? 0 : told.has(one.name) && selected > 0 && isOf(one) ? 1 : one.kind === "monitor" ? 3 : 2;
    const context = {step: selected, lane, waiting: inboxes(model, selected), running: timersAt(model, selected)};
    const sorted = lanes
      .map((one, i) => [rank(one), i, one])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .map((entry) => entry[2]);
    const hasMemory = model.lanes.some((one) => one.memories.length > 0);
    sennit.fill(container, {}, [
      el(
        "p",
        {class: "muted"},
        selected === 0
          ? "After the set-up"
          : `After step ${selected}: ${sennit.sayOperation(model.steps[selected])}`
      ),
      sorted.slice(0, 200).map((one) => machine(view, one, context)),
      hasMemory ? null : el("p", {class: "hint"}, "Machines that declare fields show here what they remember."),
    ]);
  };
}
