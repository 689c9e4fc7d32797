// run_failures.js - the failures of a test, grouped: by kind, and where an explanation tells them apart
// by cause; each with a way to its trial in this page.

(function () {
  const {el, svg} = sennit;
  const {list, object, number, isNumber, text, count, plural, card, chip} = sennit.parts;

  // ---- Trials of this page -------------------------------------------------------------------------

  const baseOf = (path) => path.replace(/^.*\//, "").replace(/\.trace$/, "").replace(/\.(shrunk|explained|nearest)$/, "");
  const folderOf = (path) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".");
  const tidy = (path) => path.replace(/\/+$/, "").replace(/^\.\//, "");

  // The number of the trial that a failure of a run is about; -1: it is not in this page. Programs and
  // the report may have been started in different directories: then the file's name within the
  // directory of the run says it.
  sennit.trialOfTrace = function trialOfTrace(run, paths) {
    const trials = list(sennit.data && sennit.data.trials).map(object);
    const wanted = paths.filter((path) => typeof path === "string" && path !== "");
    const names = (trial) => [trial.path, trial.original_path].filter((path) => typeof path === "string");
    const exact = trials.findIndex((trial) => names(trial).some((path) => wanted.includes(path)));
    if (exact >= 0) return exact;
    const folder = tidy(text(run.path, 4096));
    return trials.findIndex((trial) => names(trial).some((path) => tidy(folderOf(path)) === folder &&
      wanted.some((one) => baseOf(one) === baseOf(path))));
  };

  // ---- Causes --------------------------------------------------------------------------------------

  function constraintWords(raw) {
    const c = object(raw);
    const first = text(c.first, 300);
    const second = text(c.second, 300);
    if (c.kind === "order") return [el("code", {}, first), " before ", el("code", {}, second)];
    if (c.kind === "value") return [el("code", {}, first), " is ", el("code", {}, second)];
    return text(c.kind, 60) || text(c.require, 300);
  }

  function causeOf(explanation, raw, i) {
    const cause = object(raw);
    const run = object(explanation.run);
    const covers = list(run.covers)[i];
    const first = list(run.first)[i];
    const constraints = list(cause.constraints);
    const decisive = constraints.filter((c) => object(c).label === "decisive");
    const shown = (decisive.length > 0 ? decisive : constraints).slice(0, 3);
    const share = isNumber(covers) ? `${plural(covers, "trial")} of ${count(number(run.looked_at))}` :
      isNumber(cause.covers) ? `${count(cause.covers)} of ${count(number(explanation.pool))} failing trials found anew` : "";
    return el("li", {class: "v-cause"},
      el("div", {class: "v-cause-head"}, el("b", {}, `Cause ${i + 1}`), cause.sufficient === false ? chip("not enough by itself", "warn") : null, share ? el("span", {class: "muted"}, share) : null,
        isNumber(covers) ? shareBar(covers, number(run.looked_at)) : null,
        isNumber(first) ? el("span", {class: "muted"}, `first in trial ${count(first)}`) : null),
      el("ul", {}, shown.map((c) => el("li", {}, constraintWords(c))),
        constraints.length > shown.length ? el("li", {class: "muted"}, `and ${plural(constraints.length - shown.length, "condition")} more`) : null));
  }

  function shareBar(part, whole) {
    return svg("svg", {class: "v-share", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true"},
      svg("rect", {class: "v-track", x: 0, y: 0, width: 100, height: 6, rx: 1}),
      svg("rect", {class: "v-range", x: 0, y: 0, width: whole > 0 ? Math.min(Math.max(part / whole, 0.01), 1) * 100 : 0, height: 6, rx: 1}));
  }

  function causesOf(explanation) {
    const e = object(explanation);
    const causes = list(e.causes).slice(0, 32);
    const run = object(e.run);
    if (e.format !== "sennit-explanation" || causes.length === 0) return null;
    return el("div", {class: "v-causes"}, el("ul", {}, causes.map((cause, i) => causeOf(e, cause, i))),
      isNumber(run.none) && run.none > 0 ? el("p", {class: "muted"}, `${plural(run.none, "trial")} that no cause explains.`) : null);
  }

  // ---- Kinds ---------------------------------------------------------------------------------------

  function numbersOf(failure) {
    const numbers = list(failure.trials).filter(isNumber);
    if (numbers.length < 2) return null;
    const shown = numbers.slice(0, 60);
    const more = number(failure.count) - shown.length;
    return el("details", {}, el("summary", {}, "in which trials"),
      el("p", {class: "v-mono"}, shown.map(count).join("  ") + (more > 0 ? `  and ${count(more)} more` : "")));
  }

  const isShrunk = (index) => Boolean(object(sennit.data.trials[index]).original);

  // What is looked at is shrunk, and may fail with other values than the trial that was found.
  function shrunkMessage(index, failure) {
    const verdict = index >= 0 && isShrunk(index) ? object(object(sennit.data.trials[index].trace).verdict) : {};
    const found = text(failure.message);
    const said = text(verdict.message);
    return said === "" || found.endsWith(said) ? null : el("p", {class: "v-message muted"}, "shrunk: ", said);
  }

  function linkOf(index, failure) {
    if (index < 0) return el("span", {class: "muted"}, failure.trace ? "its trace is not in this page" : "it has no trace");
    return el("div", {class: "v-ways"},
      sennit.views.hasHistory(object(sennit.data.trials[index])) ? el("a", {href: `#/trial/${index}/history`}, "What clients saw") : null,
      el("a", {class: "v-open", href: `#/trial/${index}`}, "Look at trial ", count(number(failure.trial)), isShrunk(index) ? ", shrunk →" : " →"));
  }

  function failureOf(run, test, raw) {
    const failure = object(raw);
    const index = sennit.trialOfTrace(run, [failure.trace, failure.shrunk_trace]);
    const trial = index >= 0 ? object(sennit.data.trials[index]) : {};
    const times = number(failure.count, 1);
    const repro = text(failure.repro);
    return el("li", {class: "v-failure"},
      el("div", {class: "v-failure-head"},
        el("b", {class: "v-times"}, `${count(times)}×`),
        el("div", {class: "v-what"}, el("b", {}, text(failure.signature, 400) || text(failure.oracle, 100) || "a failure"),
          failure.verdict && failure.verdict !== "failed" ? chip(text(failure.verdict, 60), "warn") : null,
          el("div", {class: "muted v-small"}, `first in trial ${count(failure.trial)}, step ${count(failure.step)}`,
            isNumber(test.trials) && test.trials > 0 ? `; ${sennit.parts.percent(times / test.trials)} of all trials` : "",
            failure.shrunk ? `; shrunk ${text(failure.shrunk, 300)}` : "")),
        linkOf(index, failure)),
      failure.message ? el("p", {class: "v-message"}, text(failure.message)) : null,
      shrunkMessage(index, failure),
      causesOf(trial.explanation),
      numbersOf(failure),
      list(failure.stack).length > 0 ? el("details", {}, el("summary", {}, "stack"),
        el("pre", {}, list(failure.stack).slice(0, 64).map((frame) => text(frame, 400)).join("\n"))) : null,
      repro ? sennit.parts.command(repro) : null);
  }

  sennit.runFailures = function runFailures(run, test) {
    const failures = list(test.failures);
    if (failures.length === 0) return null;
    const sorted = [...failures].sort((a, b) => number(object(b).count, 1) - number(object(a).count, 1));
    const failed = number(test.failed);
    const aside = failed > 0 ? `${plural(failed, "trial")} failed, ${plural(failures.length, "kind")}` : null;
    const node = card("Failures, by kind", aside, el("ul", {class: "v-failures"}, sorted.slice(0, 64).map((one) => failureOf(run, test, one))));
    node.classList.add("v-full");
    return node;
  };
})();
