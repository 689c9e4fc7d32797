// search.js - finds steps by machine, event, key or any text.

{
  const {list} = sennit;
  const KINDS = ["machine", "event", "key", "op", "state", "step"];

  // "machine:S1 event:append term=2": all of it must be so.
  sennit.readQuery = function readQuery(text) {
    const terms = [];
    for (const [, kind, quoted, word] of text.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g)) {
      const value = (quoted ?? word).toLowerCase();
      if (kind && !KINDS.includes(kind)) terms.push({kind: "", value: `${kind}:${value}`.toLowerCase()});
      else if (value !== "") terms.push({kind: kind || "", value});
    }
    return terms;
  };

  // All that a step says, once, in small letters.
  function textOf(step) {
    const parts = [step.task, step.event, step.from, step.payload];
    for (const record of list(step.details)) {
      for (const value of Object.values(record)) if (typeof value === "string") parts.push(value);
    }
    return parts.filter(Boolean).join("\n").toLowerCase();
  }

  const MATCH = {
    machine: (step, value) => step.task.toLowerCase().includes(value),
    event: (step, value) =>
      String(step.event ?? "")
        .toLowerCase()
        .includes(value),
    op: (step, value) => step.op === value,
    step: (step, value) => String(step.step) === value,
    state: (step, value) =>
      list(step.details).some((r) => r.state !== undefined && r.state.toLowerCase().includes(value)),
    // `name`, or `name=value`, of a payload or a draw.
    key: (step, value) => {
      const has = (text) =>
        (sennit.fields(text) || []).some(([name, what]) => {
          const pair = `${name}=${what}`.toLowerCase();
          return value.includes("=") ? pair === value : name.toLowerCase() === value;
        });
      return (
        has(step.payload) ||
        list(step.details).some((r) => String(r.draw ?? "").toLowerCase() === value || has(r.payload))
      );
    },
  };

  // The steps that match, in order; null if nothing is asked for.
  sennit.findSteps = function findSteps(model, query, texts) {
    const terms = sennit.readQuery(query);
    if (terms.length === 0) return null;
    const found = new Set();
    for (const step of model.steps.slice(1)) {
      const isFound = terms.every(({kind, value}) => {
        if (kind) return MATCH[kind](step, value);
        texts[step.step] ??= textOf(step);
        return texts[step.step].includes(value);
      });
      if (isFound) found.add(step.step);
    }
    return found;
  };
}
