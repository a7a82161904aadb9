import datetime
import itertools

import attrs
import pandas as pd
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources import Cleaning, Dialect, Source, Unread, open_table
from deniable.publish.statistics import Count
from deniable.publish.totals import exact_totals
from tests.cases.frames import in_memory

CELLS = {
    "integer": (["1", "2.0", "+3"], ["x", "1.5", "1,000"]),
    "number": (["1", "inf", "1e400"], ["x", "1,5", "banana"]),
    "boolean": (["true", "f"], ["ja", "2"]),
    "date": (["2024-01-31", "infinity"], ["31.01.2024", "2024-02-30", "2024-01-31 12:00"]),
    "timestamp": (["2024-01-31", "2024-01-31T12:00:00Z"], ["noon", "1706702400"]),
    "text": (["a", "NULL", " "], []),
}
ABSENT = ["", "-"]
NO_NUMBERS = ["nan", " NaN", "-nan"]


def counted(source, columns=("x",), entity=None):
    with open_table(source, columns, entity=entity, memory_limit="200MB") as data:
        assert not [name for name in data.table.columns if "unread" in name]
        return list(data.unread())


@pytest.mark.parametrize("kind", CELLS)
def test_of_a_csv_filled_cells_and_those_that_are_not_as_declared_are_counted(tmp_path, kind):
    good, bad = CELLS[kind]
    absent = [*ABSENT, *(NO_NUMBERS if kind == "number" else [])]
    lines = [f'"{cell}",1' for cell in [*good, *bad, *bad, *absent]]
    (tmp_path / "x.csv").write_text("\n".join(["x,y", *lines]), encoding="utf-8")
    source = Source("x.csv", tmp_path, {"x": kind, "y": "integer"}, nulls=ABSENT)
    found = {each.column: each for each in counted(source, ["x", "y"])}
    of_x = [] if kind == "text" else [Unread("x", len(good) + 2 * len(bad), 2 * len(bad))]
    assert list(found.values()) == [*of_x, Unread("y", len(lines), 0)]


def test_the_entity_is_a_column_too(tmp_path):
    (tmp_path / "x.csv").write_text("x,p\n1,1\n2,ann\n3,\n")
    source = Source("x.csv", tmp_path, {"x": "integer", "p": "integer"})
    assert counted(source, ["x"], "p") == [Unread("x", 3, 0), Unread("p", 2, 1)]
    assert counted(source, ["p"], "p") == [Unread("p", 2, 1)]


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_bytes_that_are_no_text_are_unread_in_a_column_of_any_type(tmp_path, encoding):
    wrong = {"utf-8": b"\xff", "windows-1252": b"\x81"}[encoding]
    (tmp_path / "x.csv").write_bytes(b"x,n\na,1\n" + wrong + b"," + wrong + b"\n,\nb,x\n")
    source = Source("x.csv", tmp_path, {"n": "integer"}, dialect=Dialect(encoding=encoding))
    assert counted(source, ["x", "n"]) == [Unread("x", 3, 1), Unread("n", 3, 2)]


def test_what_is_recoded_is_read_afterwards(tmp_path):
    (tmp_path / "x.csv").write_text("x\n one \ntwo\nthree\n")
    cleaning = Cleaning(trim=("x",), recode={"x": {"one": "1", "two": ""}})
    source = Source("x.csv", tmp_path, {"x": "integer"}, cleaning=cleaning)
    assert counted(source) == [Unread("x", 2, 1)]


def test_of_python_objects_those_of_another_type_are_counted():
    day = datetime.date(2024, 1, 31)
    cells = [1, 2.5, "3", "three", None, float("nan"), "", day]
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    # "3" is read as in a CSV file; "" is no value where `nulls` says so, as it does by default.
    for nulls, empty in (((), 1), (("",), 0)):
        for kind, unread in (("integer", 3), ("date", 4)):
            source = attrs.evolve(in_memory(frame, {"x": kind}), nulls=nulls)
            assert counted(source) == [Unread("x", 5 + empty, unread + empty)]
    assert counted(in_memory(pd.DataFrame({"x": [1.5, None]}))) == []


@pytest.mark.parametrize("entity", [None, "p"])
def test_totals_do_not_depend_on_whether_the_owner_listens(tmp_path, entity):
    rows = [f"p{number % 7},{'ab'[number % 2]}" for number in range(40)]
    (tmp_path / "x.csv").write_text("\n".join(["p,x", *rows, "p1,3"]))
    source = Source("x.csv", tmp_path, {"x": "integer"})
    rule = Protection(Adjacency.ADD_REMOVE, 2 if entity else 1)
    work = [(Query("q", Count()), rule)]
    told = []
    for owner, of in itertools.product((None, told.append), (entity,)):
        (found,) = exact_totals(source, of, work, owner=owner)
        assert found.sum() == (14 if entity else 41)
    ((for_owner,),) = (told,)
    assert for_owner.unread == ()  # no query uses x
    assert (for_owner.truncation is None) is (entity is None)
