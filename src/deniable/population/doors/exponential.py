"""`deniable.population.exponential`: the exponential mechanism chooses one of a list."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

from deniable import _validate
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.population.answer.answer import Noise, PopulationAnswer, Searched
from deniable.population.answer.bracket import Bracket, Promise, Setting, answer
from deniable.population.answer.least_noise import Search, Tried, target_epsilon
from deniable.population.answer.sampled_target import least_sampled_scale
from deniable.population.answer.success import optimal_success
from deniable.population.choices.adjacent_subsets import adjacent_epsilon
from deniable.population.choices.enumeration import enumerated, enumeration_seconds
from deniable.population.choices.finite_bounds import exchange_bounds
from deniable.population.choices.finite_sampling import sampled
from deniable.population.choices.loss_function import Loss
from deniable.population.choices.scores import Scores, of_distances, of_table
from deniable.population.doors import parent_set as data
from deniable.population.doors.additive import asked, only_one
from deniable.population.doors.exponential_function import by_function, of_function
from deniable.population.work.array_api import Floats
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, late, limited

LOSSES = ("geometric-median",)
METHODS = ("auto", "enumerate", "sample")
_SEARCH_STEPS = 12
"""Analyses that a search for a target takes, about."""
_HOPED = 64
"""How many times as large an ε the search hopes for as the bound without draws gives."""
_LARGEST = 1e150
"""ε beyond which a score may leave the range of floats."""


def exponential(
    records: data.Source | None = None,
    candidates: data.Source | Sequence[Any] | None = None,
    size: int | None = None,
    *,
    epsilon: float | None = None,
    target: float | None = None,
    clip: float | None = None,
    loss: str | Loss = "geometric-median",
    losses: data.Source | None = None,
    sensitivity: float | None = None,
    loss_bounds: tuple[float, float] | None = None,
    method: str = "auto",
    records_asked: str = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""How private it is to choose one of a list of candidates by the exponential mechanism.

    Candidate w is chosen with probability ∝ e^(−ε ℓ(w,D)/2Δ), where Δ bounds what exchanging one
    record, for whatever other, does to any candidate's loss. Exactly one of `epsilon` and
    `target` is given. The loss ℓ(w, D) is one of

    - the mean distance of w to the sample (`records`, `candidates`, `clip`): Δ = (max‖w‖ + C)/n;
    - the mean over the sample of given losses (`losses`), cut to `loss_bounds`, Δ = (high − low)/n,
      or with a `sensitivity` Δ of your own;
    - any function (`loss`, `records`, `candidates`, `sensitivity`), called for each candidate
      and sample: for all samples where that is at most 2^18 calls, else for random ones.

    Parameters
    ----------
    records : array_like, shape (n_records, n_columns), or path of a CSV file
        The parent set, repeated records included. Left out with `losses`.
    candidates : array_like, shape (n_candidates, n_columns), or path of a CSV file
        What is chosen from; for a loss of your own any sequence. Left out with `losses`.
    size : int
        n of the uniform sample, 1 <= n < N.
    epsilon : float, optional
        Worst-case ε of the mechanism, > 0.
    target : float, optional
        > 0: asks for the largest ε whose certified upper end is at most this.
    clip : float, optional
        C; records are scaled to Euclidean norm <= C first.
    loss : {"geometric-median"} or callable
        Mean Euclidean distance; or a function of a candidate and the sampled rows, in the order
        of the parent set, to a finite number.
    losses : array_like, shape (n_records, n_candidates), or path of a CSV file, optional
        The loss of each candidate on each record.
    sensitivity : float, optional
        Δ, > 0, of ℓ(w, D) itself (for `losses` of the mean). The worst-case ε rests on it, so it
        must hold for records outside the parent set too; one that the parent set itself
        contradicts is refused.
    loss_bounds : (float, float), optional
        Public bounds of one record's loss; losses beyond are cut to them.
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
    >>> from deniable import population
    >>> points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0]]
    >>> found = population.exponential(points, [[0.0, 0.0], [2.0, 2.0]], 2, epsilon=1.0, clip=5.0)
    >>> found.subsets, found.worst_record, found.population_epsilon.upper < 1
    (6, 3, True)
    >>> found = population.exponential(
    ...     losses=[[0.0, 1.0], [1.0, 0.0], [1.0, 0.5], [0.2, 0.9]], size=2, epsilon=1.0,
    ...     loss_bounds=(0.0, 1.0),
    ... )
    >>> round(found.epsilon_restricted_sensitivity, 3), found.population_epsilon.upper < 0.4
    (1.0, True)
    >>> found = population.exponential(
    ...     [1.0, 2.0, 3.0, 9.0], [0.0, 5.0, 10.0], 3, epsilon=1.0, sensitivity=10.0,
    ...     loss=lambda w, rows: abs(w - float(np.median(rows))),
    ... )
    >>> found.subsets, found.population_epsilon.upper < found.epsilon_adjacent_subsets
    (4, True)
    """
    chosen = _validate.one_of(method, METHODS, "method")
    given, value = only_one(epsilon=epsilon, target=target)
    work = effort or Effort()
    if callable(loss):
        _nothing_else("a loss of your own", losses=losses, clip=clip, loss_bounds=loss_bounds)
        _needed("a loss of your own", records=records, candidates=candidates, size=size)
        asks = of_function(loss, records, candidates, size, sensitivity)
        return by_function(asks, given, value, chosen, asked(records_asked), work)
    _validate.one_of(loss, LOSSES, "loss")
    if losses is not None:
        _nothing_else("given losses", records=records, candidates=candidates, clip=clip)
        _needed("given losses", size=size)
        table = data.records(losses, "losses")
        n = data.sample_size(size, len(table))
        scores = of_table(table, n, sensitivity=sensitivity, bounds=loss_bounds)
    else:
        _nothing_else("the mean distance", sensitivity=sensitivity, loss_bounds=loss_bounds)
        _needed("the mean distance", records=records, candidates=candidates, size=size, clip=clip)
        values = data.records(records)  # type: ignore[arg-type]
        n = data.sample_size(size, len(values))
        near = data.clipped(values, clip)
        scores = of_distances(near, data.records(candidates, "candidates"), float(clip))  # type: ignore[arg-type]
    setting = Setting(n, scores.table.shape[1], 0.0, asked(records_asked))
    return _by_table(scores, setting, given, value, chosen, work)


def _nothing_else(what: str, **given: object) -> None:
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InvalidArgument(f"Expected no {wrong[0]} with {what}, got one. Leave it out.")


def _needed(what: str, **given: object) -> None:
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise InvalidArgument(f"Expected {missing[0]} with {what}, got none.")


def _by_table(
    given_scores: Scores,
    setting: Setting,
    given: str,
    value: float,
    chosen: str,
    work: Effort,
) -> PopulationAnswer:
    unit, n = given_scores.table, setting.size
    if value > _LARGEST:
        raise InvalidArgument(f"Expected {given} up to {_LARGEST:g}, got {given}={value}.")
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
    off = given_scores.widening(n, used)
    restricted = given_scores.restricted * used * (1 + 4e-16) + off
    promise = Promise(used, restricted, None if exact is None else exact.upper + off)
    kept = found.widened(off).capped(restricted)
    return answer(kept, setting, Noise("epsilon", used), promise)


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
