"""The how-to about messy files reads the file that it shows as it says."""

import re
from pathlib import Path

from deniable.publish.plan.plan import read_plan
from deniable.publish.totals.aggregate import exact_totals

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "read-a-messy-file.md"


def test_the_file_that_the_guide_shows_is_read_as_it_says(tmp_path):
    shown = dict(re.findall(r"```(text|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S))
    (tmp_path / "visits.csv").write_text(shown["text"], encoding="windows-1252")
    (tmp_path / "visits.toml").write_text(shown["toml"], encoding="utf-8")
    plan = read_plan(tmp_path / "visits.toml")
    (query,) = plan.queries
    work = [(query, plan.protection(query))]
    (found,) = exact_totals(plan.source, plan.entity, work)
    step = query.statistic.parts(plan.protection(query), query.grouping.cells)[0].step
    assert (found * step).ravel().tolist() == [1234.5 + 80, 12]
