// run_coverage.js - what trials have come to and what not: events of states, races in one order only,
// places that must be met.

(function () {
  const {el, svg} = sennit;
  const {list, object, number, isNumber, text, count, plural, card, chip} = sennit.parts;
  const MACHINES_MAX = 300;
  const NAMES_MAX = 400;

  // The coverage of a test among those of its run; null: there is none.
  sennit.coverageOf = function coverageOf(run, summary, test) {
    return list(run.coverages).map(object).find((c) => c.sennit === "coverage" && c.test === test.name &&
      (c.suite === summary.suite || summary.suite === undefined)) || null;
  };

  // ---- Events of states ----------------------------------------------------------------------------

  function machinesOf(coverage) {
    return Object.entries(object(coverage.machines)).map(([name, states]) => {
      const rows = Object.entries(object(states)).map(([state, events]) => ({
        state, came: list(object(events).came).map((event) => text(event, 200)),
        never: list(object(events).never).map((event) => text(event, 200)),
      }));
      const sum = (which) => rows.reduce((n, row) => n + row[which].length, 0);
      return {name, rows, came: sum("came"), never: sum("never")};
    }).sort((a, b) => b.never - a.never || a.name.localeCompare(b.name));
  }

  function gauge(came, never) {
    const share = came + never > 0 ? (came / (came + never)) * 100 : 0;
    return svg("svg", {class: "v-gauge", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true"},
      svg("rect", {class: "v-missing", x: 0, y: 0, width: 100, height: 6}),
      svg("rect", {class: "v-seen", x: 0, y: 0, width: share, height: 6}));
  }

  function machineRow(machine) {
    const all = machine.came + machine.never;
    return el("details", {class: "v-machine", open: machine.never > 0},
      el("summary", {}, el("span", {class: "v-name"}, text(machine.name, 200)), gauge(machine.came, machine.never),
        el("span", {class: machine.never > 0 ? "v-warn" : "muted"}, `${count(machine.came)} of ${count(all)}`)),
      el("table", {}, el("tbody", {}, machine.rows.slice(0, MACHINES_MAX).map((row) => el("tr", {},
        el("th", {scope: "row"}, text(row.state, 200)),
        el("td", {class: "events"}, row.never.slice(0, NAMES_MAX).map((event) => el("span", {class: "v-event v-never", title: "never came in this state"}, event)),
          row.came.slice(0, NAMES_MAX).map((event) => el("span", {class: "v-event"}, event))))))));
  }

  function handlersCard(test, coverage) {
    const machines = coverage ? machinesOf(coverage) : [];
    const never = machines.reduce((n, machine) => n + machine.never, 0);
    const came = machines.reduce((n, machine) => n + machine.came, 0);
    if (machines.length === 0)
      return card("Events of states", null, el("p", {class: "muted"}, isNumber(test.never_came) ?
        `${plural(test.never_came, "event")} of states never came; which ones is in the file of coverage, which is not in this page.` : "Nothing is known."));
    return card("Events of states", never === 0 ? `all ${count(came)} came` : `${count(never)} of ${count(came + never)} never came`,
      el("div", {class: "v-machines"}, machines.slice(0, MACHINES_MAX).map(machineRow)),
      machines.length > MACHINES_MAX ? el("p", {class: "muted"}, `and ${plural(machines.length - MACHINES_MAX, "machine")} more`) : null);
  }

  // ---- Races ---------------------------------------------------------------------------------------

  function raceRow(race) {
    const first = text(race.forth === true ? race.first : race.second, 200);
    const second = text(race.forth === true ? race.second : race.first, 200);
    return el("tr", {}, el("th", {scope: "row"}, text(race.machine, 200)),
      el("td", {}, el("span", {class: "v-event"}, first), el("span", {class: "muted"}, " always before "), el("span", {class: "v-event v-never"}, second)));
  }

  function racesCard(test, coverage) {
    const races = coverage ? list(coverage.races).map(object) : [];
    const oneSided = races.filter((race) => (race.forth === true) !== (race.back === true));
    const survey = coverage ? object(coverage.survey) : {};
    const looked = number(survey.trials, number(test.surveyed));
    const about = looked > 0 ? `in ${plural(looked, "trial")} looked at` : "";
    if (races.length === 0)
      return card("Races in one order only", about, el("p", {class: "muted"}, number(test.races) > 0 ?
        `${count(test.races_one_sided)} of ${count(test.races)}; which ones is in the file of coverage, which is not in this page.` :
        "No two events raced in the trials that were looked at."));
    return card("Races in one order only", `${count(oneSided.length)} of ${count(races.length)} ${about}`,
      oneSided.length === 0 ? el("p", {class: "muted"}, "All races were seen in both orders.") :
        el("div", {class: "v-table"}, el("table", {class: "v-races"}, el("tbody", {}, oneSided.slice(0, NAMES_MAX).map(raceRow)))),
      oneSided.length === 0 ? null : el("p", {class: "muted v-small"}, "The other order was never tried, perhaps because it cannot be."));
  }

  // ---- Places --------------------------------------------------------------------------------------

  function placeRow(raw) {
    const place = object(raw);
    const isMet = number(place.held) > 0 || place.held === true;
    const isReached = number(place.reached) > 0 || place.reached === true;
    const kind = text(place.kind, 60) || (place.condition ? "sn_sometimes" : "sn_reachable");
    return el("tr", {class: isMet ? "v-met" : "v-unmet"},
      el("td", {}, chip(isMet ? "met" : isReached ? "never held" : "never reached", isMet ? "good" : "bad")),
      el("th", {scope: "row"}, text(place.name, 400), place.condition ? el("div", {class: "v-small"}, el("code", {}, text(place.condition, 400))) : null),
      el("td", {class: "muted"}, kind, el("div", {class: "v-mono v-small"}, `${text(place.file, 300)}:${text(place.line, 20)}`)),
      el("td", {class: "muted"}, isMet && place.test ? `first in ${text(place.test, 200)}` : "",
        isMet && isNumber(place.trial) ? ` trial ${count(place.trial)}` : ""));
  }

  sennit.placesCard = function placesCard(summary) {
    const places = list(summary.sometimes);
    if (places.length === 0) return null;
    const unmet = places.filter((raw) => !(number(object(raw).held) > 0 || object(raw).held === true));
    const node = card("What must happen in some trial", unmet.length === 0 ? "all were met" :
      `${count(unmet.length)} of ${count(places.length)} not met${summary.strict === true ? ", which fails the run" : ""}`,
    el("div", {class: "v-table"}, el("table", {class: "v-places"}, el("tbody", {}, [...unmet, ...places.filter((one) => !unmet.includes(one))].slice(0, NAMES_MAX).map(placeRow)))));
    node.classList.add("v-full");
    return node;
  };

  sennit.runCoverage = (test, coverage) => [handlersCard(test, coverage), racesCard(test, coverage)];
})();
