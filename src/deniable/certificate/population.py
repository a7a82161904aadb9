"""What a certificate says of an adversary who knows the list of members and nobody drawn."""

from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import fields_of
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import directed, lower
from deniable.theorems import analysis
from deniable.theorems.analysis import attack_success, bayes_success

SENTENCE = "This holds only against an attacker who knows nobody who was drawn."
"""The first line of whatever is said of the population."""

ON_TRUST = (
    "Those in the data were drawn from the list of members uniformly, without replacement. Nobody "
    "outside knows of any member whether they were drawn.",
    "The owner says that the values of all members were public before the release.",
    "The data are a part of the list. The releaser compared them.",
)
"""What the statement rests on besides the certificate's own assumptions."""

PLAIN = "differential-privacy"
"""The method where nothing better than differential privacy was certified."""

OPERATIONS = 1e10
"""Nominal operations of one look at a scale of the noise: ten seconds of a core of 2026."""
_MOST_OPERATIONS = 1e12  # what a certificate may ask of a checker who has the list


def _members(value: Any) -> int:
    return validate.integer(value, "members", least=2)


def _drawn(value: Any) -> int:
    return validate.integer(value, "drawn", least=1)


def _factor(value: Any) -> float:
    return validate.positive(value, "noise_factor")


def _operations(value: Any) -> float:
    operations = validate.positive(value, "operations")
    if operations > _MOST_OPERATIONS:
        raise InvalidArgument(f"Expected operations <= {_MOST_OPERATIONS:g}, got {operations:g}.")
    return operations


@attrs.frozen
class PopulationClaim:
    """What the list of members decided: recomputed by those who have the list.

    n of N `members` were `drawn`, n < N. All noise is larger than the floor alone needs by a
    `noise_factor` ≥ 1. `bound` is the population ε of everything released together, at the
    statement's δ, which includes the chance `error` that random draws mislead; `method` gave its
    upper end, which `check` finds again if it may take so many `operations`, counted, on any
    machine.
    """

    members: int = attrs.field(converter=_members)
    drawn: int = attrs.field(converter=_drawn)
    noise_factor: float = attrs.field(converter=_factor)
    bound: Bound
    error: float
    method: str
    operations: float = attrs.field(default=OPERATIONS, converter=_operations)

    def __attrs_post_init__(self) -> None:
        if self.drawn >= self.members or self.noise_factor < 1:
            raise InvalidArgument(
                "Expected drawn < members and noise_factor >= 1, got "
                f"drawn={self.drawn}, members={self.members}, noise_factor={self.noise_factor}."
            )


@attrs.frozen
class PopulationStatement:
    """What holds against somebody who knows the list of members and nobody who was drawn.

    The target needs population privacy of (`epsilon`, `delta`). Against everybody the noise has
    `differential_privacy`, ε at the same δ, from which population privacy follows. Before, n/N is
    believed, of which `share` is the float above.
    """

    target: analysis.Target
    epsilon: float
    delta: float
    claim: PopulationClaim
    differential_privacy: float
    share: float
    sentence: str = SENTENCE
    on_trust: tuple[str, ...] = ON_TRUST

    @property
    def loss(self) -> float:
        """The privacy loss at which beliefs are read."""
        return analysis.loss_of(self.claim.bound.upper, self.delta)

    @property
    def exceedance(self) -> float:
        """How often beliefs may move further."""
        return analysis.exceedance_of(self.delta)

    def as_json(self) -> dict[str, Any]:
        """The certificate's block `population`."""
        claim = self.claim
        with directed() as r:  # n/N: for a belief's lower end, and a guess that one was not drawn
            share_below = lower(r(Fraction(claim.drawn, claim.members)))
        shares = [share_below, self.share]
        below, belief = analysis.posterior_ranges(self.loss, shares)
        bound = claim.bound.as_json()
        names = ("lower", "upper", "evidence", "confidence", "draws", "seed")
        right = [bayes_success(claim.bound.upper, self.delta, each) for each in shares]
        return {
            "sentence": self.sentence,
            **fields_of(claim, "members", "drawn"),
            **fields_of(self, "target", "epsilon", "delta"),
            "population_epsilon": {key: bound.get(key) for key in names},
            **fields_of(claim, "error", "method", "operations", "noise_factor"),
            "differential_privacy": self.differential_privacy,
            "posterior": attrs.asdict(belief) | {"lower": below.lower},
            "exceedance": self.exceedance,
            "attack_success": attack_success(claim.bound.upper, self.delta),
            "bayes_success": max(right),
            "on_trust": self.on_trust,
        }

    @classmethod
    def from_json(cls, parts: dict[str, Any]) -> "PopulationStatement":
        """The statement that a block holds."""
        bound = parts["population_epsilon"]
        given = {**bound, "evidence": Evidence[bound["evidence"].upper()]}
        names = ("members", "drawn", "noise_factor", "error", "method", "operations")
        return cls(
            target=analysis.target_of(**parts["target"]),
            epsilon=parts["epsilon"],
            delta=parts["delta"],
            claim=PopulationClaim(bound=Bound(**given), **{name: parts[name] for name in names}),
            differential_privacy=parts["differential_privacy"],
            share=parts["posterior"]["prior"],
            sentence=parts["sentence"],
            on_trust=tuple(parts["on_trust"]),
        )
