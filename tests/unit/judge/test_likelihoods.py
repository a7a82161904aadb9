"""Likelihood ratios of a finite mechanism, and curves through them."""

import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.bounded_priors import free_sets, search
from deniable.judge.curve import advantage, privacy_curve
from deniable.judge.differential import Ratios
from deniable.judge.likelihoods import falls, joint, rises, weights
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.priors import ProductPrior, UniformPrior
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses
from tests.oracles import judge as brute


def test_both_sides_of_one_entity(flip):
    found = joint(flip.rows, np.array([0.8, 0.2]))
    assert found.given_in[0].tolist() == pytest.approx([0.5, 0.5])
    assert found.given_out[0].tolist() == pytest.approx([0.75, 0.25])
    assert (found.member[0], found.stranger[0]) == (0.2, 0.8)
    assert found.uncertain.tolist() == [True]


def test_factors_on_the_belief(flip):
    found = joint(flip.rows, np.array([0.5, 0.5]))
    # yes: Pr = 3/8, posterior 2/3; no: Pr = 5/8, posterior 2/5
    assert rises(found)[0].tolist() == pytest.approx([1.0, 1.5])
    assert falls(found)[0].tolist() == pytest.approx([1.25, 1.0])


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_certainty_does_not_move(flip, chance):
    found = joint(flip.rows, np.array([1 - chance, chance]))
    assert rises(found).tolist() == falls(found).tolist() == [[1.0, 1.0]]
    assert found.uncertain.tolist() == [False]
    assert math.isnan((found.given_out if chance else found.given_in)[0, 0])


def test_outputs_that_never_come_say_nothing(constant):
    found = joint(constant.rows, np.full(4, 0.25))
    assert rises(found).max() == falls(found).max() == 1.0


def test_an_output_that_settles_the_matter(parity):
    found = joint(parity.rows, np.array([0.5, 0.5, 0.0, 0.0]))
    assert rises(found)[0].tolist() == [1.0, math.inf]
    assert falls(found)[0].tolist() == [math.inf, 1.0]
    assert rises(found)[1].tolist() == [1.0, 1.0]


def test_small_probabilities_are_not_lost_beside_large_ones(flip):
    found = joint(flip.rows, np.array([1 - 1e-300, 1e-300]))
    assert rises(found)[0, 1] == pytest.approx(2.0)


def test_weights_follow_row_order(parity):
    found = weights(parity, ProductPrior([0.25, 0.5]))
    assert found.tolist() == pytest.approx([0.375, 0.125, 0.375, 0.125])


def test_a_prior_over_another_universe(flip):
    with refuses(InvalidArgument, "entities-of-universe-one-over: 1 | 2"):
        weights(flip, UniformPrior(2))


def test_a_prior_that_allows_an_unknown_subset(pick):
    with refuses(InvalidArgument, "allows-none-of-add"):
        weights(pick, UniformPrior(3))


def test_products_of_small_numbers_do_not_vanish():
    rows = np.array([[1e-260], [1e-50]])
    found = joint(rows, np.array([1 - 1e-200, 1e-200]))
    assert rises(found)[0, 0] == pytest.approx(1e200)


def test_advantages(flip, parity):
    assert joint(flip.rows, np.array([0.8, 0.2])).advantages.tolist() == pytest.approx([0.25])
    assert math.isnan(joint(flip.rows, np.array([1.0, 0.0])).advantages[0])
    assert joint(parity.rows, np.full(4, 0.25)).advantages.tolist() == [0.0, 0.0]


def test_exchanges_name_who_comes_and_who_goes(pick):
    found = Ratios(pick).replace_one
    assert found.rise.ratio == found.fall.ratio == math.inf
    assert found.rise.row_above == 1 << found.rise.entity
    assert found.fall.row_below == 1 << found.fall.entity


def test_what_is_not_known_is_none(pick):
    ratios = Ratios(pick)
    assert ratios.add_remove is None
    assert ratios.any_two is None


def test_one_entity_has_nobody_to_be_exchanged_for(flip):
    assert Ratios(flip).replace_one.rise is None


def test_any_two_subsets(parity, flip):
    assert Ratios(parity).any_two.rise.ratio == math.inf
    found = Ratios(flip).any_two
    assert (found.rise.ratio, found.fall.ratio) == (2.0, 1.5)
    assert (found.rise.row_above, found.rise.row_below) == (1, 0)
    assert (found.fall.row_above, found.fall.row_below) == (0, 1)


def test_each_kind_is_looked_for_once(flip):
    ratios = Ratios(flip)
    assert ratios.add_remove is ratios.add_remove


def test_a_matrix_is_not_changed(flip):
    with pytest.raises(AttributeError):
        Ratios(flip).matrix = None


ADD_REMOVE, REPLACE_ONE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def test_corners_of_one_pair(flip):
    curve = privacy_curve(flip, ADD_REMOVE)
    assert curve.complete
    # Two lines: 3/4 − z/2 for "no", 1/2 − z/4 for "yes"; they meet at z = 1.
    assert [math.exp(epsilon) for epsilon, _ in curve.points] == pytest.approx([1.0, 2.0])
    assert [delta for _, delta in curve.points] == [0.25, 0.0]


def test_a_delta_that_no_epsilon_removes(parity):
    curve = privacy_curve(parity, ADD_REMOVE)
    assert curve.points == ((0.0, 1.0),)
    assert curve.delta(0.0) == curve.delta(1e9) == 1.0


def test_nothing_to_tell(constant):
    for adjacency in Adjacency:
        assert privacy_curve(constant, adjacency).points == ((0.0, 0.0),)
        assert advantage(constant, adjacency) == 0.0


def test_sizes_that_lack(pick):
    assert privacy_curve(pick, ADD_REMOVE) is None
    assert advantage(pick, ADD_REMOVE) is None
    assert privacy_curve(pick, REPLACE_ONE).advantage == advantage(pick, REPLACE_ONE) == 0.5


def test_one_entity_has_no_replacement(flip):
    assert privacy_curve(flip, REPLACE_ONE).points == ((0.0, 0.0),)


def test_too_much_work_leaves_exact_points():
    rows = np.random.default_rng(3).dirichlet(np.ones(12), size=32)
    matrix = StochasticMatrix(Universe(tuple("abcde")), list("0123456789xy"), rows)
    full, part = privacy_curve(matrix, ADD_REMOVE), privacy_curve(matrix, ADD_REMOVE, work=0)
    assert full.complete
    assert not part.complete
    assert len(part.points) < len(full.points)
    for epsilon, delta in part.points:
        assert delta == pytest.approx(full.delta(epsilon), abs=1e-12)
    assert part.points[0] == full.points[0]
    assert part.points[-1] == pytest.approx(full.points[-1])


def test_ratios_near_the_largest_float():
    rows = [[0.5, 0.5], [1e-305, 1.0]]
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), rows)
    curve = privacy_curve(matrix, ADD_REMOVE)
    assert curve.complete
    assert curve.points[-1] == (pytest.approx(math.log(0.5) + 305 * math.log(10)), 0.0)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_free_sets_are_all_there(n):
    sizes = tuple(range(n + 1))
    found = sorted(free_sets(n, sizes, (0.0, 1.0)))
    assert found == sorted(brute.free_sets(n, sizes))
    narrow = [
        (free, certain, number)
        for free, certain, number in found
        if len(free) * 0.3 <= number <= len(free) * 0.5
    ]
    assert sorted(free_sets(n, sizes, (0.3, 0.5))) == narrow


def test_thirds_count_as_thirds():
    assert list(free_sets(3, (1,), (1 / 3, 1 / 3))) == [((0, 1, 2), (), 1)]


def table(n, seed):
    return np.random.default_rng(seed).dirichlet([1.0, 1.0], size=2**n)


def shown(mechanism, prior):
    return brute.gamma(mechanism, prior)


def test_only_even_odds_meet_the_ends():
    mechanism = table(5, 1)
    found = search(mechanism, (2,), (0.4, 0.4), 1.0, 10**6)
    assert found.ceiling == pytest.approx(shown(mechanism, found.prior))
    assert found.prior[found.prior > 0] == pytest.approx([0.1] * 10)


def test_a_search_ends_between_what_is_shown_and_its_tolerance():
    mechanism = table(5, 2)
    found = search(mechanism, (2,), (0.38, 0.43), 1.0, 10**8)
    assert shown(mechanism, found.prior) <= found.ceiling * (1 + 1e-12)
    assert found.ceiling <= shown(mechanism, found.prior) * (1 + 2e-7)
    chances = brute.marginals(found.prior)
    assert (chances >= 0.38 - 1e-12).all()
    assert (chances <= 0.43 + 1e-12).all()


def test_too_little_work_leaves_a_wider_bracket_that_holds():
    mechanism = table(5, 2)
    full, none = (search(mechanism, (2,), (0.38, 0.43), 1.0, work) for work in (10**8, 0))
    assert none.ceiling >= full.ceiling
    assert math.isfinite(none.ceiling)


def test_nothing_better_than_what_is_known():
    found = search(table(4, 3), (2,), (0.3, 0.7), 1e6, 10**8)
    assert found.prior is None
    assert found.ceiling == pytest.approx(1e6)


def test_no_free_sets_to_search():
    found = search(table(3, 4), (1, 2), (0.3, 0.7), 1.5, 10**8)
    assert (found.ceiling, found.prior) == (1.5, None)


def test_an_output_that_only_comes_with_t():
    mechanism = np.array([[0.5, 0.5] if row & 1 else [0.0, 1.0] for row in range(16)])
    found = search(mechanism, (2,), (0.4, 0.6), 1.0, 10**7)
    assert found.ceiling == math.inf
    assert shown(mechanism, found.prior) == math.inf
