import re

import pytest

from deniable.publish.owner import Losses, RemovedByBounds, of_columns, of_preview, of_release
from deniable.publish.sources import Unread
from deniable.publish.totals import LARGE, Truncation

FEW = dict.fromkeys(("without_entity", "truncated", "where", "keys", "missing", "outside"), 0)


def preview(figures=(), **lost):
    steps = FEW | lost
    cuts = {name: steps.pop(name, 0) for name in ("below", "above")}
    kept = 1000 - sum(steps.values())
    told = Losses(1000, **steps, kept=kept, **cuts)
    return list(
        of_preview([RemovedByBounds("visits", "sum", "rows", 9, 9, *figures, losses=told)], 5)
    )


@pytest.mark.parametrize(("rows", "kept"), [(0, 0), (100, 100), (1000, 901)])
def test_little_removal_is_not_told(rows, kept):
    assert list(of_release(Truncation(rows, kept), 5)) == []
    assert list(of_release(None, None)) == []


@pytest.mark.parametrize(("rows", "kept", "share"), [(1000, 900, 10.0), (1000, 590, 41.0)])
def test_large_removal_is_told_with_its_limit_and_for_whom(rows, kept, share):
    (sentence,) = of_release(Truncation(rows, kept), 5)
    limit, lost = re.search(r"rows_per_entity = (\d+) left out ([\d.]+) % of", sentence).groups()
    assert (int(limit), float(lost)) == (5, share)
    assert sentence.startswith("For you only, not for publication:")


@pytest.mark.parametrize(("filled", "unread"), [(0, 0), (1000, 0), (1000, 99)])
def test_a_few_cells_that_are_unread_are_not_told(filled, unread):
    assert list(of_columns([Unread("age", filled, unread)])) == []


def test_columns_that_are_mostly_unread_are_told_one_by_one():
    known = [Unread("age", 1000, 100), Unread("day", 50, 0), Unread("at", 3, 3)]
    sentences = list(of_columns(known))
    told = [re.search(r'"(\w+)": ([\d.]+) % of its values', each).groups() for each in sentences]
    assert told == [("age", "10.0"), ("at", "100.0")]
    assert all(each.startswith("For you only, not for publication:") for each in sentences)


@pytest.mark.parametrize("step", ["without_entity", "truncated", "keys", "missing", "outside"])
def test_every_step_that_loses_much_is_told(step):
    assert preview(**{step: int(1000 * LARGE) - 1}) == []
    (sentence,) = preview(**{step: 410})
    assert float(re.search(r"([\d.]+) %", sentence).group(1)) == 41.0


def test_a_filter_loses_rows_on_purpose():
    assert preview(where=999) == []


@pytest.mark.parametrize("end", ["below", "above"])
def test_values_that_are_cut_are_told(end):
    (sentence,) = preview(**{end: 250})
    assert re.search(r'"visits": 25.0 % of its values are (raised|lowered)', sentence)


def test_a_total_that_is_scaled_away_is_told():
    (sentence,) = preview(("sum", 100.0, 100.0, 59.0))
    assert re.search(r'"visits": 41.0 % of its sum is scaled away', sentence)
    assert preview(("sum", 100.0, 100.0, 95.0)) == []
