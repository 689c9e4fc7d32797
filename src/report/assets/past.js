// past.js - what a step depends on: the steps without which it would not have come about as it did.

{
  // The steps from which these follow, as one byte a step: by their cause, by who sent what they got,
  // and by what the same machine did before.
  sennit.causalPast = function causalPast(model, targets) {
    const isIn = new Uint8Array(model.steps.length);
    const before = previousOfTask(model);
    const open = [];
    const add = (step) => {
      if (step > 0 && step < isIn.length && !isIn[step]) {
        isIn[step] = 1;
        open.push(step);
      }
    };
    targets.forEach(add);
    while (open.length > 0) {
      const step = open.pop();
      add(sennit.whole(model.steps[step].cause));
      add(sennit.whole(model.steps[step].sent));
      add(before[step]);
    }
    return isIn;
  };

  function previousOfTask(model) {
    const before = new Int32Array(model.steps.length);
    for (const lane of model.lanes) {
      // The fault task does one thing after another, but none because of another.
      if (lane.kind === "faults") continue;
      for (let i = 1; i < lane.steps.length; i++) before[lane.steps[i].step] = lane.steps[i - 1].step;
    }
    return before;
  }

  // The past of the failure: of its step, and of all that its oracle was told. Faults that did
  // something stay, too: what did not arrive has no step that could depend on them.
  sennit.pastOfFailure = function pastOfFailure(model) {
    if (model.failure < 0) return null;
    const targets = [model.failure];
    if (model.monitor) for (const told of model.monitor.told) targets.push(told.step);
    if (model.verdict.oracle === "linear" || model.verdict.oracle === "linearizability") {
      for (const operation of model.operations) targets.push(operation.begin, operation.end);
    }
    // Replicas that differ have all come to what they are.
    if (model.verdict.oracle === "convergence") {
      for (const lane of model.lanes) if (lane.steps.length > 0) targets.push(lane.steps[lane.steps.length - 1].step);
    }
    // Who waits in vain has come there by itself.
    for (const [, name] of sennit.string(model.verdict.message).matchAll(/(\S+) waits for/g)) {
      const lane = model.laneOf(name);
      if (lane && lane.steps.length > 0) targets.push(lane.steps[lane.steps.length - 1].step);
    }
    for (const fault of model.faults) {
      if (fault.event === undefined && model.steps[fault.step].op === "fault") targets.push(fault.step);
    }
    return sennit.causalPast(model, targets);
  };
}
