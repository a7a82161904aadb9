"""The ways to ε̃ of a noisy sum: what each takes in seconds, and which is taken.

Seconds are those of one core of an ordinary machine; the same on every machine, so that the
choice, and what is refused, depend on the question alone.
"""

import math
from collections.abc import Iterable
from typing import TypeAlias

import attrs
import numpy as np

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums import counts as _counts
from deniable.population.whole_sums import far as _far
from deniable.population.whole_sums import flat as _flat
from deniable.population.whole_sums import gaussian as _gaussian
from deniable.population.whole_sums import recursion as _recursion
from deniable.population.whole_sums import tilted as _tilted
from deniable.population.whole_sums.laplace import largest_losses
from deniable.population.whole_sums.laws import Floats, SumLaws
from deniable.population.whole_sums.multiset import Ints, Multiset
from deniable.population.whole_sums.release import Noise, least_epsilons_of
from deniable.population.whole_sums.stick import least_epsilons
from deniable.population.whole_sums.tilt import Tilt, tilt_at
from deniable.population.work.time_limit import check

MOST_COLUMNS = 2**24
"""Columns of one target: about a gigabyte."""
_FEW = 4
"""In so many parts at least, shared work may be done again."""
_BRIEF = 0.5
"""Seconds that are not worth parts."""
_AT_ONCE = 2**19
"""Columns times targets whose laws are held at once."""
_TABLE = 6e-10
"""Seconds for an entry of the table of counts and a record."""
_DIFFERENCE = 4e-9
"""Seconds for an entry of the table of counts and a target."""
_FLAT = 1e-7
"""Seconds for a column, noise added in float64."""
_SCALED = 6e-7
"""Seconds for a column, noise added far outside the range of float64."""
_STICK = 1e-7
"""Seconds for a column's place in the events of two hockey sticks."""
_BANDED = 5e-10
"""Seconds for an output and a value of discrete Gaussian noise."""
_ENTRY = 1.2e-9
"""Seconds for an entry of a table of the recursion."""
_PRODUCT = 7e-8
"""Seconds for a complex product with its surroundings."""
_INVERTED = 5e-8
"""Seconds for a point of a period and a tilt, both laws."""
_MIXED = 2e-7
"""Seconds for a column of the others' sum and a subset of the far records."""


@attrs.frozen
class Cost:
    """Seconds: `before` any part, for every `part`, and for every `target`.

    `columns` is how many whole numbers the law of a sum covers.
    """

    before: float
    part: float
    target: float
    columns: int

    def parts(self, n_targets: int) -> int:
        """How many parts: about a second each, and little that is done again in each.

        Not by the number of workers: ends may differ by rounding from part to part.
        """
        work = n_targets * self.target
        if self.part + work <= _BRIEF:
            return 1
        wished = max(math.ceil(work), _FEW)
        if self.part:
            wished = min(wished, max(math.ceil(work / self.part / 2), _FEW))
        return min(wished, n_targets)

    def total(self, n_targets: int, workers: int = 1) -> float:
        """Of all targets, in as many parts, by so many workers at once."""
        parts = self.parts(n_targets)
        rounds = math.ceil(parts / workers) / parts
        return self.before + rounds * (parts * self.part + n_targets * self.target)


@attrs.frozen(eq=False)
class Counted:
    """Exact numbers of samples, from one table a part."""

    def losses(
        self, problem: Multiset, targets: Ints, noise: Noise, delta: float
    ) -> tuple[Floats, Floats]:
        """Enclosure of ε̃ for each target; shape (n_targets,) each."""
        made = _counts.table(problem)
        return _joined(_counted(problem, made, int(target), noise, delta) for target in targets)


@attrs.frozen(eq=False)
class Added:
    """The recursion of non-negative terms."""

    def losses(
        self, problem: Multiset, targets: Ints, noise: Noise, delta: float
    ) -> tuple[Floats, Floats]:
        """Enclosure of ε̃ for each target; shape (n_targets,) each."""
        width = max(_AT_ONCE // problem.n_sums, 1)
        return _joined(
            _released(problem, laws, noise, delta)
            for laws in _recursion.in_turn(problem, targets, width)
        )


@attrs.frozen(eq=False)
class Inverted:
    """Fourier inversion under several tilts."""

    plan: _tilted.Plan

    def losses(
        self, problem: Multiset, targets: Ints, noise: Noise, delta: float
    ) -> tuple[Floats, Floats]:
        """Enclosure of ε̃ for each target; shape (n_targets,) each."""
        return _joined(
            _released(problem, _tilted.sum_laws(problem, some, self.plan), noise, delta)
            for some in _few(targets, self.plan.n_columns)
        )


@attrs.frozen(eq=False)
class Conditioned:
    """Fourier inversion of all records but a few far ones."""

    plan: _far.FarPlan

    def losses(
        self, problem: Multiset, targets: Ints, noise: Noise, delta: float
    ) -> tuple[Floats, Floats]:
        """Enclosure of ε̃ for each target; shape (n_targets,) each."""
        return _joined(
            _released(problem, _far.sum_laws(problem, some, self.plan), noise, delta)
            for some in _few(targets, problem.n_sums)
        )


Way: TypeAlias = Counted | Added | Inverted | Conditioned


_ENDLESS = Cost(math.inf, 0.0, 0.0, 0)


def counted(problem: Multiset, noise: Noise, delta: float) -> Cost:
    """The cost of `Counted`."""
    table = _counts.cells(problem)
    release = released(problem, noise, delta, problem.n_sums)
    if _flat_noise(problem, noise):
        spread = 1 if delta == 0 else problem.step
        release = problem.n_sums * spread * (_FLAT + (_STICK if delta else 0.0))
    shared = _TABLE * table * problem.n_records
    return Cost(0.0, shared, _DIFFERENCE * table + release, problem.n_sums)


def added(problem: Multiset, targets: Ints, noise: Noise, delta: float) -> Cost:
    """The cost of `Added`: a part adds the other parts' records, then halves of its own."""
    table = _ENTRY * (problem.size + 1.0) * (problem.ends[1] + 1) * problem.n_records
    own = max(len(targets) / _FEW, 1.0)
    levels = 1.5 + own / len(problem.values) * math.log2(own)
    release = released(problem, noise, delta, problem.n_sums)
    return Cost(0.0, table * levels, release, problem.n_sums)


def inverted(
    problem: Multiset,
    chosen: list[Tilt],
    n_targets: int,
    noise: Noise,
    delta: float,
    within: float = math.inf,
) -> Cost:
    """The cost of `Inverted`; endless where there are no tilts, or none fit.

    Where the targets alone take longer than `within`, what comes before is not looked at.
    """
    if not _held(chosen):
        return _ENDLESS
    reached = max(t.first + t.length for t in chosen) - min(t.first for t in chosen)
    columns = min(reached + int(problem.values[-1]), problem.n_sums)
    each = _inversions(chosen, columns) + released(problem, noise, delta, columns)
    spectra = 0.0 if each * n_targets > within else _PRODUCT * _tilted.work(problem, chosen)
    return Cost(spectra, 0.0, each, columns)


def conditioned(
    problem: Multiset, parts: _far.Split, chosen: list[Tilt], noise: Noise, delta: float
) -> Cost:
    """The cost of `Conditioned`; `chosen` are the tilts of the usual size of the others."""
    if not _held(chosen):
        return _ENDLESS
    columns, sizes = parts.near.n_sums, len(parts.sizes)
    each = sizes * _inversions(chosen, columns) + _MIXED * 2 ** len(parts.far) * columns
    each += released(problem, noise, delta, problem.n_sums)
    before = sizes * _PRODUCT * _tilted.work(parts.near, chosen)
    return Cost(before, 0.0, each, problem.n_sums)


def _held(chosen: list[Tilt]) -> bool:
    return bool(chosen) and max(tilt.period for tilt in chosen) <= 2 * MOST_COLUMNS


def _inversions(chosen: list[Tilt], columns: int) -> float:
    return _INVERTED * (sum(tilt.period for tilt in chosen) + columns * len(chosen) / 2)


def released(problem: Multiset, noise: Noise, delta: float, columns: int) -> float:
    """Seconds a target from the law of the sum to ε̃."""
    if delta == 0:
        return _SCALED * columns
    wide = columns * problem.step
    if isinstance(noise, DiscreteLaplace):
        return (_SCALED + _STICK) * wide
    width = 2 * _gaussian.reach(noise, delta * 1e-18) + 1
    return _BANDED * (wide + width) * width + _STICK * (wide + width)


def likely_tilt(problem: Multiset, noise: Noise, delta: float) -> float:
    """The λ, for one column, up to which tilted sums carry what noisy outputs show.

    Laplace noise weighs a sum by at most e^(±1/b) a unit. With δ > 0, outputs beyond a few
    standard deviations are rarer than δ counts, and those before them are reached by less.
    """
    if delta == 0:
        return farthest_tilt(problem, noise)
    deviations = math.sqrt(2 * math.log(1e9 / delta)) + 1
    smooth = noise.scale / problem.step if isinstance(noise, DiscreteGaussian) else 0.0
    likely = deviations / math.hypot(tilt_at(problem, 0.0).deviation, smooth)
    return min(farthest_tilt(problem, noise), likely)


def farthest_tilt(problem: Multiset, noise: Noise) -> float:
    """The λ, for one column, beyond which no likely output weighs sums, far records or not.

    Discrete Gaussian noise at a distance t weighs them by e^(t/σ²) a unit.
    """
    if isinstance(noise, DiscreteLaplace):
        return problem.step / noise.scale
    far = float(problem.values[-1]) * problem.step + 10 * noise.scale
    return far / noise.scale * problem.step / noise.scale


def _counted(
    problem: Multiset, made: _counts.Table, target: int, noise: Noise, delta: float
) -> tuple[Floats, Floats]:
    if not (isinstance(noise, DiscreteLaplace) and _flat_noise(problem, noise)):
        return _released(problem, _counts.sum_laws(problem, made, target), noise, delta)
    counts = _counts.counts_of(problem, made, target)
    if delta == 0:
        rate = problem.step / noise.scale
        ends = _flat.largest_loss(counts, rate, _counts.log_odds(problem))
        return np.array(ends[:1]), np.array(ends[1:])
    wide = np.zeros((2, (counts.shape[1] - 1) * problem.step + 1))
    wide[:, :: problem.step] = counts
    low, high = _flat.noisy_law(wide, 1 / noise.scale, _counts.norms(problem))
    return least_epsilons(low, high, np.zeros((2, 1)), delta)


def _few(targets: Ints, columns: int) -> list[Ints]:
    width = max(_AT_ONCE // columns, 1)
    return [targets[at : at + width] for at in range(0, len(targets), width)]


def _joined(each: Iterable[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    lower, upper = [], []
    for ends in each:
        check()
        lower.append(ends[0])
        upper.append(ends[1])
    return np.concatenate(lower), np.concatenate(upper)


def _flat_noise(problem: Multiset, noise: Noise) -> bool:
    steep = problem.step / noise.scale
    return isinstance(noise, DiscreteLaplace) and _flat.fits(problem, steep)


def _released(
    problem: Multiset, laws: SumLaws, noise: Noise, delta: float
) -> tuple[Floats, Floats]:
    if delta == 0:
        return largest_losses(laws, problem.step / noise.scale)
    return least_epsilons_of(laws, noise, delta, problem.n_sums - 1, problem.step)
