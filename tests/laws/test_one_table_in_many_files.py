"""One table gives the same integers from every kind of file, codes for "no value" included.

The expected ones are counted in Python from what the table says, without any reader.
"""

import csv
import random
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import Source
from deniable.publish.statistics import Count, Sum
from deniable.publish.totals import exact_totals
from tests.cases.effort import THOROUGH
from tests.cases.people_files import WRITERS

ONE_ROW = Protection(Adjacency.ADD_REMOVE, 1)
ANSWERS = ("yes", "no", "refused", None)
CODES = {"yes": 1, "no": 2, "refused": 98}
"""In SPSS 98 is user-missing; in Stata and SAS the letter a stands in its place."""
KEYS = (("yes", "no", "refused"), ("yes", "no"))
STORED = {
    "person": pa.string(), "answer": pa.string(), "age": pa.int64(), "town": pa.string(),
    "score": pa.float64(),
}  # fmt: skip
TABLES = 12 if THOROUGH else 1


def people(draw: random.Random, count: int) -> list[dict]:
    return [
        {
            "person": f"p{number}",
            "answer": draw.choice(ANSWERS),
            "age": draw.choice([None, *range(18, 90)]),
            "town": draw.choice(["York", "Bath", "", "St. Ives"]),
            "score": draw.choice([None, -2.5, 0.0, 0.1, 7.75]),
        }
        for number in range(count)
    ]


def expected(rows: list[dict], keys: tuple[str, ...]) -> list[list[int]]:
    """Counts by answer, the sum of ages, counts by town under a condition."""
    ages = [each["age"] for each in rows if each["age"] is not None]
    adults = [each for each in rows if each["age"] is not None and each["age"] >= 40]
    return [
        [sum(each["answer"] == key for each in rows) for key in keys],
        [sum(min(max(age, 20), 80) for age in ages)],
        [sum(each["town"] == town for each in adults) for town in ("York", "Bath")],
    ]


def queries(keys: tuple[str, ...]) -> list[Query]:
    return [
        Query("answers", Count(), Grouping(("answer",), (keys,))),
        Query("ages", Sum("age", (20, 80))),
        Query("towns", Count(), Grouping(("town",), (("York", "Bath"),)),
              where=(Condition("age", ">=", 40),)),
        Query("scores", Sum("score", (-3, 8))),
    ]  # fmt: skip


def totals(source: Source, keys: tuple[str, ...]) -> list[list[int]]:
    asked = [(query, ONE_ROW) for query in queries(keys)]
    return [each.ravel().tolist() for each in exact_totals(source, "person", asked)]


def written(kind: str, rows: list[dict], folder: Path, keys: tuple[str, ...]) -> Source:
    """The table as a file of a kind, with a plan's types and keys."""
    path = folder / f"x.{kind}"
    types = {"answer": "labels"} if kind in PACKAGES else {"age": "integer", "score": "number"}
    if kind in PACKAGES:
        _write_codes(kind, rows, path)
        named = {"answer": frozenset(keys) & {"refused"}} if "refused" in keys else {}
        return Source(path.name, folder, types, keys=named)
    table = pa.table(
        {name: pa.array([each[name] for each in rows], of) for name, of in STORED.items()}
    )
    if kind == "parquet":
        pq.write_table(table, path)
        return Source(path.name, folder)
    if kind == "csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        WRITERS[kind](path, table)
    return Source(path.name, folder, types)


def _write_codes(kind: str, rows: list[dict], path: Path) -> None:
    of_spss = kind in ("sav", "zsav")
    codes = CODES if of_spss else CODES | {"refused": "a"}
    frame = pd.DataFrame(rows)
    frame["answer"] = pd.Series(
        [codes.get(each["answer"]) for each in rows], dtype=float if of_spss else object
    )
    frame["age"], frame["score"] = frame["age"].astype(float), frame["score"].astype(float)
    missing = {"missing_ranges": {"answer": [{"lo": 97, "hi": 99}]}} if of_spss else {
        "missing_user_values": {"answer": ["a"]}
    }  # fmt: skip
    labels = {"answer": {code: text for text, code in codes.items()}}
    PACKAGES[kind](frame, path, variable_value_labels=labels, **missing)


PACKAGES = {
    "sav": lambda frame, path, **more: pyreadstat.write_sav(frame, str(path), **more),
    "zsav": lambda frame, path, **more: pyreadstat.write_sav(
        frame, str(path), compress=True, **more
    ),
    "dta": lambda frame, path, **more: pyreadstat.write_dta(frame, str(path), **more),
}
"""Files whose codes have labels; in the others the labels stand as texts."""


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("number", range(TABLES))
def test_every_file_gives_the_same_integers(number, keys, tmp_path):
    draw = random.Random(f"one table {number}")
    rows = people(draw, draw.choice((1, 7, 60)) if number else 40)
    first = totals(written("csv", rows, tmp_path, keys), keys)
    counts, ages, towns = expected(rows, keys)
    steps = first[1][0] // ages[0] if ages[0] else 0  # of a grid that the bounds alone decide
    assert (first[0], first[1], first[2]) == (counts, [ages[0] * steps], towns)
    # Where labels stand as texts, what is missing does not depend on the keys.
    others = ("parquet", "xpt", "v5.xpt", "xlsx", "ods") if THOROUGH or keys is KEYS[0] else ()
    for kind in (*PACKAGES, *others):
        assert totals(written(kind, rows, tmp_path, keys), keys) == first, kind
