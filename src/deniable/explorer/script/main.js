// From what is set to what is shown. Everything is computed from the settings at every move.

const PUBLIC = JSON.parse($("public").textContent);
const PLAN = PUBLIC.plan;
const CURVES = paired(PLAN ? PLAN.curves : PUBLIC.curves);
const TRAININGS = PUBLIC.trainings;
const WHO = PLAN ? PLAN.who : "person";
const START = PLAN || {
  prior: [0.05, 0.5],
  target: { kind: "gamma", value: 2 },
  adjacency: "replace-one",
};

const typed = (id) => ($(id).value.trim() === "" ? NaN : Number($(id).value));

/** What is set now. @returns {Setting} */
const settingNow = () => ({
  kind: $("kind").value,
  value: typed("value"),
  worlds: typed("worlds"),
  a: typed("low"),
  b: typed("high"),
  adjacency: $("adjacency").value,
  tail: $("tail").value !== "",
});

const view = {
  chart: beliefChart($("chart"), moveBand),
  before: people(),
  after: people(),
  error: chart($("error-chart")),
  variants: chart($("variants-chart")),
  rules: chart($("rules-chart")),
  training: chart($("training-chart")),
  rows: PLAN ? planRows(PLAN, $("errors").tBodies[0], $("query")) : [],
  stale: new Set(),
};

/** Everything that follows from a setting; what is wrong with it in one sentence. */
function answer(s) {
  const wrong = mistake(s);
  const budget = wrong ? null : budgetOf(s, CURVES);
  const refused = wrong || (budget.refused ?? null);
  return {
    refused,
    budget: refused ? null : budget,
    readings: refused ? null : readingsOf(s, budget, CURVES),
  };
}

/** Show the setting: what is visible now, the rest when it is looked at. */
function show() {
  const s = settingNow();
  const found = answer(s);
  $("refusal").hidden = !found.refused;
  say($("refusal"), found.refused || "");
  document.body.classList.toggle("no-answer", Boolean(found.refused));
  const crossed = s.a > s.b;
  for (const id of ["low", "high"])
    $(id).setAttribute("aria-invalid", String(crossed || !(typed(id) >= 0 && typed(id) <= 1)));
  $("value").setAttribute("aria-invalid", String(Boolean(found.refused) && !crossed));
  $("slide").setAttribute("aria-valuetext", `${TARGETS[s.kind].word}: ${$("value").value || "none"}`);
  view.stale = new Set(Object.keys(PANELS));
  render(selected(), s, found);
  exportPlan(s, found);
}

/** Draw one panel. */
function render(panel, s = settingNow(), found = answer(s)) {
  if (!view.stale.delete(panel)) return;
  PANELS[panel](s, found);
}

const PANELS = {
  belief(s, { readings }) {
    if (!mistake(s)) drawBeliefs(view.chart, s, readings);
    const shown = shownBelief(s, readings);
    const [before, after] = shown ? risen(shown.before, shown.after) : ["—", "—"];
    say($("before"), before);
    say($("after"), after);
    const counts = shown ? [countDown(shown.before, 100), countUp(shown.after, 100)] : [0, 0];
    fill(view.before, counts[0], counts[0], `Before: ${counts[0]} of 100 icons are filled`);
    fill(view.after, counts[0], counts[1], `After, at most: ${counts[1]} of 100 icons are filled`);
    tell($("sentence"), readings ? beliefSentence(s, readings, WHO) : ["No answer: see above."]);
    facts($("facts"), readings ? beliefFacts(s, readings, CURVES) : []);
    const rare = readings && s.tail && !["attack_success", "advantage"].includes(s.kind);
    say(
      $("exception"),
      rare
        ? `For each ${WHO}, with probability at most ${exactly(exceedanceOf(s, CURVES))} a release raises a belief further than that. The same holds for lowering one.`
        : "",
    );
  },
  plan(s, { budget, readings }) {
    if (!PLAN) return;
    const among = wholeIn("rows", 1, 1e12) || 1;
    drawPlan(PLAN, view.rows, budget, among);
    tell($("plan-sentence"), budget ? planSentence(s, readings) : ["No answer: see above."]);
    const row = view.rows[Number($("query").value)];
    if (!$("query").options.length || !row || mistake(s)) return;
    const now = drawError(view.error, PLAN, row, s, budget, CURVES, among);
    say(
      $("error-told"),
      `${row.query.name}, ${row.error.of}. The mark shows the current limit.`,
    );
    const value = Math.abs(typed("typical"));
    say(
      $("relative"),
      value > 0 && Number.isFinite(now)
        ? `is published to within ${atMost((100 * up(now)) / value, 2)} %`
        : "",
    );
  },
  counts: (s, { budget }) => drawCounts(budget),
  rules: (s) => drawRules(view.rules, PUBLIC.rules, s),
  variants: (s, { budget }) => drawVariants(view.variants, budget),
  training: (s) => drawTraining(view.training, TRAININGS, mistake(s) ? { ...s, b: 0.05 } : s),
};

function planSentence(s, readings) {
  const spent =
    readings.multiplier === null
      ? `ε = ${atLeast(readings.loss)}`
      : `a noise multiplier of ${atMost(readings.multiplier)}`;
  const many =
    PLAN.queries.length === 1 ? " for its query" : ` shared by its ${PLAN.queries.length} queries`;
  return ["This limit leaves the plan ", spent, `${many}, by their weights.`];
}

/** Take an end of the band to a belief, no further than the other end. */
function moveBand(end, belief) {
  const other = typed(end === "low" ? "high" : "low");
  const kept = end === "low" ? Math.min(belief, other) : Math.max(belief, other);
  $(end).value = Number.isFinite(kept) ? kept : belief;
  show();
}

/** The slider's place of a value, by size above what nobody can go below. */
function toSlide() {
  const { low, high, offset } = TARGETS[$("kind").value];
  const value = Math.min(Math.max(typed("value"), low), high);
  const share =
    offset === undefined
      ? (value - low) / (high - low)
      : Math.log((value - offset) / (low - offset)) / Math.log((high - offset) / (low - offset));
  $("slide").value = Math.round(1000 * share);
}

function fromSlide() {
  const { low, high, offset } = TARGETS[$("kind").value];
  const share = Number($("slide").value) / 1000;
  const value =
    offset === undefined
      ? low + (high - low) * share
      : offset + (low - offset) * ((high - offset) / (low - offset)) ** share;
  $("value").value = Number(value.toPrecision(3));
  show();
}

/** Another kind of limit with, as near as three digits say, the budget of the one before. */
function changeKind(before) {
  const kind = $("kind").value;
  const readings = before.readings;
  const same =
    readings &&
    {
      gamma: readings.gamma,
      epsilon: readings.loss,
      attack_success: readings.success,
      advantage: readings.advantage,
      max_posterior: readings.highs[1],
      identifiability: identifiedOf(readings.loss, typed("worlds")),
    }[kind];
  const { low, high } = TARGETS[kind];
  $("value").value = Number(Math.min(Math.max(same || low, low), high).toPrecision(3));
  layout();
}

/** Which fields there are for this kind of limit. */
function layout() {
  document.querySelector("[data-kind=identifiability]").hidden =
    $("kind").value !== "identifiability";
  toSlide();
  show();
}

const selected = () =>
  document.querySelector("[role=tab][aria-selected=true]").getAttribute("aria-controls");

/** Show a tab's panel. @param {HTMLElement} tab */
function choose(tab) {
  for (const each of tabs()) {
    const on = each === tab;
    each.setAttribute("aria-selected", String(on));
    each.tabIndex = on ? 0 : -1;
    $(each.getAttribute("aria-controls")).hidden = !on;
  }
  render(selected());
}

const tabs = () => [...document.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);

/** Arrow keys, Home and End among the tabs. */
function tabKey(event) {
  const all = tabs();
  const at = all.indexOf(event.currentTarget);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = all[(to + all.length) % all.length];
  choose(next);
  next.focus();
}

let last = { readings: null };

/** Put everything where it begins, and listen. */
function start() {
  for (const [kind, { word }] of Object.entries(TARGETS))
    $("kind").append(made("option", { value: kind }, word));
  TRAININGS.schedules.forEach(({ rate, steps }, i) => {
    $("schedule").append(
      made(
        "option",
        { value: i },
        `${tidy(String(steps))} steps, each with ${exactly(rate)} of the records`,
      ),
    );
  });
  for (const name of Object.keys(PUBLIC.rules)) $("rule").append(made("option", { value: name }, name));
  $("rule").append(made("option", { value: "" }, "my own: hide, then round"));
  [$("low").value, $("high").value] = START.prior;
  [$("kind").value, $("value").value] = [START.target.kind, START.target.value];
  $("worlds").value = START.target.worlds || 10;
  $("adjacency").value = START.adjacency;
  $("adjacency").disabled = Boolean(PLAN);
  $("tail").value = PLAN && PLAN.delta ? "yes" : "";
  for (const node of document.querySelectorAll("[data-with=plan]")) node.hidden = !PLAN;
  for (const node of document.querySelectorAll("[data-with=curve]"))
    node.hidden = !$("query").options.length;
  if (!PLAN) $("plan").dataset.absent = "";
  $("icons-before").append(view.before.svg);
  $("icons-after").append(view.after.svg);
  listen();
  if (PLAN) choose($("tab-belief"));
  slideNoise();
  layout();
}

function slideNoise() {
  const { noise } = TRAININGS;
  const share = Math.log(typed("noise") / noise[0]) / Math.log(noise[noise.length - 1] / noise[0]);
  $("noise-slide").value = Math.round(1000 * Math.min(Math.max(share || 0, 0), 1));
}

function listen() {
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["low", "high", "worlds"]) $(id).addEventListener("input", show);
  for (const id of ["adjacency", "tail"]) $(id).addEventListener("change", show);
  $("value").addEventListener("input", () => (toSlide(), show()));
  $("slide").addEventListener("input", fromSlide);
  $("kind").addEventListener("focus", () => (last = answer(settingNow())));
  $("kind").addEventListener("change", () => (changeKind(last), (last = answer(settingNow()))));
  for (const id of ["rows", "typical", "people", "ones", "size", "tested", "lead", "leaders", "members", "belief-limit", "hide", "base"])
    $(id).addEventListener("input", show);
  for (const id of ["query", "schedule", "rule", "zero"]) $(id).addEventListener("change", show);
  $("noise").addEventListener("input", () => (slideNoise(), show()));
  $("noise-slide").addEventListener("input", () => {
    const { noise } = TRAININGS;
    const value =
      noise[0] * (noise[noise.length - 1] / noise[0]) ** (Number($("noise-slide").value) / 1000);
    $("noise").value = Number(value.toPrecision(3));
    show();
  });
  for (const tab of tabs()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", tabKey);
  }
  window.addEventListener("beforeprint", () => [...view.stale].forEach((panel) => render(panel)));
  listenToExport();
}

start();
