"""Noisy top-k: candidates chosen one after the other by the largest noisy score."""

import enum
import itertools
import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import directed, least, upper
from deniable.pipeline.noise.scale import loss_range, positive_scale

_BITS = 512
"""Precision of a binomial sum whose terms alternate: many candidates cancel hundreds of bits."""
_REACH = 64.0
"""Scales beyond ln(candidates·number) within which every half-width lies: e^−64 is below 2^−53."""


class SelectionNoise(enum.StrEnum):
    """What is added to the scores."""

    EXPONENTIAL = "exponential"
    """Permute-and-flip: the least loss of utility under pure DP."""
    GUMBEL = "gumbel"
    """The exponential mechanism: accounted for in zero-concentrated DP."""


@attrs.frozen(init=False)
class NoisyTopK:
    r"""Chooses the candidate with the largest noisy score, `number` times without replacement.

    Every round adds fresh noise to the scores x of the candidates that are left. With
    :math:`q_j = e^{-(\max x - x_j)/s}` a round chooses i with probability

    .. math:: q_i \int_0^1 \prod_{j \ne i} (1 - u q_j)\,du \quad\text{(exponential noise)},
              \qquad q_i \Big/ \sum_j q_j \quad\text{(Gumbel noise)}.

    Exponential noise is permute-and-flip; rounds with fresh noise are *not* the largest k of one
    draw of it. For Gumbel noise the two are the same.

    Parameters
    ----------
    scale : float
        The scale s in score units, finite, > 0.
    number : int
        How many candidates are chosen, in order, >= 1.
    noise : SelectionNoise
        "exponential" or "gumbel".

    References
    ----------
    mckenna-2020, Algorithm 1 (permute-and-flip); ding-2021 (its form with exponential noise);
    durfee-2019 (rounds of Gumbel noise at once).

    Examples
    --------
    >>> select = NoisyTopK(1.0, 1, "gumbel")
    >>> {k: round(p, 4) for k, p in select.law([0, -1]).items()}
    {(0,): 0.7311, (1,): 0.2689}
    """

    scale: float
    number: int
    noise: SelectionNoise

    def __init__(self, scale: float, number: int, noise: str) -> None:
        self.__attrs_init__(
            positive_scale(scale),
            validate.integer(number, "number", least=1),
            SelectionNoise(validate.one_of(noise, SelectionNoise, "noise")),
        )

    @property
    def name(self) -> str:
        """``noisy-top-k-exponential`` or ``noisy-top-k-gumbel``."""
        return f"noisy-top-k-{self.noise}"

    def round_law(self, scores: ArrayLike) -> NDArray[np.float64]:
        """The probability that one round chooses each candidate; (n,) -> (n,).

        The integral is Gauss and Legendre's sum with ⌈n/2⌉ nodes, exact for its polynomial and
        without cancellation, because no term is negative.
        """
        x = np.asarray(scores)
        q = np.exp((x - x.max()) / self.scale)
        if self.noise is SelectionNoise.GUMBEL:
            return np.asarray(q / q.sum())
        nodes, weights = np.polynomial.legendre.leggauss((len(q) + 1) // 2)
        left = 1 - np.outer((nodes + 1) / 2, q)
        return np.asarray(q * ((weights / 2 * left.prod(axis=1)) @ (1 / left)))

    def log_prob(self, scores: ArrayLike, selection: Sequence[int]) -> float:
        """Natural log-probability that exactly these candidates are chosen, in this order."""
        x = np.asarray(scores)
        self._check(len(x))
        remaining, total = list(range(len(x))), 0.0
        with np.errstate(divide="ignore"):
            for candidate in selection:
                law = self.round_law(x[remaining])
                total += float(np.log(law[remaining.index(candidate)]))
                remaining.remove(candidate)
        return total

    def law(self, scores: ArrayLike) -> dict[tuple[int, ...], float]:
        """The probability of every ordered selection, for few candidates."""
        candidates = len(np.asarray(scores))
        self._check(candidates)
        return {
            selection: math.exp(self.log_prob(scores, selection))
            for selection in itertools.permutations(range(candidates), self.number)
        }

    def epsilon(self, sensitivity: float, monotone: bool) -> float:
        r"""The ε of pure DP where each score moves by at most `sensitivity`, rounded up.

        Scores that move the same way lose number · sensitivity/s; others lose twice that.
        """
        with directed():
            return upper(self.number * loss_range(self.scale, sensitivity, monotone))

    def rho(self, sensitivity: float, monotone: bool) -> float:
        r"""The ρ of zero-concentrated DP, rounded up.

        With Gumbel noise every round has range r = sensitivity/s, or twice that where scores do
        not all move the same way, and costs r²/8; with exponential noise ρ = ε²/2 of a round.

        References
        ----------
        cesar-2021 (range r costs r²/8); bun-steinke-2016, Proposition 1.4.
        """
        gumbel = self.noise is SelectionNoise.GUMBEL
        with directed():
            loss = loss_range(self.scale, sensitivity, monotone)
            return upper(self.number * loss * loss / (8 if gumbel else 2))

    def score_gap(self, candidates: int, confidence: float) -> float:
        r"""A width w: surely enough, no candidate left out beats a chosen one by more than w.

        In each round let the event be that the chosen one is more than w below the best that is
        left. If it never happens, nobody left out is more than w above anybody chosen. Raising
        the candidates below the best to just under w below it only makes the event likelier, so
        with :math:`q = e^{-w/s}` and n candidates its probability is at most

        .. math:: 1 - \frac{1 - (1 - q)^n}{n q} \quad\text{(exponential)}, \qquad
                  \frac{(n - 1) q}{1 + (n - 1) q} \quad\text{(Gumbel)},

        which is attained when `number` is 1. The rounds share 1 − confidence evenly.

        Parameters
        ----------
        candidates : int
            How many there are, >= `number`.
        confidence : float
            A probability in (0, 1), for one selection.

        Returns
        -------
        float
            The width in score units, >= 0, rounded up.
        """
        c = validate.open_probability(confidence, "confidence")
        self._check(candidates)
        if candidates == self.number:
            return 0.0
        with directed(_BITS) as r:
            allowed = (1 - r(c)) / self.number
            reach = self.scale * (_REACH + math.log(candidates * self.number))

            def holds(width: float) -> bool:
                q = r.exp(-r(width) / r(self.scale))
                if self.noise is SelectionNoise.GUMBEL:
                    odds = (candidates - 1) * q
                    return bool(odds / (1 + odds) <= allowed)
                return bool(1 - (1 - (1 - q) ** candidates) / (candidates * q) <= allowed)

            return least(holds, 0.0, reach)

    def _check(self, candidates: int) -> None:
        if candidates < self.number:
            raise InvalidArgument(
                f"Expected at least number={self.number} candidates, got {candidates}."
            )
