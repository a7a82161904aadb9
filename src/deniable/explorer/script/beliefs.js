// What a privacy loss lets an adversary believe, and what a belief asks for: tramer-2015, Theorem 2
// and Equation 9, for beliefs before within [a, b].

/** @typedef {{a: number, b: number}} Band */

/** Beyond it nobody is protected, and e^loss has no use. */
const MOST_LOSS = 50;

/** γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)). @param {number} loss @param {Band} band */
function gammaOf(loss, { a, b }) {
  const rise = Math.expm1(loss);
  return up(Math.max(rise * b + 1, (rise + 1) / (rise * a + 1)));
}

/** The most that a belief p becomes: e^ε p/((e^ε − 1)p + 1). */
function highest(loss, p) {
  if (p <= 0 || p >= 1) return p <= 0 ? 0 : 1;
  const rise = Math.expm1(loss);
  return Math.min(1, up(((rise + 1) * p) / (rise * p + 1)));
}

/** The least that it becomes: p/(p + e^ε(1 − p)). */
function lowest(loss, p) {
  if (p <= 0 || p >= 1) return p <= 0 ? 0 : 1;
  return down(p / (p + Math.exp(loss) * (1 - p)));
}

/** How often a guess at even odds is right: e^ε/(e^ε + 1). @param {number} loss */
const successOf = (loss) => Math.min(1, up(1 / (1 + Math.exp(-loss))));

/** True less false positive rate: (e^ε − 1)/(e^ε + 1). @param {number} loss */
const advantageOf = (loss) => Math.min(1, up(Math.tanh(loss / 2)));

/** One of m worlds: 1/(1 + (m − 1)e^−ε). */
const identifiedOf = (loss, worlds) => Math.min(1, up(1 / (1 + (worlds - 1) * Math.exp(-loss))));

/**
 * The budget of γ: e^ε = min(1 + (γ − 1)/(1 − aγ), 1 + (γ − 1)/b), where 1 − aγ > 0 and b > 0.
 * Next to 0 the difference 1 − aγ is raised by what it can be wrong, which lowers ε.
 */
function lossOfGamma(gamma, { a, b }) {
  const left = 1 - a * gamma + 2 ** -50;
  const first = left > 0 ? (gamma - 1) / Math.min(1, left) : Infinity;
  return Math.log1p(Math.min(first, b > 0 ? (gamma - 1) / b : Infinity));
}

/** ε = logit Q − logit p. */
const lossOfPosterior = (most, p) => Math.log(most / (1 - most)) - Math.log(p / (1 - p));
