"""Numbers chosen to break one noisy sum: far apart, tied, skewed, tiny and huge, at any δ.

An end is false where the divergence there, of every subset listed, is on the wrong side of δ.
"""

import math

import numpy as np
import pytest

from deniable import Effort, population
from tests.cases.effort import usual
from tests.oracles import real_sums as brute

EFFORT = Effort(
    time_limit=usual(0.2, 0.5), workers=1
)  # what is not reached in time is to be true as well
VALUES = {
    "far": [0.0, 0.1, 0.5, 12.0],
    "negative skew": [-20.0, -0.4, -0.3, 0.0],
    "minus zero": [-0.0, 0.0, -0.0, 7.0],
    "two values": [0.0, 0.0, 3.0, 3.0],
    "both ends": [-9.0, 0.0, 0.001, 9.0],
    "one among equals": [1.0, 1.0, 1.0, 31.0],
}
NOISES = {"gaussian": ("sigma", population.gaussian), "laplace": ("scale", population.laplace)}


def ask(kind, values, size, unit, delta, records="all"):
    word, door = NOISES[kind]
    how = {word: unit, "delta": delta, "query": "sum", "records": records, "effort": EFFORT}
    return door(values, size, **how)


@pytest.mark.parametrize(
    ("kind", "name", "size", "delta"),
    [
        ("gaussian", "far", 2, 1e-4),
        ("laplace", "negative skew", 1, 1e-10),
        ("gaussian", "minus zero", 3, 0.3),
        ("laplace", "two values", 2, 1e-3),
        ("gaussian", "both ends", 3, 1e-3),
        ("laplace", "one among equals", 1, 0.99),
    ],
)
def test_every_end_is_on_its_side_of_delta(kind, name, size, delta):
    found = ask(kind, VALUES[name], size, 1.0, delta, records=[0, 3])
    for place, record in enumerate((0, 3)):
        inside, outside = brute.subset_sums(VALUES[name], size, record)
        bound = found.records[place].bound

        def worst(epsilon, p=inside, q=outside):
            return max(brute.divergence(a, b, 1.0, kind, epsilon, 150) for a, b in ((p, q), (q, p)))

        assert bound.lower == 0 or worst(bound.lower * (1 - 1e-8)) >= delta * (1 - 1e-6)
        assert worst(bound.upper * (1 + 1e-8)) <= delta * (1 + 1e-6)


@pytest.mark.parametrize(("kind", "unit"), [("gaussian", 1e90), ("laplace", 3e-70)])
def test_the_unit_the_sign_and_the_order_do_not_matter(kind, unit):
    # The unit is that of values and noise alike.
    plain = ask(kind, VALUES["far"], 2, 1.0, 1e-4).population_epsilon
    changed = unit * (3.0 - np.array(VALUES["far"]))[::-1]
    found = ask(kind, changed.tolist(), 2, unit, 1e-4).population_epsilon
    # Cut short by the limit, two intervals need not be equal, but both contain the truth.
    assert max(found.lower, plain.lower) <= min(found.upper, plain.upper) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("kind", "span", "size", "delta"),
    [
        ("gaussian", 500.0, 3, 1e-4),
        ("gaussian", 1e5, 1, 1e-300),
        ("gaussian", 1e5, 5, 0.99),
        ("laplace", 500.0, 5, 1e-4),
        ("laplace", 1e5, 3, 1e-300),
    ],
)
def test_numbers_that_spread_over_many_scales_have_ends(kind, span, size, delta):
    # Exponents of some e^(span²/2) overflow where they are not kept as logarithms.
    values = [0.0, 0.1 * span, 0.1 * span, 0.7 * span, 0.71 * span, span]
    found = ask(kind, values, size, 1.0, delta, records=[5])
    bound = found.records[0].bound
    assert 0.0 <= bound.lower <= bound.upper <= found.epsilon_restricted_sensitivity * (1 + 1e-12)
    assert math.isfinite(bound.upper)
