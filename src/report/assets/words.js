// words.js - what a step is called, in one line, as `sennit explain` calls it.

{
  sennit.sayStep = function sayStep(model, number) {
    const step = model.steps[number];
    if (!step || number === 0) return "set-up of the test";
    return `step ${number}: ${sennit.sayOperation(step)}${number === model.failure ? "; the trial failed here" : ""}`;
  };

  sennit.sayOperation = function sayOperation(step) {
    const task = sennit.cut(step.task, 80);
    const kind = step.op === "deliver" ? sennit.kindIn(sennit.string(step.payload).slice(0, 400)) : "";
    const event = sennit.cut(sennit.withKind(sennit.string(step.event), kind), 80);
    if (step.op === "start") return `${task} starts`;
    if (step.op === "timer") return `${task}'s timer ${event} fires`;
    if (step.op === "fault") return `fault: ${event}${sayTargets(step)}`;
    return `${task} handles ${event}${step.from === undefined ? "" : ` from ${sennit.cut(step.from, 80)}`}`;
  };

  // What a fault struck: its records tell. What else became of messages then names their senders, who were
  // not struck.
  function sayTargets(step) {
    const records = sennit.list(step.details).filter((r) => r.fault !== undefined);
    const nodes = new Set(records.filter((r) => r.event === undefined && r.node !== undefined).map((r) => r.node));
    const message = records.find((r) => r.event !== undefined && r.from !== undefined);
    if (nodes.size > 0) return ` of ${sennit.cut([...nodes].join("; "), 120)}`;
    return message ? ` of ${sennit.cut(`${message.event} from ${message.from} to ${message.to}`, 120)}` : "";
  }

  // An event that stands for many kinds is called after both.
  sennit.withKind = (event, kind) => (kind && event && !event.endsWith(kind) ? `${event} ${kind}` : event);

  // The kind of a message, if its payload has one that is a word; what a machine receives that fetches
  // its messages itself.
  sennit.sayKind = function sayKind(model, step) {
    const message = step.op === "do" ? model.messageOfId.get(step.id) : null;
    if (message) return message.event;
    return sennit.kindIn(sennit.string(step.payload).slice(0, 400));
  };

  // Oracles have short names; not everybody knows them.
  const ORACLES = {
    assert: "assertion",
    hot: "liveness",
    lasso: "liveness: it goes round for ever",
    linear: "linearizability",
    linearizability: "linearizability",
  };
  sennit.sayOracle = (name) => (Object.hasOwn(ORACLES, name) ? ORACLES[name] : sennit.cut(name, 40));

  // A file and a line; some oracles name a kind of failure there.
  sennit.isPlace = (at) => /:\d+$/.test(sennit.string(at));

  const KIND = /(?:^|[ (])(?:kind|type|tag)=([A-Za-z_][\w-]{0,23})(?:[ )]|$)/;

  sennit.kindIn = function kindIn(text) {
    const found = KIND.exec(text);
    return found ? found[1] : "";
  };

  // A payload in brackets without its kind, where that is said already.
  sennit.withoutKind = (text) =>
    text.replace(KIND, (all) => {
      const [isFirst, isLast] = [all.startsWith("("), all.endsWith(")")];
      return isFirst === isLast ? (isFirst ? "" : " ") : isFirst ? "(" : ")";
    });

  // Remarks of the test say what a step means; those of the disk and of the oracle are many.
  const isTelling = (note) =>
    !/^(disk: |\s|\d+ operations? |whether or not |the longest |then the state)/.test(note);

  // What a step changed that can be told in a few words: for the free part of its row.
  sennit.saySummary = function saySummary(step) {
    if (step.op === "fault") return sayTargets(step).replace(/^ of /, "");
    const changes = [];
    for (const record of sennit.list(step.details)) {
      if (record.state !== undefined && record.task !== step.task) continue; // of a monitor: that has its column
      if (record.state !== undefined && record.how === "halt") changes.push("halts");
      else if (record.state !== undefined && record.was !== undefined) changes.push(`\u2192 ${record.state}`);
      else if (record.ignored !== undefined) changes.push("ignored");
      else if (record.fault === "crash") changes.push(`${record.node} crashes`);
      else if (record.note !== undefined && isTelling(record.note)) changes.push(`\u201c${record.note}\u201d`);
    }
    return [...changes, step.payload]
      .filter(Boolean)
      .map((part) => sennit.cut(part, 120))
      .join(" \u00b7 ");
  };
}
