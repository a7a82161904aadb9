"""How many entities are in the data, exactly or with noise, against independent memberships."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.errors.late import late
from deniable.notions import ZCDP, Adjacency, PureDP
from deniable.numerics.search import bisect_integers
from deniable.pipeline.noise.gaussian import DiscreteGaussian
from deniable.pipeline.noise.laplace import DiscreteLaplace
from deniable.pipeline.noise.scale import Generator
from deniable.priors._arrays import log, position
from deniable.priors._poisson_binomial import SizeLaw, size_law
from deniable.priors.product import ProductPrior

if TYPE_CHECKING:
    from scipy import special
else:
    special = late("scipy.special")  # a quarter second that releases and checks do not need

Noise: TypeAlias = DiscreteLaplace | DiscreteGaussian | None
Floats: TypeAlias = NDArray[np.float64]

_FARTHEST = 2**61
"""Output that stands for ±∞: beyond it whole numbers and floats part."""


@attrs.frozen
class NoisyCount:
    r"""Publishes \|T\| + X, the number of entities in the data plus whole noise, or none.

    Parameters
    ----------
    noise : DiscreteLaplace, DiscreteGaussian or None
        The law of X. None publishes the number itself, which no guarantee covers but which an
        adversary who is uncertain about many others learns little from (bhaskar-2011).

    Examples
    --------
    >>> beliefs = NoisyCount(None).beliefs(ProductPrior([0.5] * 1001), entity=0)
    >>> round(beliefs.delta(0.1), 4), beliefs.posterior([501, 551]).round(3).tolist()
    (0.0016, [0.5, 0.55])
    """

    noise: Noise = None

    def guarantee(self, sensitivity: int, adjacency: Adjacency) -> PureDP | ZCDP:
        """What holds whatever the adversary believes: the noise's guarantee, if there is any.

        The number of entities moves by one under add-remove and is public under replace-one.
        """
        if self.noise is None:
            return PureDP(0.0 if sensitivity == 0 else math.inf, adjacency)
        return self.noise.guarantee(sensitivity, adjacency)

    def beliefs(self, prior: ProductPrior, entity: int) -> "CountBeliefs":
        """What the output says about one entity; a million others in seconds."""
        at = position(entity, prior.n_entities)
        others = size_law(np.delete(prior.marginals, at))
        return CountBeliefs(float(prior.marginals[at]), self.noise, others)

    def draws(self, rng: Generator, n_draws: int, members: ArrayLike) -> NDArray[np.int64]:
        """Simulated outputs, never for a release; (n_entities,) -> (n_draws,)."""
        n = validate.integer(n_draws, "n_draws", least=0)
        size = np.int64(np.count_nonzero(np.asarray(members, dtype=np.bool_)))
        return np.full(n, size) + (0 if self.noise is None else self.noise.draws(rng, n))


@attrs.frozen
class CountBeliefs:
    r"""The laws of \|T\| + X with one entity in and out, where the others are independent.

    The number of others has a log-concave law and so has the noise, hence the privacy loss
    ln Pr[y|t]/Pr[y|¬t] grows with y and every question is about a threshold. Everything is right
    to the relative error of the law of the others, about 1e-9 at worst, where its entries are
    not below 1e-60.

    Parameters
    ----------
    prior : float
        The entity's own membership probability.
    noise : DiscreteLaplace, DiscreteGaussian or None
        What is added.
    others : SizeLaw
        The law of the number of other entities in the data.
    """

    prior: float
    noise: Noise
    others: SizeLaw = attrs.field(repr=False)

    def log_likelihood(self, output: ArrayLike, *, member: bool) -> Floats:
        """ln Pr[y|t], or ln Pr[y|¬t]; whole numbers of any shape."""
        return self._sum_over_others(output, member, self._log_pmf)

    def loss(self, output: ArrayLike) -> Floats:
        """ln Pr[y|t]/Pr[y|¬t]; NaN where neither can happen."""
        with np.errstate(invalid="ignore"):
            return np.asarray(
                self.log_likelihood(output, member=True) - self.log_likelihood(output, member=False)
            )

    def posterior(self, output: ArrayLike) -> Floats:
        """Pr[t|y]; NaN where y cannot happen."""
        if self.prior in (0.0, 1.0):
            return np.full(np.shape(output), self.prior)
        odds = math.log(self.prior) - math.log1p(-self.prior)
        return np.asarray(special.expit(odds + self.loss(output)))

    def delta(self, epsilon: float) -> float:
        r"""The δ at which (ε, δ)-indistinguishability of t and ¬t holds, in both directions.

        .. math:: \delta = \max\left(\sum_y (\Pr[y|t] - e^\epsilon \Pr[y|\neg t])^+,\;
                  \sum_y (\Pr[y|\neg t] - e^\epsilon \Pr[y|t])^+\right)
        """
        e = validate.non_negative(epsilon, "epsilon")
        rise = self._first(lambda loss: loss > e)
        fall = self._first(lambda loss: loss >= -e) - 1
        up = self._upper(rise, member=True) - math.exp(e) * self._upper(rise, member=False)
        down = self._lower(fall, member=False) - math.exp(e) * self._lower(fall, member=True)
        return min(max(up, down, 0.0), 1.0)

    def exceedance(self, level: float) -> float:
        """The probability that the posterior passes `level`, a belief in (0, 1)."""
        target = validate.open_probability(level, "level")
        if self.prior in (0.0, 1.0):
            return float(self.prior > target)
        q, p = target, self.prior
        needed = math.log(q) - math.log1p(-q) - (math.log(p) - math.log1p(-p))
        first = self._first(lambda loss: loss > needed)
        return p * self._upper(first, member=True) + (1 - p) * self._upper(first, member=False)

    @property
    def _noiseless_range(self) -> tuple[int, int]:
        """The first output with ¬t and the last with t, without noise."""
        there = np.flatnonzero(self.others.masses)
        return self.others.least + int(there[0]), self.others.least + int(there[-1]) + 1

    def _first(self, holds: Callable[[float], bool]) -> int:
        """The first output whose loss satisfies a condition that larger losses satisfy too."""
        # Beyond the ends of the law of the others the loss is what it is at the ends or, with
        # Gaussian noise, grows without bounds. An output that no float reaches stands for none.
        low, high = self._noiseless_range
        if self.noise is None or isinstance(self.noise, DiscreteLaplace):
            low, high = low - 1, high + 1
            if not holds(self._edge(high)):
                return _FARTHEST
            if holds(self._edge(low)):
                return -_FARTHEST
        else:
            step = 1
            while holds(float(self.loss(low))) and low > -_FARTHEST:
                low, step = low - step, 2 * step
            step = 1
            while not holds(float(self.loss(high))) and high < _FARTHEST:
                high, step = high + step, 2 * step
        return 1 + bisect_integers(lambda output: not holds(self._edge(output)), low, high)

    def _edge(self, output: int) -> float:
        """The loss, and its limits where only an impossible output is asked for."""
        loss = float(self.loss(output))
        if math.isnan(loss):
            return -math.inf if output <= self._noiseless_range[0] else math.inf
        return loss

    def _upper(self, first: int, *, member: bool) -> float:
        """Pr[output >= first]."""
        return float(np.exp(self._sum_over_others(first, member, self._log_upper)))

    def _lower(self, last: int, *, member: bool) -> float:
        """Pr[output <= last]; the noise is symmetric."""
        return float(np.exp(self._sum_over_others(last, member, lambda k: self._log_upper(-k))))

    def _sum_over_others(
        self, output: ArrayLike, member: bool, term: Callable[..., Floats]
    ) -> Floats:
        """ln Σ_c Pr[c others] e^term(y − c − member)."""
        y = np.asarray(output, dtype=np.int64)
        sizes = self.others.least + np.arange(len(self.others.masses)) + member
        masses, flat = log(self.others.masses), y.reshape(-1)
        result = np.empty(len(flat))
        at_once = max(2**22 // len(sizes), 1)  # Terms held at once: 32 megabytes.
        for start in range(0, len(flat), at_once):
            part = flat[start : start + at_once, None] - sizes
            result[start : start + at_once] = special.logsumexp(masses + term(part), axis=1)
        return result.reshape(y.shape)

    def _log_pmf(self, k: NDArray[np.int64]) -> Floats:
        return log((k == 0).astype(np.float64)) if self.noise is None else self.noise.log_pmf(k)

    def _log_upper(self, k: NDArray[np.int64]) -> Floats:
        """ln Pr[X >= k]."""
        if self.noise is None:
            return log((k <= 0).astype(np.float64))
        beyond = np.maximum(k, 1 - k)  # Pr[X >= k] = 1 − Pr[X >= 1 − k]
        if isinstance(self.noise, DiscreteLaplace):
            tail = -beyond / self.noise.scale - math.log1p(math.exp(-1 / self.noise.scale))
        else:
            tail = _log_gaussian_tail(self.noise, beyond)
        return np.where(k > 0, tail, np.log1p(-np.exp(tail)))


def _log_gaussian_tail(noise: DiscreteGaussian, first: NDArray[np.int64]) -> Floats:
    """ln Pr[X >= first] for first > 0: summed, or for wide noise by Euler and Maclaurin."""
    # Scale up to which a tail is summed; above it one correction of Euler and Maclaurin is enough.
    if noise.scale > 4096.0:
        middle = (first - 0.5) / noise.scale
        tail = special.log_ndtr(-middle)
        share = np.exp(noise.log_pmf(first - 0.5) - tail) * middle / (24 * noise.scale)
        return np.asarray(tail + np.log1p(-np.minimum(share, 0.5)))
    # Standard deviations of the noise beyond which even the least float64 probability lies.
    last = math.ceil(40.0 * noise.scale) + 1
    terms = noise.log_pmf(np.arange(1, last + 1))
    sums = np.append(np.logaddexp.accumulate(terms[::-1])[::-1], -np.inf)
    return np.asarray(sums[np.minimum(first, last + 1) - 1])
