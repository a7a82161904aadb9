"""Whole plans with a list of members: both demands met, stated, charged and checked."""

import json

import attrs
import pytest

import deniable
from deniable.errors import InvalidArgument
from deniable.numerics.bound import Bound, Evidence
from deniable.pipeline.check import check
from deniable.population.plans import derive_statement
from deniable.publish.prepare import calibrate_plan, everybody, plan
from tests.cases.member_lists import COUNT, TABLE, drawn, members, write
from tests.cases.refusals import refuses


def test_the_noise_of_the_floor_is_kept_where_it_is_enough(tmp_path):
    prepared = plan(write(tmp_path, target="epsilon = 5"))
    claim = prepared.population.claim
    assert (claim.noise_factor, claim.method) == (1.0, "differential-privacy")
    assert prepared.calibration.epsilon == 4


def test_a_count_is_certified_below_what_differential_privacy_would_need(tmp_path):
    claim = plan(write(tmp_path)).population.claim
    assert (claim.members, claim.drawn, claim.method) == (60, 30, "hypergeometric")
    assert claim.bound.upper <= 0.5
    assert claim.bound.evidence is Evidence.ENCLOSURE
    assert 1 < claim.noise_factor < 4 / 0.5 * 0.8


def test_less_noise_misses_the_demand(tmp_path):
    prepared = plan(write(tmp_path))
    claim = prepared.population.claim
    ones = sum(age >= 65 for age in members()["age"].to_pylist())
    scale = prepared.queries[0].mechanisms[0].scale
    again = deniable.population.count(ones, 60, 30, scale=scale)
    assert again.population_epsilon.upper == claim.bound.upper
    less = deniable.population.count(ones, 60, 30, scale=scale / 1.02)
    assert less.population_epsilon.lower > 0.5


def test_rows_and_entities_of_one_row_each_are_the_same(tmp_path):
    one = plan(write(tmp_path, TABLE)).population.claim
    other = plan(write(tmp_path, TABLE, entity=False)).population.claim
    assert attrs.asdict(one) == attrs.asdict(other)


def test_a_release_states_both_and_charges_the_floor(tmp_path):
    book = tmp_path / "book.ledger"
    deniable.ledger.new(book, "people", epsilon=10.0, entity="id")
    path = write(tmp_path, COUNT)
    answer = deniable.release(path, tmp_path / "out", ledger=book, dataset="people")
    assert answer.ledger.charged == 4
    told = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert told["target"] == {"kind": "epsilon", "value": 4.0, "worlds": None}
    assert (
        told["guarantee"]["epsilon"]
        == 4
        == sum(part["epsilon"] for query in told["queries"] for part in query["parts"])
    )
    assert told["population"]["target"]["value"] == 0.5
    assert told["population"] == json.loads(json.dumps(answer.as_json()["population"]))
    assert check(tmp_path / "out").holds


def test_nothing_of_the_list_is_in_what_is_published(tmp_path):
    path = write(tmp_path, COUNT)
    deniable.release(path, tmp_path / "out")
    for file in (tmp_path / "out").iterdir():
        assert b"members.parquet" not in file.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"bound": Bound(0.0, 0.6, Evidence.ENCLOSURE)},
        {"bound": Bound(0.0, 0.3, Evidence.ESTIMATE)},
        {"method": "differential-privacy"},
        {"drawn": 59, "bound": Bound(0.0, 0.51, Evidence.ENCLOSURE)},
    ],
)
def test_a_claim_that_does_not_meet_the_demand_is_none(tmp_path, change):
    prepared = plan(write(tmp_path))
    floor = calibrate_plan(prepared.plan)
    claim = attrs.evolve(prepared.population.claim, **change)
    with refuses(InvalidArgument, "certified-population-epsilon"):
        derive_statement(prepared.plan.population, everybody(floor), claim)


@pytest.mark.parametrize(
    "change", [{"drawn": 60}, {"drawn": 0}, {"noise_factor": 0.5}, {"members": 1}]
)
def test_a_claim_out_of_range_is_refused(tmp_path, change):
    claim = plan(write(tmp_path)).population.claim
    with pytest.raises(InvalidArgument):
        attrs.evolve(claim, **change)


BINS = """
[[query]]
name = "bins"
statistic = "histogram"
column = "age"
edges = [0, 40, 65, 120]
"""


def test_a_histogram_is_certified_over_the_types_of_members(tmp_path):
    claim = plan(write(tmp_path, BINS)).population.claim
    assert claim.method == "types"
    assert claim.bound.upper <= 0.5
    assert 1 < claim.noise_factor < 0.8 * 8


TOP = """
[[query]]
name = "plans"
statistic = "top"
column = "plan"
keys = { plan = ["free", "shared", "other"] }
number = 1
"""
MEDIAN = """
[[query]]
name = "median age"
statistic = "quantile"
column = "age"
bounds = [0, 100]
"""
WITH_DELTA = {"floor": "epsilon = 4\ndelta = 1e-6", "target": "epsilon = 0.5\ndelta = 1e-5"}


def test_the_most_frequent_and_a_count_are_certified_together(tmp_path):
    claim = plan(write(tmp_path, TOP + COUNT)).population.claim
    assert 1 < claim.noise_factor < 8 * 0.8
    assert claim.method != "differential-privacy"
    assert claim.bound.upper <= 0.5


def test_in_a_large_list_sampling_hides_a_choice_too(tmp_path):
    known = members(4000)
    path = write(tmp_path, TOP + COUNT, **WITH_DELTA, list_=known, data=drawn(known, 2000))
    claim = plan(path).population.claim
    assert (claim.method, claim.noise_factor) == ("counts", 1.0)


@pytest.mark.parametrize("demands", [{}, WITH_DELTA])
def test_a_quantile_is_released_and_checked(tmp_path, demands):
    path = write(tmp_path, MEDIAN + TOP, **demands)
    answer = deniable.release(path, tmp_path / "out")
    assert answer.as_json()["population"]["population_epsilon"]["upper"] <= 0.5
    assert check(tmp_path / "out").holds
    assert check(tmp_path / "out", population=tmp_path / "members.parquet").holds


@pytest.mark.parametrize(
    ("text", "floor"),
    [(COUNT, "epsilon = 4\ndelta = 1e-4"), (TABLE, "epsilon = 4"), (BINS + COUNT, "epsilon = 4")],
)
def test_what_is_certified_does_not_depend_on_a_clock(tmp_path, monkeypatch, text, floor):
    """Where every look at the clock takes an hour the same is found, and checked."""
    target = floor.replace("4\n", "1\n").replace("= 4", "= 1")
    path = write(tmp_path, text, floor=floor, target=target)
    wanted = plan(path).population
    hours = iter(range(0, 3600 * 10**9, 3600))
    monkeypatch.setattr("time.monotonic", lambda: float(next(hours)))
    assert deniable.release(path, tmp_path / "out").prepared.population == wanted
    assert check(tmp_path / "out", population=tmp_path / "members.parquet").holds
