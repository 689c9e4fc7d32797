// variants.js - the trials that belong together: as shrunk, as explained, as found, and the nearest that
// passes.

{
  const WORDS = {
    trace: "the trial to look at, as small as it could be made",
    explained: "the trial that the explanation speaks of",
    original: "the trial as it was found",
    nearest: "the nearest trial that passes",
  };

  // A trial and what became of it; models are made when they are looked at.
  class Variant {
    constructor(key, title, trace, path) {
      Object.assign(this, {key, title, trace, path: sennit.string(path), words: WORDS[key], count: Math.max(0, sennit.list(trace.steps).length - 1)});
    }

    get model() {
      this.built ??= sennit.buildModel(this.trace);
      return this.built;
    }
  }

  const isSame = (a, b) =>
    a.steps.length === b.steps.length && a.steps.every((step, i) => step.id === b.steps[i].id);

  sennit.variantsOf = function variantsOf(trial) {
    const variants = [new Variant("trace", trial.original ? "Shrunk" : "Trial", trial.trace, trial.path)];
    const {explained, original, nearest} = trial;
    if (explained && !isSame(explained, trial.trace))
      variants.push(new Variant("explained", "Explained", explained, trial.explained_path));
    if (original) variants.push(new Variant("original", "As found", original, trial.original_path));
    if (nearest) variants.push(new Variant("nearest", "Passing", nearest, trial.nearest_path));
    return variants;
  };
}
