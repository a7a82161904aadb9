"""A release of a sample: which numbers have intervals, and what check says of them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate.results import csv_bytes
from deniable.errors import DataError

ROWS = 400
DATA = pa.table(
    {
        "person": [f"p{i // 2}" for i in range(ROWS)],
        "ward": ["a", "b", "b", None] * (ROWS // 4),
        "cost": [float(i % 50) for i in range(ROWS)],
    }
)
WARD = {"group_by": ["ward"], "keys": {"ward": ["a", "b"]}}
COST = {"column": "cost", "bounds": [0, 50]}
QUERIES = [
    {"name": "rows", "statistic": "count", **WARD},
    {"name": "bins", "statistic": "histogram", "column": "cost", "edges": [0, 20, 50]},
    {"name": "sum", "statistic": "sum", **COST},
    {"name": "means", "statistic": "mean", **COST, **WARD},
    {"name": "mean", "statistic": "mean", "nulls": 0, **COST},
    {"name": "median", "statistic": "quantile", **COST},
    {
        "name": "tables",
        "statistic": "crosstab",
        "columns": ["ward"],
        "keys": {"ward": ["a", "b"]},
    },
]


def plan_of(size, population, **tables):
    return {
        "data": {},
        "target": {"epsilon": 20.0, "delta": 1e-6},
        "sample": {"design": "simple-random", "size": size, "population": population},
        "query": QUERIES,
    } | tables


OF_PERSONS = {
    "data": {"entity": "person"},
    "limits": {"rows_per_entity": 2},
    "query": [query for query in QUERIES if query["name"] != "mean"]
    + [{"name": "people", "statistic": "entities", **WARD},
       {"name": "shares", "statistic": "count", "max_contribution": 2, **WARD}],
}  # fmt: skip


@pytest.fixture(scope="module", params=["rows", "persons", "everybody"])
def released(request, tmp_path_factory):
    out = tmp_path_factory.mktemp("sample") / "out"
    if request.param == "persons":
        plan = plan_of(ROWS // 2, 5000, **OF_PERSONS)
    else:
        plan = plan_of(ROWS, ROWS if request.param == "everybody" else 4000)
    return request.param, deniable.release(plan, out, data=DATA), out, plan["sample"]["population"]


TRUTH = {
    ("rows", "a"): 100, ("rows", "b"): 200, ("sum", None): 9800.0, ("tables", "a"): 100,
    ("tables", "b"): 200, ("tables", None): ROWS, ("people", "a"): 100, ("people", "b"): 200,
    ("shares", "a"): 100, ("shares", "b"): 200,
}  # fmt: skip


def test_every_number_but_the_median_has_an_interval_around_what_is_there(released):
    """The population is the table some times over: a miss takes noise of three half-widths."""
    kind, answer, _, population = released
    times = population / (ROWS // 2 if kind == "persons" else ROWS)
    for row in answer.rows:
        if row.query == "median":
            assert row.population_low is row.population_high is None
            continue
        low, high = row.population_low, row.population_high
        truth = TRUTH.get((row.query, row.groups.get("ward")))
        if row.statistic == "mean":
            truth, slack, most = 24.5, 3 * row.half_width_95, 50.0
        else:
            truth = None if truth is None else truth * times
            slack, most = 3 * times * row.half_width_95, 100.0 * population
        assert 0 <= low <= high <= most
        if truth is not None:
            assert low - slack <= truth <= high + slack


def test_of_everybody_the_interval_is_that_of_the_noise(released):
    kind, answer, _, _ = released
    if kind == "everybody":
        for row in answer.rows:
            if row.query in ("rows", "bins", "sum"):
                width = (row.population_high - row.population_low) / 2
                assert width <= row.half_width_95 + 0.5


def test_the_public_number_of_rows_is_the_whole_population(released):
    kind, answer, _, population = released
    if kind != "persons":
        (total,) = (row for row in answer.rows if row.query == "tables" and not row.groups)
        assert (total.population_low, total.population_high) == (population, population)


def test_check_recomputes_the_bounds_and_names_what_they_rest_on(released):
    _, _, out, _ = released
    checked = deniable.check(out)
    assert checked.holds
    assert "sample" in {each.what for each in checked.on_trust}


def test_a_table_of_another_size_is_refused(tmp_path):
    """Before anything is drawn or written; the number of entities is public."""
    for plan, size in (
        (plan_of(ROWS - 1, 4000), ROWS),
        (plan_of(ROWS, 5000, **OF_PERSONS), ROWS // 2),
    ):
        with pytest.raises(DataError, match=rf"as \[sample\] says, got {size}"):
            deniable.release(plan, tmp_path / "out", data=DATA)
        assert not (tmp_path / "out" / "results.csv").exists()


def test_the_report_and_the_certificate_say_whose_word_it_is(released):
    _, answer, out, population = released
    report = (out / "report.html").read_text()
    assert "In the population, 95 %" in report
    assert f"all {population:,}" in report
    assert "simple random sample" in (out / "certificate.json").read_text()
    assert csv_bytes(pq.read_table(out / "results.parquet")) == (out / "results.csv").read_bytes()
    assert "population_low" in answer.frame("rows").column_names
