"""Answers of a Beacon, is this allele there, from noisy counts alone."""

from deniable.errors import InvalidArgument, validate
from deniable.gwas.certificates.frequencies import Beacon
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.rounding import directed, upper

_COIN = 0.5
"""Rate of false yes of a coin, which looks at nothing."""
_SEEN = 0.95
"""With which probability an allele of `Beacon.seen` copies is called present."""


def rate_of(false_yes: float) -> float:
    """A rate of false yes below that of a coin.

    Raises
    ------
    InvalidArgument
        If it is ½ or more, or no probability above 0.
    """
    rate = validate.open_probability(false_yes, "beacon")
    if rate >= _COIN:
        raise InvalidArgument(
            f"Expected 0 < beacon < 0.5, got beacon={rate}. It is the share of absent alleles that "
            "are called present; take a small one, such as 0.05."
        )
    return rate


def beacon(false_yes: float, mechanism: DiscreteGaussian | DiscreteLaplace) -> Beacon:
    r"""From which noisy count on the answer is yes, and what is overlooked.

    The noise K is symmetric, so that with w(c) a whole number which |K| stays within with a
    probability of c or more,

    .. math:: \Pr[0 + K \ge w(1 - 2r) + 1] \le r, \qquad
              \Pr[k + K \ge t] \ge 0.95 \text{ for } k \ge t + w(0.9).

    Parameters
    ----------
    false_yes : float
        r, the largest probability of a yes where nobody carries the allele; in (0, ½).
    mechanism : DiscreteGaussian or DiscreteLaplace
        The noise of the counts.

    Raises
    ------
    InvalidArgument
        If r is ½ or more.

    Examples
    --------
    >>> beacon(0.05, DiscreteGaussian(100.0))
    Beacon(false_yes=0.05, threshold=165, seen=329)
    """
    rate = rate_of(false_yes)
    with directed() as r:
        inside, within = upper(1 - 2 * r(rate)), upper(1 - 2 * (1 - r(_SEEN)))
    threshold = mechanism.half_width(inside) + 1
    return Beacon(rate, threshold, threshold + mechanism.half_width(within))
