// intervals.js - which of many intervals touch a window: what is drawn on a long trial must cost what
// is seen of it. Sorted by begin, with the largest end of each half: asking costs the answers and a
// logarithm.

sennit.Intervals = class Intervals {
  // Items have numbers `begin` and `end`.
  constructor(items) {
    this.items = items.slice().sort((a, b) => a.begin - b.begin);
    this.ends = new Float64Array(this.items.length);
    this.measure(0, this.items.length);
  }

  // The middle of each half keeps the largest end in it. Halves halve: this does not go deep.
  measure(low, high) {
    if (low >= high) return -Infinity;
    const middle = (low + high) >> 1;
    const end = Math.max(this.items[middle].end, this.measure(low, middle), this.measure(middle + 1, high));
    this.ends[middle] = end;
    return end;
  }

  // Those with begin <= last and end >= first, by begin; at most `most`.
  touching(first, last, most = Infinity) {
    const found = [];
    this.collect(0, this.items.length, first, last, most, found);
    return found;
  }

  collect(low, high, first, last, most, found) {
    if (low >= high || found.length >= most) return;
    const middle = (low + high) >> 1;
    if (this.ends[middle] < first) return;
    this.collect(low, middle, first, last, most, found);
    const item = this.items[middle];
    if (item.begin > last) return;
    if (item.end >= first && found.length < most) found.push(item);
    this.collect(middle + 1, high, first, last, most, found);
  }
};

// Those of a list, sorted by this member, whose member is from first to last.
sennit.between = function between(list, member, first, last) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][member] < first) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (; low < list.length && list[low][member] <= last; low++) found.push(list[low]);
  return found;
};

// The last place of a sorted list whose `step` is at most this, or -1.
sennit.lastAt = function lastAt(list, step) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].step <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
