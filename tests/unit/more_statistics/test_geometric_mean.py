"""A geometric mean: its logarithms on the engine, its interval, and a whole release."""

import json
import math
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.auditing.plans import audit_plan
from deniable.errors import InvalidArgument, PlanError
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.more_statistics.geometric_mean import GeometricMean, log_of
from deniable.publish.query import Grouping, Span
from tests.cases.audited import SURE
from tests.cases.refusals import refuses

BOUNDS = (0.5, 64.0)
STATISTIC = GeometricMean("x", BOUNDS)
NOISE = (DiscreteLaplace(2.0**22), DiscreteLaplace(3.0))
VALUES = [0.5, 0.7, 1.0, 2.0, 3.3, 64.0, 100.0, 0.0, -1.0, math.inf, -math.inf, math.nan, None]


def test_a_row_adds_its_logarithm_and_one(agrees):
    assert agrees(STATISTIC, VALUES)


def test_the_engine_computes_the_logarithm_that_python_computes(on_engine):
    generator = random.Random(2)
    values = [math.exp(generator.uniform(-20, 20)) for _ in range(2_000)]
    span = Span.of((log_of(BOUNDS[0]), log_of(BOUNDS[1])))
    within = [min(max(value, BOUNDS[0]), BOUNDS[1]) for value in values]
    expected = [span.grid.units(log_of(each)) - span.middle for each in within]
    assert [values[0] for _, values in on_engine(STATISTIC, values)] == expected
    assert max(abs(log_of(each) - math.log(each)) for each in values) < 2.0**-48


@pytest.mark.parametrize(
    "bounds", [(0, 1), (-1, 1), (1, 1), (2, 1), (1e-10, 1e10), (2.0**24, 2.0**24 + 1)]
)
def test_bounds_without_logarithms_are_refused(bounds):
    with refuses(InvalidArgument, "expects-something"):
        GeometricMean("x", bounds)


@pytest.mark.parametrize("noise", [NOISE, (DiscreteGaussian(2.0**22), DiscreteGaussian(3.0))])
def test_no_noise_within_both_widths_moves_a_mean_farther_than_is_said(noise):
    generator = np.random.default_rng(5)
    values = np.exp(generator.uniform(math.log(1), math.log(40), 2_000))
    span = Span.of((log_of(BOUNDS[0]), log_of(BOUNDS[1])))
    units = [span.grid.units(log_of(float(each))) - span.middle for each in values]
    true = math.exp(np.log(values).mean())
    ends = [float(each.half_width(0.95)) for each in noise]
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            total, number = sum(units) + int(x * ends[0]), 2_000 + int(y * ends[1])
            noisy = [np.array([total]), np.array([number])]
            mean, count = STATISTIC.rows("q", Grouping(), noisy, noise)
            assert (mean.statistic, count.statistic) == ("geometric mean", "count")
            assert abs(mean.value - true) <= STATISTIC.error_among(noise, 2_000)
            if not (x and y):
                assert abs(mean.value - true) <= mean.half_width_95


def test_of_no_rows_the_interval_is_as_wide_as_the_bounds():
    noisy = [np.array([0]), np.array([0])]
    mean, _ = STATISTIC.rows("q", Grouping(), noisy, NOISE)
    least, most = mean.value - mean.half_width_95, mean.value + mean.half_width_95
    assert least <= BOUNDS[0] or most >= BOUNDS[1]


PLAN = """\
[data]
source = "incomes.parquet"
entity = "person"
[limits]
rows_per_entity = 1
[target]
epsilon = 1.0
[[query]]
name = "typical income"
statistic = "geometric mean"
column = "income"
bounds = [1000, 64000]
group_by = ["ward"]
keys = { ward = ["A", "B"] }
"""


@pytest.fixture
def plan(tmp_path):
    generator = np.random.default_rng(7)
    table = pa.table(
        {
            "person": [f"p{number}" for number in range(4_000)],
            "ward": ["A", "B"] * 2_000,
            "income": np.exp(generator.normal(9.0, 0.5, 4_000)),
        }
    )
    pq.write_table(table, tmp_path / "incomes.parquet")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return tmp_path / "plan.toml"


def test_it_is_planned_previewed_released_checked_and_audited(plan, tmp_path):
    (query,) = deniable.plan(plan).queries
    assert [each.of for each in query.errors] == ["geometric mean", "count"]
    (removed,) = deniable.preview(plan).removed
    assert removed.losses.kept == 4_000
    released = deniable.release(plan, tmp_path / "out")
    logs = np.log(pq.read_table(tmp_path / "incomes.parquet")["income"].to_numpy())
    for place, row in enumerate(released.frame("typical income").to_pylist()):
        true = math.exp(logs[place::2].mean())
        # Eight of these are 24 scales of Laplace noise: it goes beyond in 4e-11 of releases.
        assert abs(row["value"] - true) <= 8 * row["half_width_95"] < 2_600
    assert deniable.check(tmp_path / "out").holds
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "geometric mean of" in page
    # Read as a mean is, though no page knows this one by its name.
    assert "Known to within, 95 %" in page
    assert "lines contain the exact geometric mean" in page
    assert "More than noise?" not in page
    assert "The number of rows behind a geometric mean has its own noise." in page
    assert audit_plan(plan, runs=40, releases=1, confidence=SURE).verdict != "violated"


def test_a_number_that_no_release_publishes_is_refused(plan, tmp_path):
    deniable.release(plan, tmp_path / "out")
    place = tmp_path / "out" / "certificate.json"
    document = json.loads(place.read_text(encoding="utf-8"))
    document["queries"][0]["parts"][0]["scale"] /= 2
    place.write_text(json.dumps(document), encoding="utf-8")
    assert not deniable.check(tmp_path / "out").holds


@pytest.mark.usefixtures("plan")
def test_another_word_for_it_is_understood():
    text = PLAN.replace('"geometric mean"', '"geomean"')
    with refuses(PlanError, 'statistic-did-you-mean: "geometric mean"'):
        deniable.plan(text)
