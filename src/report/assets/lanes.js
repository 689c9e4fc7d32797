// lanes.js - what lasts on the diagram: lanes, cuts, outages, operations, states of monitors. A scene, here
// and in the files that follow, has the model, the columns and rows of the layout, what is selected, and
// y(row): where the middle of a row is in the window that is being drawn.

{
  const {svg} = sennit;

  function lanes(scene) {
    const group = svg("g", {class: "lines"});
    const bottom = scene.height;
    for (const {lane, x, isNarrow, isAcross} of new Set(scene.columns.values())) {
      if (isAcross) continue;
      group.append(
        svg("line", {x1: x, x2: x, y1: 0, y2: bottom, class: `lane ${lane.kind}${isNarrow ? " narrow" : ""}`})
      );
    }
    return group;
  }

  // The sides that the network is cut into: hatched over the lanes that are cut off.
  function cuts(scene) {
    const group = svg("g", {});
    for (const cut of scene.index.cuts.touching(scene.first, scene.last)) {
      const top = scene.y(cut.begin);
      const height = scene.y(cut.end) - top;
      for (const lane of cut.about.lanes) {
        const column = scene.columns.get(lane);
        if (column) {
          group.append(
            svg("rect", {
              x: column.left + 1,
              y: top,
              width: column.width - 2,
              height,
              class: "cut",
              fill: "url(#hatch)",
            })
          );
        }
      }
    }
    return group;
  }

  // A machine that is down has no line, and comes back with another one.
  function downs(scene) {
    const group = svg("g", {});
    for (const down of scene.index.downs.touching(scene.first, scene.last)) {
      const column = scene.columns.get(down.about.lane);
      if (!column) continue;
      const top = scene.y(down.begin);
      const bottom = Math.min(scene.height, scene.y(down.end));
      group.append(
        svg("rect", {x: column.x - 3, y: top, width: 6, height: Math.max(0, bottom - top), class: "gone"}),
        svg("line", {x1: column.x, x2: column.x, y1: top, y2: bottom, class: "down"})
      );
      if (scene.isKind(down.begin, "step")) {
        group.append(svg("text", {x: column.x, y: top + 18, class: "crash", "text-anchor": "middle"}, "\u2715"));
      }
    }
    return group;
  }

  // Operations of clients take time: a bar beside the lane from call to return.
  function operations(scene) {
    const group = svg("g", {});
    for (const item of scene.index.operations.touching(scene.first, scene.last, 500)) {
      const {lane, text, how} = item.about;
      const column = scene.columns.get(lane);
      if (!column) continue;
      const top = scene.y(item.begin) - sennit.HALF;
      const bottom = how ? scene.y(item.end) + sennit.HALF : scene.y(item.end);
      group.append(
        svg(
          "rect",
          {
            x: column.x - scene.pill / 2 - 7,
            y: top,
            width: 5,
            height: Math.max(6, bottom - top),
            rx: 2.5,
            class: `operation ${how || "open"} ${scene.blameOf(item.about)}`,
          },
          svg("title", {}, sennit.cut(text, 300))
        )
      );
    }
    return group;
  }

  // Monitors: the state that they are in, as a band that shows how hot it is, and when they were told.
  function monitors(scene) {
    const group = svg("g", {});
    for (const item of scene.index.states.touching(scene.first, scene.last, 2000)) {
      const column = scene.columns.get(item.about.lane);
      if (!column) continue;
      const top = scene.y(item.begin);
      const height = Math.max(2, scene.y(item.end) - top);
      const width = column.isNarrow ? 8 : column.width - 12;
      group.append(
        svg(
          "rect",
          {x: column.x - width / 2, y: top, width, height, class: `heat ${item.about.heat}`},
          svg("title", {}, sennit.cut(`${item.about.lane.name}: ${item.about.state}`, 200))
        )
      );
    }
    return group;
  }

  sennit.drawLasting = (scene) => [cuts(scene), lanes(scene), monitors(scene), downs(scene), operations(scene)];
}
