"""Whoever lacks an optional driver is told the extra that brings it, and nothing else happens."""

import os
import subprocess
import sys

import pytest

from tests.cases.effort import some_pairs

PLAN = """
[data]
source = "{source}"
entity = "person"
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[[query]]
name = "n"
statistic = "count"
"""
WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from deniable.cli.program import program
program()({words!r})
"""
POSTGRES, SPARK = "postgresql://localhost/clinic?table=visits", "spark:default.visits"
DRIVERS = [
    ("adbc_driver_postgresql", POSTGRES, "postgres"),
    ("pyspark", SPARK, "spark"),
]


@pytest.mark.parametrize(("driver", "command"), some_pairs(DRIVERS, ["new", "release"]))
def test_a_missing_driver_is_named_with_its_extra(tmp_path, driver, command):
    missing, source, extra = driver
    plan = tmp_path / "p.toml"
    plan.write_text(PLAN.format(source=source), encoding="utf-8")
    words = ["new", source] if command == "new" else ["release", str(plan), "--out", "out"]
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=missing, words=words)],
        cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = " ".join(ended.stderr.split())
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert said.startswith("Expected ")
    assert said.endswith(f'for this, got none installed. Run: pip install "deniable[{extra}]".')
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]
