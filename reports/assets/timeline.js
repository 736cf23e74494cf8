"use strict";
// One timeline: what part of the run is in view, what is selected, and how
// pointer and keyboard change both.
class Timeline {
  constructor(root, data, steps) {
    this.root = root;
    this.data = data;
    data.marks.sort((a, b) => a[0] - b[0]);
    const times = new Map(data.marks.map((m) => [m[0], m[2]]));
    this.steps = steps.filter((s) => times.has(s.seq)).map((s) => ({ ...s, at: times.get(s.seq) }));
    this.view = { from: data.focus[0], to: data.focus[1] };
    if (!(this.view.to > this.view.from)) this.view = this.whole();
    this.selected = 0;
    this.onselect = () => {};
    this.build();
    this.listen();
    new ResizeObserver(() => this.later()).observe(this.svg);
    this.later();
  }

  whole() {
    const air = Math.max((this.data.end - this.data.start) / 100, 1);
    return { from: this.data.start - air, to: this.data.end + air };
  }

  build() {
    const make = (tag, cls, parent, text) => {
      const e = document.createElement(tag);
      if (cls) e.className = cls;
      if (text) e.textContent = text;
      if (parent) parent.appendChild(e);
      return e;
    };
    const bar = make("div", "tl-bar", this.root);
    const button = (text, label, act) => {
      const b = make("button", "", bar, text);
      b.type = "button";
      b.setAttribute("aria-label", label);
      b.addEventListener("click", act);
      return b;
    };
    button("+", "Zoom in", () => this.zoom(0.5)).dataset.act = "in";
    button("−", "Zoom out", () => this.zoom(2)).dataset.act = "out";
    if (this.data.at >= 0) button("Violation", "Show the violation", () => this.show(this.data.focus[0], this.data.focus[1])).dataset.act = "violation";
    button("Whole run", "Show the whole run", () => this.reset()).dataset.act = "reset";
    make("span", "tl-hint", bar, "drag to zoom in, or Ctrl + wheel; keys: ← → events, + − zoom, 0 whole run");

    const scroll = make("div", "tl-scroll", this.root);
    const grid = make("div", "tl-grid", scroll);
    const names = make("div", "tl-names", grid);
    make("div", "is-quiet", names, this.steps.length ? "step" : "").style.height = Draw.RAIL + "px";
    this.data.lanes.forEach((name, i) => {
      const quiet = this.data.faults && i === 0;
      const d = make("div", quiet ? "is-quiet" : "", names, name === "Redis" ? "Redis: owner" : name);
      d.style.height = Draw.height(this.data, i) + "px";
    });
    this.svg = Draw.el("svg", { tabindex: 0, role: "application", "aria-label": this.root.getAttribute("aria-label") + ". Arrow keys go from event to event." }, grid);
    this.svg.style.height = Draw.total(this.data) + "px";
    this.readout = make("p", "tl-readout", this.root);
    this.readout.setAttribute("aria-live", "polite");
    make("span", "quiet", this.readout, "Point at an event, or click a step, to read it here.");
    this.tip = make("div", "tl-tip", this.root);
    this.tip.hidden = true;
    this.legend(make("div", "key legend", this.root), make);
  }

  legend(box, make) {
    const words = {
      waiting: "waiting", inside: "inside, holds the lock", lost: "inside, believes it holds the lock but does not", rollback: "knows the lease is lost, rolling back",
      dead: "crashed", owned: "owner of the key in Redis", fault: "fault active",
    };
    const seen = new Set(this.data.spans.map((s) => s[1]));
    for (const state in words) {
      if (!seen.has(state)) continue;
      const item = make("span", "", box);
      make("i", "b-" + state, item);
      item.append(words[state]);
    }
  }

  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() { Draw.draw(this.svg, this.data, this.view, this.steps, this.selected); }

  show(from, to) {
    const all = this.whole(), span = Math.min(Math.max(to - from, 0.02), all.to - all.from);
    from = Math.min(Math.max(from, all.from), all.to - span);
    this.view = { from, to: from + span };
    this.later();
  }

  reset() { const w = this.whole(); this.show(w.from, w.to); }

  // zoom scales the window about a time; the selected event, or the middle, by default.
  zoom(factor, about) {
    const { from, to } = this.view;
    if (about === undefined) {
      const m = this.mark(this.selected);
      about = m && m[2] >= from && m[2] <= to ? m[2] : (from + to) / 2;
    }
    this.show(about - (about - from) * factor, about + (to - about) * factor);
  }

  pan(share) {
    const d = (this.view.to - this.view.from) * share;
    this.show(this.view.from + d, this.view.to + d);
  }

  mark(seq) { return this.data.marks.find((m) => m[0] === seq); }

  // select marks an event, brings it into view, and notifies the list of steps.
  select(seq) {
    const m = this.mark(seq);
    if (!m) return;
    this.selected = seq;
    const { from, to } = this.view, span = to - from;
    if (m[2] < from || m[2] > to) this.show(m[2] - span / 2, m[2] + span / 2);
    this.readout.replaceChildren();
    const b = document.createElement("b");
    b.textContent = Draw.clock(m[2]) + "  ";
    this.readout.append(b, m[4]);
    this.draw();
    this.uncover(m);
    this.onselect(seq);
  }

  // uncover scrolls a timeline that is wider than its window to a mark.
  uncover(m) {
    const box = this.svg.closest(".tl-scroll"), names = box.querySelector(".tl-names").offsetWidth;
    if (box.scrollWidth <= box.clientWidth) return;
    const x = ((m[2] - this.view.from) / (this.view.to - this.view.from)) * this.svg.clientWidth;
    const wide = box.clientWidth - names;
    if (x < box.scrollLeft + 20 || x > box.scrollLeft + wide - 20) box.scrollLeft = x - wide / 2;
  }

  neighbour(d) {
    const marks = this.data.marks, i = marks.findIndex((m) => m[0] === this.selected);
    if (i >= 0) return marks[Math.min(Math.max(i + d, 0), marks.length - 1)];
    return marks.find((m) => m[2] >= this.view.from) || marks[0];
  }

  time(clientX) {
    const r = this.svg.getBoundingClientRect();
    return this.view.from + ((clientX - r.left) / r.width) * (this.view.to - this.view.from);
  }

  // near lists the marks under the pointer, the nearest first.
  near(e) {
    const r = this.svg.getBoundingClientRect(), y = e.clientY - r.top, px = e.clientX - r.left;
    const scale = r.width / (this.view.to - this.view.from);
    const dist = (m) => Math.abs((m[2] - this.view.from) * scale - px);
    const at = (m) => y >= Draw.top(this.data, m[1]) && y < Draw.top(this.data, m[1] + 1);
    return this.data.marks.filter((m) => at(m) && dist(m) < 9).sort((a, b) => dist(a) - dist(b));
  }

  listen() {
    const svg = this.svg;
    svg.addEventListener("wheel", (e) => {
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) return;
      if (!e.ctrlKey && !e.metaKey && document.activeElement !== svg) return;
      e.preventDefault();
      this.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.time(e.clientX));
    }, { passive: false });
    svg.addEventListener("pointermove", (e) => this.hover(e));
    svg.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    svg.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || e.pointerType === "touch") return;
      this.drag = { x: e.clientX, from: this.time(e.clientX) };
    });
    window.addEventListener("pointerup", (e) => this.drop(e));
    svg.addEventListener("click", (e) => this.click(e));
    svg.addEventListener("keydown", (e) => this.key(e));
  }

  hover(e) {
    if (this.drag && Math.abs(e.clientX - this.drag.x) > 5) return this.stretch(e);
    const found = this.near(e);
    this.tip.hidden = found.length === 0;
    if (!found.length) return;
    this.tip.replaceChildren();
    for (const m of found.slice(0, 5).sort((a, b) => a[0] - b[0])) {
      const line = document.createElement("div"), t = document.createElement("time");
      t.textContent = Draw.clock(m[2]);
      line.append(t, m[4]);
      this.tip.append(line);
    }
    if (found.length > 5) this.tip.append(`and ${found.length - 5} more: zoom in`);
    const r = this.root.getBoundingClientRect();
    const left = Math.min(e.clientX - r.left + 12, r.width - this.tip.offsetWidth - 4);
    this.tip.style.left = Math.max(0, left) + "px";
    this.tip.style.top = e.clientY - r.top + 16 + "px";
  }

  stretch(e) {
    this.tip.hidden = true;
    this.draw();
    const r = this.svg.getBoundingClientRect(), a = Math.min(e.clientX, this.drag.x) - r.left;
    Draw.el("rect", { class: "tl-range", x: a, y: Draw.RAIL, width: Math.abs(e.clientX - this.drag.x), height: Draw.total(this.data) - Draw.RAIL - Draw.AXIS }, this.svg);
  }

  drop(e) {
    const d = this.drag;
    this.drag = null;
    if (!d || Math.abs(e.clientX - d.x) <= 5) return;
    const to = this.time(e.clientX);
    this.dragged = true;
    this.show(Math.min(d.from, to), Math.max(d.from, to));
  }

  click(e) {
    if (this.dragged) { this.dragged = false; return; }
    const badge = e.target.closest("[data-go]");
    if (badge) {
      const seqs = badge.dataset.go.split(" ").map(Number), i = seqs.indexOf(this.selected);
      return this.select(seqs[(i + 1) % seqs.length]);
    }
    const own = e.target.closest("[data-event]");
    const found = this.near(e);
    // What lies on top is what was meant: proofs are drawn over the rest.
    if (own) this.select(+own.dataset.event);
    else if (found.length) this.select(found[0][0]);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const acts = {
      ArrowLeft: () => (e.shiftKey ? this.pan(-0.25) : this.select(this.neighbour(-1)[0])),
      ArrowRight: () => (e.shiftKey ? this.pan(0.25) : this.select(this.neighbour(1)[0])),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.reset(),
    };
    if (!acts[e.key] || !this.data.marks.length) return;
    e.preventDefault();
    acts[e.key]();
  }
}
