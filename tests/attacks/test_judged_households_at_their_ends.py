"""Households and mechanisms at the ends of floats: an answer that encloses the truth, no failure.

The two ends of the answer are compared with laws near which it must lie: those that the oracle
draws at the ends of a class, and pairs of combinations with any odds between them.
"""

import math
import random
from fractions import Fraction

import numpy as np

from deniable import verify
from deniable.correlation import Households
from deniable.errors import InvalidArgument
from deniable.judge import negative_gamma_here, positive_gamma_here
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors import HouseholdMembers
from deniable.priors.universe import Universe
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import households as oracle

CHANCES = (0.0, 5e-324, 1e-310, 1e-200, 1e-16, 0.25, 0.5, 1 - 1e-16, 1.0)
NUMBERS = {
    "odds_ratio": (1.0, 1 + 2**-52, 3.7, 1e100, 1.7e308),
    "icc": (0.0, 5e-324, 1e-17, 0.3, 1 - 2**-53, 1.0),
    "difference": (0.0, 5e-324, 1e-17, 0.3, 1 - 2**-53, 1.0),
}


def drawn(rng):
    size = rng.randint(1, 3)
    table = np.array([[a := rng.choice(CHANCES), 1 - a] for _ in range(1 << size)])
    matrix = StochasticMatrix(Universe(("a", "b", "c")[:size]), ("x", "y"), table)
    model = rng.choice([None, *NUMBERS])
    number = {} if model is None else {model: rng.choice(NUMBERS[model])}
    return matrix, Households(rng.randint(1, 4), **number)


def test_every_answer_encloses_and_stays_below_the_theorem():
    for seed in range(usual(150, 3_000)):
        matrix, households = drawn(random.Random(seed))
        for answer in (positive_gamma_here, negative_gamma_here):
            bound = answer(matrix, households).bound
            assert 1 <= bound.lower <= bound.upper
            assert bound.upper <= bound.lower * (1 + 3e-9) or math.isinf(bound.lower)
        verdict = verify(matrix, households)
        assert verdict.here.bound.upper <= verdict.positive_gamma * (1 + 1e-8)


def test_no_odds_of_two_combinations_pass_the_upper_end():
    for seed in range(usual(40, 600)):
        rng = random.Random(seed)
        table = np.array([[a := rng.choice(CHANCES[1:-1]), 1 - a] for _ in range(4)])
        matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), table)
        psi = rng.choice((1.0, 1.5, 1e6, 1e200))
        bound = positive_gamma_here(matrix, Households(2, odds_ratio=psi)).bound.upper
        release = [Fraction(float(each)) for each in table[:, 0]]
        for power in range(-300, 301, 25):
            odds, grows = Fraction(10) ** power, rng.random() < 0.5
            tie = Fraction(psi) if grows else 1 / Fraction(psi)
            little = Fraction(1, 10**30)  # of being in: beliefs then grow most
            law = [Fraction(1), little, odds, little * odds * tie]
            out, inside = law[0] + law[2], law[1] + law[3]
            law = [law[0] / out, law[1] / inside * little, law[2] / out, law[3] / inside * little]
            assert oracle.rise(law, 2, 0, release) <= bound


def test_households_that_are_entities_are_no_households_of_entities():
    matrix, _ = drawn(random.Random(1))
    with refuses(InvalidArgument, "people-as-entities"):
        verify(matrix, HouseholdMembers())
