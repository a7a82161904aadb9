"""Guarantees about likelihoods: differential privacy and its kin."""

import attrs

from deniable.notions import _fields
from deniable.notions._fields import Adjacency, Side


def _records(value: object) -> int | None:
    return _fields.optional_count(value, "records")


@attrs.frozen
class PureDP:
    """ε-differential privacy: likelihoods between neighbours differ by at most e^ε.

    With `records` it is known of data of exactly that many records only (at most as many, with
    add-remove adjacency), and says nothing of others.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    records: int | None = attrs.field(default=None, converter=_records)

    @property
    def spec(self) -> str:
        """``pure-dp:ε``, with the adjacency and the size where they matter."""
        size = _fields.records_suffix(self.records)
        return f"pure-dp:{self.epsilon!r}{self.adjacency.suffix}{size}"


@attrs.frozen
class OneSidedDP:
    """One half of ε add-remove DP: what joining, or leaving, may do to a likelihood."""

    epsilon: float = attrs.field(converter=_fields.epsilon)
    side: Side = attrs.field(default=Side.POSITIVE, converter=Side)

    @property
    def spec(self) -> str:
        """``one-sided-dp:ε@positive`` or ``@negative``."""
        return f"one-sided-dp:{self.epsilon!r}{self.side.suffix}"


@attrs.frozen
class ApproxDP:
    """(ε, δ)-differential privacy; `records` as in `PureDP`."""

    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(converter=_fields.delta)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    records: int | None = attrs.field(default=None, converter=_records)

    @property
    def spec(self) -> str:
        """``approx-dp:ε,δ``, with the adjacency and the size as in `PureDP`."""
        row = _fields.numbers(self.epsilon, self.delta)
        size = _fields.records_suffix(self.records)
        return f"approx-dp:{row}{self.adjacency.suffix}{size}"


@attrs.frozen
class ZCDP:
    """ρ-zero-concentrated differential privacy (bun-steinke-2016)."""

    rho: float = attrs.field(converter=_fields.spread)
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
    `theorems.discrete_gaussian_to_gaussian_dp`); continuous noise has none. The tails are those
    of the loss past any ε, Φ(±μ/2 − ε/μ); at μ = 0, of N(0, 1) itself past any threshold, so
    that μ = 0 with slack is no easier than telling N(0, 1) from N(2 slack, 1).
    """

    mu: float = attrs.field(converter=_fields.spread)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    slack: float = attrs.field(default=0.0, converter=_fields.spread)

    @property
    def spec(self) -> str:
        """``gaussian-dp:μ``, with the slack where there is some."""
        return f"gaussian-dp:{_fields.numbers(self.mu, self.slack or None)}{self.adjacency.suffix}"


@attrs.frozen
class PrivacyLossTail:
    """Under every prior, the privacy loss passes `epsilon` with probability <= `exceedance`.

    The loss is ln Pr[S|t]/Pr[S|¬t] with both laws averaged over the adversary's prior (or the
    reverse), and the probability is the output's under the first of them. A tail that holds for
    every pair of neighbours need not survive that averaging; hockey-stick and Rényi divergences
    do, so only bounds through them end here. It implies (ε, exceedance)-DP and is stronger.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    exceedance: float = attrs.field(converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``privacy-loss-tail:ε,X``."""
        row = _fields.numbers(self.epsilon, self.exceedance)
        return f"privacy-loss-tail:{row}{self.adjacency.suffix}"


@attrs.frozen
class SamplingDP:
    """(β, ε, δ)-differential privacy under sampling (li-2012).

    The mechanism is (ε, δ)-DP, between data sets that differ by one entity more or less, once
    each entity has been kept independently with probability `beta`.
    """

    beta: float = attrs.field(converter=_fields.rate)
    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(default=0.0, converter=_fields.delta)

    @property
    def spec(self) -> str:
        """``sampling-dp:β,ε``, with δ where it is not 0."""
        return f"sampling-dp:{_fields.numbers(self.beta, self.epsilon, self.delta or None)}"


def _k(value: object) -> int:
    return _fields.count(value, "k")


@attrs.frozen
class KAnonymity:
    """Strongly safe k-anonymisation (li-2012): the grouping ignores the data.

    Each group is published with its size if it holds at least `k` entities, else suppressed.
    """

    k: int = attrs.field(converter=_k)

    @property
    def spec(self) -> str:
        """``k-anonymity:k``."""
        return f"k-anonymity:{self.k}"


@attrs.frozen
class BayesianDP:
    """ε-Bayesian differential privacy (yang-2015) under joint laws of all records.

    Against every adversary who knows any set of records, likelihoods between two values of one
    record differ by at most e^ε, unknown records following their conditional law. The laws
    allow every combination of values; with `independent`, records are independent under them.
    With add-remove adjacency the values of a record are present and absent.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    independent: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))

    @property
    def spec(self) -> str:
        """``bayesian-dp:ε``, with ``@independent`` where the laws are."""
        independent = "@independent" if self.independent else ""
        return f"bayesian-dp:{self.epsilon!r}{self.adjacency.suffix}{independent}"
