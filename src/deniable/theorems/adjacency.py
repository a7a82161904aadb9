"""Add-remove and replace-one: groups of two, and the halves of adding and removing."""

import math

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, OneSidedDP, PureDP, Side
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._theorem import check_every_size, theorem


@theorem(
    "triangle inequality",
    states="ε add-remove DP gives 2ε replace-one DP (exact in binary arithmetic).",
)
def add_remove_dp_to_replace_one_dp(guarantee: PureDP) -> PureDP:
    """Exchanging one entity for another is one removal and one addition.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.
        Also if the guarantee is of data of one size.

    Examples
    --------
    >>> add_remove_dp_to_replace_one_dp(PureDP(0.5, Adjacency.ADD_REMOVE)).spec
    'pure-dp:1.0'
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    with directed() as r:
        return PureDP(upper(2 * r(guarantee.epsilon)), Adjacency.REPLACE_ONE)


def add_remove_dp_for_replace_one_dp(target: PureDP) -> PureDP:
    """The largest add-remove ε that gives the replace-one target: half of it."""
    with directed() as r:
        return PureDP(lower(r(target.epsilon) / 2), Adjacency.ADD_REMOVE)


@theorem(
    "dwork-roth-2014, groups of two",
    states="(ε, δ) add-remove DP gives (2ε, (1 + e^ε)δ) replace-one DP.",
)
def add_remove_approx_dp_to_replace_one_approx_dp(guarantee: ApproxDP) -> ApproxDP:
    """Exchanging one entity is one removal and one addition: δ grows by what lies between.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.
        Also if the guarantee is of data of one size.

    References
    ----------
    dwork-roth-2014 (groups of two).

    Examples
    --------
    >>> one = ApproxDP(0.0, 1e-6, Adjacency.ADD_REMOVE)
    >>> add_remove_approx_dp_to_replace_one_approx_dp(one).spec
    'approx-dp:0.0,2e-06'
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    if math.isinf(guarantee.epsilon):
        return ApproxDP(math.inf, guarantee.delta)
    with directed() as r:
        delta = upper((1 + r.exp(guarantee.epsilon)) * r(guarantee.delta))
        return ApproxDP(upper(2 * r(guarantee.epsilon)), min(delta, 1.0))


@theorem(
    "bun-steinke-2016, Proposition 1.9",
    states="ρ-zCDP under add-remove gives 4ρ-zCDP under replace-one.",
)
def add_remove_zcdp_to_replace_one_zcdp(guarantee: ZCDP) -> ZCDP:
    """Exchanging one entity is one removal and one addition: ρ grows fourfold.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.

    References
    ----------
    bun-steinke-2016, Proposition 1.9 (groups of two).

    Examples
    --------
    >>> add_remove_zcdp_to_replace_one_zcdp(ZCDP(0.25, Adjacency.ADD_REMOVE)).spec
    'zcdp:1.0'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    with directed() as r:
        return ZCDP(upper(4 * r(guarantee.rho)))


def add_remove_zcdp_for_replace_one_zcdp(target: ZCDP) -> ZCDP:
    """The largest add-remove ρ that gives the replace-one target: a quarter of it."""
    with directed() as r:
        return ZCDP(max(lower(r(target.rho) / 4), 0.0), Adjacency.ADD_REMOVE)


@theorem(
    "dong-roth-su-2022, Theorem 2.14",
    states="μ-GDP under add-remove gives 2μ-GDP under replace-one; the slack doubles at most.",
)
def add_remove_gaussian_dp_to_replace_one_gaussian_dp(guarantee: GaussianDP) -> GaussianDP:
    """Exchanging one entity is one removal and one addition: a Gaussian shift doubles.

    Two whole-number vectors that move d coordinates each differ in 2d at most, so the slack of
    discrete noise grows by the square root of 2; twice it is on the safe side.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.

    References
    ----------
    dong-roth-su-2022, Theorem 2.14 (groups of two).

    Examples
    --------
    >>> one = GaussianDP(0.25, Adjacency.ADD_REMOVE)
    >>> add_remove_gaussian_dp_to_replace_one_gaussian_dp(one).spec
    'gaussian-dp:0.5'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    with directed() as r:
        mu, slack = upper(2 * r(guarantee.mu)), upper(2 * r(guarantee.slack))
    return GaussianDP(mu, slack=slack)


@theorem("li-2013, Theorem 4.5", states="ε add-remove DP gives each of its halves with the same ε.")
def pure_dp_to_one_sided_dp(guarantee: PureDP, side: Side) -> OneSidedDP:
    """Add-remove DP has two halves.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one, which is symmetric and has no halves.
        Also if the guarantee is of data of one size.

    References
    ----------
    li-2013, Theorem 4.5.

    Examples
    --------
    >>> pure_dp_to_one_sided_dp(PureDP(1.0, Adjacency.ADD_REMOVE), Side.POSITIVE).spec
    'one-sided-dp:1.0@positive'
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    return OneSidedDP(guarantee.epsilon, side)


@theorem(
    "li-2013, Theorem 4.5",
    states="Both halves give add-remove DP with the larger ε; one half alone gives none.",
)
def one_sided_dp_to_pure_dp(positive: OneSidedDP, negative: OneSidedDP) -> PureDP:
    """Both halves of add-remove DP together are add-remove DP.

    Raises
    ------
    NotApplicable
        If the two are not the positive and the negative half.

    References
    ----------
    li-2013, Theorem 4.5.

    Examples
    --------
    >>> halves = OneSidedDP(1.0, Side.POSITIVE), OneSidedDP(2.0, Side.NEGATIVE)
    >>> one_sided_dp_to_pure_dp(*halves).spec
    'pure-dp:2.0@add-remove'
    """
    if (positive.side, negative.side) != (Side.POSITIVE, Side.NEGATIVE):
        raise NotApplicable(
            f"Expected the positive and the negative half, got {positive.side} and "
            f"{negative.side}. Prove the other half too."
        )
    return PureDP(max(positive.epsilon, negative.epsilon), Adjacency.ADD_REMOVE)
