"""The exponential mechanism on a loss of one's own: all samples, or random ones."""

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np

from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import OutOfTime, limited
from deniable.population import choices
from deniable.population.answer.answer import Noise, PopulationAnswer, Searched, answer
from deniable.population.answer.least_noise import Search, target_epsilon
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.api import engines
from deniable.population.choices import Exponential, Loss, Losses, LossFunction, OwnLoss
from deniable.population.question import Question, rows_of, sample_size


def of_function(
    loss: Loss | Losses,
    data: Any,
    candidates: Any,
    size: int | None,
    sensitivity: float | None,
    *,
    at_once: bool = False,
) -> OwnLoss:
    """From raw arguments: rows of records, and a sequence of candidates."""
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
            listed = _list_losses(question, effort)
            engine, question = (
                (choices.worst_case, question) if listed is None else (engine, listed)
            )
        if wanted is None or question.data.listed is None:
            bounds = engine(question, Exponential(used), effort)
        else:
            used, bounds, search = _largest(question, wanted, effort)
        restricted, adjacent = _privacy_beside(question.data, used)
    most = used if restricted is None else min(restricted, used)
    return answer(
        question,
        Noise("epsilon", used),
        bounds.cap(most),
        effort,
        epsilon=used,
        restricted=restricted,
        adjacent=adjacent,
        search=search,
    )


def _list_losses(question: Question[OwnLoss], effort: Effort) -> Question[OwnLoss] | None:
    """The question with the losses of all samples, if time allows."""
    own = question.data
    try:
        listed = own.list_losses()
        change = listed.largest_change()
    except OutOfTime:
        return None
    effort.progress(1.0)
    if change > own.sensitivity * (1 + 1e-12):
        raise InvalidArgument(
            "Expected a sensitivity that exchanging two records of the parent set keeps to, got "
            f"sensitivity={own.sensitivity}. Give a larger one."
        )
    return attrs.evolve(question, data=attrs.evolve(own, listed=listed))


def _largest(
    question: Question[OwnLoss], target: float, effort: Effort
) -> tuple[float, RecordBounds, Searched]:
    """The largest ε whose certified upper bound keeps to the target."""
    losses = question.data.list_losses().losses
    if not np.ptp(losses - losses[:, :1], axis=0).any():
        raise InvalidArgument(
            "Expected losses that differ between samples for a target, got losses that are all "
            "the same. Every epsilon meets every target."
        )

    def at(inverse: float) -> RecordBounds:
        return choices.by_enumeration(question, Exponential(1 / inverse), effort)

    best = Search(at, RecordBounds.guaranteed_upper, target).least(1 / target)
    missed = None if best.missed is None else 1 / best.missed
    return 1 / best.scale, best.result, Searched(target, missed, best.complete)


def _privacy_beside(own: OwnLoss, epsilon: float) -> tuple[float | None, float | None]:
    """ε(X) by restricted sensitivity and exact, where all samples are listed and time allows."""
    if own.listed is None:
        return None, None
    try:
        restricted = 2 * own.rate(epsilon) * own.listed.largest_change() * (1 + 1e-15)
        return restricted, own.listed.adjacent_epsilon(own.rate(epsilon))
    except OutOfTime:
        return None, None
