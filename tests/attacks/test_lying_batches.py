"""Histories and logs of batches that lie: refused, doubted, or no better than the truth."""

import itertools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument
from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from deniable.training.batches.watch import watch_batches
from deniable.training.history import stated_batches
from tests.cases.command_line import app
from tests.cases.refusals import refuses

STATED = {
    "batches": "shuffled", "noise_multiplier": 2.0, "steps_per_epoch": 10, "epochs": 2,
    "extra_steps": 1, "neighbours": "zero-out", "records": 103, "batch_size": 10,
    "drop_last": True, "records_per_person": 1,
}  # fmt: skip
LIES = [
    "", "1", "false", "shuffled ", [], {}, [1], -1, -0.5, 0.5, math.nan, math.inf, 10**400, False,
]  # fmt: skip


@pytest.mark.parametrize("key", STATED)
def test_a_wrong_value_is_one_sentence_or_promises_no_more(tmp_path, key):
    honest = BatchCurve(stated_batches(STATED)).delta(0.5).upper
    path = tmp_path / "history.json"
    for value in [*LIES, None]:
        path.write_text(json.dumps(STATED | {key: value}), encoding="utf-8")
        try:
            told = stated_batches(STATED | {key: value})
        except InvalidArgument:
            ran = CliRunner().invoke(app, ["training", "explain", str(path)])
            assert (ran.exit_code, len(ran.output.splitlines())) == (2, 1), ran.output
            continue
        # Less noise is accepted, and what no longer says which records fill no batch.
        assert key in (
            "noise_multiplier",
            "drop_last",
            "records_per_person",
            "records",
            "batch_size",
        ), value
        assert BatchCurve(told).delta(0.5).upper >= honest


@pytest.mark.parametrize("key", [key for key, value in STATED.items() if type(value) is int])
def test_a_whole_number_may_be_written_with_a_point(key):
    assert stated_batches(STATED | {key: float(STATED[key])}) == stated_batches(STATED)


# --- An own enumeration: outputs of one epoch on a grid, one mixture for each way of drawing.

SIGMA, EPSILON = 1.2, 0.4
GRID = np.arange(-5.5, 7, 0.3)


def normal(x):
    return np.exp(-(x**2) / (2 * SIGMA**2)) / (SIGMA * math.sqrt(2 * math.pi))


def excess(chances):
    """E (P − e^ε Q)₊: P is the mixture over the step of a record, or None for none; Q without."""
    steps = max(step for step in chances if step is not None) + 1
    without = np.ones(1)
    for _ in range(steps):
        without = np.multiply.outer(without, normal(GRID))
    there = 0.0
    for step, chance in chances.items():
        each = np.ones(1)
        for place in range(steps):
            each = np.multiply.outer(each, normal(GRID - (place == step)))
        there = there + chance * each
    return float(np.maximum(there - math.exp(EPSILON) * without, 0).sum() * 0.3**steps)


def steps_of_a_shuffle(records, size, drop_last):
    """Every order, cut into batches: the step of the first record and how probable it is."""
    chances = {}
    orders = list(itertools.permutations(range(records)))
    for order in orders:
        step = order.index(0) // size
        if drop_last and (step + 1) * size > records:
            step = None
        chances[step] = chances.get(step, 0.0) + 1 / len(orders)
    return chances


def test_a_shuffle_of_wrong_sizes_is_refused_and_no_other_below_its_enumeration():
    accepted = 0
    for records, size, drop in itertools.product(range(1, 6), range(1, 6), (False, True)):
        for said in range(1, 4):
            settings = {"records": records, "batch_size": size, "drop_last": drop}
            real = records // size if drop else -(-records // size)
            try:
                told = BatchedTraining("shuffled", SIGMA, said, 1, **settings)
            except InvalidArgument:
                assert size > records or said != real
                continue
            assert said == real
            if size == 1 or size == records:
                continue  # as one of the others, in more dimensions
            accepted += 1
            truth = excess(steps_of_a_shuffle(records, size, drop))
            assert BatchCurve(told, 80).delta(EPSILON).upper >= truth - 1e-4
    assert accepted >= 10


@pytest.mark.parametrize("neighbours", ["zero-out", "replace-one"])
def test_allocation_is_not_below_its_enumeration(neighbours):
    for steps in (1, 2, 3):
        told = BatchedTraining("allocation", SIGMA, steps, 1, neighbours=neighbours)
        truth = excess(dict.fromkeys(range(steps), 1 / steps))
        bound = BatchCurve(told, 160).delta(EPSILON)
        assert bound.upper >= truth - 1e-4
        if neighbours == "zero-out":
            assert bound.lower <= truth + 1e-3


ROWS = ([0.9, 0.5, 1], [1.4, 0.2, 1])
"""Two steps of different noise and rate."""


def test_rows_in_any_order_split_or_twice_are_all_counted():
    x = np.arange(-9, 10, 0.05)
    p, q = np.ones(1), np.ones(1)
    for sigma, rate, _ in ROWS:
        law = lambda at, s=sigma: np.exp(-(at**2) / (2 * s**2)) / (s * math.sqrt(2 * math.pi))  # noqa: E731
        p = np.multiply.outer(p, rate * law(x - 1) + (1 - rate) * law(x))
        q = np.multiply.outer(q, law(x))
    truth = float(np.maximum(p - q, 0).sum() * 0.05**2)
    one, other = ROWS
    both_ways = [deniable.explain_training(rows).advantage for rows in (ROWS, (other, one))]
    for end in ("lower", "upper"):  # each order rounds in its own way
        assert getattr(both_ways[0], end) == pytest.approx(getattr(both_ways[1], end), rel=1e-12)
    assert both_ways[0].lower - 1e-4 <= truth <= both_ways[0].upper + 1e-4
    twice = deniable.explain_training((one, other, one))
    assert twice.advantage == deniable.explain_training(([0.9, 0.5, 2], other)).advantage
    assert twice.advantage.lower > both_ways[0].upper
    for way in ("allocation", "shuffled", "fixed-order"):  # rates that change are of no one way
        with refuses(InvalidArgument, "2-kinds-of-steps"):
            deniable.certify_training(ROWS, "nowhere", engine="opacus", batches=way)


# --- Logs of batches: ten epochs of five steps, 20 records in batches of four, shuffled.

T, E, N, B = 5, 10, 20, 4


def log_of_a_shuffle(seed=3):
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(N) for _ in range(E)])
    steps = [[place // B for place in np.flatnonzero(order == own)] for own in range(3)]
    return {
        "canaries": [[int(step) for step in own] for own in steps], "batches": "shuffled",
        "steps_per_epoch": T, "epochs": E, "sizes": [B] * (T * E), "records": N,
    }  # fmt: skip


def with_canary(change):
    log = log_of_a_shuffle()
    first, *rest = log["canaries"]
    return log | {"canaries": [change(first), *rest]}


def with_sizes(change):
    log = log_of_a_shuffle()
    return log | {"sizes": change(log["sizes"])}


REFUSED = {
    "a record twice in a batch": with_canary(lambda own: [own[0], *own]),
    "a negative step": with_canary(lambda own: [-1, *own[1:]]),
    "a step beyond the run": with_canary(lambda own: [*own[:-1], T * E]),
    "half a step": with_canary(lambda own: [0.5, *own[1:]]),
    "no number": with_canary(lambda own: [math.nan, *own[1:]]),
    "true": with_canary(lambda own: [True, *own[1:]]),
    "a text": with_canary(lambda own: ["3", *own[1:]]),
    "no records": log_of_a_shuffle() | {"canaries": []},
    "too few batches": with_sizes(lambda sizes: sizes[:-1]),
    "a negative size": with_sizes(lambda sizes: [-4, *sizes[1:]]),
    "a size that is no number": with_sizes(lambda sizes: [math.nan, *sizes[1:]]),
    "a batch of more than all": with_sizes(lambda sizes: [N + 1, *sizes[1:]]),
    "empty batches": with_sizes(lambda sizes: [0] * len(sizes)),
    "more records than there are": log_of_a_shuffle() | {"records": 2},
    "an epoch too few": log_of_a_shuffle() | {"epochs": E - 1},
    "no epochs": log_of_a_shuffle() | {"epochs": 0},
    "epochs by halves": log_of_a_shuffle() | {"epochs": 9.5},
}
DOUBTED = {
    "a record twice in an epoch": with_canary(lambda own: sorted({*own, (own[0] + 1) % T})),
    "a record that is missing": with_canary(lambda own: own[1:]),
    "a size that is another": with_sizes(lambda sizes: [B + 1, B - 1, *sizes[2:]]),
    "an epoch of too many": with_sizes(lambda sizes: [B + 1] * len(sizes)),
    "more records in all": log_of_a_shuffle() | {"records": N + 5},
}


@pytest.mark.parametrize("log", REFUSED.values(), ids=REFUSED)
def test_an_impossible_log_is_refused(log):
    with refuses(InvalidArgument, "expects-something"):
        watch_batches(log)


@pytest.mark.parametrize("log", DOUBTED.values(), ids=DOUBTED)
def test_a_log_that_no_shuffle_writes_is_doubted(log):
    assert watch_batches(log_of_a_shuffle()).warning is None
    seen = watch_batches(log)
    assert seen.warning is not None
    assert "shuffled" not in [str(way) for way in seen.possible]


def test_batches_that_hold_too_many_in_all_are_no_allocation():
    rng = np.random.default_rng(5)
    places = rng.integers(T, size=(E, N))
    sizes = [int((row == step).sum()) for row in places for step in range(T)]
    canaries = [[int(T * e + places[e, own]) for e in range(E)] for own in range(3)]
    numbers = {"steps_per_epoch": T, "epochs": E, "records": N, "batches": "allocation"}
    assert watch_batches(canaries, sizes=sizes, **numbers).warning is None
    assert watch_batches(canaries, sizes=[sizes[0] + 1, *sizes[1:]], **numbers).warning
