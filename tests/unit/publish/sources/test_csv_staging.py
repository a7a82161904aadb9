from deniable.publish.sources import Cleaning, Dialect, Source, open_table, readable, reading


def source(folder, content, name="x.csv", **settings):
    (folder / name).write_bytes(content)
    return Source(name, folder, **settings)


def test_files_in_utf_8_are_read_where_they_are(tmp_path):
    files = readable(source(tmp_path, b"a,b\n1,2\n"), tmp_path)
    assert (files.paths, files.names) == ((tmp_path / "x.csv",), ("a", "b"))
    assert files.rows() == 1


def test_others_are_written_again_and_keep_their_tabs(tmp_path):
    folder = tmp_path / "spill"
    folder.mkdir()
    given = source(tmp_path, b"a\t\xe9\n1\t2\n", "x.tsv", dialect=Dialect(encoding="latin-1"))
    files = readable(given, folder)
    assert files.names == ("a", "\u00e9")
    assert files.paths[0].parent == folder
    assert files.paths[0].read_bytes() == b"a\t\xc3\xa9\n1\t2\n"
    assert files.dialect.delimiter == "\t"


def test_a_column_is_read_as_declared(tmp_path):
    given = Source("x.csv", tmp_path, {"a": "date"}, ("?",), Dialect(date_format="%d.%m.%Y"))
    found = reading(given, "a")
    assert (found.kind, found.nulls, found.dialect.date_format) == ("date", ("?",), "%d.%m.%Y")
    assert reading(given, "b").kind == "text"


def test_what_nulls_says_is_read_before_and_after_recoding(tmp_path):
    cleaning = Cleaning(trim=("t",), recode={"t": {"9": "?", "1": "one"}})
    given = source(tmp_path, b"t\n 9\n1\n?\n 2\n", nulls=("?",), cleaning=cleaning)
    with open_table(given, ["t"], memory_limit="100MB") as data:
        found = data.engine.rows(data.table)["t"].to_pylist()
    assert sorted(found, key=str) == ["2", None, None, "one"]


def test_types_are_those_after_recoding(tmp_path):
    cleaning = Cleaning(recode={"n": {"few": "2"}})
    given = source(tmp_path, b"n\nfew\n3\n", types={"n": "integer"}, cleaning=cleaning)
    with open_table(given, ["n"], memory_limit="100MB") as data:
        assert sorted(data.engine.rows(data.table)["n"].to_pylist()) == [2, 3]
    as_it_is = Source(given.location, given.base, given.types)
    with open_table(as_it_is, ["n"], memory_limit="100MB") as data:
        assert data.engine.rows(data.table)["n"].to_pylist() == [None, 3]
