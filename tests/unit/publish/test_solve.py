import itertools

import attrs
import pyarrow as pa
import pytest

import deniable
from deniable.errors import InfeasibleTarget, InvalidArgument, PlanError
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.publish.prepare import calibrate_plan
from tests.cases.effort import THOROUGH, one_in
from tests.cases.refusals import refuses

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
    names = one_in(2, ["count", "sum", "crosstab"], TARGETS.index(target))
    plan = content(target, *(QUERIES[name] for name in names), adjacency=adjacency)
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
    [
        *((name, {}) for name in QUERIES if THOROUGH or name != "sum"),  # noise as of the count
        ("sum", {"delta": 1e-6}),
        ("crosstab", {"delta": 1e-6}),
    ],
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
    with refuses(InfeasibleTarget, "deniable-plan-solve-says"):
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
    "a weight too": ({**QUERIES["count"], "weight": 2}, "weight-both"),
    "a mean": (
        {"name": "m", "statistic": "mean", "column": "x", "bounds": [0, 1], "precision": 1},
        "its-error-depends-on-data",
    ),
    "0": ({**COUNT, "precision": 0}, "precision-above-0"),
    "below 0": ({**QUERIES["crosstab"], "precision": -1}, "precision-above-0"),
    "text": ({**COUNT, "precision": "30"}, "number-x"),
    "importance": ({**QUERIES["crosstab"], "importance": {"w": 2}}, "importance-both"),
}


@pytest.mark.parametrize(("query", "said"), WRONG.values(), ids=WRONG)
def test_a_precision_that_means_nothing_is_refused(query, said):
    with refuses(PlanError, said):
        deniable.plan(content({"epsilon": 1.0, "delta": 1e-6}, query), data=FRAME)


def test_every_query_has_a_precision_or_none():
    plan = content({"epsilon": 1.0}, QUERIES["count"], {**COUNT, "name": "d"})
    with refuses(PlanError, "every-query"):
        deniable.plan(plan, data=FRAME)
    with refuses(InvalidArgument, "precision-in-every-query"):
        deniable.plan(content({"epsilon": 1.0}, COUNT), data=FRAME, solve=True)


def test_a_precision_that_no_belief_allows_is_refused():
    plan = content({"advantage": 0.5}, {**QUERIES["sum"], "precision": 1e-9})
    with refuses(InfeasibleTarget, "ask-for-less-precision"):
        deniable.plan(plan, data=FRAME, solve=True)


# --- One statistic without a plan.


MEAN = {
    "name": "m", "statistic": "mean", "column": "x", "bounds": [0, 3], "nulls": 0,
}  # fmt: skip
SINGLE = {
    "count": (QUERIES["count"], {"cells": 2}),
    "filtered": (
        {"name": "c", "statistic": "count", "where": [["x", ">", 0]], "precision": 10}, {},
    ),
    "sum": (QUERIES["sum"], {"statistic": "sum", "bounds": (0, 3)}),
    "signed": (
        {**QUERIES["sum"], "bounds": [-1, 3]}, {"statistic": "sum", "bounds": (-1, 3)},
    ),
    "histogram": (QUERIES["histogram"], {"cells": 2}),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "adjacency", "delta"),
    [
        (name, ("replace-one", "add-remove")[(place + (delta is None)) % 2], delta)
        for place, name in enumerate(SINGLE)
        for delta in one_in(2, (None, 1e-6), place // 2)
    ],
)
def test_one_statistic_has_the_belief_of_a_plan_with_that_one_query(name, adjacency, delta):
    query, options = SINGLE[name]
    target = {"max_posterior": 0.9} | ({} if delta is None else {"delta": delta})
    plan = content(target, query, prior=(0.5, 0.5), adjacency=adjacency)
    solved = deniable.plan(plan, data=FRAME, solve=True)
    answer = deniable.explain_accuracy(
        query["precision"], **options, delta=delta, adjacency=adjacency, prior=(0.5, 0.5)
    )
    planned = solved.plan.target.value  # five digits, rounded up
    assert answer.posterior[0].upper <= planned * (1 + 1e-5)
    assert planned <= answer.posterior[0].upper * (1 + 2e-4)
    (of_plan,) = solved.queries
    (mechanism,) = of_plan.mechanisms
    (part,) = of_plan.parts
    assert answer.mechanism == mechanism.name
    assert answer.scale == pytest.approx(mechanism.scale * part.step, rel=1e-3)
    assert answer.half_width_95 <= query["precision"]
    sensitivity = part.l1 if delta is None else part.l2
    assert answer.sensitivity == sensitivity * part.step


def test_a_count_known_to_ten_has_the_noise_and_the_loss_of_the_table():
    answer = deniable.explain_accuracy(10, cells=2, delta=1e-6, prior=(0.5, 0.5))
    assert answer.scale == 5.36501
    assert answer.rho == pytest.approx(0.0347423, abs=2e-7)
    assert answer.loss == pytest.approx(1.42036, abs=1e-5)
    assert answer.posterior[0].upper == pytest.approx(0.8054, abs=5e-5)


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("wanted", [3, 10, 12.5, 1000])
def test_a_hair_more_noise_does_not_keep_the_half_width(wanted, delta):
    answer = deniable.explain_accuracy(wanted, delta=delta)
    made = DiscreteLaplace if delta is None else DiscreteGaussian
    assert made(answer.scale).half_width(0.95) <= wanted
    assert made(answer.scale * (1 + 2e-5)).half_width(0.95) > wanted
    if delta is None:
        assert answer.epsilon == pytest.approx(1 / answer.scale, rel=1e-12)


def test_a_mean_is_a_sum_over_a_public_number():
    """The same noise as that of a plan whose mean divides by it, and no noise on the number."""
    answer = deniable.explain_accuracy(0.01, "mean", bounds=(0, 3), records=500, delta=1e-6)
    plan = content({"epsilon": answer.epsilon, "delta": 1e-6}, MEAN, prior=(0, 1))
    (query,) = deniable.plan(plan, data=FRAME).queries
    noise = query.mechanisms[0].scale * query.parts[0].step
    assert query.mechanisms[1] is None
    assert answer.scale == pytest.approx(noise, rel=1e-5)
    assert answer.sensitivity == query.parts[0].l2 * query.parts[0].step
    of_sum = query.query.statistic.half_widths(query.mechanisms, 1)["sum"]
    assert of_sum / 500 == pytest.approx(0.01, rel=1e-5)


def test_less_accuracy_lets_less_be_believed():
    for delta in (None, 1e-6):
        answers = [deniable.explain_accuracy(x, delta=delta, cells=2) for x in (4, 8, 16, 64)]
        for one, other in itertools.pairwise(answers):
            assert one.loss > other.loss
            assert one.advantage > other.advantage
            for row, less in zip(one.risks, other.risks, strict=True):
                assert row.success > less.success >= less.baseline


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"half_width": 0.0}, "not-above-0: half_width"),
        ({"statistic": "median"}, "not-one-of: _ | count, sum, mean"),
        ({"statistic": "sum"}, "what-a-statistic-takes: sum | bounds"),
        ({"bounds": (0, 1)}, "what-a-statistic-takes: count | neither"),
        ({"statistic": "sum", "bounds": (1, 1)}, "low-below-high-bounds-put"),
        ({"records": 5}, "what-a-statistic-takes: count | neither"),
        ({"statistic": "mean"}, "what-a-statistic-takes: mean | bounds=[0, 100] records=1000"),
        ({"statistic": "mean", "bounds": (0, 1)}, "what-a-statistic-takes: mean | bounds"),
        (
            {"statistic": "mean", "bounds": (0, 1), "records": 9, "adjacency": "add-remove"},
            "replace-one-for-mean",
        ),
        ({"statistic": "mean", "bounds": (0, 1), "records": 9, "cells": 2}, "one-mean"),
        ({"cells": 0}, "below-least: cells | 1"),
        ({"rows": 0}, "below-least: rows | 1"),
        ({"delta": 1.0}, "not-between-0-and-1: delta"),
        ({"half_width": 1e300}, "at-most-2-62-steps"),
        ({"half_width": 1e-9, "statistic": "sum", "bounds": (0, 1)}, "anything-protected"),
    ],
    ids=str,
)
def test_what_no_statistic_has_is_refused(options, message):
    with refuses((InvalidArgument, InfeasibleTarget), message):
        deniable.explain_accuracy(**{"half_width": 10.0, **options})
