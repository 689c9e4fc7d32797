// log.js - the log of decisions: which step was chosen, and which values were drawn. And what the code
// under test printed. Long lists exist only where they are seen.

{
  const {el, list} = sennit;

  // A list of which only the rows in sight are elements. make(i) gives the content of a row.
  sennit.longList = function longList(container, {count, height, make, label}) {
    const sizer = el("div", {class: "sizer"});
    const box = el("div", {class: "long-list", tabindex: 0, role: "list", "aria-label": label}, sizer);
    let shown = "";
    const draw = () => {
      const first = Math.max(0, Math.floor(box.scrollTop / height) - 10);
      const last = Math.min(count, Math.ceil((box.scrollTop + box.clientHeight) / height) + 10);
      if (shown === `${first} ${last}`) return;
      shown = `${first} ${last}`;
      const rows = [];
      for (let i = first; i < last; i++) {
        const row = make(i);
        row.style.setProperty("top", `${i * height}px`);
        row.style.setProperty("height", `${height}px`);
        rows.push(row);
      }
      sizer.replaceChildren(...rows);
    };
    sizer.style.setProperty("height", `${count * height}px`);
    box.addEventListener("scroll", () => requestAnimationFrame(draw));
    container.append(box);
    new ResizeObserver(draw).observe(box);
    return {
      box,
      redraw() {
        shown = "";
        draw();
      },
      reveal(i) {
        const top = i * height;
        if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - height)
          box.scrollTop = top - box.clientHeight / 2;
        this.redraw();
      },
    };
  };

  // Decisions in order: steps, and below each the values that it drew.
  function decisions(model) {
    const entries = [];
    for (const step of model.steps) {
      entries.push({step: step.step});
      for (const record of list(step.details))
        if (record.draw !== undefined) entries.push({step: step.step, draw: record});
    }
    return entries;
  }

  function entryRow(view, entry) {
    const {model} = view;
    const step = model.steps[entry.step];
    const isChosen = entry.step === view.selected;
    if (entry.draw) {
      const {draw, value, of} = entry.draw;
      return el(
        "div",
        {class: `entry draw${isChosen ? " chosen" : ""}`, role: "listitem"},
        el("span", {class: "number"}, ""),
        el(
          "span",
          {},
          "draw ",
          el("code", {}, sennit.cut(draw, 80)),
          ` = ${value}`,
          el("span", {class: "muted"}, ` of ${of}`)
        )
      );
    }
    const isDim = view.past && entry.step > 0 && !view.past[entry.step];
    return el(
      "div",
      {
        class: `entry${isChosen ? " chosen" : ""}${isDim ? " dim" : ""}${entry.step === model.failure ? " bad" : ""}`,
        role: "listitem",
        onclick: () => view.choose(entry.step, "log"),
      },
      el("span", {class: "number"}, String(entry.step)),
      el(
        "span",
        {},
        entry.step === 0 ? "set-up" : sennit.sayOperation(step),
        " ",
        el("span", {class: "muted"}, sennit.cut(step.payload, 160))
      )
    );
  }

  sennit.panels.log = function logPanel(container, view) {
    const entries = view.kept("decisions", () => decisions(view.model));
    const at = view.kept("decisionOfStep", () => {
      const places = new Int32Array(view.model.steps.length);
      entries.forEach((entry, i) => {
        if (!entry.draw) places[entry.step] = i;
      });
      return places;
    });
    if (container.list && container.listOf === view.model) return container.list.reveal(at[view.selected]);
    container.replaceChildren();
    container.listOf = view.model;
    container.list = sennit.longList(container, {
      count: entries.length,
      height: 22,
      label: "decisions",
      make: (i) => entryRow(view, entries[i]),
    });
    return container.list.reveal(at[view.selected]);
  };

  sennit.panels.output = function outputPanel(container, view) {
    const {said} = view.model;
    if (said.length === 0)
      return sennit.fill(container, {}, [
        el("p", {class: "muted"}, "The code under test printed nothing, and the test made no remarks."),
      ]);
    // What was said last before the step that is chosen, or in it.
    const at = () => Math.max(0, sennit.lastAt(said, view.selected));
    if (container.list && container.listOf === view.model) return container.list.reveal(at());
    container.replaceChildren();
    container.listOf = view.model;
    container.list = sennit.longList(container, {
      count: said.length,
      height: 22,
      label: "output and remarks",
      make: (i) =>
        el(
          "div",
          {
            class: `entry said ${said[i].kind}${said[i].step === view.selected ? " chosen" : ""}`,
            role: "listitem",
            onclick: () => view.choose(said[i].step, "log"),
            title: sennit.cut(said[i].text, 2000),
          },
          el("span", {class: "number"}, String(said[i].step)),
          el("span", {}, sennit.cut(said[i].text, 400))
        ),
    });
    return container.list.reveal(at());
  };
}
