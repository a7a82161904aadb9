// The page's small tools: elements, charts and icons. Text is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} id */
const $ = (id) => document.getElementById(id);

/** An element with attributes and children. */
function made(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** An element of a picture. */
function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Change a text only where it differs. */
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A sentence in which every second piece is strong: ["a ", "b", " c"]. */
function tell(node, pieces) {
  if (node.textContent === pieces.join("")) return;
  node.replaceChildren(...pieces.map((piece, i) => (i % 2 ? made("b", {}, piece) : piece)));
}

/** Terms and what they are, in a definition list. @param {[string, string][]} rows */
function facts(list, rows) {
  if (list.children.length !== 2 * rows.length) {
    list.replaceChildren(...rows.flatMap(() => [made("dt"), made("dd")]));
  }
  rows.forEach(([term, told], i) => {
    say(list.children[2 * i], term);
    say(list.children[2 * i + 1], told);
  });
}

/** A path through points; a new piece after a gap. @param {([number, number] | null)[]} points */
function path(points) {
  let move = true;
  let text = "";
  for (const point of points) {
    if (point) text += `${move ? "M" : "L"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
    move = !point;
  }
  return text;
}

/** 100 people, ten a row. */
function people() {
  const outline = "M5 0a2.4 2.4 0 1 1 0 4.8A2.4 2.4 0 1 1 5 0ZM1.4 11V9a3.6 3.6 0 0 1 7.2 0V11Z";
  const all = [...Array(100).keys()].map((i) =>
    shape("path", {
      d: outline,
      class: "person",
      transform: `translate(${(i % 10) * 12 + 1} ${Math.floor(i / 10) * 14 + 1})`,
    }),
  );
  const svg = shape(
    "svg",
    { viewBox: "0 0 120 140", width: 240, height: 280, role: "img" },
    ...all,
  );
  return { svg, all };
}

/** Fill icons: `before` in one colour, up to `after` in the second. */
function fill({ svg, all }, before, after, label) {
  svg.setAttribute("aria-label", label);
  all.forEach((person, i) => {
    const kind = i < before ? "person was" : i < after ? "person new" : "person";
    if (person.getAttribute("class") !== kind) person.setAttribute("class", kind);
  });
}

/** Numbers 1, 2 and 5 times powers of ten within two ends. */
function roundNumbers(low, high) {
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    for (const n of [1, 2, 5])
      if (n * power >= low * 0.999 && n * power <= high * 1.001) found.push(n * power);
  }
  const every = Math.ceil(found.length / 7);
  return found.filter((_, i) => i % every === 0);
}

/**
 * A chart with a horizontal axis by size and a vertical one by size or from 0 to 1.
 * `draw(x ends, y ends, curves, mark, words)` exchanges everything in it.
 */
function chart(place, height = 300) {
  const wide = window.innerWidth < 500 ? 400 : 640;
  const [left, right, top, bottom] = [78, 16, 26, 46];
  const svg = shape("svg", { viewBox: `0 0 ${wide} ${height}`, width: wide, height, role: "img" });
  place.append(svg);
  const along = (value, [low, high], from, to) =>
    from + ((to - from) * Math.log(value / low)) / Math.log(high / low);
  return function draw({ xs, ys, shares, line, mark, x, y, label }) {
    const across = (value) => along(value, xs, left, wide - right);
    const upward = (value) =>
      shares
        ? height - bottom - value * (height - top - bottom)
        : along(value, ys, height - bottom, top);
    const ticks = shares ? [0, 0.25, 0.5, 0.75, 1] : roundNumbers(...ys);
    const drawnTicks = ticks.flatMap((tick) => [
      shape("path", { class: "grid", d: `M${left} ${upward(tick)}H${wide - right}` }),
      shape(
        "text",
        { x: left - 8, y: upward(tick) + 4, "text-anchor": "end", class: "quiet" },
        shares ? `${100 * tick}` : marked(Number(tick.toPrecision(6))),
      ),
    ]);
    const below = roundNumbers(...xs).map((tick) =>
      shape(
        "text",
        { x: across(tick), y: height - bottom + 20, "text-anchor": "middle", class: "quiet" },
        marked(Number(tick.toPrecision(6))),
      ),
    );
    const inside = (value) => shares || (value >= ys[0] * 0.999 && value <= ys[1] * 1.001);
    const points = line.map(([a, b]) =>
      Number.isFinite(b) && inside(b) ? [across(a), upward(b)] : null,
    );
    const shown =
      mark && Number.isFinite(mark[1]) && inside(mark[1]) && mark[0] >= xs[0] && mark[0] <= xs[1];
    svg.setAttribute("aria-label", label);
    svg.replaceChildren(
      ...drawnTicks,
      shape("path", { class: "axis", d: `M${left} ${height - bottom}H${wide - right}` }),
      ...below,
      shape("text", { x: wide - right, y: height - 6, "text-anchor": "end" }, x),
      shape("text", { x: 0, y: 13 }, y),
      shape("path", { class: "line", d: path(points) }),
      ...(shown
        ? [shape("circle", { class: "dot", cx: across(mark[0]), cy: upward(mark[1]), r: 7 })]
        : []),
    );
  };
}

/** Numbers evenly spread by size. */
const spreadOver = (low, high, count) =>
  [...Array(count).keys()].map((i) => low * (high / low) ** (i / (count - 1)));
