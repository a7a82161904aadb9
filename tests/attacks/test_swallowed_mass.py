"""Mass too small to notice, and noticed: nothing that has a probability is left out of a guarantee.

Against exact arithmetic: W∞ from its definition by distribution functions, losses by decimals.
"""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from deniable.correlation import JointSum
from deniable.errors import InvalidArgument
from deniable.judge.correlation.wasserstein import wasserstein_infinity, wasserstein_mechanism
from deniable.judge.verify import verify
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors import TablePrior
from deniable.priors.universe import Universe
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles.decimals import CONTEXT

HALF = Fraction(1, 2)
TINY = [Fraction(1, 10**k) for k in (3, 12, 13, 17, 30, 400)]


def covered(one, other, distance):
    """Whether F(x) <= G(x + d) and G(x) <= F(x + d) everywhere: a coupling keeps within d."""

    def up_to(law, x):
        return sum(mass for value, mass in law.items() if value <= x)

    return all(
        up_to(a, x) <= up_to(b, x + distance) for a, b in ((one, other), (other, one)) for x in a
    )


def least_distance(one, other):
    kept = [{x: p for x, p in law.items() if p} for law in (one, other)]
    distances = sorted({abs(x - y) for x, y in itertools.product(*kept)})
    return next(distance for distance in distances if covered(*kept, distance))


@pytest.mark.parametrize("tiny", TINY, ids=lambda tiny: f"{float(tiny):.0e}")
def test_the_far_value_counts_however_improbable(tiny):
    one, other = {0: HALF, 1: HALF}, {1: HALF, 2: HALF - tiny, 1000: tiny}
    assert wasserstein_infinity(one, other) == least_distance(one, other) == 999
    assert wasserstein_mechanism([(one, other)], 1.0).scale == 999
    alone = wasserstein_mechanism([({0: Fraction(1)}, {0: 1 - tiny, 100: tiny})], 1.0)
    assert alone.scale == 100


@pytest.mark.parametrize("seed", range(usual(10, 40)))
def test_fractions_by_brute_force(seed):
    """Many atoms, some of them of hardly any mass; and the loss under the noise, at every value."""
    rng = np.random.default_rng(seed)

    def law():
        values = rng.choice(60, size=rng.integers(1, 25), replace=False)
        weights = [Fraction(int(w), 10 ** int(k)) for w, k in zip(
            rng.integers(1, 9, size=len(values)), rng.choice([0, 0, 1, 14, 40], size=len(values)),
            strict=True)]  # fmt: skip
        return {int(v): w / sum(weights) for v, w in zip(values, weights, strict=True)}

    one, other = law(), law()
    found = wasserstein_infinity(one, other)
    assert found == wasserstein_infinity(other, one) == least_distance(one, other)
    if found:
        scale = wasserstein_mechanism([(one, other)], 0.5).scale
        assert largest_loss(one, other, scale) <= Decimal("0.5") + Decimal("1e-60")


def largest_loss(one, other, scale):
    with localcontext(CONTEXT):
        width = Decimal(scale)
        logs = []
        for y in sorted({*one, *other}):  # between and beyond values the ratio is monotone
            sums = [
                sum(
                    Decimal(p.numerator) / p.denominator * (-abs(Decimal(y - x)) / width).exp()
                    for x, p in law.items()
                )
                for law in (one, other)
            ]
            logs.append(abs((sums[0] / sums[1]).ln()))
        return max(logs)


@pytest.mark.parametrize("seed", range(20))
def test_floats_whose_sums_round_are_read_as_the_law_they_mean(seed):
    """Shares of whole numbers as floats: the distance of the fractions, not of their rounding."""
    rng = np.random.default_rng(seed)
    counts = [rng.integers(1, 1000, size=int(rng.integers(2, 30))) for _ in range(2)]
    exact = [
        {5 * i: Fraction(int(c), int(count.sum())) for i, c in enumerate(count)} for count in counts
    ]
    floats = [{x: float(p) for x, p in law.items()} for law in exact]
    assert wasserstein_infinity(*floats) == wasserstein_infinity(*exact) == least_distance(*exact)
    again = [{x: p * 3 / 3 for x, p in law.items()} for law in floats]
    assert wasserstein_infinity(floats[0], again[0]) == 0


def test_floats_that_could_hide_a_value_are_refused():
    third = 1 / 3
    one = {0: third, 1: third, 2: third}  # sums to 1 - 5.6e-17
    with refuses(InvalidArgument, "rounding-hides-no-value"):
        wasserstein_infinity(one, {0: third, 1: third, 2: third, 999: 1e-16})
    assert wasserstein_infinity(one, {0: third, 1: third, 2: third - 1e-12, 999: 1e-12}) == 997
    exact = {0: 0.5, 1: 0.5}  # sums to 1: taken exactly
    assert wasserstein_infinity(exact, {0: 0.5, 1: 0.5 - 2**-52, 999: 2.0**-52}) == 998
    assert wasserstein_infinity({0: 0.3, 9: 0.7}, {0: 0.3, 9: 0.69999999999, 99: 1e-11}) == 90


@pytest.mark.parametrize(
    "law",
    [
        {0: HALF, 1: HALF - Fraction(1, 10**15)},
        {0: HALF, 1: HALF + Fraction(1, 10**30)},
        {0: 0.5, 1: 0.4999999999},
        {0: 0.5, 1: math.nan},
        {0: 0.5, 1: math.inf},
        {0: 0.5, math.nan: 0.5},
        {},
        {0: 0.0},
    ],
    ids=str,
)
def test_what_is_no_law_is_refused(law):
    with pytest.raises(InvalidArgument):
        wasserstein_infinity(law, {0: 1})


def test_distances_of_large_values_are_rounded_up():
    assert wasserstein_infinity({2**53 + 1: 1}, {0: 1}) == 2**53 + 2
    assert wasserstein_infinity({1e16: 1.0}, {-1.0: 1.0}) == math.nextafter(1e16, math.inf)


# --- the judge's input


@pytest.mark.parametrize("lost", [1e-4, 1e-10, 1e-12])
def test_a_row_that_lacks_mass_is_refused(lost):
    """An output that only a member could cause, left out of the row: ε would be infinite."""
    spec = {"universe": ["a"], "outputs": ["0"], "rows": {"": [1.0], "a": [1 - lost]}}
    with refuses(InvalidArgument, 'row-of-to-sum: "a" | 0.99'):
        verify(spec, "independent")
    with refuses(InvalidArgument, "probabilities-to-sum-to-1: 0.99"):
        TablePrior([[False], [True]], [0.5, 0.5 - lost])


@pytest.mark.parametrize("tiny", [1e-13, 1e-30, 1e-300, 5e-324])
def test_an_output_however_improbable_counts(tiny):
    spec = {"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [1, 0], "a": [1 - tiny, tiny]}}
    found = verify(spec, "independent")
    assert found.epsilon_add_remove == found.positive_gamma == math.inf
    assert found.semantic == 1
    assert found.curve.delta(50.0) >= tiny
    assert found.advantage >= tiny / 2


@pytest.mark.parametrize("tiny", [1e-13, 1e-200, 1e-307])
def test_data_sets_however_improbable_leak(tiny):
    """Beside b, whom hardly anybody expects, an improbable output tells of a."""
    rows = np.array([[x, 1 - x] for x in (tiny, tiny, tiny, 3 * tiny)])
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    law = {"": 0.5, "a": 0.5 - 2 * tiny, "b": tiny, "a,b": tiny}
    found = verify(matrix, "table", table=law)
    never = {"b": 0.5, "a,b": 0.5}
    assert verify(matrix, "table", table=never).positive_gamma == pytest.approx(2.0, rel=1e-9)
    assert found.bayesian_dp == pytest.approx(math.log(3), rel=1e-9)
    assert found.bayesian_semantic == pytest.approx(math.tanh(math.log(3) / 4), rel=1e-9)


@pytest.mark.parametrize("tiny", [1e-13, 1e-200, 1e-307])
def test_a_noisy_sum_leaks_what_hardly_ever_happens(tiny):
    """Given an improbable record the other is known to agree: twice the loss."""
    law = [[0.5, 0.0, 0.5], [tiny / 2, 0.0, 0.0], [0.0, tiny / 2, 0.0]]
    found = JointSum(law, [[0, 0, 1], [0, 1, 1]], 1.0).leakage(0)
    assert found.upper >= 2.0 * (1 - 1e-9)
