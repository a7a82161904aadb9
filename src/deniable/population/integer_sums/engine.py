"""Integer sums: the entry, the work in parts, and the method of the fewest operations."""

import contextlib
import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from typing import TypeAlias, cast

import attrs
import numpy as np

from deniable.computing.parallel import Arrays, blocks, memory
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.bound import Evidence, pair_bounds
from deniable.numerics.effort import Effort, OutOfTime, check, is_counted, late, limited, spend
from deniable.numerics.rounding import UNIT
from deniable.population.answer import RecordBounds
from deniable.population.bounds import epsilon_at, gaussian_tails
from deniable.population.integer_sums import counts, inversion, outliers, recursion
from deniable.population.integer_sums.chernoff_tilt import Tilt
from deniable.population.integer_sums.multiset import Multiset, SumLaws, multiset
from deniable.population.integer_sums.ones import one_and_zero
from deniable.population.integer_sums.release import (
    IntegerNoise,
    Reduced,
    largest_losses,
    least_epsilons_of,
    reach,
    tail_probability,
)
from deniable.population.question import (
    Bools,
    Floats,
    Ints,
    Ones,
    Question,
    Summands,
    as_integers,
    only_column,
)

# --- What each method to ε̃ of a noisy sum takes: operations that are counted, and bytes.
#
# The method is chosen by these counts, the same on every machine. They refuse nothing: a time limit
# ends the work, and only what cannot fit into memory is refused.


@attrs.frozen
class Tuning:
    """What one counted step of each kind costs, and how work is cut.

    The unit is a multiply-add of a float64 array that streams through the caches: about a
    nanosecond, measured by hand on one machine. Weights choose between methods and cut work into
    parts, no more: a wrong one costs time. benchmarks/population_whole_sums.py shows how much.
    """

    count_entry: float = 0.6  # Of the table of counts, a record: one addition of whole numbers
    difference_entry: float = 4.0  # Of the table of counts, a target: read far from the last
    recursion_entry: float = 1.2  # Of its table, a record: two products and an addition
    complex_product: float = 70.0  # A frequency and a value: a factor, its power, 3 products
    fourier_point: float = 50.0  # A point of a period and a tilt: a transform, two logarithms
    outlier_column: float = 200.0  # A column and a subset of the outliers: four log-sums
    laplace_column: float = 300.0
    """A column of a law: four rows to and from logarithms, and two running sums; 230 where rows
    fit into the caches, 650 in rows of half a million."""
    gaussian_entry: float = 0.5  # A column and a value of the noise: part of a matrix product
    event_column: float = 100.0  # A column's place in the events of two hockey sticks
    tilt: float = 1e6  # The cost of one tilt: a few hundred calls on short arrays
    tilt_value: float = 1e3  # For each distinct value: forty halvings of a quotient
    glance: float = 2e7  # Work below which no other method is looked at: that of twenty tilts
    worth: float = 10.0  # Times a first answer's work, and a second, for narrower intervals
    part: float = 1e9  # A part of the work, about a second: what a time limit may wait for
    fewest_parts: int = 4  # Parts at least: what a part's targets share may be done again
    columns_at_once: int = 2**19  # Columns times targets held at once: 16 MiB a pair of ends
    column_bytes: int = 500  # While noise is added: four rows of float64, some fifteen arrays
    point_bytes: int = 64  # A point of a period that is inverted: two rows, complex and real


TUNING = Tuning()
_SPECTRUM_BYTES = 32.0  # Bytes a frequency and a target: two complex numbers


@attrs.frozen
class Cost:
    """Operations: `before` any part, for every `part`, and for every `target`."""

    # before, part, target: in the unit of `Tuning`.
    before: float
    part: float
    target: float
    bytes: float  # What a worker holds at once

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
        """Return the cost of all targets, in as many parts."""
        return self.before + self.parts(n_targets) * self.part + n_targets * self.target


def counting_cost(reduced: Reduced) -> Cost:
    """Cost `by_counting`: n rows of counts a record, then every row for every target."""
    problem = reduced.problem
    table = counts.cells(problem)
    release = release_cost(reduced, problem.n_sums)
    n_bytes = 8.0 * table + release_bytes(reduced, problem.n_sums)
    shared = TUNING.count_entry * table * problem.n_records
    return Cost(0.0, shared, TUNING.difference_entry * table + release, n_bytes)


def recursion_cost(reduced: Reduced) -> Cost:
    """Cost `by_recursion`: a part adds the others' records, then halves of its own."""
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
    """Cost `by_inversion` under these tilts.

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
    """Cost `by_conditioning`; `tilts` are those of the usual size of the others."""
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
    return 2 * reach(noise, tail_probability(delta)) + 1


def _inversions(tilts: list[Tilt], columns: int) -> float:
    return TUNING.fourier_point * (sum(tilt.period for tilt in tilts) + columns * len(tilts) / 2)


def _inversion_bytes(tilts: list[Tilt]) -> float:
    return TUNING.point_bytes * float(max(tilt.period for tilt in tilts))


Method: TypeAlias = Callable[[Multiset, Ints], Iterator[SumLaws]]
"""The laws with and without one record of each target, a few targets at a time."""


def by_counting(problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
    """Exact numbers of samples, from one table a part."""
    table = counts.count_table(problem)
    for some in _in_turn(targets, problem.n_sums):
        yield counts.sum_laws(problem, table, some)


def by_recursion(problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
    """The recursion of non-negative terms."""
    return recursion.sum_laws(problem, targets, _at_once(problem.n_sums))


def by_inversion(
    plan: inversion.InversionPlan, problem: Multiset, targets: Ints
) -> Iterator[SumLaws]:
    """Fourier inversion under several tilts."""
    for some in _in_turn(targets, plan.n_columns):
        yield inversion.sum_laws(problem, some, plan)


def by_conditioning(
    plan: outliers.OutlierPlan, problem: Multiset, targets: Ints
) -> Iterator[SumLaws]:
    """Fourier inversion of all records but a few outliers."""
    for some in _in_turn(targets, problem.n_sums):
        yield outliers.sum_laws(problem, some, plan)


def losses_by(method: Method, reduced: Reduced) -> tuple[Floats, Floats]:
    """Enclosure of ε̃ for each target; shape (n_targets,) each."""
    problem, noise, delta = reduced.problem, reduced.noise, reduced.delta
    bounds = []
    for laws in method(problem, reduced.targets):
        check()
        if delta == 0:
            bounds.append(largest_losses(laws, problem.step / noise.scale))
        else:
            bounds.append(least_epsilons_of(laws, noise, delta, problem.n_sums - 1, problem.step))
    lower, upper = (np.concatenate(part) for part in zip(*bounds, strict=True))
    return lower, upper


def _at_once(columns: int) -> int:
    """How many targets' laws are held at once."""
    return max(TUNING.columns_at_once // columns, 1)


def _in_turn(targets: Ints, columns: int) -> Iterator[Ints]:
    width = _at_once(columns)
    return (targets[at : at + width] for at in range(0, len(targets), width))


@attrs.frozen(eq=False)
class Candidate:
    """A method with its cost; `ready` makes what all parts share."""

    cost: Cost
    ready: Callable[[], Method]
    exact: bool = False
    """Whether intervals are as narrow as rounding, whatever the records."""


def best(reduced: Reduced, memory: float) -> Candidate:
    """The method of the fewest operations among those that fit into so many bytes.

    Raises `InvalidArgument` if none fits.
    """
    candidates = _exact_candidates(reduced)
    least = _least(candidates, reduced, memory)
    # Counting what an inversion takes is work too: not begun below a glance, ended at `least`.
    if least > TUNING.glance and (split := outliers.split(reduced.problem)) is not None:
        candidates += _by_tilts(reduced, reduced.farthest_tilt(), least, memory, split)
        least = _least(candidates, reduced, memory)
    if least > TUNING.glance:
        candidates += _by_tilts(reduced, reduced.likely_tilt(), least, memory)
    cheapest = _cheapest(candidates, reduced, memory)
    if cheapest is None:
        needed = min(each.cost.bytes for each in candidates)
        raise InvalidArgument(
            "Expected sums whose probabilities fit into memory, got records that range so widely "
            f"that they take {needed / 2**30:,.1f} GiB, of {memory / 2**30:,.1f} GiB for each "
            "worker. Round the records to a coarser unit, or use Gaussian or Laplace noise."
        )
    return cheapest


def every(reduced: Reduced, memory: float) -> list[Candidate]:
    """All methods that can answer, for comparison."""
    candidates = _exact_candidates(reduced)
    candidates += _by_tilts(reduced, reduced.likely_tilt(), math.inf, memory)
    if (split := outliers.split(reduced.problem)) is not None:
        candidates += _by_tilts(reduced, reduced.farthest_tilt(), math.inf, memory, split)
    return [each for each in candidates if each.cost.bytes <= memory]


def farther_tilts(reduced: Reduced, memory: float) -> Candidate | None:
    """Tilts for the tail that only outliers reach too, for what was inverted without them."""
    if reduced.delta == 0:
        return None
    return _cheapest(_by_tilts(reduced, reduced.farthest_tilt(), math.inf, memory), reduced, memory)


def exact(reduced: Reduced, memory: float) -> Candidate | None:
    """A method without cancellation, for records that no tilt has digits for."""
    return _cheapest(_exact_candidates(reduced), reduced, memory)


def is_worth_it(again: Candidate, some: Reduced, first: Candidate, reduced: Reduced) -> bool:
    """Whether narrower intervals of some targets take little beside what they took at first."""
    before = max(first.cost.total(len(reduced.targets)), TUNING.part)
    return again.cost.total(len(some.targets)) <= TUNING.worth * before


def _cheapest(candidates: list[Candidate], reduced: Reduced, memory: float) -> Candidate | None:
    fitting = [each for each in candidates if each.cost.bytes <= memory]
    return min(fitting, key=lambda each: each.cost.total(len(reduced.targets)), default=None)


def _least(candidates: list[Candidate], reduced: Reduced, memory: float) -> float:
    """The fewest operations of those that fit."""
    cheapest = _cheapest(candidates, reduced, memory)
    return math.inf if cheapest is None else cheapest.cost.total(len(reduced.targets))


def _exact_candidates(reduced: Reduced) -> list[Candidate]:
    candidates = []
    if counts.fits(reduced.problem):
        candidates.append(Candidate(counting_cost(reduced), lambda: by_counting, exact=True))
    if recursion.fits(reduced.problem):
        candidates.append(Candidate(recursion_cost(reduced), lambda: by_recursion, exact=True))
    return candidates


def _by_tilts(
    reduced: Reduced,
    farthest: float,
    within: float,
    memory: float,
    split: outliers.Split | None = None,
) -> list[Candidate]:
    """None where finding the tilts alone takes more operations than `within`."""
    problem = reduced.problem if split is None else split.near
    most = within / (TUNING.tilt + TUNING.tilt_value * len(problem.values))
    tilts = inversion.tilts(problem, farthest, most)
    if not tilts:
        return []

    def ready() -> Method:
        if split is None:
            return partial(by_inversion, inversion.plan(problem, reduced.targets, tilts))
        return partial(by_conditioning, outliers.plan(split, reduced.targets, farthest))

    if split is None:
        return [Candidate(inversion_cost(reduced, tilts, within, memory), ready)]
    return [Candidate(conditioning_cost(reduced, split, tilts, memory), ready)]


@attrs.frozen(eq=False)
class _WorkUnit:
    reduced: Reduced
    method: Method

    def done(self) -> Arrays:
        lower, upper = losses_by(self.method, self.reduced)
        return {"lower": lower, "upper": upper}


@attrs.frozen(eq=False)
class LossBounds:
    """Enclosure of ε̃ of each target; what the noise alone gives where time did not reach."""

    # lower, upper (n_targets,): the ends.
    lower: Floats
    upper: Floats
    reached: Bools  # (n_targets,): whether the laws of the sum were looked at

    def narrow(self, at: Ints, lower: Floats, upper: Floats) -> None:
        """Intersect the ends of some targets with others, in place."""
        self.lower[at] = np.maximum(self.lower[at], lower)
        self.upper[at] = np.minimum(self.upper[at], upper)


def losses(reduced: Reduced, candidate: Candidate, effort: Effort) -> LossBounds:
    """Compute losses by one method, as many as time allows, the outermost targets first."""
    many, farthest = len(reduced.targets), reduced.farthest()
    bounds = LossBounds(np.zeros(many), np.full(many, np.inf), np.zeros(many, bool))
    with contextlib.suppress(OutOfTime):
        check(candidate.cost.before)
        method = candidate.ready()
        places = np.array_split(np.arange(many), candidate.cost.parts(many))
        # The outermost records first: of the others more is known if time runs out.
        places.sort(key=lambda at: -int(farthest[at].max()))
        parts = [_WorkUnit(reduced.only(at), method) for at in places]
        results = blocks(_WorkUnit.done, parts, effort, name="whole-sums")
        with closing(cast("Generator[Arrays, None, None]", results)):
            for done, (at, part) in enumerate(zip(places, results, strict=True)):
                bounds.narrow(at, part["lower"], part["upper"])
                bounds.reached[at] = True
                spend(candidate.cost.part + candidate.cost.target * len(at))
                effort.progress((done + 1) / len(parts))
                if late():
                    break
    rest = np.flatnonzero(~bounds.reached)
    if len(rest):
        bounds.narrow(rest, *reduced.only(rest).noise_alone())
        effort.progress(1.0)
    if isinstance(reduced.noise, DiscreteLaplace):
        # No output tells sums apart by more than their distance does.
        most = farthest / reduced.noise.scale * (1 + 4 * UNIT)
        np.minimum(bounds.upper, most, out=bounds.upper)
    bounds.lower[:], _ = pair_bounds(bounds.lower, bounds.upper)
    return bounds


_MEMORY = 2.0**32  # Bytes where the method may not depend on the machine: 4 GiB, which most have
_WIDE = 1e-6  # Share of ε̃ beyond which an interval is worth more work
_LEAST = 1e-3  # An ε̃ below is as good as none: widths are measured against this


def enclose(
    problem: Multiset, targets: Ints, noise: IntegerNoise, delta: float, effort: Effort
) -> LossBounds:
    """Enclosure of ε̃ of one record of each target value.

    Targets that time does not reach get what the noise alone gives.
    """
    reached = np.ones(len(targets), bool)
    if len(problem.values) == 1:  # the sum is no secret
        return LossBounds(np.zeros(len(targets)), np.zeros(len(targets)), reached)
    if isinstance(noise, DiscreteGaussian) and delta == 0:
        return LossBounds(*gaussian_tails(problem.counts, problem.size, targets), reached)
    reduced = Reduced(problem, targets, noise, delta)
    each = (_MEMORY if is_counted() else memory()) / effort.workers
    try:
        check()
        first = best(reduced, each)
    except OutOfTime:
        return LossBounds(*reduced.noise_alone(), ~reached)
    bounds = losses(reduced, first, effort)
    with contextlib.suppress(OutOfTime):
        for method in (farther_tilts, exact):
            off = bounds.upper - bounds.lower > _WIDE * np.maximum(bounds.lower, _LEAST)
            wide = np.flatnonzero(off & bounds.reached)
            if first.exact or not len(wide) or late():
                break
            some = reduced.only(wide)
            again = method(some, each)
            if again is not None and is_worth_it(again, some, first, reduced):
                narrower = losses(some, again, effort)
                bounds.narrow(wide, narrower.lower, narrower.upper)
    return bounds


def bracket(
    question: Question[Summands] | Question[Ones], noise: IntegerNoise, effort: Effort
) -> RecordBounds:
    """ε̃ of a sum of whole numbers, or of a count, plus whole noise on the sum; an enclosure.

    Of a count, record 0 is a one, where there are any, and record K a zero; time and memory grow as
    √N. Of a sum, records that time does not reach get what the noise alone gives. Raises
    `InvalidArgument` if there is more than one column, a number is not whole, or probabilities do
    not fit into memory. See docs/explanation/how-whole-sums-are-enclosed.md and lowy-2024,
    Definition 2.

    >>> from deniable.mechanisms import DiscreteLaplace
    >>> answer = bracket(Question(Summands([0, 1, 5, 2]), 2), DiscreteLaplace(2.0), Effort())
    >>> answer.worst(), round(answer.maximum().upper, 6), answer.method
    (2, 2.0, 'lattice')
    >>> half = Question(Ones(5_000_000, 10_000_000), 5_000_000)
    >>> bracket(half, DiscreteLaplace(1.0), Effort()).upper.round(4).tolist()
    [0.5, 0.5]
    """
    with limited(effort.time_limit):
        if isinstance(question.data, Ones):
            data = question.data
            if isinstance(question.records, str):  # the first one and the first zero
                records = np.unique([0, data.ones])
                records = records[records < data.population]
            else:
                records = question.targets
            try:
                lower, upper = one_and_zero(data, question.size, noise, question.delta)
            except OutOfTime:
                lower, upper = np.zeros(2), np.full(2, epsilon_at(noise, 1, question.delta))
            kind = (records >= data.ones).astype(np.int64)
            bounds = RecordBounds(records, lower[kind], upper[kind], Evidence.ENCLOSURE)
            return bounds.by("hypergeometric")
        column = as_integers(only_column(question.data.values, noise.name), noise.name)
        problem, places = multiset(column, question.size)
        targets, at = np.unique(places[question.targets], return_inverse=True)
        losses = enclose(problem, targets, noise, question.delta, effort)
        methods = np.where(losses.reached, "lattice", "noise-alone")[at].tolist()
        every = RecordBounds(
            question.targets,
            losses.lower[at],
            losses.upper[at],
            Evidence.ENCLOSURE,
            lower_methods=methods,
            upper_methods=methods,
        )
        return every.of_worst() if question.records == "worst" else every
