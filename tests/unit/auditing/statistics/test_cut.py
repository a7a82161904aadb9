"""Cuts: what is guessed at ties, at the ends, with δ, and everywhere."""

import numpy as np
import pytest

from deniable.auditing.statistics import Cut, counted, lower_limit
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses

ENDS = np.array([-np.inf, -1e308, -1.0, 0.0, 0.0, 1.0, 1e308, np.inf])


def laplace(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    members = rng.random(n) < 0.5
    return rng.laplace(size=n) + members, members


@pytest.mark.parametrize("seed", range(8))
def test_everywhere_means_everywhere(seed):
    rng = np.random.default_rng(seed)
    scores = rng.choice(ENDS, size=30)
    cut = Cut.select(scores, rng.random(30) < 0.5, abstain=False)
    assert cut.guesses(ENDS).all()


@pytest.mark.parametrize("delta", [1e-9, 0.2])
def test_with_delta_the_number_of_guesses_is_fixed_by_the_pilot(delta):
    cut = Cut.select(*laplace(400, 1), delta=delta)
    made = {counted(cut, *laplace(1000, seed), delta=delta)[0] for seed in range(2, 8)}
    made |= {counted(cut, np.zeros(1000), np.zeros(1000, bool), delta=delta)[0]}
    assert made == {int(cut.ins * 1000) + int(cut.outs * 1000)}


def test_equal_scores_are_guessed_alike():
    scores = np.repeat([0.0, 1.0, 2.0], 50)
    rng = np.random.default_rng(3)
    cut = Cut.select(scores, rng.random(150) < np.repeat([0.2, 0.5, 0.8], 50))
    assert (cut.low, cut.high) == (0.0, 2.0)


def test_where_few_runs_tell_all_only_these_are_guessed():
    rng = np.random.default_rng(5)
    members = rng.random(20_000) < 0.5
    scores = np.where(members & (rng.random(20_000) < 0.02), 9.0, rng.random(20_000))
    cut = Cut.select(scores[:10_000], members[:10_000])
    guesses, right = counted(cut, scores[10_000:], members[10_000:])
    assert guesses - 1 <= right <= guesses < 200
    assert lower_limit(10_000, guesses, right) > 3


def test_half_of_laplace_noise_is_found():
    cut = Cut.select(*laplace(50_000, 6))
    assert lower_limit(50_000, *counted(cut, *laplace(50_000, 7))) > 0.95


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((0,), (0,)), ((3, 1), (3, 1))])
def test_scores_of_other_runs_are_refused(shapes):
    with refuses(InvalidArgument, "one-score-pilot-run"):
        Cut.select(np.zeros(shapes[0]), np.zeros(shapes[1], bool))


@pytest.mark.parametrize("bad", [(1.0, 1.0, 0.5, 0.5), (0.0, 1.0, -0.1, 0.5)])
def test_a_cut_with_its_ends_the_wrong_way_is_refused(bad):
    with refuses(InvalidArgument, "low-below-high"):
        Cut(*bad)


def test_with_delta_scores_that_part_both_kinds_are_never_guessed_wrongly():
    """Where all are guessed their number is fixed, and the shares of the pilot are no reason."""
    pilot, test = (np.arange(n) % 3 == 0 for n in (100, 101))
    cut = Cut.select(pilot.astype(float), pilot, delta=0.3)
    assert (cut.guesses(test[::-1].astype(float), delta=0.3) == np.where(test[::-1], 1, -1)).all()
    assert (cut.guesses(np.ones(7), delta=0.3) == 1).all()
