"""The exponential mechanism on a loss of one's own: all samples, or random ones."""

from typing import Any

import attrs
import numpy as np

from deniable import _validate
from deniable.bounds import Evidence
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.population.answer.answer import Noise, PopulationAnswer, Searched
from deniable.population.answer.bracket import Asked, Bracket, Promise, Setting, answer
from deniable.population.answer.least_noise import Search, target_epsilon
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.answer.success import optimal_success
from deniable.population.choices.loss_function import (
    MOST_CALLS,
    Listed,
    Loss,
    LossFunction,
    sampled_losses,
)
from deniable.population.doors import parent_set as data
from deniable.population.work.array_api import Floats
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, limited

_LARGEST = 1e100
"""Times a loss of at most 1e100, so that no product leaves the range of floats."""


@attrs.frozen(eq=False)
class OwnLoss:
    """A loss function and its sensitivity Δ, which the worst-case ε rests on."""

    function: LossFunction
    sensitivity: float

    def rate(self, epsilon: float) -> float:
        """What the loss is multiplied with."""
        found = epsilon / (2 * self.sensitivity)
        if found > _LARGEST:
            raise InvalidArgument(
                "Expected an epsilon up to 1e100 times the sensitivity, got a larger one. "
                "Choose another unit of the loss, or a smaller epsilon."
            )
        return found


def of_function(
    loss: Loss, records: Any, candidates: Any, size: int | None, sensitivity: float | None
) -> OwnLoss:
    """From raw arguments: rows of records, and a sequence of candidates."""
    if sensitivity is None:
        raise InvalidArgument(
            "Expected a sensitivity with a loss of your own, got none. Give a bound of how far "
            "exchanging one record moves the loss of any candidate."
        )
    rows: Floats = np.asarray(records, np.float64)
    if rows.ndim < 1 or not rows.size or not np.all(np.isfinite(rows)):
        raise InvalidArgument("Expected finite records, one a row.")
    n = data.sample_size(size, len(rows))
    among = list(candidates)
    if not among:
        raise InvalidArgument("Expected candidates, at least one, got none.")
    return OwnLoss(
        LossFunction(loss, rows, among, n), _validate.positive(sensitivity, "sensitivity")
    )


def by_function(
    own: OwnLoss, given: str, value: float, method: str, asked: Asked, effort: Effort
) -> PopulationAnswer:
    """ε̃ at an ε, or the largest ε whose certified upper end meets a target."""
    function = own.function
    setting = Setting(function.size, len(function.records), 0.0, asked)
    wanted = target_epsilon(value) if given == "target" else None
    if wanted == 0:
        raise InfeasibleTarget("Expected a target above 0, got target=0.0.")
    few = function.calls <= MOST_CALLS if method == "auto" else method == "enumerate"
    with limited(effort.time_limit):
        listed = _listed(own, effort) if few else None
        # ε-differential privacy meets a target of ε, whatever the loss.
        used = wanted if wanted is not None else _validate.positive(value, "epsilon")
        how = None if wanted is None else Searched(wanted, None, complete=False)
        if listed is None:
            found = _drawn(own, used, effort, draw=not few)
        elif wanted is None:
            found = _at(own, listed, used)
        else:
            used, found, how = _largest(own, listed, wanted)
        promise = _promise(own, listed, used)
    most = promise.restricted if promise.restricted is not None else used
    kept = attrs.evolve(found.capped(min(most, used)), search=how)
    return answer(kept, setting, Noise("epsilon", used), promise)


def _listed(own: OwnLoss, effort: Effort) -> Listed | None:
    """The losses of all samples, if time allows."""
    try:
        found = Listed.of(own.function)
        change = found.largest_change()
    except OutOfTime:
        return None
    effort.progress(1.0)
    if change > own.sensitivity * (1 + 1e-12):
        raise InvalidArgument(
            "Expected a sensitivity that exchanging two records of the parent set keeps to, got "
            f"sensitivity={own.sensitivity}. Give a larger one."
        )
    return found


def _at(own: OwnLoss, listed: Listed, epsilon: float) -> Bracket:
    laws = listed.laws(own.rate(epsilon))
    found = Bracket.by("enumerate", laws.population_epsilon(), laws.subsets)
    share = own.function.size / len(own.function.records)
    best = optimal_success(laws.log_in, laws.log_out, share, laws.error)
    return attrs.evolve(found, optimal=best)


def _drawn(own: OwnLoss, epsilon: float, effort: Effort, *, draw: bool) -> Bracket:
    """Random samples; without time for one, what differential privacy alone gives."""
    if draw:
        found = sampled_losses(own.function, own.rate(epsilon), epsilon, effort)
        return Bracket.by("sample", found)
    places = np.arange(len(own.function.records))
    most = np.full(len(places), epsilon)
    return Bracket.by(
        "worst-case", RecordBounds(places, np.zeros(len(places)), most, Evidence.ENCLOSURE)
    )


def _largest(own: OwnLoss, listed: Listed, target: float) -> tuple[float, Bracket, Searched]:
    """The largest ε whose certified upper end keeps to the target."""
    if not np.ptp(listed.losses - listed.losses[:, :1], axis=0).any():
        raise InvalidArgument(
            "Expected losses that differ between samples for a target, got losses that are all "
            "the same. Every epsilon meets every target."
        )
    search = Search(lambda inverse: _at(own, listed, 1 / inverse), Bracket.upper, target)
    best = search.least(1 / target)
    missed = None if best.missed is None else 1 / best.missed
    return 1 / best.scale, best.found, Searched(target, missed, best.complete)


def _promise(own: OwnLoss, listed: Listed | None, epsilon: float) -> Promise:
    if listed is None:
        return Promise(epsilon, None, None)
    try:
        restricted = 2 * own.rate(epsilon) * listed.largest_change() * (1 + 1e-15)
        return Promise(epsilon, restricted, listed.adjacent_epsilon(own.rate(epsilon)))
    except OutOfTime:
        return Promise(epsilon, None, None)
