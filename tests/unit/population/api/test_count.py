import pytest

from deniable import population
from deniable.errors import InfeasibleTarget, InvalidArgument
from tests.cases.refusals import refuses


@pytest.mark.parametrize(("ones", "people", "size"), [(3, 7, 2), (1, 6, 5), (4, 9, 4)])
@pytest.mark.parametrize("delta", [0.0, 0.03])
def test_it_is_the_sum_of_zeros_and_ones(ones, people, size, delta):
    records = [1] * ones + [0] * (people - ones)
    listed = population.discrete_laplace(records, size, scale=1.5, delta=delta)
    found = population.count(ones, people, size, scale=1.5, delta=delta)
    assert found.population_epsilon.upper == pytest.approx(listed.population_epsilon.upper)
    assert found.epsilon_restricted_sensitivity == listed.epsilon_restricted_sensitivity
    assert found.worst_record is None
    assert found.bayes_success == pytest.approx(listed.bayes_success)


def test_both_kinds_of_records():
    found = population.count(3, 7, 2, scale=1.5, records="all")
    assert [each.record for each in found.records] == [0, 3]


def test_the_scale_of_a_worst_case_epsilon():
    found = population.count(3, 7, 2, epsilon=0.3)
    assert found.epsilon <= 0.3
    assert found.noise.value == pytest.approx(1 / 0.3)


def test_a_target():
    found = population.count(30, 100, 20, target=0.2)
    assert 0.19 < found.population_epsilon.upper <= 0.2
    with pytest.raises(InfeasibleTarget):
        population.count(30, 100, 20, target=0.0)


@pytest.mark.parametrize("ones", [0, 7])
def test_nobody_or_everybody(ones):
    found = population.count(ones, 7, 2, scale=1.0)
    assert found.population_epsilon.upper == 0.0
    assert (found.epsilon, found.epsilon_restricted_sensitivity) == (1.0, 0.0)
    with refuses(InvalidArgument, "zeros-and-ones-for-target"):
        population.count(ones, 7, 2, target=1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((8, 7, 2), "0-at-most-ones-at-most: 7"),
        ((-1, 7, 2), "below-least: ones"),
        ((1, 1, 1), "below-least: population"),
        ((3, 7, 7), "1-at-most-size-below-number: 7"),
        ((3, 7, 0), "below-least: size"),
    ],
)
def test_wrong_numbers(arguments, message):
    with refuses(InvalidArgument, message):
        population.count(*arguments, scale=1.0)


def test_wrong_noise():
    with refuses(InvalidArgument, "exactly-one: scale, epsilon, target"):
        population.count(3, 7, 2)
    with refuses(InvalidArgument, "not-above-0: epsilon"):
        population.count(3, 7, 2, epsilon=0.0)
    with refuses(InvalidArgument, "0-at-most-delta-below-1"):
        population.count(3, 7, 2, scale=1.0, delta=1.0)
