"""What each method to ε̃ of a noisy sum takes: operations that are counted, and bytes.

The method is chosen by these counts, the same on every machine. They refuse nothing: a time limit
ends the work, and only what cannot fit into memory is refused.
"""

import math

import attrs

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.integer_sums import counts, inversion, outliers, recursion
from deniable.population.integer_sums.chernoff_tilt import Tilt
from deniable.population.integer_sums.release import Reduced, reach, tail_probability


@attrs.frozen
class Tuning:
    """What one counted step of each kind costs, and how work is cut.

    The unit is a multiply-add of a float64 array that streams through the caches: about a
    nanosecond. Weights are rounded nanoseconds of a step on one machine, measured by hand, most of
    them before these counts replaced seconds. They choose between methods and cut work into parts,
    no more: a wrong weight costs time. benchmarks/population_whole_sums.py shows how much.
    """

    count_entry: float = 0.6
    """An entry of the table of counts and a record: one addition of whole numbers."""
    difference_entry: float = 4.0
    """An entry of the table of counts and a target: read once, far from the last one read."""
    recursion_entry: float = 1.2
    """An entry of a table of the recursion and a record: two products and an addition."""
    complex_product: float = 70.0
    """A frequency and a value: a complex factor looked up, its power, three products."""
    fourier_point: float = 50.0
    """A point of a period and a tilt, both laws: a fast transform and two logarithms."""
    outlier_column: float = 200.0
    """A column of the others' sum and a subset of the outliers: four log-sums."""
    laplace_column: float = 300.0
    """A column of a law: four rows to and from logarithms, and two running sums; 230 where rows
    fit into the caches, 650 in rows of half a million."""
    gaussian_entry: float = 0.5
    """A column and a value of discrete Gaussian noise: a share of a matrix product."""
    event_column: float = 100.0
    """A column's place in the events of two hockey sticks, some ten rounds."""
    tilt: float = 1e6
    """To find one tilt: some hundred calls on short arrays."""
    tilt_value: float = 1e3
    """And for each distinct value: forty halvings of an exponential and a quotient."""
    glance: float = 2e7
    """No other method is looked at for work below it, of which twenty tilts are as much."""
    worth: float = 10.0
    """Times what an answer took, and a second at least, that narrower intervals may take."""
    part: float = 1e9
    """A part of the work, about a second: what a time limit may wait for."""
    fewest_parts: int = 4
    """In so many parts at least, what the targets of a part share may be done again."""
    columns_at_once: int = 2**19
    """Columns times targets whose laws are held at once: 16 MiB a pair of ends, near the caches."""
    column_bytes: int = 500
    """Bytes a column while noise is added: four rows of float64, some fifteen arrays of them."""
    point_bytes: int = 64
    """Bytes a point of a period while it is inverted: two rows, complex and real."""


TUNING = Tuning()
_SPECTRUM_BYTES = 32.0
"""Bytes a frequency and a target: two complex numbers."""


@attrs.frozen
class Cost:
    """Operations: `before` any part, for every `part`, and for every `target`.

    Parameters
    ----------
    before, part, target : float
        In the unit of `Tuning`.
    bytes : float
        What a worker holds at once.
    """

    before: float
    part: float
    target: float
    bytes: float

    def parts(self, n_targets: int) -> int:
        """How many parts: of about `Tuning.part` each, and little that is done again in each.

        Not by the number of workers: ends may differ by rounding from part to part.
        """
        work = n_targets * self.target
        if self.part + work <= TUNING.part / 2:
            return 1
        wished = max(math.ceil(work / TUNING.part), TUNING.fewest_parts)
        if self.part:
            again = math.ceil(work / self.part / 2)
            wished = min(wished, max(again, TUNING.fewest_parts))
        return min(wished, n_targets)

    def total(self, n_targets: int) -> float:
        """Of all targets, in as many parts."""
        return self.before + self.parts(n_targets) * self.part + n_targets * self.target


def counting_cost(reduced: Reduced) -> Cost:
    """Of `CountingMethod`: n rows of counts a record, then every row again for every target."""
    problem = reduced.problem
    table = counts.cells(problem)
    release = release_cost(reduced, problem.n_sums)
    n_bytes = 8.0 * table + release_bytes(reduced, problem.n_sums)
    shared = TUNING.count_entry * table * problem.n_records
    return Cost(0.0, shared, TUNING.difference_entry * table + release, n_bytes)


def recursion_cost(reduced: Reduced) -> Cost:
    """Of `RecursionMethod`: a part adds the other parts' records, then halves of its own."""
    problem = reduced.problem
    cells = recursion.cells(problem)
    table = TUNING.recursion_entry * cells * problem.n_records
    own = max(len(reduced.targets) / TUNING.fewest_parts, 1.0)
    levels = 1.5 + own / len(problem.values) * math.log2(own)
    release = release_cost(reduced, problem.n_sums)
    # One table a halving, and two while a record is added.
    n_bytes = 8.0 * cells * (math.log2(len(problem.values)) + 3)
    n_bytes += release_bytes(reduced, problem.n_sums)
    return Cost(0.0, table * levels, release, n_bytes)


def inversion_cost(
    reduced: Reduced, tilts: list[Tilt], within: float = math.inf, memory: float = math.inf
) -> Cost:
    """Of `InversionMethod` under these tilts.

    Where the targets alone take more operations than `within`, or an inversion more bytes than
    `memory`, what comes before is not counted.
    """
    problem, n_targets = reduced.problem, len(reduced.targets)
    reached = max(t.first + t.length for t in tilts) - min(t.first for t in tilts)
    columns = min(reached + int(problem.values[-1]), problem.n_sums)
    each = _inversions(tilts, columns) + release_cost(reduced, columns)
    n_bytes = _inversion_bytes(tilts) + release_bytes(reduced, columns)
    if each * n_targets > within or n_bytes > memory:
        return Cost(0.0, 0.0, each, n_bytes)
    pairs, frequencies = inversion.count_frequencies(problem, tilts)
    spectra = TUNING.complex_product * pairs * len(problem.values)
    return Cost(spectra, 0.0, each, n_bytes + _SPECTRUM_BYTES * frequencies * n_targets)


def conditioning_cost(
    reduced: Reduced, split: outliers.Split, tilts: list[Tilt], memory: float = math.inf
) -> Cost:
    """Of `ConditioningMethod`; `tilts` are the tilts of the usual size of the others."""
    problem, others = reduced.problem, split.near
    columns, sizes = others.n_sums, len(split.sizes)
    mixed = TUNING.outlier_column * 2 ** len(split.outliers) * columns
    each = sizes * _inversions(tilts, columns) + mixed + release_cost(reduced, problem.n_sums)
    n_bytes = sizes * _inversion_bytes(tilts) + release_bytes(reduced, problem.n_sums)
    if n_bytes > memory:
        return Cost(0.0, 0.0, each, n_bytes)
    pairs, frequencies = inversion.count_frequencies(others, tilts)
    spectra = TUNING.complex_product * pairs * len(others.values)
    n_bytes += _SPECTRUM_BYTES * frequencies * sizes * len(reduced.targets)
    return Cost(sizes * spectra, 0.0, each, n_bytes)


def release_cost(reduced: Reduced, columns: int) -> float:
    """Operations a target from the law of the sum to ε̃."""
    noise, delta = reduced.noise, reduced.delta
    if delta == 0:
        return TUNING.laplace_column * columns
    wide = columns * reduced.problem.step
    if isinstance(noise, DiscreteLaplace):
        return (TUNING.laplace_column + TUNING.event_column) * wide
    width = _width(noise, delta)
    return (TUNING.gaussian_entry * width + TUNING.event_column) * (wide + width)


def release_bytes(reduced: Reduced, columns: int) -> float:
    """Bytes for the columns of the targets whose laws are held at once."""
    noise, delta = reduced.noise, reduced.delta
    wide = float(columns) * (1 if delta == 0 else reduced.problem.step)
    if isinstance(noise, DiscreteGaussian) and delta:
        wide += _width(noise, delta)
    return TUNING.column_bytes * max(wide, TUNING.columns_at_once)


def _width(noise: DiscreteGaussian, delta: float) -> int:
    """How many values of discrete Gaussian noise count."""
    return 2 * reach(noise, tail_probability(delta)) + 1


def _inversions(tilts: list[Tilt], columns: int) -> float:
    points = sum(tilt.period for tilt in tilts) + columns * len(tilts) / 2
    return TUNING.fourier_point * points


def _inversion_bytes(tilts: list[Tilt]) -> float:
    return TUNING.point_bytes * float(max(tilt.period for tilt in tilts))
