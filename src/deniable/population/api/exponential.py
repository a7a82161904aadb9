"""`deniable.population.exponential`: the exponential mechanism chooses one of a list."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.numerics.effort import Effort, OutOfTime, late, limited
from deniable.population import choices
from deniable.population.answer import (
    NoiseParameter,
    PopulationAnswer,
    RecordBounds,
    Search,
    Searched,
    answer,
    least_sampled_scale,
    target_epsilon,
)
from deniable.population.api import engines
from deniable.population.api.additive import only_one
from deniable.population.choices import Loss, Losses, LossFunction, OwnLoss, Scores
from deniable.population.question import (
    Question,
    Records,
    Source,
    clip_records,
    numbers,
    rows_of,
    sample_size,
)


def of_function(
    loss: Loss | Losses,
    data: Any,
    candidates: Any,
    size: int | None,
    sensitivity: float | None,
    *,
    at_once: bool = False,
) -> OwnLoss:
    """Read raw arguments: rows of records, and a sequence of candidates."""
    if sensitivity is None:
        raise InvalidArgument(
            "Expected a sensitivity with a loss of your own, got none. Give a bound of how far "
            "exchanging one record moves the loss of any candidate."
        )
    rows = rows_of(data)
    n = sample_size(size, len(rows))
    if not isinstance(candidates, Iterable):
        raise InvalidArgument(f"Expected candidates, got {validate.format_value(candidates)}.")
    among = list(candidates)
    if not among:
        raise InvalidArgument("Expected candidates, at least one, got none.")
    function = LossFunction(loss, rows, among, n, at_once)
    return OwnLoss(function, validate.positive(sensitivity, "sensitivity"))


def by_function(
    question: Question[OwnLoss], given: str, value: float, method: str, effort: Effort
) -> PopulationAnswer:
    """ε̃ at an ε, or the largest ε whose certified upper bound meets a target."""
    wanted = target_epsilon(value) if given == "target" else None
    if wanted == 0:
        raise InfeasibleTarget("Expected a target above 0, got target=0.0.")
    # ε-differential privacy meets a target of ε, whatever the loss.
    used = wanted if wanted is not None else validate.positive(value, "epsilon")
    search = None if wanted is None else Searched(wanted, None, complete=False)
    engine = engines.of_choice(question, used, method, effort)
    with limited(effort.time_limit):
        if engine is choices.by_enumeration:
            try:  # the losses of all samples
                listed = question.data.list_losses()
                change = listed.largest_change()
            except OutOfTime:
                engine = choices.worst_case
            else:
                effort.progress(1.0)
                own = question.data
                if change > own.sensitivity * (1 + 1e-12):
                    raise InvalidArgument(
                        "Expected a sensitivity that exchanging two records of the parent set "
                        f"keeps to, got sensitivity={own.sensitivity}. Give a larger one."
                    )
                question = attrs.evolve(question, data=attrs.evolve(own, listed=listed))
        if wanted is None or question.data.listed is None:
            bounds = engine(question, used, effort)
        else:
            losses = question.data.list_losses().losses
            if not np.ptp(losses - losses[:, :1], axis=0).any():
                raise InvalidArgument(
                    "Expected losses that differ between samples for a target, got losses that are "
                    "all the same. Every epsilon meets every target."
                )
            used, bounds, search = _largest_listed(
                partial(choices.by_enumeration, question, effort=effort), wanted
            )
        restricted = adjacent = None  # by restricted sensitivity, and exact, where time allows
        if question.data.listed is not None:
            listed, rate = question.data.listed, question.data.rate(used)
            with contextlib.suppress(OutOfTime):
                change = 2 * rate * listed.largest_change() * (1 + 1e-15)
                adjacent = listed.adjacent_epsilon(rate)
                restricted = change
    return answer(
        question,
        NoiseParameter("epsilon", used),
        bounds.cap(used if restricted is None else min(restricted, used)),
        effort,
        epsilon=used,
        restricted=restricted,
        adjacent=adjacent,
        search=search,
    )


def _largest_listed(
    analysis: Callable[[float], RecordBounds], target: float
) -> tuple[float, RecordBounds, Searched]:
    """The largest ε that keeps to the target, where all samples are listed: the least noise 1/ε."""
    best = Search(
        lambda inverse: analysis(1 / inverse), RecordBounds.guaranteed_upper, target
    ).least(1 / target)
    missed = None if best.missed is None else 1 / best.missed
    return 1 / best.scale, best.result, Searched(target, missed, best.complete)


LOSSES = ("geometric-median",)
_SEARCH_STEPS = 12  # Analyses that a search for a target takes, about
_HOPED = 64  # How many times as large an ε the search hopes for as the bound without draws gives
_LARGEST = 1e150  # ε beyond which a score may leave the range of floats


def exponential(
    data: Source | None = None,
    candidates: Source | Sequence[Any] | None = None,
    size: int | None = None,
    *,
    epsilon: float | None = None,
    target: float | None = None,
    clip: float | None = None,
    loss: str | Loss = "geometric-median",
    losses: Source | Losses | None = None,
    sensitivity: float | None = None,
    loss_bounds: tuple[float, float] | None = None,
    method: str = "auto",
    records: Records = "worst",
    effort: Effort | None = None,
) -> PopulationAnswer:
    r"""Compute how private a choice among candidates by the exponential mechanism is.

    Candidate w is chosen with probability ∝ e^(−ε ℓ(w,D)/2Δ), where Δ bounds what exchanging one
    record, for whatever other, does to any candidate's loss. Exactly one of `epsilon` and
    `target` is given. The loss ℓ(w, D) is one of

    - the mean distance of w to the sample (`data`, `candidates`, `clip`): Δ = (max‖w‖ + C)/n;
    - the mean over the sample of given `losses`, clipped to `loss_bounds`, Δ = (high − low)/n, or
      with a `sensitivity` Δ of your own;
    - any function (`loss` or `losses`, `data`, `candidates`, `sensitivity`), called for each
      candidate and sample, or for each sample: for all samples where that is at most 2^18 calls,
      else for random ones.

    Parameters
    ----------
    data : array_like, shape (n_records, n_columns), or path of a CSV file
        The parent set, repeated records included. Left out with `losses`.
    candidates : array_like, shape (n_candidates, n_columns), or path of a CSV file
        What is chosen from; for a loss of your own any sequence. Left out with `losses`.
    epsilon : float, optional
        Worst-case ε of the mechanism, > 0.
    target : float, optional
        > 0: asks for the largest ε whose certified upper bound is at most this.
    clip : float, optional
        C; records are scaled to Euclidean norm <= C first.
    loss : {"geometric-median"} or callable
        Mean Euclidean distance; or a function of a candidate and the sampled rows, in the order
        of the parent set, to a finite number.
    losses : array_like, shape (n_records, n_candidates), path of a CSV file or callable, optional
        The loss of each candidate on each record; or a function as `loss`, of the sampled rows
        alone, that gives all candidates' losses at once, shape (n_candidates,).
    sensitivity : float, optional
        Δ, > 0, of ℓ(w, D) itself (for `losses` of the mean). The worst-case ε rests on it, so it
        must hold for records outside the parent set too; one that the parent set itself
        contradicts is refused.
    loss_bounds : (float, float), optional
        Public bounds of one record's loss; losses beyond are clipped to them.
    method : {"auto", "enumerate", "sample"}
        "auto" enumerates all samples where that fits into the time limit.
    size, records, effort
        As in `gaussian`.

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
    >>> answer = population.exponential(points, [[0.0, 0.0], [2.0, 2.0]], 2, epsilon=1.0, clip=5.0)
    >>> answer.subsets, answer.worst_record, answer.population_epsilon.upper < 1
    (6, 3, True)
    >>> answer = population.exponential(
    ...     losses=[[0.0, 1.0], [1.0, 0.0], [1.0, 0.5], [0.2, 0.9]], size=2, epsilon=1.0,
    ...     loss_bounds=(0.0, 1.0),
    ... )
    >>> round(answer.epsilon_restricted_sensitivity, 3), answer.population_epsilon.upper < 0.4
    (1.0, True)
    >>> answer = population.exponential(
    ...     [1.0, 2.0, 3.0, 9.0], [0.0, 5.0, 10.0], 3, epsilon=1.0, sensitivity=10.0,
    ...     loss=lambda w, rows: abs(w - float(np.median(rows))),
    ... )
    >>> answer.subsets, answer.population_epsilon.upper < answer.epsilon_adjacent_subsets
    (4, True)
    """
    validate.one_of(method, engines.CHOICE, "method")
    given, amount = only_one(epsilon=epsilon, target=target)
    value = validate.number(amount, given)
    work = effort or Effort()
    if callable(loss) or callable(losses):
        other = losses if callable(loss) else None
        _refuse("a loss of your own", losses=other, clip=clip, loss_bounds=loss_bounds)
        _require("a loss of your own", data=data, candidates=candidates, size=size)
        own = of_function(
            loss if callable(loss) else losses,  # type: ignore[arg-type]
            data, candidates, size, sensitivity, at_once=not callable(loss),
        )  # fmt: skip
        question = Question(own, own.function.size, 0.0, records)
        return by_function(question, given, value, method, work)
    validate.one_of(loss, LOSSES, "loss")
    if losses is not None:
        _refuse("given losses", data=data, candidates=candidates, clip=clip)
        _require("given losses", size=size)
        table = numbers(losses, "losses")
        n = sample_size(size, len(table))
        scores = choices.of_table(table, n, sensitivity=sensitivity, bounds=loss_bounds)
    else:
        _refuse("the mean distance", sensitivity=sensitivity, loss_bounds=loss_bounds)
        _require("the mean distance", data=data, candidates=candidates, size=size, clip=clip)
        values = numbers(data)  # type: ignore[arg-type]
        n = sample_size(size, len(values))
        near, among = clip_records(values, clip), numbers(candidates, "candidates")  # type: ignore[arg-type]
        scores = choices.of_distances(near, among, float(clip))  # type: ignore[arg-type]
    return _by_table(Question(scores, n, 0.0, records), given, value, method, work)


def _refuse(what: str, **given: object) -> None:
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InvalidArgument(f"Expected no `{wrong[0]}` with {what}, got one. Leave it out.")


def _require(what: str, **given: object) -> None:
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise InvalidArgument(f"Expected `{missing[0]}` with {what}, got none.")


def _by_table(
    question: Question[Scores], given: str, value: float, method: str, work: Effort
) -> PopulationAnswer:
    """ε̃ at an ε, or the largest ε whose certified upper bound meets a target."""
    scores, n, search = question.data, question.size, None
    if value > _LARGEST:
        raise InvalidArgument(f"Expected {given} up to {_LARGEST:g}, got {given}={value}.")
    with limited(work.time_limit):
        if given == "target":
            wanted = target_epsilon(value)
            engine = engines.of_choice(question, max(wanted, 1.0), method, work, _SEARCH_STEPS)
            used, bounds, search = _largest(question, engine, wanted, work)
        else:
            used = validate.positive(value, "epsilon")
            engine = engines.of_choice(question, used, method, work)
            bounds = _bracket(question, engine, used, work)
        listed = engine is choices.by_enumeration
        exact = choices.adjacent_epsilon(scores.table * used, n, effort=work) if listed else None
    off = scores.widening(n, used)
    restricted = scores.restricted * used * (1 + 4e-16) + off
    return answer(
        question,
        NoiseParameter("epsilon", used),
        bounds.cap(restricted),
        work,
        epsilon=used,
        restricted=restricted,
        adjacent=None if exact is None else exact.upper + off,
        search=search,
    )


def _bracket(
    question: Question[Scores], engine: engines.Engine, epsilon: float, effort: Effort
) -> RecordBounds:
    """ε̃ at this ε, with room for the rounding of the scores."""
    return engine(question, epsilon, effort).widen(question.data.widening(question.size, epsilon))


def _largest(
    question: Question[Scores], engine: engines.Engine, target: float, effort: Effort
) -> tuple[float, RecordBounds, Searched]:
    """The largest ε whose certified upper bound keeps to the target: the least noise 1/ε."""
    if target == 0:
        raise InfeasibleTarget(
            "Expected a target above 0, got target=0.0: without delta every useful epsilon "
            "tells something."
        )
    table = question.data.table
    if not np.ptp(table - table[0], axis=1).any():
        raise InvalidArgument(
            "Expected records that differ for a target, got losses that are all the same. "
            "Every epsilon meets every target."
        )
    if engine is choices.by_enumeration:
        work = attrs.evolve(effort, checkpoint=None)
        return _largest_listed(partial(_bracket, question, engine, effort=work), target)

    def at(inverse: float, work: Effort) -> RecordBounds:
        return _bracket(question, engine, 1 / inverse, work)

    def certain(inverse: float) -> float:
        return _bracket(question, choices.by_exchange, 1 / inverse, effort).guaranteed_upper()

    certainly = Search(certain, float, target).least(1 / target)
    behind = certainly.scale
    sure = least_sampled_scale(at, target, behind / _HOPED, behind, effort)
    inverse, bounds = sure or (behind, at(behind, effort).cap(certainly.result, "exchange"))
    missed = None if sure or not certainly.missed else 1 / certainly.missed
    return 1 / inverse, bounds, Searched(target, missed, complete=certainly.complete and not late())
