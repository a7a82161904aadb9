// Numbers on the safe side. JavaScript has no directed rounding: every formula of this page is at
// most some 50 well-conditioned operations, each wrong by less than two units of 2^-52, so that
// 2^-36 of a value covers them hundreds of times over. What is applied is lowered by more than what
// is read from it is raised, so that a limit that is met is not shown as passed.

const READ = 2 ** -36;
const APPLY = 2 ** -33;

/** A number of at least zero, raised by more than it can be wrong. @param {number} x */
const up = (x) => x * (1 + READ);

/** The same, lowered. @param {number} x */
const down = (x) => Math.max(0, x * (1 - READ));

/** A budget that certainly keeps to what it was computed from. @param {number} x */
const applied = (x) => x * (1 - APPLY) - APPLY;

/** So many decimals, rounded up. @param {number} x @param {number} decimals */
function ceiled(x, decimals) {
  const text = x.toFixed(decimals);
  return Number(text) < x ? (Number(text) + 10 ** -decimals).toFixed(decimals) : text;
}

/** So many decimals, rounded down. @param {number} x @param {number} decimals */
function floored(x, decimals) {
  const text = x.toFixed(decimals);
  return Number(text) > x ? (Number(text) - 10 ** -decimals).toFixed(decimals) : text;
}

/** A mark on an axis. @param {number} x */
const marked = (x) => (x >= 1e7 || x < 1e-4 ? x.toExponential() : tidy(String(x)));

/** Thousands apart, and no zeros at the end of a fraction. @param {string} text */
function tidy(text) {
  const [whole, part = ""] = text.split(".");
  const kept = part.replace(/0+$/, "");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (kept && "." + kept);
}

/** Decimals that leave so many significant digits. @param {number} x @param {number} digits */
const decimalsOf = (x, digits) => Math.min(Math.max(digits - 1 - Math.floor(Math.log10(x)), 0), 15);

/** Significant digits and a power of ten, rounded up. @param {number} x @param {number} digits */
function powered(x, digits) {
  const text = x.toExponential(digits - 1);
  if (Number(text) >= x) return text;
  const [, power] = text.split("e");
  return (Number(text) + Number(`1e${power}`) * 10 ** (1 - digits)).toExponential(digits - 1);
}

/** Significant digits, rounded up. @param {number} x @param {number} [digits] */
function atMost(x, digits = 4) {
  if (x === 0) return "0";
  if (!(x < Infinity)) return "∞";
  if (x >= 1e15 || x < 1e-9) return powered(x, digits);
  return tidy(ceiled(x, decimalsOf(x, digits)));
}

/** Significant digits, rounded down. @param {number} x @param {number} [digits] */
function atLeast(x, digits = 4) {
  return x > 0 ? tidy(floored(Math.min(x, 1e15), decimalsOf(x, digits))) : "0";
}

/** A factor with two decimals, rounded up; more where it would look like 1. @param {number} x */
function factor(x) {
  let digits = 2;
  while (digits < 9 && x > 1 && x < 1 + 10 ** -digits) digits += 1;
  return x < 1e6 ? tidy(ceiled(x, digits)) : atMost(x, 3);
}

/** The half-width of a number: two digits, rounded up. @param {number} x */
const width = (x) => "± " + (Number.isFinite(x) ? atMost(x, 2) : "∞");

/** A share of a total as the decimal that it prints as. @param {number} p @param {number} total */
const times = (p, total) => Number((p * total).toPrecision(15));

/** @param {number} p @param {number} total */
const countUp = (p, total) => Math.min(Math.ceil(times(p, total)), total);

/** @param {number} p @param {number} total */
const countDown = (p, total) => Math.floor(times(p, total));

/** 100, or the first power of ten that tells a probability from 0 and from 1. @param {number} p */
function denominator(p) {
  if (p <= 0 || p >= 1) return 100;
  let total = 100;
  while (total < 1e9 && !(times(p, total) >= 1 && countUp(p, total) < total)) total *= 10;
  return total;
}

/** Smaller shares are easier to read as "1 in 10,000" than in percent. */
const LEAST_PERCENTAGE = 0.001;

/** A count out of a power of ten, in percent. @param {number} count @param {number} total */
const inAll = (count, total) =>
  count > 0 && count / total < LEAST_PERCENTAGE
    ? `${tidy(String(count))} in ${tidy(String(total))}`
    : `${tidy(String(times(count / total, 100)))} %`;

/** A probability that was set, to six digits. @param {number} p */
function exactly(p) {
  if (p > 0 && p < 1e-9) return String(p);
  let total = 100;
  while (p > 0 && total < 1e9 && times(p, total) < 1) total *= 10;
  const whole = times(p, total);
  const short = Number(whole.toPrecision(6));
  // A belief that is nearly certain is not shown as certain.
  return inAll(p < 1 && short >= total ? whole : short, total);
}

/** A belief before as it is, and the most it can be after, in words. */
function risen(before, after) {
  const total = Math.max(denominator(before), denominator(after));
  return [exactly(before), inAll(countUp(after, total), total)];
}

/** The least that a belief can be after, in words. @param {number} after */
function fallen(after) {
  const total = denominator(after);
  return inAll(countDown(after, total), total);
}
