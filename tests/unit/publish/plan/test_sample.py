"""[sample]: what is read, and what is refused with a remedy."""

import copy

import pytest

from deniable.errors import PlanError
from deniable.publish.plan import SimpleRandomSample, public_plan
from tests.cases.refusals import refuses

PLAN = {
    "data": {"source": "withheld"},
    "target": {"epsilon": 1.0},
    "sample": {"design": "simple-random", "size": 100, "population": 1000},
    "query": [{"name": "q", "statistic": "count", "where": [["x", ">", 1]]}],
}
QUANTILE = {"name": "q", "statistic": "quantile", "column": "x", "bounds": [0, 1]}
HISTOGRAM = {
    "name": "q",
    "statistic": "histogram",
    "column": "x",
    "edges": [0, 1, 2],
    "quantiles": [0.5],
}
PERSONS = {"source": "withheld", "entity": "p"}


def plan(**tables):
    return copy.deepcopy(PLAN) | tables


def sample(**keys):
    return plan(sample=PLAN["sample"] | keys)


def test_sizes_are_read_and_without_the_table_there_is_no_sample():
    assert public_plan(PLAN).sample == SimpleRandomSample(100, 1000)
    assert public_plan({key: PLAN[key] for key in PLAN if key != "sample"}).sample is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (sample(size=1001), "no-larger-its-population-size"),
        (sample(size=0), "size-of-sample-0"),
        (sample(population=0), "population-at-least-1"),
        (sample(size=-5), "size-at-least-1"),
        (sample(population=10**18), "population-at-most-2-53"),
        (sample(size=10**9, population=10**10), "size-at-most-2-27"),
        (sample(size=10**400, population=10**401), "size-sample"),
        (sample(size=100.0), "whole-number"),
        (sample(size=True), "whole-number"),
        (sample(design="cluster"), "simple-random-leave-out"),
        (sample(weights="w"), "keys-unknown-key"),
        (plan(sample={"size": 1, "population": 2}), "value-missing: design"),
        (
            plan(data={"source": "withheld", "adjacency": "add-remove"}),
            "its-size-secret-replace-one",
        ),
        (plan(query=[QUANTILE]), "query-with-interval-for-population"),
        (
            plan(
                query=[{"name": "q", "statistic": "sum", "column": "x", "bounds": [0, 1e293]}],
                sample=PLAN["sample"] | {"population": 2**53},
            ),
            "bounds-nearer-to-0",
        ),
        (plan(query=[HISTOGRAM | {"quantiles": [0.5, 0.25]}]), "quantiles-that-increase"),
        (plan(query=[HISTOGRAM | {"quantiles": [1.0]}]), "0-below: quantiles"),
        (plan(query=[HISTOGRAM | {"quantiles": 0.5}]), "quantiles-list"),
        (
            plan(query=[HISTOGRAM | {"quantiles": [i / 200 for i in range(1, 102)]}]),
            "at-most-quantiles: most 99",
        ),
        (
            plan(query=[HISTOGRAM], data=PERSONS, limits={"rows_per_entity": 2}),
            "one-row-of-each-unit",
        ),
        (plan(query=[HISTOGRAM | {"max_contribution": 2}], data=PERSONS), "one-row-of-each-unit"),
        (
            {key: value for key, value in plan(query=[HISTOGRAM]).items() if key != "sample"},
            "sample-beside-quantiles-none",
        ),
        (
            plan(query=[PLAN["query"][0] | {"group_by": ["k"], "keys": {"k": [*range(50_001)]}}]),
            "at-most-intervals: 50000",
        ),
    ],
)
def test_what_has_no_intervals_is_refused(content, message):
    with refuses(PlanError, message):
        public_plan(content)


def test_beside_a_query_without_intervals_another_has_some():
    assert public_plan(plan(query=[*PLAN["query"], QUANTILE | {"name": "r"}])).sample is not None


def test_quantiles_of_bins_are_read_where_a_unit_has_one_row():
    for data in ({"source": "withheld"}, PERSONS):
        (query,) = public_plan(
            plan(
                query=[HISTOGRAM],
                data=data,
                limits={"rows_per_entity": 1} if data is PERSONS else {},
            )
        ).queries
        assert query.statistic.quantiles == (0.5,)
