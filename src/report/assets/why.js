// why.js - the explanation in words, in the order of `sennit explain`: why, where the trial was lost,
// what is common to failing trials, what passes. Orders and steps can be gone to.

{
  const {el, svg, sayShare, sayRange} = sennit;

  // ---- The exceptions, where nothing was explained --------------------------------------------------

  function holds(view) {
    const {model} = view;
    if (model.failure < 0) return [el("p", {}, "This trial passed.")];
    const parts = [unexplained(view)];
    if (model.holds.length === 0) {
      if (model.shrunk) parts.push(el("p", {}, "It fails in the default order, in which what has waited longest runs next: there is no exception to show."));
      return parts;
    }
    return [...parts, exceptions(view)];
  }

  // What to do about it, ready to be copied. It writes its report beside the trace.
  function unexplained(view) {
    const trace = sennit.string(view.trial.original_path) || sennit.string(view.path);
    const command = `sennit explain ${sennit.quote(trace)}`;
    const page = trace.replace(/(\.shrunk)?\.trace$/, ".html");
    return el(
      "section",
      {class: "hint unexplained"},
      el("h3", {}, "This trial has not been explained yet"),
      el(
        "p",
        {},
        "Which messages race, and which values matter, is found out by running thousands of other trials. ",
        "In the directory of the run, this takes about a minute:"
      ),
      el("div", {class: "run"}, el("code", {}, sennit.cut(command, 600)), sennit.copyButton(command)),
      el("p", {}, "Then open ", el("code", {}, sennit.cut(page, 400)), ".")
    );
  }

  // The numbers are those of the diagram. What waited for one step is said together.
  function exceptions(view) {
    const groups = view.kept("exceptions", () => sennit.rankExceptions(view.model));
    const run = groups.filter(([lead]) => lead.isRun);
    const others = groups.filter(([lead]) => !lead.isRun).flat();
    return [
      el("h3", {}, "Exceptions to the default order"),
      el(
        "p",
        {class: "muted"},
        "By default, what has waited longest runs next. With only these exceptions the test fails in the same way."
      ),
      el(
        "ol",
        {class: "constraints"},
        run.map((group) => exception(view, group))
      ),
      others.length === 0
        ? null
        : fold(
            `${others.length}${run.length > 0 ? " more" : ""} ${others.length === 1 ? "holds" : "hold"} back what never ran here`,
            el(
              "ol",
              {class: "constraints"},
              others.map((one) => el("li", {value: one.number, "data-constraint": one.number}, sayException(view, one)))
            )
          ),
    ];
  }

  const OTHERS_MOST = 2; // that are not folded

  function exception(view, [lead, ...rest]) {
    const others = el(
      "ol",
      {class: "constraints"},
      rest.map((one) => el("li", {value: one.number, "data-constraint": one.number}, named(view, one.hold.hold, one.hold.name), " ", toEdge(view, one)))
    );
    return el(
      "li",
      {value: lead.number, "data-constraint": lead.number},
      sayException(view, lead),
      el("div", {class: "tools"}, toEdge(view, lead)),
      rest.length === 0
        ? null
        : rest.length > OTHERS_MOST
          ? fold(`and before ${rest.length} others that waited`, others)
          : [el("div", {class: "muted"}, "and before"), others]
    );
  }

  const sayException = (view, {hold}) => [
    named(view, hold.until, hold.until_name),
    " ",
    el("b", {}, "before"),
    " ",
    named(view, hold.hold, hold.name),
  ];

  const toEdge = (view, {number}) =>
    view.edges.some((edge) => edge.isHold && edge.number === number)
      ? el("button", {class: "link", type: "button", onclick: () => view.chooseEdge(number)}, "show on the diagram")
      : null;

  function named(view, id, name) {
    const step = view.model.stepOfId.get(id);
    if (step && step.step) return sennit.stepLink(view, step.step, sennit.sayOperation(step));
    return el("span", {class: "muted"}, sennit.cut(name || "a timer, a fault or a call", 120), " (not run here)");
  }

  const fold = (summary, ...children) => el("details", {class: "fold"}, el("summary", {}, summary), children);

  // ---- Why ------------------------------------------------------------------------------------------

  // What an operation is about stands in brackets, and matters less than what it is.
  function operation(view, text, step) {
    const here = view.stepHere(step);
    const [, before, payload, from, number] = /^(.*?)( \(.*?\))?( from [^()]*)?( \(number \d+\))?$/s.exec(
      text.slice(0, 4000)
    );
    const kind = / handles /.test(before) ? sennit.kindIn((payload ?? "").slice(0, 400)) : "";
    const rest = kind ? sennit.withoutKind(payload) : payload;
    const words = [
      sennit.cut(sennit.withKind(before, kind), 160),
      sennit.cut(from, 80),
      number ?? "",
      rest && rest.trim() ? el("span", {class: "muted aside"}, sennit.cut(rest, 120)) : null,
    ];
    return el("span", {}, here ? sennit.stepLink(view, here, words) : words);
  }

  // How many trials fail if it is otherwise. Those that got stuck, since what was asked for could not come
  // about, have not failed.
  const figure = (words, share) =>
    share
      ? el(
          "tr",
          {},
          el("th", {scope: "row"}, words),
          el("td", {}, el("b", {}, sayShare(share)), " fail"),
          el(
            "td",
            {class: "range", title: "with 95 % confidence; trials that get stuck cannot satisfy what is asked"},
            sayRange(share)
          )
        )
      : null;

  const LABELS = {
    decisive: "the other way round hardly any trial fails",
    "set-up": "without it most trials get stuck: the rest does not come about",
    helping: "without it nearly as many fail",
  };

  function figures(c) {
    if (c.label === "enabling" || (!c.reversed && !c.dropped)) return null;
    return el("table", {class: "figures"}, figure("reversed", c.reversed), figure("without it", c.dropped));
  }

  const label = (c) =>
    c.label && c.label !== "needed" && c.label !== "enabling"
      ? el(
          "span",
          {class: `label ${c.label === "decisive" ? "decisive" : ""}`, title: LABELS[c.label] || null},
          c.label
        )
      : null;

  function sentence(view, c) {
    if (c.kind === "value")
      return [operation(view, c.first, c.firstStep), " ", el("b", {}, "is"), " ", sennit.cut(c.second, 200)];
    if (c.kind === "no other fault") {
      return [
        "no other fault: ",
        operation(view, c.second, c.secondStep),
        " ",
        el("b", {}, "before"),
        " any ",
        sennit.cut(c.first, 200),
      ];
    }
    return [
      operation(view, c.first, c.firstStep),
      " ",
      el("b", {}, "before"),
      " ",
      operation(view, c.second, c.secondStep),
      c.neverRan ? el("span", {class: "muted"}, " could run") : null,
    ];
  }

  // Several that are said together: the first stands before each of the others.
  function together(view, all) {
    const [{first, firstStep}] = all;
    return [
      operation(view, first, firstStep),
      " ",
      el("b", {}, "before each of these"),
      " could run:",
      el(
        "ul",
        {},
        all.slice(0, 40).map((c) => el("li", {}, operation(view, c.second, c.secondStep)))
      ),
    ];
  }

  // Numbers that several have are one point.
  function pointsOf(constraints) {
    const byNumber = new Map();
    for (const c of constraints) byNumber.set(c.number, [...(byNumber.get(c.number) || []), c]);
    return [...byNumber.values()];
  }

  const points = (view, list) =>
    el(
      "ol",
      {class: "constraints"},
      list.map((all) => constraint(view, all[0], all))
    );

  const effect = ([c]) => sennit.effectOf(c);

  const LESS = ["helping", "set-up"];
  const VALUES_MOST = 3; // beside orders
  const ALONE_MOST = 5;

  function sayRest(rest) {
    const isAllDrawn = rest.every(([c]) => c.kind === "value");
    return `${rest.length} more that it needs: drawn values${isAllDrawn ? "" : ", and no other faults"}`;
  }

  function sayLess(less) {
    const is = (label) => less.some(([c]) => c.label === label);
    const said = [is("helping") ? "only help" : "", is("set-up") ? "set the scene" : ""].filter(Boolean).join(" or ");
    return `${less.length} that ${less.length === 1 ? said.replace(/(help|set)/, "$1s") : said}`;
  }

  // What decides comes first; drawn values that are needed, too, and what only helps are folded.
  function ranked(view, cause) {
    const all = pointsOf(cause.constraints.filter((c) => c.number)).sort(
      (a, b) => (b[0].label === "decisive") - (a[0].label === "decisive") || effect(a) - effect(b)
    );
    const isLess = ([c]) => LESS.includes(c.label);
    const isFirst = (one) => !isLess(one) && (one[0].kind === "order" || one[0].label === "decisive");
    const first = all.filter(isFirst);
    const values = all.filter((one) => !isFirst(one) && !isLess(one));
    const less = all.filter(isLess);
    const most = first.length === 0 ? ALONE_MOST : values.length <= VALUES_MOST ? VALUES_MOST : 0;
    const enabling = cause.constraints.filter((c) => !c.number);
    const rest = values.slice(most);
    return [
      first.length + values.length > 0 ? points(view, [...first, ...values.slice(0, most)]) : null,
      rest.length > 0 ? fold(sayRest(rest), points(view, rest)) : null,
      less.length > 0 ? fold(sayLess(less), points(view, less)) : null,
      enabling.length > 0
        ? fold(
            `${enabling.length} that ${enabling.length === 1 ? "lets" : "let"} these come about`,
            el(
              "ul",
              {class: "constraints"},
              enabling.map((c) => constraint(view, c))
            )
          )
        : null,
    ];
  }

  function constraint(view, c, all = [c]) {
    const canGo = view.edges.some((edge) => edge.key === c.key);
    return el(
      "li",
      {
        value: c.number || null,
        class: `constraint${c.label === "decisive" ? " decisive" : ""}${c.number ? "" : " unnumbered"}`,
        "data-constraint": c.key,
      },
      el("div", {}, label(c), all.length > 1 ? together(view, all) : sentence(view, c)),
      figures(c),
      el(
        "div",
        {class: "tools"},
        canGo
          ? el(
              "button",
              {class: "link", type: "button", onclick: () => view.chooseEdge(c.key)},
              "show on the diagram"
            )
          : null,
        c.require && c.kind !== "no other fault"
          ? sennit.copyButton(
              all.map((one) => `--require ${sennit.quote(one.require)}`).join(" "),
              "copy as --require"
            )
          : null
      )
    );
  }

  // As `sennit explain` says it: sets that are not enough are worth saying only if they do something.
  const isWorth = (cause) =>
    cause.verified &&
    2 * cause.verified.failed >= cause.verified.trials &&
    (!cause.base || cause.verified.low > cause.base.high);

  function claim(cause) {
    const these = (n, noun) => (n === 0 ? [] : [n === 1 ? `this ${noun}` : `these ${n} ${noun}s`]);
    const said = [...these(cause.orders, "order"), ...these(cause.values, "value")].join(" and ");
    const n = cause.constraints.length;
    const base = cause.base ? ` (without: ${sayShare(cause.base)})` : "";
    if (!cause.verified) return ["Not known: the search was not finished. See where the trial was lost."];
    if (cause.sufficient && n === 0) {
      const always = cause.verified.failed === cause.verified.trials ? "Every" : "Nearly every";
      return [
        `${always} random ${cause.from ? "continuation" : "schedule"} fails (`,
        el("b", {}, sayShare(cause.verified)),
        cause.from ? `), once the trial has come to step ${cause.from}: after that ` : "): ",
        "no order is needed.",
      ];
    }
    if (cause.sufficient) {
      return [
        "In ",
        el("b", {}, sayShare(cause.verified)),
        cause.from ? " random continuations" : " random schedules",
        ` with ${said || "what follows"}`,
        " the test fails",
        base,
        cause.from ? `, once the trial has come to step ${cause.from}` : "",
        ".",
      ];
    }
    return [
      "No short set of orders was found with which 99 in 100 trials fail",
      isWorth(cause) ? ["; with these, ", el("b", {}, sayShare(cause.verified)), " do", base] : "",
      cause.givenUp ? ". The search was not finished: more time may find one." : ".",
    ];
  }

  function remarks(view, cause) {
    const parts = [];
    if (cause.sufficient && cause.from)
      parts.push(["How the trial comes to ", operation(view, `step ${cause.from}`, cause.from), " is needed, too: see the steps before it."]);
    if (cause.trace) parts.push(`Its trial: ${sennit.cut(cause.trace, 200)}`);
    if (cause.sufficient && !cause.minimal && cause.constraints.length > 0)
      parts.push("It is not certain that each of them is needed.");
    if (cause.verified && cause.verified.stuck > 0) {
      parts.push(
        `${cause.verified.stuck} of the ${cause.verified.trials} could not satisfy the orders and counted as passing.`
      );
    }
    return parts.map((text) => el("p", {class: "muted"}, text));
  }

  function why(view, e) {
    const parts = [];
    e.causes.forEach((cause, i) => {
      parts.push(
        el("h3", {}, i === 0 ? "Why it fails" : `Or, another cause (${i + 1})`),
        el("p", {}, claim(cause))
      );
      if (cause.verified && (cause.sufficient || isWorth(cause))) parts.push(ranked(view, cause), remarks(view, cause));
    });
    if (e.causes.length === 0)
      parts.push(el("h3", {}, "Why it fails"), el("p", {}, "Not known: no short set of orders was found."));
    if (e.pool > 0 && e.covered > 0) {
      parts.push(
        el(
          "p",
          {class: "muted"},
          `Explains ${e.covered} of ${e.pool} failing trials that were found independently`,
          e.machinesChange ? ", where machines of one type may change places." : "."
        )
      );
    }
    return parts;
  }

  // ---- Where it was lost ----------------------------------------------------------------------------

  const CURVE = {width: 340, height: 64};

  function curve(view, e) {
    const points = e.lost.curve;
    if (points.length < 2) return null;
    const last = Math.max(points[points.length - 1].step, e.lost.step, 1);
    const x = (step) => 4 + (step / last) * (CURVE.width - 8);
    const y = (p) => CURVE.height - 4 - (p.after.failed / p.after.trials) * (CURVE.height - 10);
    const line = points.map((p, i) => `${i ? "L" : "M"}${x(p.step).toFixed(1)},${y(p).toFixed(1)}`).join("");
    const area = `${line}L${x(points[points.length - 1].step)},${CURVE.height - 4}L${x(points[0].step)},${CURVE.height - 4}Z`;
    const picture = svg(
      "svg",
      {
        class: "curve",
        viewBox: `0 0 ${CURVE.width} ${CURVE.height}`,
        role: "img",
        tabindex: 0,
        "aria-label": "share of continuations that fail after each step",
        onclick: (event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const step = Math.round(((event.clientX - box.left) / box.width) * last);
          const here = view.stepHere(Math.max(1, Math.min(step, last)));
          if (here) view.choose(here, "link");
        },
      },
      svg("path", {d: area, class: "area"}),
      svg("path", {d: line, class: "line"}),
      e.lost.found
        ? svg("line", {x1: x(e.lost.step), x2: x(e.lost.step), y1: 2, y2: CURVE.height - 2, class: "lost"})
        : null,
      points.map((p) =>
        svg(
          "circle",
          {cx: x(p.step), cy: y(p), r: points.length > 60 ? 1.2 : 2},
          svg("title", {}, `after step ${p.step}: ${sayShare(p.after)} fail`)
        )
      )
    );
    return el(
      "figure",
      {},
      picture,
      el("figcaption", {class: "muted"}, `continuations that fail, after each step (0 to ${last})`)
    );
  }

  function lost(view, e) {
    const {step, before, after, found, jumps} = e.lost;
    const parts = [el("h3", {}, "Point of no return")];
    if (found && after) {
      parts.push(
        el(
          "p",
          {},
          "after ",
          operation(view, `step ${step}`, step),
          `, \u201c${sennit.cut(e.lost.operation, 160)}\u201d: `,
          el("b", {}, sayShare(after)),
          ` sampled continuations fail (${sayRange(after)})`,
          before ? `; before it ${sayShare(before)}.` : "."
        )
      );
    } else {
      const last = e.lost.curve[e.lost.curve.length - 1];
      parts.push(
        el(
          "p",
          {},
          "Not found",
          last ? [": even after ", operation(view, `step ${last.step}`, last.step), ` only ${sayShare(last.after)} continuations fail.`] : "."
        )
      );
    }
    parts.push(curve(view, e));
    const others = jumps.filter((j) => !found || j.step !== step);
    if (others.length > 0) {
      parts.push(
        el("p", {class: "muted"}, found ? "It grew before that with:" : "It grew most with:"),
        el(
          "ul",
          {},
          others
            .slice(0, 12)
            .map((j) =>
              el(
                "li",
                {},
                operation(view, `step ${j.step}`, j.step),
                ` ${sennit.cut(j.operation, 120)}: ${j.before.failed} \u2192 ${sayShare(j.after)}`
              )
            )
        )
      );
    }
    return parts;
  }

  // ---- The rest -------------------------------------------------------------------------------------

  function core(e) {
    if (e.core.length === 0) return null;
    return [
      el("h3", {}, "Common to failing trials"),
      el(
        "ul",
        {},
        e.core
          .slice(0, 12)
          .map((o) =>
            el(
              "li",
              {},
              sennit.cut(o.first, 160),
              " ",
              el("b", {}, "before"),
              " ",
              sennit.cut(o.second, 160),
              el(
                "div",
                {class: "figures"},
                `in ${o.inFailing} of ${e.coreFailing} failing trials and ${o.inPassing} of ${e.corePassing} passing ones`,
                o.forced ? `; forced, ${sayShare(o.forced)} fail` : "",
                o.reversed ? `; reversed, ${sayShare(o.reversed)} fail` : ""
              )
            )
          )
      ),
    ];
  }

  function nearest(view, e) {
    const n = e.nearest;
    if (n.result !== "found") return null;
    return [
      el("h3", {}, "Nearest trial that passes"),
      el("p", {}, "It passes, and all else stays as it can, if only this is reversed:"),
      el(
        "p",
        {class: "order"},
        sennit.cut(n.first, 200),
        " ",
        el("b", {}, "before"),
        " ",
        sennit.cut(n.second, 200)
      ),
      n.difference ? el("p", {class: "muted"}, `First difference: ${sennit.cut(n.difference, 300)}`) : null,
      view.canCompare("nearest")
        ? el(
            "button",
            {class: "button", type: "button", onclick: () => view.compare("nearest")},
            "Compare side by side"
          )
        : null,
    ];
  }

  function rates(e) {
    if (e.rates.length === 0) return null;
    return [
      el("h3", {}, "How often it fails"),
      el(
        "table",
        {class: "rates"},
        e.rates
          .slice(0, 40)
          .map(([name, s]) =>
            el(
              "tr",
              {},
              el("td", {}, sennit.cut(name, 40)),
              el("td", {}, el("meter", {min: 0, max: 1, value: s.failed / s.trials})),
              el("td", {}, sayShare(s))
            )
          )
      ),
    ];
  }

  // Where no order is known to be needed, the one that makes it pass comes first, and where it was lost.
  function sections(view, e) {
    const [first] = e.causes;
    const hasOrders = first && first.verified && first.orders > 0 && (first.sufficient || isWorth(first));
    const isHeld = view.edges.some((edge) => edge.isHold);
    return [
      hasOrders ? null : nearest(view, e),
      lost(view, e),
      isHeld ? exceptions(view) : null,
      core(e),
      hasOrders ? nearest(view, e) : null,
    ];
  }

  sennit.panels.why = function whyPanel(container, view) {
    const e = view.explanation;
    if (!e) return sennit.fill(container, {}, holds(view));
    const isElsewhere =
      e.explained && e.explained !== view.model && view.variants.some((v) => v.model === e.explained);
    return sennit.fill(container, {}, [
      isElsewhere
        ? el(
            "p",
            {class: "hint"},
            "The explanation speaks of another trial that fails in the same way. ",
            el(
              "button",
              {class: "link", type: "button", onclick: () => view.showVariant("explained")},
              "Show that one"
            )
          )
        : null,
      why(view, e),
      sections(view, e),
      rates(e),
      el(
        "p",
        {class: "muted"},
        `Sampled statements, not proofs: ${sennit.count(e.executions, "trial")}, seed ${e.seed}.`,
        e.complete ? "" : " The budget ended before the work did."
      ),
    ]);
  };
}
