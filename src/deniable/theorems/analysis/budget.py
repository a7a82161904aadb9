"""What ε, or ε and δ, lets an adversary believe; `guarantee.py` explains all other guarantees."""

from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.answer import CurveAnswer, fields_of
from deniable.numerics.rounding import directed, lower
from deniable.theorems.attacks import (
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
)
from deniable.theorems.membership import pure_dp_to_positive_membership

if TYPE_CHECKING:
    from deniable.theorems import pure_and_approximate, renyi
    from deniable.theorems.analysis import together
    from deniable.theorems.analysis.together import Together
else:
    pure_and_approximate = late("deniable.theorems.pure_and_approximate")
    renyi = late("deniable.theorems.renyi")
    together = late("deniable.theorems.analysis.together")
from deniable.theorems.analysis.explain import (
    PosteriorRange,
    belief_cautions,
    least_trade_off,
    posterior_ranges,
    range_loss,
    usual_exceedance,
)


@attrs.frozen
class Level:
    """How probable it is, at most, that a belief passes a posterior."""

    posterior: float
    probability: float


@attrs.frozen(repr=False)
class Explanation(CurveAnswer):
    """What a budget lets an adversary believe; every number is on the safe side.

    With delta > 0 each number holds, of each entity by itself, except for outputs of probability at
    most `exceedance`, over the noise and what the adversary does not know. `gamma` and
    `gamma_outside`, of rises, are read at the privacy loss `loss`; `posterior`, of rises and falls
    together, at `range_loss`. `tied` has the largest belief about one of several people who are all
    in the data or all out of it, from the prior's upper end on.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    adversary: BoundedPriors
    exceedance: float
    loss: float
    range_loss: float
    gamma: float
    gamma_outside: float
    posterior: tuple[PosteriorRange, ...]
    attack_success: float
    advantage: float
    tied: "tuple[Together, ...]"
    level: Level | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        beliefs = ("gamma", "gamma_outside", "posterior", "attack_success", "advantage")
        losses = ("exceedance", "loss", "range_loss") if self.delta else ()
        level = () if self.level is None else ("level",)
        return {
            **fields_of(self, "epsilon", "delta", "adjacency"),
            "prior": [self.adversary.low, self.adversary.high],
            **fields_of(self, *beliefs, *losses, *level, "tied", "cautions"),
        }

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with the budget, in sentences."""
        return belief_cautions(self.loss, self.attack_success, self.exceedance)

    @property
    def trade_off(self) -> tuple[tuple[float, float], ...]:
        """False positives with the least false negatives, which no attack is below."""
        return tuple(least_trade_off([(self.epsilon, self.delta)]))


def explain_budget(
    epsilon: object,
    delta: float | None = None,
    *,
    exceedance: float | None = None,
    level: float | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
) -> Explanation:
    """Read ε, or (ε, δ), as beliefs; the parameters are those of `explain`."""
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    where = Adjacency(adjacency)
    likely = 0.0 if delta is None else validate.open_probability(delta, "delta")
    budget = ApproxDP(validate.non_negative(epsilon, "epsilon"), likely, where)
    if delta is None and exceedance is not None:
        raise InvalidArgument(f"Expected `delta` with `exceedance`, got no delta. {_GIVE_DELTA}")
    tail = 0.0 if delta is None else usual_exceedance(exceedance, delta)

    def loss_at(share: float) -> float:
        if not budget.delta:
            return budget.epsilon
        return pure_and_approximate.approx_dp_to_privacy_loss_tail(budget, share).epsilon

    loss, both_ways = loss_at(tail), range_loss(loss_at, tail, budget.delta)
    at_loss = PureDP(loss, where)
    return Explanation(
        epsilon=budget.epsilon,
        delta=budget.delta,
        adjacency=where,
        adversary=adversary,
        exceedance=tail,
        loss=loss,
        range_loss=both_ways,
        gamma=pure_dp_to_positive_membership(at_loss, adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=posterior_ranges(both_ways, [adversary.low, adversary.high]),
        attack_success=approx_dp_to_attack_success(budget).probability,
        advantage=approx_dp_to_advantage(budget).value,
        tied=tuple(together.beliefs_of_groups(budget if tail else at_loss, adversary.high, tail)),
        level=None if level is None else _level(budget, level, adversary.high, delta),
    )


_GIVE_DELTA = "Give `delta` too, or write one, as in approx-dp:1,1e-6."


def _level(budget: ApproxDP, level: float, prior: float, delta: float | None) -> Level:
    if delta is None:
        raise InvalidArgument(f"Expected `delta` with `level`, got no delta. {_GIVE_DELTA}")
    target = validate.open_probability(level, "level")
    if prior == 0.0:
        return Level(target, 0.0)  # a certain non-member stays one
    if prior >= target:
        return Level(target, 1.0)
    with directed() as r:
        q, p = r(target), r(prior)
        loss = lower(r.log(q * (1 - p) / (p * (1 - q))))
    return Level(target, pure_and_approximate.approx_dp_to_exceedance(budget, loss))
