// main.js - reads the data and shows the view that the address names. Loaded last.

{
  const {el, list} = sennit;

  // A view that cannot understand its data says so, and leaves the others working.
  sennit.guard = function guard(container, what, show) {
    try {
      return show();
    } catch (error) {
      container.replaceChildren(
        el("p", {class: "broken", role: "alert"}, `Sennit cannot show ${what}: ${sennit.cut(error.message, 300)}`)
      );
      return undefined;
    }
  };

  // "#/trial/0?step=7": where, and with what.
  function route() {
    const [path, query] = location.hash.replace(/^#/, "").split("?");
    const [, kind = "", index = "0", part = ""] = path.split("/");
    return {kind, index: Number(index) || 0, part, params: new URLSearchParams(query || "")};
  }

  // Changes what the address says without going anywhere.
  sennit.replaceParams = function replaceParams(changes) {
    const {kind, index, params} = route();
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === undefined) params.delete(name);
      else params.set(name, value);
    }
    const query = params.toString();
    try {
      history.replaceState(null, "", `#/${kind || "trial"}/${index}${query ? `?${query}` : ""}`);
    } catch {
      // Some browsers count how often: the address then lags behind.
    }
  };

  // What is shown at once. Who opens a report of one trial wants to see that, not a list of one; and so with
  // whatever else there is one of, if there is nothing else.
  function only() {
    const kinds = {trial: sennit.data.trials, run: sennit.data.runs, history: sennit.data.histories};
    const all = Object.entries(kinds).flatMap(([kind, items]) => list(items).map(() => kind));
    if (all.filter((kind) => kind === "trial").length === 1) return "trial";
    return all.length === 1 ? all[0] : "";
  }

  // ---- The bar at the top -----------------------------------------------------------------------------

  function places() {
    const {data} = sennit;
    const links = [];
    const add = (href, text) => links.push(el("a", {href, class: "place"}, sennit.cut(text, 60)));
    if (!only()) add("#/", "Overview");
    list(data.runs)
      .slice(0, 4)
      .forEach((run, i) => add(`#/run/${i}`, list(data.runs).length > 1 ? `Run ${i + 1}` : "Run"));
    list(data.trials)
      .slice(0, 6)
      .forEach((trial, i) => add(`#/trial/${i}`, sennit.string(trial.name).replace(/\.trace$/, "") || `Trial ${i + 1}`));
    list(data.histories)
      .slice(0, 4)
      .forEach((history, i) =>
        add(`#/history/${i}`, list(data.histories).length > 1 ? `History ${i + 1}` : "History")
      );
    return links;
  }

  function topBar() {
    return el(
      "header",
      {class: "top"},
      el("a", {href: "#/", class: "brand"}, "Sennit"),
      el("nav", {"aria-label": "places"}, places()),
      el("span", {class: "grow"}),
      sennit.theme.button(),
      el(
        "button",
        {
          class: "button quiet",
          type: "button",
          id: "help-button",
          "aria-label": "help: keys and signs",
          onclick: () => sennit.toggleHelp(),
        },
        "? Help"
      )
    );
  }

  // ---- Views ------------------------------------------------------------------------------------------

  let current = null;
  const page = el("main", {id: "page"});

  function show() {
    const {kind: asked, index, part, params} = route();
    const kind = asked || only();
    const isHistory = kind === "history" || part === "history";
    const {data} = sennit;
    if (current && current.leave) current.leave();
    current = null;
    page.replaceChildren();
    page.className = isHistory ? "history" : kind || "overview-page";
    for (const link of document.querySelectorAll(".place")) {
      const isHere = link.getAttribute("href") === (kind ? `#/${kind}/${index}` : "#/");
      if (isHere) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const missing = () =>
      page.append(
        el("p", {class: "broken"}, "There is no such place in this report. ", el("a", {href: "#/"}, "Overview"))
      );
    const other = {run: data.runs, history: data.histories}[kind];
    sennit.guard(page, "this", () => {
      if (kind === "trial") {
        const trial = list(data.trials)[index];
        if (trial && isHistory) sennit.views.trialHistory(page, trial, {stepLink: (step) => `#/trial/${index}?step=${step}`, back: `#/trial/${index}`});
        else if (trial) current = sennit.showTrial(page, trial, index, params);
        else missing();
      } else if (other !== undefined) {
        const item = list(other)[index];
        if (item && sennit.views[kind]) sennit.views[kind](page, item, index);
        else missing();
      } else if (kind) missing();
      else sennit.showOverview(page);
    });
  }

  sennit.current = () => current; // for tests, and for the curious at the console

  const app = document.getElementById("app");
  const broken = sennit.guard(app, "this report", () => {
    sennit.data = JSON.parse(document.getElementById("data").textContent);
    document.title = `${sennit.cut(sennit.data.title, 200)} \u2013 Sennit`;
    return "ok";
  });
  if (broken === "ok") {
    app.append(topBar(), page);
    show();
    addEventListener("hashchange", show);
    document.addEventListener("keydown", (event) => sennit.handleKey(event, current));
    sennit.theme.listeners.add(() => current && current.diagram && current.diagram.redrawAll());
    addEventListener("beforeprint", () => current && current.diagram && sennit.putOnPaper(current));
    addEventListener("afterprint", () => sennit.takeFromPaper());
  }
}
