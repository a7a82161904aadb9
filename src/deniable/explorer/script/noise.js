// How far off what is published may be, from public parts of a plan: their shares of the budget,
// sensitivities and grids.

/** Scales are no smaller than this; there noise is 0. */
const LEAST_SCALE = 2 ** -10;
/** A ledger's unit of ε or of ρ. */
const UNIT = 2 ** -40;
/** σ up to which a discrete Gaussian's tail is summed, as in certificates. */
const MOST_SUMMED = 256;
/** Two-sided quantiles of the normal law, rounded up in the last digit. */
const NORMAL = { 0.95: 1.959963984540055, 0.975: 2.241402727604948 };

/** The least scale that keeps a part to its share, raised. */
function scaleOf(part, budget, ledger) {
  const whole = budget.rho === null ? budget.loss : budget.rho;
  let spent = down(whole * part.share);
  if (ledger) spent = Math.floor(spent / UNIT) * UNIT;
  if (!(spent > 0)) return Infinity;
  const cost = budget.rho === null ? (part.epsilon ?? part.l1) : (part.rho ?? part.l2 ** 2 / 2);
  const scale = budget.rho === null ? cost / spent : Math.sqrt(cost / spent);
  return Math.max(up(scale), LEAST_SCALE);
}

/** The least whole t with Pr[|X| > t] ≤ 1 − c: α^(t+1) ≤ (1 − c)(1 + α)/2, α = e^(−1/s). */
function laplaceWidth(scale, confidence) {
  const steps = scale * Math.log(2 / ((1 - confidence) * (1 + Math.exp(-1 / scale))));
  return Math.max(Math.ceil(up(steps)) - 1, 0);
}

/** A whole t with Pr[|X| ≤ t] ≥ c: summed for small σ, else by the normal law, which is wider. */
function gaussianWidth(scale, confidence) {
  if (scale > MOST_SUMMED) return Math.ceil(up(scale * NORMAL[confidence]));
  const rate = Math.exp(-1 / (scale * scale));
  const total = normaliser(scale) * confidence * (1 + 2 ** -30);
  // w_k = e^(−k²/2σ²): w_(k+1) = w_k f_k, f_(k+1) = f_k e^(−1/σ²).
  let inside = 1;
  let weight = 1;
  let fall = Math.exp(-1 / (2 * scale * scale));
  let t = 0;
  while (inside < total && weight > 0) {
    weight *= fall;
    fall *= rate;
    inside += 2 * weight;
    t += 1;
  }
  return t;
}

/** Σ e^(−k²/2σ²) over whole k: the sum itself, or σ√(2π)(1 + 2e^(−2π²σ²)), raised by the rest. */
function normaliser(scale) {
  if (scale >= 1)
    return scale * Math.sqrt(2 * Math.PI) * (1 + 3 * Math.exp(-2 * (Math.PI * scale) ** 2));
  let total = 1;
  for (let k = 1; k < 40; k += 1) total += 2 * Math.exp((-k * k) / (2 * scale * scale));
  return total;
}

/** The width of one part's noise, in its own steps. */
function partWidth(part, budget, ledger, confidence = 0.95) {
  const scale = scaleOf(part, budget, ledger);
  if (!(scale < 1e300)) return Infinity;
  if (part.gap) return up(scale * part.gap[budget.rho === null ? 0 : 1]);
  return (budget.rho === null ? laplaceWidth : gaussianWidth)(scale, confidence);
}

/** The error of one kind of published number; of a mean among so many rows. A crosstab's are no
 * multiple of one noise. */
function errorOf(query, error, budget, ledger, rows) {
  if (error.unscaled) return NaN;
  if (error.of !== "mean")
    return up(partWidth(query.parts[error.part], budget, ledger) * error.step);
  const confidence = error.counted ? 0.975 : 0.95;
  const total = partWidth(query.parts[0], budget, ledger, confidence);
  const count = error.counted ? partWidth(query.parts[1], budget, ledger, confidence) : 0;
  const steps = (total + count * error.farthest) / Math.max(1, rows - count) + error.rounding;
  return Math.min(up(steps * error.step), error.most);
}

/** The percentiles that a choice lies between, among so many rows; null if it may be anything. */
function percentiles(share, missed, rows) {
  const low = Math.floor(Number((100 * (share - missed / rows)).toFixed(6)));
  const high = Math.ceil(Number((100 * (share + missed / rows)).toFixed(6)));
  return low <= 0 && high >= 100 ? null : [Math.max(low, 0), Math.min(high, 100)];
}
