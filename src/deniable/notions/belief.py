"""Guarantees about what an adversary may come to believe."""

from typing import TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors

Adversary: TypeAlias = BoundedPriors | OneOutOfPriors | SampledPriors | CorrelatedPriors
"""Whom a membership guarantee is about; bounded priors given the size where it is public."""


def _check_family(adversary: Adversary, adjacency: Adjacency) -> None:
    fixed = {OneOutOfPriors: Adjacency.REPLACE_ONE, SampledPriors: Adjacency.ADD_REMOVE}
    if isinstance(adversary, SampledPriors):
        validate.open_probability(adversary.rate, "rate")
    needed = fixed.get(type(adversary), adjacency)
    if needed is not adjacency:
        raise InvalidArgument(f"Expected {needed} with {adversary}, got {adjacency}.")


def _membership_suffix(adversary: Adversary, adjacency: Adjacency) -> str:
    match adversary:
        case OneOutOfPriors() | SampledPriors():
            return adversary.suffix
        case CorrelatedPriors():
            return adjacency.suffix + adversary.suffix
        case BoundedPriors():
            return adjacency.suffix + _fields.interval_suffix(adversary.low, adversary.high)


@attrs.frozen
class PositiveMembership:
    """(D, γ)-positive membership privacy (li-2013, Definition 3.1).

    Pr[t|S] <= γ Pr[t] and Pr[¬t|S] >= Pr[¬t]/γ for every prior of the family; with
    `exceedance` > 0, for each t by itself except for outputs of at most that probability given t:
    that some entity's limit is passed may be more probable. The adjacency says whether memberships
    are independent (add-remove) or independent given the size (replace-one).
    """

    gamma: float = attrs.field(converter=_fields.gamma)
    adversary: Adversary = attrs.field(factory=BoundedPriors)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    def __attrs_post_init__(self) -> None:
        _check_family(self.adversary, self.adjacency)

    @property
    def spec(self) -> str:
        """``positive-membership:γ``, with exceedance, adjacency and family where they matter."""
        suffix = _membership_suffix(self.adversary, self.adjacency)
        row = _fields.numbers(self.gamma, self.exceedance or None)
        return f"positive-membership:{row}{suffix}"


@attrs.frozen
class NegativeMembership:
    """(D, γ)-negative membership privacy (li-2013, Section 3).

    Pr[¬t|S] <= γ Pr[¬t] and Pr[t|S] >= Pr[t]/γ for every prior of the family.
    """

    gamma: float = attrs.field(converter=_fields.gamma)
    adversary: Adversary = attrs.field(factory=BoundedPriors)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    def __attrs_post_init__(self) -> None:
        _check_family(self.adversary, self.adjacency)

    @property
    def spec(self) -> str:
        """``negative-membership:γ``, with adjacency and family as in `PositiveMembership`."""
        suffix = _membership_suffix(self.adversary, self.adjacency)
        return f"negative-membership:{self.gamma!r}{suffix}"


@attrs.frozen
class MaxPosterior:
    """No belief that starts at or below `prior` passes `posterior`.

    `prior` limits the belief in question only: about the others the adversary may believe
    anything. Memberships are as in `PositiveMembership`, and so are exceptions.
    """

    posterior: float = attrs.field(converter=_fields.share)
    prior: float = attrs.field(converter=_fields.share)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``max-posterior:Q@0-p``, with exceedance and adjacency where they matter."""
        row = _fields.numbers(self.posterior, self.exceedance or None)
        prior = _fields.interval_suffix(0.0, self.prior)
        return f"max-posterior:{row}{self.adjacency.suffix}{prior}"


@attrs.frozen
class Identifiability:
    """ρ-differential identifiability over `worlds` possible worlds (lee-clifton-2012).

    Of m equally likely candidates, exactly one of whom is in, none becomes more probable than ρ,
    whoever else is known to be in, and whoever known to be out (`OneOutOfPriors`). The paper takes
    all that are not known to be in for candidates; this is no weaker.
    """

    rho: float = attrs.field(converter=_fields.share)
    worlds: int = attrs.field(converter=_fields.worlds)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)

    @property
    def spec(self) -> str:
        """``identifiability:ρ,m``, with the exceedance where there is some."""
        row = _fields.numbers(self.rho, self.worlds, self.exceedance or None)
        return f"identifiability:{row}"


def _records(value: object) -> int | None:
    return _fields.optional_count(value, "records")


@attrs.frozen
class Semantic:
    """ε-semantic privacy (kasiviswanathan-smith-2014).

    Whatever the belief about the whole data set, the posterior after the output and the one
    that would follow had one record been replaced by a default differ by at most `epsilon` in
    statistical distance. The default is one of the record's values with replace-one adjacency,
    absence with add-remove. `records` is the number of records where it matters.
    """

    epsilon: float = attrs.field(converter=_fields.share)
    records: int | None = attrs.field(default=None, converter=_records)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``semantic:ε``, with the number of records where it matters."""
        return f"semantic:{_fields.numbers(self.epsilon, self.records)}{self.adjacency.suffix}"


@attrs.frozen
class BayesianSemantic:
    """ε-Bayesian semantic privacy (zhao-2019) under joint laws of all records.

    As `Semantic`, for every belief about one record and any set of known ones, whatever the law
    gives to those: the law is that of the unknown records. They follow it given the record's
    value and the known ones, and where the record is replaced by its default, one of its values,
    given the default and the known ones. The laws are those of `BayesianDP`; with `independent`,
    records are independent under them.
    """

    epsilon: float = attrs.field(converter=_fields.share)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    independent: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))

    @property
    def spec(self) -> str:
        """``bayesian-semantic:ε``, with ``@independent`` where the laws are."""
        independent = "@independent" if self.independent else ""
        return f"bayesian-semantic:{self.epsilon!r}{self.adjacency.suffix}{independent}"


def _ratio(value: object) -> float:
    return validate.at_least_one(value, "ratio")


@attrs.frozen
class PosteriorRatio:
    """No belief about the value of a record grows by more than this factor (kazan-reiter-2024).

    A factor on beliefs about *values*, never to be mixed with γ, which is about membership.
    """

    ratio: float = attrs.field(converter=_ratio)

    @property
    def spec(self) -> str:
        """``posterior-ratio:r``."""
        return f"posterior-ratio:{self.ratio!r}"


@attrs.frozen
class PosteriorGain:
    """No belief about the value of a record rises by more than this (kazan-reiter-2024)."""

    gain: float = attrs.field(converter=_fields.share)

    @property
    def spec(self) -> str:
        """``posterior-gain:b``."""
        return f"posterior-gain:{self.gain!r}"
