// routes.js - the ways of messages and orders between the boxes of the diagram. A straight line from box to
// box goes behind others, and then seems to come from them. So whatever goes from step to step runs in the
// free strip under the row where it begins, then down the channel beside the lane where it ends, and
// into the box from its side. A strip belongs to one step; a channel has several tracks, and what is in it
// at the same time gets another one as long as there are some.

{
  const {HALF, ROW} = sennit;
  const STRIP = ROW / 2; // below the middle of a row
  const BEND = 4;
  const APART = 3.5; // tracks

  // Where tracks are in a channel, from its middle, the best first.
  function tracksOf(channel) {
    const offsets = [0];
    for (let by = APART; by <= channel / 2 - 3; by += APART) offsets.push(by, -by);
    return offsets;
  }

  // Which channel leads to a place, counted from the left, and from which side of the channel: that which is
  // nearer to where it comes from; of one's own lane, the one at the right. What lies across all lanes
  // has no side: it is met from above, beside the lane of the other end.
  function channelTo(from, to) {
    if (to.isAcross) return {channel: from.isAcross ? 1 : from.last + 1, side: 0};
    if (from.isAcross) return {channel: to.first, side: 1};
    return from.first < to.first ? {channel: to.first, side: 1} : {channel: to.last + 1, side: -1};
  }

  // Gives each item {begin, end, from, to, key} a track of its channel: `item.route`. Items are sorted by begin.
  // What one step sends to one place is one line until it arrives: they have the same key. What has none
  // does not go down the channel. Where there are more lines than tracks, some lie upon each other.
  sennit.allotTracks = function allotTracks(items, layout) {
    const offsets = tracksOf(layout.channel);
    const channels = layout.channels.map((x) => ({
      x,
      ends: new Float64Array(offsets.length).fill(-1),
      keys: new Float64Array(offsets.length),
    }));
    items.forEach((item, number) => {
      const {channel, side} = channelTo(item.from, item.to);
      const {x, ends, keys} = channels[Math.min(channel, channels.length - 1)];
      if (!item.key) {
        item.route = {x, side};
        return;
      }
      let track = keys.indexOf(item.key);
      if (track < 0 || ends[track] < item.begin) track = ends.findIndex((end) => end <= item.begin);
      if (track < 0) track = number % offsets.length;
      ends[track] = Math.max(ends[track], item.end);
      keys[track] = item.key;
      item.route = {x: x + offsets[track], side};
    });
  };

  // The way from a place in one row to one in another, as points; the last but one is where it turns to its end.
  // `begin` and `end` are where the middles of the rows are; `drop` is how deep in the strip it runs.
  sennit.wayAlong = function wayAlong(route, from, to, {begin, end, drop, start = from.x}) {
    const strip = begin + STRIP + drop;
    const points = from.isAcross
      ? [[route.x, begin + HALF]]
      : [
          [start, begin + HALF],
          [start, strip],
          [route.x, strip],
        ];
    if (to.isAcross) return [...points, [route.x, end + (end > begin ? -HALF : HALF)]];
    return [...points, [route.x, end], [route.side > 0 ? to.left - 1 : to.right + 1, end]];
  };

  // Points as a path, round where it turns.
  sennit.roundPath = function roundPath(points) {
    let path = `M${points[0]}`;
    for (let i = 1; i + 1 < points.length; i++) {
      const [x, y] = points[i];
      const [before, after] = [towards(points[i], points[i - 1]), towards(points[i], points[i + 1])];
      path += `L${before}Q${x},${y} ${after}`;
    }
    return `${path}L${points[points.length - 1]}`;
  };

  // At most so far from one point to another, and never more than half of the way.
  function towards([x1, y1], [x2, y2]) {
    const length = Math.abs(x2 - x1) + Math.abs(y2 - y1); // one of them is 0
    const share = length === 0 ? 0 : Math.min(BEND, length / 2) / length;
    return [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
  }
}
