"""Functions of a data set as targets: how they are called, what they answer, bad ones."""

import random
from decimal import Decimal

import numpy as np
import pytest

from deniable.auditing.mechanism import (
    MechanismTarget,
    SampleTarget,
    mechanism_target,
    removed,
    replaced,
)
from deniable.auditing.runs import made
from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort
from tests.cases.refusals import refuses

BITS = np.array([[True], [False], [False], [True]])


def generator():
    return np.random.default_rng(3)


def total(data):
    return sum(data)


def noisy(data, rng):
    return sum(data) + rng.normal()


def named(data, *, rng):
    return sum(data) + rng.normal()


def many(data, rng, draws):
    return sum(data) + rng.normal(size=draws)


def several(data, rng=None, *, draws=1):
    return np.stack([sum(data) + rng.normal(size=draws), rng.normal(size=draws)], axis=1)


@pytest.mark.parametrize(
    ("mechanism", "width"), [(total, 1), (noisy, 1), (named, 1), (many, 1), (several, 2)]
)
def test_each_way_to_be_called_answers_by_the_bit(mechanism, width):
    target = mechanism_target(mechanism, [1.0, 1000.0])
    signals = target.draw(BITS, generator()).signals
    assert signals.shape == (4, 1, width)
    assert ((signals[:, 0, 0] > 500) == BITS[:, 0]).all()


def test_global_generators_follow_the_generator_and_are_put_back():
    def careless(data):
        return [len(data) + np.random.normal(), random.random()]

    target = mechanism_target(careless, [1, 2])
    np.random.seed(1)
    random.seed(1)
    before = random.getstate()
    first = target.draw(BITS, generator()).signals
    assert random.getstate() == before
    assert (target.draw(BITS, generator()).signals == first).all()
    assert len(np.unique(first[:, 0, 1])) == 4


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        (2, [2.0]),
        (True, [1.0]),
        ({"b": [1, 2], "a": 0.5}, [0.5, 1.0, 2.0]),
        (np.array([[1, 2], [3, 4]]), [1.0, 2.0, 3.0, 4.0]),
        ((1, (2.5, [3])), [1.0, 2.5, 3.0]),
        (np.float32(0.5), [0.5]),
        (1 + 2j, [1.0, 2.0]),
        (np.array([1 + 2j]), [1.0, 2.0]),
        (np.array([1, 2], dtype=object), [1.0, 2.0]),
        (np.array(3, dtype=object), [3.0]),
        (10**400, [np.inf]),
        (-(10**400), [-np.inf]),
        (Decimal("0.5"), [0.5]),
    ],
)
def test_what_is_answered_becomes_a_row_of_numbers(answer, numbers):
    target = MechanismTarget(lambda _: answer, None, None)
    assert target.draw(BITS, generator()).signals[0, 0].tolist() == numbers


@pytest.mark.parametrize(
    "words",
    [
        ("a", "b"),
        (b"a", b"b"),
        (None, "None "),
        (np.str_("a"), np.str_("b")),
        (np.bytes_(b"a"), np.bytes_(b"b")),
        (np.array(["a"]), np.array(["b"])),
        (np.datetime64("2020-01-01"), np.datetime64("2020-01-02")),
    ],
    ids=repr,
)
def test_words_become_different_numbers_the_same_every_time(words):
    target = MechanismTarget(lambda data: words[data], 0, 1)
    once, again = (target.draw(BITS, generator()).signals[:, 0, 0] for _ in range(2))
    assert (once == again).all()
    assert len(set(once)) == 2


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_neighbours_of_lists_tuples_and_arrays(kind):
    data = kind([3, 1, 4])
    for (without, including), expected in [
        (removed(data), [3, 1]),
        (removed(data, 0), [1, 4]),
        (replaced(data, 9), [3, 1, 9]),
        (replaced(data, 9, -3), [9, 1, 4]),
    ]:
        assert list(without) == expected
        assert list(including) == [3, 1, 4]
        assert type(without) is type(data)


def test_neighbours_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"x": [1, 2], "y": [3, 4]})
    assert removed(data, 0)[0].to_numpy().tolist() == [[2, 4]]
    assert replaced(data, [7, 8])[0].to_numpy().tolist() == [[1, 3], [7, 8]]
    assert data.to_numpy().tolist() == [[1, 3], [2, 4]]


def test_samples_of_a_parent_set_are_uniform_with_the_record_and_without():
    target = mechanism_target(list, list(range(5)), size=2, record=3)
    draws = [
        tuple(target.sample(rng, member=member).tolist())
        for rng in [generator()]
        for member in (True, False)
        for _ in range(1200)
    ]
    inside = {(0, 3), (1, 3), (2, 3), (3, 4)}
    assert set(draws[:1200]) == inside
    assert set(draws[1200:]) == {(0, 1), (0, 2), (0, 4), (1, 2), (1, 4), (2, 4)}
    # 300 and 200 each; six standard deviations are 90 and 78
    assert all(abs(draws.count(pair) - (300 if 3 in pair else 200)) < 95 for pair in set(draws))


@pytest.mark.parametrize(("size", "record"), [(0, 0), (5, 0), (2, 5), (2.5, 0)])
def test_samples_that_do_not_exist_are_refused(size, record):
    with refuses(InvalidArgument, "expects-something"):
        SampleTarget(total, [1, 2, 3, 4, 5], size, record)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data": [1], "neighbours": ([], [1])},
        {"neighbours": ([], [1], [2])},
        {"data": [1, 2], "size": 1, "other": 3},
        {"data": [1, 2], "record": 2},
        {"data": 7},
    ],
)
def test_neighbours_that_are_missing_or_contradict_each_other_are_refused(options):
    with refuses(InvalidArgument, "expects-something"):
        mechanism_target(total, **options)


def test_a_function_may_bring_its_neighbours():
    def mine(data):
        return data

    mine.neighbours = (0, 1)
    assert mechanism_target(mine).draw(BITS, generator()).signals[:, 0, 0].tolist() == [1, 0, 0, 1]


def scaled(scale):
    return lambda data: scale * len(data)


def test_keys_differ_where_names_or_data_do():
    targets = [
        mechanism_target(total, [1, 2]),
        mechanism_target(total, [1, 3]),
        mechanism_target(noisy, [1, 2]),
        mechanism_target(total, [1, 2], record=0),
        mechanism_target(total, [1, 2], size=1),
    ]
    assert len({target.key for target in targets}) == len(targets)
    assert mechanism_target(total, [1, 2]).key == targets[0].key


def seen(mechanism, **effort):
    target = mechanism_target(mechanism, [1.0, 2.0])
    return np.concatenate([each.signals for each in made(target, 40, Effort(seed=1, **effort))])


def test_kept_runs_are_those_of_a_function_that_answers_alike(tmp_path):
    """Its name is the same, and what it closes over is not looked at."""
    first = seen(scaled(1.0), checkpoint=tmp_path)
    assert (seen(scaled(1.0), checkpoint=tmp_path) == first).all()
    assert (seen(scaled(2.0), checkpoint=tmp_path) == 2 * first).all()


def own_generator():
    held = np.random.default_rng(5)
    return lambda data: len(data) + held.normal()


def ignores_the_given_one():
    held = np.random.default_rng(5)
    return lambda data, rng: len(data) + held.normal() + 0 * rng.normal()


@pytest.mark.parametrize(
    "make", [own_generator, ignores_the_given_one, lambda: Counting(list).told]
)
def test_state_of_its_own_is_refused_where_workers_would_copy_it(make, tmp_path):
    assert len(seen(make())) == 40
    for effort in ({"workers": 2}, {"checkpoint": tmp_path}):
        with refuses(InvalidArgument, "from-same-random-numbers"):
            seen(make(), **effort)


class Counting:
    """Answers wrongly in one run."""

    def __init__(self, wrong, at=7):
        self.calls, self.wrong, self.at = 0, wrong, at

    def __call__(self, data, rng):
        self.calls += 1
        return self.wrong() if self.calls == self.at else [sum(data) + rng.normal()]

    def told(self, data):
        self.calls += 1
        return self.calls * len(data)


def pops(data):
    data.pop()
    return 1.0


def fills(data):
    data[0] += 1.0
    return 1.0


def changes_deep_inside(data):
    data[0].append(1)
    return 1.0


@pytest.mark.parametrize(
    ("mechanism", "data"),
    [
        (pops, list(range(100))),
        (fills, [1.0, 2.0]),
        (fills, np.ones(3)),
        (changes_deep_inside, [[1], [2]]),
    ],
)
@pytest.mark.parametrize("size", [None, 1])
def test_a_mechanism_that_changes_its_data_is_refused(mechanism, data, size):
    members = np.repeat(BITS, 8, axis=0)
    if size and mechanism is not changes_deep_inside:
        mechanism_target(mechanism, data, size=size).draw(members, generator())  # on copies
        return
    with refuses(InvalidArgument, "leaves-its-data-as-they"):
        mechanism_target(mechanism, data, size=size).draw(members, generator())


def fails():
    raise ValueError("the value of person 17 is 42")


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        (fails, "says-word: ValueError"),
        (lambda: [1.0, 2.0], "1-and-2-2"),
        (list, "0-and-1-none-0"),
    ],
)
def test_a_run_that_goes_wrong_is_an_error_without_values(wrong, match):
    target = mechanism_target(Counting(wrong), [42.0, 17.0])
    with refuses(InvalidArgument, match) as caught:
        list(made(target, 30, Effort(seed=1)))
    assert "42" not in str(caught.value)


@pytest.mark.parametrize("wrong", [lambda _, draws: 3.0 * draws, lambda _, draws: [0] * 2 * draws])
def test_many_answers_at_once_must_be_as_many(wrong):
    with refuses(InvalidArgument, "along-first-axis"):
        mechanism_target(wrong, [1, 2]).draw(BITS, generator())
