"use strict";
// Draws a window of a run as SVG. It keeps no state: timeline.js does.
const Draw = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const RAIL = 26, LANE = 36, AXIS = 26, FAULT = 28;
  let patterns = 0;

  function el(name, attrs, parent, text) {
    const e = document.createElementNS(NS, name);
    for (const k in attrs) e.setAttribute(k, attrs[k]);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  const height = (data, lane) => (data.faults && lane === 0 ? FAULT : LANE);
  function top(data, lane) {
    let y = RAIL;
    for (let i = 0; i < lane; i++) y += height(data, i);
    return y;
  }
  const total = (data) => top(data, data.lanes.length) + AXIS;

  function clock(ms) { return (ms / 1000).toFixed(3) + " s"; }

  // step is a round distance between ticks: about one in 90 pixels.
  function step(span, width) {
    const raw = (span * 90) / width, p = Math.pow(10, Math.floor(Math.log10(raw)));
    for (const f of [1, 2, 5, 10]) if (raw <= f * p) return f * p;
    return 10 * p;
  }

  function tickText(ms, d) {
    if (d >= 1000) return ms / 1000 + " s";
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(d))));
    return (ms / 1000).toFixed(digits) + " s";
  }

  function axis(svg, data, view, x, width) {
    const d = step(view.to - view.from, width), y0 = RAIL, y1 = total(data) - AXIS;
    for (let t = Math.max(0, Math.ceil(view.from / d) * d); t <= view.to; t += d) {
      const px = x(t);
      el("line", { class: "grid", x1: px, x2: px, y1: y0, y2: y1 }, svg);
      if (px > 18 && px < width - 22) el("text", { x: px, y: y1 + 17, "text-anchor": "middle" }, svg, tickText(Math.round(t * 1e6) / 1e6, d));
    }
    for (let i = 1; i < data.lanes.length; i++) {
      const y = top(data, i);
      el("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y }, svg);
    }
    el("line", { class: "grid", x1: 0, x2: width, y1: y1, y2: y1 }, svg);
  }

  function hatches(svg, id) {
    const defs = el("defs", {}, svg);
    const lost = el("pattern", { id: id + "l", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, defs);
    el("line", { class: "hatch-lost", x1: 0, x2: 0, y1: 0, y2: 8 }, lost);
    const stop = el("pattern", { id: id + "s", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)" }, defs);
    el("line", { class: "hatch-stop", x1: 0, x2: 0, y1: 0, y2: 7 }, stop);
  }

  const inks = { inside: "in-fill", lost: "in-fill", rollback: "in-back", dead: "in-dead", owned: "in-own", fault: "in-fill", waiting: "in-wait" };

  function span(svg, data, s, x, id, width, free) {
    const [lane, state, from, to, , text] = s;
    const x0 = Math.max(-2, x(from)), x1 = Math.min(width + 2, x(to));
    if (x1 < -1 || x0 > width + 1) return;
    const thin = state === "waiting" || state === "releasing";
    const h = height(data, lane), pad = state === "fault" ? 6 : thin ? 12 : 7;
    const box = { x: x0, y: top(data, lane) + pad, width: Math.max(x1 - x0, 1.5), height: h - 2 * pad, rx: 2 };
    el("rect", { class: "s-" + state, ...box }, svg);
    if (state === "lost") el("rect", { fill: `url(#${id}l)`, ...box }, svg);
    // The name of an owner stands at the start, clear of its renewals.
    const wide = text.length * 6.8, y = box.y + box.height / 2 + 4, owner = state === "owned";
    if (x1 - x0 > wide + (owner ? 24 : 10)) {
      el("text", { class: inks[state] || "", x: owner ? Math.max(x0, 0) + 13 : (x0 + x1) / 2, y, "text-anchor": owner ? "start" : "middle" }, svg, text);
    } else if (state === "fault") {
      // Beside a short fault, and beside the name of another that is near.
      const at = Math.max(x1 + 7, free.fault);
      if (at + wide > width) return;
      el("text", { x: at, y }, svg, text);
      free.fault = at + wide + 8;
    }
  }

  // shade shows whom a fault hits: one client's lane, or all of them.
  function shade(svg, data, s, x, id, width, over) {
    const [, , from, to, , name, target] = s;
    const x0 = Math.max(-2, x(from)), w = Math.max(Math.min(width + 2, x(to)) - x0, 1.5);
    if (x0 > width || x0 + w < 0) return;
    const first = target < 0 ? 1 : target, last = target < 0 ? data.lanes.length : target + 1;
    const box = { x: x0, y: top(data, first) + 1, width: w, height: top(data, last) - top(data, first) - 2 };
    if (!over) el("rect", { class: "s-shade", ...box }, svg);
    else if (target >= 0 && (name === "pause" || name === "hang")) el("rect", { fill: `url(#${id}s)`, ...box }, svg);
  }

  const shapes = {
    wrote: "M0-6L6 0L0 6L-6 0Z", rejected: "M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
    crashed: "M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
    noticed: "M0-6L6 5L-6 5Z", aborted: "M0 6L6-5L-6-5Z", finding: "M0-6L6 5L-6 5Z",
    locked: "M-4-5L5 0L-4 5Z", unlocked: "M4-5L-5 0L4 5Z", expired: "M-5-5L5-5L0 0L5 5L-5 5L0 0Z",
  };

  function mark(svg, data, m, x, flags, width) {
    const [seq, lane, at, kind, text] = m, px = x(at);
    if (px < -6 || px > width + 6) return;
    const g = el("g", {
      class: "ev ev-" + kind + (flags.proof ? " is-proof" : "") + (flags.selected ? " is-selected" : ""),
      "data-event": seq, "data-lane": data.lanes[lane], transform: `translate(${px.toFixed(1)} ${top(data, lane) + height(data, lane) / 2})`,
    }, svg);
    const big = flags.proof || flags.selected;
    if (shapes[kind]) el("path", { d: shapes[kind], transform: big ? "scale(1.25)" : "" }, g);
    else el("circle", { r: big ? 5 : 2.6 }, g);
    el("title", {}, g, clock(at) + "  " + text);
  }

  // rail numbers the steps above the lanes; those too close share a badge.
  function rail(svg, steps, x, selected, width) {
    const badges = [];
    for (const s of steps) {
      const px = x(s.at);
      if (px < 0 || px > width) continue;
      const last = badges[badges.length - 1];
      if (last && px - last.px < 30) { last.to = s.n; last.key = last.key || s.key; last.seqs.push(s.seq); continue; }
      badges.push({ px, from: s.n, to: s.n, key: s.key, seqs: [s.seq] });
    }
    for (const b of badges) {
      const text = b.from === b.to ? "" + b.from : b.from + "–" + b.to, w = 12 + text.length * 6.2;
      const at = Math.min(Math.max(b.px, w / 2 + 1), width - w / 2 - 1);
      const g = el("g", { class: "rail" + (b.key ? " is-key" : "") + (b.seqs.includes(selected) ? " is-selected" : ""), "data-go": b.seqs.join(" ") }, svg);
      el("line", { class: "grid", x1: b.px, x2: b.px, y1: 20, y2: RAIL + 4 }, g);
      el("rect", { x: at - w / 2, y: 4, width: w, height: 17, rx: 8.5 }, g);
      el("text", { x: at, y: 16.5, "text-anchor": "middle" }, g, text);
    }
  }

  function draw(svg, data, view, steps, selected) {
    const width = svg.clientWidth || 800, h = total(data), id = svg.dataset.id || (svg.dataset.id = "tl" + ++patterns);
    const x = (t) => ((t - view.from) / (view.to - view.from)) * width;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${h}`);
    svg.setAttribute("height", h);
    hatches(svg, id);
    axis(svg, data, view, x, width);
    const faults = data.spans.filter((s) => s[1] === "fault");
    for (const s of faults) shade(svg, data, s, x, id, width, false);
    const free = { fault: 0 }; // where the next name of a short fault may begin
    for (const s of data.spans) span(svg, data, s, x, id, width, free);
    for (const s of faults) shade(svg, data, s, x, id, width, true);
    if (data.at >= 0) el("line", { class: "tl-at", x1: x(data.at), x2: x(data.at), y1: RAIL, y2: h - AXIS }, svg);
    const proof = new Set(data.proof);
    const late = [];
    for (const m of data.marks) {
      const flags = { proof: proof.has(m[0]), selected: m[0] === selected };
      if (flags.proof || flags.selected) late.push([m, flags]);
      else mark(svg, data, m, x, flags, width);
    }
    const chosen = data.marks.find((m) => m[0] === selected);
    if (chosen) el("line", { class: "tl-cursor", x1: x(chosen[2]), x2: x(chosen[2]), y1: RAIL, y2: h - AXIS }, svg);
    late.sort((a, b) => a[1].selected - b[1].selected);
    for (const [m, flags] of late) mark(svg, data, m, x, flags, width);
    rail(svg, steps, x, selected, width);
  }

  return { draw, el, clock, total, height, top, RAIL, AXIS };
})();
