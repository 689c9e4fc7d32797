// explained.js - an explanation as the page needs it: in the order of its sentences, and with the steps
// that its constraints speak of. It comes from a file: whatever is missing is taken as not said.

{
  const {list, object, string, whole} = sennit;

  // {trials, failed, low, high}, or null if nothing was asked.
  function share(value) {
    const {trials, failed, stuck, low, high} = object(value);
    if (!whole(trials)) return null;
    return {trials, failed: whole(failed), stuck: whole(stuck), low: Number(low) || 0, high: Number(high) || 0};
  }

  sennit.sayShare = (s) => `${sennit.number(s.failed)} of ${sennit.number(s.trials)}`;

  const percent = (x) => `${Number((100 * x).toFixed(x > 0 && x < 0.01 ? 2 : 1))}`;
  sennit.sayRange = function sayRange(s) {
    const range =
      s.failed === 0
        ? `at most ${percent(s.high)} %`
        : s.failed === s.trials
          ? `at least ${percent(s.low)} %`
          : `${percent(s.low)}\u2013${percent(s.high)} %`;
    return s.stuck > 0 ? `${range}, ${sennit.number(s.stuck)} stuck` : range;
  };

  // What a constraint is worth, in a few words for the diagram.
  function figure(c) {
    if (c.label === "set-up" || c.label === "enabling") return "";
    const name = c.label === "needed" || c.label === "" ? "" : `${c.label}: `;
    if (c.reversed) return `${name}reversed, ${sennit.sayShare(c.reversed)} fail`;
    return c.dropped ? `${name}without it, ${sennit.sayShare(c.dropped)} fail` : name.replace(": ", "");
  }

  function constraint(value, key, stepOf) {
    const c = object(value);
    const known = {
      key,
      number: 0,
      kind: string(c.kind) || "order",
      label: string(c.label),
      first: string(c.first),
      second: string(c.second),
      neverRan: c.second_never_ran === true,
      group: whole(c.group),
      require: string(c.require),
      dropped: share(c.dropped),
      reversed: share(c.reversed),
      firstStep: 0,
      secondStep: 0,
    };
    if (stepOf) {
      // of other causes the steps are those of other trials
      known.firstStep = whole(c.first_step) || stepOf(known.first);
      known.secondStep = known.neverRan ? 0 : whole(c.second_step) || stepOf(known.second);
    }
    known.figure = figure(known);
    return known;
  }

  // As `sennit explain` orders and counts them: orders, those that are said together as one, then
  // values and what else there is. What only lets others come about has no number.
  function inOrder(all) {
    const isEnabling = (c) => c.label === "enabling";
    const isOrder = (c) => c.kind === "order";
    const isTogether = all.filter((c) => c.group).length > 1;
    const said = all.filter((c) => !isEnabling(c));
    const orders = said.filter((c) => isOrder(c) && !(isTogether && c.group));
    const group = isTogether ? said.filter((c) => isOrder(c) && c.group) : [];
    const others = said.filter((c) => !isOrder(c));
    let number = 0;
    for (const c of orders) c.number = ++number;
    if (group.length > 0) number++;
    for (const c of group) c.number = number;
    for (const c of others) c.number = ++number;
    return [...orders, ...group, ...others, ...all.filter(isEnabling)];
  }

  function cause(value, stepOf, counter) {
    const c = object(value);
    const constraints = inOrder(
      list(c.constraints)
        .slice(0, 200)
        .map((one) => constraint(one, ++counter.n, stepOf))
    );
    const counted = constraints.filter((one) => one.number > 0);
    return {
      sufficient: c.sufficient === true,
      minimal: c.minimal === true,
      givenUp: c.given_up === true,
      verified: share(c.verified),
      base: share(c.base),
      from: whole(c.from),
      covers: whole(c.covers),
      trace: string(c.trace),
      constraints,
      orders: new Set(counted.filter((one) => one.kind === "order").map((one) => one.number)).size,
      values: counted.filter((one) => one.kind === "value").length,
    };
  }

  function lost(value) {
    const l = object(value);
    return {
      found: l.found === true,
      step: whole(l.step),
      operation: string(l.operation),
      before: share(l.before),
      after: share(l.after),
      curve: list(l.curve)
        .map((p) => ({step: whole(object(p).step), after: share(object(p).after)}))
        .filter((p) => p.after)
        .sort((a, b) => a.step - b.step),
      jumps: list(l.jumps)
        .map((j) => ({
          step: whole(object(j).step),
          operation: string(object(j).operation),
          before: share(object(j).before),
          after: share(object(j).after),
        }))
        .filter((j) => j.before && j.after),
    };
  }

  // Null if there is nothing to read; `explained` is the model of the trial that it speaks of, or null.
  sennit.readExplanation = function readExplanation(value, explained) {
    const e = object(value);
    if (e.format !== "sennit-explanation") return null;
    const trial = object(e.trial);
    const steps = list(trial.list).map((s) => ({
      step: whole(object(s).step),
      operation: string(object(s).operation),
      changes: string(object(s).changes),
      ofNote: object(s).of_note === true,
    }));
    const byOperation = new Map();
    for (const s of steps) if (!byOperation.has(s.operation)) byOperation.set(s.operation, s.step);
    const stepOf = (operation) => byOperation.get(operation.replace(/ \(number \d+\)$/, "")) || 0;
    const counter = {n: 0};
    return {
      explained,
      failure: string(e.failure),
      trial,
      steps,
      lost: lost(e.lost),
      base: share(e.base),
      causes: list(e.causes)
        .slice(0, 20)
        .map((one, i) => cause(one, i === 0 ? stepOf : null, counter)),
      core: list(object(e.core).orders).map((o) => ({
        first: string(object(o).first),
        second: string(object(o).second),
        inFailing: whole(object(o).in_failing),
        inPassing: whole(object(o).in_passing),
        forced: share(object(o).forced),
        reversed: share(object(o).reversed),
      })),
      coreFailing: whole(object(e.core).failing),
      corePassing: whole(object(e.core).passing),
      nearest: object(e.nearest),
      pool: whole(e.pool),
      covered: whole(e.covered),
      machinesChange: e.machines_change_places === true,
      rates: Object.entries(object(e.rates))
        .map(([name, s]) => [name, share(s)])
        .filter(([, s]) => s),
      executions: whole(e.executions),
      seed: whole(e.seed),
      complete: e.complete !== false,
    };
  };

  // Whether an explanation speaks of the steps of this trial, as far as its list tells.
  sennit.isExplainedBy = function isExplainedBy(model, explanation) {
    const {steps, trial} = explanation;
    if (model.failure < 0 || whole(trial.steps) !== model.count || steps.length === 0) return false;
    return steps.every((s) => {
      const step = model.steps[s.step];
      return step && (step.op === "fault" || s.operation.startsWith(step.task));
    });
  };

  // What only helps, or sets the scene: there is something that matters more.
  const isLess = (c) => c.label === "helping" || c.label === "set-up";

  // How many fail if it is otherwise: the fewer, the more it matters.
  sennit.effectOf = function effectOf(c) {
    const s = c.reversed || c.dropped;
    return s ? s.failed / s.trials : 1;
  };

  // What decides comes first, then what else is needed; orders before values.
  const weightOf = (edge) => (edge.isDecisive ? 2 : edge.isLess || edge.isWeak ? 0 : 1);
  sennit.byWeight = (a, b) =>
    weightOf(b) - weightOf(a) || a.isValue - b.isValue || a.effect - b.effect || a.number - b.number;

  // ---- On the diagram -------------------------------------------------------------------------------

  // Where something waits that never ran: "deliver EVENT to MACHINE ..." names its lane.
  function ghost(model, c) {
    const second = c.require.split(" before ").pop();
    const said =
      /^\(?(?:deliver|timer) (?:"([^"]*)"|(\S+)) (?:to|of) (?:"([^"]*)"|(\S+?))\)?(?: |$)/.exec(second) ||
      /^\(?(start) ()(?:"([^"]*)"|(\S+?))\)?(?: |$)/.exec(second);
    const lane = said && model.laneOf(said[3] || said[4]);
    return lane ? {lane, event: said[1] || said[2] || "", kind: sennit.kindIn(c.second), others: []} : null;
  }

  // What can be drawn on a trial: orders between steps, from a step to what never ran, and the other way
  // round where the trial has it so; and values, at the step that draws them.
  sennit.edgesOf = function edgesOf(model, explanation) {
    if (!explanation) return holds(model);
    const there = explanation.explained;
    const here = (step) => {
      if (!step || !there) return 0;
      if (there === model) return step;
      const original = there.steps[step];
      const same = original && model.stepOfId.get(original.id);
      return same ? same.step : 0;
    };
    // Other causes are those of other trials.
    const [cause] = explanation.causes;
    const edges = [];
    for (const c of cause && cause.verified ? cause.constraints : []) {
      // not verified: a search was not finished
      const first = here(c.firstStep);
      const second = c.neverRan ? 0 : here(c.secondStep);
      const waiting = c.neverRan && first && there === model ? ghost(model, c) : null;
      if (c.kind === "value" && first) edges.push(valueAt(c, first));
      if (c.kind !== "order" || !first || (!second && !waiting)) continue;
      edges.push({
        key: c.key,
        number: c.number,
        label: c.figure,
        first,
        second,
        ghost: waiting,
        isReversed: second > 0 && second < first,
        isDecisive: c.label === "decisive",
        isLess: isLess(c),
        effect: sennit.effectOf(c),
        isWeak: c.label === "enabling",
        isValue: false,
      });
    }
    gatherGhosts(edges);
    return edges.length > 0 ? edges : holds(model);
  };

  // Of what never ran and is said together, one stands for all.
  function gatherGhosts(edges) {
    const leaders = new Map();
    for (const edge of edges.filter((one) => one.ghost && one.number > 0)) {
      const leader = leaders.get(edge.number);
      if (leader) {
        edge.leader = leader;
        leader.ghost.others.push(edge.ghost);
      } else leaders.set(edge.number, edge);
    }
  }

  const valueAt = (c, step) => ({
    key: c.key,
    number: c.number,
    label: `${/draws? ".*$/.exec(c.first) || c.first} = ${c.second}`, // who does is the step's own machine
    first: step,
    second: step,
    ghost: null,
    isReversed: false,
    isDecisive: c.label === "decisive",
    isLess: isLess(c),
    effect: sennit.effectOf(c),
    isWeak: c.label === "enabling",
    isValue: true,
  });

  // Without an explanation, the exceptions to the default schedule are what is known of the orders
  // that matter: what is held runs after what it waited for.
  function holds(model) {
    const edges = [];
    for (const [index, hold] of model.holds.entries()) {
      const held = model.stepOfId.get(hold.hold);
      const until = model.stepOfId.get(hold.until);
      if (!held || !until || !held.step || !until.step) continue;
      edges.push({
        key: index + 1,
        number: index + 1,
        label: "",
        first: until.step,
        second: held.step,
        ghost: null,
        isReversed: held.step < until.step,
        isDecisive: false,
        isLess: false,
        effect: 1,
        isWeak: true,
        isValue: false,
        isHold: true,
      });
    }
    return edges;
  }

  // Exceptions by what they waited for, those that tell most first: {hold, number, held, until, isRun}.
  // What comes late from somebody who is gone by then tells most, then two steps of one machine, then
  // messages; timers and starts had to wait for something.
  sennit.rankExceptions = function rankExceptions(model) {
    const groups = new Map();
    model.holds.forEach((hold, i) => {
      const held = model.stepOfId.get(hold.hold);
      const until = model.stepOfId.get(hold.until);
      const isRun = Boolean(held && until && held.step && until.step);
      const one = {hold, number: i + 1, held, until, isRun, weight: isRun ? tells(model, held, until) : -1};
      if (!groups.has(hold.until)) groups.set(hold.until, []);
      groups.get(hold.until).push(one);
    });
    const sorted = [...groups.values()].map((group) => group.sort((a, b) => b.weight - a.weight || a.number - b.number));
    const place = ([{until}]) => (until ? until.step : 0);
    return sorted.sort((a, b) => b[0].weight - a[0].weight || place(b) - place(a));
  };

  function tells(model, held, until) {
    const message = model.messageOfId.get(held.id);
    const from = message && message.from;
    const state = from && from.states[sennit.lastAt(from.states, until.step)];
    const isDown = from && from.downs.some((down) => down.begin <= until.step && until.step < down.end);
    if (isDown || (state && state.how === "halt")) return 3;
    if (held.task === until.task) return 2;
    return held.op === "deliver" ? 1 : 0;
  }

  // How many of a hundred continuations fail after each step, as far as it was asked: an array of
  // shares from 0 to 1, NaN before the first that was and behind the last. Where no return was found, it is 1
  // from there on.
  sennit.riskOf = function riskOf(model, explanation) {
    if (!explanation || explanation.explained !== model || explanation.lost.curve.length === 0) return null;
    const {curve, found, step: lost} = explanation.lost;
    const risk = new Float32Array(model.steps.length).fill(NaN);
    const last = curve[curve.length - 1].step;
    let at = 0;
    let value = NaN;
    for (let step = 0; step < risk.length; step++) {
      while (at < curve.length && curve[at].step <= step) {
        const {after} = curve[at++];
        value = after.failed / after.trials;
      }
      if (found && lost && step >= lost) risk[step] = 1;
      else if (step <= last) risk[step] = value;
    }
    return risk;
  };
}
