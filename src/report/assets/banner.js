// banner.js - the head of a trial: what failed, where, and how to see it again; and the bar of tools above
// the diagram.

{
  const {el} = sennit;

  // Seeds may have more digits than a number of JavaScript: those are read from the text.
  function exact(value) {
    if (Number.isSafeInteger(value)) return sennit.number(value).replace(/,/g, "");
    const text = document.getElementById("data").textContent;
    for (const [, digits] of text.matchAll(/"seed":(\d{16,20})\b/g)) if (Number(digits) === value) return digits;
    return String(value);
  }

  function facts(view) {
    const {model} = view;
    const {header, verdict} = model;
    const all = [];
    const add = (name, value) =>
      value !== "" && value !== undefined && all.push(el("span", {class: "fact"}, `${name} `, el("b", {}, value)));
    if (verdict.at !== undefined) add(sennit.isPlace(verdict.at) ? "at" : "kind", sennit.cut(verdict.at, 200));
    if (model.failure >= 0) add("step", `${sennit.number(model.failure)} of ${sennit.number(model.count)}`);
    else add("steps", sennit.number(model.count));
    const original = view.variant.key === "trace" ? view.variantOf("original") : null;
    const found = original ? original.count : model.shrunk ? model.shrunk.shrunk : 0;
    if (model.failure >= 0 && found > model.count) add("shrunk from", `${sennit.number(found)} steps`);
    add("seed", exact(header.seed));
    add("trial", sennit.number(header.trial));
    add("strategy", sennit.cut(header.strategy, 80));
    if (sennit.views.hasHistory(view.trial)) all.push(el("a", {class: "fact", href: `#/trial/${view.index}/history`}, "What clients saw: the history"));
    return all;
  }

  sennit.commandOf = function commandOf(view) {
    const {header} = view.model;
    return [header.program, ...sennit.list(header.args), "--replay", view.variant.path || view.path]
      .map((word) => sennit.quote(String(word ?? "")))
      .join(" ");
  };

  // On a low screen the head leaves its room to the diagram.
  function foldButton(view) {
    const button = el(
      "button",
      {
        class: "link fold-banner",
        type: "button",
        "aria-expanded": String(!view.isFolded),
        title: view.isFolded ? "where it failed, and how to see it again" : "leave more room to the diagram",
        onclick: () => view.foldBanner(!view.isFolded),
      },
      view.isFolded ? "more \u25be" : "less \u25b4"
    );
    return button;
  }

  sennit.banner = function banner(view) {
    const {model} = view;
    const {header, verdict} = model;
    const isBad = verdict.verdict === "failed";
    const command = sennit.commandOf(view);
    return el(
      "section",
      {class: `banner ${isBad ? "failed" : "passed"}${view.isFolded ? " folded" : ""}`, "aria-label": "verdict"},
      el(
        "div",
        {class: "headline"},
        el(
          "span",
          {class: "verdict-badge"},
          isBad ? "\u2715 FAILED" : sennit.cut(verdict.verdict, 20).toUpperCase()
        ),
        el("span", {class: "test"}, `${sennit.cut(header.suite, 80)}/${sennit.cut(header.test, 80)}`),
        verdict.oracle
          ? el(
              "span",
              {class: "oracle", title: `what judged the trial: ${sennit.cut(verdict.oracle, 40)}`},
              sennit.sayOracle(verdict.oracle)
            )
          : null,
        el("span", {class: "grow"}),
        foldButton(view)
      ),
      verdict.message
        ? el("h1", {class: "message", title: sennit.cut(verdict.message, 4000)}, sennit.cut(verdict.message, 600))
        : view.variant.key === "nearest"
          ? el("h1", {class: "message"}, "The nearest trial that passes, to compare with")
          : null,
      el("div", {class: "facts"}, facts(view)),
      el(
        "div",
        {class: "command"},
        el("span", {class: "muted"}, isBad ? "reproduce " : "replay (it passes) "),
        el("code", {title: sennit.cut(command, 2000)}, sennit.cut(command, 400)),
        sennit.copyButton(command)
      )
    );
  };

  // ---- Tools ----------------------------------------------------------------------------------------

  // One of several: buttons that exclude each other.
  sennit.choice = function choice(label, options, chosen, choose) {
    return el(
      "div",
      {class: "choice", role: "group", "aria-label": label},
      options.map(([key, text, title]) =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(key === chosen),
            title,
            "data-key": key,
            onclick: () => choose(key),
          },
          text
        )
      )
    );
  };

  function laneMenu(view) {
    const {diagram, model} = view;
    const lanes = sennit.orderLanes(model);
    const shown = lanes.filter((lane) => !diagram.hidden.has(lane.name)).length;
    const toggle = (lane, isOn) => {
      diagram.show(lane, isOn);
      summary.textContent = `Lanes ${lanes.filter((one) => !diagram.hidden.has(one.name)).length}/${lanes.length}`;
    };
    const summary = el("summary", {class: "button", title: "which machines and monitors are shown"}, `Lanes ${shown}/${lanes.length}`);
    return el(
      "details",
      {class: "menu"},
      summary,
      el(
        "div",
        {class: "menu-body"},
        lanes
          .slice(0, 500)
          .map((lane) =>
            el(
              "label",
              {},
              el("input", {
                type: "checkbox",
                checked: !diagram.hidden.has(lane.name),
                onchange: (event) => toggle(lane, event.target.checked),
              }),
              " ",
              sennit.cut(lane.name, 60),
              el("span", {class: "muted"}, ` ${lane.kind === "machine" ? sennit.cut(lane.type, 40) : lane.kind}`)
            )
          )
      )
    );
  }

  sennit.searchBox = function searchBox(view) {
    const count = el("span", {class: "found", "aria-live": "polite"});
    const input = el("input", {
      type: "search",
      id: "search",
      placeholder: "Search  /",
      "aria-label": "search steps",
      title: "text, machine:S1, event:Append, key:term, key:term=2",
      oninput: () => view.search(input.value),
      onkeydown: (event) => {
        if (event.key === "Enter") {
          view.toHit(event.shiftKey ? -1 : 1);
          event.preventDefault();
        }
      },
    });
    const only = el(
      "button",
      {
        class: "button quiet",
        type: "button",
        id: "only",
        "aria-pressed": "false",
        hidden: true,
        title: "show only what was found",
        onclick: () => view.filter(only.getAttribute("aria-pressed") !== "true"),
      },
      "filter"
    );
    return {root: el("div", {class: "search"}, input, count, only), input, count, only};
  };

  sennit.toolbar = function toolbar(view) {
    const {variants, diagram} = view;
    const modes = [
      ["all", "All", "every step; those that the failure does not depend on are dim"],
      view.past ? ["past", "Causes", "only steps that the failure depends on, directly or not"] : null,
      view.ofNote ? ["note", "Key steps", "only the steps that the explanation speaks of"] : null,
    ].filter(Boolean);
    const step = (glyph, label, act) =>
      el("button", {class: "button", type: "button", "aria-label": label, title: label, onclick: act}, glyph);
    view.playButton = step("\u25b6", "play", () => view.togglePlay());
    return el(
      "div",
      {class: "toolbar", role: "toolbar", "aria-label": "diagram"},
      variants.length > 1
        ? sennit.choice(
            "trial",
            variants.map((v) => [v.key, v.title, `${v.words}: ${sennit.count(v.count, "step")}`]),
            view.variant.key,
            (key) => view.showVariant(key)
          )
        : null,
      view.rivals().length > 0
        ? el(
            "button",
            {
              class: "button",
              type: "button",
              id: "compare",
              title: "side by side (c)",
              onclick: () =>
                view.compare(view.rivals().includes(view.variant.key) ? view.variant.key : view.rivals().pop()),
            },
            "Compare"
          )
        : null,
      modes.length > 1 ? sennit.choice("steps shown", modes, diagram.mode, (key) => view.setMode(key)) : null,
      el(
        "div",
        {class: "group"},
        step("\u2191", "step before (k)", () => view.step(-1)),
        step("\u2193", "next step (j)", () => view.step(1)),
        view.playButton,
        view.model.failure >= 0
          ? el(
              "button",
              {
                class: "button bad",
                type: "button",
                id: "to-failure",
                title: "to the failure (f)",
                onclick: () => view.toFailure(),
              },
              "\u2715 Failure"
            )
          : null
      ),
      laneMenu(view),
      view.searchBox.root
    );
  };
}
