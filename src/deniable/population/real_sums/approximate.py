"""(ε̃, δ) with δ > 0: targets in chunks, the most exposed first, each by inversion.

Laplace noise L is not inverted itself but L + N(0, s²). With b its scale and a = s²/2b²,

    divergence(L + N) <= divergence(L) <= e^(−a) divergence(L + N) + 1 − e^(−a) :

adding noise is post-processing, and E e^(−|u+sZ|/b) <= e^a e^(−|u|/b) makes the smoothed density
times e^(−a) a part of the true one.
"""

import contextlib
import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.parallel import blocks
from deniable.numerics.time_limit import OutOfTime, late
from deniable.population.real_sums.atoms import subset_atoms
from deniable.population.real_sums.atoms_gaussian import gaussian_bounds
from deniable.population.real_sums.atoms_laplace import approximate_bounds
from deniable.population.real_sums.between_points import SPACING
from deniable.population.real_sums.dismissal import harmless
from deniable.population.real_sums.ends import Work, bound_chunk
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes
from deniable.population.real_sums.population import standardise_population
from deniable.population.real_sums.problem import Problem
from deniable.population.real_sums.reach import window
from deniable.population.real_sums.relative import SMOOTHINGS, relative_epsilons
from deniable.population.real_sums.smallest_epsilon import Deltas
from deniable.population.real_sums.subset_sums import chunks

Intervals: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
Method: TypeAlias = Callable[[Problem, NDArray[np.int64]], Intervals]
_SCOUTS = 8
"""Records that are looked at first where only the worst is asked for: their ε̃ is a floor for the
rest."""
_SHARES = (0.1, 0.01, 0.001)
"""Shares of δ that smoothing may cost: from one that needs few frequencies to one that costs
little."""
_LARGEST_SMOOTHING = 1e-2
"""Largest a: of a large δ a share would smooth more than is cheap."""
_HIGHEST = 34.0
"""Floors above e^34 are not tried by inversion, whose rounding exceeds every δ there."""
_RESOLUTION = 4
"""Width of an interval, in spacings of a grid, below which tilted laws on it say nothing new."""
_FINER = (4, 16)
"""Times that a grid under Gaussian noise is finer where a small gap is asked for: its cost, too."""
_HOPEFUL = 0.5
"""Width up to which a finer grid may narrow an interval: beyond, a law itself is not known."""
_NARROW = 1e-5
"""Width, as a share of ε̃, beyond which the sums are listed, where they are few."""
_FEW = 1 << 12
"""Choices of how many records of each value are taken, whose sums are listed before laws are tilted
under Laplace noise: some hundredths of a second a record, where a tilted law may take a second."""
_MOST_DISTINCT = 12
"""Distinct values that may have so few such choices: 2 to this power is as many."""
_SMALL = 1e-2
"""Below this ε̃ a relative gap is taken of this instead."""


def approximate_epsilons(
    problem: Problem, targets: NDArray[np.int64], *, worst: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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


def _narrow(
    problem: Problem, targets: NDArray[np.int64], floor: float, *, worst: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Enclosures by every method that may still narrow them, the cheapest first."""
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    for method, resolution, hopeful in _methods(problem, floor):
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
    return np.minimum(lower, upper), upper


def _methods(problem: Problem, floor: float) -> list[tuple[Method, float, float]]:
    """Each with the widths of an interval below which, and beyond which, it says nothing new."""
    gaussian = isinstance(problem.noise, Gaussian)
    weight = math.exp(min(floor, _HIGHEST))
    inversions: list[tuple[Method, float, float]] = [
        (partial(_invert, share=share, floor=weight), 0.0, math.inf)
        for share in ((0.0,) if gaussian else _SHARES)
    ]
    tilted: list[tuple[Method, float, float]] = [
        (partial(relative_epsilons, smoothing=smoothing), _RESOLUTION * SPACING, math.inf)
        for smoothing in (SMOOTHINGS[:1] if gaussian else SMOOTHINGS)
    ]
    for finer in _FINER if gaussian else ():
        grid = partial(relative_epsilons, smoothing=SMOOTHINGS[0], spacing=SPACING / finer)
        tilted.append((grid, _RESOLUTION * SPACING / finer, _HOPEFUL))
    # Under Laplace noise few sums have closed forms; under Gaussian noise they take longer.
    listed: list[tuple[Method, float, float]] = [] if gaussian else [(_list_few, 0.0, math.inf)]
    # A finer share only after tilted laws: where those know ε̃ it needs none.
    return [*inversions[:1], *listed, *tilted, *inversions[1:]]


def _wide(
    lower: NDArray[np.float64], upper: NDArray[np.float64], gap: float, floor: float
) -> NDArray[np.bool_]:
    """Which intervals are to be narrowed: none that ends at the floor."""
    wide = upper - lower > gap * np.maximum(lower, _SMALL)
    return np.asarray(wide & (upper > floor * (1 + _NARROW)))


def _kernel_and_deltas(problem: Problem, share: float) -> tuple[Kernel, Deltas]:
    """The noise that is inverted, in units of the scale, and what its divergence must meet.

    `share` of δ goes to the smoothing of Laplace noise, a = share·δ; about.
    """
    delta = problem.delta
    if isinstance(problem.noise, Gaussian):
        return Kernel(1.0), Deltas(delta, delta)
    # D(L + N) <= 1 − (1 − δ)e^a with s² = 2a; a few units less, for its own rounding.
    lost = min(share * delta, _LARGEST_SMOOTHING)
    keep = 1 - (1 - delta) * math.exp(lost)
    return Kernel(math.sqrt(2 * lost), 1.0), Deltas(delta, keep * (1 - 1e-15) - 1e-16)


def _invert(
    problem: Problem, targets: NDArray[np.int64], *, share: float, floor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    kernel, deltas = _kernel_and_deltas(problem, share)
    population = standardise_population(
        problem.values, problem.counts, problem.size, problem.noise.scale
    )
    # Window, frequencies and their errors once; then transforms, densities and ends a chunk at a
    # time.
    length = window(population, kernel, math.log(population.tiny))
    if not math.isfinite(length) or deltas.keep <= 0:
        return lower, upper
    with contextlib.suppress(OutOfTime):
        where = nodes(population, kernel, length, min(population.chances()))
        work = partial(Work, population, kernel, where)
        _by_chunks(problem, targets, work, deltas, floor, lower, upper)
    return lower, upper


def _by_chunks(
    problem: Problem,
    targets: NDArray[np.int64],
    work: partial[Work],
    deltas: Deltas,
    floor: float,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """Fill in the ends, the most exposed targets first."""
    population, _, where = work.args
    order, done = np.argsort(-np.abs(population.values[targets]), kind="stable"), 0
    tasks = [work(chunk, deltas, floor) for chunk in chunks(population, where, targets[order])]
    for task, part_bounds in zip(
        tasks, blocks(bound_chunk, tasks, problem.effort, name="fourier"), strict=False
    ):
        reached = order[done : done + len(task.chunk.targets)]
        lower[reached], upper[reached] = part_bounds["lower"], part_bounds["upper"]
        done += len(reached)
        problem.effort.progress(done / len(order))
        if late():
            return


def _list_few(
    problem: Problem, targets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """From the listed sums, where they are so few that nothing is cheaper."""
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    # Π (count + 1): of every value some number of records is chosen.
    many = math.prod(int(count) + 1 for count in problem.counts[:_MOST_DISTINCT])
    if many <= _FEW and len(problem.counts) <= _MOST_DISTINCT:
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
