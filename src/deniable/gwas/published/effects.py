"""What effects and p-values say of allele frequencies and counts."""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.genotypes import Floats, Rows
from deniable.gwas.published.statistics import SLACK, Effects, Measured

_LEAST_WEIGHT = 1e-300
"""The weight below which a variance is 0, and nothing is left to learn."""

Pair = tuple[Floats, Floats]


@attrs.frozen
class Normal(Rows):
    """Means and covariances of cases' and controls' frequencies; (n_variants, n_references) each.

    With the logarithm of the density of what was observed.
    """

    cases: Floats
    controls: Floats
    of_cases: Floats
    of_controls: Floats
    of_both: Floats
    log_chance: Floats

    @classmethod
    def before(cls, p: Floats, sizes: Pair, people: NDArray[np.int64]) -> "Normal":
        r"""Return what holds before anything is read: two samples of the reference's population.

        .. math:: \operatorname{Var} = \frac{p(1-p)}{2}\left(\frac 1 n + \frac 1 k\right),\quad
                  \operatorname{Cov} = \frac{p(1-p)}{2k}
        """
        one = p * (1 - p) / 2
        reference = one / np.maximum(people, 1)[:, None]
        cases, controls = sizes
        return cls(p, p, one / cases + reference, one / controls + reference, reference, 0 * p)

    def mean(self, weights: Pair) -> Floats:
        """Return the mean of a weighted sum."""
        return weights[0] * self.cases + weights[1] * self.controls

    def variance(self, weights: Pair) -> Floats:
        """Return the variance of a weighted sum."""
        a, b = weights
        variance = a * a * self.of_cases + 2 * a * b * self.of_both + b * b * self.of_controls
        return np.maximum(variance, 0.0)


@attrs.frozen
class Observation:
    """A weighted sum of both frequencies, seen with an error of known variance.

    NaN is no observation.
    """

    in_cases: Floats
    in_controls: Floats
    value: Floats
    error: Floats


def update(normal: Normal, observations: Sequence[Observation]) -> Normal:
    """The law given what was observed: the usual step of a normal pair, once an observation."""
    for seen in observations:
        a, b = seen.in_cases, seen.in_controls
        with_cases = a * normal.of_cases + b * normal.of_both
        with_controls = a * normal.of_both + b * normal.of_controls
        total_variance = np.maximum(a * with_cases + b * with_controls, 0.0) + seen.error
        surprise = seen.value - normal.mean((a, b))
        known = (
            np.isfinite(surprise) & np.isfinite(total_variance) & (total_variance > _LEAST_WEIGHT)
        )
        safe = np.where(known, total_variance, 1.0)
        surprise = np.where(known, surprise, 0.0)
        k, j = np.where(known, with_cases / safe, 0.0), np.where(known, with_controls / safe, 0.0)
        chance = -0.5 * (surprise**2 / safe + np.log(safe))
        normal = Normal(
            normal.cases + k * surprise,
            normal.controls + j * surprise,
            np.maximum(normal.of_cases - k * with_cases, 0.0),
            np.maximum(normal.of_controls - j * with_controls, 0.0),
            normal.of_both - k * with_controls,
            normal.log_chance + np.where(known, chance, 0.0),
        )
    return normal


def mix(
    normal: Normal, difference: Observation, sign: Floats, weights: Pair
) -> tuple[Floats, Floats]:
    """Mean and variance of a weighted sum once a difference is seen, perhaps without its sign.

    Where the sign, 1 or −1, is unknown (0), both are tried, each weighed by its density.
    """
    up = update(normal, [difference])
    down = update(normal, [attrs.evolve(difference, value=-difference.value)])
    known = sign[:, None]
    odds = np.clip(down.log_chance - up.log_chance, -700.0, 700.0)
    share = np.where(known > 0, 1.0, np.where(known < 0, 0.0, 1 / (1 + np.exp(odds))))
    means, variances = zip(
        *((each.mean(weights), each.variance(weights)) for each in (up, down)), strict=True
    )
    mean = share * means[0] + (1 - share) * means[1]
    within = share * variances[0] + (1 - share) * variances[1]
    return mean, within + share * (1 - share) * (means[0] - means[1]) ** 2


# With x of 2R copies in cases and y of 2S in controls (N = R + S, c = x + y) the test's statistic
# is
#
# .. math:: z^2 = \frac{2N (xS - yR)^2}{R S c (2N - c)}
#
# For a given x this is a quadratic equation in y, whose two roots belong to the two directions. A
# p-value with many digits leaves few pairs of whole numbers, often one, although it says neither
# the frequency nor the direction. Of a normal law without direction next to nothing would be left.


_DEVIATIONS = 7.0
"""Standard deviations of cases' copies about the reference's that are tried: beyond lie 3e-12."""
_AROUND = 10
"""Copies about the mean that are always tried, for rare alleles."""
_MOST_COPIES = 2**14
"""Numbers of copies in cases that are tried at most."""
_WIDEST = 0.05
"""Half of the range of z in which pairs are looked for; in wider ones the normal law does."""
_EXACT = 1e-6
"""Copies by which a root may be off the whole number: float64 keeps 1e-9 of 10,000."""
_FITTING = 0.9
"""Share of variants that some pair must fit; fewer do where the test is another one."""
_CELLS = 2**21
"""Numbers in one array at most: 16 MiB."""


@attrs.frozen
class Tested(Rows):
    r"""What a table says of cases and controls at some variants; (n_variants,) each.

    \|z\|, and how far it may be off; the sign is 1 where the allele is more frequent in cases, −1
    in controls, 0 unknown; the frequency of both together, and how far it may be off, where the
    table prints it.
    """

    z: Floats
    half: Floats
    sign: Floats
    overall: Floats | None = None
    overall_half: Floats | None = None


def moments_of_pairs(
    tested: Tested, sizes: tuple[int, int], weights: tuple[float, float], prior: Normal
) -> tuple[Floats, Floats]:
    """Mean and variance of a weighted sum of both frequencies; (n_variants, n_references) each.

    NaN where no pair of counts is known to fit. All cases and controls, so many by `sizes`, have a
    call. The weights are of the frequencies in cases and in controls; `prior` is before the table
    is read.
    """
    moments = np.full((2, *prior.cases.shape), np.nan)
    usable = np.isfinite(tested.z) & (tested.half <= _WIDEST) & np.isfinite(prior.cases).all(axis=1)
    width = 2 * sizes[0] * np.sqrt(prior.of_cases.max(axis=1)) * _DEVIATIONS + _AROUND
    rows = np.flatnonzero(usable & (2 * width < _MOST_COPIES))
    rows = rows[np.argsort(width[rows], kind="stable")]
    while len(rows):
        most = int(_CELLS // (4 * width[rows[0]] * prior.cases.shape[1])) + 1
        # rows of about equal width together, that none is looked at far beyond its own
        near = int(np.searchsorted(width[rows], 2 * width[rows[0]], side="right"))
        part, rows = rows[: min(most, near)], rows[min(most, near) :]
        moments[:, part] = _moments(
            tested.take(part), sizes, weights, prior.take(part), float(width[part].max())
        )
    if np.count_nonzero(np.isfinite(moments[0]).all(axis=1)) < _FITTING * np.count_nonzero(usable):
        moments[:] = np.nan
    return moments[0], moments[1]


def _moments(
    tested: Tested,
    sizes: tuple[int, int],
    weights: tuple[float, float],
    prior: Normal,
    reach: float,
) -> Floats:
    """(2, n_variants, n_references)."""
    cases, controls = sizes
    middle = np.rint(2 * cases * prior.cases.mean(axis=1))
    x = middle[:, None] + np.arange(-np.ceil(reach), np.ceil(reach) + 1)
    y, number = _partners(x, tested, sizes)
    x = np.concatenate([x, x], axis=1)
    possible = (number > 0) & (x >= 0) & (x <= 2 * cases) & (y >= 0) & (y <= 2 * controls)
    # Where nobody varies no test is printed, and any z fits the equation.
    possible &= (x + y > 0) & (x + y < 2 * (cases + controls))
    if tested.overall is not None and tested.overall_half is not None:
        known = np.isfinite(tested.overall)
        off = np.abs((x + y) / (2 * (cases + controls)) - tested.overall[:, None])
        possible &= (off <= tested.overall_half[:, None] * SLACK + 1e-9) | ~known[:, None]
    many = np.where(possible, np.log(number), -np.inf)[:, None]
    q, r = (x / (2 * cases))[:, None], (y / (2 * controls))[:, None]
    # The density of a normal pair, but for a constant; (n_variants, n_references, n_pairs).
    a, b, c = (each[:, :, None] for each in (prior.of_cases, prior.of_controls, prior.of_both))
    u, w = q - prior.cases[:, :, None], r - prior.controls[:, :, None]
    logs = many - 0.5 * (b * u * u - 2 * c * u * w + a * w * w) / (a * b - c * c)
    best = logs.max(axis=2, keepdims=True)
    share = np.exp(logs - best)
    share /= share.sum(axis=2, keepdims=True)
    value = weights[0] * q + weights[1] * r
    mean = (share * value).sum(axis=2)
    return np.stack([mean, (share * (value - mean[:, :, None]) ** 2).sum(axis=2)])


def _partners(x: Floats, tested: Tested, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Copies in controls beside so many in cases, and how many whole numbers lie about them.

    (n_variants, 2 n_x): first where the allele is more frequent in cases, then the others.
    """
    half = tested.half * SLACK
    low = _roots(x, np.maximum(tested.z - half, 0.0), sizes)
    high = _roots(x, tested.z + half, sizes)
    sign = tested.sign[:, None]
    starts = np.concatenate([high[0], low[1]], axis=1)
    stops = np.concatenate([low[0], high[1]], axis=1)
    first, last = np.ceil(starts - _EXACT), np.floor(stops + _EXACT)
    # Where both directions meet, the middle counts once.
    second = slice(x.shape[1], None)
    first[:, second] = np.maximum(first[:, second], last[:, : x.shape[1]] + 1)
    ways = np.repeat([1.0, -1.0], x.shape[1])
    number = np.where(sign * ways >= 0, np.maximum(last - first + 1, 0.0), 0.0)
    return (first + last) / 2, np.nan_to_num(number)


def _roots(x: Floats, z: Floats, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    r"""The smaller and the larger y: of y² (2N R + k S) − 2 y S (2N x + k (N − x)) + … = 0."""
    cases, controls = map(float, sizes)
    people, k = cases + controls, (z * z)[:, None]
    # all divided by R: 2N (x S − y R)² = k R S (x + y)(2N − x − y)
    a = 2 * people * cases + k * controls
    b = controls * (2 * people * x + k * (people - x))
    c = 2 * people * x * x * controls**2 / cases - k * controls * x * (2 * people - x)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    return (b - root) / a, (b + root) / a


# With R cases, S controls (N = R + S), an odds ratio θ and the frequency f of both together, the
# frequencies q_A in cases and q_U in controls solve
#
# .. math:: \theta = \frac{q_A (1 - q_U)}{q_U (1 - q_A)}, \qquad R q_A + S q_U = N f
#
# A standard error says how variable the allele is, f (1 − f) to first order:
#
# .. math:: \mathrm{SE}^2 \approx \frac{1}{2 R q_A (1 - q_A)} + \frac{1}{2 S q_U (1 - q_U)}
#
# and so does a test statistic beside an odds ratio, z² = 2RS (q_A − q_U)² / (N f (1 − f)). So an
# attacker who knows the public R and S gets the difference q_A − q_U, and f itself where the table
# does not print it.


_MODEL = 0.02
"""Relative error of a regression's standard error as a measure of f (1 − f), beside that of
Hardy-Weinberg proportions: covariates explain a few per cent of an allele."""
_SAME_SCALE = 0.25
"""Least typical variance of log odds ratios, as a share of Woolf's: of 0 and 1 it is 1/16 or less,
and covariates, relatives and imputed genotypes make it larger."""
_MOST_BETA = 20.0
"""Log odds ratios beyond are of variants that one group lacks."""
_LEAST = 1e-12
"""Frequencies nearer to 0 or 1 count as this far from it: below one copy in any study."""


def effect_observations(
    effects: Effects, sizes: Pair, prior: Normal, overall: Floats | None
) -> tuple[Observation, Observation | None]:
    """What effects say of the difference of both frequencies, and of the frequency of all.

    Cases and controls are columns, (n_variants, 1) each; `overall` is the frequency of both
    together where a table prints it. The difference is |q_A − q_U|, or q_A − q_U where only its
    size is asked; always >= 0. The second is of f; None where the table prints it.
    """
    cases, controls = sizes
    people = cases + controls
    weights = cases / people, controls / people
    f, spread = prior.mean(weights), prior.variance(weights)
    f = np.clip(f, _LEAST, 1 - _LEAST)
    if overall is not None:
        f = np.where(np.isfinite(overall)[:, None], np.clip(overall, 1e-9, 1 - 1e-9)[:, None], f)
    shape = f * (1 - f)
    per_z = np.sqrt(shape * people / (2 * cases * controls))
    # relative variance of f (1 − f), and what departures from Hardy-Weinberg add in genotypes
    from_f = (1 - 2 * f) ** 2 * spread / shape**2
    model = 1e-6 if effects.allelic else 1 / people + _MODEL**2
    (beta, beta_error), (error, half), (z, z_error) = (
        (each.value[:, None], each.half[:, None])
        for each in (effects.beta, effects.error, effects.z)
    )
    error_relative, z = half / error, np.abs(z)
    raw, woolf = _difference(np.clip(beta, -_MOST_BETA, _MOST_BETA), f, sizes)
    raw = np.abs(raw)
    by_error = np.isfinite(beta) & np.isfinite(error)
    by_z = ~by_error & np.isfinite(z)
    ratio = np.where(by_error, woolf / error**2, 1.0)
    slope = shape * ratio
    difference = np.where(by_z, z * per_z, raw * ratio)
    variance = np.where(
        by_z,
        (per_z * z_error) ** 2 / 3 + difference**2 * (from_f / 4 + model),
        (slope * beta_error) ** 2 / 3
        + difference**2 * np.where(by_error, error_relative**2 * 4 / 3 + model, from_f + model),
    )
    seen = Observation(1.0 + 0 * cases, -1.0 - 0 * cases, difference, variance)
    if overall is not None and np.isfinite(overall).all():
        return seen, None
    psi = raw / shape
    from_test = z**2 * people / (2 * cases * controls * psi**2)
    test_error = (2 * z_error / z) ** 2 / 3 + (2 * beta_error / beta) ** 2 / 3
    measured = np.where(by_error, shape * woolf / error**2, from_test)
    relative = np.where(by_error, error_relative**2 * 4 / 3, test_error) + model
    # f from f (1 − f), on the reference's side of ½; nothing near ½, where it says little.
    root = np.sqrt(1 - 4 * measured)
    # d f = d(f (1 − f)) / (1 − 2 f)
    off = measured * np.sqrt(relative) / root
    usable = np.isfinite(off) & (off < root / 6)
    value = np.where(f > 0.5, 1 + root, 1 - root) / 2
    return seen, Observation(
        *weights, np.where(usable, value, np.nan), np.where(usable, off**2, 1.0)
    )


def on_log_odds(effects: Effects, sizes: tuple[int, int], f: Floats) -> Effects:
    """The effects where they are log odds ratios; otherwise their size in errors and direction.

    Linear and mixed models regress on 0 and 1, whose effects and errors are at most a quarter of
    those of log odds. So the typical error says which they are; f is the allele's frequency in the
    reference.
    """
    with np.errstate(all="ignore"):
        woolf = (1 / sizes[0] + 1 / sizes[1]) / (2 * f * (1 - f))
        share = effects.error.value**2 / woolf
        share = share[np.isfinite(share)]
        if not len(share) or np.median(share) >= _SAME_SCALE:
            return effects
        beta, error, z = effects.beta, effects.error, effects.z
        by_error = np.abs(beta.value) / error.value
        half = (beta.half + by_error * error.half) / error.value
        printed = np.isfinite(z.value)
        z = Measured(np.where(printed, z.value, by_error), np.where(printed, z.half, half))
        nothing = Measured(np.full_like(f, np.nan), np.full_like(f, np.nan))
    return attrs.evolve(effects, beta=nothing, error=nothing, z=z)


def _difference(beta: Floats, f: Floats, sizes: Pair) -> tuple[Floats, Floats]:
    """q_A − q_U, and Woolf's variance of the log odds ratio, for these odds ratios and f."""
    cases, controls = sizes
    people = cases + controls
    theta = np.exp(beta)
    a = theta - 1
    # S a q² + (R θ + S − N f a) q − N f = 0 for q = q_U, by the root that does not cancel
    b = cases * theta + controls - people * f * a
    root = np.sqrt(np.maximum(b * b + 4 * controls * a * people * f, 0.0))
    low = np.clip(2 * people * f / np.maximum(b + root, _LEAST), _LEAST, 1 - _LEAST)
    high = np.clip(theta * low / (1 + a * low), _LEAST, 1 - _LEAST)
    woolf = 1 / (2 * cases * high * (1 - high)) + 1 / (2 * controls * low * (1 - low))
    return high - low, woolf
