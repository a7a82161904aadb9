"""Laws of subset sums by Fourier inversion under several exponential tilts, every error bounded.

Each tilt has many digits within a few standard deviations of its middle, and encloses every
probability, in its window and outside. The answer is the intersection of all.
"""

import math

import attrs
import numpy as np

from deniable.computing.transforms import inverse_transform, transform_error
from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT, directed, upper
from deniable.population.integer_sums import chernoff_tilt
from deniable.population.integer_sums.multiset import Multiset, SumLaws
from deniable.population.question import Floats, Ints

_APART = 6.0  # Standard deviations from tilt to tilt
_FALL = 8.0  # The most that ln of the odds of two values changes from tilt to tilt
_CERTAIN = 1e-10  # Standard deviation of the sum below which larger tilts say nothing new


@attrs.frozen(eq=False)
class InversionPlan:
    """Tilts in order of their rates, and the columns that they cover."""

    # tilts, spectra: one each a tilt; the spectra hold all `targets`.
    tilts: tuple[chernoff_tilt.Tilt, ...]
    spectra: tuple[chernoff_tilt.Spectrum, ...]
    targets: Ints  # Positions in `values`, ascending
    # (n_tilts, 2, n_targets): ln Pr[S = s] − ln Q[k, s'] + λs', with the record in and out.
    constants: Floats
    # first, last: the columns, counted from the least sum of n records.
    first: int
    last: int

    @property
    def n_columns(self) -> int:
        """How many sums the laws cover."""
        return self.last - self.first + 1


def tilts(problem: Multiset, farthest: float, most: float = math.inf) -> list[chernoff_tilt.Tilt]:
    """Tilts from −farthest to farthest, dense enough for digits everywhere between.

    None at all where there would be more than `most`.
    """
    span = int(problem.values[-1])
    result = [chernoff_tilt.tilt_at(problem, 0.0)]
    for sign in (-1, 1):
        tilt = result[-1] if sign > 0 else result[0]
        while abs(tilt.rate) < farthest and tilt.deviation > _CERTAIN:
            check()
            step = min(_APART / max(tilt.deviation, 1e-300), _FALL / span)
            rate = chernoff_tilt.few_bits(min(abs(tilt.rate) + step, farthest))
            tilt = chernoff_tilt.tilt_at(problem, sign * rate)
            result.insert(len(result) if sign > 0 else 0, tilt)
            if len(result) > most:
                return []
    return result


def count_frequencies(problem: Multiset, selected: list[chernoff_tilt.Tilt]) -> tuple[float, float]:
    """Estimate how many frequency pairs, and values of θ, these tilts' spectra keep."""
    middle = min(selected, key=lambda tilt: abs(tilt.rate))
    frequencies = chernoff_tilt.pairs(problem, middle)[0]
    count = len(selected)
    return float(len(frequencies)) * count, float(len(np.unique(frequencies))) * count


def plan(
    problem: Multiset, targets: Ints, selected: list[chernoff_tilt.Tilt], *, every_sum: bool = False
) -> InversionPlan:
    """The spectra of all targets; with `every_sum`, nothing lies beyond the columns."""
    offsets = np.array([_offsets(problem, targets, tilt) for tilt in selected])
    edges = [0, problem.n_sums - 1]
    starts = np.array([tilt.first for tilt in selected])[:, None, None] + offsets
    stops = starts + np.array([tilt.length - 1 for tilt in selected])[:, None, None]
    if selected[0].deviation > _CERTAIN and not every_sum:
        edges[0] = max(int(starts.min()), edges[0])
    if selected[-1].deviation > _CERTAIN and not every_sum:
        edges[1] = min(int(stops.max()), edges[1])
    return InversionPlan(
        tuple(selected),
        tuple(chernoff_tilt.spectrum(problem, targets, tilt) for tilt in selected),
        targets,
        np.array([_constants(problem, targets, tilt) for tilt in selected]),
        *edges,
    )


def sum_laws(problem: Multiset, targets: Ints, plan: InversionPlan) -> SumLaws:
    """The laws with and without one record of each target value, of those planned."""
    places = np.searchsorted(plan.targets, targets)
    shape = (2, len(targets), plan.n_columns)
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    columns = np.arange(plan.first, plan.last + 1)
    beyond = [np.full(shape[:2], np.inf) for _ in range(2)]
    for tilt, waves, constants in zip(plan.tilts, plan.spectra, plan.constants, strict=True):
        shifts, constant = _offsets(problem, targets, tilt), constants[:, places]
        # Low and high ln Q in the window, for k = n − 1 and n; shape (2, n_targets, length).
        period = tilt.period
        # Q[k, s] = (1/period) Σ_h Ĝ_k(θ_h) e^(−iθ_h s), two signs of h in one; then the window cut
        # out.
        full = np.zeros((2, len(places), period // 2 + 1), np.complex128)
        full[:, :, waves.frequencies] = np.conj(waves.values[:, :, places]).transpose(1, 2, 0)
        law = inverse_transform(full, period)
        norm = math.sqrt(float(np.square(law).sum(axis=2).max())) * (1 + 1e-9)
        error = waves.error + transform_error(period) * norm
        law = law[:, :, np.arange(tilt.first, tilt.first + tilt.length) % period]
        with np.errstate(divide="ignore"):
            inner = np.log(np.maximum(law - error, 0.0)), np.log(np.maximum(law, 0.0) + error)
        for place in np.ndindex(shape[:2]):
            sums = columns - shifts[place]
            # Outside its window a tilt knows Q <= e^−50: an upper bound of every sum there.
            lost = chernoff_tilt.LOG_TAIL + constant[place] - tilt.rate * sums
            lost += tilt.error + UNIT * 8 * (np.abs(lost) + abs(constant[place]) + 60)
            outside = (sums < tilt.first) | (sums >= tilt.first + tilt.length)
            np.minimum(high[place], lost, out=high[place], where=outside)
            # Where the columns meet the window; `start` is Σ z in the first of them.
            start = int(sums[0])
            first = max(tilt.first, start)
            last = max(min(tilt.first + tilt.length, start + len(sums)), first)
            at = slice(first - start, last - start)
            window = slice(first - tilt.first, last - tilt.first)
            # ln Pr[S = s] = ln Q[k, s'] − λs' + constant
            untilt = constant[place] - tilt.rate * np.arange(first, last)
            rows = (low[place], inner[0], np.maximum, -1), (high[place], inner[1], np.minimum, 1)
            for row, part, pick, outwards in rows:
                logs = part[place][window]
                slack = tilt.error + UNIT * 6 * (
                    np.abs(untilt) + np.where(np.isfinite(logs), np.abs(logs), 0.0) + 4
                )
                pick(row[at], logs + untilt + outwards * slack, out=row[at])
            for side, end, sign in ((0, 0, -1), (1, -1, 1)):
                if tilt is plan.tilts[end] and sign * tilt.rate >= 0:
                    beyond[side][place] = lost[end]
    for side, closed in enumerate((plan.first == 0, plan.last == problem.n_sums - 1)):
        if closed:
            beyond[side][:] = -np.inf
    return SumLaws(low, high, *beyond)


def _offsets(problem: Multiset, targets: Ints, tilt: chernoff_tilt.Tilt) -> Ints:
    """Column (from the least sum) of Σ z = 0, with the record in and out; (2, n_targets)."""
    least = problem.sum_range[0]
    inside = (problem.size - 1) * tilt.centre + problem.values[targets] - least
    return np.stack([inside, np.full(len(targets), problem.size * tilt.centre - least)])


def _constants(problem: Multiset, targets: Ints, tilt: chernoff_tilt.Tilt) -> Floats:
    """ln Pr[S = s] − ln Q[k, s'] + λs', to a few units; (2, n_targets)."""
    others, n = problem.n_records - 1, problem.size
    with directed() as r:
        logs = [
            r.log1p(r.exp(r(tilt.log_odds) + r(tilt.rate) * int(value))) for value in problem.values
        ]
        total = sum(
            (log * int(count) for log, count in zip(logs, problem.counts, strict=True)), r(0)
        )
        constants = []
        for k in (n - 1, n):
            shared = total - r(tilt.log_odds) * k - r(tilt.rate) * k * tilt.centre
            shared -= r.log_binomial(others, k)
            constants.append([upper(shared - logs[at]) for at in targets])
    return np.array(constants)
