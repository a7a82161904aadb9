// What naming genome variants costs, by formula: a made-up study in which M variants lead all others
// by g people, named by rounds of exponential noise (permute-and-flip) on the distance to
// significance, which one genotype moves by 1.

/** Nodes and weights of Gauss's rule on [0, 1], eight of them. */
const GAUSS = [
  [0.019855071751231884, 0.05061426814518813],
  [0.10166676129318664, 0.11119051722668724],
  [0.2372337950418355, 0.15685332293894363],
  [0.4082826787521751, 0.18134189168918099],
].flatMap(([node, weight]) => [
  [node, weight],
  [1 - node, weight],
]);

/**
 * The probability that a round with m leaders left names one of them, lowered:
 * m ∫ (1 − u)^(m−1) (1 − uq)^n du over [0, 1]. No factor has a derivative that changes sign, and
 * they alternate, so Gauss's rule is too small on every piece, and so is leaving the rest out.
 */
function roundKept(leaders, others, q) {
  let start = 0;
  let step = 1 / Math.max(1, leaders + others * q);
  let total = 0;
  while (start < 1) {
    const end = Math.min(1, start + step);
    const before = total;
    for (const [node, weight] of GAUSS) {
      const u = start + (end - start) * node;
      // On a piece of next to no length u can be 1, whose logarithm counts only for other leaders.
      const leading = leaders > 1 ? (leaders - 1) * Math.log1p(-u) : 0;
      total += (end - start) * weight * Math.exp(leading + others * Math.log1p(-u * q));
    }
    if (total - before < 1e-18 * total) break;
    start = end;
    step = end;
  }
  return Math.min(1, leaders * total);
}

/** The probability that exactly the M leaders are named, lowered. */
function allNamed(leaders, variants, lead, loss) {
  if (variants <= leaders) return 1;
  // Each of M rounds costs 2/s, for scores may move both ways: s = 2M/ε.
  const q = Math.min(1, up(Math.exp((-lead * loss) / (2 * leaders))));
  let kept = 1;
  for (let m = leaders; m > 0; m -= 1) kept *= roundKept(m, variants - leaders, q);
  return down(kept * (1 - 2 ** -30));
}

/** The least ε found that names all M leaders with this probability; Infinity beyond MOST_LOSS. */
function costOfNaming(leaders, variants, lead, wanted) {
  if (allNamed(leaders, variants, lead, MOST_LOSS) < wanted) return Infinity;
  let low = 0;
  let high = MOST_LOSS;
  while (high - low > 5e-4 * high) {
    const middle = low + (high - low) / 2;
    if (allNamed(leaders, variants, lead, middle) >= wanted) high = middle;
    else low = middle;
  }
  return high;
}
