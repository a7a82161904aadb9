import json
from pathlib import Path

import pytest

from deniable.publish.owner import preview
from tests.cases.release_case import table, write_case


def test_a_preview_says_what_bounding_removes(tmp_path: Path) -> None:
    answer = preview(write_case(tmp_path))
    found = {each.name: each for each in answer.removed}
    rows = [row for row in table().to_pylist() if row["person"] is not None]
    in_keys = sum(row["plan"] in ("free", "shared") for row in rows)
    assert found["rows by plan"].taking_part == in_keys
    assert found["rows by plan"].kept < in_keys  # three of everybody's four rows
    finite = [row["visits"] for row in rows if row["visits"] not in (None, float("inf"))]
    total = sum(visits for visits in finite if visits == visits)
    infinite = sum(row["visits"] == float("inf") for row in rows)
    assert found["visits, scaled"].unbounded == pytest.approx(total)
    assert found["visits, scaled"].clipped == pytest.approx(total + 10 * infinite)
    assert found["visits, scaled"].bounded <= found["visits, scaled"].clipped


def test_its_json_is_marked_and_holds_the_plans_figures(tmp_path: Path) -> None:
    answer = preview(write_case(tmp_path)).as_json()
    json.dumps(answer, allow_nan=False)
    assert answer["not_for_publication"] is True
    assert {"epsilon", "gamma", "queries", "removed"} <= set(answer)
