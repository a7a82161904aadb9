"""The least ε of a release, from enclosed laws of a sum under discrete noise."""

import math
from collections.abc import Callable
from typing import Any, Self, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT, directed, upper
from deniable.population.bounds import epsilon_at
from deniable.population.integer_sums.chernoff_tilt import tilt_at
from deniable.population.integer_sums.multiset import TINY, Multiset, SumLaws
from deniable.population.question import Floats, Ints

_LEAST_BLOCK = 64  # Outputs in a product: a third of the width, or fewer waste the caches
_MOST_ENTRIES = 2**26  # The most entries of the banded matrix: half a gigabyte
_AT_ONCE = 2**29  # Multiply-adds between two looks at the time limit: half a second


def reach(noise: DiscreteGaussian, outside: float) -> int:
    """A whole k with Pr[|X| > k] <= outside, by Pr[X >= t] <= e^(−t²/2σ²).

    canonne-kamath-steinke-2020 has the tail.
    """
    return math.ceil(noise.scale * math.sqrt(2 * math.log(2 / outside)) * (1 + 1e-9))


def gaussian_law(laws: SumLaws, noise: DiscreteGaussian, outside: float) -> tuple[Floats, Floats]:
    """Enclosure of Pr[S + X = t] for t up to `reach` beyond the columns.

    Shape (2, n_targets, n_sums + 2 reach) each. Noise beyond `reach` adds at most `outside` to a
    probability, which the high end contains, and the low end goes without.
    """
    farthest = reach(noise, outside)
    weights = noise.pmf(np.arange(-farthest, farthest + 1))
    low, high = (_product(np.exp(logs), weights) for logs in (laws.low, laws.high))
    # e^x for x down to −750; k²/2σ² and its exponential; a dot product of non-negative numbers.
    largest = (farthest / noise.scale) ** 2
    error = UNIT * (60 + 4 * min(largest, 1500.0) + 2 * len(weights))
    return np.maximum(low * (1 - error) - TINY, 0.0), high * (1 + error) + outside + TINY


def _product(law: Floats, weights: Floats) -> Floats:
    """The full convolution along the last axis, as a product with a banded matrix."""
    rows = law.reshape(-1, law.shape[-1])
    width, length = len(weights), law.shape[-1] + len(weights) - 1
    block = min(max(width // 3, _LEAST_BLOCK), max(_MOST_ENTRIES // width, 1))
    # Windows of the law times a matrix whose columns are the noise, each one step lower.
    blocks = -(-length // block)
    padded = np.zeros((len(rows), blocks * block + width - 1))
    padded[:, width - 1 : width - 1 + rows.shape[1]] = rows
    windows = np.lib.stride_tricks.sliding_window_view(padded, block + width - 1, axis=1)
    banded = np.zeros((block + width - 1, block))
    for at in range(block):
        banded[at : at + width, at] = weights[::-1]
    result = np.empty((len(rows), blocks, block))
    at_once = max(_AT_ONCE // (len(rows) * banded.size), 1)
    for first in range(0, blocks, at_once):
        check()
        some = np.ascontiguousarray(windows[:, first * block : (first + at_once) * block : block])
        product = some.reshape(-1, len(banded)) @ banded
        result[:, first : first + at_once] = product.reshape(len(rows), -1, block)
    return np.asarray(result.reshape(*law.shape[:-1], -1)[..., :length])


_LN2 = math.log(2)  # Convert natural logarithms to exponents of 2
_NOTHING = -(2**60)  # The exponent of 0: below any other, and can be subtracted in int64
_VANISHES = 1100  # Powers of 2 below another at which a term does not count, of 1100


@attrs.frozen(eq=False)
class Plain:
    """Numbers in float64, for as long as none that matters comes near the least of them."""

    values: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the array."""
        return self.values.shape

    @classmethod
    def of(cls, logs: Floats) -> Self:
        """e^logs."""
        return cls(np.exp(logs))

    @classmethod
    def power(cls, rate: float, distance: int) -> Self:
        """e^(−rate·distance) to one unit, or 0."""
        with directed() as r:
            return cls(np.array(upper(r.exp(-r(rate) * distance))))

    def at(self, place: Any) -> Self:
        """Some of the numbers, by any index of NumPy."""
        return type(self)(self.values[place])

    def put(self, place: Any, other: Self) -> None:
        """Write in place."""
        self.values[place] = other.values

    def add(self, place: Any, other: Self) -> None:
        """Add in place."""
        self.values[place] += other.values

    def times(self, other: Self) -> Self:
        """The product, to one unit."""
        return type(self)(self.values * other.values)

    def rearrange(self, change: Callable[[NDArray[Any], Any], NDArray[Any]]) -> Self:
        """The arrays arranged anew; `change` is told what stands for 0."""
        return type(self)(change(self.values, 0.0))

    def log(self) -> Floats:
        """Natural logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(self.values)


@attrs.frozen(eq=False)
class Scaled:
    """mantissa · 2^exponent, elementwise; a mantissa is 0 or in [1/2, 1)."""

    mantissa: Floats
    exponent: Ints

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the arrays."""
        return self.mantissa.shape

    @classmethod
    def of(cls, logs: Floats) -> Self:
        """e^logs, to (3·|log| + 4) units."""
        finite = np.isfinite(logs)
        safe = np.where(finite, logs, 0.0)
        exponent = np.floor(safe / _LN2)
        fraction = np.where(finite, np.exp(safe - exponent * _LN2), 0.0)
        return cls._normal(fraction, exponent.astype(np.int64))

    @classmethod
    def power(cls, rate: float, distance: int) -> Self:
        """e^(−rate·distance) to one unit, however small."""
        exponent = math.floor(-rate * distance / _LN2)
        with directed() as r:
            mantissa = upper(r.exp(-r(rate) * distance - r.log(2) * exponent))
        return cls._normal(np.array(mantissa), np.array(exponent, np.int64))

    def at(self, place: Any) -> Self:
        """Some of the numbers, by any index of NumPy."""
        return type(self)(self.mantissa[place], self.exponent[place])

    def put(self, place: Any, other: Self) -> None:
        """Write in place."""
        self.mantissa[place] = other.mantissa
        self.exponent[place] = other.exponent

    def add(self, place: Any, other: Self) -> None:
        """Add in place, to one unit and 2^−1100 of the sum."""
        here, there = self.exponent[place], other.exponent
        exponent = np.maximum(here, there)
        mantissa = np.ldexp(self.mantissa[place], _shift(here - exponent))
        mantissa += np.ldexp(other.mantissa, _shift(there - exponent))
        self.put(place, self._normal(mantissa, exponent))

    def times(self, other: Self) -> Self:
        """The product, to one unit."""
        return self._normal(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def rearrange(self, change: Callable[[NDArray[Any], Any], NDArray[Any]]) -> Self:
        """The arrays arranged anew; `change` is told what stands for 0."""
        return type(self)(change(self.mantissa, 0.0), change(self.exponent, _NOTHING))

    def log(self) -> Floats:
        """Natural logarithm, to three units of the larger of its two terms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.mantissa) + self.exponent * _LN2)

    @classmethod
    def _normal(cls, mantissa: Floats, exponent: Ints) -> Self:
        fraction, shift = np.frexp(mantissa)
        return cls(fraction, np.where(fraction == 0, _NOTHING, exponent + shift))


Numbers = TypeVar("Numbers", Plain, Scaled)


def running(terms: Numbers, rate: float, before: Numbers) -> tuple[Numbers, float]:
    r"""Σ_{s <= t} terms[s] e^(−rate (t − s)) along the last axis, and its relative error.

    `before` is the sum just before the first term.
    """
    kind, (rows, length) = type(terms), terms.shape
    # A(t) = terms[t] + e^(−rate) A(t − 1), in pieces of about the square root of the length: all
    # pieces at once, then over the pieces. Every path has that many roundings, twice.
    piece = math.isqrt(length - 1) + 1
    pieces = -(-length // piece)
    step, leap = kind.power(rate, 1), kind.power(rate, piece)

    def cut(part: NDArray[Any], zero: Any) -> NDArray[Any]:
        # Shape (piece, rows, pieces): the place within a piece first.
        full = np.full((rows, pieces * piece), zero, part.dtype)
        full[:, :length] = part
        return np.ascontiguousarray(full.reshape(rows, pieces, piece).transpose(2, 0, 1))

    local = terms.rearrange(cut)
    for t in range(1, piece):
        check()
        local.add(t, local.at(t - 1).times(step))
    carried = terms.rearrange(lambda part, zero: np.full((rows, pieces), zero, part.dtype))
    carried.put((slice(None), 0), before)
    for at in range(1, pieces):
        check()
        carried.put((slice(None), at), local.at((-1, slice(None), at - 1)))
        carried.add((slice(None), at), carried.at((slice(None), at - 1)).times(leap))
    for t in range(piece):
        check()
        carried = carried.times(step)
        local.add(t, carried)
    flat = local.rearrange(lambda part, _: part.transpose(1, 2, 0).reshape(rows, -1)[:, :length])
    return flat, UNIT * 8 * (piece + pieces + 2)


def _shift(difference: Ints) -> NDArray[np.int32]:
    return np.maximum(difference, -_VANISHES).astype(np.int32)


# --- Subset sums under discrete Laplace noise: two running sums, to relative accuracy everywhere.
#
# .. math:: \Pr[S + X = t] = c\,(A(t) + \alpha B(t + 1)), \quad
#           A(t) = \sum_{s \le t} \Pr[S = s]\,\alpha^{t-s},\quad
#           B(t) = \sum_{s \ge t} \Pr[S = s]\,\alpha^{s-t},\quad \alpha = e^{-1/b}.

_IN_PLAIN, _IN_SCALED = 16.0, 8.0  # Units that e^x, ln x and the shift cost of a logarithm at most


def noisy_logs(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of ln Pr[S + X = t]/c at every column; shape (2, n_targets, n_sums) each.

    `rate` is 1/b for one column. Farther out both laws fall off by e^−rate a column from the first
    and the last one, where `below` and `above`, for this rate, are part of the high end: a sum s
    beyond counts at a t beyond at most as e^(rate·s − rate·t).
    """
    shape = laws.low.shape
    rows = np.concatenate([laws.low, laws.high]).reshape(-1, shape[2])
    # One step farther out than the first column, so that what lies beyond counts there in full.
    nothing = np.full(shape[:2], -np.inf)
    before, after = (
        np.concatenate([nothing, side + rate]).reshape(-1) for side in (laws.below, laws.above)
    )
    # Every row is measured from its largest number, so that e^x is at most 1.
    top = np.maximum(rows.max(axis=1), np.maximum(before, after))
    top = np.where(np.isfinite(top), top, 0.0)
    logs, error = _noisy(Plain, rows - top[:, None], before - top, after - top, rate)
    if logs.min() > -640.0:  # ln of 2^−924: sums above lose nothing to terms below float64's least
        logs += top[:, None]
        each = _IN_PLAIN
    else:
        logs, error = _noisy(Scaled, rows, before, after, rate)
        each = _IN_SCALED
    # Leaving and entering logarithms, each a few units of the largest of them.
    of_target = (2, *shape)
    seen = np.maximum(
        _largest_finite(rows.reshape(of_target)), _largest_finite(logs.reshape(of_target))
    )
    errors = (error + UNIT * (12 + each * seen))[:, None]
    low, high = logs.reshape(of_target)
    return low - errors, high + errors


def _noisy(
    kind: type[Numbers], rows: Floats, before: Floats, after: Floats, rate: float
) -> tuple[Floats, float]:
    """ln (A(t) + αB(t + 1)) of every row, and the relative error of the sums."""
    terms = kind.of(rows)
    up, error = running(terms, rate, kind.of(before))
    down, _ = running(terms.at((slice(None), slice(None, None, -1))), rate, kind.of(after))
    alpha = kind.power(rate, 1)
    up.add((slice(None), slice(None, -1)), down.at((slice(None), slice(-2, None, -1))).times(alpha))
    up.add((slice(None), -1), kind.of(after).times(alpha))
    return up.log(), error


def _largest_finite(logs: Floats) -> Floats:
    """The largest finite |log| of each target; (2, 2, n_targets, n_sums) -> (n_targets,)."""
    return np.asarray(np.abs(logs).max(axis=(0, 1, 3), where=np.isfinite(logs), initial=0.0))


def largest_losses(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of sup |ln Pr[y|in]/Pr[y|out]| over all whole y; shape (n_targets,) each.

    Every column is looked at. Beyond them the ratio is constant, and between two columns it is a
    Möbius function of e^(2t/b), hence monotone.
    """
    low, high = noisy_logs(laws, rate)
    below, above = (
        np.maximum(np.maximum(*(part.max(axis=1) for part in both)), 0.0)
        for both in ((low[0] - high[1], low[1] - high[0]), (high[0] - low[1], high[1] - low[0]))
    )
    return below, above


def laplace_law(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of Pr[S + X = t] at every column and of both tails, where nothing lies beyond.

    Shape (2, n_targets, n_sums + 2) each; the two tails come last.
    """
    nothing = np.full(laws.below.shape, -np.inf)
    log_alpha_rest = math.log(-math.expm1(-rate))
    at_zero = log_alpha_rest - math.log1p(math.exp(-rate))
    log_laws = []
    for logs in noisy_logs(attrs.evolve(laws, below=nothing, above=nothing), rate):
        tails = logs[:, :, [0, -1]] - rate - log_alpha_rest
        log_laws.append(np.concatenate([logs, tails], axis=2) + at_zero)
    # The constants to a few units of themselves; adding them and the exponential, of the result.
    constants = UNIT * (8 + 4 * (rate + abs(log_alpha_rest)))
    error = (constants + 4 * UNIT * _largest_finite(np.stack(log_laws)))[:, None]
    return np.exp(log_laws[0] - error), np.exp(log_laws[1] + error) + TINY


# --- The least ε at which both hockey sticks of two enclosed laws are at most δ.
#
# For an event S, Pr_p[S] − e^ε Pr_q[S] <= δ holds exactly when e^ε >= (Pr_p[S] − δ)/Pr_q[S]; over
# all S, the worst are those of the largest likelihood ratios. Every S gives a lower bound, and the
# worst S of high p and low q the upper one.

_STEP = 1e-14  # The least share by which odds grow on the way up


def least_epsilons(
    low: Floats, high: Floats, missing: Floats, delta: float
) -> tuple[Floats, Floats]:
    """Enclosure of the least ε >= 0 for each target; shape (n_targets,) each.

    The probabilities (2, n_targets, n_points) are enclosed, with the record in and out; `missing`
    (2, n_targets) is at most what each law has outside the points. δ in (0, 1).
    """
    bounds: list[list[Floats]] = [[], []]
    for p, q in ((0, 1), (1, 0)):
        odds = _largest_odds(high[p], low[q], missing[p], delta, outwards=1)
        bounds[1].append(np.log(odds) * (1 + 4 * UNIT))
        odds = _largest_odds(low[p], high[q], missing[q], delta, outwards=-1)
        bounds[0].append(np.log(odds) * (1 - 4 * UNIT))
    lower, upper = (np.maximum(np.maximum(*pair), 0.0) for pair in bounds)
    return lower, upper


def _largest_odds(p: Floats, q: Floats, missing: Floats, delta: float, *, outwards: int) -> Floats:
    """The largest (Pr_p[S] − δ)/Pr_q[S], at least 1, over all events (Dinkelbach).

    From odds λ to those of the event p > λq, which exceed λ until no event's do. Sums of k terms
    are right to k units. Where rounding swaps two points, an event loses at most four units of
    its probability. What is missing belongs to p on the way up, to nothing else.
    """
    odds, active = np.ones(len(p)), np.arange(len(p))
    unit = outwards * UNIT * (p.shape[1] + 8)
    lacking = np.full(len(p), delta)
    if outwards > 0:
        lacking -= missing * (1 + 8 * UNIT) + 8 * UNIT * p.sum(axis=1)
    while len(active):
        check()
        p_now, q_now = (p, q) if len(active) == len(p) else (p[active], q[active])
        # w' = (P(S) − δ)/Q(S) for S = {p > wq}: at least w, and no event has more once w' = w.
        event = p_now > odds[active, None] * q_now
        above = np.where(event, p_now, 0.0).sum(axis=1) * (1 + unit)
        below = np.where(event, q_now, 0.0).sum(axis=1) * (1 - unit)
        over = above - lacking[active]
        over += outwards * 4 * UNIT * (above + delta)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            improved = np.where(over > 0, over / below, 1.0)
        better = improved > odds[active]
        # A step below rounding would not end.
        active, improved = active[better], improved[better]
        odds[active] = (
            np.maximum(improved, odds[active] * (1 + _STEP)) if outwards > 0 else improved
        )
        active = active[np.isfinite(improved)]
    return odds


IntegerNoise: TypeAlias = DiscreteLaplace | DiscreteGaussian

_SHARE = 1e-18  # Share of δ for the noise left out, which matters where e^ε is near its inverse
_SMALL = 5.0  # ε up to which noise left out at a share of δ does not widen the interval
_NARROW = 1e-9  # Share of ε; wider, a larger ε is found with all the noise that float64 has


def least_epsilons_of(
    laws: SumLaws, noise: IntegerNoise, delta: float, span: int, step: int = 1
) -> tuple[Floats, Floats]:
    """Enclosure of the least ε for each target, δ in (0, 1); columns are `step` apart.

    `below` and `above` must bound the probabilities themselves (rate 0); `span` is the distance
    of the least sum from the largest, in steps. Ends above about 690 are wide: odds of
    probabilities that float64 holds.
    """
    spread = laws
    if step > 1:  # the same laws on every whole number
        low, high = np.full((2, *laws.low.shape[:2], (laws.low.shape[2] - 1) * step + 1), -np.inf)
        low[:, :, ::step], high[:, :, ::step] = laws.low, laws.high
        spread = attrs.evolve(laws, low=low, high=high)
    missing = (np.exp(laws.below) + np.exp(laws.above)) * (1 + 1e-9)
    if isinstance(noise, DiscreteLaplace):
        low, high = laplace_law(spread, 1 / noise.scale)
        lower, upper = least_epsilons(low, high, missing, delta)
        # No output tells sums apart by more than their distance does.
        return lower, np.minimum(upper, float(span) * step / noise.scale * (1 + 4 * UNIT))
    lower, upper = _with_gaussian(spread, noise, tail_probability(delta), missing, delta)
    wide = np.flatnonzero((upper > _SMALL) & (upper > lower * (1 + _NARROW)))
    if len(wide):
        some = SumLaws(spread.low[:, wide], spread.high[:, wide], laws.below, laws.above)
        again = _with_gaussian(some, noise, TINY, missing[:, wide], delta)
        lower[wide] = np.maximum(lower[wide], again[0])
        upper[wide] = np.minimum(upper[wide], again[1])
    return lower, upper


def tail_probability(delta: float) -> float:
    """The probability of discrete Gaussian noise that is not looked at first."""
    return max(delta * _SHARE, TINY)


def _with_gaussian(
    laws: SumLaws, noise: DiscreteGaussian, outside: float, missing: Floats, delta: float
) -> tuple[Floats, Floats]:
    low, high = gaussian_law(laws, noise, outside)
    return least_epsilons(low, high, missing + outside, delta)


@attrs.frozen(eq=False)
class Reduced:
    """ε̃ of one record of each target value."""

    problem: Multiset  # The records, by their distinct values, and the sample size
    targets: Ints  # (n_targets,): positions in `problem.values`, ascending
    noise: IntegerNoise  # What is added to the sum
    delta: float  # δ in [0, 1); above 0 for discrete Gaussian noise

    def farthest(self) -> Ints:
        """How far each target is from the farthest other value, in units of the data."""
        values = self.problem.values
        own = values[self.targets]
        return np.asarray(np.maximum(own, values[-1] - own) * self.problem.step)

    def noise_alone(self) -> tuple[Floats, Floats]:
        """What holds without any work: 0, and the ε of exchanging the farthest of the targets."""
        most = epsilon_at(self.noise, float(self.farthest().max()), self.delta)
        return np.zeros(len(self.targets)), np.full(len(self.targets), most)

    def only(self, some: Ints) -> "Reduced":
        """The same of some targets, by their places or a mask."""
        return attrs.evolve(self, targets=self.targets[some])

    def likely_tilt(self) -> float:
        """The λ, for one column, up to which tilted sums carry what noisy outputs show.

        Laplace noise weighs a sum by at most e^(±1/b) a unit. With δ > 0, outputs beyond a few
        standard deviations are rarer than δ counts, and those before them are reached by less.
        """
        if self.delta == 0:
            return self.farthest_tilt()
        deviations = math.sqrt(2 * math.log(_RARER / self.delta)) + 1
        step = self.problem.step
        smooth = self.noise.scale / step if isinstance(self.noise, DiscreteGaussian) else 0.0
        likely = deviations / math.hypot(tilt_at(self.problem, 0.0).deviation, smooth)
        return min(self.farthest_tilt(), likely)

    def farthest_tilt(self) -> float:
        """The λ, for one column, beyond which no likely output weighs sums, outliers or not.

        Discrete Gaussian noise at a distance t weighs them by e^(t/σ²) a unit.
        """
        step, scale = self.problem.step, self.noise.scale
        if isinstance(self.noise, DiscreteLaplace):
            return step / scale
        far = float(self.problem.values[-1]) * step + _DEVIATIONS * scale
        return far / scale * step / scale


_RARER = 1e9  # Rarer than δ by this, outputs need no tilt: their share of ε̃ is below 1e-9
_DEVIATIONS = 10.0  # Standard deviations of Gaussian noise beyond which the mass is < 1e-22
