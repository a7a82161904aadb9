"""Independent memberships conditioned on how many there are: the size of the data is public."""

import math
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator
from deniable.priors import _arrays
from deniable.priors._conditional import ConditionalBernoulli


def _weights(value: ArrayLike) -> NDArray[np.float64]:
    result = _arrays.floats(value, "weights")
    if (result < 0).any():
        raise InvalidArgument(f"Expected weights >= 0, got {float(result[result < 0][0])}.")
    return result


def _n_members(value: Any) -> int:
    return validate.integer(value, "n_members", least=0)


@attrs.frozen(slots=False)
class SizeConditionedPrior:
    r"""Product prior conditioned on the size, a member of the family D_B of [li-2013]_.

    .. math:: \Pr[T = t] = \prod_{i \in t} w_i \,/\, e_k(w), \qquad |t| = k,

    with the elementary symmetric polynomial e_k. Only ratios of weights matter; the odds
    p/(1 − p) of a product prior are weights of that prior given its size.

    Parameters
    ----------
    weights : array_like of float, shape (n_entities,)
        Odds w_i >= 0, dimensionless. 0: never in. Infinity: certainly in.
    n_members : int
        The size k of T, between the number of certain entities and that of possible ones.

    Raises
    ------
    InvalidArgument
        If a weight is negative or NaN, or no subset of that size is possible.

    Notes
    -----
    The weights are first tilted, w_i -> θ w_i, so that the product prior has mean size k. That
    leaves the conditional law alone and keeps every number of the recursions in the range of
    floats. Sums and products of non-negative numbers then give probabilities and marginals to
    a relative error of about n_entities · 1e-15. Draws are exact up to the same rounding: one
    entity after the other, each given those before, all draws at once.

    References
    ----------
    li-2013, Theorem 4.8; chen-dempster-liu-1994 (conditional Bernoulli sampling).

    Examples
    --------
    >>> prior = SizeConditionedPrior([1.0, 1.0, 2.0], 1)
    >>> prior.marginals.round(6).tolist()
    [0.25, 0.25, 0.5]
    >>> prior.draws(np.random.default_rng(1), 100).sum(axis=1).tolist() == [1] * 100
    True
    """

    weights: NDArray[np.float64] = attrs.field(
        converter=_weights, eq=attrs.cmp_using(eq=np.array_equal)
    )
    n_members: int = attrs.field(converter=_n_members)

    def __attrs_post_init__(self) -> None:
        k = self.n_members
        certain, possible = int(np.isinf(self.weights).sum()), int((self.weights > 0).sum())
        if not certain <= k <= possible:
            raise InvalidArgument(
                f"Expected n_members between {certain} and {possible}, the numbers of certain "
                f"and of possible entities, got {k}."
            )

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return len(self.weights)

    @property
    def marginals(self) -> NDArray[np.float64]:
        """Pr[i in T] for each entity; shape (n_entities,)."""
        result = np.where(self._free, 0.0, self._certain)
        result[self._free] = self._conditional.marginals
        return result

    def log_prob(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Natural log-probability of each row; (n, n_entities) -> (n,)."""
        inside = _arrays.members_of(members, self.n_entities)
        fixed = ~self._free
        possible = (inside[..., fixed] == self._certain[fixed]).all(axis=-1)
        possible &= inside.sum(axis=-1) == self.n_members
        log_probs = self._conditional.log_prob(inside[..., self._free])
        return np.asarray(np.where(possible, log_probs, -np.inf))

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws of T; shape (n_draws, n_entities)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        result = np.tile(self._certain, (n, 1))
        result[:, self._free] = self._conditional.draws(rng, n)
        return result

    def given(self, entity: int, *, member: bool) -> "SizeConditionedPrior":
        """Condition on one membership: its weight becomes infinite or 0."""
        at = _arrays.position(entity, self.n_entities)
        if self._fixed(at) == (not member):
            raise _arrays.impossible(at, member=member)
        weight = math.inf if member else 0.0
        return SizeConditionedPrior(_arrays.replace_entry(self.weights, at, weight), self.n_members)

    def scaled(self, entity: int, probability: float) -> "SizeConditionedPrior":
        """Change one weight: both laws given that entity stay, so D_B is closed under scaling."""
        at = _arrays.position(entity, self.n_entities)
        fixed = self._fixed(at)
        now = math.nan if fixed is None else float(fixed)
        wanted = _arrays.target(at, now, probability)
        if fixed is not None:
            return self
        if wanted in (0.0, 1.0):
            return self.given(at, member=wanted == 1.0)
        weight = self.weights[at] * math.exp(_logit(wanted) - self._log_odds(at))
        if not 0 < weight < math.inf:
            raise InvalidArgument(
                f"Expected a probability whose weight is a float, got {wanted} for entity {at}. "
                f"Multiply all weights by one number first."
            )
        return SizeConditionedPrior(_arrays.replace_entry(self.weights, at, weight), self.n_members)

    def _fixed(self, at: int) -> bool | None:
        """Whether the entity is always in or always out; None if it may be either."""
        weight = self.weights[at]
        if self._free[at] and self._conditional.is_trivial:
            return self._conditional.size > 0
        return None if self._free[at] else bool(weight > 0)

    def _log_odds(self, at: int) -> float:
        """ln Pr[in]/Pr[out], to full precision near both ends."""
        others = self._free.copy()
        others[at] = False
        log_weights, k = np.log(self.weights[others]), self._conditional.size
        with_it = ConditionalBernoulli(log_weights, k - 1).log_normaliser
        without = ConditionalBernoulli(log_weights, k).log_normaliser
        return float(np.log(self.weights[at])) + with_it - without

    @cached_property
    def _free(self) -> NDArray[np.bool_]:
        return (self.weights > 0) & np.isfinite(self.weights)

    @cached_property
    def _certain(self) -> NDArray[np.bool_]:
        return np.isinf(self.weights)

    @cached_property
    def _conditional(self) -> ConditionalBernoulli:
        free = np.log(self.weights[self._free])
        return ConditionalBernoulli(free, self.n_members - int(self._certain.sum()))


def _logit(p: float) -> float:
    return math.log(p) - math.log1p(-p)


def odds(marginals: Any) -> NDArray[np.float64]:
    """p/(1 − p), infinite at 1: weights of a product prior given its size."""
    p = _arrays.probabilities(marginals, "marginals")
    with np.errstate(divide="ignore"):
        return p / (1 - p)
