// Rules on exact counts, judged in beliefs as deniable.rules.design does: whole numbers of any
// length, so that nothing is rounded but what is read. A number is a pair [numerator, denominator].

const MOST_MEMBERS = 1000;
const DECIMALS = 12;

/** A decimal in [0, 1] over 10^12; null where it has more digits. @param {number} x */
function decimal(x) {
  if (!(x >= 0 && x <= 1) || Number(x.toFixed(DECIMALS)) !== x) return null;
  return BigInt(x.toFixed(DECIMALS).replace(".", ""));
}

const isMore = ([n, d], [m, e]) => n * e > m * d;

/** A range of priors and a limit over one power of ten, as small as it can be. */
function decimals(...values) {
  const parts = values.map(decimal);
  if (parts.includes(null)) return null;
  let unit = 10n ** BigInt(DECIMALS);
  while (unit > 1n && parts.every((part) => part % 10n === 0n)) {
    parts.forEach((part, i) => (parts[i] = part / 10n));
    unit /= 10n;
  }
  return { parts, unit };
}

/** What one step makes of a number, with weights that add up to the base of random rounding. */
function lawOfStep(step, x) {
  if (step.random) {
    const [base, rest] = [step.random, x === "*" ? 0 : x % step.random];
    if (!rest) return [[x, base]];
    return [[x - rest, base - rest], [x - rest + base, rest]];
  }
  if (x === "*") return [[x, 1]];
  if (step.hide) return [[x >= step.hide[0] && x <= step.hide[1] ? "*" : x, 1]];
  if (step.midpoint) {
    const base = step.midpoint;
    return [[x && Math.ceil(x / base) * base - Math.floor(base / 2), 1]];
  }
  return [[Math.floor((2 * x + step.round) / (2 * step.round)) * step.round, 1]];
}

/** All that a count can be published as, with weights. */
function publishedAs({ steps, zero }, count) {
  let law = [[count, 1]];
  for (const step of steps)
    law = law.flatMap(([x, weight]) => lawOfStep(step, x).map(([y, part]) => [y, weight * part]));
  const last = { hidden: [0, "*"], merged: ["*", 0] }[zero];
  return last ? law.map(([y, weight]) => [y === last[0] ? last[1] : y, weight]) : law;
}

/** Of each output the counts behind it, in order, with weights; and what weights add up to. */
function columnsOf(rule, members) {
  const columns = new Map();
  for (let count = 0; count <= members; count += 1)
    for (const [mark, weight] of publishedAs(rule, count)) {
      if (!columns.has(mark)) columns.set(mark, []);
      const column = columns.get(mark);
      const before = column[column.length - 1];
      if (before && before[0] === count) before[1] += BigInt(weight);
      else column.push([count, BigInt(weight)]);
    }
  return columns;
}

/** The counts of a column in words: "0, 3 to 9". */
function windowsOf(column) {
  const windows = [];
  for (const [count] of column) {
    const last = windows[windows.length - 1];
    if (last && last[1] === count - 1) last[1] = count;
    else windows.push([count, count]);
  }
  return windows.map(([x, y]) => (x === y ? `${x}` : `${x} to ${y}`)).join(", ");
}

const totalOf = ({ steps }) => BigInt(steps.reduce((all, step) => all * (step.random || 1), 1));

/** Whether w(x)² ≥ w(x−1) w(x+1), without a gap. */
const isLogConcave = (column) =>
  column.every(
    ([count, weight], i) =>
      (!i || column[i - 1][0] === count - 1) &&
      (!i || i === column.length - 1 || weight ** 2n >= column[i - 1][1] * column[i + 1][1]),
  );

/** Chances of 0…n people counted, each with p/unit, times unit^n. */
function binomial(n, p, unit) {
  if (p === unit) return [...Array(n).fill(0n), unit ** BigInt(n)];
  const law = [(unit - p) ** BigInt(n)];
  for (let s = 0; s < n; s += 1)
    law.push((law[s] * BigInt(n - s) * p) / (BigInt(s + 1) * (unit - p)));
  return law;
}

/** The belief after an output, of a target at t and others of whom `law` says how many count. */
function beliefOf(column, law, t, unit) {
  let [within, without] = [0n, 0n];
  for (const [count, weight] of column) {
    if (count) within += weight * (law[count - 1] ?? 0n);
    without += weight * (law[count] ?? 0n);
  }
  return [t * within, t * within + (unit - t) * without];
}

/** What is believed where it needs no sum; others at q. */
function certainBelief(column, members, t, q, unit) {
  const [first, last] = [column[0][0], column[column.length - 1][0]];
  if (last === 0) return [0n, 1n];
  if (first === members) return [1n, 1n];
  if (t === 0n || t === unit) return [t, unit];
  if (q === unit && last < members) return [0n, 1n];
  return q === 0n && first > 0 ? [1n, 1n] : null;
}

/** Laws of few counted among n others: all at a, one of them at b, …, all at b. */
function* mixedLaws(n, a, b, unit, most) {
  let law = binomial(n, a, unit).slice(0, most + 1);
  for (let j = 0; ; j += 1) {
    yield law;
    if (j === n) return;
    const next = [];
    // (unit − a + a z) · next = (unit − b + b z) · law
    for (let s = 0; s <= most; s += 1) {
      const more = (law[s] ?? 0n) * (unit - b) + (s ? (law[s - 1] ?? 0n) * b : 0n);
      next.push((more - (s ? next[s - 1] * a : 0n)) / (unit - a));
    }
    law = next;
  }
}

/** The largest belief after an output with the target at the upper bound, or the least. */
function extreme(column, list, largest) {
  const { members, a, b, unit, laws } = list;
  const [t, q] = largest ? [b, a] : [a, b];
  const certain = certainBelief(column, members, t, q, unit);
  if (certain) return certain;
  if (a === b || isLogConcave(column)) return beliefOf(column, laws[largest ? 0 : 1], t, unit);
  let best = null;
  for (const law of mixedLaws(members - 1, a, b, unit, column[column.length - 1][0])) {
    const belief = beliefOf(column, law, t, unit);
    if (!belief[1]) continue;
    if (!best || (largest ? isMore(belief, best) : isMore(best, belief))) best = belief;
  }
  return best;
}

/** A list of people with priors in [a, b]/unit, and how a rule publishes its counts. */
function listed(rule, members, a, b, unit) {
  let columns = columnsOf(rule, members);
  if (a === b && (a === 0n || a === unit)) {
    const only = a ? members : 0;
    columns = new Map([...columns].filter(([, column]) => column.some(([x]) => x === only)));
  }
  const laws = [binomial(members - 1, a, unit), a === b ? null : binomial(members - 1, b, unit)];
  return { rule, members, a, b, unit, columns, laws: [laws[0], laws[1] ?? laws[0]] };
}

/** The largest, or the least, belief over all outputs. */
function farthest(list, largest) {
  let best = null;
  const marks = [...list.columns];
  for (const [output, column] of largest ? marks.reverse() : marks) {
    const belief = extreme(column, list, largest);
    if (!best || (largest ? isMore(belief, best.belief) : isMore(best.belief, belief)))
      best = { output, belief };
  }
  return best;
}

/** Chance of an output after which belief passes a limit, given that the target is in: at most. */
function passing(list, limit) {
  const { members, a, b, unit, columns, laws } = list;
  const weights = Array(members + 1).fill(0n);
  for (const column of columns.values())
    if (isMore(extreme(column, list, true), limit))
      for (const [count, weight] of column) weights[count] += weight;
  // Which outputs pass moves with the priors: the least rising weights above hold for all of them.
  for (let x = 1; a !== b && x <= members; x += 1)
    if (weights[x] < weights[x - 1]) weights[x] = weights[x - 1];
  const sum = laws[1].reduce((all, p, s) => all + p * weights[s + 1], 0n);
  return [sum, totalOf(list.rule) * unit ** BigInt(members - 1)];
}

/** All that the tab says; null where a number has too many digits. */
function judged(rule, members, low, high, most) {
  const read = decimals(low, high, most);
  if (!read) return null;
  const { parts, unit } = read;
  const [a, b, limit] = parts;
  const list = listed(rule, members, a, b, unit);
  return {
    worst: farthest(list, true),
    lowest: farthest(list, false),
    passing: passing(list, [limit, unit]),
    stated: passing(a === b ? list : listed(rule, members, b, b, unit), [limit, unit]),
    after: [...list.columns].map(([output, column]) => ({
      output,
      counts: windowsOf(column),
      low: extreme(column, list, false),
      high: extreme(column, list, true),
    })),
  };
}

/** A share rounded up in words, or down: "70.8 %". Only certainty is shown as certain. */
function shareOf([n, d], upwards) {
  if (n === 0n || n === d) return n ? "100 %" : "0 %";
  const whole = (all) => (n * all + (upwards ? d - 1n : 0n)) / d;
  let all = 1000n;
  while (all < 10n ** 9n && (n * all < d || whole(all) === all)) all *= 10n;
  if (n * all < d)
    return upwards ? `1 in 10^${String(d / n).length - 1}` : `less than ${inAll(1, Number(all))}, but not 0`;
  if (whole(all) === all) return "nearly 100 %";
  return inAll(Number(whole(all)), Number(all));
}

/** The share in lowest terms, where that is short and no integer. */
function fractionOf([n, d]) {
  if (String(d).length > 4000) return null;
  let [x, y] = [n, d];
  while (y) [x, y] = [y, x % y];
  return d !== x && d / x < 10n ** 9n ? `${n / x}/${d / x}` : null;
}
