"""From a differential privacy budget to what it lets an adversary believe."""

from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.numerics.answer import CurveAnswer, plots
from deniable.numerics.rounding import directed, lower
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.belief import PosteriorRange, posterior_ranges
from deniable.theorems.analysis.caution import belief_cautions
from deniable.theorems.attacks import approx_dp_to_advantage, approx_dp_to_attack_success
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_exceedance,
    approx_dp_to_privacy_loss_tail,
)

DEFAULT_EXCEEDANCE = 100
"""Exceedance in units of δ where none is asked for."""


@attrs.frozen
class Level:
    """How probable it is, at most, that a belief passes a posterior."""

    posterior: float
    probability: float


@attrs.frozen(repr=False)
class Explanation(CurveAnswer):
    """What a budget lets an adversary believe; every number is on the safe side.

    `gamma`, `gamma_outside` and `posterior` hold at privacy loss `loss`; with delta > 0, each
    limit on a rise, and each on a fall, of each entity by itself, except for outputs of probability
    at most `exceedance`, over the noise and what the adversary does not know.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    adversary: BoundedPriors
    exceedance: float
    loss: float
    gamma: float
    gamma_outside: float
    posterior: tuple[PosteriorRange, ...]
    attack_success: float
    advantage: float
    level: Level | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        result: dict[str, Any] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "adjacency": str(self.adjacency),
            "prior": [self.adversary.low, self.adversary.high],
            "gamma": self.gamma,
            "gamma_outside": self.gamma_outside,
            "posterior": [attrs.asdict(each) for each in self.posterior],
            "attack_success": self.attack_success,
            "advantage": self.advantage,
        }
        if self.delta:
            result |= {"exceedance": self.exceedance, "loss": self.loss}
        if self.level is not None:
            result["level"] = attrs.asdict(self.level)
        return result | {"cautions": list(self.cautions)}

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with the budget, in sentences."""
        return belief_cautions(self.loss, self.attack_success, self.exceedance)

    @property
    def trade_off(self) -> tuple[tuple[float, float], ...]:
        """False positives with the least false negatives, which no attack is below."""
        return tuple(plots.least_misses([(self.epsilon, self.delta)]))


def explain(
    epsilon: float,
    delta: float | None = None,
    *,
    exceedance: float | None = None,
    level: float | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Explanation:
    r"""Read ε, or (ε, δ), as beliefs.

    Parameters
    ----------
    epsilon : float
        Privacy loss, natural logarithm, >= 0.
    delta : float, optional
        δ in (0, 1); left out, the guarantee is pure.
    exceedance : float, optional
        With δ: the probability X of outputs that may move beliefs further; above δ, below 1;
        100 δ if left out. The loss is then ℓ = ε − ln(1 − δ/X).
    level : float, optional
        With δ: a posterior τ; the answer bounds the probability that a belief which starts at
        the prior's upper bound passes it.
    adjacency : Adjacency or str
        "replace-one" or "add-remove".
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.

    Returns
    -------
    Explanation
        Rounded outwards.

    Raises
    ------
    InvalidArgument
        If a number is out of its range, or exceedance or level come without delta.

    References
    ----------
    tramer-2015, Theorem 2; kairouz-oh-viswanath-2015, Theorem 2.1; humphries-2020, Theorem 3.

    Examples
    --------
    >>> import math
    >>> answer = explain(math.log(3), prior=(0.5, 0.5))
    >>> round(answer.gamma, 9), round(answer.attack_success, 9)
    (2.0, 0.75)
    """
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    where = Adjacency(validate.one_of(adjacency, Adjacency, "adjacency"))
    budget = ApproxDP(validate.non_negative(epsilon, "epsilon"), _delta(delta), where)
    tail = _exceedance(exceedance, delta)
    loss = budget.epsilon
    if budget.delta:
        loss = approx_dp_to_privacy_loss_tail(budget, tail).epsilon
    at_loss = PureDP(loss, where)
    return Explanation(
        epsilon=budget.epsilon,
        delta=budget.delta,
        adjacency=where,
        adversary=adversary,
        exceedance=tail,
        loss=loss,
        gamma=pure_dp_to_positive_membership(at_loss, adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=posterior_ranges(loss, [adversary.low, adversary.high]),
        attack_success=approx_dp_to_attack_success(budget).probability,
        advantage=approx_dp_to_advantage(budget).value,
        level=None if level is None else _level(budget, level, adversary.high, delta),
    )


def _delta(delta: float | None) -> float:
    return 0.0 if delta is None else validate.open_probability(delta, "delta")


def _exceedance(exceedance: float | None, delta: float | None) -> float:
    if delta is None:
        if exceedance is not None:
            raise InvalidArgument(
                "Expected `delta` with `exceedance`, got no delta. Give `delta` too."
            )
        return 0.0
    result = DEFAULT_EXCEEDANCE * delta if exceedance is None else exceedance
    result = validate.number(result, "exceedance")
    if not delta < result < 1:
        raise InvalidArgument(
            f"Expected delta < exceedance < 1, got delta={delta}, exceedance={result}. "
            "Lower delta or state an exceedance in between."
        )
    return result


def _level(budget: ApproxDP, level: float, prior: float, delta: float | None) -> Level:
    if delta is None:
        raise InvalidArgument("Expected `delta` with `level`, got no delta. Give `delta` too.")
    target = validate.open_probability(level, "level")
    if prior == 0.0:
        return Level(target, 0.0)  # a certain non-member stays one
    if prior >= target:
        return Level(target, 1.0)
    with directed() as r:
        q, p = r(target), r(prior)
        loss = lower(r.log(q * (1 - p) / (p * (1 - q))))
    return Level(target, approx_dp_to_exceedance(budget, loss))
