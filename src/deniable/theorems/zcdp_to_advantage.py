"""Zero-concentrated DP bounds the membership advantage."""

from deniable._rounding import directed, upper
from deniable.notions import ZCDP, Advantage, Setting


def zcdp_to_advantage(guarantee: ZCDP) -> Advantage:
    r"""No attack has an advantage above min(√(ρ/2), √(1 − e^−ρ)), rounded up.

    ρ bounds the Kullback–Leibler divergence; the inequalities of Pinsker and of Bretagnolle and
    Huber bound the total variation by it.

    References
    ----------
    bun-steinke-2016, Lemma 3.3; bretagnolle-huber-1979, Lemma 2.1.

    Examples
    --------
    >>> zcdp_to_advantage(ZCDP(0.02)).value
    0.1
    """
    with directed() as r:
        rho = r(guarantee.rho)
        bound = r.min(r.sqrt(rho / 2), r.sqrt(-r.expm1(-rho)))
        return Advantage(min(upper(bound), 1.0), Setting(guarantee.adjacency))
