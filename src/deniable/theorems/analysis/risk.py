"""How often an adversary guesses a secret at most, for each success that they have before."""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from deniable.errors import InvalidArgument, NoDerivation, NotApplicable, validate
from deniable.notions import (
    Adjacency,
    BaselineRisk,
    GaussianMembershipInference,
    MembershipInference,
    NoisyGradient,
    Notion,
    PopulationPosterior,
    PopulationPrivacy,
)
from deniable.notions.households import Households
from deniable.numerics.answer import Answer, fields_of, plain
from deniable.theorems.analysis.households import about_a_member
from deniable.theorems.derive import Link, derive

USUAL_BASELINES = (0.01, 0.1, 0.5)
"""Somebody whom one may single out, one of ten, and a coin."""

ABOUT_A_GUARANTEE = "one release that satisfies the guarantee"
"""What is asked of where only a guarantee is given."""

_OF_A_SAMPLE = (
    PopulationPrivacy, PopulationPosterior, MembershipInference, GaussianMembershipInference,
    NoisyGradient,
)  # fmt: skip

_MEANING = (
    "A baseline is the largest probability that an attacker names the secret about one record "
    "without the release. With the release, the attacker succeeds at most as often as stated. If "
    "the attacker names several values, one of them must be the secret. This covers singling out, "
    "attribute inference, re-identification and reconstruction."
)
_BASELINE = "The baseline is an assumption: nothing in the data says what somebody knows."
_ASSUMPTION = f"The other data are known to the attacker or independent of the secret. {_BASELINE}"
_OF_A_MEMBER = (
    "A baseline is the largest probability that an attacker is right about one person's presence "
    "without the release. With the release, the attacker is right at most as often as stated."
)
_TOGETHER = (
    "The secret is whether one person is in the data. People belong together: {}. Other households "
    "are independent of theirs, or known."
)
_READINGS = {
    Adjacency.REPLACE_ONE: "The secret is the value of a record that is in the data.",
    Adjacency.ADD_REMOVE: "The secret is the value of a record, or that it is not in the data.",
}


@attrs.frozen
class RiskAtBaseline:
    """One row: the success without the release, and at most with it, rounded up.

    `bound` is the inequality that gives it, f the trade-off function of the guarantee.
    """

    baseline: float
    success: float
    bound: str
    chain: tuple[Link, ...]

    def as_json(self) -> dict[str, Any]:
        """Every field under its name."""
        result: dict[str, Any] = plain(fields_of(self, "baseline", "success", "bound", "chain"))
        return result


@attrs.frozen(repr=False)
class Risks(Answer):
    """What adversaries with several baselines reach at most.

    Of several guarantees that are `given` the one that says most is used, row by row. With
    `candidates` the secret is one of so many equally likely values.
    """

    given: tuple[Notion, ...]
    adjacency: Adjacency
    candidates: int | None
    risks: tuple[RiskAtBaseline, ...]
    about: str = ABOUT_A_GUARANTEE
    households: Households | None = None

    @property
    def guarantee(self) -> str:
        """What holds, as the command line writes it."""
        return " and ".join(each.spec for each in self.given)

    @property
    def meaning(self) -> str:
        """What a row says, in a sentence."""
        return _MEANING if self.households is None else _OF_A_MEMBER

    @property
    def assumption(self) -> str:
        """What that rests on."""
        if self.households is not None:
            return f"{_TOGETHER.format(self.households)} {_BASELINE}"
        equal = (
            ""
            if self.candidates is None
            else f" It is one of {self.candidates} equally likely values. A guess may name as many "
            "as the baseline allows."
        )
        return f"{_READINGS[self.adjacency]}{equal} {_ASSUMPTION}"

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "guarantee": self.guarantee,
            "adjacency": str(self.adjacency),
            **({} if self.candidates is None else {"candidates": self.candidates}),
            **fields_of(self, "risks", "meaning", "assumption", "about"),
            **({} if self.households is None else {"households": str(self.households)}),
        }


def risks_of(
    given: Sequence[Notion],
    baselines: Sequence[float] | None = None,
    candidates: int | None = None,
    about: str = ABOUT_A_GUARANTEE,
    households: Households | None = None,
) -> Risks:
    """What adversaries with these baselines reach at most, from what is true of one release.

    Without baselines the usual ones; where values are equally likely, of one of them and more.
    With `households` what is given is true of one person, and the secret is whether one is in.
    What says nothing of a secret with more than two values is refused as not applicable.
    """
    if baselines is None:
        one = 0.0 if candidates is None else 1 / candidates
        usual = (one, *USUAL_BASELINES) if one else USUAL_BASELINES
        baselines = sorted({each for each in usual if each >= one})
    if not baselines:
        raise InvalidArgument("Expected at least one baseline, got none. Name one, such as 0.1.")
    _check_speaks_of_records(given)
    said = tuple(given)
    if households is not None:
        if candidates is not None:
            raise InvalidArgument(
                "Expected no candidates with a household, got both. The secret is whether one "
                "person is in the data. Leave candidates out."
            )
        given = [about_a_member(each, households) for each in given]
    adjacency = Adjacency(getattr(given[0], "adjacency", Adjacency.REPLACE_ONE))
    rows = []
    for each in baselines:
        wanted = BaselineRisk(1.0, validate.probability(each, "baseline"), adjacency, candidates)
        labels = "" if wanted.candidates is None else f"@candidates-{wanted.candidates}"
        text = f"baseline-risk:?,{wanted.baseline!r}@{wanted.adjacency}{labels}"
        try:
            answer = derive(list(given), text)
        except NoDerivation as error:
            # What a derivation lacked, without its advice on what to derive instead.
            missing = str(error).partition(" got none. ")[2].partition(" Write ")[0]
            raise NotApplicable(
                f"Expected a guarantee that bounds tests between data sets, got {given[0].spec}. "
                f"{missing}"
            ) from None
        risk = answer.target
        assert isinstance(risk, BaselineRisk)
        rows.append(
            RiskAtBaseline(wanted.baseline, risk.success, _bound(answer.chain, risk), answer.chain)
        )
    return Risks(said, adjacency, candidates, tuple(rows), about, households)


def _check_speaks_of_records(given: Sequence[Notion]) -> None:
    for each in given:
        if isinstance(each, _OF_A_SAMPLE):
            raise NotApplicable(
                f"Expected a guarantee about every data set, got {each.spec}, which speaks of who "
                "was drawn from a list and of no other secret. Give the release's differential "
                "privacy."
            )
        if math.isinf(getattr(each, "epsilon", 0.0)):
            raise NotApplicable(
                f"Expected a guarantee about every data set, got {each.spec}, which bounds nothing."
            )


def _bound(chain: Sequence[Link], risk: BaselineRisk) -> str:
    """The inequality by which the first risk of the chain was reached."""
    if not chain:
        return "as stated"
    first = next((x.target for x in chain if isinstance(x.target, BaselineRisk)), risk)
    assert isinstance(first, BaselineRisk)
    if first.adjacency is Adjacency.ADD_REMOVE:
        return "s <= 1 - f(b)"
    if first.candidates is None:
        return "(1 - b) s <= 1 - f(b (1 - s))"
    if first.named == 1:
        return "s <= 1 - f(b (1 - s)/(1 - b))"
    return "(1 - b) s/w <= 1 - f(b (1 - s)/w), w = 1 - 1/K"
