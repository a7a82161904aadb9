// What may be asked for, and the budget that keeps to it; a refusal is a sentence.

/**
 * @typedef {{kind: string, value: number, worlds: number, a: number, b: number,
 *            adjacency: string, tail: boolean}} Setting
 * @typedef {{refused: string}} Refusal
 * @typedef {{loss: number, rho: number | null, most: number | null, asked: boolean}} Budget
 */

/** Each kind: words, the ends of its slider, and what nobody can go below. */
const TARGETS = {
  gamma: { word: "Largest factor γ on a belief", low: 1.01, high: 50, offset: 1 },
  max_posterior: { word: "Largest belief after", low: 0.01, high: 0.99 },
  attack_success: { word: "Guesses that are right, at even odds", low: 0.505, high: 0.99 },
  advantage: { word: "Advantage of an attack", low: 0.01, high: 0.98 },
  identifiability: { word: "Belief in one of several candidates", low: 0.01, high: 0.99 },
  epsilon: { word: "Privacy loss ε, set directly", low: 0.01, high: 10, offset: 0 },
};

const OUTSIDE = {
  gamma: [(x) => x >= 1 && x < Infinity, "a factor of at least 1"],
  epsilon: [(x) => x > 0 && x < Infinity, "a number above 0"],
  advantage: [(x) => x >= 0 && x < 1, "a number from 0 to 1"],
};
const SHARE = [(x) => x > 0 && x < 1, "a number between 0 and 1"];

/** What is wrong with what was typed, or nothing. @param {Setting} s @returns {string | null} */
function mistake(s) {
  if (!(s.a >= 0 && s.a <= 1 && s.b >= 0 && s.b <= 1)) {
    return "The two beliefs before must be between 0 and 1.";
  }
  if (s.a > s.b)
    return `The beliefs before are ${s.a} and ${s.b}. Put the lower one first.`;
  const [holds, words] = OUTSIDE[s.kind] || SHARE;
  if (!holds(s.value)) return `The limit must be ${words}.`;
  const whole = Number.isInteger(s.worlds) && s.worlds >= 2;
  if (s.kind === "identifiability" && !whole) {
    return "The number of candidates must be a whole number of at least 2.";
  }
  return null;
}

const unreachable = (least) => ({
  refused: `No noise meets this limit. Set it above ${least}.`,
});

/** The loss that a limit on beliefs allows, before it is lowered. @returns {number | Refusal} */
function allowed(s) {
  switch (s.kind) {
    case "gamma":
      return s.value > 1
        ? lossOfGamma(s.value, s)
        : unreachable("1, at which no belief changes");
    case "max_posterior":
      if (s.b === 0) {
        return {
          refused:
            "Someone who is certain that nobody is in the data stays certain. Every release keeps this limit.",
        };
      }
      if (s.value > s.b) return lossOfPosterior(s.value, s.b);
      if (s.b === 1) {
        return {
          refused:
            "No noise meets this limit: someone who is certain before stays certain. Lower the largest belief before.",
        };
      }
      return unreachable(`${exactly(s.b)}, the belief before`);
    case "attack_success":
      if (s.value > 0.5) return Math.log(s.value / (1 - s.value));
      return unreachable("50 %, which guessing reaches");
    case "advantage":
      return s.value > 0 ? 2 * Math.atanh(s.value) : unreachable("0, the advantage of guessing");
    case "identifiability":
      if (s.value * s.worlds > 1) return Math.log(((s.worlds - 1) * s.value) / (1 - s.value));
      return unreachable(`1 in ${s.worlds}, which guessing reaches`);
    default:
      return s.value;
  }
}

/** The budget of a setting. @returns {Budget | Refusal} */
function budgetOf(s, curves) {
  const raw = allowed(s);
  if (typeof raw !== "number") return raw;
  return s.tail ? gaussianBudget(s, raw, curves) : pureBudget(s, raw);
}

function pureBudget(s, raw) {
  const asked = s.kind === "epsilon";
  const halved = s.kind === "identifiability" && s.adjacency === "add-remove";
  const loss = asked ? raw : applied(raw) / (halved ? 2 : 1);
  if (!(loss > 0))
    return {
      refused: "This limit is too close to the smallest possible one. Raise it a little.",
    };
  if (loss > MOST_LOSS)
    return { refused: "This limit needs next to no noise, so it protects nobody." };
  return { loss, rho: null, most: null, asked };
}

/** Certified curves as pairs of rows, what is asked and the ρ for it. */
const paired = ({ delta, losses, gains, tail, approx, advantage }) => ({
  delta,
  tail: [losses, tail],
  approx: [losses, approx],
  advantage: [gains, advantage],
});

/** How far a certified ρ can lie below the largest that its point allows: they differ by less. */
const MISSED = 1.01;

/**
 * With δ: ρ from a certified curve, at the next point below what is asked. Python, which computes
 * the largest ρ, gets more, and what is read off must hold for that too: `most` is at least what the
 * next point above allows.
 */
function gaussianBudget(s, raw, curves) {
  const gain = s.kind === "attack_success" ? 2 * s.value - 1 : s.value;
  const curve =
    { epsilon: curves.approx, attack_success: curves.advantage, advantage: curves.advantage }[
      s.kind
    ] || curves.tail;
  const wanted =
    { epsilon: s.value, attack_success: applied(gain), advantage: gain }[s.kind] || applied(raw);
  const at = lastUpTo(curve[0], wanted);
  const limit = curve[0][curve[0].length - 1];
  if (at < 0 || !(curve[1][at] > 0)) {
    return {
      refused: "With δ, this page does not reach so small a limit. Use deniable calibrate.",
    };
  }
  if (wanted > 2 * limit)
    return { refused: "This limit needs next to no noise, so it protects nobody." };
  const quarter = s.kind === "identifiability" && s.adjacency === "add-remove" ? 4 : 1;
  const rho = curve[1][at] / quarter;
  const most = (MISSED * (curve[1][at + 1] ?? Infinity)) / quarter;
  const loss =
    s.kind === "epsilon"
      ? up(s.value - Math.log1p(-curves.delta / exceedanceOf(s, curves)))
      : curve === curves.tail && quarter === 1
        ? up(raw)
        : lossOfRho(most, curves);
  if (!(loss <= MOST_LOSS))
    return { refused: "This limit needs next to no noise, so it protects nobody." };
  return { loss, rho, most, asked: false };
}

/** How improbable the outputs are that may tell more. */
const exceedanceOf = (s, { delta }) =>
  s.kind === "epsilon" ? Math.min(100 * delta, (1 + delta) / 2) : delta;

/** The next certified loss that is passed with probability δ at most. */
function lossOfRho(rho, { tail }) {
  const at = firstWith(tail[1], rho);
  return at < 0 ? Infinity : tail[0][at];
}

/** The next certified advantage. */
function gainOfRho(rho, { advantage }) {
  const at = firstWith(advantage[1], rho);
  return at < 0 ? 1 : advantage[0][at];
}

/** Place of the last number of a growing row that is at most x; -1 where there is none. */
function lastUpTo(row, x) {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Place of the first number that is at least x; -1 where there is none. */
const firstWith = (row, x) => row.findIndex((each) => each >= x);

/** What is read off a budget: every number rounded to the safe side. */
function readingsOf(s, budget, curves) {
  const { loss, rho, most } = budget;
  const gain = rho === null ? advantageOf(loss) : gainOfRho(most, curves);
  return {
    loss,
    gamma: s.kind === "gamma" ? s.value : gammaOf(loss, s),
    gammaAny: gammaOf(loss, { a: 0, b: 1 }),
    success:
      s.kind === "attack_success" ? s.value : rho === null ? successOf(loss) : (1 + gain) / 2,
    advantage: s.kind === "advantage" ? s.value : gain,
    lows: [lowest(loss, s.a), lowest(loss, s.b)],
    highs: [highest(loss, s.a), s.kind === "max_posterior" ? s.value : highest(loss, s.b)],
    multiplier: rho === null ? null : up(1 / Math.sqrt(2 * rho)),
  };
}
