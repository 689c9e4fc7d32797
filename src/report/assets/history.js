// history.js - the view of a history: what each client did and when, and if no order explains it, why.

(function () {
  const {el} = sennit;
  const {count, plural, chip, card, tile, text, verdictTone, seconds} = sennit.parts;

  // Of a checked file.
  sennit.views.history = function history(container, raw) {
    sennit.guard(container, "this history", () => show(container, sennit.history.ofFile(raw), {}));
  };

  // Of a trial; options: {stepLink(number) -> address}.
  sennit.views.trialHistory = function trialHistory(container, trial, options) {
    sennit.guard(container, "the history of this trial", () => {
      if (!sennit.views.hasHistory(trial)) throw new Error("No client of this trial has recorded an operation.");
      showTrace(container, trial, "trace", options || {});
    });
  };

  // The trial to look at, or as it was found.
  function showTrace(container, trial, which, options) {
    const both = sennit.history.isInTrace(trial.original);
    show(container, sennit.history.ofTrace(trial[which], text(trial.name, 400)), {
      // Steps have numbers of their own in each.
      stepLink: which === "trace" ? options.stepLink : undefined,
      back: options.back,
      choice: both ? sennit.choice("which trial", [["trace", "Shrunk"], ["original", "As found"]], which,
        (key) => showTrace(container, trial, key, options)) : null,
    });
  }

  // Whether a trial has a history to look at.
  sennit.views.hasHistory = (trial) => sennit.history.isInTrace(trial && trial.trace);

  function show(container, history, options) {
    const view = {history, options, byId: new Map(history.operations.map((op) => [op.id, op])), selected: null,
      scope: history.core.size > 0 ? "core" : "all", byTime: false};
    view.stage = el("div", {});
    view.tools = el("div", {class: "v-tools"});
    view.detail = el("div", {class: "v-detail"});
    container.replaceChildren(el("div", {class: "v-view history"},
      headOf(history, options), noticeOf(history),
      history.operations.length > 0 ? el("section", {class: "v-card v-wide"}, view.tools, view.stage, legendOf(history)) : null,
      history.operations.length > 0 ? el("div", {class: "v-grid"}, history.core.size > 0 ? orderCard(view) : null,
        history.core.size > 0 ? candidatesCard(view) : null, card("Operation", null, view.detail)) : null));
    if (history.operations.length === 0) return;
    restage(view);
    select(view, firstOf(history), false);
  }

  const firstOf = (history) => {
    for (const [id, member] of history.core) if (member.why !== null) return id;
    return history.stuck;
  };

  // ---- Head ----------------------------------------------------------------------------------------

  function headOf(history, {choice, back}) {
    const processes = new Set(history.operations.map((op) => op.process)).size;
    const definite = [...history.core.values()].filter((member) => member.definite).length;
    const unknown = history.operations.filter((op) => op.status === "unknown").length;
    return el("div", {class: "v-head"},
      back ? el("p", {class: "v-back"}, el("a", {href: back}, "← The trial")) : null,
      el("div", {class: "v-title"}, el("h2", {}, history.title), chip(history.verdict, verdictTone(history.verdict)),
        history.model ? chip(`model ${history.model}`) : null, choice),
      el("p", {class: "v-lead"}, leadOf(history, definite)),
      el("div", {class: "v-tiles"},
        tile(count(history.total), history.total === 1 ? "operation" : "operations"),
        tile(count(processes), processes === 1 ? "process" : "processes"),
        history.keys > 1 ? tile(count(history.keys), "keys") : null,
        unknown > 0 ? tile(count(unknown), "never returned", "", "They may have taken effect at any time after their call, or never") : null,
        definite > 0 ? tile(count(definite), "in the core", "bad", "Operations that are enough to see that there is no order") : null,
        history.algorithm ? tile(history.algorithm, "algorithm") : null,
        history.seconds !== null ? tile(seconds(history.seconds), "to check") : null));
  }

  function leadOf(history, definite) {
    const word = history.isSequential ? "sequentially consistent" : "linearizable";
    if (history.core.size > 0)
      return [el("b", {}, `${plural(definite, "operation is", "operations are")} enough`), ` to see that the history is not ${word}`,
        history.key !== null ? [": those of key ", el("code", {}, history.key)] : "", ". ",
        history.minimal ? "Nothing can be taken away from them." : "Perhaps fewer are: the budget was used up."];
    if (history.isBad) return `No order of these operations explains what they saw: the history is not ${word}.`;
    if (history.verdict === word) return "There is an order of all operations that the object, used by one client alone, would allow.";
    return history.why || "";
  }

  function noticeOf(history) {
    const shown = history.operations.length;
    if (shown === 0 && history.why) return el("div", {class: "v-notice v-bad"}, history.why);
    if (shown < history.total)
      return el("div", {class: "v-notice"}, `Of ${count(history.total)} operations ${count(shown)} are in this page: ` +
        (history.core.size > 0 ? "the core, and what is nearest to it." : "the first ones, or what the check got stuck at."));
    return null;
  }

  function legendOf(history) {
    const items = history.core.size === 0 ? [["ok", "returned"], ["unknown", "never returned"]] :
      [["definite", "core"], ["relaxed", "core, whether or not it took effect"], ["refused", "cannot be next"],
        ["place", "longest legal order"], ["other", "others"]];
    if (history.operations.some((op) => op.status === "fail")) items.push(["fail", "failed without effect"]);
    return el("div", {class: "v-legend"}, items.map(([name, words]) => el("span", {class: `v-item v-${name}`}, el("i", {}), words)));
  }

  // ---- The timeline --------------------------------------------------------------------------------

  function scopesOf(view) {
    const {history} = view;
    const all = history.operations;
    const scopes = [];
    if (history.core.size > 0) {
      const core = all.filter((op) => history.core.has(op.id));
      scopes.push({name: "core", label: `Core ${count(core.length)}`, operations: core});
    }
    if (history.key !== null && all.some((op) => op.key !== null && op.key !== history.key)) {
      const own = all.filter((op) => op.key === history.key);
      scopes.push({name: "key", label: `Key ${text(history.key, 30)} ${count(own.length)}`, operations: own});
    }
    scopes.push({name: "all", label: `All ${count(all.length)}`, operations: all});
    return scopes;
  }

  function restage(view) {
    const scopes = (view.scopes = view.scopes || scopesOf(view));
    const scope = scopes.find((one) => one.name === view.scope) || scopes[scopes.length - 1];
    const zoom = (label, factor, hint) => el("button", {type: "button", class: "button", title: hint, "aria-label": hint,
      onclick: () => view.timeline.zoom(factor)}, label);
    view.timeline = sennit.timeline(view.history, {operations: scope.operations, byTime: view.byTime,
      onSelect: (id) => select(view, id, false)});
    view.stage.replaceChildren(view.timeline.node);
    view.tools.replaceChildren(...[
      el("h3", {}, "Timeline"),
      scopes.length > 1 ? sennit.choice("which operations", scopes.map((one) => [one.name, one.label]), scope.name, (key) => {
        view.scope = key;
        restage(view);
      }) : null,
      view.history.unit === "time" ? sennit.choice("distances", [
        ["order", "By order", "Each call and each return is a column: only their order counts"],
        ["time", "By time", "Distances are those of the clock"]], view.byTime ? "time" : "order", (key) => {
        view.byTime = key === "time";
        restage(view);
      }) : null,
      el("div", {}, zoom("−", 1 / 1.6, "smaller"), " ", zoom("+", 1.6, "larger"))].filter(Boolean));
    view.timeline.select(view.selected);
    view.timeline.reveal(view.selected !== null ? view.selected : firstOf(view.history));
  }

  function select(view, id, isFar) {
    view.selected = view.byId.has(id) ? id : null;
    view.timeline.select(view.selected);
    if (isFar && view.selected !== null) view.timeline.reveal(view.selected);
    view.detail.replaceChildren(...detailOf(view));
  }

  // ---- Why -----------------------------------------------------------------------------------------

  const SHOWN = 200; // of a long list

  function opLine(view, id, lead, tail, tone) {
    const op = view.byId.get(id);
    const member = view.history.core.get(id);
    return el("li", {}, el("button", {type: "button", class: `v-line ${tone ? `v-${tone}` : ""}`, onclick: () => select(view, id, true)},
      lead, el("code", {class: member && !member.definite ? "v-relaxed" : ""}, op ? op.text : `operation ${id}`),
      el("span", {class: "v-who"}, op ? sennit.history.who(op) : ""), tail));
  }

  function orderCard(view) {
    const {history} = view;
    const order = history.order;
    const shown = order.length > SHOWN ? order.slice(order.length - SHOWN) : order;
    const skipped = order.length - shown.length;
    const lines = shown.map((id, i) => opLine(view, id, el("i", {class: "v-number"}, count(skipped + i + 1)), stateAfter(history, id)));
    return card("Longest order that the model allows", history.longest ? null : "as far as it was looked for",
      order.length === 0 ? el("p", {}, "None of them can be the first.") : null,
      skipped > 0 ? el("p", {class: "muted"}, `… ${plural(skipped, "operation")} before these`) : null,
      el("ol", {class: "v-lines"}, lines),
      el("p", {class: "v-state"}, order.length === 0 ? "The state is " : "Then the state is ", el("code", {}, history.state || "?"), "."));
  }

  function stateAfter(history, id) {
    const {state} = history.core.get(id);
    return state === null ? null : el("span", {class: "v-after", title: "The state that it leaves"}, "→ ", el("code", {}, state));
  }

  function candidatesCard(view) {
    const {history} = view;
    const candidates = [...history.core].filter(([, member]) => member.why !== null);
    const cross = () => el("i", {class: "v-number v-bad"}, "✕");
    return card("And nothing can be next", null,
      candidates.length === 0 ? el("p", {class: "muted"}, "Which operations could be next was not recorded.") : null,
      el("ul", {class: "v-lines"}, candidates.slice(0, SHOWN).map(([id, member]) =>
        opLine(view, id, cross(), el("span", {class: "v-reason"}, member.why || "the model refuses it"), "bad"))),
      candidates.length > SHOWN ? el("p", {class: "muted"}, `and ${plural(candidates.length - SHOWN, "operation")} more`) : null,
      history.isSequential ? el("p", {class: "muted"}, "Clocks do not count here, only the order within each process.") : null);
  }

  // ---- One operation -------------------------------------------------------------------------------

  function roleOf(history, op) {
    const member = history.core.get(op.id);
    if (!member) return history.core.size > 0 ? "Not part of the core." : null;
    if (member.why !== null) return `In the core. It could be next after the longest order, but ${member.why || "the model refuses it"}.`;
    if (!member.definite)
      return "In the core, but all that counts of it is its call: whether or not it took effect, at any time after " +
        (history.isSequential ? "what its process did before, there is no order." : "that, there is no order.");
    return member.place > 0 ? `In the core, and number ${member.place} in the longest order.` :
      "In the core. It has to wait for one that cannot be next.";
  }

  function detailOf(view) {
    const {history, options} = view;
    const op = view.byId.get(view.selected);
    if (!op) return [el("p", {class: "muted"}, "Choose an operation in the timeline. Arrow keys go from call to call.")];
    const place = (step, words) => (step !== undefined && step !== null && options.stepLink ? el("a", {href: options.stepLink(step)}, words) : words);
    const rows = [["process", op.process], ["called", place(op.callStep, op.calledAt)],
      [op.status === "fail" ? "failed" : "returned", op.ret !== null ? place(op.returnStep, op.returnedAt) : "never: it may have taken effect or not"],
      op.key !== null ? ["key", op.key] : null, op.line > 0 ? ["line in the file", count(op.line)] : null];
    const role = roleOf(history, op);
    return [el("p", {class: "v-what"}, el("code", {}, op.text)),
      el("dl", {}, rows.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      role ? el("p", {}, role) : null,
      op.id === history.stuck && history.isBad && !history.isSequential ?
        el("p", {}, "At its return the history becomes illegal: up to then there is an order.") : null].filter(Boolean);
  }
})();
