import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.pipeline.check import check_certificate
from deniable.publish.kind import KIND
from tests.cases.certified_case import PLANS, certificate
from tests.cases.refusals import refuses


def settled(name):
    answer, recomputed = check_certificate(KIND, certificate(PLANS[name]).as_json())
    assert answer.holds
    return recomputed


def number(name):
    return KIND.number(settled(name).prepared)


def rebuilt(release, found):
    return KIND.rebuilt(release.certificate, release.prepared, found)


def blank(release, **values):
    row = {"value": 1.0, "half_width_95": 1.0, "category": None} | values
    return [dict(row) for _ in range(KIND.number(release.prepared))]


def test_rows_are_counted_before_anything_is_read():
    # 3 counts, 2 entities, 2 sums, 2 scaled, a mean with its count, 3 bins, a quantile, 2 ranks
    assert number("every statistic") == 3 + 2 + 2 + 2 + 2 + 3 + 1 + 2
    assert number("rows as entities") == 1 + 4
    assert number("success") == 1 + 2


def test_only_published_values_are_taken_from_the_file():
    release = settled("rows as entities")
    found = blank(release, query="forged", half_width_95=3.5)
    results = [attrs.asdict(row) for row in rebuilt(release, found)]
    assert [row["query"] for row in results] == ["mean fare", *["by day"] * 4]
    assert [row["value"] for row in results] == [1.0] * 5
    assert results[0]["half_width_95"] == 3.5
    assert len({row["half_width_95"] for row in results[1:]}) == 1


@pytest.mark.parametrize("value", [None, "1", 1, float("nan"), float("inf"), 101.0, -5.1])
def test_a_value_that_no_release_publishes_is_refused(value):
    release = settled("rows as entities")
    found = blank(release)
    found[0]["value"] = value
    with refuses(InvalidArgument, "published-value"):
        rebuilt(release, found)


@pytest.mark.parametrize("chosen", [("a", "a"), ("a", None), ("a", "d")])
def test_a_category_that_was_not_to_choose_from_is_refused(chosen):
    release = settled("success")
    found = blank(release)
    for row, category in zip(found[1:], chosen, strict=True):
        row["category"] = category
    with refuses(InvalidArgument, "categories-of-plan"):
        rebuilt(release, found)
    for row, category in zip(found[1:], "cb", strict=True):
        row["category"] = category
    assert len(rebuilt(release, found)) == 3


def test_a_share_removed_is_recomputed_from_the_numbers_beside_it():
    release = settled("removed")
    found = blank(release)
    for row, value in zip(found, [30.0, 10.0, 0.9, 0.0, 0.0, 0.5], strict=True):
        row["value"] = value
    values = [row.value for row in rebuilt(release, found)]
    assert values == [30.0, 10.0, 0.25, 0.0, 0.0, 0.0]
