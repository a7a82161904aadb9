"""Randomised response: the true answer with some probability, otherwise another one."""

import math
from itertools import accumulate
from operator import mul
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise.scale import Generator
from deniable.priors import _arrays
from deniable.priors.universe import Universe


@attrs.frozen(init=False)
class RandomisedResponse:
    r"""Every entity gives its true answer with probability p, otherwise one of the k − 1 others.

    Parameters
    ----------
    truth : float
        The probability p, in [0, 1]; at 1/k the answer says nothing.
    categories : int
        How many answers there are, k >= 2, numbered from 0.

    References
    ----------
    warner-1965; kairouz-2016 (k-ary).

    Examples
    --------
    >>> coin = RandomisedResponse(0.75)
    >>> coin.law(1).tolist(), round(coin.epsilon(1), 4), coin.delta(0.0, 1)
    ([0.25, 0.75], 1.0986, 0.5)
    """

    name: ClassVar[str] = "randomised-response"

    truth: float
    categories: int = 2

    def __init__(self, truth: float, categories: int = 2) -> None:
        self.__attrs_init__(
            validate.probability(truth, "truth"),
            validate.integer(categories, "categories", least=2),
        )

    @property
    def lie(self) -> float:
        """The probability of each wrong answer, (1 − p)/(k − 1)."""
        return (1 - self.truth) / (self.categories - 1)

    def law(self, answer: int) -> NDArray[np.float64]:
        """The probabilities of the k answers where the true one is `answer`."""
        result = np.full(self.categories, self.lie)
        result[self._answer(answer)] = self.truth
        return result

    def epsilon(self, changed: int = 1) -> float:
        r"""The ε of pure DP where neighbours differ in so many answers, rounded up.

        .. math:: \epsilon = \text{changed} \cdot \left|\ln \frac{p (k-1)}{1 - p}\right|
        """
        number = validate.integer(changed, "changed", least=0)
        if number == 0:
            return 0.0
        if self.truth in (0.0, 1.0):
            return math.inf
        with directed() as r:
            odds = r(self.truth) * (self.categories - 1) / (1 - r(self.truth))
            return upper(number * abs(r.log(odds)))

    def guarantee(self, sensitivity: int, adjacency: Adjacency) -> PureDP:
        """Pure DP for neighbours that differ in at most `sensitivity` answers.

        Where an entity's answer is whether it is in the data, add-remove changes one answer and
        replace-one two. Where only those in the data answer, replace-one changes one, and
        add-remove changes the number of answers, which nothing hides.
        """
        return PureDP(self.epsilon(sensitivity), adjacency)

    def delta(self, epsilon: float, sensitivity: int) -> float:
        r"""The least δ at this ε where neighbours differ in n = `sensitivity` answers, rounded up.

        With q = (1 − p)/(k − 1) and i, j counting the changed answers that are those of the one
        and of the other neighbour,

        .. math:: \delta = \sum_{i+j \le n} \frac{n!}{i!\,j!\,(n-i-j)!} (1-p-q)^{n-i-j}
                  \left(p^i q^j - e^\epsilon q^i p^j\right)^+ .
        """
        e = validate.non_negative(epsilon, "epsilon")
        n = validate.integer(sensitivity, "sensitivity", least=0)
        with directed() as r:
            p, others, factor = r(self.truth), self.categories - 1, r.exp(e)
            q, neither = (1 - p) / others, (1 - p) / others * (others - 1)
            powers = [list(accumulate([x] * n, mul, initial=r(1))) for x in (p, q, neither)]
            total = r(0)
            for i in range(n + 1):
                for j in range(n + 1 - i):
                    rise = powers[0][i] * powers[1][j] - factor * powers[1][i] * powers[0][j]
                    ways = math.comb(n, i) * math.comb(n - i, j)
                    total += ways * powers[2][n - i - j] * rise.max(r(0))
            return min(max(upper(total), 0.0), 1.0)

    def membership(self, universe: Universe) -> StochasticMatrix:
        """Everyone of a universe answers whether they are in the data; needs two categories.

        An output is the answers in the order of the entities, such as ``"01"``.
        """
        if self.categories != 2:
            raise InvalidArgument(f"Expected two categories, got {self.categories}.")
        subsets = universe.subsets()
        wrong = (subsets[:, None, :] != subsets[None, :, :]).sum(axis=2)
        rows = self.truth ** (universe.size - wrong) * (1 - self.truth) ** wrong
        outputs = ["".join("01"[int(flag)] for flag in subset) for subset in subsets]
        return StochasticMatrix(universe, outputs, rows)

    def draws(self, rng: Generator, n_draws: int, answers: ArrayLike) -> NDArray[np.int64]:
        """Simulated answers, never for a release; (n_entities,) -> (n_draws, n_entities)."""
        true = np.array([self._answer(answer) for answer in np.atleast_1d(answers)], dtype=np.int64)
        n = validate.integer(n_draws, "n_draws", least=0)
        shift = rng.integers(1, self.categories, size=(n, len(true)))
        truthful = rng.random((n, len(true))) < self.truth
        return np.where(truthful, true, (true + shift) % self.categories)

    def _answer(self, value: int) -> int:
        return _arrays.position(value, self.categories, "answer")


def dominating_laws(guarantee: PureDP | ApproxDP) -> NDArray[np.float64]:
    r"""The hardest pair of laws that an (ε, δ) guarantee allows; shape (2, 4).

    Four outputs with probabilities δ, (1 − δ)e^ε/(1 + e^ε), (1 − δ)/(1 + e^ε), 0 under the one
    and in reverse order under the other. The laws of any mechanism with the guarantee on any two
    neighbours come from them by a randomised map, so nothing an adversary learns from the
    mechanism exceeds what they learn from this pair.

    References
    ----------
    kairouz-oh-viswanath-2015.

    Examples
    --------
    >>> dominating_laws(ApproxDP(0.0, 0.2)).tolist()
    [[0.2, 0.4, 0.4, 0.0], [0.0, 0.4, 0.4, 0.2]]
    """
    delta = guarantee.delta if isinstance(guarantee, ApproxDP) else 0.0
    likely = 1 / (1 + math.exp(-guarantee.epsilon))
    unlikely = math.exp(-guarantee.epsilon) * likely
    one = np.array([delta, (1 - delta) * likely, (1 - delta) * unlikely, 0.0])
    return np.stack([one, one[::-1]])
