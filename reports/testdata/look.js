// What a reader of a page could not see or name: an array of complaints, as text.
(() => {
  const bad = [], show = (e) => e.tagName.toLowerCase() + "." + (e.getAttribute("class") || "") + " " + e.textContent.trim().slice(0, 40);
  const colour = (text) => {
    const n = text.match(/[\d.]+/g).map(Number);
    return { rgb: n.slice(0, 3), a: n.length > 3 ? n[3] : 1 };
  };
  const light = ([r, g, b]) => {
    const f = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const over = (top, under) => top.rgb.map((v, i) => v * top.a + under[i] * (1 - top.a));
  const ground = (e) => {
    if (!e) return [255, 255, 255];
    const c = getComputedStyle(e);
    if (c.backgroundImage.includes("repeating")) return [207, 214, 217]; // the darker stripe of what is unknown
    const own = colour(c.backgroundColor);
    return own.a === 1 ? own.rgb : over(own, ground(e.parentElement));
  };
  const expect = (e, fore, back, least, what) => {
    const got = ratio(fore, back);
    if (got < least) bad.push(`${what} ${got.toFixed(2)} of ${least}: ${show(e)}`);
  };

  for (const d of document.querySelectorAll("details")) d.open = true;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || e.closest("script, noscript, svg, .hidden") || !e.checkVisibility({ visibilityProperty: true })) continue;
    expect(e, over(colour(getComputedStyle(e).color), ground(e)), ground(e), 4.5, "text");
  }
  for (const e of document.querySelectorAll(".tl-grid svg rect[class^=s-]:not(.s-shade), .tl-grid svg .ev circle, .tl-grid svg .ev path")) {
    const c = getComputedStyle(e), card = ground(e.closest("svg"));
    const seen = [c.fill, c.stroke].filter((v) => v.startsWith("rgb")).map((v) => ratio(colour(v).rgb, card));
    if (e.tagName === "rect" && Math.max(...seen) < 3) bad.push(`graphic ${Math.max(...seen).toFixed(2)} of 3: ${show(e)}`);
  }
  for (const e of document.querySelectorAll(".tl-grid svg text[class^=in-]")) {
    let box = e.previousElementSibling;
    while (box && !(box.getAttribute("class") || "").startsWith("s-")) box = box.previousElementSibling;
    const c = getComputedStyle(box), fill = { rgb: colour(c.fill).rgb, a: +c.fillOpacity };
    expect(e, colour(getComputedStyle(e).fill).rgb, over(fill, ground(e.closest("svg"))), 4.5, "text in a bar");
  }

  const name = (e) => e.getAttribute("aria-label") || e.textContent.trim() || [...(e.labels || [])].map((l) => l.textContent.trim()).join("");
  for (const e of document.querySelectorAll("a, button, input, [role=region], svg[tabindex], nav")) if (!e.hidden && !name(e)) bad.push("no name: " + e.outerHTML.slice(0, 80));
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) bad.push("an id occurs twice");
  let level = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4")) {
    const n = +h.tagName[1];
    if (n > level + 1) bad.push(`heading ${n} after ${level}: ${show(h)}`);
    level = n;
  }
  if (document.querySelectorAll("h1").length !== 1 || document.querySelectorAll("main").length !== 1) bad.push("not one h1 and one main");
  if (document.documentElement.scrollWidth > innerWidth) bad.push("wider than the window");
  const skip = document.querySelector("body > a:first-child");
  if (document.activeElement !== skip || skip.getBoundingClientRect().top < 0 || getComputedStyle(skip).outlineStyle === "none") bad.push("the skip link does not show");
  return bad.join("\n");
})()
