"""What is judged of neighbours: differential privacy, exchanges, sampling."""

import math
from functools import partial

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.differential import (
    AddRemove,
    Ratios,
    add_remove,
    gamma,
    replace_one_epsilon,
    sample_law,
    sampling_epsilon,
)
from deniable.judge.neighbours import (
    Extremes,
    Likelihoods,
    complete_sizes,
    every_subset,
    extremes,
    fill_unknown,
    has_exchanges,
    iterate_additions,
    iterate_exchanges,
)
from deniable.judge.worst_cases import Instances, best, instances
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses


def numbered(n):
    """Every entry names its row and column."""
    return np.arange(2**n * 2, dtype=float).reshape(2**n, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_views_hold_every_pair_of_neighbours_once(n):
    table = numbered(n)
    found = set()
    for pairs in iterate_additions(table):
        for at in np.ndindex(pairs.first.shape[:-1]):
            one, other = pairs.rows(at)
            assert (pairs.first[at] == table[one]).all()
            assert (pairs.second[at] == table[other]).all()
            assert one ^ other == 1 << pairs.entity
            assert one > other
            found.add((one, other))
    assert len(found) == n * 2 ** (n - 1)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_views_hold_every_exchange_once(n):
    table = numbered(n)
    found = set()
    for pairs in iterate_exchanges(table):
        for at in np.ndindex(pairs.first.shape[:-1]):
            one, other = pairs.rows(at)
            assert (pairs.first[at] == table[one]).all()
            assert (pairs.second[at] == table[other]).all()
            assert one ^ other == 1 << pairs.entity | 1 << pairs.other
            assert one.bit_count() == other.bit_count()
            found.add((one, other))
    assert len(found) == math.comb(n, 2) * 2 ** max(n - 2, 0) if n > 1 else not found


def test_views_copy_nothing():
    table = numbered(4)
    for pairs in (*iterate_additions(table), *iterate_exchanges(table)):
        assert np.shares_memory(pairs.first, table)


def known(n, rows):
    table = np.full((2**n, 1), np.nan)
    table[list(rows)] = 1.0
    return StochasticMatrix(Universe(tuple("abcd"[:n])), ("x",), table)


@pytest.mark.parametrize(
    ("n", "rows", "whole", "exchanges"),
    [
        (2, [0, 1, 2, 3], (0, 1, 2), True),
        (2, [1, 2], (1,), True),
        (2, [0, 1, 2], (0, 1), True),
        (2, [0, 3], (0, 2), False),
        (2, [1], (), False),
        (2, [0, 1], (), False),
        (3, [1, 2, 4, 3], (), False),
        (1, [0], (0,), True),
        (1, [0, 1], (0, 1), True),
    ],
)
def test_sizes_count_only_if_all_are_whole(n, rows, whole, exchanges):
    matrix = known(n, rows)
    assert complete_sizes(matrix) == whole
    assert has_exchanges(matrix) is exchanges
    assert every_subset(matrix) is (len(rows) == 2**n)


def test_unknown_laws_become_zeros(pick):
    table = fill_unknown(pick)
    assert table[0].tolist() == [0, 0, 0]
    assert table[1].tolist() == [0.5, 0.5, 0]


def test_a_zero_on_one_side_is_infinite(parity):
    found = extremes(iterate_additions(fill_unknown(parity)))
    assert found.rise.ratio == found.fall.ratio == math.inf
    assert found.rise.epsilon == math.inf
    assert found.rise.above == 1.0
    assert found.rise.below == 0.0


def test_zeros_on_both_sides_do_not_count(constant):
    found = extremes(iterate_additions(fill_unknown(constant)))
    assert found.rise.ratio == found.fall.ratio == 1.0
    assert found.rise.epsilon == 0.0
    assert found.rise.output in (0, 1)


def test_an_output_that_never_comes_hides_no_pair():
    """Zeros stand first; the ratio 1 beside them is the extreme all the same."""
    matrix = StochasticMatrix(Universe(("a", "b")), ("never", "always"), [[0.0, 1.0]] * 4)
    for pairs in (iterate_additions, iterate_exchanges):
        found = extremes(pairs(fill_unknown(matrix)))
        assert found.rise.ratio == found.fall.ratio == 1.0
        assert (found.rise.output, found.fall.output) == (1, 1)


def test_unknown_pairs_hide_no_pair(pick):
    found = extremes(iterate_exchanges(fill_unknown(pick)))
    assert (found.rise.ratio, found.fall.ratio) == (math.inf, math.inf)


def test_no_pairs_no_extremes(flip):
    assert extremes(iterate_exchanges(fill_unknown(flip))) == Extremes(None, None)
    assert Extremes(None, None).either is None


def test_directions(flip):
    found = extremes(iterate_additions(fill_unknown(flip)))
    assert found.rise == Likelihoods(0.5, 0.25, 1, 0, 1, 0)
    assert found.fall == Likelihoods(0.75, 0.5, 0, 1, 0, 0)
    assert found.either == found.rise


def test_a_ratio_is_rounded_up():
    third = Likelihoods(1.0, 3.0, 0, 1, 0, 0)
    assert third.ratio == math.nextafter(1 / 3, 1)
    assert Likelihoods(3.0, 1.0, 0, 1, 0, 0).ratio == 3.0
    assert third.epsilon == 0.0


def test_halves(flip):
    found = add_remove(Ratios(flip))
    assert found.positive == pytest.approx(math.log(2), rel=1e-15)
    assert found.negative == pytest.approx(math.log(1.5), rel=1e-15)
    assert found.epsilon == found.positive >= math.log(2)


def test_one_entity_cannot_be_replaced(flip):
    assert replace_one_epsilon(Ratios(flip)) == 0.0


def test_a_deterministic_mechanism(parity):
    assert add_remove(Ratios(parity)) == AddRemove(math.inf, math.inf)
    assert replace_one_epsilon(Ratios(parity)) == 0.0


def test_a_useless_mechanism(constant):
    assert add_remove(Ratios(constant)).epsilon == replace_one_epsilon(Ratios(constant)) == 0.0


def test_sizes_that_lack(pick):
    assert add_remove(Ratios(pick)) is None
    assert replace_one_epsilon(Ratios(pick)) == math.inf


def one(own, others):
    """One instance, t = 0 with nobody certain."""
    ordered = np.array([others], dtype=float)
    names = np.arange(1, len(others) + 1)[None, :]
    zero = np.zeros(1, dtype=np.int64)
    return Instances(zero, zero, zero, np.array([own], dtype=float), ordered, names)


def on_a_grid(own, others, low, high, *, absent):
    """The same for two others, by trying every q and share."""
    top = 0.0
    for q in np.linspace(low, high, 201):
        for first in np.linspace(low, high, 201):
            second = 1 - q - first
            if not low - 1e-12 <= second <= high + 1e-12:
                continue
            rest = first * others[0] + second * others[1]
            total = q * own + rest
            factors = (own / total, total * (1 - q) / rest)
            if absent:
                factors = (1 / factors[0], 1 / factors[1])
            top = max(top, *factors)
    return top


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize(
    ("own", "others"), [(0.9, (0.1, 0.3)), (0.5, (0.2, 0.9)), (0.1, (0.5, 0.7)), (0.4, (0.4, 0.4))]
)
def test_two_others_against_a_grid(own, others, absent):
    low, high = 0.2, 0.5
    ordered = sorted(others, reverse=absent)
    found = best(one(own, ordered), low, high, 2, absent=absent)
    listed = on_a_grid(own, ordered, low, high, absent=absent)
    assert found.gamma == pytest.approx(listed, rel=5e-3)
    assert found.gamma >= listed - 1e-9
    assert sum(found.chances.values()) == pytest.approx(1.0)
    assert all(low - 1e-12 <= p <= high + 1e-12 for p in found.chances.values())


def test_no_probabilities_that_fit():
    assert best(one(0.5, [0.1, 0.2]), 0.4, 0.5, 2, absent=False) is None
    assert best(one(0.5, [0.1, 0.2]), 0.1, 0.3, 2, absent=False) is None
    assert best(one(0.5, [0.1]), 0.2, 0.8, 2, absent=False) is None


def test_thirds_add_up():
    found = best(one(0.5, [0.25, 0.5]), 1 / 3, 1 / 3, 2, absent=False)
    assert found.chances == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})
    # Pr[S] = 5/12, Pr[S|¬t] = 3/8
    assert found.gamma == pytest.approx(max(0.5 / (5 / 12), (5 / 12) / (3 / 8)))


def test_likelihoods_of_zero():
    assert best(one(0.5, [0.0]), 0.3, 0.7, 1, absent=False).gamma == math.inf
    assert best(one(0.0, [0.0]), 0.3, 0.7, 1, absent=False).gamma == 1.0
    assert best(one(0.0, [0.5]), 0.3, 0.7, 1, absent=True).gamma == math.inf


def test_instances_are_all_there(pick):
    found = list(instances(fill_unknown(pick), 1, absent=False))
    assert [int(each.entity[0]) for each in found] == [0, 1, 2]
    assert found[0].own.tolist() == [0.5, 0.5, 0.0]
    assert found[0].others.tolist() == [[0.0, 0.5], [0.0, 0.5], [0.5, 0.5]]
    assert found[0].names.tolist() == [[1, 2], [2, 1], [1, 2]]


def test_the_absent_one_is_read_from_the_complement(pick):
    mirrored = fill_unknown(pick)[::-1]
    straight = list(instances(fill_unknown(pick), 1, absent=False))
    turned = list(instances(np.ascontiguousarray(mirrored), 2, absent=True))
    for one_, other in zip(straight, turned, strict=True):
        assert one_.own.tolist() == other.own.tolist()
        assert np.sort(one_.others).tolist() == np.sort(other.others).tolist()


def test_some_of_them(pick):
    found = next(instances(fill_unknown(pick), 1, absent=False))
    assert found.where(found.own > 0).own.tolist() == [0.5, 0.5]


def test_the_law_on_a_sample(flip):
    assert sample_law(flip, 0.5).tolist() == [[0.75, 0.25], [0.625, 0.375]]
    assert sample_law(flip, 1.0).tolist() == flip.rows.tolist()
    assert (sample_law(flip, 0.0) == flip.rows[0]).all()
    assert flip.rows[1].tolist() == [0.5, 0.5]  # not written into


def test_epsilon(flip, parity, pick):
    assert sampling_epsilon(flip, 0.5) == pytest.approx(math.log(1.5))
    assert sampling_epsilon(flip, 0.0) == 0.0
    assert sampling_epsilon(parity, 1.0) == math.inf
    assert sampling_epsilon(parity, 0.3) == math.inf  # the empty set samples to itself
    assert sampling_epsilon(pick, 0.5) is None


def test_gammas(flip):
    up, down = gamma(flip, 0.5, rise=True), gamma(flip, 0.5, rise=False)
    assert up.bound.upper == pytest.approx(1.5)
    assert down.bound.upper == pytest.approx(1.25)
    assert up.witness.as_json() == {"entity": "a", "output": "yes", "prior": {"": 0.5, "a": 0.5}}
    assert down.witness.output == "no"


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_certainty_is_no_family(flip, rate):
    assert gamma(flip, rate, rise=True) is None
    assert gamma(flip, rate, rise=False) is None


def test_sampling_sizes_that_lack(pick):
    assert gamma(pick, 0.5, rise=True) is None


def test_small_rates_keep_their_precision(flip):
    found = gamma(flip, 1e-12, rise=True).bound.upper
    assert found == pytest.approx(2.0, rel=1e-9)  # Pr[t|S]/Pr[t] at a prior near 0


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_rates_that_are_none(flip, rate):
    for figure in (sample_law, sampling_epsilon, partial(gamma, rise=True)):
        with refuses(InvalidArgument, "names-argument: rate"):
            figure(flip, rate)


def test_sampling_a_useless_mechanism(constant):
    assert gamma(constant, 0.5, rise=True).bound.upper == 1.0
    assert np.allclose(sample_law(constant, 0.4), constant.rows)
