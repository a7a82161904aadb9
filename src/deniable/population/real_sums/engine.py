"""ε̃ of a sum of real numbers with Gaussian or Laplace noise, for any population and sample size."""

import contextlib
import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import attrs
import numpy as np

from deniable.computing.parallel import Arrays, blocks
from deniable.mechanisms import Gaussian
from deniable.numerics.bound import Evidence, pair_bounds
from deniable.numerics.effort import Effort, OutOfTime, check, late, limited
from deniable.population.answer import RecordBounds
from deniable.population.bounds import delta_upper, gaussian_tails
from deniable.population.question import Bools, Complexes, Floats, Ints, Question, Summands
from deniable.population.real_sums.atoms import approximate_bounds, gaussian_bounds, subset_atoms
from deniable.population.real_sums.problem import Kernel, Population, Problem, RealNoise
from deniable.population.real_sums.relative import (
    SMALL,
    SMOOTHINGS,
    SPACING,
    pure_laplace_epsilons,
    relative_epsilons,
)
from deniable.population.real_sums.smallest_epsilon import (
    Deltas,
    fourth_derivative,
    grid_points,
    law,
    smallest_weights,
)
from deniable.population.real_sums.subset_sums import Chunk, Nodes, chunks, nodes, transforms
from deniable.population.real_sums.tilt import window

# --- Which records Proposition 12 alone keeps below an ε that another record reaches.
#
# .. math:: D_{e^\epsilon}(P_{in,x} \| P_{out,x}) \le \frac{1}{N-1} \sum_{x' \ne x}
#           \delta(\epsilon; |x - x'|)

_CLASSES = 512
"""Classes of equal width of the values; distances are rounded up by one or two widths."""
_OUTWARDS = 1 + 1e-12  # Room for rounding of sums of a few hundred terms, and of distances


def harmless(problem: Problem, targets: Ints, epsilon: float) -> Bools:
    """Whether the ε̃ of each target is known to be at most this ε, without looking at the sums."""
    values = problem.values - problem.values[0]
    width = float(values[-1]) / _CLASSES * _OUTWARDS
    place = np.minimum((values / width).astype(np.int64), _CLASSES - 1)
    class_counts = np.bincount(place, problem.counts, minlength=_CLASSES)
    # |x − x'| <= (|k − l| + 2) widths for classes k and l: one for each place within its class,
    # of which a quotient's rounding may be a sliver more than a half.
    furthest = (np.arange(_CLASSES) + 2) * width * _OUTWARDS / problem.noise.scale
    if isinstance(problem.noise, Gaussian):
        each = delta_upper(epsilon, furthest)
    else:  # 1 − e^((ε − d)/2)
        each = np.maximum(-np.expm1((epsilon - furthest) / 2) * _OUTWARDS, 0.0)
    class_distances = np.abs(np.subtract.outer(np.arange(_CLASSES), np.arange(_CLASSES)))
    # Σ_x' over N − 1; the pair of a record with itself is left in.
    mean = each[class_distances] @ class_counts / (problem.counts.sum() - 1) * _OUTWARDS
    return np.asarray((mean <= problem.delta)[place[targets]])


_CELLS = 1 << 17
"""Grid points of all rows that are worked on at once: a megabyte an array, about a cache."""
_PART = 1e7
"""Nanoseconds of a part: two densities and some ten hockey sticks on its points. Nominal."""
_COARSE = 1e-7  # Share of δ that interpolation may cost at first
_CLOSE = 1e-6  # Relative width of ε̃, or absolute below 1, with which to be content
_MOST = 1 << 18
"""Largest number of grid points; at so many, rounding of the transform is as large as
interpolation."""
_LOG_ERROR = 1e-15  # Relative error of a logarithm, nine units, with room


@attrs.frozen(eq=False)
class Work:
    """What one part of the work needs, and nothing else."""

    population: Population
    kernel: Kernel
    nodes: Nodes
    chunk: Chunk
    deltas: Deltas  # The δ to meet
    floor: float  # e^ε that records may keep to without being looked at closer, >= 1


def bound_chunk(work: Work) -> Arrays:
    """Lower and upper bounds of ε̃ for every target of the chunk; upper may be infinite."""
    scales = work.population.chances()
    noise = np.exp(work.kernel.log_characteristic(work.nodes.theta))
    inside, outside = (
        each * noise for each in transforms(work.population, work.nodes, work.chunk, scales)
    )
    lower, upper = np.zeros(len(inside)), np.full(len(inside), np.inf)
    left, lost = np.arange(len(inside)), work.deltas.exceed - work.deltas.keep
    # What interpolation may cost at first: little, or a tenth of what smoothing costs, which no
    # finer grid takes back.
    tolerance = max(_COARSE * work.deltas.keep, lost / 10) / work.floor
    close = math.inf if lost else _CLOSE
    for _ in range(3):  # Grids that are tried: 1e-7, 1e-11 and 1e-15 of δ
        tolerance = max(tolerance, work.nodes.errors)
        points = _points(work.nodes, (inside[left], outside[left]), tolerance)
        many = max(1, _CELLS // points)
        for part in (left[i : i + many] for i in range(0, len(left), many)):
            check(_PART)
            both = inside[part], outside[part]
            points = _points(work.nodes, both, tolerance)
            p, q = (law(work.nodes, each, points) for each in both)
            least, most = map(np.log, smallest_weights(p, q, work.deltas, work.floor))
            lower[part] = np.maximum(lower[part], least * (1 - _LOG_ERROR))
            upper[part] = np.minimum(upper[part], most * (1 + _LOG_ERROR))
        gap = upper[left] - lower[left]
        rough = np.isinf(gap) | (gap > close * np.maximum(lower[left], 1.0))
        rough &= upper[left] > math.log(work.floor) * (1 + _LOG_ERROR)
        left = left[rough]
        if not left.size or tolerance <= work.nodes.errors:
            break
        # From one attempt to the next η falls by ten, as the error goes with η⁴.
        tolerance *= 1e-4
    return {"lower": lower, "upper": upper}


def _points(nodes: Nodes, transforms: tuple[Complexes, ...], tolerance: float) -> int:
    bend = max(float(fourth_derivative(nodes, each).max()) for each in transforms)
    return grid_points(nodes, bend, tolerance, _MOST)


# --- (ε̃, δ) with δ > 0: targets in chunks, the most exposed first, each by inversion.
#
# Laplace noise L is not inverted itself but L + N(0, s²). With b its scale and a = s²/2b²,
#
#     divergence(L + N) <= divergence(L) <= e^(−a) divergence(L + N) + 1 − e^(−a) .


Intervals: TypeAlias = tuple[Floats, Floats]
SumMethod: TypeAlias = Callable[[Problem, Ints], Intervals]
_SCOUTS = 8
"""Records that are looked at first where only the worst is asked for: their ε̃ is a floor for the
rest."""
_LARGEST_SMOOTHING = 1e-2  # Largest a: of a large δ a share would smooth more than is cheap
_RESOLUTION = 4
"""Width of an interval, in spacings of a grid, below which tilted laws on it say nothing new."""
_NARROW = 1e-5  # Width, as a share of ε̃, beyond which the sums are listed, where they are few
_MOST_DISTINCT = 12  # Distinct values that may have so few such choices: 2 to this power is as many


def approximate_epsilons(problem: Problem, targets: Ints, *, worst: bool) -> tuple[Floats, Floats]:
    """Enclosures at the targets; with `worst`, harmless targets only get [0, floor]."""
    if not worst or len(targets) <= _SCOUTS:
        return _narrow(problem, targets, 0.0, worst=worst)
    centre = float(np.average(problem.values, weights=problem.counts))
    order = np.argsort(-np.abs(problem.values[targets] - centre), kind="stable")
    lower, upper = np.zeros(len(targets)), np.zeros(len(targets))
    # The most exposed, then those that their largest ε̃ and Proposition 12 do not dismiss.
    scouts, rest = order[:_SCOUTS], order[_SCOUTS:]
    lower[scouts], upper[scouts] = _narrow(problem, targets[scouts], 0.0, worst=True)
    floor = float(lower.max())
    dismissed = harmless(problem, targets[rest], floor)
    upper[rest[dismissed]], rest = floor, rest[~dismissed]
    if rest.size:
        lower[rest], upper[rest] = _narrow(problem, targets[rest], floor, worst=True)
    return lower, upper


def _narrow(problem: Problem, targets: Ints, floor: float, *, worst: bool) -> tuple[Floats, Floats]:
    """Enclosures by every method that may still narrow them, the cheapest first."""
    # Floors above e^34 are not tried by inversion, whose rounding exceeds every δ there.
    gaussian, weight = isinstance(problem.noise, Gaussian), math.exp(min(floor, 34.0))
    # Each with the widths of an interval below which, and beyond which, it says nothing new.
    methods: list[tuple[SumMethod, float, float]] = [
        (partial(relative_epsilons, smoothing=smoothing), _RESOLUTION * SPACING, math.inf)
        for smoothing in (SMOOTHINGS[:1] if gaussian else SMOOTHINGS)
    ]
    # Times that a grid under Gaussian noise is finer where a small gap is asked for: its cost, too.
    for finer in (4, 16) if gaussian else ():
        grid = partial(relative_epsilons, smoothing=SMOOTHINGS[0], spacing=SPACING / finer)
        # Width up to which a finer grid may narrow an interval: beyond, a law itself is not known.
        methods.append((grid, _RESOLUTION * SPACING / finer, 0.5))
    # Under Laplace noise few sums have closed forms; under Gaussian noise they take longer.
    methods[:0] = [] if gaussian else [(_list_few, 0.0, math.inf)]
    # A finer share only after tilted laws: where those know ε̃ it needs none.
    # Shares of δ that smoothing may cost: from one that needs few frequencies to one that costs
    # little.
    for number, share in enumerate((0.0,) if gaussian else (0.1, 0.01, 0.001)):
        inverted = partial(_invert, share=share, floor=weight), 0.0, math.inf
        methods.insert(len(methods) if number else 0, inverted)
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    for method, resolution, hopeful in methods:
        most = max(floor, float(lower.max())) if worst else 0.0
        rough = _wide(lower, upper, problem.effort.gap / 10, most)
        width = upper - lower
        wide = np.flatnonzero(rough & (width > resolution) & (width <= hopeful))
        if late():
            break
        if wide.size:
            low, high = method(problem, targets[wide])
            lower[wide], upper[wide] = np.maximum(lower[wide], low), np.minimum(upper[wide], high)
    most = max(floor, float(lower.max())) if worst else 0.0
    rough = _wide(lower, upper, _NARROW, most)
    for i in np.flatnonzero(rough):
        listed = None if late() else _list_sums(problem, int(targets[i]))
        if listed is None:
            break
        lower[i], upper[i] = max(lower[i], listed[0]), min(upper[i], listed[1])
    rough = ~np.isfinite(upper) | (rough & (upper > lower * (1 + _NARROW)))
    upper[rough] = np.minimum(upper[rough], problem.noise_alone(targets[rough]))
    return pair_bounds(lower, upper)


def _wide(lower: Floats, upper: Floats, gap: float, floor: float) -> Bools:
    """Which intervals are to be narrowed: none that ends at the floor."""
    wide = upper - lower > gap * np.maximum(lower, SMALL)
    return np.asarray(wide & (upper > floor * (1 + _NARROW)))


def _invert(
    problem: Problem, targets: Ints, *, share: float, floor: float
) -> tuple[Floats, Floats]:
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    # The noise that is inverted, in units of the scale, and what its divergence must meet.
    # `share` of δ goes to the smoothing of Laplace noise, a = share·δ; about.
    delta = problem.delta
    if isinstance(problem.noise, Gaussian):
        kernel, deltas = Kernel(1.0), Deltas(delta, delta)
    else:
        # D(L + N) <= 1 − (1 − δ)e^a with s² = 2a; a few units less, for its own rounding.
        lost = min(share * delta, _LARGEST_SMOOTHING)
        keep = 1 - (1 - delta) * math.exp(lost)
        kernel, deltas = Kernel(math.sqrt(2 * lost), 1.0), Deltas(delta, keep * (1 - 1e-15) - 1e-16)
    population = problem.population
    # Window, frequencies and their errors once; then transforms, densities and ends by chunks.
    length = window(population, kernel, math.log(population.tiny))
    if not math.isfinite(length) or deltas.keep <= 0:
        return lower, upper
    with contextlib.suppress(OutOfTime):
        where = nodes(population, kernel, length, min(population.chances()))
        # The most exposed targets first.
        order, done = np.argsort(-np.abs(population.values[targets]), kind="stable"), 0
        tasks = [
            Work(population, kernel, where, chunk, deltas, floor)
            for chunk in chunks(population, where, targets[order])
        ]
        results = blocks(bound_chunk, tasks, problem.effort, name="fourier")
        for task, bounds in zip(tasks, results, strict=False):
            reached = order[done : done + len(task.chunk.targets)]
            lower[reached], upper[reached] = bounds["lower"], bounds["upper"]
            done += len(reached)
            problem.effort.progress(done / len(order))
            if late():
                break
    return lower, upper


def _list_few(problem: Problem, targets: Ints) -> tuple[Floats, Floats]:
    """Compute from the listed sums, where they are so few that nothing is cheaper."""
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    # Π (count + 1): of every value some number of records is chosen.
    many = math.prod(int(count) + 1 for count in problem.counts[:_MOST_DISTINCT])
    # Choices of how many records of each value are taken, whose sums are listed before laws are
    # tilted under Laplace noise: some hundredths of a second a record, where a tilted law may take
    # a second.
    if many <= 1 << 12 and len(problem.counts) <= _MOST_DISTINCT:
        for i, at in enumerate(targets):
            listed = None if late() else _list_sums(problem, int(at))
            if listed is None:
                break
            lower[i], upper[i] = listed
    return lower, upper


def _list_sums(problem: Problem, at: int) -> tuple[float, float] | None:
    """The same from the listed sums, where they are few and time allows."""
    deltas = Deltas(problem.delta, problem.delta)
    method = gaussian_bounds if isinstance(problem.noise, Gaussian) else approximate_bounds
    with contextlib.suppress(OutOfTime):
        laws = subset_atoms(problem.values, problem.counts, problem.size, at, problem.noise.scale)
        return None if laws is None else method(*laws, deltas)
    return None


METHOD = "fourier"


def bracket(question: Question[Summands], noise: RealNoise, effort: Effort) -> RecordBounds:
    """ε̃ of the sum of a uniform n-subset of N numbers, one column, plus noise in its unit.

    At δ = 0 it is sup |ln(p_in/p_out)|, which under Gaussian noise is infinite for every record
    that does not tie at both ends. Where the worst record is asked for, one interval for the
    maximum over *all* records stands beside one that attains it; the others were dismissed at the
    largest lower bound found. The gap of the effort sets how finely Laplace noise is resolved; when
    the time limit is over, the records not reached get the bound of the noise alone. See lowy-2024,
    Definition 2.

    >>> question = Question(Summands([0.0, 0.0, 1.0, 5.0]), 2, 0.01)
    >>> answer = bracket(question, Gaussian(2.0), Effort())
    >>> answer.worst(), round(answer.maximum().lower, 5), round(answer.maximum().upper, 5)
    (3, 7.34126, 7.34126)
    """
    problem = Problem.of(question, noise, effort)
    records = question.targets
    if question.data.constant:
        return RecordBounds.of_nothing(records, METHOD)
    targets, worst = np.unique(problem.index[records]), question.records == "worst"
    with limited(effort.time_limit):
        if problem.delta > 0:
            lower, upper = approximate_epsilons(problem, targets, worst=worst)
        elif isinstance(noise, Gaussian):
            lower, upper = gaussian_tails(problem.counts, problem.size, targets)
        else:
            lower, upper = pure_laplace_epsilons(problem, targets, worst=worst)
    if worst:
        record = int(np.argmax(problem.index == targets[np.argmax(upper)]))
        bounds = RecordBounds(np.array([record]), [lower.max()], [upper.max()], Evidence.ENCLOSURE)
        return bounds.by(METHOD)
    order = np.searchsorted(targets, problem.index[records])
    return RecordBounds(records, lower[order], upper[order], Evidence.ENCLOSURE).by(METHOD)
