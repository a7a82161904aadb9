import math

import attrs
import pytest

from deniable import explain
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from tests.cases.refusals import refuses


def test_a_pure_budget():
    below = math.nextafter(math.log(3), 0)  # math.log(3) is larger than ln 3
    answer = explain(below, prior=(0.5, 0.5))
    assert (answer.gamma, answer.attack_success, answer.advantage) == (2.0, 0.75, 0.5)
    assert answer.gamma_outside == pytest.approx(3, rel=1e-15)
    assert (answer.delta, answer.exceedance, answer.level) == (0.0, 0.0, None)
    assert answer.loss == answer.epsilon
    assert [each.prior for each in answer.posterior] == [0.5, 0.5]
    assert answer.posterior[0].upper == pytest.approx(0.75)
    assert answer.posterior[0].lower == pytest.approx(0.25)


def test_json_keys_of_a_pure_budget():
    assert list(explain(1.0, prior=(0.1, 0.2)).as_json()) == [
        "epsilon",
        "delta",
        "adjacency",
        "prior",
        "gamma",
        "gamma_outside",
        "posterior",
        "attack_success",
        "advantage",
        "tied",
        "cautions",
    ]


def test_beliefs_are_read_at_a_larger_loss_where_delta_is_not_0():
    answer = explain(1.0, 1e-6, exceedance=1e-3, prior=(0.1, 0.4))
    loss = 1.0 - math.log(1 - 1e-3)
    assert answer.loss == pytest.approx(loss, rel=1e-15)
    e = math.exp(loss)
    assert answer.gamma == pytest.approx(max((e - 1) * 0.4 + 1, e / ((e - 1) * 0.1 + 1)))
    assert answer.gamma_outside == pytest.approx(e)
    share = 1e-3 / (1 + math.exp(-answer.range_loss))  # of each end of a range
    least = 1.0 - math.log(1 - 1e-6 / share)
    assert least <= answer.range_loss <= least * (1 + 1e-6)
    e = math.exp(answer.range_loss)
    assert answer.posterior[1].upper == pytest.approx(e * 0.4 / ((e - 1) * 0.4 + 1))
    assert answer.posterior[0].lower == pytest.approx(0.1 / (0.1 + e * 0.9))
    # Attacks are bounded by (ε, δ) itself.
    assert answer.attack_success == pytest.approx((math.e + 1e-6) / (math.e + 1))
    assert answer.advantage == pytest.approx((math.e - 1 + 2e-6) / (math.e + 1))
    assert {"exceedance", "loss"} <= set(answer.as_json())


def test_exceedance_is_100_delta_by_default():
    answer = explain(1.0, 1e-6)
    assert answer.exceedance == pytest.approx(1e-4)
    assert answer.loss == pytest.approx(1 - math.log(0.99), rel=1e-15)


def test_a_level():
    answer = explain(1.0, 1e-6, level=0.6, prior=(0.05, 0.1))
    loss = math.log(0.6 / 0.4) - math.log(0.1 / 0.9)
    expected = 1e-6 / -math.expm1(1.0 - loss)
    assert answer.level.probability == pytest.approx(expected, rel=1e-12)
    assert answer.as_json()["level"] == attrs.asdict(answer.level)


@pytest.mark.parametrize(
    ("prior", "level", "probability"),
    [
        ((0.0, 0.0), 0.5, 0.0),  # a certain non-member stays one
        ((0.0, 0.5), 0.5, 1.0),  # the belief is there already
        ((0.0, 1.0), 0.9, 1.0),
        ((0.1, 0.4), 0.5, 1.0),  # within ε
    ],
)
def test_levels_at_the_edges(prior, level, probability):
    assert explain(1.0, 1e-6, level=level, prior=prior).level.probability == probability


@pytest.mark.parametrize("prior", [(0.0, 0.0), (1.0, 1.0)])
def test_certainty_stays_in_the_posterior(prior):
    answer = explain(2.0, prior=prior)
    assert {(each.lower, each.upper) for each in answer.posterior} == {prior}
    assert answer.gamma == answer.gamma_outside


def test_no_budget_teaches_nothing():
    answer = explain(-0.0, prior=(0.2, 0.7))
    assert str(answer.epsilon) == "0.0"
    assert (answer.gamma, answer.gamma_outside) == (1.0, 1.0)
    assert (answer.attack_success, answer.advantage) == (0.5, 0.0)
    assert [(each.lower, each.upper) for each in answer.posterior] == [(0.2, 0.2), (0.7, 0.7)]


def test_a_budget_beyond_floats_has_no_bound():
    answer = explain(1e6)
    assert (answer.gamma, answer.attack_success) == (math.inf, 1.0)


def test_adjacency_is_a_word_or_a_member():
    assert explain(1.0, adjacency="add-remove").adjacency is Adjacency.ADD_REMOVE
    assert explain(1.0, adjacency=Adjacency.ADD_REMOVE).as_json()["adjacency"] == "add-remove"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": -1.0}, "below-least: epsilon | 0 | epsilon=-1.0"),
        ({"epsilon": math.nan}, "not-a-number: epsilon"),
        ({"epsilon": math.inf}, "not-finite: epsilon"),
        ({"epsilon": "1"}, "such-as-pure-dp-1-0: '1'"),
        ({"epsilon": True}, "not-a-number: epsilon | True"),
        ({"delta": 0.0}, "not-between-0-and-1: delta | delta=0.0"),
        ({"delta": 1.0}, "not-between-0-and-1: delta"),
        ({"delta": math.nan}, "not-a-number: delta"),
        ({"exceedance": 0.1}, "delta-with-exceedance-no"),
        ({"level": 0.5}, "delta-with-level-no"),
        ({"delta": 1e-6, "level": 1.0}, "not-between-0-and-1: level"),
        ({"delta": 1e-6, "exceedance": 1e-6}, "delta-below-exceedance"),
        ({"delta": 1e-6, "exceedance": 1.0}, "delta-below-exceedance"),
        ({"delta": 0.01}, "delta-below-exceedance: 0.01 | 1.0"),
        ({"delta": 1e-6, "exceedance": math.nan}, "not-a-number: exceedance"),
        ({"prior": (0.7, 0.3)}, "ends-swapped: prior | 0.7 | 0.3"),
        ({"prior": (0.1, 1.5)}, "not-from-0-to-1: prior high"),
        ({"prior": (math.nan, 1.0)}, "not-a-number: prior low"),
        ({"prior": (0.5,)}, "not-two-numbers: prior | 1"),
        ({"prior": 0.5}, "not-two-numbers: prior | 0.5"),
        ({"prior": "01"}, "not-two-numbers: prior | '01'"),
        ({"adjacency": "swap"}, "not-one-of: adjacency | replace-one, add-remove | 'swap'"),
    ],
)
def test_wrong_arguments(arguments, message):
    with refuses(InvalidArgument, message):
        explain(**{"epsilon": 1.0} | arguments)
