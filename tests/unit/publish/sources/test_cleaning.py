import pyarrow as pa

from deniable.publish.sources import Cleaning, engine, recode, trim

TEXTS = [" A ", "\u00c4\u00df\u0130", "\tb\u00a0", "\u2003b", "", None, "it's", "\u03a3\u03a3"]


def test_the_engine_does_what_the_declaration_says_of_one_text():
    cleaning = Cleaning(("t",), ("t",), {"t": {"a": "it's", "b": ""}})
    with engine("x", "100MB") as running:
        table = running.keep("given", pa.table({"t": TEXTS}))
        after = recode(trim(table.t, "t", cleaning), "t", cleaning)
        found = running.rows(table.select(before=table.t, after=after)).to_pylist()
    assert len(found) == len(TEXTS)
    for row in found:
        before = row["before"]
        assert row["after"] == (None if before is None else cleaning.cleaned("t", before))


def test_a_column_that_nothing_is_said_of_stays():
    with engine("x", "100MB") as running:
        table = running.keep("given", pa.table({"t": TEXTS}))
        assert recode(trim(table.t, "t", Cleaning()), "t", Cleaning()).equals(table.t)
