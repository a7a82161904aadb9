"""[adversary] knows = "population" and [floor]: what may be said together, and what not."""

import tomllib

import pytest

from deniable.errors import PlanError
from deniable.publish.plan import public_content, public_plan
from deniable.theorems.analysis import AttackSuccessTarget, EpsilonTarget

PLAN = """
[data]
source = "visits.parquet"

[adversary]
knows = "population"
population = "members.parquet"
values_are_public = true

[floor]
epsilon = 4

[target]
attack_success = 0.6

[[query]]
name = "adults"
statistic = "count"
where = [["age", ">=", 18]]
"""


def read(text: str):
    return public_plan(public_content(tomllib.loads(text)))


def changed(old: str, new: str) -> str:
    assert old in PLAN
    return PLAN.replace(old, new, 1)


def test_the_floor_is_what_everybody_is_promised_and_the_target_is_the_populations():
    plan = read(PLAN)
    assert (plan.target, plan.delta) == (EpsilonTarget(4), None)
    assert (plan.population.target, plan.population.delta) == (AttackSuccessTarget(0.6), None)


def test_the_place_of_the_list_is_not_published():
    told = public_content(tomllib.loads(PLAN))
    assert told["adversary"]["population"] == "withheld"
    assert "members" not in str(told)


def test_the_populations_delta_stands_alone_or_beside_the_floors():
    both = changed("epsilon = 4", "epsilon = 4\ndelta = 1e-6").replace("0.6", "0.6\ndelta = 1e-5")
    assert (read(both).delta, read(both).population.delta) == (1e-6, 1e-5)
    assert read(changed("0.6", "0.6\ndelta = 1e-5")).delta is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (changed('knows = "population"\n', ""), "[adversary], population"),
        (changed('"population"', '"everything"'), "[adversary], knows"),
        (changed('"population"', "true"), "[adversary], knows"),
        (changed("values_are_public = true\n", ""), "values_are_public"),
        (changed("values_are_public = true", "values_are_public = false"), "values_are_public"),
        (changed("values_are_public = true", "values_are_public = 1"), "values_are_public"),
        (changed("values_are_public = true", 'values_are_public = "yes"'), "values_are_public"),
        (changed('population = "members.parquet"\n', ""), "[adversary], population"),
        (changed("[floor]\nepsilon = 4\n", ""), "floor"),
        (changed("epsilon = 4", ""), "[floor]"),
        (changed("epsilon = 4", "epsilon = 4\ngamma = 2"), "[floor]"),
        (changed("epsilon = 4", "epsilon = 0"), "[floor], epsilon"),
        (changed("epsilon = 4", "epsilon = 4\ndelta = 1e-6"), "[target], delta"),
        (changed("epsilon = 4", "epsilon = 4\nprior = [0.1, 0.2]"), "[floor], prior"),
        (changed("attack_success = 0.6", ""), "[target]"),
        (
            changed("attack_success = 0.6", "identifiability = { rho = 0.3, worlds = 8 }"),
            "[target], identifiability",
        ),
        (changed("[data]", '[data]\nadjacency = "add-remove"'), "[adversary], knows"),
        (changed('statistic = "count"', 'statistic = "entities"'), "statistic"),
        (PLAN.split("[adversary]")[0] + PLAN[PLAN.index("[floor]") :], "floor"),
    ],
)
def test_a_wrong_plan_is_refused_by_its_place(text, place):
    with pytest.raises(PlanError) as error:
        read(text)
    assert place in str(error.value)
