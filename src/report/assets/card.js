// card.js - all that is known of one step or one message: in the panel, and in a card beside the pointer.

{
  const {el} = sennit;

  // ---- Pieces ---------------------------------------------------------------------------------------

  // A text as a table of its fields if it has any.
  sennit.showFields = function showFields(text, most = 4000) {
    const fields = sennit.fields(text);
    if (!fields || fields.length < 2) return sennit.longText(text, {}, most);
    return el(
      "dl",
      {class: "fields"},
      fields
        .slice(0, 200)
        .map(([name, value]) => [el("dt", {}, sennit.cut(name, 80)), el("dd", {}, sennit.cut(value, most))])
    );
  };

  // What a machine remembers, and what of it this step has changed.
  sennit.showMemory = function showMemory(before, after, isNow) {
    const now = sennit.fields(after);
    if (!now) return sennit.longText(after, {class: `text${isNow ? " changed" : ""}`}, 1500);
    const was = new Map(sennit.fields(before ?? "") || []);
    return el(
      "dl",
      {class: "fields"},
      now.slice(0, 200).map(([name, value]) => {
        const isChanged = isNow && before !== null && was.get(name) !== value;
        const old = isChanged && was.has(name) ? el("del", {}, sennit.cut(was.get(name), 300)) : null;
        return [
          el("dt", {class: isChanged ? "changed" : null}, sennit.cut(name, 80)),
          el("dd", {class: isChanged ? "changed" : null}, old, old ? " \u2192 " : null, sennit.cut(value, 600)),
        ];
      })
    );
  };

  // A step that can be gone to. A link, not a button: its words flow with those around it, and its address
  // can be passed on.
  sennit.stepLink = function stepLink(view, step, text) {
    const go = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      view.choose(step, "link");
    };
    return el(
      "a",
      {class: "link step", href: view.addressOf(step), onclick: go, "data-goto": step},
      text ?? (step === 0 ? "set-up" : `step ${step}`)
    );
  };

  const fates = {
    lost: "lost",
    "cut-off": "lost: the network was cut",
    dropped: "dropped: its machine was not there any more",
    pending: "still on its way at the end",
  };

  function fate(view, message) {
    if (message.delivered) return ["arrives in ", sennit.stepLink(view, message.delivered)];
    return [el("span", {class: message.fate === "pending" ? "muted" : "bad"}, fates[message.fate] || message.fate)];
  }

  // ---- A step ---------------------------------------------------------------------------------------

  function origin(view, step) {
    const parts = [];
    const message = view.model.messageOfId.get(step.id);
    const sent = (message && message.sent) || step.sent || 0;
    if (step.op === "deliver" && step.from !== undefined) {
      parts.push(
        "sent by ",
        el("b", {}, sennit.cut(step.from, 60)),
        " in ",
        sennit.stepLink(view, sent || step.cause || 0)
      );
      if (message && message.delayed) parts.push(", delayed");
      if (message && message.copied) parts.push(", doubled");
    } else if (step.cause !== undefined) parts.push("because of ", sennit.stepLink(view, step.cause));
    if (sent && step.cause && step.cause !== sent)
      parts.push("; could run because of ", sennit.stepLink(view, step.cause));
    return el("p", {class: "origin"}, parts);
  }

  // The state before and after, and what it remembers.
  function change(view, number) {
    const step = view.model.steps[number];
    const lane = number > 0 ? view.model.laneOf(step.task) : null;
    if (!lane) return null;
    const old = lane.states[sennit.lastAt(lane.states, number - 1)];
    const at = sennit.lastAt(lane.memories, number);
    const parts = [];
    const last = lane.states[sennit.lastAt(lane.states, number)];
    if (last && last.step === number) {
      parts.push(
        el(
          "p",
          {},
          "state ",
          old ? [el("code", {}, sennit.cut(old.state, 60)), " \u2192 "] : null,
          el("code", {class: "changed"}, last.how === "halt" ? "halted" : sennit.cut(last.state, 60))
        )
      );
    } else if (old)
      parts.push(el("p", {class: "muted"}, "state ", el("code", {}, sennit.cut(old.state, 60)), ", unchanged"));
    if (at >= 0 && lane.memories[at].step === number) {
      parts.push(sennit.showMemory(at > 0 ? lane.memories[at - 1].text : null, lane.memories[at].text, true));
    }
    return parts;
  }

  const SAID = {
    draw: (r) => ["draws ", el("code", {}, sennit.cut(r.draw, 80)), ` = ${r.value} of ${r.of}`],
    create: (r) => [
      "creates ",
      el("b", {}, sennit.cut(r.create, 80)),
      r.node ? ` on ${sennit.cut(r.node, 60)}` : "",
    ],
    monitor: (r) => [
      el("b", {}, sennit.cut(r.monitor, 60)),
      " is told ",
      el("code", {}, sennit.cut(r.event, 60)),
      " ",
      el("span", {class: "muted"}, sennit.cut(r.payload, 400)),
    ],
    timer: (r) => [
      r.timer === "cancel" ? "cancels timer " : "starts timer ",
      el("code", {}, sennit.cut(r.event, 60)),
      r.timer === "start" ? `, in ${sennit.time(r.delay_ns)}` : "",
    ],
    ignored: (r) => ["ignores ", el("code", {}, sennit.cut(r.ignored, 60))],
    raise: (r) => [
      "raises ",
      el("code", {}, sennit.cut(r.raise, 60)),
      " ",
      el("span", {class: "muted"}, sennit.cut(r.payload, 300)),
    ],
    note: (r) => [el("span", {class: "note"}, sennit.cut(r.note, 1000))],
    output: (r) => [el("span", {class: "output"}, sennit.cut(r.output, 1000))],
    operation: (r) => [`${r.operation}s `.replace("calls", "calls"), el("code", {}, sennit.cut(r.text, 300))],
    dropped: (r) => [
      el("span", {class: "bad"}, "drops "),
      el("code", {}, sennit.cut(r.dropped, 60)),
      " for ",
      sennit.cut(r.to, 60),
    ],
  };

  function act(view, record) {
    if (record.send !== undefined) {
      const message = view.model.messageOfId.get(record.id);
      return el(
        "li",
        {},
        "sends ",
        el("code", {}, sennit.cut(record.send, 60)),
        " to ",
        el("b", {}, sennit.cut(record.to, 60)),
        " ",
        message ? fate(view, message) : null,
        " ",
        el("span", {class: "muted"}, sennit.cut(record.payload, 300))
      );
    }
    if (record.fault !== undefined) {
      const about =
        record.event === undefined
          ? [" ", sennit.cut(record.node, 200)]
          : [
              " ",
              el("code", {}, sennit.cut(record.event, 60)),
              ` from ${sennit.cut(record.from, 60)} to ${sennit.cut(record.to, 60)}`,
            ];
      return el("li", {}, el("span", {class: "warn"}, sennit.cut(record.fault, 40)), about);
    }
    const kind = Object.keys(SAID).find((key) => record[key] !== undefined);
    return kind ? el("li", {}, SAID[kind](record)) : null;
  }

  function sayGhost({lane, event, kind, others}) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `${sennit.cut([event || "start", kind].filter(Boolean).join(" "), 80)} of ${sennit.cut(lane.name, 60)}${more}, which never ran`;
  }

  function sayEdge(view, edge, number) {
    if (edge.isValue) return `: ${sennit.cut(edge.label, 300)}`;
    const other = edge.first === number ? edge.second : edge.first;
    const said = other
      ? [sennit.stepLink(view, other), `, ${sennit.sayOperation(view.model.steps[other])}`]
      : sayGhost(edge.ghost);
    return [edge.first === number ? ": before " : ": after ", said, edge.label ? `; ${edge.label}` : ""];
  }

  sennit.describeStep = function describeStep(view, number, most = 400) {
    const step = view.model.steps[number];
    if (!step) return [];
    const acts = sennit.list(step.details);
    const changes = number === 0 ? null : change(view, number);
    const title = number === 0 ? "Set-up of the test" : sennit.sayOperation(step);
    const edges = view.edges.filter(
      (edge) => !edge.leader && (edge.first === number || edge.second === number)
    );
    return [
      el("h3", {}, el("span", {class: "badge"}, String(number)), title),
      number === 0
        ? null
        : el(
            "p",
            {class: "muted"},
            `at ${sennit.time(step.time_ns)} \u00b7 ${sennit.cut(step.op, 20)} \u00b7 id ${step.id}`
          ),
      number === view.model.failure ? el("p", {class: "verdict bad"}, sennit.cut(view.verdictWords, 1000)) : null,
      edges.map((edge) =>
        el(
          "p",
          {class: "needed"},
          el(
            "button",
            {class: "link needed", type: "button", onclick: () => view.chooseEdge(edge.key)},
            `${edge.isValue ? "value" : "order"}${edge.number ? ` ${edge.number}` : ""}`
          ),
          sayEdge(view, edge, number)
        )
      ),
      step.payload ? [el("h4", {}, "Payload"), sennit.showFields(step.payload)] : null,
      number === 0 ? null : [el("h4", {}, "Cause"), origin(view, step)],
      changes && changes.length > 0
        ? [el("h4", {}, `${sennit.cut(step.task, 60)} before and after`), changes]
        : null,
      acts.length > 0
        ? [
            el("h4", {}, "What it did"),
            el(
              "ul",
              {class: "acts"},
              acts.slice(0, most).map((record) => act(view, record))
            ),
          ]
        : null,
      acts.length > most ? el("p", {class: "muted"}, `${sennit.number(acts.length - most)} more records`) : null,
    ];
  };

  function describeMessage(view, number) {
    const m = view.model.messages[number];
    return [
      el("h3", {}, sennit.cut(m.event, 80)),
      el(
        "p",
        {},
        m.from ? ["from ", el("b", {}, sennit.cut(m.from.name, 60)), " "] : null,
        "to ",
        el("b", {}, sennit.cut(m.to.name, 60)),
        `, sent in step ${m.sent}, `,
        m.delivered ? `arrives in step ${m.delivered}` : el("span", {class: "bad"}, fates[m.fate] || m.fate),
        m.delayed ? ", delayed" : "",
        m.copied ? ", doubled" : ""
      ),
      m.payload ? sennit.showFields(m.payload, 600) : null,
    ];
  }

  // ---- The card -------------------------------------------------------------------------------------

  sennit.Card = class Card {
    constructor(view) {
      this.view = view;
      this.root = el("div", {class: "card", role: "tooltip", id: "card", hidden: true});
      this.shown = "";
    }

    // Only if the pointer rests, unless a card is open already.
    offer(target, x, y) {
      clearTimeout(this.waiting);
      if (!target) return this.hide();
      if (!this.root.hidden) return this.show(target, x, y);
      this.waiting = setTimeout(() => this.show(target, x, y), 120);
      return undefined;
    }

    show(target, x, y) {
      const key = JSON.stringify(target);
      if (key !== this.shown) {
        this.shown = key;
        const content =
          target.step === undefined
            ? describeMessage(this.view, target.message)
            : sennit.describeStep(this.view, target.step, 12);
        this.root.replaceChildren();
        sennit.fill(this.root, {}, content);
        this.root.hidden = false;
      }
      // Beside the pointer, within the window.
      const {offsetWidth, offsetHeight} = this.root;
      const left = x + 18 + offsetWidth > innerWidth ? x - 18 - offsetWidth : x + 18;
      const top = Math.max(6, Math.min(y + 14, innerHeight - offsetHeight - 6));
      this.root.style.setProperty("left", `${Math.max(6, left)}px`);
      this.root.style.setProperty("top", `${top}px`);
      return undefined;
    }

    hide() {
      clearTimeout(this.waiting);
      this.root.hidden = true;
      this.shown = "";
    }
  };
}
