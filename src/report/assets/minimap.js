// minimap.js - the whole trial in a strip beside the diagram: where the faults are, what the explanation
// names, what was found, where the trial failed, and which part of it is in sight.

{
  const WIDTH = 18;

  sennit.Minimap = class Minimap {
    constructor(diagram) {
      this.diagram = diagram;
      this.canvas = sennit.el("canvas", {width: WIDTH, height: 10});
      this.frame = sennit.el("div", {class: "frame"});
      this.root = sennit.el("div", {class: "minimap", "aria-hidden": "true"}, this.canvas, this.frame);
      let isDragging = false;
      this.root.addEventListener("pointerdown", (event) => {
        isDragging = true;
        this.root.setPointerCapture(event.pointerId);
        this.go(event.clientY);
      });
      this.root.addEventListener("pointermove", (event) => isDragging && this.go(event.clientY), {passive: true});
      for (const end of ["pointerup", "pointercancel"]) {
        this.root.addEventListener(end, () => {
          isDragging = false;
        });
      }
    }

    // What is under the pointer comes to the middle, once a frame.
    go(y) {
      const isWaiting = this.wanted !== undefined;
      this.wanted = y;
      if (isWaiting) return;
      requestAnimationFrame(() => {
        const row = (this.wanted - this.root.getBoundingClientRect().top) / this.scaleFor(this.height);
        this.wanted = undefined;
        this.diagram.scrollTo(row * sennit.ROW - this.diagram.height / 2);
      });
    }

    // The marks are a picture that stays; over it, a frame shows the part that is in sight.
    draw() {
      const ratio = window.devicePixelRatio || 1;
      this.height = this.root.clientHeight || 400;
      this.canvas.width = WIDTH * ratio;
      this.canvas.height = this.height * ratio;
      const context = this.canvas.getContext("2d");
      context.scale(ratio, ratio);
      this.paint(context, this.height);
      this.at = -1;
      this.move();
    }

    // Pixels a row; a short trial does not fill the strip.
    scaleFor(height) {
      return Math.min(8, height / Math.max(this.diagram.rows.length, 1));
    }

    paint(context, height) {
      const {rowOf, view, hits, edgesOfStep} = this.diagram;
      const style = getComputedStyle(this.root);
      const colour = (name) => style.getPropertyValue(name).trim();
      const scale = this.scaleFor(height);
      const size = Math.max(2, Math.min(scale, 6));
      const mark = (steps, name, left) => {
        context.fillStyle = colour(name);
        // Of steps that fall on one place, one is enough.
        const tops = new Set(Array.from(steps, (step) => Math.round(rowOf[step] * scale)));
        for (const top of tops) context.fillRect(left, top, WIDTH - 2 * left, size);
      };
      if (view.past) this.paintPast(context, height, scale, colour("--pill-line"));
      mark(
        view.model.faults.filter((fault) => !fault.event).map((fault) => fault.step),
        "--warn",
        2
      );
      if (hits) mark(hits, "--accent", 2);
      mark(edgesOfStep.keys(), "--needed", 0);
      if (view.model.failure >= 0) mark([view.model.failure], "--bad", 0);
    }

    // As wide as the share of steps that the failure depends on, at each place.
    paintPast(context, height, scale, colour) {
      const {rows, view} = this.diagram;
      const size = Math.max(1, scale);
      const all = new Uint32Array(Math.ceil(height / size) + 1);
      const past = new Uint32Array(all.length);
      rows.forEach((row, i) => {
        const place = Math.floor((i * scale) / size);
        if (row.kind !== "step") return;
        all[place]++;
        past[place] += view.past[row.step];
      });
      context.fillStyle = colour;
      past.forEach((n, place) => {
        const width = n > 0 ? Math.max(2, (WIDTH - 8) * (n / all[place])) : 0;
        if (n > 0) context.fillRect((WIDTH - width) / 2, place * size, width, size);
      });
    }

    move() {
      const {scroller, rows, height} = this.diagram;
      const scale = this.scaleFor(this.height || 400);
      const at = Math.round((scroller.scrollTop / sennit.ROW) * scale);
      const size = Math.round(Math.max(6, Math.min(rows.length, height / sennit.ROW) * scale));
      if (at === this.at && size === this.size) return;
      this.at = at;
      this.frame.style.setProperty("transform", `translateY(${at}px)`);
      if (size === this.size) return;
      this.size = size;
      this.frame.style.setProperty("height", `${size}px`);
    }
  };
}
