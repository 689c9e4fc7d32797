// compare.js - two trials side by side. Operations have the same id in every trial, so what was left
// out, added or moved can be told exactly.

{
  const {el} = sennit;

  // Of numbers, the places of a longest rising run of members (patience sorting).
  function longestRise(values) {
    const tails = [];
    const before = new Int32Array(values.length).fill(-1);
    values.forEach((value, i) => {
      let low = 0;
      let high = tails.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (values[tails[middle]] < value) low = middle + 1;
        else high = middle;
      }
      before[i] = low > 0 ? tails[low - 1] : -1;
      tails[low] = i;
    });
    const run = [];
    for (let i = tails.length > 0 ? tails[tails.length - 1] : -1; i >= 0; i = before[i]) run.push(i);
    return run.reverse();
  }

  // Rows {left, right, kind}: steps of both trials, 0 for none. What is in both but in another order
  // stands twice, as moved.
  sennit.alignTrials = function alignTrials(left, right) {
    const common = left.steps
      .slice(1)
      .filter((step) => right.stepOfId.has(step.id) && right.stepOfId.get(step.id).step > 0);
    const run = longestRise(common.map((step) => right.stepOfId.get(step.id).step));
    const rows = [];
    let l = 1;
    let r = 1;
    const flush = (toLeft, toRight) => {
      for (; l < toLeft; l++)
        rows.push({left: l, right: 0, kind: right.stepOfId.has(left.steps[l].id) ? "moved" : "only"});
      for (; r < toRight; r++)
        rows.push({left: 0, right: r, kind: left.stepOfId.has(right.steps[r].id) ? "moved" : "only"});
    };
    for (const place of run) {
      const step = common[place];
      flush(step.step, right.stepOfId.get(step.id).step);
      rows.push({left: l++, right: r++, kind: "same"});
      const pair = rows[rows.length - 1];
      if (left.steps[pair.left].payload !== right.steps[pair.right].payload) pair.kind = "differs";
    }
    flush(left.steps.length, right.steps.length);
    return rows;
  };

  function cell(view, variant, other, row, side) {
    const number = row[side];
    const first = row.isFirst ? el("span", {class: "first-tag"}, "first difference") : null;
    if (!number) return el("span", {class: "cell none"}, first);
    const step = variant.model.steps[number];
    const there = row.kind === "moved" ? other.model.stepOfId.get(step.id) : null;
    return el(
      "span",
      {class: `cell ${row.kind}${number === variant.model.failure ? " bad" : ""}`},
      el(
        "button",
        {class: "link step", type: "button", onclick: () => view.goTo(variant.key, number)},
        String(number)
      ),
      " ",
      el(
        "span",
        {class: "what", title: sennit.cut(step.payload, 600)},
        sennit.sayOperation(step),
        " ",
        el("span", {class: "muted"}, sennit.cut(step.payload, 200))
      ),
      there ? el("span", {class: "tag"}, `moved: step ${there.step} there`) : null,
      row.kind === "only" ? el("span", {class: "tag"}, "only here") : null,
      row.kind === "differs" ? el("span", {class: "tag"}, "another payload") : null,
      row.kind === "differs" && side === "right" ? first : null
    );
  }

  function heading(variant) {
    return el(
      "div",
      {},
      el("b", {}, variant.title),
      el(
        "span",
        {class: "muted"},
        ` ${sennit.count(variant.model.count, "step")}, `,
        el(
          "span",
          {class: variant.model.failure >= 0 ? "bad" : "good"},
          variant.model.failure >= 0 ? "fails" : sennit.cut(variant.model.verdict.verdict, 20)
        )
      )
    );
  }

  sennit.showComparison = function showComparison(container, view, {left, lefts, right}) {
    const all = sennit.alignTrials(left.model, right.model);
    const differences = [];
    const list = {};
    all.forEach((row, i) => {
      if (row.kind !== "same" && (i === 0 || all[i - 1].kind === "same")) differences.push(i);
    });
    if (differences.length > 0) all[differences[0]].isFirst = true;
    let at = -1;
    const go = (by) => {
      if (differences.length === 0) return;
      at = (at + by + differences.length) % differences.length;
      list.list.box.scrollTop = Math.max(0, differences[at] * 24 - 96);
      list.list.redraw();
      where.textContent = `difference ${at + 1} of ${differences.length}`;
    };
    const where = el(
      "span",
      {class: "muted"},
      differences.length === 0 ? "no difference" : sennit.count(differences.length, "difference")
    );
    const counts = {only: [0, 0], moved: 0};
    for (const row of all) {
      if (row.kind === "only") counts.only[row.left ? 0 : 1]++;
      else if (row.kind === "moved" && row.left) counts.moved++;
    }
    sennit.fill(container, {}, [
      el(
        "div",
        {class: "compare-bar"},
        el("button", {class: "button", type: "button", onclick: () => view.compare(null)}, "\u2190 Diagram"),
        lefts.length > 1
          ? sennit.choice(
              "compare",
              lefts.map((one) => [one.key, one.title, one.words]),
              left.key,
              (key) => view.compare(right.key, key)
            )
          : el("b", {}, left.title),
        el("span", {}, "with"),
        view.rivals().length < 2
          ? el("b", {}, right.title)
          : sennit.choice(
              "compare with",
              view.rivals().map((key) => [key, view.variantOf(key).title]),
              right.key,
              (key) => view.compare(key, left.key)
            ),
        el(
          "button",
          {class: "button", type: "button", onclick: () => go(-1), "aria-label": "difference before"},
          "\u2191"
        ),
        el(
          "button",
          {class: "button", type: "button", onclick: () => go(1), "aria-label": "next difference"},
          "\u2193 next difference"
        ),
        where,
        el(
          "span",
          {class: "muted"},
          `\u00b7 ${counts.only[0]} only left, ${counts.only[1]} only right, ${counts.moved} in another order`
        )
      ),
      el("div", {class: "compare-head"}, heading(left), heading(right)),
    ]);
    list.list = sennit.longList(container, {
      count: all.length,
      height: 24,
      label: "both trials, aligned",
      make: (i) =>
        el(
          "div",
          {
            class: `pair ${all[i].kind}${i === differences[0] ? " first" : ""}${i === differences[at] ? " here" : ""}`,
            role: "listitem",
          },
          cell(view, left, right, all[i], "left"),
          cell(view, right, left, all[i], "right")
        ),
    });
    view.toDifference = go;
    list.list.box.focus({preventScroll: true});
    requestAnimationFrame(() => go(1));
  };
}
