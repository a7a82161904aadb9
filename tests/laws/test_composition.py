"""What `compose` adds up holds of adaptive releases, by brute force over explicit mechanisms.

The second mechanism is another one for every output of the first; the pair of outputs is one
mechanism, whose privacy is computed here from its definition, in fractions where that is exact.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable
from deniable.errors import InvalidArgument, NotApplicable
from tests.cases.refusals import refuses

WORLDS = 2
"""Neighbours: what is said of every pair of neighbours is said of one."""


def law(draw):
    """A pair of laws over three outputs, as fractions, all possible."""
    weights = st.lists(st.integers(1, 20), min_size=3, max_size=3)
    rows = [draw(weights) for _ in range(WORLDS)]
    return [[Fraction(w, sum(row)) for w in row] for row in rows]


@st.composite
def adaptive(draw):
    """A first mechanism, and for each of its outputs a second one."""
    return law(draw), [law(draw) for _ in range(3)]


def pairs(first, seconds):
    """Laws of the two outputs together, one a world."""
    return [
        [first[w][x] * seconds[x][w][y] for x, y in itertools.product(range(3), repeat=2)]
        for w in range(WORLDS)
    ]


def pure_loss(laws):
    """The largest ratio of likelihoods, in fractions."""
    p, q = laws
    return max(max(a / b, b / a) for a, b in zip(p, q, strict=True))


def hockey_stick(laws, factor):
    """δ at e^ε = factor, either way round, in fractions."""
    p, q = laws
    one = sum(max(a - factor * b, 0) for a, b in zip(p, q, strict=True))
    other = sum(max(b - factor * a, 0) for a, b in zip(p, q, strict=True))
    return max(one, other)


def concentrated(laws):
    """The least ρ on a fine grid of orders; a lower bound on the true one."""
    found = 0.0
    for p, q in (laws, laws[::-1]):
        a, b = np.array(p, float), np.array(q, float)
        for order in (1.0001, 1.1, 1.5, 2, 3, 5, 9, 20, 60):
            divergence = np.log(np.sum(a**order * b ** (1 - order))) / (order - 1)
            found = max(found, divergence / order)
    return found


@given(adaptive())
def test_pure_losses_add_up(case):
    first, seconds = case
    each = [math.log(pure_loss(first)), math.log(max(map(pure_loss, seconds)))]
    total = deniable.compose([f"pure-dp:{x!r}" for x in each]).total
    assert math.log(pure_loss(pairs(first, seconds))) <= total.epsilon * (1 + 1e-15) + 1e-15


def test_the_pure_sum_is_attained_by_randomised_response_twice():
    third = Fraction(1, 3)
    coin = [[third, third, third], [2 * third, third / 2, third / 2]]
    assert pure_loss(pairs(coin, [coin] * 3)) == pure_loss(coin) ** 2 == 4
    total = deniable.compose([f"pure-dp:{math.log(2)!r}"] * 2).total
    assert total.epsilon == pytest.approx(math.log(4), rel=1e-15)


@given(adaptive(), st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(2)]))
def test_epsilon_and_delta_add_up(case, factor):
    first, seconds = case
    deltas = [hockey_stick(first, factor), max(hockey_stick(each, factor) for each in seconds)]
    together = hockey_stick(pairs(first, seconds), factor**2)
    assert together <= sum(deltas)  # what is claimed, in fractions
    if 0 < sum(deltas) < Fraction(1, 2):
        specs = [f"approx-dp:{math.log(factor)!r},{float(delta)!r}" for delta in deltas]
        total = deniable.compose(specs, exceedance=0.9).total
        assert total.epsilon == pytest.approx(2 * math.log(factor))
        assert Fraction(total.delta) >= sum(Fraction(float(delta)) for delta in deltas)


@given(adaptive())
def test_rho_adds_up(case):
    first, seconds = case
    each = [concentrated(first), max(map(concentrated, seconds))]
    total = deniable.compose([f"zcdp:{max(float(x), 1e-12)!r}" for x in each]).total
    assert concentrated(pairs(first, seconds)) <= total.rho * (1 + 1e-9) + 1e-11


def test_gaussian_noise_adds_up_in_squares():
    # Two Gaussian releases of one shift are one of the length of both shifts, (0.3, 0.4) -> 0.5.
    total = deniable.compose(["gaussian-dp:0.3", "gaussian-dp:0.4"]).total
    assert total.mu == pytest.approx(0.5, rel=1e-15)
    assert Fraction(total.mu) ** 2 >= Fraction(0.3) ** 2 + Fraction(0.4) ** 2


amounts = st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=6)


@given(amounts)
def test_sums_are_rounded_up_once(values):
    exact = sum(map(Fraction, values))
    for word, name in (("pure-dp", "epsilon"), ("zcdp", "rho")):
        got = getattr(deniable.compose([f"{word}:{x!r}" for x in values]).total, name)
        assert Fraction(got) >= exact
        assert Fraction(math.nextafter(got, 0.0)) < exact


def test_unlike_measures_meet_in_rho_or_delta_and_say_so():
    rho = deniable.compose(["pure-dp:0.2", "zcdp:0.01", "gaussian-dp:0.1"])
    assert rho.total.rho >= 0.2**2 / 2 + 0.01 + 0.1**2 / 2
    assert rho.total.rho == pytest.approx(0.035)
    assert [step.theorem for step in rho.derivation[:-2]] == [
        "pure_dp_to_zcdp",
        "gaussian_dp_to_zcdp",
    ]
    delta = deniable.compose(["pure-dp:0.2", "approx-dp:0.3,1e-6"])
    assert (delta.total.epsilon, delta.total.delta) == (pytest.approx(0.5), 1e-6)
    assert delta.exceedance == pytest.approx(1e-4)


def test_unlike_neighbours_meet_at_replace_one():
    answer = deniable.compose(["pure-dp:0.5@add-remove", "pure-dp:0.25"])
    assert answer.total.spec == "pure-dp:1.25"
    same = deniable.compose(["pure-dp:0.5@add-remove", "pure-dp:0.25@add-remove"])
    assert same.total.spec == "pure-dp:0.75@add-remove"


@pytest.mark.parametrize(
    "specs",
    [
        ["positive-membership:2", "pure-dp:1"],
        ["population:0.5,0", "pure-dp:1"],
        ["max-posterior:0.5", "pure-dp:1"],
        ["approx-dp:1,1e-6", "zcdp:0.1"],
        ["gaussian-dp:0.1,0.01", "gaussian-dp:0.1"],
        ["approx-dp:1,0.6", "approx-dp:1,0.6"],
    ],
)
def test_what_does_not_add_up_is_refused(specs):
    with pytest.raises((NotApplicable, InvalidArgument)):
        deniable.compose(specs)


def test_nothing_composes_to_nothing():
    with refuses(InvalidArgument, "at-least-one-guarantee"):
        deniable.compose([])


@pytest.mark.parametrize("spec", ["zcdp:0.05", "gaussian-dp:0.3", "approx-dp:0.5,1e-8"])
def test_beliefs_of_one_release_are_those_of_the_release(spec):
    answer = deniable.compose([spec], exceedance=1e-5, prior=(0.2, 0.3))
    wanted = f"privacy-loss-tail:{answer.loss!r},1e-05"
    assert deniable.derive(spec, wanted).target.spec == wanted
    upper = {each.prior: each.upper for each in answer.posterior}[0.3]
    odds = 0.3 / 0.7 * math.exp(answer.range_loss)
    assert upper == pytest.approx(odds / (1 + odds), rel=1e-12)


def test_a_total_beyond_all_protection_says_so():
    beyond = deniable.compose(["zcdp:600", "zcdp:600"])
    assert beyond.loss == pytest.approx(1200 + 2 * math.sqrt(1200 * math.log(1e4)))
    assert beyond.cautions[0].startswith("This protects nobody")
    assert deniable.compose(["pure-dp:inf", "pure-dp:1"]).total.epsilon == math.inf


def test_orders_add_up_where_all_of_them_know_them():
    one, other = "rdp:2,0.3@also-8,1.5/30,9", "rdp:4,0.5@also-16,2"
    answer = deniable.compose([one, other])
    sums = {2.0: 0.3 + 0.5, 4.0: 1.5 + 0.5, 8.0: 1.5 + 2.0, 16.0: 9.0 + 2.0}
    assert dict(answer.total.points) == pytest.approx(sums)
    tails = [epsilon + math.log(1e4) / (order - 1) for order, epsilon in answer.total.points]
    assert answer.loss == pytest.approx(min(tails))
    assert answer.exceedance == pytest.approx(1e-4)
    assert [step.theorem.split(" ")[0] for step in answer.derivation[:2]] == (
        ["renyi_dp_to_lower_order"] * 2
    )


def test_other_measures_meet_an_order():
    specs = ["rdp:2,0.3", "pure-dp:0.5", "zcdp:0.1", "gaussian-dp:1"]
    total = deniable.compose(specs).total
    randomised = math.log((math.exp(1.0) + math.exp(-0.5)) / (1 + math.exp(0.5)))
    assert dict(total.points) == pytest.approx({2.0: 0.3 + randomised + 0.2 + 1.0})
    with refuses(NotApplicable, "replace-one-beside-replace-one-same-2"):
        deniable.compose(["rdp:2,0.3@add-remove", "pure-dp:1"])
    with refuses(NotApplicable, "choose-delta-for-it-deniable"):
        deniable.compose(["rdp:2,0.3", "approx-dp:1,1e-6"])
