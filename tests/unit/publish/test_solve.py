import itertools

import attrs
import pyarrow as pa
import pytest

import deniable
from deniable.errors import InfeasibleTarget, InvalidArgument, PlanError
from deniable.publish.prepare import calibrate_plan

FRAME = pa.table({"w": ["a"], "x": [0.5], "p": ["q"]})
COUNT = {"name": "c", "statistic": "count", "group_by": ["w"], "keys": {"w": ["a", "b"]}}
QUERIES = {
    "count": {**COUNT, "precision": 10},
    "entities": {**COUNT, "statistic": "entities", "precision": 12},
    "sum": {"name": "s", "statistic": "sum", "column": "x", "bounds": [0, 3], "precision": 50},
    "histogram": {
        "name": "h", "statistic": "histogram", "column": "x", "edges": [0, 1, 2], "precision": 8,
    },
    "crosstab": {
        "name": "t", "statistic": "crosstab", "columns": ["w"], "keys": {"w": ["a", "b"]},
        "precision": 20,
    },
}  # fmt: skip
TARGETS = [
    {"epsilon": 1.0},
    {"epsilon": 1.0, "delta": 1e-6},
    {"gamma": 2.0},
    {"max_posterior": 0.9, "delta": 1e-6},
    {"advantage": 0.5},
    {"attack_success": 0.7, "delta": 1e-6},
    {"identifiability": {"rho": 0.3, "worlds": 8}},
]


def content(target, *queries, prior=(0.1, 0.5), **data):
    return {
        "data": data,
        "adversary": {"prior": list(prior)},
        "target": target,
        "query": list(queries),
    }


def test_a_count_known_to_ten_lets_one_half_become_eight_tenths():
    plan = content({"max_posterior": 0.6, "delta": 1e-6}, QUERIES["count"], prior=(0.5, 0.5))
    solved = deniable.plan(plan, data=FRAME, solve=True)
    assert solved.plan.target.value == pytest.approx(0.8054, abs=5e-5)
    (query,) = solved.queries
    assert query.mechanisms[0].half_width(0.95) == 10


@pytest.mark.parametrize(
    ("target", "adjacency"),
    [(each, ("replace-one", "add-remove")[place % 2]) for place, each in enumerate(TARGETS)],
    ids=str,
)
def test_the_answer_keeps_every_precision_and_a_little_less_does_not(target, adjacency):
    queries = [QUERIES["count"], QUERIES["sum"], QUERIES["crosstab"]]
    plan = content(target, *queries, adjacency=adjacency)
    solved = deniable.plan(plan, data=FRAME, solve=True)
    for query in solved.queries:
        widths = query.query.statistic.half_widths(query.mechanisms, query.query.grouping.cells)
        assert max(widths.values()) <= query.query.precision
    value = solved.plan.target.value
    less = attrs.evolve(solved.plan.target, value=value * (1 - 1e-3))
    with pytest.raises(InfeasibleTarget):
        calibrate_plan(attrs.evolve(solved.plan, target=less))


@pytest.mark.parametrize(
    ("name", "delta"),
    [*((name, {}) for name in QUERIES), ("sum", {"delta": 1e-6}), ("crosstab", {"delta": 1e-6})],
)
def test_a_budget_that_is_solved_for_is_released_and_checked(tmp_path, name, delta):
    plan = content({"epsilon": 1.0, **delta}, QUERIES[name], adjacency="add-remove")
    epsilon = deniable.plan(plan, data=FRAME, solve=True).plan.target.value
    plan["target"]["epsilon"] = epsilon
    answer = deniable.release(plan, tmp_path / "out", data=FRAME)
    wanted = QUERIES[name]["precision"]
    widths = [row.half_width_95 for row in answer.rows]
    assert 0.6 * wanted <= max(widths) <= wanted
    assert deniable.check(tmp_path / "out").holds
    plan["target"]["epsilon"] = epsilon * 0.9
    with pytest.raises(InfeasibleTarget, match="--solve"):
        deniable.plan(plan, data=FRAME)


def test_half_the_width_costs_twice_the_pure_budget():
    budgets = [
        deniable.plan(
            content({"epsilon": 1.0}, {**COUNT, "precision": wanted}, adjacency="add-remove"),
            data=FRAME,
            solve=True,
        ).plan.target.value
        for wanted in (400, 200, 100)
    ]
    for wide, narrow in itertools.pairwise(budgets):
        assert narrow / wide == pytest.approx(2, rel=0.02)


WRONG = {
    "a weight too": ({**QUERIES["count"], "weight": 2}, "both"),
    "a mean": (
        {"name": "m", "statistic": "mean", "column": "x", "bounds": [0, 1], "precision": 1},
        "depends on the data",
    ),
    "0": ({**COUNT, "precision": 0}, "> 0"),
    "below 0": ({**QUERIES["crosstab"], "precision": -1}, "> 0"),
    "text": ({**COUNT, "precision": "30"}, "number"),
    "importance": ({**QUERIES["crosstab"], "importance": {"w": 2}}, "both"),
}


@pytest.mark.parametrize(("query", "said"), WRONG.values(), ids=WRONG)
def test_a_precision_that_means_nothing_is_refused(query, said):
    with pytest.raises(PlanError, match=said):
        deniable.plan(content({"epsilon": 1.0, "delta": 1e-6}, query), data=FRAME)


def test_every_query_has_a_precision_or_none():
    plan = content({"epsilon": 1.0}, QUERIES["count"], {**COUNT, "name": "d"})
    with pytest.raises(PlanError, match="in every query, or in none"):
        deniable.plan(plan, data=FRAME)
    with pytest.raises(InvalidArgument, match="precision in every query"):
        deniable.plan(content({"epsilon": 1.0}, COUNT), data=FRAME, solve=True)


def test_a_precision_that_no_belief_allows_is_refused():
    plan = content({"advantage": 0.5}, {**QUERIES["sum"], "precision": 1e-9})
    with pytest.raises(InfeasibleTarget, match="Ask for less precision"):
        deniable.plan(plan, data=FRAME, solve=True)
