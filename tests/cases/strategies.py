"""What every prior is tried with; a new one joins the laws by its line."""

import math
from typing import Any

import attrs
import numpy as np
from hypothesis import strategies as st

from deniable.priors import (
    GroupedPrior,
    MarkovPrior,
    MixturePrior,
    OneOutOfPrior,
    Prior,
    ProductPrior,
    SampledPrior,
    SizeConditionedPrior,
    TablePrior,
    UniformPrior,
    UniformSizedPrior,
)
from deniable.priors.universe import subsets

# Priors over at most five entities: every law is tried on `random` ones, the sampler on `drawn`,
# with enough draws to tell it from `wrong`, the law of a plausible mistake.

chance = st.sampled_from([0.0, 1.0]) | st.floats(0.01, 0.99)
weight = st.sampled_from([0.0, math.inf]) | st.floats(1e-3, 1e3)
size = st.integers(1, 5)


def lists(elements: st.SearchStrategy[Any], n: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(elements, min_size=n, max_size=n)


@st.composite
def law(draw: st.DrawFn, n: int) -> list[float]:
    """Probabilities that sum to 1, some of them 0."""
    raw = draw(lists(st.sampled_from([0.0]) | st.floats(0.05, 1.0), n).filter(any))
    return (np.array(raw) / math.fsum(raw)).tolist()


@st.composite
def size_conditioned(draw: st.DrawFn, weights: st.SearchStrategy[float] = weight) -> Prior:
    odds = np.array(draw(lists(weights, draw(size))))
    return SizeConditionedPrior(odds, draw(st.integers(np.isinf(odds).sum(), (odds > 0).sum())))


@st.composite
def uniform_sized(draw: st.DrawFn) -> Prior:
    n = draw(size)
    return UniformSizedPrior(n, draw(st.integers(0, n)))


@st.composite
def one_out_of_m(draw: st.DrawFn) -> Prior:
    roles = draw(lists(st.sampled_from("cmo"), draw(size)).filter(lambda roles: "m" in roles))
    places = [[i for i, role in enumerate(roles) if role == kind] for kind in "cm"]
    return OneOutOfPrior(len(roles), *places)


@st.composite
def sampled(draw: st.DrawFn) -> Prior:
    return SampledPrior(draw(lists(st.booleans(), draw(size))), draw(chance))


@st.composite
def table(draw: st.DrawFn) -> Prior:
    n = draw(st.integers(1, 4))
    rows = draw(st.lists(st.integers(0, 2**n - 1), min_size=1, max_size=6, unique=True))
    return TablePrior(subsets(n)[rows], draw(law(len(rows))))


@st.composite
def grouped(draw: st.DrawFn) -> Prior:
    labels = draw(size.flatmap(lambda n: lists(st.integers(0, 2), n)))
    groups = [[i for i, other in enumerate(labels) if other == k] for k in sorted(set(labels))]
    return GroupedPrior(groups, draw(lists(chance, len(groups))))


@st.composite
def markov(draw: st.DrawFn) -> Prior:
    n, states = draw(size), draw(st.integers(1, 3))
    steps = [[draw(law(states)) for _ in range(states)] for _ in range(n - 1)]
    return MarkovPrior(
        draw(law(states)),
        np.reshape(steps, (n - 1, states, states)),
        draw(lists(st.booleans(), states)),
    )


def products(n: int) -> st.SearchStrategy[Prior]:
    return lists(chance, n).map(ProductPrior)


@st.composite
def mixture(draw: st.DrawFn) -> Prior:
    n = draw(size)
    parts = [
        draw(products(n) | st.just(UniformPrior(n)) | st.just(UniformSizedPrior(n, n // 2)))
        for _ in range(draw(st.integers(1, 3)))
    ]
    return MixturePrior(draw(law(len(parts))), parts)


def one_by_one(weights: list[float], k: int) -> Prior:
    """Members taken one after the other by weight: not the law of sets by product of weights."""
    total: dict[frozenset[int], float] = {frozenset(): 1.0}
    for _ in range(k):
        grown: dict[frozenset[int], float] = {}
        for taken, chance_so_far in total.items():
            left = math.fsum(w for i, w in enumerate(weights) if i not in taken)
            for i in set(range(len(weights))) - taken:
                grown[taken | {i}] = grown.get(taken | {i}, 0.0) + chance_so_far * weights[i] / left
        total = grown
    rows = [[i in taken for i in range(len(weights))] for taken in total]
    return TablePrior(rows, list(total.values()))


CHAIN = MarkovPrior.homogeneous(
    [0.2, 0.5, 0.3],
    [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]],
    [False, True, True],
    n_entities=4,
)
PAIRS = GroupedPrior([[0, 2], [1, 3]], [0.3, 0.6])
UNSURE = MixturePrior([0.3, 0.7], [ProductPrior([0.8, 0.6, 0.5]), ProductPrior([0.2, 0.3, 0.5])])
LISTED = TablePrior([[True, True, False], [False, True, True], [False] * 3], [0.2, 0.3, 0.5])


@attrs.frozen
class PriorCase:
    """Random priors of one kind, one to draw from, and what those draws must not look like."""

    random: st.SearchStrategy[Prior]
    drawn: Prior
    wrong: Prior


PRIORS: dict[str, PriorCase] = {
    "product": PriorCase(
        size.flatmap(products), ProductPrior([0.2, 0.5, 0.9]), ProductPrior([0.22, 0.5, 0.9])
    ),
    "size-conditioned": PriorCase(
        size_conditioned(),
        SizeConditionedPrior([1.0, 1.0, 2.0, 3.0, 0.5], 3),
        one_by_one([1.0, 1.0, 2.0, 3.0, 0.5], 3),
    ),
    "uniform-subsets": PriorCase(
        size.map(UniformPrior), UniformPrior(4), ProductPrior([0.5, 0.5, 0.5, 0.54])
    ),
    "uniform-sized": PriorCase(
        uniform_sized(), UniformSizedPrior(4, 2), one_by_one([1.0, 1.0, 1.0, 1.1], 2)
    ),
    "one-out-of-m": PriorCase(
        one_out_of_m(), OneOutOfPrior(5, [1], [0, 2, 4]), OneOutOfPrior(5, [1], [0, 2, 3, 4])
    ),
    "sampled": PriorCase(
        sampled(), SampledPrior([True, True, False], 0.1), ProductPrior([0.1, 0.11, 0.0])
    ),
    "table": PriorCase(table(), LISTED, ProductPrior(LISTED.marginals)),
    "grouped": PriorCase(grouped(), PAIRS, ProductPrior(PAIRS.marginals)),
    "markov": PriorCase(markov(), CHAIN, ProductPrior(CHAIN.marginals)),
    "mixture": PriorCase(mixture(), UNSURE, ProductPrior(UNSURE.marginals)),
}
