"""What bounding removes, on a table small enough to be counted by hand."""

import math

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.owner import RemovedByBounds, count_removed
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import Source
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Quantile, Sum, Top

ONE_ROW = Protection(Adjacency.REPLACE_ONE, 1)
GROUPS = Grouping(("g",), (("a", "b"),))
TABLE = {
    "p": [1, 1, 1, 1, 2, None, 3],
    "g": ["a", "a", "b", "b", "a", "a", "elsewhere"],
    "x": [8.0, 8.0, 8.0, 8.0, -5.0, 3.0, 2.0],
    "y": [2.0, 2.0, 2.0, math.inf, 4.0, 100.0, None],
}


@pytest.fixture
def source(tmp_path):
    pq.write_table(pa.table(TABLE), tmp_path / "t.parquet")
    return Source("t.parquet", tmp_path)


def one(source, statistic, protection=ONE_ROW, entity="p", **query):
    (found,) = count_removed(source, entity, [(Query("q", statistic, **query), protection)])
    return attrs.evolve(found, losses=None, remarks=())


def test_a_sum_before_and_after(source):
    found = one(source, Sum("x", (0, 10)), grouping=GROUPS)
    assert found == RemovedByBounds("q", "sum", "rows", 5, 2, "sum", 27.0, 32.0, 8.0)


def test_infinities_are_clipped_but_not_added(source):
    found = one(source, Sum("y", (0, 10)), Protection(Adjacency.REPLACE_ONE, 9))
    assert (found.unbounded, found.clipped, found.bounded) == (10.0, 20.0, 20.0)


def test_a_scaled_sum(source):
    scaled = Protection(Adjacency.REPLACE_ONE, None, 16.0)
    found = one(source, Sum("x", (0, 10)), scaled, grouping=GROUPS)
    assert (found.taking_part, found.kept) == (5, 5)
    assert (found.unbounded, found.clipped) == (27.0, 32.0)
    assert found.bounded == pytest.approx(16.0, abs=1e-5)


def test_counts(source):
    found = one(source, Count())
    assert found == RemovedByBounds("q", "count", "rows", 6, 3, "count", 6.0, 6.0, 3.0)
    scaled = Protection(Adjacency.REPLACE_ONE, None, 2.0)
    found = one(source, Count(scaled=True), scaled)
    assert (found.taking_part, found.kept, found.clipped) == (6, 6, 6.0)
    assert found.bounded == pytest.approx(4.0, abs=1e-5)
    found = one(source, Histogram("x", (0, 5, 10)), grouping=GROUPS)
    assert found == RemovedByBounds("q", "histogram", "rows", 4, 1, "count", 4.0, 4.0, 1.0)


def test_a_mean(source):
    found = one(source, Mean("x", (0, 10)))
    assert (found.taking_part, found.kept, found.figure) == (6, 3, "mean")
    assert found.unbounded == pytest.approx(29 / 6)
    assert found.clipped == pytest.approx(34 / 6)
    assert found.bounded == pytest.approx(10 / 3)
    nothing = one(source, Mean("x", (0, 10)), where=(Condition("g", "==", "none"),))
    assert nothing == RemovedByBounds("q", "mean", "rows", 0, 0)
    filled = one(source, Mean("y", (0, 10), nulls=1.0), where=(Condition("p", "==", 3),))
    assert (filled.unbounded, filled.clipped, filled.bounded) == (1.0, 1.0, 1.0)


def test_entities_count_once_in_each_cell(source):
    found = one(source, Entities(), grouping=GROUPS)
    assert found == RemovedByBounds(
        "q", "entities", "entities", 3, 2, different=2, different_kept=2
    )
    several = one(source, Entities(), Protection(Adjacency.REPLACE_ONE, 4), grouping=GROUPS)
    assert (several.taking_part, several.kept, several.different) == (3, 3, 2)
    assert one(source, Entities()) == RemovedByBounds("q", "entities", "entities", 3, 3)
    nobody = (Condition("g", "==", "none"),)
    assert one(source, Entities(), grouping=GROUPS, where=nobody).different == 0


def test_others_show_what_takes_part(source):
    assert one(source, Quantile("x", (0, 10))) == RemovedByBounds("q", "quantile", "rows", 6, 3)
    assert one(source, Top("g", ("a", "b"), 1)) == RemovedByBounds("q", "top", "rows", 5, 2)


def test_without_an_entity_nothing_is_truncated(source):
    found = one(source, Sum("x", (0, 10)), entity=None)
    assert found == RemovedByBounds("q", "sum", "rows", 7, 7, "sum", 32.0, 37.0, 37.0)
    assert one(source, Entities(), entity=None).kept == 7


def test_many_passes_add_up(source, monkeypatch):
    once = one(source, Mean("x", (0, 10)))
    monkeypatch.setattr("deniable.publish.totals.passes.passes_needed", lambda *_: 3)
    assert one(source, Mean("x", (0, 10))) == once


def test_lines_and_json():
    found = RemovedByBounds("q", "sum", "rows", 2000, 1000, "sum", 30000.0, 25000.0, 12500.0)
    assert list(found.lines()) == [
        ("rows taking part", "2,000"),
        ("kept by truncation", "1,000 (50.0 %)"),
        ("sum before bounding", "30,000"),
        ("sum of clipped values", "25,000"),
        ("sum after all bounding", "12,500 (50.0 %)"),
    ]
    assert found.as_json()["bounded"] == 12500.0
    counted = RemovedByBounds("q", "entities", "entities", 0, 0)
    assert list(counted.lines()) == [("entities taking part", "0"), ("kept by truncation", "0")]
    patients = attrs.evolve(counted, taking_part=1800, kept=900, word="patient")
    assert list(patients.lines()) == [
        ("patients taking part", "1,800"),
        ("kept by truncation", "900 (50.0 %)"),
    ]
    in_cells = attrs.evolve(patients, taking_part=4834, kept=2417, different=1800)
    assert list(attrs.evolve(in_cells, different_kept=1800).lines()) == [
        ("patients taking part", "1,800"),
        ("kept by truncation", "1,800 (100.0 %)"),
        ("patient-cells, each patient once in every cell", "4,834"),
        ("kept by truncation", "2,417 (50.0 %)"),
    ]
    mean = RemovedByBounds("q", "mean", "rows", 2, 2, "mean", 1.5, 1.5, 1.5)
    assert list(mean.lines())[2:] == [
        ("mean before bounding", "1.5"),
        ("mean after all bounding", "1.5"),
    ]
