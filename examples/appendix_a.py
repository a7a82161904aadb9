"""Weaker notions of privacy beside membership privacy, measured on the same mechanisms.

The first two follow lowy-2024, Appendix A, the last two are ours. Each mechanism is written out on
a handful of people and put to the judge: what does the weaker notion say of it, what do positive
membership privacy and population privacy? Run with `python -m examples.appendix_a`.
"""

import math
from collections.abc import Callable

import attrs
import numpy as np

from deniable.judge import positive_gamma, positive_gamma_here
from deniable.judge.curve import advantage
from deniable.judge.differential import Ratios, add_remove
from deniable.judge.likelihoods import Joint, joint, weights
from deniable.judge.neighbours import fill_unknown
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.priors import (
    MixturePrior,
    Prior,
    ProductPrior,
    ProductPriors,
    SinglePriors,
    TablePrior,
    UniformSizedPrior,
)
from deniable.priors.universe import Universe, subsets

ETA = 0.02
EPSILON = 0.5


@attrs.frozen
class Comparison:
    """What a weaker notion says of a mechanism, and what membership privacy says.

    Parameters
    ----------
    title : str
        The mechanism.
    weaker : tuple of (str, float)
        The weaker notion's figures.
    gamma : float
        Least γ of positive membership privacy under the example's own prior.
    population_epsilon : float
        Least ε of population privacy: the data are a uniform half of the parent set.
    """

    title: str
    weaker: tuple[tuple[str, float], ...]
    gamma: float
    population_epsilon: float


def people(n: int) -> Universe:
    """So many of them."""
    return Universe(tuple(f"x{i + 1}" for i in range(n)))


def seen_by(mechanism: StochasticMatrix, prior: Prior) -> Joint:
    """What the prior makes of the mechanism."""
    return joint(fill_unknown(mechanism), weights(mechanism, prior))


def population_epsilon(mechanism: StochasticMatrix) -> float:
    """The largest |ln Pr[S|x in]/Pr[S|x out]|, the data a uniform half of the parent set."""
    n = mechanism.universe.size
    found = seen_by(mechanism, UniformSizedPrior(n, n // 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.abs(np.log(found.given_in) - np.log(found.given_out))
    return float(np.nanmax(losses))


def own_gamma(mechanism: StochasticMatrix, prior: Prior) -> float:
    """Least γ under one prior."""
    found = positive_gamma_here(mechanism, SinglePriors(prior))
    assert found is not None
    return found.bound.upper


def even_parity(n: int = 4) -> Comparison:
    """Publish everybody, where it is known that their number is even (Bassily et al. 2013).

    Coupled worlds ask for a simulator that does not see x and whose output is distributed like
    the release, given x's membership. Here the others' number tells whether x is in, so the
    simulator that completes them is perfect.
    """
    rows = subsets(n)
    even = rows[rows.sum(axis=1) % 2 == 0]
    prior = TablePrior(even, np.full(len(even), 1 / len(even)))
    published = StochasticMatrix(people(n), [f"set {r}" for r in range(2**n)], np.eye(2**n))
    apart = 0.0
    for x in range(n):
        others = rows.copy()
        others[:, x] = False
        completed = others.copy()
        completed[:, x] = others.sum(axis=1) % 2 == 1
        simulated = published.rows[completed @ (1 << np.arange(n))]
        real, guessed = seen_by(published, prior), joint(simulated, weights(published, prior))
        apart = max(
            apart,
            float(np.abs(real.given_in[x] - guessed.given_in[x]).max()),
            float(np.abs(real.given_out[x] - guessed.given_out[x]).max()),
        )
    return Comparison(
        "everybody is published, known to be evenly many",
        (("distributional privacy: largest distance to the simulator's output", apart),),
        own_gamma(published, prior),
        population_epsilon(published),
    )


def one_record(n: int = 6, eta: float = ETA) -> Comparison:
    """Publish one random record with probability nη, else nothing; lowy-2024 has the first one."""
    half = n // 2
    rows = np.zeros((2**n, n + 1))
    for row, members in enumerate(subsets(n)):
        size = int(members.sum())
        chance = half * eta if size else 0.0
        rows[row, :n] = members * chance / max(size, 1)
        rows[row, n] = 1 - chance
    names = [f"record {i + 1}" for i in range(n)]
    published = StochasticMatrix(people(n), [*names, "nothing"], rows)
    prior = UniformSizedPrior(n, half)
    success = 0.5 + seen_by(published, prior).advantages.mean() / 2
    return Comparison(
        f"one record with probability {half * eta:g}, else nothing",
        (
            ("membership inference privacy: success of the best attack, over 1/2", success - 0.5),
            ("what η-MIP at the same η allows over 1/2", eta),
        ),
        own_gamma(published, prior),
        population_epsilon(published),
    )


def one_victim(n: int = 6) -> Comparison:
    """Publish whether the first person is in: an average advantage hides them (yeom-2018)."""
    rows = [[float(not members[0]), float(members[0])] for members in subsets(n)]
    published = StochasticMatrix(people(n), ["without x1", "with x1"], rows)
    prior = UniformSizedPrior(n, n // 2)
    gains = seen_by(published, prior).advantages
    return Comparison(
        "whether the first person is in",
        (
            ("average-case advantage", float(gains.mean())),
            ("worst-case advantage", float(gains.max())),
        ),
        own_gamma(published, prior),
        population_epsilon(published),
    )


def mixture(n: int = 8, epsilon: float = EPSILON) -> Comparison:
    """A noisy count, where the members come from one of two populations (humphries-2020).

    The count is ε-DP, but the population shifts every membership at once.
    """
    outputs = np.arange(-6, n + 7)
    alpha = math.exp(-epsilon)
    law = np.array(
        [alpha ** np.abs(outputs - members.sum()) for members in subsets(n)], dtype=np.float64
    )
    law *= (1 - alpha) / (1 + alpha)
    law[:, 0] += alpha ** (subsets(n).sum(axis=1) + 7) / (1 + alpha)
    law[:, -1] += alpha ** (n + 7 - subsets(n).sum(axis=1)) / (1 + alpha)
    published = StochasticMatrix(people(n), [str(o) for o in outputs], law)
    prior = MixturePrior([0.5, 0.5], [ProductPrior([0.9] * n), ProductPrior([0.1] * n)])
    halves, dp = add_remove(Ratios(published)), advantage(published, Adjacency.ADD_REMOVE)
    gamma = positive_gamma(published, ProductPriors())
    assert halves is not None
    assert dp is not None
    assert gamma is not None
    return Comparison(
        f"a count with noise at ε = {epsilon:g}",
        (
            ("ε of differential privacy", halves.epsilon),
            ("advantage if records are independent, at most", dp),
            (
                "γ if records are independent, at most",
                positive_gamma(published, ProductPriors()) or 1,
            ),
            ("advantage under the mixture", float(seen_by(published, prior).advantages.max())),
        ),
        own_gamma(published, prior),
        population_epsilon(published),
    )


EXAMPLES: tuple[Callable[[], Comparison], ...] = (even_parity, one_record, one_victim, mixture)


def main() -> None:
    """Print what each notion says."""
    for example in EXAMPLES:
        found = example()
        print(found.title)
        lines = [
            *found.weaker,
            ("positive membership privacy: γ", found.gamma),
            ("population privacy: ε", found.population_epsilon),
        ]
        for name, value in lines:
            print(f"  {name:<70} {value:.4g}")
        print()


if __name__ == "__main__":
    main()
