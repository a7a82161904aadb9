"""The chain of theorems from noisy steps to what was asked for, or to what may be believed."""

from collections.abc import Callable, Sequence
from typing import Any

from deniable.analysis.requirement import claimed
from deniable.analysis.target import EpsilonTarget, FalseNegativesTarget, Step, Target
from deniable.learning import Phase
from deniable.learning.calibration import Requirement
from deniable.notions import (
    Adjacency,
    ApproxDP,
    Identifiability,
    MaxPosterior,
    Notion,
    PositiveMembership,
    PrivacyLossTail,
)
from deniable.priors import BoundedPriors
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp
from deniable.theorems.beliefs import privacy_loss_tail_to_max_posterior
from deniable.theorems.catalogue import named
from deniable.theorems.identifiability import privacy_loss_tail_to_identifiability
from deniable.theorems.other_families import privacy_loss_tail_to_positive_membership
from deniable.training.explain import ADJACENCY

_ENCLOSED = "privacy curve of Poisson-sampled Gaussian noise, enclosed"
"""What is computed, and no theorem of one line."""
_TAIL = "the hockey-stick tail (decision 5)"
"""Of a curve, whatever it is of."""
_FROM_A_TAIL: dict[type[Notion], Callable[..., Any]] = {
    PositiveMembership: privacy_loss_tail_to_positive_membership,
    MaxPosterior: privacy_loss_tail_to_max_posterior,
    Identifiability: privacy_loss_tail_to_identifiability,
}


def trained(history: Sequence[Phase]) -> str:
    """What was trained, in one line.

    Examples
    --------
    >>> trained([Phase(1.0, 0.5, 3), Phase(2.0, 0.5, 1)])
    'poisson-gaussian:1.0,0.5,3 + 2.0,0.5,1'
    """
    rows = (f"{each.noise_multiplier!r},{each.sample_rate!r},{each.steps}" for each in history)
    return f"poisson-gaussian:{' + '.join(rows)}"


def steps_to(
    target: Target,
    asked: Requirement,
    history: Sequence[Phase],
    adversary: BoundedPriors,
    delta: float,
) -> tuple[Step, ...]:
    """The chain to a target, through the requirement that its curve meets."""
    first = Step(trained(history), asked.spec, _ENCLOSED)
    if isinstance(target, EpsilonTarget | FalseNegativesTarget):
        return (first,)
    claim = claimed(target, adversary, ADJACENCY, delta)
    if claim is None or claim == asked:
        return (first,)
    if isinstance(asked, ApproxDP):  # one record exchanged: a removal and an addition
        far = add_remove_approx_dp_to_replace_one_approx_dp(asked)
        title = named(add_remove_approx_dp_to_replace_one_approx_dp.__name__).title
        exchanged = Step(asked.spec, far.spec, title)
        return (first, exchanged, Step(far.spec, claim.spec, _TAIL))
    last = named(_FROM_A_TAIL[type(claim)].__name__).title
    return (first, Step(asked.spec, claim.spec, last))


def steps_to_beliefs(
    history: Sequence[Phase], loss: float, gamma: float, adversary: BoundedPriors, delta: float
) -> tuple[Step, ...]:
    """The chain to the beliefs that a certificate states where nothing was asked for."""
    tail = PrivacyLossTail(loss, delta, Adjacency.ADD_REMOVE)
    claim = PositiveMembership(gamma, adversary, delta, Adjacency.ADD_REMOVE)
    last = named(privacy_loss_tail_to_positive_membership.__name__).title
    return (
        Step(trained(history), tail.spec, _ENCLOSED),
        Step(tail.spec, claim.spec, last),
    )
