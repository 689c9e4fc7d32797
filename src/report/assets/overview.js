// overview.js - what is in this file: trials, runs, histories.

{
  const {el, list, object} = sennit;

  function trialCard(trial, index) {
    const verdict = object(object(trial.trace).verdict);
    const header = object(object(trial.trace).header);
    const steps = Math.max(0, list(object(trial.trace).steps).length - 1);
    return el(
      "a",
      {class: `tile ${verdict.verdict === "failed" ? "failed" : ""}`, href: `#/trial/${index}`},
      el(
        "div",
        {class: "tile-head"},
        el("b", {}, `${sennit.cut(header.suite, 60)}/${sennit.cut(header.test, 60)}`),
        el("span", {class: "oracle"}, verdict.oracle ? sennit.sayOracle(verdict.oracle) : sennit.cut(verdict.verdict, 30))
      ),
      el("p", {}, sennit.cut(verdict.message || "passed", 240)),
      el(
        "p",
        {class: "muted"},
        [
          sennit.count(steps, "step"),
          trial.original ? `shrunk from ${sennit.number(list(trial.original.steps).length - 1)}` : null,
          trial.explanation ? "explained" : null,
          trial.nearest ? "with the nearest trial that passes" : null,
        ]
          .filter(Boolean)
          .join(" \u00b7 ")
      )
    );
  }

  function section(title, items) {
    return items.length === 0 ? null : [el("h2", {}, title), el("div", {class: "tiles"}, items)];
  }

  const sayRun = (summary) => [sennit.string(summary.suite), sennit.string(summary.verdict),
    `${sennit.count(list(summary.tests).length, "test")}: what was found and covered`].filter(Boolean).map((text) => sennit.cut(text, 100)).join(" \u00b7 ");

  const sayHistory = (history) => [sennit.string(history.verdict), sennit.string(history.model),
    sennit.count(sennit.whole(history.total), "operation")].filter(Boolean).map((text) => sennit.cut(text, 100)).join(" \u00b7 ");

  sennit.showOverview = function showOverview(container) {
    const {data} = sennit;
    const named = (kind, text, index, note, verdict) =>
      el(
        "a",
        {class: `tile ${sennit.parts.verdictTone(verdict) === "bad" ? "failed" : ""}`, href: `#/${kind}/${index}`},
        el("b", {}, sennit.cut(text, 120)),
        el("p", {class: "muted"}, note)
      );
    sennit.fill(container, {}, [
      el(
        "div",
        {class: "overview"},
        el("h1", {}, sennit.cut(data.title, 200)),
        section("Trials", list(data.trials).map(trialCard)),
        section(
          "Runs",
          list(data.runs).map((run, i) =>
            named("run", object(run).path || "run", i, sayRun(object(object(run).summary)), object(object(run).summary).verdict)
          )
        ),
        section(
          "Histories",
          list(data.histories).map((history, i) =>
            named(
              "history",
              object(history).file || `history ${i + 1}`,
              i,
              sayHistory(object(history)),
              object(history).verdict
            )
          )
        )
      ),
    ]);
  };
}
