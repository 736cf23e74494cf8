"use strict";
// Shows only the cells that match a search and the boxes that are ticked, in the
// matrix, in the tables and below. What is asked stands in the address, so that a
// link or a reload asks the same.
class Filter {
  constructor(form) {
    this.form = form;
    this.shown = form.querySelector(".shown");
    this.button = form.querySelector("button[type=reset]");
    this.nothing = document.querySelector(".nothing");
    this.cells = [...document.querySelectorAll("article.cell")].map((article) => this.cell(article));
    this.opened = new Set(); // folds that this filter opened
    form.hidden = false;
    form.addEventListener("submit", (e) => e.preventDefault());
    form.addEventListener("input", () => this.apply(true));
    form.addEventListener("reset", () => setTimeout(() => this.apply(true)));
    this.nothing.querySelector("button").addEventListener("click", () => this.clear());
    this.restore();
  }

  // cell finds every place that shows a lock in a scenario, and what can be searched.
  cell(article) {
    const section = article.closest("section.scenario"), link = `a[href="#${CSS.escape(article.id)}"]`;
    const field = document.querySelector(".matrix " + link), name = section.querySelector(".compare " + link);
    return {
      article, section, field: field && field.closest("td"), row: name && name.closest("tr"),
      text: [section.dataset.scenario, article.dataset.strategy, article.dataset.broken, words(section.querySelector(".about")), words(article)].join(" ").toLowerCase(),
    };
  }

  asked() {
    const data = new FormData(this.form);
    return { words: data.get("q").toLowerCase().split(/\s+/).filter(Boolean), only: data.getAll("only"), changed: data.has("changed") };
  }

  apply(remember) {
    const a = this.asked(), active = a.words.length + a.only.length > 0 || a.changed;
    const matches = (c) => a.words.every((w) => c.text.includes(w)) &&
      (!a.only.length || a.only.includes(c.article.dataset.guarantee)) && (!a.changed || c.article.dataset.expectation === "changed");
    const sections = new Map();
    let n = 0;
    for (const c of this.cells) {
      const ok = matches(c);
      c.article.hidden = !ok;
      if (c.row) c.row.hidden = !ok;
      if (c.field) c.field.classList.toggle("is-out", !ok);
      sections.set(c.section, (sections.get(c.section) || 0) + ok);
      n += ok;
    }
    for (const [section, found] of sections) {
      section.hidden = !found;
      const name = document.querySelector(`.matrix th a[href="#${CSS.escape(section.id)}"]`);
      if (name) name.closest("tr").hidden = !found;
    }
    this.unfold(active && n <= 24 ? sections : new Map());
    const all = this.cells.length, noun = all === 1 ? " cell" : " cells";
    this.shown.textContent = active ? `${n} of ${all}${noun} shown` : all + noun;
    this.button.hidden = !active;
    this.nothing.hidden = n > 0;
    this.form.classList.toggle("is-active", active);
    document.documentElement.classList.toggle("finds-nothing", n === 0);
    if (remember) this.remember();
  }

  // unfold opens the scenarios of few matches, and closes those that it had opened.
  unfold(sections) {
    for (const section of new Set([...this.opened, ...sections.keys()])) {
      const fold = section.querySelector(":scope > details.fold");
      if (!fold) continue;
      if (sections.get(section) && !fold.open) {
        fold.open = true;
        this.opened.add(section);
      } else if (!sections.get(section) && this.opened.delete(section)) fold.open = false;
    }
  }

  clear() {
    this.form.reset();
    this.form.elements.q.focus();
  }

  // show makes sure that what a link points to is not filtered out.
  show(target) {
    if (!target.hidden && !target.closest("[hidden]")) return;
    this.form.reset();
    this.apply(true); // not only when the event of the reset comes
  }

  remember() {
    const data = new FormData(this.form), query = new URLSearchParams();
    for (const [k, v] of data) if (v) query.append(k, v);
    const text = query.toString();
    try {
      history.replaceState(null, "", location.pathname + (text && "?" + text) + location.hash);
    } catch { /* some browsers let no file change its address */ }
  }

  restore() {
    const query = new URLSearchParams(location.search), f = this.form.elements;
    f.q.value = query.get("q") || "";
    for (const box of f.only) box.checked = query.getAll("only").includes(box.value);
    f.changed.checked = query.has("changed");
    this.apply(false);
  }
}

// words are what a reader of an element can read, without the data in its scripts.
function words(e) {
  const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT, (n) =>
    (n.parentElement.closest("script, noscript, button.copy") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  let out = "";
  while (walk.nextNode()) if (!walk.currentNode.parentElement.closest(".found")) out += walk.currentNode.data + " ";
  return out.replace(/\s+/g, " ");
}
