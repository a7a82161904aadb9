"""Lines as spreadsheets write them: an empty value too many, and line breaks in a header.

A row with an empty value too many is read without it; one with a filled one ends a release.

Spreadsheets write a comma too many for each column that once held something. pandas and R then take
the first column for names of rows, in silence, or refuse; here it is one rule for every reader.
"""

import gzip
import itertools

import attrs
import pytest

from deniable.errors import DataError
from deniable.gwas.files.individuals import phenotype_file
from deniable.publish.owner import unreadable
from deniable.publish.sources import Dialect, Source, open_table, schema
from deniable.rules import tables
from tests.cases.effort import some_pairs, usual
from tests.cases.refusals import refuses

ENDS = {
    "of one row": ["1,2", "3,4,", "5,6"],
    "of every row": ["1,2,", "3,4,", "5,6,"],
    "two": ["1,2", "3,4,,", "5,6"],
    "quoted": ["1,2", '3,4,""', "5,6"],
}
FORMS = {
    "a comma": lambda text: (text, {}, "x.csv"),
    "a tab": lambda text: (text.replace(",", "\t"), {}, "x.tsv"),
    "a semicolon": lambda text: (text.replace(",", ";"), {"delimiter": ";"}, "x.csv"),
    "line feeds and returns": lambda text: (text.replace("\n", "\r\n"), {}, "x.csv"),
    "no line feed at the end": lambda text: (text[:-1], {}, "x.csv"),
    "no header": lambda text: (text.partition("\n")[2], {"columns": ("a", "b")}, "x.csv"),
    "other bytes": lambda text: (text, {"encoding": "utf-16-le"}, "x.csv"),
    "packed": lambda text: (text, {}, "x.csv.gz"),
}


def source(folder, lines, form):
    text, dialect, name = FORMS[form]("a,b\n" + "\n".join(lines) + "\n")
    content = text.encode(dialect.get("encoding", "utf-8"))
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return Source(name, folder, dialect=Dialect(**dialect))


USED = [["a", "b"], ["a"], ["b"]]


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_value_beyond_the_header_is_none(tmp_path, form):
    for lines, every in zip(ENDS.values(), itertools.cycle(USED), strict=False):
        for used in usual([every], USED):
            with open_table(source(tmp_path, lines, form), used, memory_limit="200MB") as data:
                rows = data.engine.rows(data.table).to_pydict()
            assert rows == {
                name: {"a": ["1", "3", "5"], "b": ["2", "4", "6"]}[name] for name in used
            }


@pytest.mark.parametrize("lines", [["1,2", "3,4,9"], ["1,2", "3,4,,9"], ["1,2", "3"]])
def test_a_row_with_another_value_too_many_or_too_few_is_none(tmp_path, lines):
    with pytest.raises(DataError), open_table(source(tmp_path, lines, "a comma"), ["a"]):
        pass


def test_the_owner_is_shown_the_line_of_a_value_too_many_and_no_empty_one(tmp_path):
    source(tmp_path, ["1,2", "3,4,", "5,6,7"], "a comma")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[data]\nsource = "x.csv"\nadjacency = "add-remove"\n[target]\nepsilon = 1.0\n'
        '[[query]]\nname = "n"\nstatistic = "count"\nwhere = [["a", "==", "3"]]\n'
    )
    (wrong,) = unreadable(plan).lines
    assert (wrong.problem, wrong.lines) == ("more values than columns", (4,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("list,count\na,3\nb,4,\n", [["list", "count"], ["a", "3"], ["b", "4"]]),
        ("list,count,,\na,3,,\nb,4,,\n", [["list", "count"], ["a", "3"], ["b", "4"]]),
        # a head over two columns, whose second cell is empty
        (",2020,\n,m,f\nx,3,4,\n", [["", "2020", ""], ["", "m", "f"], ["x", "3", "4"]]),
    ],
)
def test_a_published_table_is_read_without_empty_ends(tmp_path, text, expected):
    (tmp_path / "t.csv").write_text(text)
    assert tables.rows_of(tmp_path / "t.csv") == expected


@pytest.mark.parametrize("text", ["list,count\na,3,1\nb,4\n", "list,count,\na,3\nb,4,\n,,9\n"])
def test_a_published_table_with_a_value_too_many_is_refused_by_its_row(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    with refuses(DataError, "columns-in-every-row"):
        tables.rows_of(tmp_path / "t.csv")


@pytest.mark.parametrize("end", ["", "\t", "\t\t"])
def test_a_phenotype_file_is_read_without_empty_ends(tmp_path, end):
    path = tmp_path / "pheno"
    path.write_text(f"#IID\tBMI\nAnn Lee\t20.5{end}\nJohn Smith\t30\n")
    table = phenotype_file(path)
    assert [name for _, name in table.names] == ["Ann Lee", "John Smith"]
    assert table.phenotypes == {"BMI": ["20.5", "30"]}


def test_a_phenotype_file_with_a_value_too_many_is_refused(tmp_path):
    (tmp_path / "pheno").write_text("#IID\tBMI\nAnn Lee\t20.5\t7\nJohn Smith\t30\n")
    with refuses(DataError, "columns-in-every-line: 2"):
        phenotype_file(tmp_path / "pheno")


BREAKS = ("\n", "\r\n", "\r")


@pytest.mark.parametrize(
    ("breaks", "is_named"), some_pairs([*itertools.product(BREAKS, BREAKS)], [True, False])
)
def test_a_break_in_the_first_line_is_no_other_line_s_end(tmp_path, breaks, is_named):
    """Excel writes one break in a header's cell and another at the end of a line."""
    end, inside = breaks
    lines = ["a,b", f'1,"2{inside}2"', "3,4"]
    if is_named:
        lines = [f'a,"b{inside}"', *lines[1:]]
    text = end.join(lines if is_named else lines[1:]) + end
    dialect = Dialect(columns=None if is_named else ("a", "b"))
    for encoding, name in (("utf-8", "x.csv"), ("utf-16-le", "x.csv"), ("utf-8", "x.csv.gz")):
        content = text.encode(encoding)
        (tmp_path / name).write_bytes(gzip.compress(content) if ".gz" in name else content)
        where = Source(name, tmp_path, dialect=attrs.evolve(dialect, encoding=encoding))
        with open_table(where, list(schema(where)), memory_limit="200MB") as data:
            rows = list(data.engine.rows(data.table).to_pydict().values())
        assert rows == [["1", "3"], [f"2{inside}2", "4"]]


def test_files_whose_lines_end_in_two_ways_are_refused_or_read_as_they_are(tmp_path):
    (tmp_path / "1.csv").write_bytes(b'a,"b\n"\r\n1,2\r\n')
    (tmp_path / "2.csv").write_bytes(b'a,"b\n"\n3,4\n')
    where = Source("*.csv", tmp_path)
    with pytest.raises(DataError), open_table(where, ["a"], memory_limit="200MB"):
        pass


@pytest.mark.parametrize("ends", [("\r\n", "\n", "\n"), ("\n", "\r\n", "\n"), ("\n", "\n", "\r\n")])
def test_lines_that_end_in_two_ways_are_refused_with_this_reason(tmp_path, ends):
    """A header that was added by hand, or two exports in one file: no line is no row."""
    text = "".join(map("".join, zip(("a,b", "1,2", "3,4"), ends, strict=True)))
    (tmp_path / "x.csv").write_bytes(text.encode())
    where = Source("x.csv", tmp_path)
    with refuses(DataError, "damaged-lines-of-csv"), open_table(where, ["a"]):
        pass
