// minimap.js - the whole trial in a strip beside the diagram: where the faults are, what the explanation
// names, what was found, where the trial failed, and which part of it is in sight.

{
  const WIDTH = 18;

  sennit.Minimap = class Minimap {
    constructor(diagram) {
      this.diagram = diagram;
      this.canvas = sennit.el("canvas", {class: "minimap", width: WIDTH, height: 10, "aria-hidden": "true"});
      let isDragging = false;
      const go = (event) => {
        const box = this.canvas.getBoundingClientRect();
        const {scroller} = this.diagram;
        const row = (event.clientY - box.top) / this.scaleFor(box.height);
        scroller.scrollTop = row * sennit.ROW - scroller.clientHeight / 2;
      };
      this.canvas.addEventListener("pointerdown", (event) => {
        isDragging = true;
        this.canvas.setPointerCapture(event.pointerId);
        go(event);
      });
      this.canvas.addEventListener("pointermove", (event) => isDragging && go(event));
      this.canvas.addEventListener("pointerup", () => {
        isDragging = false;
      });
    }

    // The marks are kept as a picture; moving the window does not look at the trial again.
    draw() {
      const {canvas} = this;
      const ratio = window.devicePixelRatio || 1;
      const height = canvas.clientHeight || 400;
      this.picture = document.createElement("canvas");
      for (const one of [canvas, this.picture]) {
        one.width = WIDTH * ratio;
        one.height = height * ratio;
      }
      const context = this.picture.getContext("2d");
      context.scale(ratio, ratio);
      this.paint(context, height);
      this.move();
    }

    // Pixels a row; a short trial does not fill the strip.
    scaleFor(height) {
      return Math.min(8, height / Math.max(this.diagram.rows.length, 1));
    }

    paint(context, height) {
      const {rows, rowOf, view, hits, edgesOfStep} = this.diagram;
      const style = getComputedStyle(this.canvas);
      const colour = (name) => style.getPropertyValue(name).trim();
      const scale = this.scaleFor(height);
      const size = Math.max(2, Math.min(scale, 6));
      const mark = (row, name, left, width) => {
        context.fillStyle = colour(name);
        context.fillRect(left, row * scale, width, size);
      };
      if (view.past) this.paintPast(context, scale, colour("--line"));
      for (const fault of view.model.faults) if (!fault.event) mark(rowOf[fault.step], "--warn", 2, WIDTH - 4);
      if (hits) for (const step of hits) mark(rowOf[step], "--accent", 2, WIDTH - 4);
      for (const step of edgesOfStep.keys()) mark(rowOf[step], "--needed", 0, WIDTH);
      if (view.model.failure >= 0) mark(rowOf[view.model.failure], "--bad", 0, WIDTH);
    }

    paintPast(context, scale, colour) {
      const {rows, view} = this.diagram;
      context.fillStyle = colour;
      rows.forEach((row, i) => {
        if (row.kind === "step" && view.past[row.step])
          context.fillRect(6, i * scale, WIDTH - 12, Math.max(0.5, scale));
      });
    }

    move() {
      if (!this.picture || this.picture.height === 0) return;
      const context = this.canvas.getContext("2d");
      const {scroller, rows} = this.diagram;
      const ratio = window.devicePixelRatio || 1;
      const scale = this.scaleFor(this.canvas.height / ratio);
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      context.drawImage(this.picture, 0, 0);
      context.scale(ratio, ratio);
      context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--accent").trim();
      const seen = Math.min(rows.length, scroller.clientHeight / sennit.ROW) * scale;
      context.strokeRect(0.5, (scroller.scrollTop / sennit.ROW) * scale + 0.5, WIDTH - 1, Math.max(6, seen - 1));
    }
  };
}
