"""Intervals for a population, from outside: changed bounds, and hostile numbers and sizes."""

import json
import math
import shutil
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate.files import METADATA
from deniable.certificate.json_documents import sha256, statement_sha256
from deniable.certificate.results import csv_bytes, parquet_bytes
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.publish.plan import MOST_SAMPLED, MOST_UNITS, SimpleRandomSample
from deniable.publish.query import ErrorTerm, Grouping
from deniable.publish.statistics import Histogram
from deniable.publish.survey import (
    MeanNoise,
    mean_interval,
    noise_tail,
    population_interval,
    total_interval,
)
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses

PLAN = {
    "data": {},
    "target": {"epsilon": 1.0, "delta": 1e-6},
    "sample": {"design": "simple-random", "size": 60, "population": 900},
    "query": [
        {"name": "rows", "statistic": "count", "where": [["x", ">", 0.5]]},
        {"name": "sum", "statistic": "sum", "column": "x", "bounds": [0, 1]},
        {"name": "mean", "statistic": "mean", "column": "x", "bounds": [0, 1]},
        {"name": "tables", "statistic": "crosstab", "columns": ["k"], "keys": {"k": [0, 1]}},
        {"name": "spread", "statistic": "variance", "column": "x", "bounds": [0, 1]},
        {
            "name": "bins",
            "statistic": "histogram",
            "column": "x",
            "edges": [0, 0.25, 0.5, 1],
            "quantiles": [0.5],
        },
    ],
}
DATA = pa.table({"x": [i / 60 for i in range(60)], "k": [i % 3 for i in range(60)]})


CHANGES = {"last bit": lambda x: math.nextafter(x, 1e9), "none": lambda _: None}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    out = tmp_path_factory.mktemp("sample") / "out"
    deniable.release(PLAN, out, data=DATA)
    return out


def with_results(folder, results):
    """Other results in both files, and every digest made anew."""
    about = pq.read_metadata(folder / "results.parquet").metadata
    (folder / "results.parquet").write_bytes(parquet_bytes(results, {METADATA: about[METADATA]}))
    (folder / "results.csv").write_bytes(csv_bytes(results))
    path = folder / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["files"] = {name: sha256((folder / name).read_bytes()) for name in document["files"]}
    document["statement_sha256"] = statement_sha256(document)
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("row", "column"), some_pairs([0, 1, 2, 3, 5], ["population_low", "population_high"])
)
def test_a_changed_bound_is_seen(released, tmp_path, row, column, change):
    change = CHANGES[change]
    folder = shutil.copytree(released, tmp_path / "out")
    results = pq.read_table(folder / "results.parquet")
    values = results[column].to_pylist()
    values[row] = change(values[row])
    place = results.column_names.index(column)
    with_results(folder, results.set_column(place, column, pa.array(values, pa.float64())))
    failed = [each for each in deniable.check(folder).checks if not each.holds]
    assert any(column in each.finding for each in failed)


@pytest.mark.parametrize("kind", ["population", "approximate"])
def test_bounds_cannot_be_left_out(released, tmp_path, kind):
    folder = shutil.copytree(released, tmp_path / "out")
    results = pq.read_table(folder / "results.parquet")
    with_results(folder, results.drop_columns([f"{kind}_low", f"{kind}_high"]))
    assert not deniable.check(folder).holds


@pytest.mark.parametrize("statistic", ["mean", "sum", "median"])
@pytest.mark.parametrize("column", ["approximate_low", "approximate_high", "population_low"])
def test_an_approximate_bound_is_no_other_and_in_no_other_column(
    released, tmp_path, statistic, column
):
    """Changed in its last bit; and as if it were proved."""
    folder = shutil.copytree(released, tmp_path / "out")
    results = pq.read_table(folder / "results.parquet")
    places = zip(results["query"].to_pylist(), results["statistic"].to_pylist(), strict=True)
    row = next(
        i for i, place in enumerate(places)
        if place[1] == statistic and place[0] in ("spread", "bins")
    )  # fmt: skip
    values = results[column].to_pylist()
    assert (values[row] is None) == (column == "population_low")
    values[row] = math.nextafter(values[row] or 0.0, 1e9)
    place = results.column_names.index(column)
    with_results(folder, results.set_column(place, column, pa.array(values, pa.float64())))
    failed = [each for each in deniable.check(folder).checks if not each.holds]
    assert any(column in each.finding for each in failed)


def test_a_quantile_that_does_not_follow_from_its_bins_is_seen(released, tmp_path):
    folder = shutil.copytree(released, tmp_path / "out")
    results = pq.read_table(folder / "results.parquet")
    row = results["statistic"].to_pylist().index("median")
    values = results["value"].to_pylist()
    values[row] = 0.25 if values[row] != 0.25 else 0.5
    place = results.column_names.index("value")
    with_results(folder, results.set_column(place, "value", pa.array(values, pa.float64())))
    failed = [each for each in deniable.check(folder).checks if not each.holds]
    assert any("value" in each.finding for each in failed)


def test_a_changed_size_of_the_sample_is_seen(released, tmp_path):
    folder = shutil.copytree(released, tmp_path / "out")
    path = folder / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["plan"]["sample"]["population"] = 901
    document["statement_sha256"] = statement_sha256(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    assert not deniable.check(folder).holds


@pytest.mark.parametrize(
    ("size", "population"),
    [(0, 0), (0, 10), (11, 10), (-1, 10), (1, -1), (1, 10**18), (MOST_SAMPLED + 1, 2**40)],
)
def test_impossible_sizes_are_refused(size, population):
    with refuses(InvalidArgument, "size-population"):
        SimpleRandomSample(size, population)


SIZES = [(1, 1), (1, 2), (1, MOST_UNITS), (50, 50), (50, 51), (50, MOST_UNITS)]
VALUES = [-1.7e308, -(2.0**63), -1e6, -3.0, -0.0, 0.5, 50.0, 51.0, 1e6, 2.0**63, 1.7e308]


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(0.05), DiscreteLaplace(1e6), DiscreteGaussian(2.0)]
)
@pytest.mark.parametrize(("size", "population"), SIZES)
def test_any_number_gives_bounds_in_order_within_the_population(noise, size, population):
    sample, term = SimpleRandomSample(size, population), ErrorTerm(Fraction(1), 1, noise)
    counts = [population_interval(value, sample, noise_tail((term,))) for value in VALUES]
    sums = [total_interval(value, (-1.0, 2.0), sample, [term]) for value in VALUES]
    for intervals, most in ((counts, population), (sums, 2 * population)):
        assert all(low <= high <= most for low, high in intervals)
        assert [low for low, _ in intervals] == sorted(low for low, _ in intervals)
        assert [high for _, high in intervals] == sorted(high for _, high in intervals)
    assert all(low >= 0 for low, _ in counts)
    assert all(low >= -population for low, _ in sums)
    assert counts[0] == (0, 0)
    assert counts[-1] == (population, population)


@pytest.mark.parametrize("number", [-1e18, 0.0, 0.5, 1.0, 40.0, 1e18, 1.7e308])
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_any_number_of_rows_gives_a_mean_within_its_bounds(number, value):
    term = ErrorTerm(Fraction(1), 1, DiscreteLaplace(3.0))
    noise, sample = MeanNoise(term, term, 9.0), SimpleRandomSample(50, 500)
    low, high = mean_interval(value, number, (0.0, 1.0), sample, noise)
    assert 0.0 <= low <= value <= high <= 1.0
    if number < 1:
        assert (low, high) == (0.0, 1.0)


LARGEST = 1.7976931348623157e308


@pytest.mark.parametrize(
    "edges",
    [
        [-LARGEST, LARGEST],
        [-LARGEST, 0, LARGEST],
        [-1e308, -5e-324, 1e308],
        [0, 5e-324],
        [LARGEST / 2, LARGEST],
    ],
)
def test_a_quantile_between_edges_as_far_apart_as_numbers_can_be_is_published(edges, tmp_path):
    """Outer edges are made large to catch all; noise is drawn before the page is."""
    query = PLAN["query"][-1] | {"edges": edges}
    # so much noise that every edge may be one's end
    plan = PLAN | {"target": {"epsilon": 1e-3}, "query": [query]}
    row = deniable.release(plan, tmp_path / "out", data=DATA).rows[-1]
    assert edges[0] <= row.approximate_low <= row.approximate_high <= edges[-1]
    assert deniable.check(tmp_path / "out").holds


NAMED = [1e-300, 0.001, 0.01, 0.1, 0.10000001, 0.125, 1 / 3, 0.5, 0.50000001, 0.99, 0.9999999]


def test_a_quantile_has_the_name_of_no_other():
    """As whoever reads the results takes it: "1 quantile" and "0th percentile" are others."""
    statistic = Histogram("x", (0.0, 1.0), quantiles=(*NAMED, 1 - 2**-53))
    rows = statistic.rows("q", Grouping(), [np.zeros((1, 1), np.int64)], [DiscreteLaplace(1.0)])
    read = [_share(row.statistic) for row in rows[1:]]
    assert read == [Fraction(str(share)) for share in statistic.quantiles]


def _share(name):
    if name == "median":
        return Fraction(1, 2)
    number, word = name.split(" ")
    return Fraction(number[:-2]) / 100 if word == "percentile" else Fraction(number)
