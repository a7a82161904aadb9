"""Ways of drawing batches: published figures, a second way, trainers that adapt, and refusals."""

import itertools
import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from deniable.training.noisy_gradients.curve import Direction
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.unit.training.batches import moments
from tests.unit.training.batches.densities import Densities

REMOVE, ADD = Direction


def holds(bound, value, places=0.0):
    """Whether an interval holds a number that is known to so many places."""
    return bound.lower - places <= value <= bound.upper + places


@pytest.mark.parametrize(
    ("sigma", "steps", "epochs", "remove", "add", "advantage"),
    [
        (1, 2, 1, 4.201245663, 3.449501087, 0.297762225194),
        (1, 100, 1, 0.857985977, 0.486425090, 0.051416354575),
        (1, 100, 10, 1.964269613, 1.751615445, 0.162381072312),
        (1, 1000, 10, 0.540050511, 0.522172225, 0.052189208304),
        (0.5, 100, 10, 13.849641821, 6.484477283, 0.571612576950),
    ],
)
def test_allocation_holds_what_moments_give(sigma, steps, epochs, remove, add, advantage):
    curve = BatchCurve(BatchedTraining("allocation", sigma, steps, epochs))
    assert holds(curve.epsilon(1e-6, REMOVE), remove, 1e-9)
    assert holds(curve.epsilon(1e-6, ADD), add, 1e-9)
    bound = curve.advantage()
    assert holds(bound, advantage, 1e-12)
    assert bound.upper - bound.lower <= 5e-4 * bound.upper


@pytest.mark.parametrize(
    ("sigma", "steps", "epochs", "epsilon"),
    [
        *usual([(0.5, 40, 6, 7.0), (1.0, 30, 8, 1.0)], [(0.5, 100, 10, 9.0), (1.0, 50, 20, 1.5)]),
        (0.7, 30, 8, 0.0),
        *usual([], [(0.4, 12, 10, 20.0)]),  # of which the second way alone takes half of the time
    ],
)
def test_allocation_holds_a_second_way(sigma, steps, epochs, epsilon):
    curve = BatchCurve(BatchedTraining("allocation", sigma, steps, epochs))
    second, third = (
        moments.Moments(sigma, steps, epochs, epsilon),
        Densities(sigma, steps, epochs),
    )
    for direction, value, other in (
        (REMOVE, second.remove(epsilon), third.remove(epsilon)),
        (ADD, second.add(epsilon), third.add(epsilon)),
    ):
        assert holds(curve.delta(epsilon, direction), value, 1e-18)
        assert other == pytest.approx(value, rel=1e-8, abs=1e-18)


@pytest.mark.parametrize(
    ("sigma", "steps", "epochs", "epsilon"),
    [(0.3, 40, 30, 60.0), (8.0, 1000, 50, 0.05), (0.09, 9, 1, 70.0), (2.0, 37, 1, 0.7)],
)
def test_allocation_holds_densities_where_moments_need_hundreds_of_digits(
    sigma, steps, epochs, epsilon
):
    curve = BatchCurve(BatchedTraining("allocation", sigma, steps, epochs))
    second = Densities(sigma, steps, epochs)
    assert second.total == pytest.approx(1, abs=1e-8)
    for direction, value in ((REMOVE, second.remove(epsilon)), (ADD, second.add(epsilon))):
        bound = curve.delta(epsilon, direction)
        assert bound.lower * (1 - 1e-7) <= value <= bound.upper * (1 + 1e-7)


@pytest.mark.parametrize("k", [1.0, math.e, 20.0])
def test_allocation_of_two_steps_holds_a_quadrature(k):
    curve = BatchCurve(BatchedTraining("allocation", 1.0, 2, 1))
    assert holds(curve.delta(math.log(k), REMOVE), moments.total_variation_of_two(1.0, k), 1e-9)


def test_allocation_drawn_once_is_one_epoch_with_less_noise():
    once = BatchCurve(BatchedTraining("allocation-once", 1.0, 100, 10))
    assert holds(once.epsilon(1e-6, REMOVE), 14.82, 0.005)
    one = BatchCurve(BatchedTraining("allocation", 1 / math.sqrt(10), 100, 1))
    assert once.advantage().upper == pytest.approx(one.advantage().upper, rel=1e-6)


def test_a_cut_off_epoch_lies_between_two_whole_numbers_of_them():
    for way in ("allocation", "allocation-once"):
        whole, cut, more = (
            BatchCurve(BatchedTraining(way, 1.0, 20, epochs, extra_steps=extra)).advantage()
            for epochs, extra in ((3, 0), (3, 10), (4, 0))
        )
        assert whole.upper < cut.lower
        assert cut.upper < more.lower


def test_shuffled_ends_are_those_of_the_page():
    one = BatchCurve(BatchedTraining("shuffled", 1.0, 100, 1))
    bound = one.epsilon(1e-6, REMOVE)
    assert bound.lower == pytest.approx(4.680911, abs=2e-3)
    assert bound.upper == pytest.approx(4.886555, abs=1e-5)
    advantage = one.advantage()
    assert advantage.lower == pytest.approx(0.140056, abs=2e-4)
    assert advantage.upper == pytest.approx(0.382925, abs=1e-6)
    ten = BatchCurve(BatchedTraining("shuffled", 1.0, 100, 10))
    assert [round(x, 2) for x in _ends(ten.epsilon(1e-6, REMOVE))] == [10.81, 19.42]
    assert [round(x, 2) for x in _ends(ten.epsilon(1e-6, ADD))] == [4.22, 19.42]


def _ends(bound):
    return bound.lower, bound.upper


def test_one_step_an_epoch_is_full_batches():
    for way in ("allocation", "shuffled", "fixed-order"):
        bound = BatchCurve(BatchedTraining(way, 1.0, 1, 1)).advantage()
        assert holds(bound, 2 * 0.5 * math.erfc(-0.5 / math.sqrt(2)) - 1, 1e-9), way


def test_without_replacement_as_on_the_page():
    curve = BatchCurve(
        BatchedTraining(
            "without-replacement", 1.0, 100, 10, neighbours="replace-one", records=100, batch_size=1
        ),
        atoms=1280,
    )
    bound = curve.epsilon(1e-6)
    assert bound.lower == pytest.approx(15.483, abs=5e-3)
    assert bound.upper == pytest.approx(16.963, abs=1e-2)


@pytest.mark.parametrize(("many", "epsilon"), [(1, 2.1245), (2, 4.554), (4, 10.015)])
def test_poisson_samples_of_several_records_of_one_person(many, epsilon):
    curve = BatchCurve(BatchedTraining("poisson", 1.0, 100, 10, records_per_person=many))
    assert holds(curve.epsilon(1e-6, REMOVE), epsilon, 1e-3)


def test_allocation_of_two_records_of_one_person():
    curve = BatchCurve(BatchedTraining("allocation", 1.0, 100, 10, records_per_person=2))
    assert curve.epsilon(1e-6, REMOVE).upper == pytest.approx(4.32, abs=0.01)
    assert curve.epsilon(1e-6, ADD).upper == pytest.approx(3.76, abs=0.01)


def test_four_records_of_one_person_are_told_more_of_than_two():
    two, four = (
        BatchCurve(BatchedTraining("allocation", 2.0, 100, 10, records_per_person=many))
        for many in (2, 4)
    )
    assert two.epsilon(1e-6).upper < four.epsilon(1e-6).upper < 6
    assert two.advantage().upper < four.advantage().upper <= 2.01 * two.advantage().upper


def test_an_exchange_is_told_the_same_of_in_both_directions():
    curve = BatchCurve(BatchedTraining("allocation", 1.0, 20, 2, neighbours="replace-one"))
    assert curve.delta(1.0, REMOVE).upper == curve.delta(1.0, ADD).upper


def test_many_epochs_of_a_shuffle_with_rest_are_bounded_by_the_worst_case():
    settings = {"records": 103, "batch_size": 10, "drop_last": True}
    dropped = BatchCurve(BatchedTraining("shuffled", 100.0, 10, 5_000, **settings), 160)
    whole = BatchCurve(BatchedTraining("shuffled", 100.0, 10, 5_000), 160)
    assert dropped.advantage().upper == whole.advantage().upper


def test_a_record_that_is_left_out_now_and_then_is_told_less_of():
    all_of = BatchCurve(BatchedTraining("shuffled", 1.0, 10, 5))
    dropped = BatchCurve(
        BatchedTraining("shuffled", 1.0, 10, 5, records=109, batch_size=10, drop_last=True)
    )
    for end in ("lower", "upper"):
        assert getattr(dropped.advantage(), end) < getattr(all_of.advantage(), end)


# --- Trainers that adapt: densities of all outputs by listing what may have been drawn.


def normal(x, sigma):
    return np.exp(-(x**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))


def test_the_pair_of_shuffled_batches_is_no_bound_above():
    """A trainer of two steps passes the pair of chua-2024, and stays below Gaussian passes."""
    g = np.arange(-17, 18, 0.04)
    first, second = np.meshgrid(g, g, indexing="ij")

    def excess(sigma, k, other):
        phi = lambda x: normal(x, sigma)  # noqa: E731 # short in four lines of formulas
        one = (phi(first - 1) * phi(second - other) + phi(first + 1) * phi(second - 1)) / 2
        two = (phi(first) * phi(second - other) + phi(first + 1) * phi(second)) / 2
        area = (g[1] - g[0]) ** 2
        return np.maximum(one - k * two, 0).sum() * area, np.maximum(two - k * one, 0).sum() * area

    adaptive, _ = excess(1.0, 1.0, np.where(first > 0.5, 1.0, -1.0))
    fixed, _ = excess(1.0, 1.0, -1.0)
    assert adaptive == pytest.approx(0.36438, abs=2e-5)
    assert fixed == pytest.approx(0.36089, abs=2e-5)
    bound = BatchCurve(BatchedTraining("shuffled", 1.0, 2, 1)).advantage()
    assert bound.lower <= fixed + 1e-6
    assert adaptive <= bound.upper == pytest.approx(0.38292, abs=1e-5)

    k, sigma = math.e, 2.0
    curve = BatchCurve(BatchedTraining("shuffled", sigma, 2, 1))
    other = np.where(normal(first - 1, sigma) > k * normal(first, sigma), 1.0, -1.0)
    rising, _ = excess(sigma, k, other)
    assert rising == pytest.approx(0.003828, abs=2e-6)
    assert rising <= curve.delta(1, REMOVE).upper
    other = np.where(k * normal(first - 1, sigma) > normal(first, sigma), 1.0, -1.0)
    _, falling = excess(sigma, k, other)
    assert falling == pytest.approx(0.001768, abs=2e-6)
    assert falling <= curve.delta(1, ADD).upper


SIZED = ("without-replacement",)
"""Ways of which the size of a batch decides what is told."""


class Trainer:
    """Gradients of n records that follow outputs so far in a random way."""

    def __init__(self, rng, records, steps):
        self.weights = rng.normal(size=(records, steps, steps + 1)) * 3

    def gradient(self, record, step, outputs):
        """In [-1, 1], for each draw; shape (draws,)."""
        weights = self.weights[record, step]
        seen = outputs[:, :step] @ weights[:step] + weights[-1]
        return np.sign(seen) if record % 2 else np.tanh(seen)


def densities(worlds, trainer, outputs, sigma, x, value):
    """The mean over worlds of the density of outputs; `worlds` list records of each step.

    `value` of x: a number, or None for its own gradient.
    """
    total = 0.0
    for chance, batches in worlds:
        density = np.full(len(outputs), chance)
        for step, batch in enumerate(batches):
            mean = sum(
                (
                    value
                    if record == x and value is not None
                    else trainer.gradient(record, step, outputs)
                )
                for record in batch
            )
            density = density * normal(outputs[:, step] - mean, sigma)
        total = total + density
    return total


def worlds_of(way, records, steps, size):
    """What may be drawn, and how probable each is."""
    if way == "shuffled":
        orders = list(itertools.permutations(range(records)))
        return [
            (1 / len(orders), [o[t * size : (t + 1) * size] for t in range(steps)]) for o in orders
        ]
    if way == "without-replacement":
        batches = list(itertools.combinations(range(records), size))
        each = list(itertools.product(batches, repeat=steps))
        return [(1 / len(each), batches) for batches in each]
    if way == "allocation":
        each = list(itertools.product(range(steps), repeat=records))
        return [
            (1 / len(each), [[r for r in range(records) if of[r] == t] for t in range(steps)])
            for of in each
        ]
    coins = list(itertools.product((False, True), repeat=records * steps))
    rate = 1 / steps
    return [
        (
            math.prod(rate if coin else 1 - rate for coin in flips),
            [[r for r in range(records) if flips[t * records + r]] for t in range(steps)],
        )
        for flips in coins
    ]


@pytest.mark.parametrize(
    ("way", "records", "steps", "size", "neighbours"),
    [
        ("allocation", 2, 3, 1, "zero-out"),
        ("allocation", 2, 2, 1, "replace-one"),
        ("shuffled", 3, 3, 1, "zero-out"),
        ("shuffled", 4, 2, 2, "zero-out"),
        ("shuffled", 3, 3, 1, "replace-one"),
        ("without-replacement", 3, 3, 1, "zero-out"),
        ("without-replacement", 3, 2, 2, "replace-one"),
        ("poisson", 2, 2, 1, "zero-out"),
    ],
)
@pytest.mark.parametrize("seed", range(usual(1, 3)))
def test_no_adaptive_trainer_is_outside(way, records, steps, size, neighbours, seed):
    rng = np.random.default_rng(seed)
    sigma, draws = 0.8, 20_000
    sizes = {"records": records, "batch_size": size} if way in SIZED or size > 1 else {}
    curve = BatchCurve(BatchedTraining(way, sigma, steps, 1, neighbours=neighbours, **sizes))
    trainer, worlds = Trainer(rng, records, steps), worlds_of(way, records, steps, size)
    chances = np.array([chance for chance, _ in worlds])
    there, other = 1.0, (0.0 if neighbours == "zero-out" else -1.0)
    outputs = np.zeros((draws, steps))
    drawn = rng.choice(len(worlds), draws, p=chances / chances.sum())
    for step in range(steps):
        for world in np.unique(drawn):
            mine = drawn == world
            mean = sum(
                there if record == 0 else trainer.gradient(record, step, outputs[mine])
                for record in worlds[world][1][step]
            )
            outputs[mine, step] = mean
        outputs[:, step] += rng.normal(scale=sigma, size=draws)
    p = densities(worlds, trainer, outputs, sigma, 0, there)
    q = densities(worlds, trainer, outputs, sigma, 0, other)
    for epsilon in (0.0, 0.7, 1.5):
        for ratio, direction in ((q / p, REMOVE), (None, ADD)):
            if ratio is None:  # E_P (q/p − k)₊ is H_k(Q‖P)
                values = np.maximum(q / p - math.exp(epsilon), 0)
            else:
                values = np.maximum(1 - math.exp(epsilon) * ratio, 0)
            error = 5 * values.std() / math.sqrt(draws)
            assert values.mean() - error <= curve.delta(epsilon, direction).upper


def shifts(places, size, steps, values):
    """How far each output moves, for every gradient that a person's records may have."""
    for gradients in itertools.product(values, repeat=len(places)):
        moved = [0.0] * steps
        for place, gradient in zip(places, gradients, strict=True):
            moved[place // size] += gradient
        yield moved


@pytest.mark.parametrize("neighbours", ["zero-out", "replace-one"])
@pytest.mark.parametrize(("many", "extra"), [(1, 0), (3, 0), (3, 1)])
def test_a_fixed_order_holds_every_place_and_gradient(neighbours, many, extra):
    """Four records in batches of two; densities of two or three outputs on a grid."""
    sigma, epsilon, steps = 1.5, 0.8, 2
    training = BatchedTraining(
        "fixed-order", sigma, steps, 1, extra, neighbours, 4, 2, records_per_person=many
    )
    before = (0.0,) if neighbours == "zero-out" else (-1.0, 1.0)
    apart = set()
    for places in itertools.combinations(range(4), many):
        for after in shifts(places, 2, steps, (-1.0, 1.0)):
            for base in shifts(places, 2, steps, before):
                each = [abs(a - b) for a, b in zip(after, base, strict=True)]
                apart.add((*each, *each[:extra]))
    grid = np.arange(-8, 12, 0.25)
    worst = 0.0
    for shift in apart:
        p, q = np.ones(1), np.ones(1)
        for move in shift:
            p = np.multiply.outer(p, normal(grid - move, sigma))
            q = np.multiply.outer(q, normal(grid, sigma))
        excess = np.maximum(p - math.exp(epsilon) * q, 0).sum() * 0.25 ** len(shift)
        worst = max(worst, float(excess))
    bound = BatchCurve(training).delta(epsilon)
    assert holds(bound, worst, 2e-3)
    assert worst == pytest.approx(bound.upper, rel=0.01)


# --- Refusals.


WAYS = ("poisson", "allocation", "allocation-once", "shuffled", "shuffled-once", "fixed-order",
        "without-replacement")  # fmt: skip
REFUSED = {
    *((way, "add-remove", many) for way in WAYS[3:6] for many in (1, 3)),
    *((way, "replace-one", 3) for way in WAYS[:5]),
    *((WAYS[6], neighbours, 3) for neighbours in ("zero-out", "add-remove", "replace-one")),
}
"""Rows of the page's table that nothing is known of."""


@pytest.mark.parametrize("way", WAYS)
def test_each_row_of_the_page_is_enclosed_or_refused(way):
    for neighbours, many in itertools.product(("zero-out", "add-remove", "replace-one"), (1, 3)):
        settings = {"neighbours": neighbours, "records_per_person": many}
        settings |= {"records": 40, "batch_size": 10}
        if (way, neighbours, many) in REFUSED:
            with refuses(InvalidArgument, "ask-for-zero-out-poisson"):
                BatchedTraining(way, 2.0, 4, 2, **settings)
            continue
        training = BatchedTraining(way, 2.0, 4, 2, **settings)
        advantage = BatchCurve(training, 80).advantage()
        assert 0 < advantage.lower <= advantage.upper < 1
        if not training.is_open:
            assert advantage.upper - advantage.lower < 0.05 * advantage.upper


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"batches": "shuffled", "neighbours": "add-remove"}, "zero-out-or-replace-one"),
        ({"batches": "fixed-order", "neighbours": "add-remove"}, "zero-out-or-replace-one"),
        ({"batches": "without-replacement"}, "records-and-batch-size"),
        ({"batches": "without-replacement", "records": 10, "batch_size": 11},
         "at-most-all-records"),
        ({"batches": "allocation", "drop_last": True, "records": 10, "batch_size": 3},
         "drop-last-with-shuffled-batches"),
        ({"batches": "shuffled", "drop_last": True}, "records-and-batch-size-none"),
        ({"batches": "allocation", "extra_steps": 10}, "count-whole-epochs-in-epochs"),
        ({"batches": "allocation", "noise_multiplier": 0.0}, "not-above-0: noise_multiplier"),
        ({"batches": "allocation", "epochs": 2.5}, "not-whole: epochs"),
        ({"batches": "shuffled", "neighbours": "replace-one", "records_per_person": 2,
          "records": 10, "batch_size": 2}, "one-record-person"),
        ({"batches": "allocation", "records_per_person": 1000}, "at-most-records-person"),
        ({"batches": "shuffled", "records": 100, "batch_size": 5},
         "epoch-of-steps-with-batch-size-records: 20"),
        ({"batches": "shuffled", "records": 98, "batch_size": 10, "drop_last": True},
         "epoch-of-steps: 9"),
    ],
)  # fmt: skip
def test_what_nothing_is_known_of_is_refused(settings, words):
    numbers = {"noise_multiplier": 1.0, "steps_per_epoch": 10, "epochs": 2}
    with refuses(InvalidArgument, words):
        BatchedTraining(**numbers | settings)
