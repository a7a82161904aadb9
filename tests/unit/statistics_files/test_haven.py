"""Files of SAS, and files that R's haven writes, read as haven reads them."""

import datetime
import shutil
import subprocess
from pathlib import Path

import pytest

from deniable.errors import DataError
from deniable.publish.sources import Source, open_table
from tests.cases.refusals import refuses

DATA = Path(__file__).resolve().parents[2] / "data" / "statistics"
COLUMNS = ("person", "n", "town", "day", "moment", "stay")
EXPECTED = {
    "person": ["p1", "p2", "p3", "p4"],
    "n": [1.5, None, 0, -3],
    "town": ["York", None, "Bath", "Évry"],
    "day": [
        datetime.date(2024, 1, 31), None, datetime.date(1899, 12, 31), datetime.date(1960, 1, 1),
    ],
    "moment": [
        datetime.datetime(2024, 1, 31, 12, 30), None, datetime.datetime(1960, 1, 1),
        datetime.datetime(2024, 12, 31, 23, 59, 59),
    ],
    "stay": [108_000, None, 0, 3600],
}  # fmt: skip


def read(path: Path) -> dict[str, list]:
    with open_table(Source(path.name, path.parent), COLUMNS, memory_limit="200MB") as data:
        return data.engine.rows(data.table).select(list(COLUMNS)).to_pydict()


def test_a_file_of_sas():
    assert read(DATA / "people.sas7bdat") == EXPECTED


def test_a_file_of_sas_that_was_cut_off(tmp_path):
    octets = (DATA / "people.sas7bdat").read_bytes()
    (tmp_path / "x.sas7bdat").write_bytes(octets[: len(octets) * 2 // 3])
    with refuses(DataError, "data-something-damaged"):
        read(tmp_path / "x.sas7bdat")


WRITE = """
library(haven)
people <- read_sas(commandArgs(TRUE)[1])
write_sav(people, "x.sav"); write_sav(people, "x.zsav", compress = "zsav")
write_dta(people, "x.dta"); write_xpt(people, "x.xpt", version = 8)
v <- labelled(c(1, 2, tagged_na("a"), NA), c(yes = 1, no = 2, refused = tagged_na("a")))
write_dta(data.frame(v = v), "tagged.dta")
w <- labelled_spss(c(1, 2, 98, NA), c(yes = 1, no = 2, refused = 98), na_range = c(97, 99))
write_sav(data.frame(v = w), "tagged.sav")
"""


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_what_haven_writes_is_read_as_it_was(tmp_path):
    known = 'cat(requireNamespace("haven", quietly = TRUE))'
    found = subprocess.run(["Rscript", "-e", known], capture_output=True, text=True, check=True)
    if found.stdout != "TRUE":
        pytest.skip("R has no haven")
    (tmp_path / "write.R").write_text(WRITE)
    command = ["Rscript", "write.R", str(DATA / "people.sas7bdat")]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    for kind in ("sav", "zsav", "dta", "xpt"):
        assert read(tmp_path / f"x.{kind}") == EXPECTED, kind
    for kind in ("dta", "sav"):
        source = Source(
            f"tagged.{kind}", tmp_path, {"v": "labels"}, keys={"v": frozenset({"refused"})}
        )
        with open_table(source, ["v"]) as data:
            assert data.engine.rows(data.table)["v"].to_pylist() == ["yes", "no", "refused", None]
