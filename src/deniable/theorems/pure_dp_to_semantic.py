"""Pure DP is semantic privacy, with the sharp constant."""

from deniable._rounding import Ball, directed, upper
from deniable.notions import PureDP, Semantic


def pure_dp_to_semantic(guarantee: PureDP) -> Semantic:
    r"""ε-DP gives tanh(ε/2)-semantic privacy, rounded up; attained from two records on.

    Replacing a record changes each data set's likelihood by a factor between e^−ε and e^ε.
    Reweighting a law by factors whose spread is e^s moves it by at most tanh(s/4), and s = 2ε.

    References
    ----------
    kasiviswanathan-smith-2014, with the sharp constant.

    Examples
    --------
    >>> round(pure_dp_to_semantic(PureDP(0.5)).epsilon, 6)
    0.244919
    """
    return Semantic(moved_by(guarantee.epsilon, 2), guarantee.records, guarantee.adjacency)


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
