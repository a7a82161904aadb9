"""The sentences of a certificate about people who belong together."""

from decimal import ROUND_CEILING, Context, Decimal

from deniable.certificate.model import Guarantee, Topic
from deniable.theorems.analysis import HouseholdLoss
from deniable.theorems.households import loss_with_records

MEMBERS = "The noise also hides changes inside a household, such as a member who joins or leaves."
"""What is protected besides, where a household is the entity."""


def beliefs(household: HouseholdLoss | None) -> str:
    """Say what the adversary may believe before; None and no size speak of whole households."""
    who = "different households"
    inside = (
        "Within a household everything may be tied: who is in the data, and every record. Each "
        "person belongs to one household."
    )
    number = ", given their number, which is public" if household is None else ""
    if household is not None and household.size is not None:
        who = f"people of {who}"
        inside = (
            f"A household has at most {household.size:,} people, and each of them belongs to one "
            f"only. {model_words(household)}"
        )
    return Topic.BELIEFS.says(
        f"Before the release, the adversary's beliefs about {who} are independent of one another"
        f"{number}. {inside}"
    )


def model_words(household: HouseholdLoss) -> str:
    """Say how the memberships of one household are tied, in a sentence."""
    match household.households.model:
        case None:
            return "Their memberships may be tied in any way."
        case ["odds_ratio", value]:
            return (
                "Given all other memberships of the household, one person's membership changes the "
                f"odds of another's by a factor of at most {value:g}. Every combination of "
                "memberships is possible."
            )
        case ["icc", value]:
            return (
                "Households differ in their inclination to take part. It follows a beta "
                f"distribution with an intra-class correlation of at most {value:g}. Given it, "
                "members decide alone."
            )
        case [_, value]:
            return (
                "Whether the person is in the data changes the distribution of the others' "
                f"memberships by at most {value:g} in total variation."
            )


def not_covered(guarantee: Guarantee) -> tuple[str, ...]:
    """Say what the limits on beliefs about a member leave out."""
    household = guarantee.household
    if household is None or household.size is None:
        return ()
    said = []
    if household.households.model is not None:
        said.append(
            "A wrong model: nobody can check how the people of a household are tied. If they are "
            "tied in another way, the privacy loss about one of them is at most "
            f"{_up(household.loss_without_model)} instead of {_up(household.loss)}."
        )
    if (one := guarantee.of_one) is None:
        raise AssertionError("keys that nobody knows are refused with households")
    laws = (household.households.in_any_way, household.households)
    tied, by_odds = (loss_with_records(one, each, guarantee.exceedance) for each in laws)
    more = f", and at most {_up(by_odds)} if the odds ratio bounds their records, too"
    said.append(
        "Records that are tied: what the others of a household contribute may depend on whether "
        "one of them is in the data. The privacy loss about that one is then at most "
        f"{_up(tied)}{more if by_odds < tied else ''}."
    )
    return tuple(Topic.TOGETHER.says(each) for each in said)


_ROUNDING = Context(prec=5, rounding=ROUND_CEILING)
"""Digits of a loss in a sentence; the certificate has all of its digits."""


def _up(loss: float) -> str:
    return f"{_ROUNDING.create_decimal(Decimal(repr(loss)))}"
