"""`population_exponential`: the exponential mechanism on a geometric median."""

from functools import partial

import attrs
import numpy as np

from deniable import _validate
from deniable.analysis.population import data
from deniable.analysis.population._array_api import Floats
from deniable.analysis.population.additive import asked, only_one
from deniable.analysis.population.adjacent_subsets import adjacent_epsilon, restricted_epsilon
from deniable.analysis.population.answer import Noise, PopulationAnswer, Searched
from deniable.analysis.population.bracket import Bracket, Promise, Setting, answer
from deniable.analysis.population.calibrate import Search, Tried, target_epsilon
from deniable.analysis.population.effort import Effort
from deniable.analysis.population.enumeration import enumerated, enumeration_seconds
from deniable.analysis.population.exponential import loss_table
from deniable.analysis.population.finite_bounds import exchange_bounds
from deniable.analysis.population.finite_sampling import sampled
from deniable.analysis.population.sampled_target import least_sampled_scale
from deniable.analysis.population.success import optimal_success
from deniable.analysis.population.time_limit import OutOfTime, late, limited
from deniable.errors import InfeasibleTarget, InvalidArgument

LOSSES = ("geometric-median",)
METHODS = ("auto", "enumerate", "sample")
_SEARCH_STEPS = 12
_HOPED = 64


def population_exponential(
    records: data.Source,
    candidates: data.Source,
    size: int,
    *,
    epsilon: float | None = None,
    target: float | None = None,
    clip: float,
    loss: str = "geometric-median",
    method: str = "auto",
    records_asked: str = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""How private it is to choose one of a list of candidates by the exponential mechanism.

    Candidate w is chosen with probability ∝ e^(−ε ℓ(w,D)/2Δ), where ℓ(w, D) is the mean distance
    of w to the sample and Δ = (max‖w‖ + C)/n bounds its change. Exactly one of `epsilon` and
    `target` is given.

    Parameters
    ----------
    records : array_like, shape (n_records, n_columns), or path of a CSV file
        The parent set, repeated records included.
    candidates : array_like, shape (n_candidates, n_columns), or path of a CSV file
        What is chosen from.
    size : int
        n of the uniform sample, 1 <= n < N.
    epsilon : float, optional
        Worst-case ε of the mechanism, > 0.
    target : float, optional
        > 0: asks for the largest ε whose certified upper end is at most this.
    clip : float
        C; records are scaled to Euclidean norm <= C first.
    loss : {"geometric-median"}
        Mean Euclidean distance.
    method : {"auto", "enumerate", "sample"}
        "auto" enumerates all samples where that fits into the time limit.
    records_asked : {"worst", "all"}
        Whether to list every record.
    effort : Effort, optional
        Confidence, seed, gap, time limit, workers, checkpoint, device.

    Returns
    -------
    PopulationAnswer
        With `subsets` where all samples were enumerated.

    Raises
    ------
    InvalidArgument, DataError
        If an argument or the data cannot be used.
    InfeasibleTarget
        If no ε meets the target.

    References
    ----------
    lowy-2024, Proposition 9.

    Examples
    --------
    >>> points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0]]
    >>> found = population_exponential(points, [[0.0, 0.0], [2.0, 2.0]], 2, epsilon=1.0, clip=5.0)
    >>> found.subsets, found.worst_record, found.population_epsilon.upper < 1
    (6, 3, True)
    """
    _validate.one_of(loss, LOSSES, "loss")
    chosen = _validate.one_of(method, METHODS, "method")
    given, value = only_one(epsilon=epsilon, target=target)
    values = data.records(records)
    n = data.sample_size(size, len(values))
    unit = _unit_scores(data.clipped(values, clip), data.records(candidates, "candidates"), clip)
    setting, work = Setting(n, len(values), 0.0, asked(records_asked)), effort or Effort()
    with limited(work.time_limit):
        if given == "target":
            wanted = target_epsilon(value)
            enumerate_all = _fits(unit * max(wanted, 1.0), n, work, chosen, _SEARCH_STEPS)
            used, found = _largest(unit, n, wanted, work, enumerate_all)
        else:
            used = _validate.positive(value, "epsilon")
            enumerate_all = _fits(unit * used, n, work, chosen, 1)
            found = _at(unit, n, enumerate_all, used, work)
        scores = unit * used
        exact = adjacent_epsilon(scores, n, effort=work) if enumerate_all else None
    restricted = restricted_epsilon(scores)
    promise = Promise(used, restricted, None if exact is None else exact.upper)
    return answer(found.capped(restricted), setting, Noise("epsilon", used), promise)


def _unit_scores(values: Floats, candidates: Floats, clip: float) -> Floats:
    """What each record adds to each candidate's scaled loss at ε = 1; the sample size cancels."""
    if candidates.shape[1] != values.shape[1]:
        raise InvalidArgument(
            f"Expected candidates with {values.shape[1]} columns, as the records have, got "
            f"{candidates.shape[1]}."
        )
    reach = float(np.linalg.norm(candidates, axis=1).max()) + clip
    return np.asarray(loss_table(values, candidates) / (2 * reach))


def _fits(scores: Floats, size: int, effort: Effort, method: str, times: int) -> bool:
    """Whether to enumerate all samples, as often as a search would."""
    if method != "auto":
        return method == "enumerate"
    candidates, records = scores.shape
    spread = float(np.ptp(scores, axis=0).max())
    once = enumeration_seconds(records, size, candidates, spread=spread)
    return once * times <= effort.time_limit


def _bracket(
    unit: Floats, size: int, enumerate_all: bool, inverse: float, effort: Effort
) -> Bracket:
    """ε̃ at ε = 1/inverse: a scale of noise, as for the other mechanisms."""
    return _at(unit, size, enumerate_all, 1 / inverse, effort)


def _at(unit: Floats, size: int, enumerate_all: bool, epsilon: float, effort: Effort) -> Bracket:
    scores = unit * epsilon
    if not enumerate_all:
        return Bracket.by("sample", sampled(scores, size, effort=effort))
    try:
        laws = enumerated(scores, size, effort=effort)
    except OutOfTime:
        return Bracket.by("exchange", exchange_bounds(scores, size))
    found = Bracket.by("enumerate", laws.population_epsilon(), laws.subsets)
    best = optimal_success(laws.log_in, laws.log_out, size / scores.shape[1], laws.error)
    return attrs.evolve(found, optimal=best)


def _largest(
    unit: Floats, size: int, target: float, effort: Effort, enumerate_all: bool
) -> tuple[float, Bracket]:
    """The largest ε whose certified upper end keeps to the target, and its analysis."""
    if target == 0 or not np.ptp(unit - unit[0], axis=1).any():
        raise _no_target(target)
    start = 1 / target
    if enumerate_all:
        quiet = attrs.evolve(effort, checkpoint=None)
        best = Search(partial(_enumerated, unit, size, quiet), Bracket.upper, target).least(start)
        return _inverted(best, target)
    analysis = partial(_bracket, unit, size, False)

    def certain(inverse: float) -> float:
        return float(exchange_bounds(unit / inverse, size).upper.max())

    certainly = Search(certain, float, target).least(start)
    behind = certainly.scale
    sure = least_sampled_scale(analysis, target, behind / _HOPED, behind, effort)
    inverse, found = sure or (behind, analysis(behind, effort).capped(certainly.found, "exchange"))
    missed = None if sure or not certainly.missed else 1 / certainly.missed
    how = Searched(target, missed, complete=certainly.complete and not late())
    return 1 / inverse, attrs.evolve(found, search=how)


def _inverted(best: Tried[Bracket], target: float) -> tuple[float, Bracket]:
    """ε = 1/inverse, and how its search ended."""
    missed = None if not best.missed else 1 / best.missed
    how = Searched(target, missed, best.complete)
    return 1 / best.scale, attrs.evolve(best.found, search=how)


def _enumerated(unit: Floats, size: int, effort: Effort, inverse: float) -> Bracket:
    return _bracket(unit, size, True, inverse, effort)


def _no_target(target: float) -> InvalidArgument | InfeasibleTarget:
    if target == 0:
        return InfeasibleTarget(
            "Expected a target above 0, got target=0.0: without delta every useful epsilon "
            "tells something."
        )
    return InvalidArgument(
        "Expected records that differ for a target, got losses that are all the same. "
        "Every epsilon meets every target."
    )
