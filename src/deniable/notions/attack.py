"""Guarantees about attacks on membership, and about data drawn from a population."""

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import _fields
from deniable.notions._fields import Adjacency, Setting


@attrs.frozen
class AttackSuccess:
    """No attack with prior ½ guesses the membership right more often than this."""

    probability: float = attrs.field(converter=_fields.share)
    setting: Setting = attrs.field(default=Setting.REPLACE_ONE, converter=Setting)

    @property
    def spec(self) -> str:
        """``attack-success:Q``, with the setting where it is not replace-one."""
        return f"attack-success:{self.probability!r}{self.setting.suffix}"


@attrs.frozen
class Advantage:
    """No attack's true-positive rate exceeds its false-positive rate by more than this."""

    value: float = attrs.field(converter=_fields.share)
    setting: Setting = attrs.field(default=Setting.REPLACE_ONE, converter=Setting)

    @property
    def spec(self) -> str:
        """``advantage:A``, with the setting where it is not replace-one."""
        return f"advantage:{self.value!r}{self.setting.suffix}"


def _nonmembers(value: object) -> float:
    return validate.positive(value, "nonmembers")


@attrs.frozen
class PredictiveValue:
    """Of what an attack flags at rate `fpr` among non-members, no larger share is members.

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


def _dimension(value: object) -> int:
    return _fields.count(value, "dimension")


def _batch(value: object) -> int:
    return _fields.count(value, "batch")


def _clip(value: object) -> float:
    return validate.positive(value, "clip")


def _noise(value: object) -> float:
    return validate.non_negative(value, "noise")


def _susceptibility(value: object) -> float:
    return validate.non_negative(value, "susceptibility")


@attrs.frozen
class NoisyGradient:
    """One published average of clipped gradients: an algorithm, no guarantee (leemann-2023).

    `dimension` d of the gradients, `batch` n of records, `clip` C of their norms, `noise` τ the
    standard deviation added to each coordinate of the average, and `susceptibility` K the
    squared Mahalanobis norm of the most exposed record's gradient.
    """

    dimension: int = attrs.field(converter=_dimension)
    batch: int = attrs.field(converter=_batch)
    clip: float = attrs.field(converter=_clip)
    noise: float = attrs.field(converter=_noise)
    susceptibility: float = attrs.field(converter=_susceptibility)

    @property
    def spec(self) -> str:
        """``noisy-gradient:d,n,C,τ,K``."""
        row = (self.dimension, self.batch, self.clip, self.noise, self.susceptibility)
        return f"noisy-gradient:{_fields.numbers(*row)}"
