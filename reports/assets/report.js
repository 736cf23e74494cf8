"use strict";
// Brings the page to life: timelines with their steps, copy buttons, links
// into folded scenarios, the filter, and a print of everything.
(() => {
  const narrow = matchMedia("(max-width: 640px)");
  const timelines = []; // each starts its timeline and returns it

  function cell(article) {
    const root = article.querySelector(".timeline");
    if (!root) return;
    let tl;
    const start = () => {
      if (tl) return tl;
      root.dataset.ready = "true";
      const data = JSON.parse(root.querySelector("script").textContent);
      const buttons = [...article.querySelectorAll(".step")];
      const steps = buttons.filter((b) => b.dataset.shows).map((b) => ({ n: +b.dataset.step, seq: +b.dataset.shows, key: b.classList.contains("is-key") }));
      tl = new Timeline(root, data, steps);
      const mark = (seq) => {
        for (const b of buttons) b.setAttribute("aria-current", String(+b.dataset.shows === seq));
      };
      tl.onselect = mark;
      const back = backButton(root);
      for (const b of buttons) {
        b.addEventListener("click", () => {
          tl.select(+b.dataset.shows);
          if (narrow.matches) back(b);
        });
      }
      return tl;
    };
    timelines.push(start);
    // A folded timeline has no width to draw in, so it waits for its fold.
    const fold = () => [...folds(root)].every((d) => d.open);
    if (fold()) start();
    else for (const d of folds(root)) d.addEventListener("toggle", () => { if (fold()) start(); });
  }

  // backButton returns what leads from a step to the timeline where both do not fit
  // on a screen. The button leads back to the step.
  function backButton(root) {
    const button = document.createElement("button");
    let step;
    button.type = "button";
    button.className = "tl-back";
    button.hidden = true;
    button.addEventListener("click", () => {
      step.scrollIntoView({ block: "center" });
      step.focus({ preventScroll: true });
    });
    root.querySelector(".tl-bar").prepend(button);
    return (b) => {
      step = b;
      button.textContent = "↑ Step " + b.dataset.step;
      button.setAttribute("aria-label", "Back to step " + b.dataset.step);
      button.hidden = false;
      root.scrollIntoView({ block: "start" });
    };
  }

  function* folds(e) {
    for (let d = e.parentElement && e.parentElement.closest("details"); d; d = d.parentElement && d.parentElement.closest("details")) yield d;
  }

  async function copy(button) {
    const text = button.dataset.copy, label = button.firstChild;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    label.data = "Copied";
    setTimeout(() => { label.data = "Copy"; }, 1500);
  }

  // unfold opens what a link points into.
  function unfold() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (filter) filter.show(target);
    const inner = target.querySelector(":scope > details.fold");
    if (inner) inner.open = true;
    for (const d of folds(target)) d.open = true;
    target.scrollIntoView();
  }

  // Paper cannot be unfolded: a print shows everything, and then all is as before.
  let closed = [];
  function beforePrint() {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const d of closed) d.open = true;
    for (const start of timelines) start().draw();
  }
  function afterPrint() {
    for (const d of closed) d.open = false;
    closed = [];
  }

  for (const a of document.querySelectorAll("article.cell")) cell(a);
  for (const b of document.querySelectorAll("button.copy")) b.addEventListener("click", () => copy(b));
  const form = document.querySelector("form.filter"), filter = form && new Filter(form);
  window.addEventListener("hashchange", unfold);
  window.addEventListener("beforeprint", beforePrint);
  window.addEventListener("afterprint", afterPrint);
  unfold();
})();
