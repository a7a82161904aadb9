"""Families of priors, as the judge of explicit mechanisms takes them: sets called `…Priors`.

A family is *downward scalable* if each of its priors, for each entity t with 0 < Pr[t] < 1, has
t-scaled versions in the family with Pr[t] arbitrarily near 0; *upward scalable* if near 1
(li-2013, Section 3.3). Over a downward scalable family positive membership privacy is a
bound on Pr[S|t]/Pr[S|not t], over an upward scalable one negative membership privacy is a bound
on its inverse (li-2013, Theorem 3.6).

Those that guarantees name stand in `adversaries`.
"""

from typing import ClassVar, TypeAlias

import attrs
import numpy as np

from deniable.errors import validate
from deniable.notions.adversaries import SampledPriors
from deniable.notions.households import Households
from deniable.priors.protocol import Prior
from deniable.priors.uniform import UniformSizedPrior


@attrs.frozen
class AllPriors:
    """D_U: every distribution over subsets; nothing useful can be published against it."""

    word: ClassVar[str] = "universal"
    downward_scalable: ClassVar[bool] = True
    upward_scalable: ClassVar[bool] = True


@attrs.frozen
class _Bounded:
    """A family whose uncertain probabilities all lie between two ends."""

    low: float
    high: float

    def __init__(self, low: float, high: float) -> None:
        a, b = validate.interval(low, high, "prior")
        self.__attrs_init__(a, b)  # type: ignore[attr-defined]


@attrs.frozen(init=False)
class BoundedProductPriors(_Bounded):
    """D_I^[a,b]: independent memberships, each probability in [a, b] or certain.

    Scaling one entity leaves the others alone, so the family is scalable downwards exactly if
    it reaches down to 0. With no room between the ends and certainty there is nothing to scale.

    Parameters
    ----------
    low, high : float
        The ends a and b, probabilities, 0 <= a <= b <= 1.

    References
    ----------
    tramer-2015, Section 3.2.

    Examples
    --------
    >>> low = BoundedProductPriors(0.0, 0.5)
    >>> low.downward_scalable, low.upward_scalable
    (True, False)
    """

    word: ClassVar[str] = "independent-prior"

    @property
    def downward_scalable(self) -> bool:
        """Whether every probability may come near 0."""
        return self.low == 0 or self.low == 1

    @property
    def upward_scalable(self) -> bool:
        """Whether every probability may come near 1."""
        return self.high == 1 or self.high == 0


@attrs.frozen(init=False)
class BoundedSizeConditionedPriors(_Bounded):
    """D_B^[a,b]: independent memberships given the size, each probability in [a, b] or certain.

    Scaling one entity moves all others (the size is fixed), out of [a, b] for some prior unless
    that is all of [0, 1]: the family is scalable only then, or if nothing is uncertain. The ends
    are those of `BoundedProductPriors`.

    References
    ----------
    tramer-2015, Section 3.2.

    Examples
    --------
    >>> BoundedSizeConditionedPriors(0.3, 0.7).downward_scalable
    False
    """

    word: ClassVar[str] = "bounded-prior"

    @property
    def downward_scalable(self) -> bool:
        """Whether the family is all of D_B or holds certainty only."""
        return (self.low, self.high) == (0, 1) or self.low == self.high == round(self.low)

    upward_scalable = downward_scalable


@attrs.frozen
class ProductPriors:
    """D_I: product distributions; one member is a `ProductPrior`."""

    word: ClassVar[str] = "independent"
    downward_scalable: ClassVar[bool] = True
    upward_scalable: ClassVar[bool] = True


@attrs.frozen
class SizeConditionedPriors:
    """D_B: product distributions given the size; one member is a `SizeConditionedPrior`."""

    word: ClassVar[str] = "bounded"
    downward_scalable: ClassVar[bool] = True
    upward_scalable: ClassVar[bool] = True


@attrs.frozen
class PairPriors:
    """D_B²: all entities are certain but two, exactly one of whom is in."""

    word: ClassVar[str] = "bounded-pair"
    downward_scalable: ClassVar[bool] = True
    upward_scalable: ClassVar[bool] = True


@attrs.frozen
class UniformPriors:
    """D_N: uniform over all subsets, `UniformPrior` alone."""

    word: ClassVar[str] = "uninformed"
    downward_scalable: ClassVar[bool] = False
    upward_scalable: ClassVar[bool] = False


@attrs.frozen
class OneOutOfAnyPriors:
    """1-out-of-m for every m >= 2: all memberships are certain but those of m candidates.

    Exactly one candidate is in, each with probability 1/m: every `OneOutOfPrior` of the universe,
    no matter who else is known to be in or out (`OneOutOfPriors` for one m). The adversary of
    differential identifiability, who takes all that are not known to be in for candidates, is among
    them.
    """

    word: ClassVar[str] = "identifiability"
    downward_scalable: ClassVar[bool] = False
    upward_scalable: ClassVar[bool] = False


@attrs.frozen
class SinglePriors:
    """The family of a single given prior."""

    word: ClassVar[str] = "table"

    prior: Prior

    @property
    def downward_scalable(self) -> bool:
        """Say whether it is downward scalable: only where nothing is uncertain."""
        return bool(np.isin(self.prior.marginals, (0.0, 1.0)).all())

    upward_scalable = downward_scalable


@attrs.frozen
class PopulationPriors(SinglePriors):
    """The one prior of somebody who knows a population but nobody who was drawn from it.

    Every subset of a size is equally likely: lowy-2024, Definition 2.
    """

    word: ClassVar[str] = "population"

    prior: UniformSizedPrior


Family: TypeAlias = (
    AllPriors
    | ProductPriors
    | SizeConditionedPriors
    | PairPriors
    | UniformPriors
    | OneOutOfAnyPriors
    | SampledPriors
    | BoundedProductPriors
    | BoundedSizeConditionedPriors
    | SinglePriors
    | PopulationPriors
    | Households
)
"""Any family for which an explicit mechanism can be judged."""
