"""What an exchange does to a noisy choice, beside its laws written out."""

import itertools
import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import NoisyTopK
from deniable.population.question import Selection
from tests.cases.refusals import refuses
from tests.oracles.selections import selection_law

NOISES = ["exponential", "gumbel"]
CATEGORIES = np.eye(4, dtype=int)[:, None]


def losses_of(scores, moved, number, scale, noise):
    before = selection_law(scores, number, scale, noise)
    after = selection_law([x + u for x, u in zip(scores, moved, strict=True)], number, scale, noise)
    return [math.log(after[o] / before[o]) for o in before], list(after.values())


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_no_exchange_of_sums_moves_a_choice_by_more(noise, number):
    rng = np.random.default_rng(3)
    for _ in range(40):
        moves = rng.integers(-3, 4, (2, 1, 3))
        bound = Selection(moves, False, NoisyTopK(2.0, number, noise)).losses()
        scores = rng.integers(-9, 10, 3).tolist()
        found, _ = losses_of(scores, (moves[0] - moves[1])[0], number, 2.0, noise)
        assert max(map(abs, found)) <= bound[0, 1] * (1 + 1e-12) + 1e-12
        assert bound[0, 1] == bound[1, 0]
        assert bound[0, 0] == 0


@pytest.mark.parametrize("noise", NOISES)
def test_one_row_each_loses_one_more_than_the_rounds_and_that_is_reached(noise):
    for number, candidates in ((1, 3), (2, 4), (3, 5)):
        moves = np.eye(candidates, dtype=int)[:, None]
        bound = Selection(moves, False, NoisyTopK(1.0, number, noise)).losses()[0, 1]
        assert bound == number + 1
        # The first falls behind; chosen are those that nobody moves, then the one that rises.
        scores = [60.0, 0.0, *[30.0 - 1e-9] * (candidates - 2)]
        moved = [1, -1, *[0] * (candidates - 2)]
        found, _ = losses_of(scores, moved, number, 1.0, noise)
        assert max(map(abs, found)) == pytest.approx(number + 1, abs=1e-3)


@pytest.mark.parametrize("noise", NOISES)
def test_where_only_sizes_count_each_score_may_go_either_way(noise):
    rng = np.random.default_rng(4)
    for _ in range(60):
        moves = rng.integers(-2, 3, (2, 1, 3))
        bound = Selection(moves, True, NoisyTopK(1.5, 1, noise)).losses()[0, 1]
        sums = rng.integers(0, 4, 2) @ moves[:, 0]  # as some sample has them
        before = selection_law((-abs(sums)).tolist(), 1, 1.5, noise)
        after = selection_law((-abs(sums + (moves[0] - moves[1])[0])).tolist(), 1, 1.5, noise)
        worst = max(abs(math.log(after[o] / before[o])) for o in before)
        assert worst <= bound * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("absolute", [False, True])
def test_renyi_divergences_keep_to_rho(noise, absolute):
    rng = np.random.default_rng(5)
    number = 1 if absolute else 2
    for _ in range(20):
        moves = rng.integers(-2, 3, (2, 1, 3))
        sums = rng.integers(0, 4, 2) @ moves[:, 0]
        rho = Selection(moves, absolute, NoisyTopK(1.5, number, noise)).rho()[0, 1]
        scores = [sums, sums + (moves[0] - moves[1])[0]]
        p, q = (
            selection_law((-abs(s) if absolute else s).tolist(), number, 1.5, noise) for s in scores
        )
        for order in (1.01, 1.5, 2.0, 5.0, 30.0):
            divergence = math.log(sum(p[o] ** order * q[o] ** (1 - order) for o in p))
            assert divergence / (order - 1) <= order * rho * (1 + 1e-9) + 1e-12


def test_cells_add_up_and_what_all_share_counts_nothing():
    mechanism = NoisyTopK(1.0, 1, "gumbel")
    cells = np.zeros((2, 2, 3), int)
    cells[0, 0, 0] = cells[1, 1, 2] = 1
    assert Selection(cells, False, mechanism).losses()[0, 1] == 2.0
    shared = Selection(cells + 7, False, mechanism)
    assert shared.losses()[0, 1] == 2.0
    assert Selection(np.full((3, 1, 2), 5), False, mechanism).constant
    assert not shared.constant


def test_candidates_that_nobody_tells_apart_are_one():
    # Below and above an empty stretch: all its candidates rise and fall together.
    moves = np.array([[[3, 3, 3]], [[-2, -2, -2]]])
    assert Selection(moves, True, NoisyTopK(1.0, 1, "gumbel")).losses()[0, 1] == 0.0


def test_many_types_in_blocks_are_as_alone():
    rng = np.random.default_rng(6)
    moves = rng.integers(0, 3, (300, 2, 60))
    many = Selection(moves, False, NoisyTopK(1.0, 2, "gumbel")).losses()
    for one, other in itertools.product((0, 151, 299), repeat=2):
        pair = Selection(moves[[one, other]], False, NoisyTopK(1.0, 2, "gumbel")).losses()
        assert many[one, other] == pair[0, 1]


@pytest.mark.parametrize("moves", [np.eye(3), np.zeros((0, 1, 3)), np.zeros((2, 1, 0)), [1, 2]])
def test_moves_of_another_shape_are_refused(moves):
    with refuses(InvalidArgument, "types-cells-candidates"):
        Selection(moves, False, NoisyTopK(1.0, 1, "gumbel"))


def test_no_more_are_chosen_than_there_are():
    with refuses(InvalidArgument, "at-least-number: 5"):
        Selection(CATEGORIES, False, NoisyTopK(1.0, 5, "gumbel"))
