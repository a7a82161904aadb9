"""Positive and negative membership privacy of an explicit mechanism, family by family.

Over a scalable family the least γ is a ratio of likelihoods (li-2013, Theorem 3.6), which the
family turns into a ratio between neighbours. `positive_gamma` is that closed form, or for
bounded priors Theorem 2 of tramer-2015 at the mechanism's own ε; `positive_gamma_here` is exact
on the given universe, with a witness. Exchanging in and out everywhere exchanges positive and
negative.
"""

from fractions import Fraction
from typing import assert_never

import numpy as np

from deniable.judge import bounded_priors, differential, households, identifiability
from deniable.judge.differential import Ratios
from deniable.judge.likelihoods import falls, joint, rises, weights
from deniable.judge.neighbours import Extremes, Likelihoods, every_subset, fill_unknown
from deniable.judge.worst_cases import Gamma, between, certain, spread
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions.adversaries import SampledPriors
from deniable.notions.households import Households
from deniable.numerics.effort import Progress, silent
from deniable.numerics.rounding import directed, upper
from deniable.priors import UniformPrior
from deniable.priors.families import (
    AllPriors,
    BoundedProductPriors,
    BoundedSizeConditionedPriors,
    Family,
    OneOutOfAnyPriors,
    PairPriors,
    ProductPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.priors.protocol import Prior
from deniable.theorems._theorem import gamma_from
from deniable.theorems.households import household_epsilon


def positive_gamma(matrix: StochasticMatrix, family: Family) -> float | None:
    """The least γ of (D, γ)-positive membership privacy, in closed form.

    Parameters
    ----------
    matrix : StochasticMatrix
        The mechanism.
    family : Family
        D; over all universes where the family ranges over universes.

    Returns
    -------
    float or None
        Rounded up where it is a ratio or a theorem's; None where the needed laws are not known.

    References
    ----------
    li-2013, Theorems 3.6, 4.5 and 4.8; tramer-2015, Theorem 2.

    Examples
    --------
    >>> from deniable.priors.universe import Universe
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.5, 0.5]])
    >>> positive_gamma(flip, ProductPriors()), negative_gamma(flip, ProductPriors())
    (2.0, 1.5)
    """
    return closed_form(Ratios(matrix), family, rise=True)


def negative_gamma(matrix: StochasticMatrix, family: Family) -> float | None:
    """The least γ of (D, γ)-negative membership privacy, in closed form."""
    return closed_form(Ratios(matrix), family, rise=False)


def positive_gamma_here(matrix: StochasticMatrix, family: Family) -> Gamma | None:
    """The least γ of positive membership privacy over the family's priors on this universe.

    Returns
    -------
    Gamma or None
        With a witness. Exact, but for bounded priors (`bounded_priors`) perhaps between two
        ends. None where the needed laws are not known, or the family leaves nobody uncertain.

    Examples
    --------
    >>> from deniable.priors.universe import Universe
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.5, 0.5]])
    >>> answer = positive_gamma_here(flip, UniformPriors())
    >>> answer.bound.upper, answer.witness.output
    (1.5, 'yes')
    """
    return here(Ratios(matrix), family, rise=True)


def negative_gamma_here(matrix: StochasticMatrix, family: Family) -> Gamma | None:
    """The least γ of negative membership privacy over the family's priors on this universe."""
    return here(Ratios(matrix), family, rise=False)


def closed_form(ratios: Ratios, family: Family, *, rise: bool) -> float | None:
    """The closed form of positive (negative) γ from ratios that may have been found before."""
    match family:
        case ProductPriors() | SizeConditionedPriors() | PairPriors() | AllPriors():
            extremes = _extremes(ratios, family)
            return None if extremes is None else _ratio(_side(extremes, rise=rise))
        case BoundedProductPriors() | BoundedSizeConditionedPriors():
            extremes = _extremes(ratios, family)
            if extremes is None:
                return None
            return _theorem_2(_side(extremes, rise=rise), family, rise=rise)
        case SampledPriors() | UniformPriors() | OneOutOfAnyPriors() | SinglePriors():
            gamma = here(ratios, family, rise=rise)
            return None if gamma is None else gamma.bound.upper
        case Households():
            if (extremes := _extremes(ratios, family)) is None:
                return None
            # What the mechanism's ε gives, whatever else it does.
            epsilon = 0.0 if extremes.either is None else extremes.either.epsilon
            with directed() as r:
                return max(upper(r.exp(household_epsilon(epsilon, family))), 1.0)
        case _:
            assert_never(family)


def here(
    ratios: Ratios, family: Family, *, rise: bool, progress: Progress = silent
) -> Gamma | None:
    """Positive (negative) γ on this universe from ratios that may have been found before."""
    matrix = ratios.matrix
    match family:
        case ProductPriors() | SizeConditionedPriors() | PairPriors() | AllPriors():
            extremes = _extremes(ratios, family)
            worst = None if extremes is None else _side(extremes, rise=rise)
            return None if worst is None else certain(_ratio(worst), between(matrix, worst))
        case BoundedProductPriors():
            # Everyone else certain, and t at the end of the interval where more is shown.
            matrix, extremes = ratios.matrix, _extremes(ratios, family)
            worst = None if extremes is None else _side(extremes, rise=rise)
            if worst is None or family.high == 0 or family.low == 1:
                return None
            gamma = _theorem_2(worst, family, rise=rise)
            low, high = Fraction(family.low), Fraction(family.high)
            low, high = (low, high) if rise else (1 - high, 1 - low)
            return certain(gamma, between(matrix, worst, low, high))
        case BoundedSizeConditionedPriors(low, high):
            return bounded_priors.gamma(matrix, low, high, rise=rise, progress=progress)
        case UniformPriors():
            if not every_subset(matrix):
                return None
            return _under(matrix, UniformPrior(matrix.universe.size), rise=rise)
        case SinglePriors(prior):
            return _under(matrix, prior, rise=rise)
        case OneOutOfAnyPriors():
            return identifiability.gamma(matrix, rise=rise)
        case SampledPriors(rate):
            return differential.gamma(matrix, rate, rise=rise)
        case Households():
            return households.gamma(matrix, family, rise=rise)
        case _:
            assert_never(family)


def _extremes(ratios: Ratios, family: Family) -> Extremes | None:
    """The largest ratios between the subsets that the family sets against each other."""
    match family:
        case SizeConditionedPriors() | PairPriors() | BoundedSizeConditionedPriors():
            return ratios.replace_one
        case AllPriors():
            return ratios.any_two
        case _:
            return ratios.add_remove


def _side(extremes: Extremes, *, rise: bool) -> Likelihoods | None:
    return extremes.rise if rise else extremes.fall


def _ratio(likelihoods: Likelihoods | None) -> float:
    return 1.0 if likelihoods is None else max(likelihoods.ratio, 1.0)


def _theorem_2(
    likelihoods: Likelihoods | None,
    family: BoundedProductPriors | BoundedSizeConditionedPriors,
    *,
    rise: bool,
) -> float:
    """γ = max((x − 1) b + 1, x/((x − 1) a + 1)) at a ratio x; [a, b] is reflected for a fall."""
    x = _ratio(likelihoods)
    if x == np.inf:
        return x
    with directed() as r:
        a, b = (r(family.low), r(family.high))
        if not rise:
            a, b = 1 - b, 1 - a
        return max(upper(gamma_from(r(x), a, b)), 1.0)


def _under(matrix: StochasticMatrix, prior: Prior, *, rise: bool) -> Gamma:
    """One prior, exactly; γ = 1 and no witness where it leaves nobody uncertain."""
    law = weights(matrix, prior)
    joint_law = joint(fill_unknown(matrix), law)
    factors = (rises if rise else falls)(joint_law)
    factors[~joint_law.uncertain] = 0.0
    entity, output = (int(i) for i in np.unravel_index(int(np.argmax(factors)), factors.shape))
    if not joint_law.uncertain.any():
        return certain(1.0)
    return certain(float(factors[entity, output]), spread(matrix, entity, output, law))
