// Belief before against belief after, with the band of priors to drag.

const SIDE = 440;
const EDGE = { left: 62, right: 16, top: 28, bottom: 46 };
const across = (p) => EDGE.left + p * (SIDE - EDGE.left - EDGE.right);
const upward = (p) => SIDE - EDGE.bottom - p * (SIDE - EDGE.top - EDGE.bottom);

/** The picture; `moved(end, belief)` is called while an end of the band is dragged. */
function beliefChart(place, moved) {
  const svg = shape("svg", {
    viewBox: `0 0 ${SIDE} ${SIDE}`,
    width: SIDE,
    height: SIDE,
    role: "group",
  });
  svg.setAttribute("aria-label", "Belief after against belief before");
  const parts = {
    band: shape("rect", { class: "band", y: EDGE.top, height: SIDE - EDGE.top - EDGE.bottom }),
    range: shape("path", { class: "range" }),
    top: shape("path", { class: "line" }),
    asked: shape("path", { class: "asked" }),
    dot: shape("circle", { class: "dot", r: 6 }),
    ends: ["low", "high"].map((end) => handle(svg, end, moved)),
  };
  const same = shape("path", {
    class: "same",
    d: `M${across(0)} ${upward(0)}L${across(1)} ${upward(1)}`,
  });
  svg.append(
    ...frame(),
    parts.band,
    parts.range,
    same,
    parts.top,
    parts.asked,
    parts.dot,
    ...parts.ends,
  );
  place.append(svg);
  return parts;
}

function frame() {
  const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((p) => [
    shape("path", {
      class: "grid",
      d: `M${across(0)} ${upward(p)}H${across(1)}M${across(p)} ${upward(0)}V${upward(1)}`,
    }),
    shape(
      "text",
      { class: "quiet", x: across(p), y: SIDE - EDGE.bottom + 20, "text-anchor": "middle" },
      `${100 * p}`,
    ),
    shape(
      "text",
      { class: "quiet", x: EDGE.left - 8, y: upward(p) + 4, "text-anchor": "end" },
      `${100 * p}`,
    ),
  ]);
  return [
    ...lines,
    shape("text", { x: across(1), y: SIDE - 6, "text-anchor": "end" }, "belief before, %"),
    shape("text", { x: 0, y: 13 }, "belief after, %"),
  ];
}

/** One end of the band: a slider for pointers and keys. */
function handle(svg, end, moved) {
  const words = end === "low" ? "Least belief before" : "Largest belief before";
  const knob = end === "low" ? upward(0) : upward(1);
  const group = shape(
    "g",
    {
      class: "handle",
      role: "slider",
      tabindex: 0,
      "aria-label": words,
      "aria-valuemin": 0,
      "aria-valuemax": 1,
      "data-end": end,
    },
    shape("line", { y1: upward(0), y2: upward(1) }),
    shape("circle", { class: "reach", cy: knob, r: 24 }),
    shape("circle", { cy: knob, r: 9 }),
  );
  const at = (event) => {
    const box = svg.getBoundingClientRect();
    const p =
      (((event.clientX - box.left) / box.width) * SIDE - EDGE.left) /
      (SIDE - EDGE.left - EDGE.right);
    moved(end, Math.min(1, Math.max(0, Math.round(100 * p) / 100)));
  };
  group.addEventListener("pointerdown", (event) => {
    group.setPointerCapture(event.pointerId);
    group.focus();
    event.preventDefault();
  });
  group.addEventListener(
    "pointermove",
    (event) => group.hasPointerCapture(event.pointerId) && at(event),
  );
  group.addEventListener("keydown", (event) => {
    const now = Number(group.getAttribute("aria-valuenow"));
    const to = stepped(event.key, now);
    if (to === null) return;
    event.preventDefault();
    moved(end, to);
  });
  return group;
}

/** Where a key moves a belief; null where it means nothing. */
function stepped(key, now) {
  const steps = {
    ArrowRight: 0.01,
    ArrowUp: 0.01,
    ArrowLeft: -0.01,
    ArrowDown: -0.01,
    PageUp: 0.1,
    PageDown: -0.1,
  };
  if (key === "Home" || key === "End") return key === "Home" ? 0 : 1;
  if (!(key in steps)) return null;
  return Math.min(1, Math.max(0, Math.round(1000 * (now + steps[key])) / 1000));
}

/** Draw the band, and the curves of a loss where there is one. */
function drawBeliefs(parts, s, readings) {
  const [low, high] = [across(s.a), across(s.b)];
  parts.band.setAttribute("x", low);
  parts.band.setAttribute("width", Math.max(high - low, 0));
  [s.a, s.b].forEach((p, i) => {
    parts.ends[i].setAttribute("transform", `translate(${across(p).toFixed(1)} 0)`);
    parts.ends[i].setAttribute("aria-valuenow", p);
    parts.ends[i].setAttribute("aria-valuetext", exactly(p));
  });
  const grid = readings ? [...Array(101).keys()].map((i) => i / 100) : [];
  const upper = grid.map((p) => [across(p), upward(highest(readings.loss, p))]);
  const lower = grid.map((p) => [across(p), upward(lowest(readings.loss, p))]);
  parts.top.setAttribute("d", path(upper));
  parts.range.setAttribute("d", readings ? `${path([...upper, ...lower.reverse()])}Z` : "");
  parts.asked.setAttribute(
    "d",
    readings ? path(askedLine(s).map(([p, q]) => [across(p), upward(q)])) : "",
  );
  const shown = shownBelief(s, readings);
  parts.dot.toggleAttribute("hidden", !shown);
  if (shown) {
    parts.dot.setAttribute("cx", across(shown.before));
    parts.dot.setAttribute("cy", upward(shown.after));
  }
}

/** The limit itself, over the beliefs that it speaks about. */
function askedLine(s) {
  const flat = (p, q) => [
    [Math.max(p - 0.1, 0), q],
    [Math.min(p + 0.1, 1), q],
  ];
  switch (s.kind) {
    case "gamma": {
      const within = [...Array(41).keys()].map((i) => s.a + ((s.b - s.a) * i) / 40);
      return within.map((p) => [p, Math.min(s.value * p, (s.value - 1 + p) / s.value)]);
    }
    case "max_posterior":
      return [
        [s.a, s.value],
        [s.b, s.value],
      ];
    case "attack_success":
      return flat(0.5, s.value);
    case "advantage":
      return flat(0.5, (1 + s.value) / 2);
    case "identifiability":
      return flat(1 / s.worlds, s.value);
    default:
      return [];
  }
}

/** What sentence and icons show: where the limit speaks, else at the band's upper end. */
function shownBelief(s, readings) {
  if (!readings) return null;
  switch (s.kind) {
    case "attack_success":
      return { before: 0.5, after: s.value, guesses: true };
    case "advantage":
      return { before: 0.5, after: (1 + s.value) / 2, guesses: true };
    case "identifiability":
      return { before: 1 / s.worlds, after: s.value };
    case "max_posterior":
      return { before: s.b, after: s.value };
    default: {
      const before = s.b < 1 ? s.b : s.a > 0 ? s.a : 0.05;
      return { before, after: highest(readings.loss, before) };
    }
  }
}

/** The sentence, every second piece strong. */
function beliefSentence(s, readings, who) {
  const shown = shownBelief(s, readings);
  const [before, after] = risen(shown.before, shown.after);
  if (shown.guesses)
    return [
      "An attacker who guesses at even odds whether a given ",
      who,
      " is in the data is right at most ",
      after,
      " of the time.",
    ];
  if (s.kind === "identifiability")
    return [
      "Of ",
      tidy(String(s.worlds)),
      " candidates who are equally likely before, an attacker is at most ",
      after,
      " sure of any one.",
    ];
  const least = fallen(lowest(readings.loss, shown.before));
  return [
    "Someone who is ",
    before,
    ` sure that a given ${who} is in the data can become at most `,
    after,
    " sure after everything in the release, and at least ",
    least,
    " sure.",
  ];
}

/** Where a belief stays. */
const stays = (before, low, high) =>
  before === 0 || before === 1
    ? "stays as it is"
    : `stays between ${fallen(low)} and ${risen(low, high)[1]}`;

/** The budget in every unit. */
function beliefFacts(s, readings, curves) {
  const rows = [
    ["γ, for these beliefs", factor(readings.gamma)],
    ["γ, for any belief", factor(readings.gammaAny)],
    ["guesses that are right", `${inAll(countUp(readings.success, 1000), 1000)} at even odds`],
    ["advantage of an attack", atMost(readings.advantage)],
    ...["least", "largest"].map((word, i) => [
      `${word} belief, ${exactly(i ? s.b : s.a)}`,
      stays(i ? s.b : s.a, readings.lows[i], readings.highs[i]),
    ]),
  ];
  if (readings.multiplier === null)
    return [
      ["ε, to apply", s.kind === "epsilon" ? String(s.value) : atLeast(readings.loss)],
      ...rows,
    ];
  const told = `loss of at most ${atMost(readings.loss)}, except with probability ${exactly(exceedanceOf(s, curves))} in each direction (rising or falling)`;
  return [
    ["noise multiplier", `${atMost(readings.multiplier)} per unit of L2 sensitivity, Gaussian`],
    ["privacy loss", told],
    ...rows,
  ];
}
