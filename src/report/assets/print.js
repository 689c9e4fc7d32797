// print.js - the diagram on paper, where nothing scrolls: a table of strips of a few rows each, of which
// browsers put as many on a page as fit, with the names of the lanes at the top of each.

{
  const {el} = sennit;
  const STRIP = 8; // rows that are not torn apart
  const MOST = 3000; // rows, as far as paper is reasonable

  // A copy that scales with the width of the paper. Its steps have no ids: those are of the screen.
  function copyOf(drawing, {top, width, height}) {
    const copy = drawing.cloneNode(true);
    for (const node of copy.querySelectorAll("[id^=step-]")) node.removeAttribute("id");
    copy.removeAttribute("style");
    for (const name of ["width", "height", "class", "role"]) copy.removeAttribute(name);
    return sennit.fill(copy, {viewBox: `0 ${top} ${width} ${height}`, class: drawing.getAttribute("class")}, []);
  }

  function stripOf(diagram, first, last) {
    const {scene, layout} = diagram;
    scene.show(first, last);
    const place = {
      top: (first - scene.part.first) * sennit.ROW,
      width: layout.width,
      height: (last - first + 1) * sennit.ROW,
    };
    // What lies over it on the screen does so on paper.
    return [scene.root, scene.side].map((drawing) => copyOf(drawing, place));
  }

  let undo = [];

  sennit.takeFromPaper = function takeFromPaper() {
    for (const act of undo) act();
    undo = [];
  };

  // The diagram, and what is folded in the panel that is open.
  sennit.putOnPaper = function putOnPaper(view) {
    sennit.takeFromPaper();
    const paper = tableOf(view.diagram);
    view.diagram.root.after(paper);
    view.diagram.redraw();
    undo.push(() => paper.remove());
    for (const fold of view.panel.querySelectorAll("details:not([open])")) {
      fold.open = true;
      undo.push(() => {
        fold.open = false;
      });
    }
  };

  // All rows; of too many those in sight.
  function tableOf(diagram) {
    const {rows, layout} = diagram;
    diagram.scene.use({...diagram.sceneOf(), visibleWidth: layout.width}); // all lanes are in sight
    const range = rows.length <= MOST ? {first: 0, last: rows.length - 1} : diagram.inSight();
    const strips = [];
    for (let first = range.first; first <= range.last; first += STRIP)
      strips.push(stripOf(diagram, first, Math.min(range.last, first + STRIP - 1)));
    const names = [diagram.head, diagram.corner].map((drawing) =>
      copyOf(drawing, {top: 0, width: layout.width, height: Number(diagram.head.getAttribute("height"))})
    );
    return el(
      "table",
      {class: "paper", "aria-hidden": "true"},
      el("thead", {}, el("tr", {}, el("th", {}, names))),
      el(
        "tbody",
        {},
        strips.map((strip) => el("tr", {}, el("td", {}, strip)))
      )
    );
  }
}
