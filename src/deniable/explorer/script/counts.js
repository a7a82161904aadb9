// A noisy count seen by somebody who knows the list of N people, K of whom count, and not which n
// of them were drawn: lowy-2024, for discrete Laplace noise.

/** What sums of logarithms over N steps can be wrong by, many times over. */
const LOG_ERROR = 1e-8;

/** Logarithm of e^x + e^y. */
function logSum(x, y) {
  const high = Math.max(x, y);
  return high === -Infinity ? high : high + Math.log1p(Math.exp(Math.min(x, y) - high));
}

/** Logarithms of the law of the ones among n of N people, K of them ones; shifted by `shift`. */
function drawn(people, ones, size, shift) {
  const first = Math.max(0, size - (people - ones));
  const last = Math.min(size, ones);
  const logs = [0];
  for (let k = first; k < last; k += 1) {
    // w_(k+1)/w_k = (K − k)(n − k)/((k + 1)(N − K − n + k + 1))
    const ratio = ((ones - k) * (size - k)) / ((k + 1) * (people - ones - size + k + 1));
    logs.push(logs[logs.length - 1] + Math.log(ratio));
  }
  const all = logs.reduce(logSum, -Infinity);
  return { first: first + shift, logs: logs.map((each) => each - all) };
}

/** The law with noise e^(−|y|/s), up to a constant, on whole numbers from `low` to `high`. */
function blurred({ first, logs }, low, high, scale) {
  const fall = 1 / scale;
  const at = (y) => logs[y - first] ?? -Infinity;
  const sums = [];
  let before = -Infinity;
  for (let y = low; y <= high; y += 1) sums.push((before = logSum(before - fall, at(y))));
  let after = -Infinity;
  for (let y = high; y >= low; y -= 1) {
    sums[y - low] = logSum(sums[y - low], after - fall);
    after = logSum(after - fall, at(y));
  }
  return sums;
}

/** Largest |ln ratio| of the noisy count with one person in and out. */
function revealed(within, without, scale) {
  const low = Math.min(within.first, without.first);
  const high = Math.max(within.first + within.logs.length, without.first + without.logs.length) - 1;
  const first = blurred(within, low, high, scale);
  const second = blurred(without, low, high, scale);
  return first.reduce((most, each, i) => Math.max(most, Math.abs(each - second[i])), 0);
}

/** ε̃ of the count, raised; for whoever counts and whoever does not. */
function populationEpsilon(ones, people, size, scale) {
  if (ones === 0 || ones === people) return 0;
  const counts = revealed(
    drawn(people - 1, ones - 1, size - 1, 1),
    drawn(people - 1, ones - 1, size, 0),
    scale,
  );
  const others = revealed(
    drawn(people - 1, ones, size - 1, 0),
    drawn(people - 1, ones, size, 0),
    scale,
  );
  return up(Math.max(counts, others)) + LOG_ERROR;
}
