"""The k-Max mechanism: one of k consecutive values, the least of which is the true maximum."""

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise.scale import Generator
from deniable.priors import _arrays
from deniable.priors.universe import Universe

NOTHING = "nothing"
"""What the printed form says of the empty set."""


@attrs.frozen
class Worst:
    """The largest γ of a mechanism under a prior, and where it is attained.

    `gamma` is max(q/p, (1 − p)/(1 − q)) for the prior p and posterior q of an entity being in.
    """

    gamma: float
    entity: int
    output: int
    prior: float
    posterior: float


@attrs.frozen(init=False)
class KMax:
    r"""Entities in the order of their values; j the position of the largest one in the data.

    The output is uniform on the positions j, …, j + k − 1, or on the last k where these pass the
    end. On the empty set the paper leaves the output undefined; the printed form then says
    "nothing", the mended form answers like j = 0.

    **Erratum.** Under the uniform prior over all subsets the paper claims
    γ = (2^k − 1)/(2^k − 2). The printed form has γ = ∞: the first position as output means that
    its entity is in the data. The mended form has just the claimed γ for k < n_entities.

    Parameters
    ----------
    n_entities : int
        How many entities there are, >= 1.
    window : int
        The number k of positions to choose from, in [1, n_entities].
    printed : bool
        Whether the empty set gives "nothing", position n_entities, as printed.

    References
    ----------
    li-2013, Definition 5.2 and Proposition 5.3.

    Examples
    --------
    >>> mechanism = KMax(10_000, 3)
    >>> [x + 1 for x in mechanism.choices(1213)], round(mechanism.uninformed_gamma, 4)
    ([1214, 1215, 1216], 1.1667)
    """

    n_entities: int
    window: int
    printed: bool = False

    def __init__(self, n_entities: int, window: int, printed: bool = False) -> None:
        n, k = _arrays.n_entities(n_entities), validate.integer(window, "window", least=1)
        if k > n:
            raise InvalidArgument(f"Expected window <= n_entities={n}, got window={k}.")
        self.__attrs_init__(n, k, printed)

    @property
    def uninformed_gamma(self) -> float:
        """The exact γ of positive membership privacy under the uniform prior, rounded up."""
        everyone = self.window == self.n_entities
        if everyone and not self.printed:
            return 1.0  # always uniform on all positions
        if self.window == 1 or (self.printed and not everyone):
            return math.inf
        with directed() as r:
            subsets = r(2) ** self.window
            return upper((subsets - 1) / (subsets - 2))

    def choices(self, maximum: int | None) -> range:
        """The positions that are equally likely where `maximum` is the true one; None if empty."""
        if maximum is None:
            if self.printed:
                return range(self.n_entities, self.n_entities + 1)
            maximum = 0
        first = min(maximum, self.n_entities - self.window)
        return range(first, first + self.window)

    def law(self, members: ArrayLike) -> NDArray[np.float64]:
        """The output's probabilities, (n_entities,) -> (n_outputs,); "nothing" comes last."""
        inside = np.flatnonzero(np.asarray(members, dtype=np.bool_))
        choices = self.choices(int(inside[-1]) if len(inside) else None)
        result = np.zeros(self.n_entities + self.printed)
        result[choices.start : choices.stop] = 1 / len(choices)
        return result

    def matrix(self, universe: Universe) -> StochasticMatrix:
        """The law on every subset of a universe in the order of its values; outputs are names."""
        if universe.size != self.n_entities:
            raise InvalidArgument(f"Expected {self.n_entities} entities, got {universe.size}.")
        outputs = [*universe.entities, *([NOTHING] if self.printed else [])]
        return StochasticMatrix.tabulated(universe, outputs, self.law)

    def output_law(self, marginals: ArrayLike) -> NDArray[np.float64]:
        """The output's probabilities under independent memberships; shape (n_outputs,)."""
        p = self._marginals(marginals)
        with np.errstate(divide="ignore"):
            log_out = np.log1p(-p)[::-1]
        passed = np.append(np.cumsum(log_out)[::-1], 0.0)  # ln Pr[nobody from here on]
        maximum = p * np.exp(passed[1:])
        empty = math.exp(passed[0])
        last = self.n_entities - self.window
        starts = np.append(maximum[:last], maximum[last:].sum())
        if not self.printed:
            starts[0] += empty
        result = np.convolve(starts, np.full(self.window, 1 / self.window))
        return np.append(result, empty) if self.printed else result

    def worst(self, marginals: ArrayLike) -> Worst:
        """The exact γ under independent memberships, over all entities and outputs.

        Only entities among the positions that may have led to an output are of interest: those
        before them keep their prior and those after them are surely out. That leaves at most
        2k − 1 entities an output. Everything is a product of at most so many factors, relative
        to the last position that may have led there. Marginals are (n_entities,); without any that
        is uncertain they are refused.
        """
        p = self._marginals(marginals)
        if not ((p > 0) & (p < 1)).any():
            raise InvalidArgument("Expected a membership that is uncertain, got none.")
        someone, likely = int(np.argmax((p > 0) & (p < 1))), int(np.argmax(self.output_law(p)))
        candidates = [Worst(1.0, someone, likely, float(p[someone]), float(p[someone]))]
        last = self.n_entities - self.window
        at_once = max(2**20 // self.window, 1)  # Numbers held at once: eight megabytes.
        reached = int(np.flatnonzero(np.append(1.0, p) == 1)[-1])  # past all surely in
        for start in range(max(reached - 1, 0), last, at_once):
            outputs = np.arange(start, min(start + at_once, last))
            candidates.append(self._worst_at(p, outputs, outputs, self.window))
        for output in range(last, self.n_entities):
            depth = self.n_entities - 1 - output + self.window
            end = np.array([self.n_entities - 1])
            candidates.append(self._worst_at(p, np.array([output]), end, depth))
        return max(candidates, key=lambda worst: worst.gamma)

    def draws(self, rng: Generator, n_draws: int, members: ArrayLike) -> NDArray[np.int64]:
        """Simulated outputs, never for a release; (n_entities,) -> (n_draws,)."""
        law = self.law(members)
        return rng.choice(len(law), size=validate.integer(n_draws, "n_draws", least=0), p=law)

    def _worst_at(
        self, p: NDArray[np.float64], outputs: NDArray[Any], last: NDArray[Any], depth: int
    ) -> Worst:
        """The worst of the `depth` entities up to the last one that may lead to each output."""
        # Axes are (depth, n_outputs). The empty set leads where entity 0 does.
        at = last - np.arange(depth)[:, None]
        inside = np.where(at >= 0, p[np.maximum(at, 0)], 0.0)
        alone = np.cumprod(np.vstack([np.ones(len(last)), 1 - inside]), axis=0)  # nobody above
        weights = inside * alone[:-1]
        empty = np.where((at[-1] <= 0) & (not self.printed), alone[-1], 0.0)
        above = np.cumsum(weights, axis=0) - weights
        below = np.cumsum(np.vstack([empty, weights[::-1]]), axis=0)[:-1][::-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            total = above[-1] + weights[-1] + empty
            rise = (above + alone[:-1]) / total
            fall = (above + below / (1 - inside)) / total
            gamma = np.maximum(rise, 1 / fall)
        gamma[~((inside > 0) & (inside < 1) & (total > 0))] = 1.0
        deep, column = np.unravel_index(int(np.argmax(gamma)), gamma.shape)
        prior = float(inside[deep, column])
        posterior = prior * rise[deep, column] if gamma[deep, column] > 1 else prior
        return Worst(
            float(gamma[deep, column]),
            int(at[deep, column]),
            int(outputs[column]),
            prior,
            min(float(posterior), 1.0),
        )

    def _marginals(self, marginals: ArrayLike) -> NDArray[np.float64]:
        p = np.asarray(marginals, dtype=np.float64)
        if p.shape != (self.n_entities,) or not ((p >= 0) & (p <= 1)).all():
            raise InvalidArgument(
                f"Expected {self.n_entities} membership probabilities, got shape {p.shape}."
            )
        return p
