import math

import numpy as np
import pytest

from deniable.judge.boxes import free_sets, search
from tests.oracles import judge as brute


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
