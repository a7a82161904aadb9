"""Which method answers, what it costs, and in which parts it works."""

import itertools
import math
from collections import Counter
from functools import partial

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.effort import Effort, limited
from deniable.population.integer_sums import engine, inversion, outliers
from deniable.population.integer_sums.engine import TUNING, Cost, losses
from deniable.population.integer_sums.multiset import multiset
from deniable.population.integer_sums.release import Reduced
from tests.cases.refusals import refuses

NOISE = DiscreteLaplace(20.0)
MEMORY = 2**34


def reduced(values, size, noise=NOISE, delta=0.01):
    return all_targets(multiset(values, size)[0], noise, delta)


def all_targets(problem, noise, delta):
    return Reduced(problem, np.arange(len(problem.values)), noise, delta)


def crowd():
    return np.random.default_rng(0).integers(0, 11, 1000).tolist()


@pytest.mark.parametrize(
    ("values", "size", "method"),
    [
        (range(30), 15, engine.by_counting),
        (range(70), 35, engine.by_recursion),
        ([0, 1] * 500, 500, engine.by_inversion),
        (crowd(), 500, engine.by_inversion),
        ([*crowd(), 5000], 500, engine.by_conditioning),
    ],
)
def test_the_method_that_is_taken(values, size, method):
    ready = engine.best(reduced(values, size), MEMORY).ready()
    assert getattr(ready, "func", ready) is method


def test_only_what_does_not_fit_into_memory_is_refused():
    question = reduced(range(30), 15)
    needed = engine.best(question, MEMORY).cost.bytes
    assert engine.best(question, needed).cost.bytes == needed
    with refuses(InvalidArgument, "takes-more-than-memory: 0.2 | 0.0"):
        engine.best(question, 1000)
    wide = reduced(np.random.default_rng(0).integers(0, 10**9, 1000), 500)
    with refuses(InvalidArgument, "takes-more-than-memory"):
        engine.best(wide, MEMORY)


def test_outputs_that_only_outliers_make():
    """Five outliers are too many to condition on; more tilts narrow their intervals."""
    question = reduced([*crowd(), 200, 210, 220, 230, 240], 500, DiscreteLaplace(2.0))
    first = engine.best(question, MEMORY)
    again = engine.farther_tilts(question, MEMORY)
    assert again.cost.total(1) > first.cost.total(1)
    one, other = (losses(question, each, Effort()) for each in (first, again))
    assert np.all((one.lower <= other.upper) & (other.lower <= one.upper))
    assert np.all(other.upper - other.lower < 1e-6)


def test_no_farther_tilts_without_delta():
    assert engine.farther_tilts(reduced(crowd(), 500, delta=0.0), MEMORY) is None


def test_narrower_intervals_are_worth_little():
    question = reduced(range(70), 35)
    first = engine.best(question, MEMORY)
    assert engine.is_worth_it(first, question, first, question)
    wide = reduced(np.random.default_rng(1).integers(0, 30_000, 900), 450)
    dear = engine.exact(wide, 2**60)
    assert not engine.is_worth_it(dear, wide, first, question)
    assert engine.exact(wide, 2**30) is None


NEAR = np.random.default_rng(8).integers(0, 9, 40).tolist()
PART = TUNING.part


def test_a_part_repeats_what_is_shared():
    cost = Cost(before=5 * PART, part=10 * PART, target=2 * PART, bytes=1)
    assert cost.parts(40) == 4
    assert cost.total(40) == (5 + 4 * 10 + 40 * 2) * PART
    assert cost.parts(2) == 2
    assert Cost(0.0, 0.1 * PART, 0.001 * PART, 1).parts(40) == 1
    assert Cost(0.0, 0.0, PART, 1).parts(40) == 40


@pytest.mark.parametrize("cost", [engine.counting_cost, engine.recursion_cost])
def test_costs_grow_with_the_range(cost):
    narrow, wide, widest = (
        reduced([*NEAR, far], 3, delta=0.0) for far in (1510, 15_101, 10**7 + 1)
    )
    assert cost(wide).total(9) > 5 * cost(narrow).total(9)
    assert cost(widest).bytes > 10 * cost(wide).bytes


def test_noise_costs_its_width():
    smooth = engine.release_cost(reduced(NEAR, 3, DiscreteGaussian(1e6)), 10)
    assert smooth > 1e4 * engine.release_cost(reduced(NEAR, 3), 10)


def test_steps_cost_columns_where_delta_is_not_0():
    one, seven = (reduced([step * value for value in NEAR], 3) for step in (1, 7))
    assert engine.release_cost(seven, 10) == 7 * engine.release_cost(one, 10)
    pure = [without_delta(one), without_delta(seven)]
    assert engine.release_cost(pure[0], 10) == engine.release_cost(pure[1], 10)


def without_delta(question):
    return Reduced(question.problem, question.targets, question.noise, 0.0)


def test_what_does_not_matter_is_not_counted():
    question = reduced(NEAR, 3, delta=0.0)
    chosen = inversion.tilts(question.problem, 0.02)
    whole = engine.inversion_cost(question, chosen)
    assert 0 < engine.inversion_cost(question, chosen, within=0.0).total(9) < whole.total(9)
    assert 0 < engine.inversion_cost(question, chosen, memory=1.0).total(9) < whole.total(9)


PROBLEM = multiset([*np.random.default_rng(8).integers(0, 9, 40).tolist(), 150], 15)[0]


def every_method(question):
    far, targets = question.farthest_tilt(), question.targets
    tilts = inversion.tilts(PROBLEM, far)
    return [
        engine.by_counting,
        engine.by_recursion,
        partial(engine.by_inversion, inversion.plan(PROBLEM, targets, tilts)),
        partial(engine.by_conditioning, outliers.plan(outliers.split(PROBLEM), targets, far)),
    ]


@pytest.mark.parametrize(
    ("noise", "delta"),
    [(DiscreteLaplace(6.0), 0.0), (DiscreteLaplace(6.0), 0.003), (DiscreteGaussian(30.0), 0.003)],
)
def test_every_method_gives_the_same(noise, delta):
    question = all_targets(PROBLEM, noise, delta)
    found = [engine.losses_by(method, question) for method in every_method(question)]
    for lower, upper in found:
        assert np.all(lower <= found[0][1])
        assert np.all(found[0][0] <= upper)
    for at in (0, 1, 3):  # plain inversion is wide beside an outlier
        assert np.all(found[at][1] - found[at][0] < 1e-8)


@pytest.mark.parametrize("noise", [DiscreteLaplace(0.1), DiscreteLaplace(40.0)])
def test_counts_and_recursion_beyond_float64_and_in_steps(noise):
    """e^(−150/b) underflows; squares of multiples of 7 are counted in steps of 7."""
    steps = multiset(np.arange(10) ** 2 * 7, 4)[0]
    assert steps.step == 7
    for problem, delta in ((PROBLEM, 0.0), (steps, 0.0), (steps, 0.003)):
        question = all_targets(problem, noise, delta)
        counted = engine.losses_by(engine.by_counting, question)
        added = engine.losses_by(engine.by_recursion, question)
        assert np.all((counted[0] <= added[1]) & (added[0] <= counted[1]))


def test_targets_a_few_at_a_time():
    wide = multiset(np.random.default_rng(0).integers(0, 90_000, 30), 15)[0]
    parts = list(engine.by_counting(wide, np.arange(3)))
    assert [laws.low.shape[1] for laws in parts] == [1, 1, 1]


OUTLIERS_NEAR = [0, 1, 1, 2, 3, 3, 4, 4, 2, 0]


@pytest.mark.parametrize("far", [[300], [300, 300], [-200, 300]])
def test_the_laws_subset_by_subset(far):
    values = OUTLIERS_NEAR + far
    problem, places = multiset(values, 5)
    parts = outliers.split(problem)
    assert parts is not None
    assert sorted(parts.outliers) == sorted(value - min(values) for value in far)
    targets = np.arange(len(problem.values))
    laws = outliers.sum_laws(problem, targets, outliers.plan(parts, targets, 0.5))
    reduced = problem.values[places]
    for target in targets:
        record = places.tolist().index(target)
        exact: list[Counter[int]] = [Counter(), Counter()]
        for members in itertools.combinations(range(len(values)), 5):
            exact[record not in members][int(reduced[list(members)].sum())] += 1
        for row, law in enumerate(exact):
            chances = [law[problem.sum_range[0] + s] / law.total() for s in range(problem.n_sums)]
            logs = np.array([math.log(p) if p else -math.inf for p in chances])
            assert np.all(laws.low[row, target] <= logs + 1e-12)
            assert np.all(logs - 1e-12 <= laws.high[row, target])
            known = np.isfinite(logs)
            low, high = laws.low[row, target][known], laws.high[row, target][known]
            assert np.all(high - low < 1e-6)


@pytest.mark.parametrize(
    "values",
    [
        OUTLIERS_NEAR,  # nothing is far
        [*OUTLIERS_NEAR, 30],  # not beyond what the others' sum covers
        [*OUTLIERS_NEAR, 300, 400, 500, 600, 700],  # too many
        [1] * 10 + [300],  # the others are all the same
    ],
)
def test_nothing_to_split(values):
    assert outliers.split(multiset(values, 5)[0]) is None


def test_a_sample_too_small_to_go_without():
    assert outliers.split(multiset([*OUTLIERS_NEAR, 300], 1)[0]) is None
    assert outliers.split(multiset([*OUTLIERS_NEAR, 300], 2)[0]) is not None


def dear(question):
    """The method that is taken, said to take a part for each target."""
    found = engine.best(question, MEMORY)
    return attrs.evolve(found, cost=attrs.evolve(found.cost, part=0.0, target=TUNING.part))


def test_no_time_at_all():
    question = reduced([0, 1, 5, 50], 2, delta=0.0)
    with limited(0.0):
        found = losses(question, dear(question), Effort())
    assert found.lower.tolist() == [0, 0, 0, 0]
    assert found.upper == pytest.approx(question.farthest() / 20, rel=1e-15)
    assert not found.reached.any()


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_parts_do_not_change_the_answer(delta):
    question, told = reduced(np.arange(12) ** 2, 5, delta=delta), []
    whole = losses(question, engine.best(question, MEMORY), Effort())
    parts = losses(question, dear(question), Effort(progress=told.append))
    np.testing.assert_allclose(parts.lower, whole.lower, rtol=1e-12)
    np.testing.assert_allclose(parts.upper, whole.upper, rtol=1e-12)
    assert told == pytest.approx([(at + 1) / 12 for at in range(12)])
    assert parts.reached.all()


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_when_time_is_over_the_rest_is_what_the_noise_gives(monkeypatch, delta):
    question, told = reduced(np.arange(12) ** 2, 5, delta=delta), []
    whole = losses(question, engine.best(question, MEMORY), Effort())
    monkeypatch.setattr("time.monotonic", lambda: 2.0 * len(told))  # a part takes 2 seconds
    with limited(1.0):
        cut = losses(question, dear(question), Effort(progress=told.append))
    assert np.all((cut.lower <= whole.upper) & (whole.lower <= cut.upper))
    assert cut.reached.sum() == 1
    assert cut.reached[0]  # the outermost come first
    assert np.all(cut.lower[1:] == 0)
    assert np.all(np.isfinite(cut.upper))
    assert told[-1] == 1


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_workers_and_checkpoints_do_not_change_the_answer(tmp_path, delta):
    question = reduced(range(12), 5, delta=delta)
    method = dear(question)
    alone = losses(question, method, Effort())
    for effort in (Effort(workers=2), Effort(checkpoint=tmp_path), Effort(checkpoint=tmp_path)):
        again = losses(question, method, effort)
        np.testing.assert_array_equal(again.lower, alone.lower)
        np.testing.assert_array_equal(again.upper, alone.upper)


def test_farthest_in_units_of_the_data():
    assert reduced([0, 3, 30], 1).farthest().tolist() == [30, 27, 30]
    assert reduced([0, 3, 30], 1).only(np.array([1])).farthest().tolist() == [27]


def test_noise_alone_is_an_exchange_for_the_farthest():
    lower, upper = reduced([0, 3, 30], 1, delta=0.0).noise_alone()
    assert lower.tolist() == [0, 0, 0]
    assert upper == pytest.approx(30 / 20, rel=1e-12)


@pytest.mark.parametrize("noise", [DiscreteLaplace(2.0), DiscreteGaussian(2.0)])
def test_tilts_for_likely_outputs_are_fewer(noise):
    question = reduced([*range(9), 150], 4, noise)
    assert question.likely_tilt() < question.farthest_tilt()


def test_every_output_counts_without_delta():
    assert reduced(range(9), 4, DiscreteLaplace(2.0), 0.0).likely_tilt() == 0.5
