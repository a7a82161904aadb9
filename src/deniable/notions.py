"""Guarantees as small frozen values.

A value states what holds; `spec` writes it the way the command line does. Numbers are claims:
whoever makes a value rounds them to the safe side first.
"""

import enum
from typing import Any, TypeAlias

import attrs

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.priors import BoundedPrior, UnrestrictedPrior

AdversaryFamily: TypeAlias = BoundedPrior | UnrestrictedPrior


class Adjacency(enum.StrEnum):
    """Which pairs of data sets count as neighbours."""

    REPLACE_ONE = "replace-one"
    """One entity is exchanged for another; the number of entities is public."""
    ADD_REMOVE = "add-remove"
    """One entity is there or not; even the number of entities is secret."""

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return "" if self is Adjacency.REPLACE_ONE else f"@{self}"


def _epsilon(value: Any) -> float:
    result = _validate.number(value, "epsilon")
    if result < 0:
        raise InvalidArgument(f"Expected epsilon >= 0, got epsilon={result}.")
    return result + 0.0  # -0.0 becomes 0.0


def _delta(value: Any) -> float:
    return _validate.probability(value, "delta")


def _exceedance(value: Any) -> float:
    return _validate.probability(value, "exceedance")


def _share(value: Any) -> float:
    return _validate.probability(value, "the bound")


def _spread(value: Any) -> float:
    return _validate.non_negative(value, "the bound")


def _gamma(value: Any) -> float:
    return _validate.at_least_one(value, "gamma")


def _worlds(value: Any) -> int:
    return _validate.integer(value, "worlds", least=2)


def _except(exceedance: float) -> str:
    return f",{exceedance!r}" if exceedance else ""


@attrs.frozen
class PureDP:
    """ε-differential privacy: likelihoods between neighbours differ by at most e^ε."""

    epsilon: float = attrs.field(converter=_epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``pure-dp:ε`` with the adjacency where it is add-remove."""
        return f"pure-dp:{self.epsilon!r}{self.adjacency.suffix}"


@attrs.frozen
class ApproxDP:
    """(ε, δ)-differential privacy."""

    epsilon: float = attrs.field(converter=_epsilon)
    delta: float = attrs.field(converter=_delta)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``approx-dp:ε,δ``."""
        return f"approx-dp:{self.epsilon!r},{self.delta!r}{self.adjacency.suffix}"


@attrs.frozen
class ZCDP:
    """ρ-zero-concentrated differential privacy (bun-steinke-2016)."""

    rho: float = attrs.field(converter=_spread)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``zcdp:ρ``."""
        return f"zcdp:{self.rho!r}{self.adjacency.suffix}"


@attrs.frozen
class GaussianDP:
    """μ-Gaussian differential privacy: no easier than telling N(0, 1) from N(μ, 1).

    With `slack` > 0 the two normal tails that bound an attack are each moved by that many
    standard deviations in the attacker's favour. Discrete Gaussian noise has slack (see
    `theorems.discrete_gaussian_to_gaussian_dp`); continuous noise has none.
    """

    mu: float = attrs.field(converter=_spread)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    slack: float = attrs.field(default=0.0, converter=_spread)

    @property
    def spec(self) -> str:
        """``gaussian-dp:μ``, with the slack where there is some."""
        slack = f",{self.slack!r}" if self.slack else ""
        return f"gaussian-dp:{self.mu!r}{slack}{self.adjacency.suffix}"


@attrs.frozen
class PrivacyLossTail:
    """Under every prior, the privacy loss passes `epsilon` with probability <= `exceedance`.

    The loss is ln Pr[S|t]/Pr[S|¬t] with both laws averaged over the adversary's prior (or the
    reverse), and the probability is the output's under the first of them. A tail that holds for
    every pair of neighbours need not survive that averaging; hockey-stick and Rényi divergences
    do, so only bounds through them end here. It implies (ε, exceedance)-DP and is stronger.
    """

    epsilon: float = attrs.field(converter=_epsilon)
    exceedance: float = attrs.field(converter=_exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``privacy-loss-tail:ε,X``."""
        return f"privacy-loss-tail:{self.epsilon!r},{self.exceedance!r}{self.adjacency.suffix}"


@attrs.frozen
class PositiveMembership:
    """(D, γ)-positive membership privacy (li-2013, Definition 3.1).

    Pr[t|S] <= γ Pr[t] and Pr[¬t|S] >= Pr[¬t]/γ for every prior of the family; with
    `exceedance` > 0, except for outputs of at most that probability.
    """

    gamma: float = attrs.field(converter=_gamma)
    adversary: AdversaryFamily = attrs.field(factory=UnrestrictedPrior)
    exceedance: float = attrs.field(default=0.0, converter=_exceedance)

    @property
    def spec(self) -> str:
        """``positive-membership:γ``, with the exceedance where there is some."""
        return f"positive-membership:{self.gamma!r}{_except(self.exceedance)}"


@attrs.frozen
class MaxPosterior:
    """No belief that starts at or below `prior` passes `posterior`."""

    posterior: float = attrs.field(converter=_share)
    prior: float = attrs.field(converter=_share)
    exceedance: float = attrs.field(default=0.0, converter=_exceedance)

    @property
    def spec(self) -> str:
        """``max-posterior:Q``, with the exceedance where there is some."""
        return f"max-posterior:{self.posterior!r}{_except(self.exceedance)}"


@attrs.frozen
class Identifiability:
    """ρ-differential identifiability over `worlds` possible worlds (lee-clifton-2012)."""

    rho: float = attrs.field(converter=_share)
    worlds: int = attrs.field(converter=_worlds)
    exceedance: float = attrs.field(default=0.0, converter=_exceedance)

    @property
    def spec(self) -> str:
        """``identifiability:ρ,m``, with the exceedance where there is some."""
        return f"identifiability:{self.rho!r},{self.worlds}{_except(self.exceedance)}"


@attrs.frozen
class AttackSuccess:
    """No attack with prior ½ guesses the membership right more often than this."""

    probability: float = attrs.field(converter=_share)

    @property
    def spec(self) -> str:
        """``attack-success:Q``."""
        return f"attack-success:{self.probability!r}"


@attrs.frozen
class Advantage:
    """No attack's true-positive rate exceeds its false-positive rate by more than this."""

    value: float = attrs.field(converter=_share)

    @property
    def spec(self) -> str:
        """``advantage:A``."""
        return f"advantage:{self.value!r}"


Notion: TypeAlias = (
    PureDP
    | ApproxDP
    | ZCDP
    | GaussianDP
    | PrivacyLossTail
    | PositiveMembership
    | MaxPosterior
    | Identifiability
    | AttackSuccess
    | Advantage
)
