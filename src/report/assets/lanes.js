// lanes.js - what lasts on the diagram: lanes, cuts, outages, operations, states of monitors. A scene, here
// and in the files that follow, has the model, the columns and rows of the layout, what is selected, and
// y(row): where the middle of a row is in the part that is being drawn.

{
  const {svg} = sennit;

  // One line a lane, as long as the drawing.
  sennit.drawLanes = function drawLanes(scene) {
    return [...new Set(scene.columns.values())].map(({lane, x, isNarrow}) =>
      svg("line", {
        x1: x,
        x2: x,
        y1: 0,
        y2: scene.height,
        class: `lane ${lane.kind}${isNarrow ? " narrow" : ""}`,
      })
    );
  };

  // From where to where something lasts, as far as the drawing goes.
  function extent(scene, item) {
    const top = Math.max(-sennit.ROW, scene.y(item.begin));
    return {top, height: Math.max(0, Math.min(scene.height + sennit.ROW, scene.y(item.end)) - top)};
  }

  // The sides that the network is cut into: hatched over the lanes that are cut off.
  sennit.drawCut = function drawCut(scene, cut) {
    const {top, height} = extent(scene, cut);
    const columns = new Set(cut.about.lanes.map((lane) => scene.columns.get(lane)).filter(Boolean));
    const marks = [...columns].map((column) =>
      svg("rect", {
        x: column.begin + 1,
        y: top,
        width: column.width - 2,
        height,
        class: "cut",
        fill: "url(#hatch)",
      })
    );
    return {node: svg("g", {}, marks)};
  };

  // A machine that is down has no line, and comes back with another one.
  sennit.drawDown = function drawDown(scene, down) {
    const column = scene.columns.get(down.about.lane);
    if (!column) return null;
    const {top, height} = extent(scene, down);
    return {
      node: svg(
        "g",
        {},
        svg("rect", {x: column.x - 3, y: top, width: 6, height, class: "gone"}),
        svg("line", {x1: column.x, x2: column.x, y1: top, y2: top + height, class: "down"}),
        scene.isKind(down.begin, "step")
          ? svg(
              "text",
              {x: column.x, y: scene.y(down.begin) + 18, class: "crash", "text-anchor": "middle"},
              "\u2715"
            )
          : null
      ),
    };
  };

  // Operations of clients take time: a bar beside the lane from call to return.
  sennit.drawOperation = function drawOperation(scene, item) {
    const {lane, text, how} = item.about;
    const column = scene.columns.get(lane);
    if (!column) return null;
    const top = Math.max(-sennit.ROW, scene.y(item.begin) - sennit.HALF);
    const bottom = how ? scene.y(item.end) + sennit.HALF : scene.y(item.end);
    return {
      node: svg(
        "rect",
        {
          x: column.x - scene.pill / 2 - 7,
          y: top,
          width: 5,
          height: Math.max(6, Math.min(scene.height + sennit.ROW, bottom) - top),
          rx: 2.5,
          class: `operation ${how || "open"} ${scene.blameOf(item.about)}`,
        },
        svg("title", {}, sennit.cut(text, 300))
      ),
    };
  };

  // Monitors: the state that they are in, as a band that shows how hot it is.
  sennit.drawHeat = function drawHeat(scene, item) {
    const column = scene.columns.get(item.about.lane);
    if (!column) return null;
    const {top, height} = extent(scene, item);
    const width = column.isNarrow ? 8 : column.width - 12;
    return {
      node: svg(
        "rect",
        {x: column.x - width / 2, y: top, width, height: Math.max(2, height), class: `heat ${item.about.heat}`},
        svg("title", {}, sennit.cut(`${item.about.lane.name}: ${item.about.state}`, 200))
      ),
    };
  };

  sennit.patterns = () =>
    svg(
      "defs",
      {},
      svg(
        "pattern",
        {id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
        svg("rect", {width: 6, height: 6, class: "hatch-back"}),
        svg("line", {x1: 0, x2: 0, y1: 0, y2: 6, class: "hatch-line"})
      )
    );
}
