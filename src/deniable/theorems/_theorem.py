"""What a theorem is: an implication with its place in the literature and its parameter map."""

import functools
import importlib
import itertools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TypeVar

import attrs

from deniable.errors import NotApplicable
from deniable.errors.guests import guests
from deniable.errors.late import NotInstalled
from deniable.notions import Adjacency, Adversary, ApproxDP, PositiveMembership, PureDP
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.bound import Evidence
from deniable.numerics.rounding import Ball, directed


def independent(adversary: Adversary) -> BoundedPriors:
    """The adversary, if its family is of independent memberships within an interval."""
    match adversary:
        case BoundedPriors():
            return adversary
        case _:
            raise NotApplicable(
                f"Expected independent memberships within an interval, got {adversary}. "
                "Name the interval instead."
            )


def uncertain(adversary: Adversary) -> BoundedPriors:
    """An interval family that holds beliefs other than certainty."""
    family = independent(adversary)
    if family.high == 0 or family.low == 1:
        raise NotApplicable(
            f"Expected a family with beliefs strictly between 0 and 1, got {adversary}. "
            "Certainty is never shaken, so nothing follows from it."
        )
    return family


def gamma_from(ratio: Ball, low: Ball, high: Ball) -> Ball:
    """γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)): tramer-2015, Theorem 2, from DP."""
    return ((ratio - 1) * high + 1).max(ratio / ((ratio - 1) * low + 1))


def ratio_from(gamma: Ball, low: Ball, high: Ball) -> Ball:
    """e^ε = min((1 − a)γ/(1 − aγ) if aγ < 1, (γ + b − 1)/b if b > 0): its inverse."""
    # Terms that cannot be told to apply are left out, so this is safe for an ε that is claimed.
    terms = []
    if low * gamma < 1:
        terms.append((1 - low) * gamma / (1 - low * gamma))
    if high > 0:
        terms.append((gamma + high - 1) / high)
    with directed() as r:
        return r.min(*terms)


def check_every_size(guarantee: PureDP | ApproxDP) -> None:
    """Refuse a guarantee that is known of data of one size only."""
    if guarantee.records is not None:
        raise NotApplicable(
            f"Expected a guarantee for data of every size, got one for records={guarantee.records}."
        )


def check_neighbours(guarantee: Any, neighbours: Adjacency) -> None:
    """Refuse a guarantee of the other neighbours."""
    if guarantee.adjacency is not neighbours:
        article = "an" if neighbours is Adjacency.ADD_REMOVE else "a"
        raise NotApplicable(
            f"Expected {article} {neighbours} guarantee, got {guarantee.adjacency}."
        )


def check_no_exception(guarantee: PositiveMembership) -> None:
    """Refuse a limit on beliefs that rare outputs may pass."""
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")


@attrs.frozen
class Theorem:
    """One implication: a function that maps a guarantee to another one.

    `source` is its place in the literature and `states` its parameter map, in one line.
    `evidence` is ESTIMATE where the implication only holds approximately; a derivation never
    passes through such a theorem. `checked` names the theorems of proofs/ that state it for
    finitely many entities and outputs, as `file.v:name`; Coq has checked their proofs.
    """

    implication: Callable[..., Any]
    source: str
    states: str
    evidence: Evidence = Evidence.ENCLOSURE
    checked: tuple[str, ...] = ()
    conclusion: type = attrs.field(init=False, repr=False, eq=False)
    """The notion that the function returns."""
    premise: type = attrs.field(init=False, repr=False, eq=False)
    """The notion that the function takes first; of noise, the one that its law is read in."""

    @property
    def name(self) -> str:
        """The function's name, `a_to_b`."""
        return self.implication.__name__

    @property
    def title(self) -> str:
        """Name and source, as a derivation prints it."""
        return f"{self.name} ({self.source})"

    @conclusion.default
    def _conclusion(self) -> type:
        notion: type = self.implication.__annotations__["return"]
        return notion

    @premise.default
    def _premise(self) -> type:
        first = next(iter(self.implication.__annotations__.values()))
        return first if isinstance(first, type) else self.conclusion


F = TypeVar("F", bound=Callable[..., Any])

_STATED: dict[str, list[Theorem]] = {}


def theorem(
    source: str,
    *,
    states: str,
    evidence: Evidence = Evidence.ENCLOSURE,
    checked: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Enter a function as a theorem; its signature says what it leads from and to."""

    def enter(implication: F) -> F:
        entry = Theorem(implication, source, states, evidence, checked)
        _STATED.setdefault(implication.__module__, []).append(entry)
        return implication

    return enter


def title_of(implication: Callable[..., Any]) -> str:
    """Name and source of the theorem that a function is entered as; no other module is loaded."""
    entered = _STATED[implication.__module__]
    return next(each.title for each in entered if each.implication is implication)


def theorems_of(subject: ModuleType) -> tuple[Theorem, ...]:
    """The theorems of a module, as they stand there."""
    return tuple(_STATED[subject.__name__])


SUBJECTS = (
    "pure_and_approximate", "gaussian", "adjacency", "membership", "from_membership",
    "other_families", "households",
    "beliefs", "identifiability", "attacks", "predictive_value", "renyi", "baseline_risk",
    "trade_off",
)  # fmt: skip
"""The core's modules of theorems, in the order in which they are listed."""
_GUESTS = "deniable.theorems"
"""Entry points of guests: a subject, and the module of its theorems."""


REFUSED: dict[str, NotInstalled] = {}
"""Guests whose theorems could not be loaded, and why: a derivation that fails says it."""


def subjects() -> Iterator[ModuleType]:
    """Modules of theorems, each loaded in its turn; where two are as strong the first is tried."""
    for name in SUBJECTS:
        yield importlib.import_module(f"deniable.theorems.{name}")
    for name, guest in guests(_GUESTS).items():
        try:
            subject = guest.load()
            guest.attempt(functools.partial(theorems_of, subject))
            yield subject
        except NotInstalled as error:
            REFUSED[name] = error


def named(name: str) -> Theorem:
    """The theorem of that name, or `KeyError`; loads only the modules before its own."""
    loaded = [each for stated in _STATED.values() for each in stated]
    others = (each for subject in subjects() for each in theorems_of(subject))
    for each in itertools.chain(loaded, others):
        if each.name == name:
            return each
    raise KeyError(name)
