// Counts of a list, genome variants, and trainings.

const wholeIn = (id, low, high) => {
  const value = Number($(id).value);
  const holds = $(id).value !== "" && Number.isInteger(value) && value >= low && value <= high;
  $(id).setAttribute("aria-invalid", String(!holds));
  return holds ? value : null;
};

/** Two bars of how often a guess is right. */
function guessBars(place, rows) {
  if (!place.firstChild)
    place.append(shape("svg", { viewBox: "0 0 640 130", width: 640, height: 130, role: "img" }));
  const svg = place.firstChild;
  svg.setAttribute(
    "aria-label",
    rows.map(([name, p]) => `${name}: ${inAll(countUp(p, 1000), 1000)}`).join("; "),
  );
  svg.replaceChildren(
    ...rows.flatMap(([name, p, kind], i) => [
      shape("text", { x: 0, y: 18 + 62 * i }, name),
      shape("rect", { class: "band", x: 0, y: 26 + 62 * i, width: 530, height: 20 }),
      shape("rect", { class: kind, x: 0, y: 26 + 62 * i, width: 530 * p, height: 20 }),
      shape("text", { x: 540, y: 41 + 62 * i }, inAll(countUp(p, 1000), 1000)),
    ]),
  );
}

/** The tab of counts. @param {Budget | null} budget */
function drawCounts(budget) {
  const people = wholeIn("people", 2, 2000);
  const ones = people && wholeIn("ones", 0, people);
  const size = people && wholeIn("size", 1, people - 1);
  if (!budget || people === null || ones === null || size === null) {
    tell($("counts-sentence"), [
      budget
        ? "Enter 2 to 2,000 people. At most all of them count, and fewer are drawn."
        : "There is no budget for a count.",
    ]);
    $("counts-chart").replaceChildren();
    facts($("counts-facts"), []);
    return;
  }
  const scale = up(1 / budget.loss);
  const known = populationEpsilon(ones, people, size, scale);
  const [worst, listed] = [successOf(budget.loss), successOf(known)];
  tell($("counts-sentence"), [
    "An attacker who knows everyone else’s membership guesses right at most ",
    inAll(countUp(worst, 1000), 1000),
    " of the time. One who knows the list but not the draw guesses right at most ",
    inAll(countUp(listed, 1000), 1000),
    " of the time.",
  ]);
  guessBars($("counts-chart"), [
    ["Knows everyone else", worst, "bar most"],
    ["Knows the list, not the draw", listed, "bar"],
  ]);
  facts($("counts-facts"), [
    [
      "noise",
      `discrete Laplace, scale ${atMost(scale)}; ${width(laplaceWidth(scale, 0.95))} people in 95 %`,
    ],
    ["ε, worst case", atMost(budget.loss)],
    ["ε̃, knowing the list", atMost(known)],
    ["holds for", "one release of one count of this list; releases do not add up"],
  ]);
}

const NAMED = [1, 2, 3, 5, 10, 20];

/** The tab of genome variants. */
function drawVariants(draw, budget) {
  const tested = wholeIn("tested", 2, 1e8);
  const lead = wholeIn("lead", 1, 1e9);
  const leaders = tested && wholeIn("leaders", 1, Math.min(20, tested - 1));
  if (tested === null || lead === null || leaders === null) {
    tell($("variants-sentence"), [
      "Enter whole numbers: the variants tested, a lead, and fewer variants to name, at most 20.",
    ]);
    return;
  }
  const now = budget ? allNamed(leaders, tested, lead, budget.loss) : NaN;
  const among = denominator(now);
  tell(
    $("variants-sentence"),
    budget
      ? [
          "With this budget, the release names exactly the leading ",
          leaders > 1 ? String(leaders) : "variant",
          leaders > 1 ? " variants with probability at least " : " with probability at least ",
          inAll(countDown(now, Math.min(among, 1000)), Math.min(among, 1000)),
          ".",
        ]
      : ["There is no budget to name variants."],
  );
  const { line, costs } = naming(leaders, tested, lead);
  draw({
    xs: [0.01, MOST_LOSS],
    shares: true,
    line,
    mark: budget && [budget.loss, now],
    x: "privacy loss ε",
    y: "releases that name them all, %",
    label: "Releases that name all leading variants, by privacy loss",
  });
  const body = $("costs").tBodies[0];
  if (!body.children.length)
    body.append(
      ...NAMED.map((n) =>
        made(
          "tr",
          {},
          made("th", { scope: "row", class: "number" }, String(n)),
          made("td", { class: "number" }),
          made("td"),
        ),
      ),
    );
  costs.forEach((cost, i) => {
    const [, needed, believed] = body.children[i].children;
    say(needed, cost < Infinity ? atMost(cost) : "out of reach");
    say(believed, cost < Infinity ? risen(0.05, highest(cost, 0.05))[1] : "anything");
  });
}

const named = { key: "", line: [], costs: [] };

/** Curve and costs of a made-up study, kept until another one is set. */
function naming(leaders, tested, lead) {
  const key = [leaders, tested, lead].join();
  if (named.key !== key) {
    named.key = key;
    named.line = spreadOver(0.01, MOST_LOSS, 64).map((loss) => [
      loss,
      allNamed(leaders, tested, lead, loss),
    ]);
    named.costs = NAMED.map((n) => (n < tested ? costOfNaming(n, tested, lead, 0.9) : Infinity));
  }
  return named;
}

/** The tab of trainings. */
function drawTraining(draw, curves, setting) {
  const schedule = Number($("schedule").value);
  const noise = $("noise").value === "" ? NaN : Number($("noise").value);
  const told = trained(curves, schedule, noise);
  $("noise").setAttribute("aria-invalid", String(!told));
  const prior = setting.b > 0 && setting.b < 1 ? setting.b : 0.05;
  const posterior = (loss) => (loss <= MOST_LOSS ? highest(loss, prior) : 1);
  const line = curves.noise.map((each, i) => [each, posterior(curves.schedules[schedule].loss[i])]);
  draw({
    xs: [curves.noise[0], curves.noise[curves.noise.length - 1]],
    shares: true,
    line,
    mark: told && [noise, posterior(told.loss)],
    x: "noise multiplier",
    y: `largest belief after, from ${exactly(prior)} before, %`,
    label: "Largest belief after against the noise multiplier",
  });
  say(
    $("training-told"),
    `Except with probability at most ${exactly(curves.delta)} for each record.`,
  );
  if (!told) {
    tell($("training-sentence"), [
      `Enter a noise multiplier of at least ${curves.noise[0]}: this page has no curve below.`,
    ]);
    facts($("training-facts"), []);
    return;
  }
  const [before, after] = risen(prior, posterior(told.loss));
  tell($("training-sentence"), [
    "Someone who is ",
    before,
    " sure that a given record was trained on can become at most ",
    after,
    " sure after seeing the model.",
  ]);
  facts($("training-facts"), [
    [
      "privacy loss",
      `at most ${atMost(told.loss)}, except with probability ${exactly(curves.delta)}`,
    ],
    ["certified for", `noise multiplier ${told.noise}, the next one below`],
  ]);
}
