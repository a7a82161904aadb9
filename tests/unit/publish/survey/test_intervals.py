"""A release of a sample: which numbers have intervals, and what check says of them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate.results import csv_bytes
from deniable.errors import DataError
from tests.cases.refusals import refuses

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
    {"name": "spread", "statistic": "variance", **COST},
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
        if row.query == "median" or row.statistic in ("variance", "standard deviation"):
            assert row.population_low is row.population_high is None
            assert row.approximate_low is row.approximate_high is None
            continue
        if row.query == "spread" and row.statistic != "count":
            assert row.population_low is None
            has_one_row = kind != "persons"
            assert (row.approximate_low is not None) == has_one_row
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


def test_beside_a_variance_mean_and_sum_are_within_reach_of_what_is_there(released):
    """Where a unit has one row; an interval misses its middle by more than its width in 1e-14."""
    kind, answer, _, population = released
    if kind == "persons":
        return
    for what, truth in (("mean", 24.5), ("sum", 24.5 * population)):
        (row,) = (r for r in answer.rows if r.query == "spread" and r.statistic == what)
        low, high = row.approximate_low, row.approximate_high
        assert low < high
        assert low - 2 * (high - low) <= truth <= high + 2 * (high - low)
        proved = next(r for r in answer.rows if r.statistic == what and r.query != "spread")
        if kind == "rows":  # where values are spread out evenly, Hoeffding's is over twice as wide
            assert 1.5 * (high - low) < proved.population_high - proved.population_low


QUANTILES = {
    "name": "costs",
    "statistic": "histogram",
    "column": "cost",
    "edges": list(range(0, 52, 2)),
    "quantiles": [0.25, 0.5, 0.9],
} | WARD


def test_quantiles_follow_from_bins_and_are_checked(tmp_path):
    plan = plan_of(ROWS, 4000, query=[QUANTILES])
    out = tmp_path / "out"
    answer = deniable.release(plan, out, data=DATA)
    names = ["25th percentile", "median", "90th percentile"]
    assert [row.statistic for row in answer.rows] == [*["histogram"] * 25, *names] * 2
    for row in answer.rows:
        if row.statistic == "histogram":
            assert row.approximate_low is None is not row.population_low
            continue
        assert row.population_low is row.half_width_95 is None
        assert row.value in QUANTILES["edges"]
        assert 0 <= row.approximate_low <= row.approximate_high <= 50
    for truth, name in zip((12, 25, 45), names, strict=True):
        (row,) = (r for r in answer.rows if r.statistic == name and r.groups["ward"] == "b")
        assert row.approximate_low - 12 <= truth <= row.approximate_high + 12
    checked = deniable.check(out)
    assert checked.holds
    assert {"sample", "approximate intervals"} <= {each.what for each in checked.on_trust}
    report = (out / "report.html").read_text()
    assert "In the population, about 95 %" in report
    assert "90th percentile" in report
    assert csv_bytes(pq.read_table(out / "results.parquet")) == (out / "results.csv").read_bytes()


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
        with refuses(DataError, f"as-sample-says: {size}"):
            deniable.release(plan, tmp_path / "out", data=DATA)
        assert not (tmp_path / "out" / "results.csv").exists()


def test_the_report_and_the_certificate_say_whose_word_it_is(released):
    kind, answer, out, population = released
    report = (out / "report.html").read_text()
    assert "In the population, 95 %" in report
    assert f"The population has {population:,}" in " ".join(report.split())
    assert ("nothing proves them" in report) == (kind != "persons")
    assert "simple random sample" in (out / "certificate.json").read_text()
    assert csv_bytes(pq.read_table(out / "results.parquet")) == (out / "results.csv").read_bytes()
    assert "population_low" in answer.frame("rows").column_names
