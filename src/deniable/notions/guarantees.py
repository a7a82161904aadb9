"""Guarantees about likelihoods, about attacks, and about beliefs."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency, Setting, Side
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors

if TYPE_CHECKING:
    from deniable.priors import Households


@attrs.frozen
class AttackSuccess:
    """No attack with prior ½ guesses the membership right more often than this."""

    probability: float = attrs.field(converter=_fields.share)
    setting: Setting = attrs.field(default=Setting.REPLACE_ONE, converter=Setting)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    @property
    def spec(self) -> str:
        """``attack-success:Q``, with the setting where it is not replace-one."""
        suffix = self.setting.suffix + _fields.households_suffix(self.households)
        return f"attack-success:{self.probability!r}{suffix}"


@attrs.frozen
class Advantage:
    """No attack's true-positive rate exceeds its false-positive rate by more than this."""

    value: float = attrs.field(converter=_fields.share)
    setting: Setting = attrs.field(default=Setting.REPLACE_ONE, converter=Setting)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    @property
    def spec(self) -> str:
        """``advantage:A``, with the setting where it is not replace-one."""
        suffix = self.setting.suffix + _fields.households_suffix(self.households)
        return f"advantage:{self.value!r}{suffix}"


def _nonmembers(value: object) -> float:
    return validate.positive(value, "nonmembers")


@attrs.frozen
class PredictiveValue:
    """A share `value` at most of what an attack flags, at rate `fpr` among non-members, is members.

    `nonmembers` is the number of non-members for each member among those attacked.
    """

    value: float = attrs.field(converter=_fields.share)
    fpr: float = attrs.field(converter=_fields.fpr)
    nonmembers: float = attrs.field(converter=_nonmembers)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``predictive-value:V,α,g``, with the adjacency where it is add-remove."""
        row = _fields.numbers(self.value, self.fpr, self.nonmembers)
        return f"predictive-value:{row}{self.adjacency.suffix}"


def _fnr(value: object) -> float:
    return validate.probability(value, "fnr")


@attrs.frozen
class FalseNegativeRate:
    """An attack that flags at rate `fpr` among non-members misses at least this share of members.

    Positive is "is in the data", so this is a promise to those who are; the larger the stronger.
    """

    fnr: float = attrs.field(converter=_fnr)
    fpr: float = attrs.field(converter=_fields.fpr)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``false-negative-rate:β,α``, with the adjacency where it is add-remove."""
        row = _fields.numbers(self.fnr, self.fpr)
        return f"false-negative-rate:{row}{self.adjacency.suffix}"


def _baseline(value: object) -> float:
    return validate.probability(value, "baseline")


def _candidates(value: object) -> int | None:
    return None if value is None else validate.integer(value, "candidates", least=2)


@attrs.frozen
class BaselineRisk:
    """Nobody who succeeds with probability `baseline` without a release succeeds with more.

    The secret is one record's value, with add-remove adjacency also whether the record is there;
    the rest of the data is known or independent of it. The adversary names values and succeeds if
    the secret is among them: whatever is named had at most `baseline` before. With `candidates`
    K the secret is one of K equally likely values, of which at most baseline·K are named.
    """

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

    @property
    def spec(self) -> str:
        """``baseline-risk:s,b``, with the adjacency and ``@candidates-K`` where they matter."""
        row = _fields.numbers(self.success, self.baseline)
        equal = "" if self.candidates is None else f"@candidates-{self.candidates}"
        return f"baseline-risk:{row}{self.adjacency.suffix}{equal}"


def _size(value: object) -> int | None:
    return _fields.optional_count(value, "size")


@attrs.frozen
class PopulationPrivacy:
    """(ε, δ)-practical membership privacy (lowy-2024, Definition 2).

    The data are a uniform subset, of fixed size, of one known parent set; for each of its
    records likelihoods given presence and given absence differ by at most e^ε and δ. `size` is
    the number n of records in the data where it matters; the parent set then holds 2n. With
    `every_parent_set` it holds whatever the parent set, of every size or of the one stated.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(default=0.0, converter=_fields.delta)
    size: int | None = attrs.field(default=None, converter=_size)
    every_parent_set: bool = attrs.field(
        default=False, validator=attrs.validators.instance_of(bool)
    )

    @property
    def spec(self) -> str:
        """``population:ε,δ``, with the size where it matters and ``@every-parent-set``."""
        every = "@every-parent-set" if self.every_parent_set else ""
        return f"population:{_fields.numbers(self.epsilon, self.delta, self.size)}{every}"


def _share(value: object) -> float:
    return validate.open_probability(value, "share")


@attrs.frozen
class PopulationPosterior:
    r"""Beliefs about who was sampled, after any event of the release (lowy-2024, Lemma 3 (1)).

    .. math:: e^{-\epsilon}(\Pr[x \notin D | S] - \delta) \le \Pr[x \in D | S]
              \le e^\epsilon \Pr[x \notin D | S] + \delta

    for each record x of one known parent set and every event S of positive probability. Before,
    each is in with probability `share`, that of the parent set which is sampled, n/N; the
    paper's is ½. Unlike the δ of likelihoods, this one excuses no event, however rare. `size`
    and `every_parent_set` are as in `PopulationPrivacy`; a size is stated for share ½ only.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    delta: float = attrs.field(converter=_fields.delta)
    share: float = attrs.field(converter=_share)
    size: int | None = attrs.field(default=None, converter=_size)
    every_parent_set: bool = attrs.field(
        default=False, validator=attrs.validators.instance_of(bool)
    )

    def __attrs_post_init__(self) -> None:
        if self.size is not None and self.share != 0.5:
            raise InvalidArgument(
                f"Expected share 0.5 with a size, got share={self.share}. Leave the size out."
            )

    @property
    def spec(self) -> str:
        """``population-posterior:ε,δ,n/N``, then as ``population`` goes on."""
        numbers = _fields.numbers(self.epsilon, self.delta, self.share, self.size)
        every = "@every-parent-set" if self.every_parent_set else ""
        return f"population-posterior:{numbers}{every}"


@attrs.frozen
class MembershipInference:
    """η-membership-inference privacy (izzo-2022): no attack succeeds above ½ + η.

    The record is in the data, a uniform subset of a known parent set, with probability ½.
    """

    eta: float = attrs.field(converter=_fields.half)

    @property
    def spec(self) -> str:
        """``membership-inference:η``."""
        return f"membership-inference:{self.eta!r}"


@attrs.frozen
class GaussianMembershipInference:
    """μ-Gaussian membership inference privacy (leemann-2023).

    Data drawn from a population; telling a record that is in them from one that is not is no
    easier than telling N(0, 1) from N(μ, 1).
    """

    mu: float = attrs.field(converter=_fields.spread)

    @property
    def spec(self) -> str:
        """``gaussian-membership-inference:μ``."""
        return f"gaussian-membership-inference:{self.mu!r}"


@attrs.frozen
class NoisyGradient:
    """One published average of clipped gradients: an algorithm, no guarantee (leemann-2023).

    `dimension` d of the gradients, `batch` n of records, `clip` C of their norms, `noise` τ the
    standard deviation added to each coordinate of the average, and `susceptibility` K the
    squared Mahalanobis norm of the most exposed record's gradient.
    """

    dimension: int = attrs.field(converter=_fields.dimension)
    batch: int = attrs.field(converter=_fields.batch)
    clip: float = attrs.field(converter=_fields.clip)
    noise: float = attrs.field(converter=_fields.noise)
    susceptibility: float = attrs.field(converter=_fields.susceptibility)

    @property
    def spec(self) -> str:
        """``noisy-gradient:d,n,C,τ,K``."""
        row = (self.dimension, self.batch, self.clip, self.noise, self.susceptibility)
        return f"noisy-gradient:{_fields.numbers(*row)}"


Adversary: TypeAlias = BoundedPriors | OneOutOfPriors | SampledPriors | CorrelatedPriors
"""The adversary of a membership guarantee; bounded priors given the size where it is public."""


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
    are independent (add-remove) or independent given the size (replace-one). With `households`
    those of one household are tied to each other as it says.
    """

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

    @property
    def spec(self) -> str:
        """``positive-membership:γ``, with exceedance, adjacency and family where they matter."""
        suffix = _membership_suffix(self.adversary, self.adjacency)
        suffix += _fields.households_suffix(self.households)
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
    anything. Memberships are as in `PositiveMembership`, and so are exceptions and households.
    """

    posterior: float = attrs.field(converter=_fields.share)
    prior: float = attrs.field(converter=_fields.share)
    exceedance: float = attrs.field(default=0.0, converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    @property
    def spec(self) -> str:
        """``max-posterior:Q@0-p``, with exceedance and adjacency where they matter."""
        row = _fields.numbers(self.posterior, self.exceedance or None)
        suffix = _fields.interval_suffix(0.0, self.prior) + _fields.households_suffix(
            self.households
        )
        return f"max-posterior:{row}{self.adjacency.suffix}{suffix}"


@attrs.frozen
class Identifiability:
    """ρ-differential identifiability over `worlds` possible worlds (lee-clifton-2012).

    Of m equally likely candidates, exactly one of whom is in, none becomes more probable than ρ, no
    matter who else is known to be in or out (`OneOutOfPriors`). The paper takes all that are not
    known to be in for candidates; this is no weaker.
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
class ApproxZCDP:
    """δ-approximate ρ-zero-concentrated differential privacy (bun-steinke-2016, Definition 8.1).

    The outputs' laws of two neighbours are (1 − δ)P + δR and (1 − δ)Q + δR', for some laws of which
    P and Q have all Rényi divergences of ρ-zCDP; R and R' may tell the neighbours apart.
    """

    rho: float = attrs.field(converter=_fields.spread)
    delta: float = attrs.field(converter=_fields.delta)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)

    @property
    def spec(self) -> str:
        """``approx-zcdp:ρ,δ``."""
        return f"approx-zcdp:{_fields.numbers(self.rho, self.delta)}{self.adjacency.suffix}"


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
    """The privacy loss passes `epsilon` with probability <= `exceedance` under every prior.

    The loss is ln Pr[S|t]/Pr[S|¬t] with both laws averaged over the adversary's prior (or the
    reverse), and the probability is the output's under the first of them. A tail that holds for
    every pair of neighbours need not survive that averaging; hockey-stick and Rényi divergences
    do, so only bounds through them end here. It implies (ε, exceedance)-DP and is stronger. With
    `households` the priors are those of memberships tied within households.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    exceedance: float = attrs.field(converter=_fields.exceedance)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    @property
    def spec(self) -> str:
        """``privacy-loss-tail:ε,X``."""
        row = _fields.numbers(self.epsilon, self.exceedance)
        suffix = self.adjacency.suffix + _fields.households_suffix(self.households)
        return f"privacy-loss-tail:{row}{suffix}"


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
    With add-remove adjacency the values of a record are present and absent. With `households` the
    laws are those of memberships tied within households, whatever combinations these allow.
    """

    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    independent: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    households: "Households | None" = attrs.field(default=None, validator=_fields.households)

    def __attrs_post_init__(self) -> None:
        if self.independent and self.households is not None:
            raise InvalidArgument("Expected independent records or households, got both.")

    @property
    def spec(self) -> str:
        """``bayesian-dp:ε``, with ``@independent`` or ``@households-k`` where the laws are."""
        laws = "@independent" if self.independent else _fields.households_suffix(self.households)
        return f"bayesian-dp:{self.epsilon!r}{self.adjacency.suffix}{laws}"


def _order(value: Any) -> float:
    result = validate.number(value, "order")
    if not 1 < result < math.inf:
        raise InvalidArgument(f"Expected 1 < order < inf, got order={result}.")
    return result


def _also(value: Any) -> tuple[tuple[float, float], ...]:
    return tuple((_order(order), _fields.epsilon(epsilon)) for order, epsilon in value)


@attrs.frozen
class RenyiDP:
    r"""Rényi differential privacy (mironov-2017): the divergence of one order, or of several.

    .. math:: D_a(P \| Q) = \tfrac{1}{a - 1} \ln \sum_x P(x)^a Q(x)^{1-a} \le \epsilon

    for the laws P and Q of the release on neighbours, either way round; a > 1 is the `order`. With
    `also`, pairs of an order and its ε, the same holds of these.
    """

    order: float = attrs.field(converter=_order)
    epsilon: float = attrs.field(converter=_fields.epsilon)
    adjacency: Adjacency = attrs.field(default=Adjacency.REPLACE_ONE, converter=Adjacency)
    also: tuple[tuple[float, float], ...] = attrs.field(default=(), converter=_also)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Every order with its ε, the lowest order first."""
        return tuple(sorted([(self.order, self.epsilon), *self.also]))

    @property
    def spec(self) -> str:
        """``rdp:a,ε``, and ``@also-a,ε/a,ε`` where more orders are known."""
        first, *rest = (_fields.numbers(*pair) for pair in ((self.order, self.epsilon), *self.also))
        also = f"@also-{'/'.join(rest)}" if rest else ""
        return f"rdp:{first}{self.adjacency.suffix}{also}"
