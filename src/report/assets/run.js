// run.js - the view of a run: what was run, what came of it, and how much there may be that it has not
// seen. Summary and coverage are files that anybody may have written.

(function () {
  const {el} = sennit;
  const {list, object, number, isNumber, text, count, plural, chip, card, tile, verdictTone, seconds} = sennit.parts;

  sennit.views.run = function run(container, raw) {
    sennit.guard(container, "this run", () => {
      const summary = object(object(raw).summary);
      if (summary.format !== 1)
        throw new Error(`Its summary has format ${text(summary.format, 40) || "nothing"}; this page knows format 1.`);
      show(container, object(raw), summary);
    });
  };

  function show(container, run, summary) {
    const tests = list(summary.tests).map(object);
    const sections = tests.map((test) => sectionOf(run, summary, test, tests.length));
    container.replaceChildren(el("div", {class: "v-view v-run"}, headOf(run, summary, tests),
      tests.length > 1 ? listOf(tests, sections) : null,
      sections, sennit.placesCard(summary)));
  }

  // Drawn when it is opened, each for itself: one that cannot be shown leaves the others. Of many
  // tests those that failed are open.
  function sectionOf(run, summary, test, n) {
    const box = el("div", {});
    const name = text(test.name, 200) || "a test without a name";
    let isDrawn = false;
    const draw = () => {
      if (!isDrawn) sennit.guard(box, `test ${name}`, () => showTest(box, run, summary, test));
      isDrawn = true;
    };
    const section = el("details", {class: "v-test", open: n <= 2 || number(test.failed) > 0, ontoggle: () => section.open && draw()},
      el("summary", {}, el("h2", {}, name), chip(text(test.verdict, 60) || "unknown", verdictTone(test.verdict)),
        n > 2 ? el("span", {class: "muted v-small"}, `${plural(number(test.trials), "trial")}, ${plural(number(test.distinct_orders), "order")}`) : null), box);
    if (section.open) draw();
    return section;
  }

  // ---- The run -------------------------------------------------------------------------------------

  function tilesOf(summary, tests, sum) {
    const failed = sum("failed");
    return el("div", {class: "v-tiles"}, tile(count(tests.length), "tests"),
      tile(count(sum("trials")), "trials"), tile(count(sum("steps")), "steps"), tile(count(sum("distinct_orders")), "distinct orders"),
      tile(count(failed), "failing trials", failed > 0 ? "bad" : ""), tile(seconds(summary.seconds), "in all"),
      isNumber(summary.seconds) && summary.seconds > 0 ? tile(count(Math.round(sum("trials") / summary.seconds)), "trials a second") : null);
  }

  function headOf(run, summary, tests) {
    const sum = (name) => tests.reduce((n, test) => n + number(test[name]), 0);
    const command = [text(summary.program, 1000), ...list(summary.args).map((arg) => text(arg, 400))].join(" ");
    const facts = [["strategy", summary.strategy], ["seed", summary.seed], ["shard", summary.shard], ["directory", run.path],
      ["build", text(summary.build, 12)], ["Sennit", summary.sennit]];
    return el("div", {class: "v-head"},
      el("div", {class: "v-title"}, el("h2", {}, text(summary.suite, 200) || "A run"), chip(text(summary.verdict, 60) || "unknown", verdictTone(summary.verdict)),
        summary.interrupted === true ? chip("interrupted", "warn") : null,
        summary.complete === false ? chip("not complete", "warn") : null),
      tests.length !== 1 ? tilesOf(summary, tests, sum) : null,
      el("dl", {class: "v-facts"}, facts.filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {class: "v-mono"}, text(value, 300))))),
      command.trim() ? sennit.parts.command(command) : null,
      isNumber(summary.planned) && summary.planned > tests.length ?
        el("div", {class: "v-notice"}, `Of ${plural(summary.planned, "test")} ${count(tests.length)} ${tests.length === 1 ? "has" : "have"} ended.`) : null);
  }

  function openTest(section) {
    section.open = true;
    section.scrollIntoView({block: "start"});
  }

  function listOf(tests, sections) {
    const row = (test, i) => el("tr", {},
      el("td", {}, chip(text(test.verdict, 60) || "unknown", verdictTone(test.verdict))),
      el("th", {scope: "row"}, el("button", {type: "button", class: "v-link", onclick: () => openTest(sections[i])}, text(test.name, 200))),
      ["trials", "steps", "distinct_orders", "failed", "kinds"].map((name) => el("td", {class: "v-figure"}, count(test[name]))),
      el("td", {class: "v-figure"}, seconds(test.seconds)));
    const node = card("Tests", null, el("div", {class: "v-table"}, el("table", {},
      el("thead", {}, el("tr", {}, ["", "test", "trials", "steps", "orders", "failed", "kinds", "time"].map((name, i) =>
        el("th", {scope: "col", class: i > 1 ? "v-figure" : null}, name)))),
      el("tbody", {}, tests.map(row)))));
    node.classList.add("v-spaced");
    return node;
  }

  // ---- A test --------------------------------------------------------------------------------------

  function remarksOf(test) {
    const remarks = [];
    if (test.exhausted === true)
      remarks.push("Every schedule was run" + (test.within ? `, ${text(test.within, 200)}` : "") + ".");
    if (isNumber(test.estimate)) remarks.push(`There are about ${count(test.estimate)} schedules.`);
    if (test.timed_out === true) remarks.push("Its time was up before all trials were run.");
    if (number(test.earlier_trials) > 0) remarks.push(`It went on after ${plural(test.earlier_trials, "trial")} of earlier runs.`);
    if (test.unseen) remarks.push(`Names in what was required that no trial has met: ${text(test.unseen, 400)}.`);
    if (test.note) remarks.push(text(test.note, 1000));
    if (test.error) remarks.push(text(test.error, 1000));
    return remarks.map((remark) => el("p", {class: "v-remark"}, remark));
  }

  function classesCard(test) {
    const classes = list(test.classes).map(object);
    if (classes.length === 0) return null;
    const trials = number(test.trials);
    return card("What trials were about", null, el("div", {class: "v-table"}, el("table", {}, el("tbody", {}, classes.slice(0, 200).map((one) =>
      el("tr", {}, el("td", {class: "muted"}, text(one.table, 200)), el("th", {scope: "row"}, text(one.value, 300)),
        el("td", {class: "v-figure"}, count(one.trials)), el("td", {class: "v-figure muted"}, trials > 0 && isNumber(one.trials) ? sennit.parts.percent(one.trials / trials) : "")))))));
  }

  function showTest(box, run, summary, test) {
    const coverage = sennit.coverageOf(run, summary, test);
    const failed = number(test.failed);
    const optional = (name, words, hint) => (number(test[name]) > 0 ? tile(count(test[name]), words, "", hint) : null);
    box.replaceChildren(
      el("div", {class: "v-tiles"}, tile(count(test.trials), "trials"), tile(count(test.steps), "steps"),
        tile(count(test.distinct_orders), "distinct orders"), tile(count(failed), "failing trials", failed > 0 ? "bad" : ""),
        isNumber(test.states) ? tile(count(test.states), "states") : null,
        optional("cut", "cut", "Trials that ended at a limit"), optional("stuck", "stuck", "Trials that could not go on as required"),
        optional("discarded", "discarded", "Trials that an assumption has ended"), optional("draws", "drawn values"),
        optional("blocked", "left", "Trials that others stand for"), tile(seconds(test.seconds), "time"),
        number(test.seconds) > 0 && isNumber(test.trials) ? tile(count(Math.round(test.trials / test.seconds)), "trials a second") : null),
      ...remarksOf(test),
      el("div", {class: "v-grid"}, sennit.runFailures(run, test), sennit.runCharts.discovery(test), sennit.runCharts.arms(test),
        sennit.runCoverage(test, coverage), classesCard(test)));
  }
})();
