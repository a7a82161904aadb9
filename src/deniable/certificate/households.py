"""The sentences of a certificate about people who belong together."""

from functools import partial

from deniable.certificate.model import Guarantee, Topic, read_sentences
from deniable.errors.validate import in_full
from deniable.numerics.answer import round_outwards
from deniable.theorems.analysis import HouseholdLoss
from deniable.theorems.households import loss_with_records

_SENTENCES = read_sentences(__file__)["households"]
MEMBERS: str = _SENTENCES["members"]
"""What is protected besides, where a household is the entity."""
_up = partial(round_outwards, digits=5)  # A loss in a sentence; the certificate has all its digits


def beliefs(household: HouseholdLoss | None) -> str:
    """Say what the adversary may believe before; None and no size speak of whole households."""
    if household is None or household.size is None:
        number = _SENTENCES["number"] if household is None else ""
        said = _SENTENCES["entities"].format(number=number)
    else:
        said = _SENTENCES["people"].format(size=household.size, model=model_words(household))
    return Topic.BELIEFS.says(said)


def model_words(household: HouseholdLoss) -> str:
    """Say how the memberships of one household are tied, in a sentence."""
    name, value = household.households.model or ("none", 0.0)
    return str(_SENTENCES["models"][name].format(value=in_full(value)))


def not_covered(guarantee: Guarantee) -> tuple[str, ...]:
    """Say what the limits on beliefs about a member leave out."""
    household = guarantee.household
    if household is None or household.size is None:
        return ()
    said = []
    if household.households.model is not None:
        losses = {"without": _up(household.loss_without_model), "loss": _up(household.loss)}
        said.append(_SENTENCES["wrong_model"].format(**losses))
    if (one := guarantee.of_one) is None:
        raise AssertionError("keys that nobody knows are refused with households")
    laws = (household.households.in_any_way, household.households)
    tied, by_odds = (loss_with_records(one, each, guarantee.exceedance) for each in laws)
    more = _SENTENCES["by_odds"].format(loss=_up(by_odds)) if by_odds < tied else ""
    said.append(_SENTENCES["tied_records"].format(tied=_up(tied), more=more))
    return tuple(Topic.TOGETHER.says(each) for each in said)
