"use strict";
// Brings the page to life: timelines with their steps, copy buttons, links
// into folded scenarios.
(() => {
  function cell(article) {
    const root = article.querySelector(".timeline");
    if (!root) return;
    const start = () => {
      if (root.dataset.ready) return;
      root.dataset.ready = "true";
      const data = JSON.parse(root.querySelector("script").textContent);
      const buttons = [...article.querySelectorAll(".step")];
      const steps = buttons.filter((b) => b.dataset.shows).map((b) => ({ n: +b.dataset.step, seq: +b.dataset.shows, key: b.classList.contains("is-key") }));
      const tl = new Timeline(root, data, steps);
      const mark = (seq) => {
        for (const b of buttons) b.setAttribute("aria-current", String(+b.dataset.shows === seq));
      };
      tl.onselect = mark;
      for (const b of buttons) {
        b.addEventListener("click", () => { tl.select(+b.dataset.shows); });
      }
    };
    // A folded timeline has no width to draw in, so it waits for its fold.
    const fold = () => [...folds(root)].every((d) => d.open);
    if (fold()) start();
    else for (const d of folds(root)) d.addEventListener("toggle", () => { if (fold()) start(); });
  }

  function* folds(e) {
    for (let d = e.parentElement && e.parentElement.closest("details"); d; d = d.parentElement && d.parentElement.closest("details")) yield d;
  }

  async function copy(button) {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  // unfold opens what a link points into.
  function unfold() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const inner = target.querySelector(":scope > details.fold");
    if (inner) inner.open = true;
    for (const d of folds(target)) d.open = true;
    target.scrollIntoView();
  }

  for (const a of document.querySelectorAll("article.cell")) cell(a);
  for (const b of document.querySelectorAll("button.copy")) b.addEventListener("click", () => copy(b));
  window.addEventListener("hashchange", unfold);
  unfold();
})();
