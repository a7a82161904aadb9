"""(ε̃, δ) with δ > 0: targets in chunks, the most exposed first, each by inversion.

Laplace noise L is not inverted itself but L + N(0, s²). With b its scale and a = s²/2b²,

    divergence(L + N) <= divergence(L) <= e^(−a) divergence(L + N) + 1 − e^(−a) :

adding noise is post-processing, and E e^(−|u+sZ|/b) <= e^a e^(−|u|/b) makes the smoothed density
times e^(−a) a part of the true one.
"""

import contextlib
import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.population.real_sums.atoms import subset_atoms
from deniable.population.real_sums.atoms_gaussian import gaussian_ends
from deniable.population.real_sums.atoms_laplace import approximate_ends
from deniable.population.real_sums.ends import Work, ends
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes
from deniable.population.real_sums.population import population
from deniable.population.real_sums.problem import Problem
from deniable.population.real_sums.reach import window
from deniable.population.real_sums.smallest_epsilon import Deltas
from deniable.population.real_sums.subset_sums import chunks
from deniable.work.parallel import blocks
from deniable.work.time_limit import OutOfTime, late

_SCOUTS = 8
"""Records that are looked at first where only the worst is asked for: their ε̃ is a floor for the
rest."""
_SHARES = (0.1, 0.01, 0.001)
"""Shares of δ that smoothing may cost: from one that needs few frequencies to one that costs
little."""
_LARGEST_SMOOTHING = 1e-2
"""Largest a: of a large δ a share would smooth more than is cheap."""
_NARROW = 1e-5
"""Width, as a share of ε̃, beyond which the sums are listed, where they are few."""
_SMALL = 1e-2
"""Below this ε̃ a relative gap is taken of this instead."""


def approximate_epsilons(
    problem: Problem, targets: NDArray[np.int64], *, worst: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Enclosures at the targets; with `worst`, harmless targets only get [0, floor]."""
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    for share in (0.0,) if isinstance(problem.noise, Gaussian) else _SHARES:
        wide = np.flatnonzero(_wide(lower, upper, problem.effort.gap / 10, worst=worst))
        if not wide.size or late():
            break
        low, high = _invert(problem, targets[wide], share, worst=worst)
        lower[wide], upper[wide] = np.maximum(lower[wide], low), np.minimum(upper[wide], high)
    rough = _wide(lower, upper, _NARROW, worst=worst)
    for i in np.flatnonzero(rough):
        listed = None if late() else _list_sums(problem, int(targets[i]))
        if listed is None:
            break
        lower[i], upper[i] = max(lower[i], listed[0]), min(upper[i], listed[1])
    rough = ~np.isfinite(upper) | (rough & (upper > lower * (1 + _NARROW)))
    upper[rough] = np.minimum(upper[rough], problem.noise_alone(targets[rough]))
    return np.minimum(lower, upper), upper


def _wide(
    lower: NDArray[np.float64], upper: NDArray[np.float64], gap: float, *, worst: bool
) -> NDArray[np.bool_]:
    """Which intervals are to be narrowed; with `worst`, only where the maximum may lie."""
    wide = upper - lower > gap * np.maximum(lower, _SMALL)
    return np.asarray(wide & (upper > lower.max() * (1 + _NARROW)) if worst else wide)


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
    problem: Problem, targets: NDArray[np.int64], share: float, *, worst: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lower, upper = np.zeros(len(targets)), np.full(len(targets), np.inf)
    kernel, deltas = _kernel_and_deltas(problem, share)
    whole = population(problem.values, problem.counts, problem.size, problem.noise.scale)
    # Window, frequencies and their errors once; then transforms, densities and ends a chunk at a
    # time.
    length = window(whole, kernel, math.log(whole.tiny))
    if not math.isfinite(length) or deltas.keep <= 0:
        return lower, upper
    with contextlib.suppress(OutOfTime):
        where = nodes(whole, kernel, length, min(whole.chances()))
        work = partial(Work, whole, kernel, where)
        _by_chunks(problem, targets, work, deltas, (share, worst), lower, upper)
    return lower, upper


def _by_chunks(
    problem: Problem,
    targets: NDArray[np.int64],
    work: partial[Work],
    deltas: Deltas,
    stage: tuple[float, bool],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """Fill in the ends, the most exposed targets first."""
    whole, _, where = work.args
    worst = stage[1]
    order = np.argsort(-np.abs(whole.values[targets]), kind="stable")
    floor, done = 1.0, 0
    for part in (order[:_SCOUTS], order[_SCOUTS:]) if worst else (order,):
        parts = chunks(whole, where, targets[part]) if part.size else []
        tasks = [work(chunk, deltas, floor) for chunk in parts]
        for task, part_ends in zip(
            tasks,
            blocks(ends, tasks, problem.effort, name="fourier"),
            strict=False,
        ):
            reached = order[done : done + len(task.chunk.targets)]
            lower[reached], upper[reached] = part_ends["lower"], part_ends["upper"]
            done += len(reached)
            problem.effort.progress(done / len(order))
            if late():
                return
        floor = max(floor, math.exp(float(lower.max())))


def _list_sums(problem: Problem, at: int) -> tuple[float, float] | None:
    """The same from the listed sums, where they are few and time allows."""
    deltas = Deltas(problem.delta, problem.delta)
    method = gaussian_ends if isinstance(problem.noise, Gaussian) else approximate_ends
    with contextlib.suppress(OutOfTime):
        laws = subset_atoms(problem.values, problem.counts, problem.size, at, problem.noise.scale)
        return None if laws is None else method(*laws, deltas)
    return None
