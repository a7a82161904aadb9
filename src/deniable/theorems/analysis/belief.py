"""What an adversary may come to believe, one prior at a time."""

from collections.abc import Iterable

import attrs

from deniable.errors import validate
from deniable.notions import PureDP
from deniable.theorems.beliefs import (
    pure_dp_to_max_posterior,
    pure_dp_to_min_posterior,
)

USUAL_PRIORS = (0.01, 0.05, 0.1, 0.5)
"""Beliefs that answers translate, besides the ends of the adversary's own range."""


@attrs.frozen
class PosteriorRange:
    """A prior and where the posterior can lie, rounded outwards."""

    prior: float
    lower: float
    upper: float


def posterior_upper(epsilon: float, prior: float) -> float:
    """The largest posterior that a privacy loss of ε allows, rounded up.

    Examples
    --------
    >>> round(posterior_upper(1.0, 0.05), 4)
    0.1252
    """
    return pure_dp_to_max_posterior(PureDP(epsilon), prior).posterior


def posterior_lower(epsilon: float, prior: float) -> float:
    """The smallest posterior that a privacy loss of ε allows, rounded down."""
    return pure_dp_to_min_posterior(PureDP(epsilon), prior)


def posterior_ranges(epsilon: float, priors: Iterable[float]) -> tuple[PosteriorRange, ...]:
    """The range of the posterior at each prior.

    Examples
    --------
    >>> [round(x.upper, 3) for x in posterior_ranges(0.5, [0.1, 0.5])]
    [0.155, 0.622]
    """
    checked = [validate.probability(prior, "prior") for prior in priors]
    return tuple(
        PosteriorRange(p, posterior_lower(epsilon, p), posterior_upper(epsilon, p)) for p in checked
    )
