"""Conditional Bernoulli law: independent events given how many of them happen.

Everything is relative to tilted probabilities under which the expected number is the given one:
its probability is then at least about 1/(2 √n), and no recursion leaves the range of floats.
"""

from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.effort import Generator
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

    Parameters
    ----------
    log_weights : ndarray of float, shape (n,)
        Natural logarithms of the odds.
    size : int
        How many happen, 0 <= size <= n.
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
        """Independent draws, (n_draws, n): each event given those before, all draws at once.

        Event i happens with probability p_i Pr[left − 1 of those after it] / Pr[left of those
        from it on]. The table of these laws is kept at every so many events and filled in
        between when it is needed.
        """
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
