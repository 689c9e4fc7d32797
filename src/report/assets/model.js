// model.js - a trial as the page needs it, made of the document of a trace: lanes, steps that know
// their lane, messages with their fate, timers, operations, states and memories by step.
//
// Machines may be renamed after they were created, so a lane goes by the name that its machine's first
// step has. A message is known by the id of the step that delivers it.

{
  class Builder {
    constructor(trace) {
      this.trace = trace;
      this.steps = sennit.list(trace.steps);
      this.lanes = [];
      this.byName = new Map();
      this.aliases = new Map();
      this.created = new Set();
      this.stepOfId = new Map();
      this.messages = [];
      this.messageOfId = new Map();
      this.sentIn = new Map();
      this.timers = [];
      this.running = new Map();
      this.operations = [];
      this.calls = new Map();
      this.faults = [];
      this.draws = [];
      this.said = [];
      this.holds = [];
      this.shrunk = null;
    }

    lane(name, kind = "machine") {
      const known = this.byName.get(name) || this.byName.get(this.aliases.get(name));
      if (known) return known;
      const lane = {
        name,
        kind,
        index: this.lanes.length,
        type: "",
        node: "",
        births: [],
        states: [],
        memories: [],
        steps: [],
        told: [],
        downs: [],
        created: 0,
        isBorn: false,
        isUnborn: false,
      };
      this.lanes.push(lane);
      this.byName.set(name, lane);
      return lane;
    }

    // ---- First pass: names ----------------------------------------------------------------------

    nameLanes() {
      for (const step of this.steps) if (step.id) this.stepOfId.set(step.id, step);
      for (const step of this.steps) {
        for (const record of sennit.list(step.details)) if (record.create !== undefined) this.created.add(record.create);
      }
      const monitors = new Set();
      for (const step of this.steps) {
        for (const record of sennit.list(step.details)) {
          if (record.create !== undefined) this.nameMachine(record, step);
          else if (record.monitor !== undefined) monitors.add(record.monitor);
        }
      }
      this.nameInOrder();
      this.lateBirths();
      this.renameUnborn(monitors);
      for (const step of this.steps.slice(1)) this.lane(step.task, step.op === "fault" ? "faults" : "machine");
      // A monitor's state is set before anything else has that name, and it never takes a step.
      for (const record of sennit.list(this.steps[0] && this.steps[0].details)) {
        if (record.state !== undefined && !this.isLane(record.task)) monitors.add(record.task);
      }
      for (const name of monitors) if (!this.isLane(name)) this.lane(name, "monitor");
      for (const lane of this.lanes) if (lane.name === "faults" && lane.type === "faults") lane.kind = "faults";
    }

    // A machine whose node went down before its first step is born only when that comes back, and may
    // have another name then.
    lateBirths() {
      for (const step of this.steps) {
        const cause = step.op === "start" && !this.isLane(step.task) ? this.steps[step.cause] : null;
        const restart = sennit.list(cause && cause.details).find((r) => r.fault === "restart");
        const unborn = restart && this.lanes.find((lane) => lane.node === restart.node && lane.isUnborn);
        if (unborn) this.rename(unborn, step.task);
      }
    }

    rename(lane, name) {
      this.aliases.set(lane.name, name);
      this.byName.delete(lane.name);
      this.byName.set(name, lane);
      lane.name = name;
      lane.isUnborn = false;
    }

    // Where first steps are part of the set-up, machines take them in the order of their creation, and their
    // states tell the names that they have by then.
    nameInOrder() {
      const records = sennit.list(this.steps[0] && this.steps[0].details);
      const created = records.filter((r) => r.create !== undefined && r.start !== undefined);
      const first = records.indexOf(created[0]); // monitors have their states before that
      const started = records.slice(first + 1).filter((r) => r.state !== undefined && r.how === "start");
      const lanes = created.map((r) => this.lane(r.create));
      const names = started.map((r) => r.task);
      const isIt = (lane, i) => lane.name === names[i] || (lane.isUnborn && !this.isLane(names[i]));
      if (lanes.length !== names.length || new Set(names).size !== names.length || !lanes.every(isIt)) return;
      lanes.forEach((lane, i) => lane.name !== names[i] && this.rename(lane, names[i]));
    }

    // Machines that have no first step that tells their new name: who acts, or is sent something, and was
    // never created is one of them. Which one cannot be told, and matters only if they are of different types.
    renameUnborn(monitors) {
      const acting = new Set(this.steps.map((step) => step.task));
      const unborn = this.lanes.filter((lane) => lane.isUnborn && !acting.has(lane.name));
      const names = unborn.length > 0 ? this.unknownNames(monitors) : [];
      const isAlike = unborn.every((lane) => lane.type === unborn[0].type && lane.node === unborn[0].node);
      if (names.length === 0 || names.length > unborn.length || (!isAlike && names.length < unborn.length)) return;
      names.forEach((name, i) => {
        this.rename(unborn[i], name);
        if (!isAlike) Object.assign(unborn[i], {type: "", node: ""});
      });
    }

    unknownNames(monitors) {
      const names = new Set();
      const add = (name) => name !== undefined && !this.isLane(name) && !monitors.has(name) && names.add(name);
      let isAfterBirth = false; // monitors have their states before that
      for (const record of sennit.list(this.steps[0] && this.steps[0].details)) {
        isAfterBirth ||= record.create !== undefined && record.type !== "faults";
        if (record.state !== undefined && isAfterBirth) add(record.task);
      }
      for (const step of this.steps) {
        if (step.step > 0 && step.op !== "fault") add(step.task);
        for (const record of sennit.list(step.details)) if (record.send !== undefined) add(record.to);
      }
      return [...names];
    }

    isLane(name) {
      return this.byName.has(name) || this.byName.has(this.aliases.get(name));
    }

    nameMachine(record, step) {
      const first = this.firstStepOf(record);
      const name = first ? first.task : record.create;
      if (name !== record.create) this.aliases.set(record.create, name);
      const lane = this.lane(name);
      lane.type = record.type;
      lane.node = record.node || lane.node;
      lane.created = step.step;
      lane.isBorn = record.start === undefined; // without a step of its own
      lane.isUnborn = !first && record.start !== undefined && record.type !== "faults";
    }

    // Traces may name a step here that is not the start of this machine: then it has none.
    firstStepOf(record) {
      const step = record.start && this.stepOfId.get(record.start);
      const isStart = step && step.op === "start";
      return isStart && (step.task === record.create || !this.created.has(step.task)) ? step : null;
    }

    // ---- Second pass: what happened ---------------------------------------------------------------

    readSteps() {
      for (const step of this.steps) {
        const lane = step.step > 0 ? this.lane(step.task) : null;
        if (lane) {
          lane.steps.push(step);
          this.arrive(step, lane);
        }
        for (const record of sennit.list(step.details)) this.read(record, step, lane);
      }
    }

    // The message that this step delivers: known by its id, or, where machines fetch what they want
    // themselves, by the step that sent it. One that no record has announced was sent by its cause.
    arrive(step, lane) {
      let message = this.messageOfId.get(step.id);
      if (!message && step.sent) {
        message = (this.sentIn.get(step.sent) || []).find((m) => m.to === lane && m.fate === "pending");
        if (message) this.messageOfId.set(step.id, message);
      }
      if (step.op === "deliver" && !message && step.from !== undefined) {
        message = this.send(step, this.lane(step.from), lane, step.sent || step.cause || 0);
      }
      // Announced in the set-up, but something had to happen first: that is where it comes from.
      const cause = message && !message.from && step.cause > 0 ? this.steps[step.cause] : null;
      if (cause && this.lane(cause.task) !== lane) Object.assign(message, {from: this.lane(cause.task), sent: cause.step});
      if (message) {
        message.to = lane;
        message.delivered = step.step;
        message.fate = "delivered";
      }
      if (step.op === "timer") this.endTimer(lane, step.event, step.step, "fires");
    }

    send(about, from, to, step) {
      const message = {
        id: about.id,
        event: about.event,
        payload: about.payload,
        from,
        to,
        sent: step,
        delivered: 0,
        ended: 0,
        fate: "pending",
        delayed: false,
        copied: false,
      };
      this.messages.push(message);
      if (!this.sentIn.has(step)) this.sentIn.set(step, []);
      this.sentIn.get(step).push(message);
      if (about.id && !/^0+$/.test(about.id)) this.messageOfId.set(about.id, message);
      return message;
    }

    read(record, step, lane) {
      const at = step.step;
      if (record.send !== undefined) {
        const target = this.stepOfId.get(record.id);
        const to = target && target.step > 0 ? this.lane(target.task) : this.lane(record.to);
        if (!this.messageOfId.has(record.id)) {
          this.send({id: record.id, event: record.send, payload: record.payload}, lane, to, at);
        } else this.messageOfId.get(record.id).payload ??= record.payload;
      } else if (record.fault !== undefined) this.readFault(record, step, lane);
      else if (record.state !== undefined) this.lane(record.task).states.push({step: at, ...record});
      else if (record.memory !== undefined) this.lane(record.memory).memories.push({step: at, text: record.text});
      else if (record.monitor !== undefined) this.lane(record.monitor, "monitor").told.push({step: at, ...record});
      else if (record.timer !== undefined) this.readTimer(record, at, lane);
      else if (record.operation !== undefined) this.readOperation(record, at);
      else if (record.dropped !== undefined) {
        const lost = this.send({event: record.dropped}, lane, this.lane(record.to), at);
        lost.fate = "dropped";
        lost.ended = at;
      } else if (record.draw !== undefined) this.draws.push({step: at, ...record});
      else if (record.output !== undefined) this.said.push({step: at, kind: "output", text: record.output});
      else if (record.note !== undefined) this.said.push({step: at, kind: "note", text: record.note});
      else if (record.hold !== undefined) this.holds.push(record);
      else if (record.shrunk !== undefined) this.shrunk = record;
    }

    readFault(record, step, lane) {
      const known = record.id && this.messageOfId.get(record.id);
      this.faults.push({step: step.step, ...record});
      if (record.fault === "crash" || record.fault === "stop") this.endTimers(record.node, step.step);
      if (record.event === undefined || record.from === undefined) return;
      const from = this.isLane(record.from) ? this.lane(record.from) : lane;
      if (from && record.node && !from.node) from.node = record.node; // older traces tell it only so
      const message = known || this.send(record, from, this.lane(record.to), step.step);
      if (record.fault === "delayed") message.delayed = true;
      else if (record.fault === "duplicated") message.copied = true;
      else if (message.fate === "pending") {
        message.fate = record.fault;
        message.ended = step.step;
      }
    }

    readTimer(record, at, lane) {
      const key = `${lane ? lane.name : ""}\n${record.event}`;
      if (record.timer === "cancel") this.endTimer(lane, record.event, at, "cancelled");
      else {
        const timer = {
          lane,
          event: record.event,
          delay: record.delay_ns,
          how: record.timer,
          begin: at,
          end: 0,
          fate: "",
        };
        this.timers.push(timer);
        this.running.set(key, timer);
      }
    }

    endTimer(lane, event, at, fate) {
      const key = `${lane ? lane.name : ""}\n${event}`;
      const timer = this.running.get(key);
      if (!timer) return;
      timer.end = at;
      timer.fate = fate;
      this.running.delete(key);
    }

    // What was running on a node ends with it.
    endTimers(node, at) {
      for (const timer of [...this.running.values()]) {
        if (timer.lane && timer.lane.node === node) this.endTimer(timer.lane, timer.event, at, "ended");
      }
    }

    readOperation(record, at) {
      const call = this.calls.get(record.number);
      if (record.operation === "call" || !call) {
        const operation = {
          number: record.number,
          process: record.process,
          text: record.text,
          lane: this.lane(record.process),
          begin: at,
          end: 0,
          how: "",
        };
        this.operations.push(operation);
        this.calls.set(record.number, operation);
      } else {
        call.end = at;
        call.how = record.operation;
        call.text = record.text;
      }
    }

    // ---- What lasts -------------------------------------------------------------------------------

    // Which lanes a list of nodes speaks of.
    onNodes(names) {
      const wanted = new Set(String(names ?? "").split(", "));
      return this.lanes.filter((lane) => lane.kind === "machine" && wanted.has(lane.node));
    }

    readOutages() {
      const last = this.steps.length;
      this.cuts = [];
      for (const fault of this.faults) {
        if (fault.fault === "cut" || fault.fault === "heal") {
          const open = this.cuts[this.cuts.length - 1];
          if (open && open.end === last) open.end = fault.step; // a second cut takes the place of the first
          if (fault.fault === "cut") {
            this.cuts.push({begin: fault.step, end: last, nodes: fault.node, lanes: this.onNodes(fault.node)});
          }
        } else if (fault.fault === "crash" || fault.fault === "stop") {
          for (const lane of this.onNodes(fault.node)) {
            lane.downs.push({begin: fault.step, end: last, how: fault.fault, lane});
          }
        } else if (fault.fault === "restart") {
          for (const lane of this.onNodes(fault.node)) {
            const down = lane.downs[lane.downs.length - 1];
            if (down && down.end === last) down.end = fault.step;
          }
        }
      }
    }
  }

  // ---- Monitors -----------------------------------------------------------------------------------

  // Which monitor has failed: a verdict on what can go on for ever names it; an assertion of a
  // monitor fails while it is being told something.
  function failedMonitor(builder, verdict) {
    const named = /^monitor (\S+) /.exec(sennit.string(verdict.message));
    const lane = named && builder.byName.get(named[1]);
    if (lane && lane.kind === "monitor") return lane;
    const step = builder.steps[verdict.step];
    const records = sennit
      .list(step && step.details)
      .filter(
        (r) => r.note === undefined && r.hold === undefined && r.shrunk === undefined && r.memory === undefined
      );
    const last = records[records.length - 1];
    return verdict.oracle === "assert" && last && last.monitor !== undefined
      ? builder.lane(last.monitor, "monitor")
      : null;
  }

  // States that are hot, where only the words of the verdict tell: older traces do not mark them.
  function hotStates(verdict) {
    const said = /^monitor (\S+) .*?\bhot \(state ([^)]*)\)/.exec(sennit.string(verdict.message));
    return said ? new Set([`${said[1]}\n${said[2]}`]) : new Set();
  }

  sennit.buildModel = function buildModel(trace) {
    const builder = new Builder(trace);
    builder.nameLanes();
    builder.readSteps();
    builder.readOutages();
    const verdict = sennit.object(trace.verdict);
    const hot = hotStates(verdict);
    const failed = verdict.verdict === "failed";
    return {
      trace,
      header: sennit.object(trace.header),
      verdict,
      steps: builder.steps,
      count: Math.max(0, builder.steps.length - 1),
      lanes: builder.lanes,
      stepOfId: builder.stepOfId,
      messages: builder.messages,
      messageOfId: builder.messageOfId,
      timers: builder.timers,
      operations: builder.operations,
      cuts: builder.cuts,
      faults: builder.faults,
      draws: builder.draws,
      said: builder.said,
      holds: builder.holds,
      shrunk: builder.shrunk,
      failure: failed ? Math.min(sennit.whole(verdict.step), builder.steps.length - 1) : -1,
      monitor: failed ? failedMonitor(builder, verdict) : null,
      laneOf: (name) => builder.byName.get(name) || builder.byName.get(builder.aliases.get(name)) || null,
      heatOf: (lane, record) => record.heat || (hot.has(`${lane.name}\n${record.state}`) ? "hot" : "plain"),
    };
  };
}
