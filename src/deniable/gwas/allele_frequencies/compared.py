"""Frequencies with noise beside exact ones: what an attacker reaches, what they are worth.

Theory for unlinked variants, from public numbers only; a measurement's theory and no guarantee.
"""

from deniable.gwas.certificates.frequencies import Attacker, Compared
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.rounding import Ball, Directed, directed, lower, upper

BEFORE = 0.5
"""The belief before that growth is told from."""
DEVIATIONS = 2
"""Standard deviations of a member's bad luck, as in `gwas.safe`: 2 in 100 give more away."""
FPR = 0.05
"""Share of strangers taken for members, at which power is told."""
_RARE = 0.05
"""A frequency at which precision is told besides ½."""


def compared(variants: int, people: int, mechanism: DiscreteGaussian | DiscreteLaplace) -> Compared:
    r"""What m frequencies of n people give away, exact and with noise of scale b on the copies.

    A member's log likelihood ratio is about normal with mean s²/2 and standard deviation s (see
    `gwas.safe`). At a variant of frequency p a person's genotype moves the copies by x − 2p, of
    variance 2pq, and the copies of n others are known up to their variance 2npq. Noise adds its
    own variance b² where it is Gaussian; what noise of another shape lets through is bounded by
    its Fisher information, which for Laplace noise is 1/b² too, and adds up in reciprocals at
    least (Stam). So

    .. math:: s^2 = \sum_j \frac{2 p_j q_j}{2 n p_j q_j + b^2} \le \frac{m}{n + 2 b^2},

    with equality at p = ½; exact frequencies have b = 0. Beliefs grow from ½ by a factor
    exp(s²/2 + 2s) in odds for a member of whom 2 in 100 give more away, and 1 member in Φ(s − z)
    is recognised where 1 in 20 strangers is.

    How many people's exact frequencies would be as precise, for whoever wants the population's:
    a frequency of n′ people has variance pq/2n′, of which n with noise of variance v make

    .. math:: n' = \frac{n^2}{n + v / 2pq} .

    Parameters
    ----------
    variants, people : int
        m and n, each >= 1.
    mechanism : DiscreteGaussian or DiscreteLaplace
        The noise.

    Returns
    -------
    Compared
        What is given away rounded up, what it is worth rounded down.

    References
    ----------
    sankararaman-2009 (the ratio and its power); stam-1959 (the sum of informations).

    Examples
    --------
    >>> found = compared(1000, 1000, DiscreteGaussian(300.0))
    >>> round(found.exact.power, 3), round(found.noisy.power, 3), round(found.as_of_people, 1)
    (0.26, 0.058, 5.5)
    """
    with directed() as r:
        squared = r(mechanism.scale) ** 2
        variance = squared if isinstance(mechanism, DiscreteGaussian) else 2 * squared
        n = r(people)
        worth = [n * n / (n + variance / (2 * r(p) * (1 - r(p)))) for p in (0.5, _RARE)]
        return Compared(
            people=people,
            exact=_attacker(r, variants / n),
            noisy=_attacker(r, variants / (n + 2 * squared)),
            as_of_people=lower(worth[0]),
            as_of_people_rare=lower(worth[1]),
        )


def _attacker(r: Directed, squared: Ball) -> Attacker:
    s = r.sqrt(squared)
    odds = r(BEFORE) / (1 - r(BEFORE)) * r.exp(squared / 2 + DEVIATIONS * s)
    belief = 1 - 1 / (1 + odds)
    power = r.normal_cdf(s + r.normal_quantile(r(FPR)))
    return Attacker(upper(s), min(upper(belief), 1.0), min(upper(power), 1.0))
