"""The exponential mechanism: a candidate chosen in proportion to e^(score/s)."""

import math
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency, PureDP
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise.scale import Generator, loss_range, positive_scale


@attrs.frozen
class ExponentialMechanism:
    r"""Chooses one candidate, Pr[i] = e^(x_i/s) / Σ_j e^(x_j/s) for scores x.

    Its losses have *bounded range*: between neighbours they lie in an interval of length
    r = 2Δ/s where each score moves by at most Δ, and r = Δ/s where all move the same way.
    `NoisyTopK` with Gumbel noise chooses several candidates with this law, one after the other.

    Parameters
    ----------
    scale : float
        The scale s in score units, finite, > 0.

    References
    ----------
    mcsherry-talwar-2007; dong-durfee-rogers-2020 (bounded range).

    Examples
    --------
    >>> choose = ExponentialMechanism(1.0)
    >>> choose.law([0.0, -1.0]).round(4).tolist(), choose.epsilon(1.0), choose.epsilon(1.0, True)
    ([0.7311, 0.2689], 2.0, 1.0)
    """

    name: ClassVar[str] = "exponential"

    scale: float = attrs.field(converter=positive_scale)

    def log_law(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Natural log-probabilities of the candidates on the last axis; any shape."""
        x = np.asarray(scores, dtype=np.float64) / self.scale
        if x.ndim == 0 or x.shape[-1] == 0:
            raise InvalidArgument("Expected the scores of one candidate or more, got none.")
        x = x - x.max(axis=-1, keepdims=True)
        return np.asarray(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))

    def law(self, scores: ArrayLike) -> NDArray[np.float64]:
        """The probabilities of the candidates on the last axis; any shape."""
        return np.exp(self.log_law(scores))

    def epsilon(self, sensitivity: float, monotone: bool = False) -> float:
        """The ε of pure DP where each score moves by at most `sensitivity`, rounded up.

        It is the range r; a candidate far behind the other of two comes as near it as one likes.
        """
        with directed():
            return upper(loss_range(self.scale, sensitivity, monotone))

    def rho(self, sensitivity: float, monotone: bool = False) -> float:
        """The ρ of zero-concentrated DP, r²/8 (cesar-2021), rounded up."""
        with directed():
            loss = loss_range(self.scale, sensitivity, monotone)
            return upper(loss * loss / 8)

    def guarantee(self, sensitivity: float, adjacency: Adjacency, monotone: bool = False) -> PureDP:
        """Pure DP where each score moves by at most `sensitivity` between neighbours."""
        return PureDP(self.epsilon(sensitivity, monotone), adjacency)

    def delta(self, epsilon: float, sensitivity: float, monotone: bool = False) -> float:
        r"""The least δ at this ε over all scores, rounded up.

        .. math:: \delta = \frac{(1 - e^{(\epsilon-r)/2})^2}{1 - e^{-r}}, \quad
                  0 \le \epsilon \le r

        and 0 beyond. *Proof.* Let the loss L lie in [t − r, t]. Since E e^(−L) = 1 and
        δ = E (1 − e^ε e^(−L))⁺ is convex in e^(−L), it is largest when L is at one of the ends,
        at t with probability (1 − e^(t−r))/(1 − e^(−r)). The best t is (ε + r)/2. Two candidates
        attain it: their loss has two values, and a suitable gap of scores gives any t. ∎
        """
        e = validate.non_negative(epsilon, "epsilon")
        with directed() as r:
            width = loss_range(self.scale, sensitivity, monotone)
            if not r(e) < width:
                return 0.0
            root = r.expm1((r(e) - width) / 2)
            return min(max(upper(root * root / -r.expm1(-width)), 0.0), 1.0)

    def draws(self, rng: Generator, n_draws: int, scores: ArrayLike) -> NDArray[np.int64]:
        """Independent simulated choices, never for a release; (candidates,) -> (n_draws,)."""
        law = self.law(scores)
        if law.ndim != 1:
            raise InvalidArgument(f"Expected the scores of one choice, got shape {law.shape}.")
        n = validate.integer(n_draws, "n_draws", least=0)
        return rng.choice(len(law), size=n, p=law / math.fsum(law))
