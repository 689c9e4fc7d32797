// keys.js - what the keyboard does, and the page of help that says so. One table is both.

{
  const {el} = sennit;

  // [keys, what they do, handler of the trial's view]
  const TABLE = [
    [["j", "ArrowDown"], "next step; of two trials, next difference", (view) => view.step(1)],
    [["k", "ArrowUp"], "step before", (view) => view.step(-1)],
    [["PageDown"], "twenty steps on", (view) => view.step(20)],
    [["PageUp"], "twenty steps back", (view) => view.step(-20)],
    [["Home"], "the set-up", (view) => view.choose(0, "key")],
    [["End"], "the last step", (view) => view.choose(view.model.count, "key")],
    [["f"], "the failure", (view) => view.toFailure()],
    [["h", "ArrowLeft"], "the cause: who sent this", (view) => view.toCause()],
    [["l", "ArrowRight"], "the next step of the same machine", (view) => view.toNextOfLane()],
    [["]"], "next order that is needed, what decides first", (view) => view.toEdge(1)],
    [["["], "order before that is needed", (view) => view.toEdge(-1)],
    [["/"], "search: text, machine:S1, event:Append, key:term, key:term=2", (view) => view.focusSearch()],
    [["n"], "next that was found", (view) => view.toHit(1)],
    [["N"], "found before", (view) => view.toHit(-1)],
    [[" "], "play, and stop", (view) => view.togglePlay()],
    [["m"], "fold: all steps, only the causes of the failure, only key steps", (view) => view.cycleMode()],
    [["p"], "payloads on the diagram", (view) => view.togglePayloads()],
    [["Enter"], "all about the chosen step, in a card", (view) => view.showCard()],
    [["c"], "compare with the other trial", (view) => view.compareNext()],
    [
      ["1", "2", "3", "4", "5"],
      "panels: why, step, state, log, output",
      (view, key) => view.showPanel(Number(key) - 1),
    ],
    [["Escape"], "close, stop, search no more", (view) => view.escape()],
    [["?"], "this help", () => sennit.toggleHelp()],
  ];
  const NAMES = {
    ArrowDown: "\u2193",
    ArrowUp: "\u2191",
    ArrowLeft: "\u2190",
    ArrowRight: "\u2192",
    " ": "space",
    Escape: "Esc",
  };

  const isTyping = (target) => target instanceof HTMLInputElement && target.type !== "checkbox";
  // A key that a button or a list has a meaning of its own for is left to it.
  const SCROLLING = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];
  const isTaken = (event, view) =>
    (view && view.comparedWith && SCROLLING.includes(event.key)) ||
    (event.target.closest("button, a, select, summary, [role=button]") &&
      (event.key === " " || event.key === "Enter")) ||
    (event.target.closest(".long-list") && ["PageDown", "PageUp"].includes(event.key));

  sennit.handleKey = function handleKey(event, view) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event, view)) return;
    if (isTyping(event.target) && event.key !== "Escape") return;
    const entry = TABLE.find(([keys]) => keys.includes(event.key));
    if (!entry || (!view && event.key !== "?" && event.key !== "Escape")) return;
    const help = document.getElementById("help");
    if (help && help.open && event.key !== "?") return; // the dialog closes itself
    event.preventDefault();
    entry[2](view || {escape() {}}, event.key);
  };

  // ---- Help -----------------------------------------------------------------------------------------

  // [keys, what they do], where there is no diagram.
  const TIMELINE = [
    [["ArrowRight"], "in the timeline: the next call"],
    [["ArrowLeft"], "the call before"],
    [["+", "-"], "larger, smaller"],
    [["Escape"], "choose none"],
    [["?"], "this help"],
  ];
  const ELSEWHERE = [[["?"], "this help"]];

  const diagramLegend = () => [
    el(
      "li",
      {},
      "A column is a machine, a row a step. Time goes down; an arrow is a message from who sent it to who got it: ",
      "it runs under the row of the one, then down beside the lane of the other."
    ),
    el(
      "li",
      {},
      el("b", {class: "needed"}, "Bold violet edges"),
      " are races that decide: orders that the failure needs, with how many trials fail if they are reversed. Thin ones only help."
    ),
    el("li", {}, "Dim steps are no causes of the failure: it does not depend on them."),
    el(
      "li",
      {},
      "\u2715 ends a message that was lost, cut off or dropped; \u25cb one that was still on its way; both lie beside ",
      "the lane that it was for. Dashes: delayed. \u00d72: the copy of one that was doubled."
    ),
    el(
      "li",
      {},
      "Hatched: cut off from the others. Interrupted: crashed or stopped. A clock: a timer fires. ",
      "A bar beside a lane: an operation of a client, from call to return."
    ),
    el(
      "li",
      {},
      "In boxes: \u21a6 sends, \u21e5 receives, + starts another, an eye watches another, \u00d7 ends. Amber: a fault, over ",
      "the lanes of the node that it strikes, or across all if it strikes the network."
    ),
    el("li", {}, "The red edge at the far left is how many of a hundred continuations fail after a step.")
  ];

  const timelineLegend = () => [
    el("li", {}, "A row is a client, a bar one of its operations, from call to return. Time goes to the right."),
    el("li", {}, "Numbers are the longest order that the model allows; \u2715 marks what cannot be next."),
    el("li", {}, "A bar with a dashed edge never returned: it may have taken effect or not."),
  ];

  // By what is shown: a trial has keys for its diagram, a history for its timeline.
  function helpOf() {
    const {className} = document.getElementById("page");
    if (className === "history") return {title: "Reading a timeline", legend: timelineLegend(), keys: TIMELINE};
    if (className === "trial") return {title: "Reading the diagram", legend: diagramLegend(), keys: TABLE};
    return {title: "", legend: null, keys: ELSEWHERE};
  }

  sennit.toggleHelp = function toggleHelp() {
    const there = document.getElementById("help");
    if (there && there.open) return there.close();
    if (there) there.remove();
    const {title, legend, keys} = helpOf();
    const dialog = el(
      "dialog",
      {id: "help", "aria-label": "help", tabindex: -1},
      legend ? [el("h2", {}, title), el("ul", {class: "legend"}, legend)] : null,
      el("h2", {}, "Keys"),
      el(
        "dl",
        {class: "keys"},
        keys.map(([names, what]) =>
          el(
            "div",
            {},
            el(
              "dt",
              {},
              names.map((key) => el("kbd", {}, NAMES[key] || key))
            ),
            el("dd", {}, what)
          )
        )
      ),
      el("form", {method: "dialog"}, el("button", {class: "button", type: "submit"}, "Close"))
    );
    document.body.append(dialog);
    return openHelp(dialog);
  };

  // From its beginning: the browser would go to its first button, which is at the end.
  function openHelp(dialog) {
    dialog.showModal();
    dialog.focus({preventScroll: true});
    dialog.scrollTop = 0;
  }
}
