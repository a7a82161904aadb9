"""What a guarantee for one person says of people whose memberships are tied to each other."""

from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, Notion, PureDP
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.households import Households
from deniable.notions.notation import read
from deniable.numerics.answer import Answer, fields_of
from deniable.numerics.rounding import directed, upper
from deniable.theorems.analysis.explain import (
    PosteriorRange,
    posterior_ranges,
    range_loss,
    refuse_exceedance,
    usual_exceedance,
)
from deniable.theorems.analysis.guarantee import explain, tail_loss
from deniable.theorems.analysis.together import SIZES, Together, belief_of_group, group_loss
from deniable.theorems.households import household_epsilon, of_group, tail_spread
from deniable.theorems.membership import pure_dp_to_positive_membership


@attrs.frozen(repr=False)
class HouseholdExplanation(Answer):
    """What may be concluded about one person of a household, rounded to the safe side.

    `loss` bounds the logarithm of the likelihood ratio of the person's presence, but for outputs of
    probability at most `exceedance`; `loss_without_model` is the same if the model is wrong. The
    ranges of `posterior` may be left at either end with that probability in all.
    """

    guarantee: Notion
    households: Households
    adversary: BoundedPriors
    exceedance: float
    loss: float
    loss_without_model: float
    gamma: float
    posterior: tuple[PosteriorRange, ...]
    tied: tuple[Together, ...]

    @property
    def ratio(self) -> float:
        """The likelihood ratio of the person's presence, or its inverse, at most."""
        with directed() as r:
            return upper(r.exp(r(self.loss)))

    def as_json(self) -> dict[str, Any]:
        """What `explain` says of each person alone, and what holds of one of a household."""
        rarely = {"exceedance": self.exceedance} if self.exceedance else {}
        alone = explain(self.guarantee, prior=attrs.astuple(self.adversary), **rarely)
        return alone.as_json() | {
            "households": {
                "size": self.households.size,
                "model": str(self.households),
                **fields_of(self.households, "odds_ratio", "icc", "difference"),
                **fields_of(self, "ratio", "loss", "loss_without_model", "gamma", "posterior"),
            }
        }

    def displayed(self) -> dict[str, Any]:
        """What holds for one of a household first; gamma and beliefs of a person alone are less."""
        alone = self.as_json()
        tied = alone.pop("households")
        of_both = ("guarantee", "exceedance", "tied", "cautions")
        tied |= {key: alone.pop(key) for key in of_both if key in alone}
        return {**tied, "a person alone": alone}


def explain_households(
    guarantee: "float | str | Notion",
    size: int,
    *,
    odds_ratio: float | None = None,
    icc: float | None = None,
    difference: float | None = None,
    exceedance: float | None = None,
    prior: tuple[float, float] = (0.0, 0.1),
) -> HouseholdExplanation:
    r"""Return what a guarantee for one person implies for a member of a household.

    Parameters
    ----------
    guarantee : float, str or notion
        The sum of all releases: ε, or a guarantee such as ``"zcdp:0.1@add-remove"``. Pure,
        approximate, zero-concentrated and Gaussian DP between add-remove neighbours are read.
    size : int
        The most people of one household.
    odds_ratio, icc, difference : float, optional
        One model of how the memberships are tied, as in `Households`; left out, in any way. The
        last two are read with a pure guarantee only.
    exceedance, prior
        As in `explain_guarantee`.

    Returns
    -------
    HouseholdExplanation
        Rounded outwards.

    Raises
    ------
    InvalidArgument
        If the guarantee is of other neighbours or of another kind, or a number leaves its range.

    References
    ----------
    dwork-roth-2014, Theorem 2.2; bun-steinke-2016, Proposition 1.9; dong-roth-su-2022, Theorem
    2.14; own (what-households-do-to-a-guarantee.md) for the models.

    Examples
    --------
    >>> answer = explain_households(0.5, 3)
    >>> [round(each.posterior, 3) for each in answer.tied]
    [0.155, 0.232, 0.332, 0.575, 0.943]
    """
    households = Households(size, odds_ratio, icc, difference)
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    notion = _person(guarantee)
    delta = float(getattr(notion, "delta", 0.0))
    if isinstance(notion, PureDP):
        rarely = refuse_exceedance(notion.spec, exceedance)
    else:
        rarely = usual_exceedance(exceedance, delta)

    def loss_at(share: float) -> float:
        return min(_loss(notion, each, share) for each in (Households(size), households))

    loss, tied = loss_at(rarely), _loss(notion, Households(size), rarely)
    both_ways = range_loss(loss_at, rarely, delta) if rarely else loss
    at_loss = PureDP(loss, Adjacency.ADD_REMOVE)
    return HouseholdExplanation(
        guarantee=notion,
        households=households,
        adversary=adversary,
        exceedance=rarely,
        loss=loss,
        loss_without_model=tied,
        gamma=pure_dp_to_positive_membership(at_loss, adversary).gamma,
        posterior=posterior_ranges(both_ways, dict.fromkeys([adversary.low, adversary.high])),
        tied=tuple(
            belief_of_group(k, _loss(notion, Households(k), rarely), adversary.high) for k in SIZES
        ),
    )


def about_a_member(notion: Notion, households: Households) -> Notion:
    """What tests whether one member of a household is in the data, from what is true of a person.

    A pure guarantee gives pure DP at the household's loss. Others hold of all members at once, so
    that no model helps; a model is refused then, as other neighbours and kinds are.
    """
    person = _person(notion)
    if isinstance(person, PureDP):
        return PureDP(household_epsilon(person.epsilon, households), Adjacency.ADD_REMOVE)
    if households.model is not None:
        raise InvalidArgument(
            f"Expected pure DP with `{households.model[0]}`, got {notion.spec}. Leave the model "
            "out: any tie is covered then."
        )
    assert isinstance(person, ApproxDP | ZCDP | GaussianDP)
    return of_group(person, households.size)


def _person(guarantee: "float | str | Notion") -> Notion:
    """The guarantee for one person, of a kind that is read for a household."""
    if isinstance(guarantee, (int, float)):
        guarantee = PureDP(validate.non_negative(guarantee, "epsilon"), Adjacency.ADD_REMOVE)
    notion = read(guarantee)
    if not isinstance(notion, PureDP | ApproxDP | ZCDP | GaussianDP):
        raise InvalidArgument(
            f"Expected pure-dp, approx-dp, zcdp or gaussian-dp of one person, got {notion.spec}."
        )
    if notion.adjacency is not Adjacency.ADD_REMOVE:
        raise InvalidArgument(
            f"Expected add-remove neighbours, got {notion.spec}. Where the number of people is "
            "public, households of different sizes are many exchanges apart. Write "
            f"{notion.spec}@add-remove if a person's coming or going is what it covers.",
            instead=(guarantee, f"{guarantee}@add-remove") if isinstance(guarantee, str) else None,
        )
    if getattr(notion, "records", None) is not None or getattr(notion, "slack", 0) > 0:
        raise InvalidArgument(
            f"Expected a guarantee for data of every size without slack, got {notion.spec}."
        )
    return notion


def _loss(notion: Notion, households: Households, exceedance: float) -> float:
    """The loss about one member that outputs pass with probability `exceedance` at most."""
    if isinstance(notion, PureDP):
        return household_epsilon(notion.epsilon, households)
    spread = tail_spread(households)
    if households.model is None and isinstance(notion, ApproxDP | ZCDP):
        return group_loss(notion, households.size, exceedance)
    if households.model is None and isinstance(notion, GaussianDP):
        return tail_loss(of_group(notion, households.size), exceedance)
    if spread is not None:
        return spread + tail_loss(notion, exceedance)
    raise InvalidArgument(
        f"Expected pure DP with `{(households.model or ('',))[0]}`, got {notion.spec}. Give "
        "`odds_ratio`, or leave the model out."
    )
