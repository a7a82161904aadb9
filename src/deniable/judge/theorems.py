"""How far a release moves beliefs about what a record says, or about one person's value."""

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    BayesianDP,
    BayesianSemantic,
    PosteriorGain,
    PosteriorRatio,
    PureDP,
    Semantic,
)
from deniable.numerics.rounding import Ball, directed, upper
from deniable.theorems._theorem import check_every_size, check_neighbours, theorem


def moved_by(epsilon: float, spread: int) -> float:
    """How far factors of spread e^(spread·ε) move a law: tanh(spread·ε/4), rounded up."""
    with directed() as r:
        grown: Ball = r.expm1(spread * r(epsilon) / 2)
        return max(0.0, min(upper(grown / (grown + 2)), 1.0))


def spread_of(distance: float) -> float:
    """The ε whose spread e^ε moves a law by `distance`: 4 artanh, rounded up."""
    with directed() as r:
        d = r(distance)
        return max(0.0, upper(2 * r.log1p(2 * d / (1 - d))))


@theorem(
    "kasiviswanathan-smith-2014, sharpened",
    states="ε-DP gives tanh(ε/2)-semantic privacy, rounded up; attained from two records on.",
)
def pure_dp_to_semantic(guarantee: PureDP) -> Semantic:
    """Pure DP is semantic privacy, with the sharp constant.

    Replacing a record changes each data set's likelihood by a factor between e^−ε and e^ε.
    Reweighting a law by factors whose spread is e^s moves it by at most tanh(s/4), and s = 2ε.
    """
    return Semantic(moved_by(guarantee.epsilon, 2), guarantee.records, guarantee.adjacency)


@theorem(
    "kasiviswanathan-smith-2014, sharpened",
    states="ε replace-one DP of one record gives tanh(ε/4)-semantic privacy, rounded up; attained.",
)
def pure_dp_to_semantic_of_one_record(guarantee: PureDP) -> Semantic:
    """Pure DP is semantic privacy, sharper still where the data are one record.

    With its only record replaced, a data set says nothing: the spread of the factors is e^ε.
    """
    check_neighbours(guarantee, Adjacency.REPLACE_ONE)
    if guarantee.records not in (None, 1):
        raise NotApplicable(f"Expected data of one record, got records={guarantee.records}.")
    return Semantic(moved_by(guarantee.epsilon, 1), records=1)


@theorem(
    "zhao-2019, Theorem 2",
    states="ε-DP gives (e^2ε − 1)-semantic privacy, rounded up: no statement beyond ε = ½ ln 2.",
)
def pure_dp_to_semantic_as_published(guarantee: PureDP) -> Semantic:
    """Pure DP is semantic privacy, with the published constant."""
    # zhao-2019, Theorem 2; kasiviswanathan-smith-2014.
    return Semantic(published(guarantee.epsilon), guarantee.records, guarantee.adjacency)


def published(epsilon: float) -> float:
    """e^2ε − 1, rounded up; 1 where it is vacuous."""
    with directed() as r:
        return max(0.0, min(upper(r.expm1(2 * r(epsilon))), 1.0))


@theorem(
    "zhao-2019, Theorem 2, sharpened",
    states="τ-semantic privacy gives ε = 4 artanh τ, rounded up: tanh(ε/4)-SP suffices for ε-DP.",
)
def semantic_to_pure_dp(guarantee: Semantic) -> PureDP:
    r"""Semantic privacy is pure DP, with the sharp constant.

    An adversary who believes in two neighbours, with odds :math:`e^{\ell/2}` against the
    likelier one, moves by tanh(ℓ/4) where their likelihoods differ by e^ℓ; with the record
    replaced the two are one data set and nothing moves. Neighbours are data of the sizes that the
    guarantee is about, and so is the result.
    """
    return PureDP(spread_of(guarantee.epsilon), guarantee.adjacency, guarantee.records)


@theorem(
    "zhao-2019, Theorem 2",
    states="(½ − 1/(e^ε + 1))-semantic privacy gives ε-DP: ε = ln((1 + 2τ)/(1 − 2τ)), rounded up.",
)
def semantic_to_pure_dp_as_published(guarantee: Semantic) -> PureDP:
    """Semantic privacy is pure DP, with the published constant."""
    epsilon = published_inverse(guarantee.epsilon)
    return PureDP(epsilon, guarantee.adjacency, guarantee.records)


def published_inverse(distance: float) -> float:
    """The ε of ½ − 1/(e^ε + 1) = τ, rounded up."""
    if distance >= 0.5:
        raise NotApplicable(f"Expected semantic privacy below 1/2, got {distance}.")
    with directed() as r:
        d = 2 * r(distance)
        return max(0.0, upper(r.log1p(2 * d / (1 - d))))


@theorem(
    "zhao-2019, Theorem 1, sharpened",
    states="ε-BDP gives tanh(ε/2)-Bayesian semantic privacy, rounded up; attained from two records "
    "on.",
)
def bayesian_dp_to_bayesian_semantic(guarantee: BayesianDP) -> BayesianSemantic:
    r"""Bayesian DP is Bayesian semantic privacy, with a sharper constant.

    The default ⊥ is one of the record's values. So ε-BDP speaks of x_i and ⊥ beside the same x_S
    too, and the factors :math:`\Pr[y|x_i,x_S]/\Pr[y|⊥,x_S]`, by which the two posteriors of
    whatever belief differ, lie between e^−ε and e^ε. Reweighting by factors of spread e^s moves a
    belief by at most tanh(s/4), and s = 2ε. Correlation changes nothing: on both sides the unknown
    records follow the law given the value that stands there.

    Two records, both known, with likelihoods c, e^ε c, e^ε c, c attain it under every law.
    """
    _check_every_combination(guarantee)
    distance = moved_by(guarantee.epsilon, 2)
    return BayesianSemantic(distance, guarantee.adjacency, guarantee.independent)


def _check_every_combination(guarantee: BayesianDP) -> None:
    """Refuse laws that may exclude combinations of values."""
    if guarantee.households is not None:
        raise NotApplicable(
            "Expected laws that allow every combination of values, got "
            f"{guarantee.households}. Start from its pure DP."
        )


@theorem(
    "zhao-2019, Theorem 1",
    states="ε-BDP gives (e^2ε − 1)-Bayesian semantic privacy: no statement beyond ε = ½ ln 2.",
)
def bayesian_dp_to_bayesian_semantic_as_published(guarantee: BayesianDP) -> BayesianSemantic:
    """Bayesian DP is Bayesian semantic privacy, with the published constant."""
    _check_every_combination(guarantee)
    distance = published(guarantee.epsilon)
    return BayesianSemantic(distance, guarantee.adjacency, guarantee.independent)


@theorem(
    "zhao-2019, Theorem 1, sharpened",
    states="τ-Bayesian semantic privacy gives ε = 4 artanh τ: tanh(ε/4)-BSP suffices for ε-BDP.",
)
def bayesian_semantic_to_bayesian_dp(guarantee: BayesianSemantic) -> BayesianDP:
    r"""Bayesian semantic privacy is Bayesian DP, with the sharp constant.

    Beliefs are the adversary's, not the law's. Put one, with odds :math:`e^{\ell/2}` against the
    likelier, on (x_i, x_S) and (x_i', x_S), whose likelihoods differ by e^ℓ: with the record
    replaced both are one event and nothing moves, without it the belief moves by tanh(ℓ/4). One
    record attains it.
    """
    epsilon = spread_of(guarantee.epsilon)
    return BayesianDP(epsilon, guarantee.adjacency, guarantee.independent)


@theorem(
    "zhao-2019, Theorem 1",
    states="(½ − 1/(e^ε + 1))-Bayesian semantic privacy gives ε-BDP: ε = ln((1 + 2τ)/(1 − 2τ)).",
)
def bayesian_semantic_to_bayesian_dp_as_published(guarantee: BayesianSemantic) -> BayesianDP:
    """Bayesian semantic privacy is Bayesian DP, with the published constant."""
    epsilon = published_inverse(guarantee.epsilon)
    return BayesianDP(epsilon, guarantee.adjacency, guarantee.independent)


@theorem(
    "zhao-2019, after Definition 2",
    states="τ-Bayesian semantic privacy gives τ-semantic privacy: no record is left unknown.",
)
def bayesian_semantic_to_semantic(guarantee: BayesianSemantic) -> Semantic:
    """An adversary who knows all other records is one whom Bayesian semantic privacy faces."""
    return Semantic(guarantee.epsilon, adjacency=guarantee.adjacency)


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value grow by r = e^ε at most; under add-remove, by r = e^2ε.",
)
def pure_dp_to_posterior_ratio(guarantee: PureDP) -> PosteriorRatio:
    """Pure DP bounds by what factor a belief about a value grows.

    Between two values of one entity lie a removal and an addition.
    """
    check_every_size(guarantee)
    with directed() as r:
        return PosteriorRatio(upper(r.exp(steps(guarantee.adjacency) * r(guarantee.epsilon))))


def steps(adjacency: Adjacency) -> int:
    """How many neighbours lie between two values of one entity."""
    return 1 if adjacency is Adjacency.REPLACE_ONE else 2


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value that grow by r at most give ε = ln r replace-one DP, rounded up.",
)
def posterior_ratio_to_pure_dp(guarantee: PosteriorRatio) -> PureDP:
    """A bound on the growth of every belief about a value is replace-one DP."""
    with directed() as r:
        return PureDP(max(upper(r.log(r(guarantee.ratio))), 0.0))


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value rise by b = tanh(ε/4) at most; under add-remove, by tanh(ε/2).",
)
def pure_dp_to_posterior_gain(guarantee: PureDP) -> PosteriorGain:
    """Pure DP bounds by how much a belief about a value rises.

    Attained at the prior 1/(1 + √r) where the likelihoods of two values differ by the factor r.
    """
    check_every_size(guarantee)
    return PosteriorGain(moved_by(guarantee.epsilon, steps(guarantee.adjacency)))


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value that rise by b at most give ε = 2 ln((1 + b)/(1 − b)), rounded "
    "up.",
)
def posterior_gain_to_pure_dp(guarantee: PosteriorGain) -> PureDP:
    """A bound on the rise of every belief about a value is replace-one DP."""
    return PureDP(spread_of(guarantee.gain))
