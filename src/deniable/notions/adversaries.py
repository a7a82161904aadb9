"""Families of priors that guarantees name: whom a statement about beliefs is made against.

A family, a set of distributions, is called `…Priors`, its members `…Prior`.
"""

from fractions import Fraction
from typing import ClassVar

import attrs

from deniable.errors import validate


@attrs.frozen
class BoundedPriors:
    r"""The families D_B^[a,b] and D_I^[a,b] of [tramer-2015]_.

    Memberships are mutually independent (for replace-one: conditioned on the size) with every
    probability in :math:`[a, b] \cup \{0, 1\}`. Which of the two families is meant follows from
    the adjacency of the guarantee that it is put into. Without ends they are D_B and D_I: any
    independent memberships.

    Parameters
    ----------
    low, high : float
        The ends a and b of the interval, probabilities, 0 <= a <= b <= 1.

    References
    ----------
    li-2013; tramer-2015, Section 3.2.

    Examples
    --------
    >>> BoundedPriors(0.3, 0.7).high, BoundedPriors().high
    (0.7, 1.0)
    """

    low: float = attrs.field(default=0.0)
    high: float = attrs.field(default=1.0)

    def __init__(self, low: float = 0.0, high: float = 1.0) -> None:
        a, b = validate.interval(low, high, "prior")
        self.__attrs_init__(a, b)  # type: ignore[attr-defined]

    def __str__(self) -> str:
        return f"beliefs in [{self.low}, {self.high}]"


@attrs.frozen(init=False)
class OneOutOfPriors:
    r"""The family 1-out-of-m, the adversary of differential identifiability.

    All memberships are certain but those of m candidates, exactly one of which is in the data,
    with probability 1/m each; the others may be known to be in or out. Contained in
    D_B^[1/m,1/m]; a member is a `OneOutOfPrior`.

    Parameters
    ----------
    worlds : int
        The number m >= 2 of candidates, and so of possible worlds.

    References
    ----------
    lee-clifton-2012; li-2013, Section 5.2.

    Examples
    --------
    >>> OneOutOfPriors(4).belief
    Fraction(1, 4)
    """

    worlds: int

    def __init__(self, worlds: int) -> None:
        self.__attrs_init__(validate.integer(worlds, "worlds", least=2))

    def __str__(self) -> str:
        return f"1-out-of-{self.worlds}"

    @property
    def belief(self) -> Fraction:
        """The only uncertain belief, 1/m."""
        return Fraction(1, self.worlds)

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return f"@one-of-{self.worlds}"


@attrs.frozen(init=False)
class SampledPriors:
    r"""The family D_β of [li-2013]_: independent memberships with probabilities in {0, β}.

    What remains of a data set whose entities are kept independently with probability β.
    Contained in D_I^[β,β]; a member is a `SampledPrior`.

    Parameters
    ----------
    rate : float
        The sampling rate β, in [0, 1]; guarantees ask for one strictly inside.

    References
    ----------
    li-2012 (sampling); li-2013, Theorem 5.10.

    Examples
    --------
    >>> SampledPriors(0.25).belief
    Fraction(1, 4)
    """

    word: ClassVar[str] = "sampling"

    rate: float

    def __init__(self, rate: float) -> None:
        self.__attrs_init__(validate.probability(rate, "rate"))

    def __str__(self) -> str:
        return f"entities sampled at rate {self.rate}"

    @property
    def belief(self) -> Fraction:
        """The belief in everybody who may be in, β."""
        return Fraction(self.rate)

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return f"@sampled-{self.rate!r}"

    @property
    def downward_scalable(self) -> bool:
        """Say whether it is downward scalable: only where nothing is uncertain."""
        return self.rate in (0.0, 1.0)

    upward_scalable = downward_scalable


@attrs.frozen
class CorrelatedPriors:
    r"""The family D* of joint laws that a Bayesian guarantee is about.

    Membership is a record's value, in or out: of the two-point beliefs of zhao-2019, which put p on
    one value of a record and 1 − p on another, some others being known, it has those whose values
    are presence and absence. A membership guarantee over it covers both values alike.

    Parameters
    ----------
    downward_scalable : bool
        Whether each value of each record can be made arbitrarily improbable without leaving the
        family (li-2013, Section 3.3).

    References
    ----------
    zhao-2019, the family D* before Theorem 3, and Theorem 4.

    Examples
    --------
    >>> CorrelatedPriors(downward_scalable=True).suffix
    '@correlated-scalable'
    """

    downward_scalable: bool = attrs.field(default=False, validator=validate.is_of(bool))

    def __str__(self) -> str:
        return f"{'downward scalable ' if self.downward_scalable else ''}correlated laws"

    @property
    def suffix(self) -> str:
        """What a notion's spec ends in."""
        return "@correlated-scalable" if self.downward_scalable else "@correlated"
