"""Bytes of one person that are no UTF-8 count as no value: nobody else's totals move.

Libraries hand such bytes on as text without a look, so that one row of a neighbouring table would
decide whether anything is published.
"""

import functools
import secrets

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import Source
from deniable.publish.statistics import Count, Entities, Top
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import one_in, some_pairs
from tests.cases.frames import FRAMES, categories, in_memory

NO_TEXT = [
    b"\xff", b"a\xc3", b"\x80a", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80",
    b"a" * 40 + b"\xe2\x82",
]  # fmt: skip
EVERYBODY = [(f"p{number}", "ab"[number % 2]) for number in range(20)]


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


def texts(octets):
    """A column of texts as somebody's library made it, unchecked."""
    held = pa.array(octets, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(held), held.buffers())


def table(rows):
    people, words = zip(*rows, strict=True)
    octets = [each.encode() if isinstance(each, str) else each for each in (*people, *words)]
    return pa.table({"p": texts(octets[: len(rows)]), "t": texts(octets[len(rows) :])})


SOURCES = {"categories": lambda rows: categories(table(rows))}
SOURCES |= {
    name: lambda rows, made=FRAMES[name]: made(table(rows))
    for name in ("arrow", "arrow, in pieces", "record batch", "reader", "foreign", "pandas, arrow",
                 "relation")
}  # fmt: skip


def found(source):
    limit = Protection(Adjacency.ADD_REMOVE, 1)
    queries = [
        Query("rows", Count()),
        Query("people", Entities()),
        Query("words", Count(), Grouping(("t",), (("a", "b"),))),
        Query("top", Top("t", ("a", "b"), 1)),
        Query("some", Count(), where=(Condition("t", "!=", "a"),)),
        Query("others", Count(), where=(Condition("p", "!=", "p0"),)),
    ]
    return [
        totals.tolist()
        for totals in exact_totals(source, "p", [(query, limit) for query in queries])
    ]


@functools.cache
def known(column):
    """What is found where that column has no value, from whatever source."""
    nobody = ("x", None) if column else (None, "a")
    return found(in_memory(SOURCES["arrow"]([*EVERYBODY, *[nobody] * len(NO_TEXT)])))


@pytest.mark.parametrize("source", SOURCES)
def test_bytes_that_are_no_text_are_what_no_value_is(source):
    def made(rows):
        return in_memory(SOURCES[source](rows))

    turn = [*SOURCES].index(source)
    for column in one_in(2, (0, 1), turn):
        rows = [("x", octets) if column else (octets, "a") for octets in NO_TEXT]
        orders = [[*EVERYBODY, *rows], [*rows, *EVERYBODY]]
        for order in one_in(2, orders, turn // 2):
            assert found(made(order)) == known(column)


@pytest.mark.parametrize(
    ("encoding", "version"),
    some_pairs(
        ["PLAIN", "PLAIN_DICTIONARY", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
        ["1.0", "2.0", "2.0", "1.0"],
    ),
)
def test_no_encoding_of_parquet_hides_such_bytes_from_the_engine(tmp_path, encoding, version):
    """Texts that the engine has read once are not looked at again."""
    for column, octets in enumerate(NO_TEXT[:2]):
        rows = [*EVERYBODY, ("x", octets) if column else (octets, "a")]
        written = {"use_dictionary": encoding == "PLAIN_DICTIONARY", "data_page_version": version}
        if not written["use_dictionary"]:
            written["column_encoding"] = dict.fromkeys("pt", encoding)
        pq.write_table(table(rows), tmp_path / "x.parquet", **written)
        nobody = ("x", None) if column else (None, "a")
        assert found(Source("x.parquet", tmp_path)) == found(
            in_memory(SOURCES["arrow"]([*EVERYBODY, nobody]))
        )
