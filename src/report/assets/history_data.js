// history_data.js - histories in one form, wherever they come from: a checked file (sennit check), or
// the operations that a trial recorded.
//
// {title, model, verdict, why, isBad, isSequential, figures, unit, keys, key, total, minimal, longest,
//  state, stuck, operations: [{id, process, text, call, ret, status, key, line, calledAt, returnedAt,
//  callStep, returnStep}], core: Map of id -> {definite, place, state, why}, order: [id]}
// Times of operations are numbers to compare; what people read of them is calledAt and returnedAt.

sennit.history = {};

// Processes of files are numbers, which say nothing by themselves.
sennit.history.who = (op) => (/^\d+$/.test(op.process) ? `process ${op.process}` : op.process);

(function () {
  const {list, object, number, isNumber, text} = sennit.parts;

  // A time as it stood in the file: origins may have more digits than a number can hold.
  function timeName(unit, origin, time) {
    if (time === null) return "";
    let exact = String(time);
    if (origin !== 0n && Number.isSafeInteger(time)) exact = String(origin + BigInt(time));
    return unit === "time" ? exact : `${unit} ${exact}`;
  }

  function operationOf(raw, i, unit, origin) {
    const op = object(raw);
    const call = number(op.call, i);
    const ret = isNumber(op.return) ? Math.max(op.return, call) : null;
    const status = ["ok", "fail", "unknown"].includes(op.status) ? op.status : ret === null ? "unknown" : "ok";
    return {
      id: number(op.index, i), process: text(op.process, 200), text: text(op.text), call, ret, status,
      key: op.key === undefined || op.key === null ? null : text(op.key, 400), line: number(op.line),
      calledAt: timeName(unit, origin, call), returnedAt: timeName(unit, origin, ret),
    };
  }

  function reasonOf(candidate) {
    const allowed = list(candidate.allowed).map((value) => text(value, 400));
    if (candidate.refused === true) return "the model does not allow it here, whatever its result";
    return allowed.length > 0 ? "its result would be " + allowed.join(" or ") : "";
  }

  function takeCore(into, raw) {
    const core = object(raw);
    const states = list(core.states);
    for (const member of list(core.operations)) {
      const {index, definite} = object(member);
      if (isNumber(index)) into.core.set(index, {definite: definite !== false, place: 0, state: null, why: null});
    }
    into.order = list(core.order).filter((id) => into.core.has(id));
    into.order.forEach((id, i) => {
      into.core.get(id).place = i + 1;
      into.core.get(id).state = states.length === into.order.length ? text(states[i], 1000) : null;
    });
    for (const candidate of list(core.candidates).map(object)) {
      if (into.core.has(candidate.index)) into.core.get(candidate.index).why = reasonOf(candidate);
    }
    // An object without keys has one all the same, which says nothing.
    if (core.key !== null && core.key !== undefined && into.operations.some((op) => op.key !== null))
      into.key = text(core.key, 400);
    into.minimal = core.minimal !== false;
    into.longest = core.longest !== false;
    into.state = text(core.state);
  }

  function readOrigin(value) {
    return typeof value === "string" && /^\d{1,20}$/.test(value) ? BigInt(value) : 0n;
  }

  // Of a checked history. Throws if it is none.
  sennit.history.ofFile = function ofFile(raw) {
    const h = object(raw);
    if (h.format !== "sennit-history" || h.version !== 1 || !Array.isArray(h.operations))
      throw new Error("This is no history of a kind that this page knows: its format is " +
        `${text(h.format, 60) || "missing"}, version ${text(h.version, 20) || "missing"}.`);
    const unit = h.clock === "time" ? "time" : "event";
    const origin = readOrigin(h.origin);
    const verdict = text(h.verdict, 100) || "unknown";
    const history = {
      title: text(h.file, 400), model: text(h.model, 100), verdict, why: text(h.why) || null,
      isBad: verdict.startsWith("not "), isSequential: h.consistency === "sequential", unit,
      algorithm: text(h.algorithm, 100), seconds: isNumber(h.seconds) ? h.seconds : null,
      keys: number(h.keys), total: Math.max(number(h.total), h.operations.length),
      stuck: isNumber(h.stuck) ? h.stuck : null, key: null, minimal: true, longest: true, state: "",
      operations: h.operations.map((op, i) => operationOf(op, i, unit, origin)), core: new Map(), order: [],
    };
    if (h.core) takeCore(history, h.core);
    return history;
  };

  // Calls and returns are told apart even within one step: each is one event more.
  function takeOperation(history, byNumber, record, step, event) {
    const at = {calledAt: `step ${step}`, callStep: step};
    const known = byNumber.get(record.number);
    if (record.operation === "call") {
      const op = {
        id: record.number, process: text(record.process, 200), text: text(record.text), call: event, ret: null,
        status: "unknown", key: null, line: 0, returnedAt: "", returnStep: null, ...at,
      };
      byNumber.set(op.id, op);
      history.operations.push(op);
    } else if (known) {
      Object.assign(known, {
        ret: event, status: record.operation === "fail" ? "fail" : "ok", text: text(record.text),
        returnedAt: `step ${step}`, returnStep: step,
      });
    }
  }

  function takeRecord(history, record) {
    if (typeof record.illegal === "string") {
      history.model = text(record.illegal, 100);
      history.minimal = record.minimal !== false;
      history.longest = record.longest !== false;
      history.state = text(record.state);
      history.stuck = isNumber(record.stuck) ? record.stuck : null;
    } else if (isNumber(record.core)) {
      history.core.set(record.core, {
        definite: record.definite !== false, place: number(record.place),
        state: typeof record.state === "string" ? text(record.state, 1000) : null,
        why: typeof record.why === "string" ? text(record.why) : null,
      });
    }
  }

  sennit.history.isInTrace = function isInTrace(trace) {
    return list(object(trace).steps).some((step) =>
      list(object(step).details).some((record) => object(record).operation === "call"));
  };

  // Of the trace of a trial, as `sennit show --json` prints it.
  sennit.history.ofTrace = function ofTrace(trace, title) {
    const verdict = object(trace.verdict);
    const isBad = verdict.oracle === "linear";
    const history = {
      title, model: "", verdict: isBad ? "not linearizable" : text(verdict.verdict, 100), why: null, isBad,
      isSequential: false, unit: "step", algorithm: "", seconds: null, keys: 0, total: 0, stuck: null, key: null,
      minimal: true, longest: true, state: "", operations: [], core: new Map(), order: [],
    };
    const byNumber = new Map();
    let event = 0;
    for (const step of list(trace.steps).map(object)) {
      for (const record of list(step.details).map(object)) {
        if (["call", "return", "fail"].includes(record.operation))
          takeOperation(history, byNumber, record, number(step.step), event++);
        else takeRecord(history, record);
      }
    }
    history.total = history.operations.length;
    history.order = [...history.core].filter(([, member]) => member.place > 0)
      .sort((a, b) => a[1].place - b[1].place).map(([id]) => id);
    return history;
  };
})();
