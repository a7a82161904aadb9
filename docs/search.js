// Search over all headings of the site. PAGES is in pages.js: [title, heading, address, text].
"use strict";
const MOST = 12; // results: a screen of them
const AROUND = 70; // characters of the text on either side of what was found
const field = document.getElementById("search-words");
const list = document.getElementById("found");
const told = document.getElementById("search-told");
const root = document.documentElement.dataset.root;

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const sections = PAGES.map(([title, heading, address, text]) => ({
  title, heading, address, text, name: plain(`${title} ${heading}`), words: plain(text),
}));

// Each word must occur; in a heading it counts more, and at the beginning of a word more again.
function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const begins = (text) => new RegExp(`(^|[^\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}`, "u").test(text);
    const inName = section.name.includes(word), inText = section.words.includes(word);
    if (!inName && !inText) return 0;
    sum += (inName ? 10 : 0) + (inName && begins(section.name) ? 10 : 0) + (inText && begins(section.words) ? 2 : 1) + Math.min(5, section.words.split(word).length - 1);
  }
  return /^(CHANGELOG|docs\/decisions)/.test(section.address) ? sum / 2 : sum; // what was, after what is
}

function marked(text, words) {
  const part = document.createElement("small"), low = plain(text);
  const places = words.map((word) => low.indexOf(word)).filter((place) => place >= 0);
  const start = low.length === text.length && places.length ? Math.max(0, Math.min(...places) - AROUND) : 0;
  const shown = text.slice(start, start + 2 * AROUND), word = words.find((each) => plain(shown).includes(each));
  const at = word && plain(shown).length === shown.length ? plain(shown).indexOf(word) : -1;
  if (at < 0) { part.append(shown); return part; }
  const mark = document.createElement("mark");
  mark.append(shown.slice(at, at + word.length));
  part.append(start ? "… " : "", shown.slice(0, at), mark, shown.slice(at + word.length), " …");
  return part;
}

function show() {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : sections.map((each) => [score(each, words), each])
    .filter(([points]) => points > 0).sort(([a], [b]) => b - a);
  list.replaceChildren(...found.slice(0, MOST).map(([, each]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = root + each.address;
    link.append(each.heading === each.title ? each.title : `${each.heading} · ${each.title}`, marked(each.text, words));
    item.append(link);
    return item;
  }));
  told.textContent = words.length === 0 ? "" : `${found.length} found`;
}

field.addEventListener("input", show);
addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
  if (event.key === "/" && document.activeElement === document.body) { event.preventDefault(); field.focus(); }
  if (event.key === "Escape") { field.value = ""; show(); }
  if ((event.key === "ArrowDown" || event.key === "ArrowUp") && links.length && (at >= 0 || document.activeElement === field)) {
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? field : links[Math.min(next, links.length - 1)]).focus();
  }
});
field.disabled = false;
