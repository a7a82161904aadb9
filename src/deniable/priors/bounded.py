"""Bounded priors: the adversary's belief about each entity lies in [a, b], or is certainty."""

import attrs

from deniable import _validate


@attrs.frozen
class BoundedPrior:
    r"""The families D_B^[a,b] and D_I^[a,b] of [tramer-2015]_.

    Memberships are mutually independent (for replace-one: conditioned on the size) with every
    probability in :math:`[a, b] \cup \{0, 1\}`. Which of the two families is meant follows from
    the adjacency of the guarantee that it is put into.

    Parameters
    ----------
    low, high : float
        The ends a and b of the interval, probabilities, 0 <= a <= b <= 1.

    Raises
    ------
    InvalidArgument
        If the ends are not probabilities in order.

    References
    ----------
    tramer-2015, Section 3.2.

    Examples
    --------
    >>> BoundedPrior(0.3, 0.7).high
    0.7
    """

    low: float = attrs.field()
    high: float = attrs.field()

    def __init__(self, low: float, high: float) -> None:
        a, b = _validate.interval(low, high, "prior")
        self.__attrs_init__(a, b)  # type: ignore[attr-defined]
