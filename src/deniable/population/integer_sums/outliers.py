"""A few outliers, records far from all others: their part in the sample is conditioned on.

Samples of n with sum s are, for each subset J of the outliers, those n − |J| others with the sum
s less that of J: sums of non-negative terms, from the laws of the others' sums for a few sizes.
"""

import itertools
import math
from collections import Counter

import attrs
import numpy as np

from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT, directed, upper
from deniable.population.integer_sums import inversion
from deniable.population.integer_sums.chernoff_tilt import tilt_at
from deniable.population.integer_sums.multiset import Multiset, SumLaws
from deniable.population.question import Floats, Ints

_NARROWER = 8  # How many times as wide the records are with the outliers
_APART = 6.0  # Standard deviations of the others' sum beyond which a record stands apart


@attrs.frozen(eq=False)
class Split:
    """The records, the outliers apart."""

    near: Multiset  # The others, moved so that the least is 0
    moved: int  # By how much
    first: int  # Position of their least value among all values
    outliers: tuple[int, ...]  # The values of the outliers, with repeats

    @property
    def sizes(self) -> range:
        """How many of the others may be in the sample."""
        return range(self.near.size - len(self.outliers), self.near.size + 1)

    def of_size(self, size: int) -> Multiset:
        """The others, with this many of them taken."""
        return attrs.evolve(self.near, size=size)


@attrs.frozen(eq=False)
class OutlierPlan:
    """How to invert for every size, in the order of `split.sizes`; every sum is covered."""

    split: Split
    plans: tuple[inversion.InversionPlan, ...]


def split(problem: Multiset) -> Split | None:
    """The fewest outliers, up to four, without which the others are much narrower."""
    values = np.repeat(problem.values, problem.counts)
    median, span = int(values[len(values) // 2]), int(values[-1])
    first, last = 0, len(values)
    for _ in range(4):  # Outliers that are conditioned on: sixteen subsets of them
        if median - values[first] > values[last - 1] - median:
            first += 1
        else:
            last -= 1
        near = values[first:last]
        if _NARROWER * (near[-1] - near[0]) <= span:
            break
    else:
        return None
    removed = np.concatenate([values[:first], values[last:]])
    enough = problem.size - len(removed) >= 1 and problem.size + 1 <= len(near)
    if not enough or near[0] == near[-1]:
        return None
    distinct, counts = np.unique(near - near[0], return_counts=True)
    others = Multiset(distinct, counts.astype(np.int64), problem.size, problem.step)
    gap = int(np.minimum(np.abs(removed - near[0]), np.abs(removed - near[-1])).min())
    if gap < _APART * tilt_at(others, 0.0).deviation:
        return None
    at = int(np.searchsorted(problem.values, near[0]))
    return Split(others, int(near[0]), at, tuple(removed.tolist()))


def plan(parts: Split, targets: Ints, farthest: float) -> OutlierPlan:
    """Spectra of the others without one record of each target value that is no outlier."""
    near = targets - parts.first
    near = near[(near >= 0) & (near < len(parts.near.values))]
    # A target that is an outlier needs the law of all others, which any one of them gives.
    wanted = np.union1d(near, [0]).astype(np.int64)
    plans = []
    for size in parts.sizes:
        others = parts.of_size(size)
        tilts = inversion.tilts(others, farthest)
        plans.append(inversion.plan(others, wanted, tilts, every_sum=True))
    return OutlierPlan(parts, tuple(plans))


def sum_laws(problem: Multiset, targets: Ints, planned: OutlierPlan) -> SumLaws:
    """The laws with and without one record of each target value (positions in `values`)."""
    parts, bounds = planned.split, []
    for target in targets.tolist():
        near, free, own = target - parts.first, list(parts.outliers), None
        if not 0 <= near < len(parts.near.values):  # an outlier
            near, own = 0, int(problem.values[target])
            free.remove(own)
        laws = {
            size: inversion.sum_laws(parts.of_size(size), np.array([near]), plan)
            for size, plan in zip(parts.sizes, planned.plans, strict=True)
        }
        both = [_mixture(problem, parts, laws, free, own, member=m) for m in (True, False)]
        bounds.append(np.stack(both, axis=1))
    low, high = np.stack(bounds, axis=2)
    nothing = np.full(low.shape[:2], -np.inf)
    return SumLaws(low, high, nothing, nothing)


def _mixture(
    problem: Multiset,
    parts: Split,
    laws: dict[int, SumLaws],
    free: list[int],
    own: int | None,
    *,
    member: bool,
) -> Floats:
    """Enclosed logarithms of one law; shape (2, n_sums).

    `free` are the outliers that may be in or out, `own` is the value of the target if it is one
    itself; `laws` are those of the others' sums, with and without a target that is not.
    """
    included, shift = (1, own) if member and own is not None else (0, 0)
    bounds = np.full((2, problem.n_sums), -np.inf)
    largest, steps = 1.0, 4
    all_samples = (problem.n_records - 1, problem.size - member)
    subsets = (itertools.combinations(free, j) for j in range(len(free) + 1))
    # How many subsets have which size and sum.
    many = Counter((len(some), sum(some)) for some in itertools.chain.from_iterable(subsets))
    for (j, total), times in many.items():
        check()
        size = problem.size - j - included
        # Enclosed ln of the share of all samples: in or out, low or high.
        part = np.stack([laws[size].low[:, 0], laws[size].high[:, 0]], axis=1)
        part[0] += _log_share(parts.near.n_records - 1, size - 1, *all_samples)
        part[1] += _log_share(parts.near.n_records - 1, size, *all_samples)
        some = np.logaddexp(part[0], part[1]) if own is not None else part[0 if member else 1]
        some = some + math.log(times)
        start = parts.of_size(size).sum_range[0] + size * parts.moved
        start += total + shift - problem.sum_range[0]
        window = bounds[:, start : start + some.shape[1]]
        np.logaddexp(window, some, out=window)
        largest = max(largest, float(np.abs(part[np.isfinite(part)]).max(initial=0.0)))
        steps += 4
    # Every step is right to a few units of the largest logarithm.
    error = 6 * UNIT * steps * (largest + 4)
    return np.asarray(bounds + np.array([[-error], [error]]))


def _log_share(some: int, number: int, everyone: int, size: int) -> float:
    """ln of the ratio of two binomial coefficients, to a unit."""
    with directed() as r:
        return upper(r.log_binomial(some, number) - r.log_binomial(everyone, size))
