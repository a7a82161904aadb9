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
from deniable.priors._poisson_binomial import size_law_of, without_each

Floats = NDArray[np.float64]

HALVINGS = 200
"""Most steps of bisection for the tilt; about 30 are needed."""
CLOSE = 1e-6
"""How near the size the tilted mean size comes."""
TABLE = 2**23
"""Entries of the sampler's table that are kept at a time: 64 MiB."""


@attrs.frozen(slots=False, eq=False)
class ConditionalBernoulli:
    """Subsets of n with exactly `size` members, by weights e^log_weights, all finite.

    `log_weights`, (n,), are natural logarithms of the odds.
    """

    log_weights: Floats
    size: int

    @property
    def n(self) -> int:
        """How many events there are."""
        return len(self.log_weights)

    @cached_property
    def logits(self) -> Floats:
        """Tilted log-odds, 0 < size < n: their probabilities add up to the size, nearly."""
        edge = np.log(self.size) - np.log(self.n - self.size)
        low, high = edge - self.log_weights.max(), edge - self.log_weights.min()
        for _ in range(HALVINGS):
            middle = low + (high - low) / 2
            excess = _expit(self.log_weights + middle).sum() - self.size
            if abs(excess) < CLOSE:
                break
            low, high = (middle, high) if excess < 0 else (low, middle)
        return np.asarray(self.log_weights + middle)

    @property
    def is_trivial(self) -> bool:
        """Whether only one subset is possible."""
        return self.size in (0, self.n)

    @cached_property
    def _log_size(self) -> float:
        """ln Pr[size] under the tilted probabilities."""
        law = size_law_of(_expit(self.logits), _expit(-self.logits))
        return float(np.log(law.probability(self.size)))

    @cached_property
    def log_normaliser(self) -> float:
        """ln e_size(w), the logarithm of the elementary symmetric polynomial."""
        if self.is_trivial:
            return float(self.log_weights.sum()) if self.size else 0.0
        tilt = float(self.logits[0] - self.log_weights[0])
        return float(self._log_size + np.logaddexp(0, self.logits).sum() - self.size * tilt)

    def log_prob(self, members: NDArray[np.bool_]) -> Floats:
        """Natural log-probability of each row that has the right size; (…, n) -> (…)."""
        if self.is_trivial:
            return np.zeros(members.shape[:-1])
        happens, fails = -np.logaddexp(0, -self.logits), -np.logaddexp(0, self.logits)
        return np.asarray(np.where(members, happens, fails).sum(axis=-1) - self._log_size)

    @cached_property
    def marginals(self) -> Floats:
        """The probability of each event, shape (n,)."""
        if self.is_trivial:
            return np.full(self.n, float(self.size > 0))
        inside, outside = _expit(self.logits), _expit(-self.logits)
        total, others = without_each(inside, outside, self.size)
        result = np.minimum(inside * others / total, 1.0)
        result.setflags(write=False)
        return result

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.bool_]:
        """Independent draws, (n_draws, n): each event given those before, all draws at once."""
        # Event i happens with probability p_i Pr[left − 1 of those after it] / Pr[left of those
        # from it on]. The table of these laws is kept at every so many events and filled in
        # between when it is needed.
        if self.is_trivial:
            return np.full((n_draws, self.n), self.size > 0)
        result = np.zeros((n_draws, self.n), dtype=np.bool_)
        left = np.full(n_draws, self.size)
        inside, outside = _expit(self.logits), _expit(-self.logits)
        step = max(TABLE // (self.size + 2), 1)
        starts = range(0, self.n, step)
        laws_after = self._laws_after_blocks(inside, outside, starts)
        for start, law_after in zip(starts, laws_after, strict=True):
            stop = min(start + step, self.n)
            table = _table(law_after, inside[start:stop], outside[start:stop])
            for i in range(start, stop):
                from_here = table[i - start, left + 1]
                chance = inside[i] * table[i - start + 1, left]
                included = rng.random(n_draws) * from_here < chance
                result[:, i] = included
                left -= included
        return result

    def _laws_after_blocks(self, inside: Floats, outside: Floats, starts: range) -> list[Floats]:
        """The law of the number among the events after each block; entry j + 1 is for j."""
        law = np.zeros(self.size + 2)
        law[1] = 1.0
        result = []
        for start in reversed(starts):
            result.append(law)
            for i in reversed(range(start, min(start + starts.step, self.n))):
                law = _one_more(law, inside[i], outside[i])
        return result[::-1]


def _one_more(law: Floats, inside: float, outside: float) -> Floats:
    result = law * outside
    result[1:] += law[:-1] * inside
    return result


def _table(end: Floats, inside: Floats, outside: Floats) -> Floats:
    """Row i: the law of the number from event i of a block on; entry j + 1 is for j."""
    result = np.empty((len(inside) + 1, len(end)))
    result[-1] = end
    for i in reversed(range(len(inside))):
        result[i] = _one_more(result[i + 1], inside[i], outside[i])
    return result


def _expit(x: Floats) -> Floats:
    """1/(1 + e^−x), accurate in both tails."""
    return np.exp(-np.logaddexp(0, -x))


@attrs.frozen(slots=False, init=False)
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

    weights: NDArray[np.float64] = attrs.field(eq=_arrays.ALIKE)
    n_members: int

    def __init__(self, weights: ArrayLike, n_members: int) -> None:
        odds, k = _arrays.floats(weights, "weights"), _arrays.n_members(n_members)
        if (odds < 0).any():
            raise InvalidArgument(f"Expected weights >= 0, got {float(odds[odds < 0][0])}.")
        certain, possible = int(np.isinf(odds).sum()), int((odds > 0).sum())
        if not certain <= k <= possible:
            raise InvalidArgument(
                f"Expected n_members between {certain} and {possible}, the numbers of certain "
                f"and of possible entities, got {k}."
            )
        self.__attrs_init__(odds, k)

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
        log_odds = math.log(wanted) - math.log1p(-wanted)
        weight = self.weights[at] * math.exp(log_odds - self._log_odds(at))
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


def odds(marginals: Any) -> NDArray[np.float64]:
    """p/(1 − p), infinite at 1: weights of a product prior given its size."""
    p = _arrays.probabilities(marginals, "marginals")
    with np.errstate(divide="ignore"):
        return p / (1 - p)
