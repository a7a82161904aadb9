"""What the judge says of one mechanism and a class of households, against laws of the class.

Laws are drawn from `tests/oracles/households.py`, also at the ends of a class; none reveals more
than the upper end. The lower end is what the witness reveals, in fractions, and the witness is a
law of the class or as near to one as one likes.
"""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from deniable import verify
from deniable.correlation import Households
from deniable.errors import InvalidArgument
from deniable.judge import negative_gamma_here, positive_gamma_here
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions.notation import read
from deniable.priors.universe import Universe
from deniable.theorems.households import household_epsilon
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.fuzz.households import above
from tests.oracles import households as oracle

NAMES = ("a", "b", "c", "d")


def mechanism(rng, size, outputs=3):
    """A mechanism with likely, unlikely and impossible outputs."""
    rows = [[rng.choice((0, 1, 2, 5, 40)) for _ in range(outputs)] for _ in range(1 << size)]
    table = np.array([[each + (not any(row)) for each in row] for row in rows], dtype=float)
    if rng.randrange(2):
        table += 0.5
    return StochasticMatrix(
        Universe(NAMES[:size]), tuple("xyz"[:outputs]), table / table.sum(axis=1, keepdims=True)
    )


def releases(matrix):
    return [[Fraction(float(each)) for each in column] for column in matrix.rows.T]


def noisy_count(size, z):
    """Likelihoods of counts with two-sided geometric noise, clipped to 0 … size."""
    shrink, laws = Fraction(1, z), []
    for x in range(1 << size):
        true, law = x.bit_count(), []
        for y in range(size + 1):
            weight = shrink ** abs(y - true)
            law.append(weight if y in (0, size) else weight * (1 - shrink))
        laws.append([float(each / (1 + shrink)) for each in law])
    table = np.array(laws)
    return StochasticMatrix(Universe(NAMES[:size]), tuple(map(str, range(size + 1))), table)


def household_of(model, size, number):
    return Households(size, **({} if number is None else {model: min(above(number), 1e300)}))


@pytest.mark.parametrize("model", oracle.MODELS)
def test_no_law_of_the_class_reveals_more(model):
    for seed in range(usual(12, 400)):
        rng = random.Random(seed)
        size = rng.randint(1, 3)
        member = rng.randrange(size)
        law, (_, number) = oracle.draw(rng, model, size, member)
        households, matrix = household_of(model, size, number), mechanism(rng, size)
        verdict = verify(matrix, households)
        for release in releases(matrix):
            assert oracle.rise(law, size, member, release) <= verdict.here.bound.upper
            if min(release) > 0:
                shown = oracle.revealed(law, size, member, release)
                assert math.log(shown) <= verdict.bayesian_dp + 1e-12
        fall = negative_gamma_here(matrix, households).bound.upper
        flipped = [law[x ^ 1 << member] for x in oracle.places(size)]  # in and out exchanged
        for release in releases(matrix):
            other = [release[x ^ 1 << member] for x in oracle.places(size)]
            assert oracle.rise(flipped, size, member, other) <= fall


@pytest.mark.parametrize("others_known", [False, True])
@pytest.mark.parametrize("model", ["any", "odds_ratio", "difference", "icc"])
def test_the_witness_shows_the_lower_end_and_is_of_the_class(model, others_known):
    for seed in range(usual(12, 200)):
        rng = random.Random(seed)
        size = 3
        number = {
            "any": None,
            "odds_ratio": Fraction(rng.choice((1, 2, 9))),
            "difference": Fraction(rng.randint(0, 8), 8),
            "icc": Fraction(rng.randint(0, 8), 8),
        }[model]
        households = household_of(model, size - others_known, number)
        matrix = mechanism(rng, size)
        answer = positive_gamma_here(matrix, households)
        if answer.witness is None:
            assert answer.bound.upper <= 1 + 1e-8
            continue
        member = NAMES.index(answer.witness.entity)
        weights = [Fraction(0)] * (1 << size)
        for name, chance in answer.witness.prior.items():
            weights[sum(1 << NAMES.index(x) for x in name.split(",") if x)] = Fraction(chance)
        release = releases(matrix)[matrix.outputs.index(answer.witness.output)]
        shown = oracle.rise(weights, size, member, release)
        if math.isinf(answer.bound.lower):
            assert shown > 1e3
        else:
            assert shown >= Fraction(answer.bound.lower) * (1 - Fraction(1, 10**8))
        assert answer.bound.upper <= answer.bound.lower * (1 + 2e-9)
        check_class(model, weights, size, member, number, others_known)


def check_class(model, weights, size, member, number, others_known):
    """Whether a law is in the class, or near it where everything must be possible."""
    bit = 1 << member
    laws = [[weights[x | side] for x in oracle.places(size) if not x & bit] for side in (0, bit)]
    assert all(sum(law) > 0 for law in laws)
    out, inside = ([w / sum(law) for w in law] for law in laws)
    used = [x for x in range(len(out)) if out[x] or inside[x]]
    if others_known:  # one of them is no member of the household
        varying = max((x ^ y).bit_count() for x in used for y in used)
        assert varying <= size - 2
    if model == "odds_ratio":
        assert len(used) <= 2
        for x, y in itertools.permutations(used, 2):
            most = number ** (x ^ y).bit_count()
            assert inside[x] * out[y] <= out[x] * inside[y] * most * (1 + Fraction(1, 2**40))
    if model == "difference":
        distance = sum(abs(x - y) for x, y in zip(out, inside, strict=True)) / 2
        one_fixed = len({x & 1 for x in used}) == 1 or len({x & 2 for x in used}) == 1
        assert distance <= number + Fraction(1, 2**40) or (number and one_fixed)
    if model == "icc":
        check_inclination(weights, size, member, used, number)


def check_inclination(weights, size, member, used, number):
    """Weights of those who vary depend on their number alone, with the correlation of some c."""
    varying = [j for j in range(size) if j == member or any((x ^ y) >> j & 1 for x in places_of(
        used, member) for y in places_of(used, member))]  # fmt: skip
    total, n = sum(weights), len(varying)
    belief = [sum(w for x, w in enumerate(weights) if x >> j & 1) / total for j in varying]
    assert max(belief) - min(belief) <= Fraction(1, 2**40) * max(belief)
    if n > 1:
        both = sum(w for x, w in enumerate(weights) if all(x >> j & 1 for j in varying[:2])) / total
        mean = belief[0]
        correlation = (both - mean**2) / (mean * (1 - mean))
        assert -Fraction(1, 2**20) <= correlation <= number + Fraction(1, 2**20)


def places_of(used, member):
    """Places among the others as places among all."""
    low = (1 << member) - 1
    return [(x & low) | (x & ~low) << 1 for x in used]


@pytest.mark.parametrize("seed", range(3))
def test_the_search_over_inclinations_finds_what_a_fine_grid_finds(seed):
    rng = random.Random(seed)
    size, c = 3, 0.4
    matrix = mechanism(rng, size)
    bound = positive_gamma_here(matrix, Households(size, icc=c)).bound
    best = Fraction(1)
    for mean, tie in itertools.product((1e-6, 0.1, 0.3, 0.5, 0.7, 0.9), (1e-3, 0.1, 0.2, 0.3, 0.4)):
        total = 1 / Fraction(tie) - 1
        law = oracle.inclined_law(size, Fraction(mean) * total, (1 - Fraction(mean)) * total)
        for member, release in itertools.product(range(size), releases(matrix)):
            best = max(best, oracle.rise(law, size, member, release))
    assert best <= bound.upper


@pytest.mark.parametrize(
    ("size", "z", "model", "ratio"),
    [
        (2, 2, {}, 4), (3, 2, {}, 8), (4, 2, {}, 16),
        (2, 2, {"odds_ratio": 4}, 2.514718625761430), (2, 2, {"odds_ratio": 9}, 2.8211326124935283),
        (2, 4, {"odds_ratio": 4}, Fraction(25, 4)), (3, 9, {"odds_ratio": 2}, Fraction(3249, 121)),
        (3, 2, {"odds_ratio": 4}, Fraction(9, 2)), (2, 2, {"difference": 0.1}, Fraction(11, 5)),
        (3, 2, {"difference": 0.2}, 4), (3, 2, {"icc": 0.2}, Fraction(44, 15)),
        (4, 3, {"icc": 0.2}, Fraction(339, 35)),
    ],
)  # fmt: skip
def test_a_noisy_count_attains_what_the_theorems_allow(size, z, model, ratio):
    households = Households(size, **model)
    answer = verify(noisy_count(size, z), households)
    assert answer.here.bound.upper == pytest.approx(float(ratio), rel=1e-8)
    assert answer.here.bound.upper <= answer.positive_gamma * (1 + 1e-8)
    claimed = household_epsilon(math.log(z), households)
    assert answer.bayesian_dp == pytest.approx(claimed, rel=1e-8)


@pytest.mark.parametrize("model", [{}, {"odds_ratio": 3}, {"difference": 0.25}, {"icc": 0.3}])
def test_what_one_mechanism_reveals_is_within_what_its_epsilon_allows(model):
    for seed in range(usual(6, 60)):
        rng = random.Random(seed)
        size = rng.randint(2, 4)
        matrix = mechanism(rng, size, outputs=2)
        households = Households(rng.randint(1, size), **model)
        answer = verify(matrix, households)
        for end in (answer.here.bound.upper, math.exp(answer.bayesian_dp)):
            assert end <= answer.positive_gamma * (1 + 1e-8)


def test_one_person_alone_is_what_independent_people_are():
    matrix = mechanism(random.Random(5), 3)
    for households in (Households(1), Households(3, icc=0), Households(3, difference=0)):
        answer, alone = verify(matrix, households), verify(matrix, "independent")
        assert answer.here.bound.upper == pytest.approx(alone.here.bound.upper, rel=1e-8)
    together = verify(matrix, Households(3)).here.bound.upper
    assert together == verify(matrix, "universal").here.bound.upper


def test_households_are_written_as_in_a_notion_or_as_a_value():
    households = read("bayesian-dp:1@add-remove@households-2-icc-0.25").households
    rows = {"": [0.5, 0.5], "a": [0.4, 0.6], "b": [0.4, 0.6], "a,b": [0.3, 0.7]}
    assert verify(rows, "households", household=households) == verify(rows, households)


def test_a_universe_that_is_too_large_is_refused_with_what_to_do():
    size = 9
    table = np.full((1 << size, 2), 0.5)
    matrix = StochasticMatrix(Universe(tuple("abcdefghi")), ("x", "y"), table)
    with refuses(InvalidArgument, "one-household-alone"):
        verify(matrix, Households(2))


def test_laws_that_are_not_known_leave_the_answer_out():
    answer = verify({"a": [0.5, 0.5], "b": [0.25, 0.75]}, Households(2))
    assert answer.as_json()["positive_gamma_here"] is None
    assert answer.as_json()["bayesian_dp"] is None
    assert answer.positive_gamma is None
