"""Guarantees about likelihoods, about attacks, and about beliefs."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency, Setting, Side
from deniable.notions.adversaries import (
    BoundedPriors,
    CorrelatedPriors,
    OneOutOfPriors,
    SampledPriors,
)

if TYPE_CHECKING:
    from deniable.notions.households import Households


@attrs.frozen
class AttackSuccess(_fields.Written):
    """No attack with prior ½ guesses the membership right more often than this."""

    FORM = "attack-success:probability"
    probability: float = attrs.field(converter=_fields.share)
    setting: Setting = attrs.field(default=Setting.REPLACE_ONE, converter=Setting)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)


@attrs.frozen
class Advantage(_fields.Written):
    """No attack's true-positive rate exceeds its false-positive rate by more than this."""

    FORM = "advantage:value"
    value: float = attrs.field(converter=_fields.share)
    setting: Setting = attrs.field(default=Setting.REPLACE_ONE, converter=Setting)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)


def _nonmembers(value: object) -> float:
    return validate.positive(value, "nonmembers")


@attrs.frozen
class PredictiveValue(_fields.Written):
    """The largest share of members among those flagged, at rate `fpr` among non-members.

    `nonmembers` is the number of non-members for each member among those attacked.
    """

    FORM = "predictive-value:value,fpr,nonmembers"
    value: float = attrs.field(converter=_fields.share)
    fpr: float = attrs.field(converter=_fields.fpr)
    nonmembers: float = attrs.field(converter=_nonmembers)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)


def _fnr(value: object) -> float:
    return validate.probability(value, "fnr")


@attrs.frozen
class FalseNegativeRate(_fields.Written):
    """An attack that flags at rate `fpr` among non-members misses at least this share of members.

    Positive is "is in the data", so this is a promise to those who are; the larger the stronger.
    """

    FORM = "false-negative-rate:fnr,fpr"
    fnr: float = attrs.field(converter=_fnr)
    fpr: float = attrs.field(converter=_fields.fpr)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)


def _baseline(value: object) -> float:
    return validate.probability(value, "baseline")


def _candidates(value: object) -> int | None:
    return None if value is None else validate.integer(value, "candidates", least=2)


@attrs.frozen
class BaselineRisk(_fields.Written):
    """An attacker whose success is `baseline` without a release has at most `success` with it.

    The secret is one record's value, with add-remove adjacency also whether the record is there;
    the rest of the data is known or independent of it. The adversary names values and succeeds if
    the secret is among them: whatever is named had at most `baseline` before. With `candidates`
    K the secret is one of K equally likely values, of which at most baseline·K are named.
    """

    FORM = "baseline-risk:success,baseline"
    success: float = attrs.field(converter=_fields.share)
    baseline: float = attrs.field(converter=_baseline)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    candidates: int | None = attrs.field(default=None, converter=_candidates)

    def __attrs_post_init__(self) -> None:
        if self.candidates is not None and self.named < 1:
            raise InvalidArgument(
                f"Expected baseline >= 1/candidates, got baseline={self.baseline}, "
                f"candidates={self.candidates}. Nobody names less than one: write "
                f"{1 / self.candidates!r} or more.",
                instead=(repr(self.baseline), repr(1 / self.candidates)),
            )

    @property
    def named(self) -> int:
        """How many of the candidates are named at most: the largest m with m/K <= baseline.

        A baseline that is the float of some m/K means that share: 0.7 of 10 are 7.
        """
        if self.candidates is None:
            raise InvalidArgument("Expected candidates, got none.")
        count = int(Fraction(self.baseline) * self.candidates)
        means_next = (count + 1) / self.candidates == self.baseline != count / self.candidates
        return count + means_next


def _size(value: object) -> int | None:
    return _fields.optional_count(value, "size")


@attrs.frozen
class PopulationPrivacy(_fields.Written):
    """(ε, δ)-practical membership privacy (lowy-2024, Definition 2).

    The data are a uniform subset, of fixed size, of one known parent set; for each of its
    records likelihoods given presence and given absence differ by at most e^ε and δ. `size` is
    the number n of records in the data where it matters; the parent set then holds 2n. With
    `every_parent_set` it holds whatever the parent set, of every size or of the one stated.
    """

    FORM = "population:epsilon,delta[,size]"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(default=0.0, converter=_fields.delta)
    size: int | None = attrs.field(default=None, converter=_size)
    every_parent_set: bool = attrs.field(default=False, validator=validate.is_of(bool))


def _share(value: object) -> float:
    return validate.open_probability(value, "share")


@attrs.frozen
class PopulationPosterior(_fields.Written):
    r"""A limit on beliefs about who was sampled, after any event (lowy-2024, Lemma 3 (1)).

    .. math:: e^{-\epsilon}(\Pr[x \notin D | S] - \delta) \le \Pr[x \in D | S]
              \le e^\epsilon \Pr[x \notin D | S] + \delta

    for each record x of one known parent set and every event S of positive probability. Before,
    each is in with probability `share`, that of the parent set which is sampled, n/N; the
    paper's is ½. Unlike the δ of likelihoods, this one excuses no event, however rare. `size`
    and `every_parent_set` are as in `PopulationPrivacy`; a size is stated for share ½ only.
    """

    FORM = "population-posterior:epsilon,delta,share[,size]"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(converter=_fields.delta)
    share: float = attrs.field(converter=_share)
    size: int | None = attrs.field(default=None, converter=_size)
    every_parent_set: bool = attrs.field(default=False, validator=validate.is_of(bool))

    def __attrs_post_init__(self) -> None:
        if self.size is not None and self.share != 0.5:
            raise InvalidArgument(
                f"Expected share 0.5 with a size, got share={self.share}. Leave the size out."
            )


@attrs.frozen
class MembershipInference(_fields.Written):
    """η-membership-inference privacy (izzo-2022): no attack succeeds above ½ + η.

    The record is in the data, a uniform subset of a known parent set, with probability ½.
    """

    FORM = "membership-inference:eta"
    eta: float = attrs.field(converter=_fields.half)


@attrs.frozen
class GaussianMembershipInference(_fields.Written):
    """μ-Gaussian membership inference privacy (leemann-2023).

    Data drawn from a population; telling a record that is in them from one that is not is no
    easier than telling N(0, 1) from N(μ, 1).
    """

    FORM = "gaussian-membership-inference:mu"
    mu: float = attrs.field(converter=_fields.spread)


@attrs.frozen(init=False)
class NoisyGradient(_fields.Written):
    """One published average of clipped gradients: an algorithm, not a guarantee (leemann-2023).

    `dimension` d of the gradients, `batch` n of records, `clip` C of their norms, `noise` τ the
    standard deviation added to each coordinate of the average, and `susceptibility` K the
    squared Mahalanobis norm of the most exposed record's gradient.
    """

    FORM = "noisy-gradient:dimension,batch,clip,noise,susceptibility"
    dimension: int
    batch: int
    clip: float
    noise: float
    susceptibility: float

    def __init__(
        self, dimension: Any, batch: Any, clip: Any, noise: Any, susceptibility: Any
    ) -> None:
        self.__attrs_init__(
            _fields.count(dimension, "dimension"),
            _fields.count(batch, "batch"),
            validate.positive(clip, "clip"),
            validate.non_negative(noise, "noise"),
            validate.non_negative(susceptibility, "susceptibility"),
        )


Adversary: TypeAlias = BoundedPriors | OneOutOfPriors | SampledPriors | CorrelatedPriors
"""The adversary of a membership guarantee; bounded priors given the size where it is public."""


def _check_family(adversary: Adversary, adjacency: Adjacency) -> None:
    fixed = {OneOutOfPriors: Adjacency.REPLACE_ONE, SampledPriors: Adjacency.ADD_REMOVE}
    if isinstance(adversary, SampledPriors):
        validate.open_probability(adversary.rate, "rate")
    needed = fixed.get(type(adversary), adjacency)
    if needed is not adjacency:
        raise InvalidArgument(f"Expected {needed} with {adversary}, got {adjacency}.")


@attrs.frozen
class PositiveMembership(_fields.Written):
    """(D, γ)-positive membership privacy (li-2013, Definition 3.1).

    Pr[t|S] <= γ Pr[t] and Pr[¬t|S] >= Pr[¬t]/γ for every prior of the family; with
    `exceedance` > 0, for each t by itself except for outputs of at most that probability given t:
    that some entity's limit is passed may be more probable. The adjacency says whether memberships
    are independent (add-remove) or independent given the size (replace-one). With `households`
    those of one household are tied to each other as it says.
    """

    FORM = "positive-membership:gamma[,exceedance]"
    gamma: float = attrs.field(converter=_fields.gamma)
    adversary: Adversary = attrs.field(factory=BoundedPriors)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    def __attrs_post_init__(self) -> None:
        _check_family(self.adversary, self.adjacency)
        if self.households is not None and not isinstance(self.adversary, BoundedPriors):
            raise InvalidArgument(
                f"Expected beliefs in an interval with {self.households}, got {self.adversary}."
            )


@attrs.frozen
class NegativeMembership(_fields.Written):
    """(D, γ)-negative membership privacy (li-2013, Section 3).

    Pr[¬t|S] <= γ Pr[¬t] and Pr[t|S] >= Pr[t]/γ for every prior of the family.
    """

    FORM = "negative-membership:gamma"
    gamma: float = attrs.field(converter=_fields.gamma)
    adversary: Adversary = attrs.field(factory=BoundedPriors)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    def __attrs_post_init__(self) -> None:
        _check_family(self.adversary, self.adjacency)


@attrs.frozen
class MaxPosterior(_fields.Written):
    """No belief that starts at or below `prior` exceeds `posterior`.

    `prior` limits the belief in question only: about the others the adversary may believe
    anything. Memberships are as in `PositiveMembership`, and so are exceptions and households.
    """

    FORM = "max-posterior:posterior[,exceedance]"
    posterior: float = attrs.field(converter=_fields.share)
    prior: float = attrs.field(converter=_fields.share)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)


@attrs.frozen
class Identifiability(_fields.Written):
    """ρ-differential identifiability over `worlds` possible worlds (lee-clifton-2012).

    Of m equally likely candidates, exactly one of whom is in, none becomes more probable than ρ, no
    matter who else is known to be in or out (`OneOutOfPriors`). The paper takes all that are not
    known to be in for candidates; this is no weaker.
    """

    FORM = "identifiability:rho,worlds[,exceedance]"
    rho: float = attrs.field(converter=_fields.share)
    worlds: int = attrs.field(converter=_fields.worlds)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)


def _records(value: object) -> int | None:
    return _fields.optional_count(value, "records")


@attrs.frozen
class Semantic(_fields.Written):
    """ε-semantic privacy (kasiviswanathan-smith-2014).

    Whatever the belief about the whole data set, the posterior after the output and the one
    that would follow had one record been replaced by a default differ by at most `epsilon` in
    statistical distance. The default is one of the record's values with replace-one adjacency,
    absence with add-remove. `records` is the number of records where it matters.
    """

    FORM = "semantic:epsilon[,records]"
    epsilon: float = attrs.field(converter=_fields.share)
    records: int | None = attrs.field(default=None, converter=_records)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)


@attrs.frozen
class BayesianSemantic(_fields.Written):
    """ε-Bayesian semantic privacy (zhao-2019) under joint laws of all records.

    As `Semantic`, for every belief about one record and any set of known ones, whatever the law
    gives to those: the law is that of the unknown records. They follow it given the record's
    value and the known ones, and where the record is replaced by its default, one of its values,
    given the default and the known ones. The laws are those of `BayesianDP`; with `independent`,
    records are independent under them.
    """

    FORM = "bayesian-semantic:epsilon"
    epsilon: float = attrs.field(converter=_fields.share)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    independent: bool = attrs.field(default=False, validator=validate.is_of(bool))


def _ratio(value: object) -> float:
    return validate.at_least_one(value, "ratio")


@attrs.frozen
class PosteriorRatio(_fields.Written):
    """No belief about the value of a record grows by more than this factor (kazan-reiter-2024).

    A factor on beliefs about *values*, never to be mixed with γ, which is about membership.
    """

    FORM = "posterior-ratio:ratio"
    ratio: float = attrs.field(converter=_ratio)


@attrs.frozen
class PosteriorGain(_fields.Written):
    """No belief about the value of a record rises by more than this (kazan-reiter-2024)."""

    FORM = "posterior-gain:gain"
    gain: float = attrs.field(converter=_fields.share)


@attrs.frozen
class PureDP(_fields.Written):
    """ε-differential privacy: likelihoods between neighbours differ by at most e^ε.

    With `records` it is known of data of exactly that many records only (at most as many, with
    add-remove adjacency), and says nothing of others.
    """

    FORM = "pure-dp:epsilon"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    records: int | None = attrs.field(default=None, converter=_records)


@attrs.frozen
class OneSidedDP(_fields.Written):
    """One half of ε add-remove DP: joining, or leaving, raises no likelihood by more than e^ε."""

    FORM = "one-sided-dp:epsilon"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    side: Side = attrs.field(default=Side.POSITIVE, converter=Side)


@attrs.frozen
class ApproxDP(_fields.Written):
    """(ε, δ)-differential privacy; `records` as in `PureDP`."""

    FORM = "approx-dp:epsilon,delta"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(converter=_fields.delta)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    records: int | None = attrs.field(default=None, converter=_records)


@attrs.frozen
class ZCDP(_fields.Written):
    """ρ-zero-concentrated differential privacy (bun-steinke-2016)."""

    FORM = "zcdp:rho"
    rho: float = attrs.field(converter=_fields.spread)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)


@attrs.frozen
class ApproxZCDP(_fields.Written):
    """δ-approximate ρ-zero-concentrated differential privacy (bun-steinke-2016, Definition 8.1).

    The outputs' laws of two neighbours are (1 − δ)P + δR and (1 − δ)Q + δR', for some laws of which
    P and Q have all Rényi divergences of ρ-zCDP; R and R' may tell the neighbours apart.
    """

    FORM = "approx-zcdp:rho,delta"
    rho: float = attrs.field(converter=_fields.spread)
    delta: float = attrs.field(converter=_fields.delta)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)


@attrs.frozen
class GaussianDP(_fields.Written):
    """μ-Gaussian differential privacy: no attack does better than a test of N(0, 1) and N(μ, 1).

    With `slack` > 0 the two normal tails that bound an attack are each moved by that many
    standard deviations in the attacker's favour. Discrete Gaussian noise has slack (see
    `theorems.discrete_gaussian_to_gaussian_dp`); continuous noise has none. The tails are those
    of the loss past any ε, Φ(±μ/2 − ε/μ); at μ = 0, of N(0, 1) itself past any threshold, so
    that μ = 0 with slack is no easier than telling N(0, 1) from N(2 slack, 1).
    """

    FORM = "gaussian-dp:mu[,slack]"
    mu: float = attrs.field(converter=_fields.spread)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    slack: float = attrs.field(default=0.0, converter=_fields.spread)


@attrs.frozen
class PrivacyLossTail(_fields.Written):
    """The privacy loss exceeds `epsilon` with probability <= `exceedance` under every prior.

    The loss is ln Pr[S|t]/Pr[S|¬t] with both laws averaged over the adversary's prior (or the
    reverse), and the probability is the output's under the first of them. A tail that holds for
    every pair of neighbours need not survive that averaging; hockey-stick and Rényi divergences
    do, so only bounds through them end here. It implies (ε, exceedance)-DP and is stronger. With
    `households` the priors are those of memberships tied within households.
    """

    FORM = "privacy-loss-tail:epsilon,exceedance"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    exceedance: float = attrs.field(converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)


@attrs.frozen
class SamplingDP(_fields.Written):
    """(β, ε, δ)-differential privacy under sampling (li-2012).

    The mechanism is (ε, δ)-DP, between data sets that differ by one entity more or less, once
    each entity has been kept independently with probability `beta`.
    """

    FORM = "sampling-dp:beta,epsilon[,delta]"
    beta: float = attrs.field(converter=_fields.rate)
    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(default=0.0, converter=_fields.delta)


def _k(value: object) -> int:
    return _fields.count(value, "k")


@attrs.frozen
class KAnonymity(_fields.Written):
    """Strongly safe k-anonymisation (li-2012): the grouping ignores the data.

    Each group is published with its size if it holds at least `k` entities, else suppressed.
    """

    FORM = "k-anonymity:k"
    k: int = attrs.field(converter=_k)


@attrs.frozen
class BayesianDP(_fields.Written):
    """ε-Bayesian differential privacy (yang-2015) under joint laws of all records.

    Against every adversary who knows any set of records, likelihoods between two values of one
    record differ by at most e^ε, unknown records following their conditional law. The laws
    allow every combination of values; with `independent`, records are independent under them.
    With add-remove adjacency the values of a record are present and absent. With `households` the
    laws are those of memberships tied within households, whatever combinations these allow.
    """

    FORM = "bayesian-dp:epsilon"
    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    independent: bool = attrs.field(default=False, validator=validate.is_of(bool))
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    def __attrs_post_init__(self) -> None:
        if self.independent and self.households is not None:
            raise InvalidArgument("Expected independent records or households, got both.")


def _order(value: Any) -> float:
    result = validate.number(value, "order")
    if not 1 < result < math.inf:
        raise InvalidArgument(f"Expected 1 < order < inf, got order={result}.")
    return result


def _also(value: Any) -> tuple[tuple[float, float], ...]:
    pairs = (validate.pair(each, "also") for each in validate.several(value, "also"))
    return tuple((_order(order), _fields.epsilon(epsilon)) for order, epsilon in pairs)


@attrs.frozen
class RenyiDP(_fields.Written):
    r"""Rényi differential privacy (mironov-2017): the divergence of one order, or of several.

    .. math:: D_a(P \| Q) = \tfrac{1}{a - 1} \ln \sum_x P(x)^a Q(x)^{1-a} \le \epsilon

    for the laws P and Q of the release on neighbours, either way round; a > 1 is the `order`. With
    `also`, pairs of an order and its ε, the same holds of these.
    """

    FORM = "rdp:order,epsilon"
    order: float = attrs.field(converter=_order)
    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    also: tuple[tuple[float, float], ...] = attrs.field(default=(), converter=_also)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Every order with its ε, the lowest order first."""
        return tuple(sorted([(self.order, self.epsilon), *self.also]))
