import gzip

import attrs
import pytest

from deniable.publish.owner import PROBLEMS, lines_at, unreadable
from tests.cases.effort import some_pairs

SECRET = "Zaphod"
PLAN = """
[data]
source = "{source}"
[data.csv]
encoding = "{encoding}"
{csv}
[target]
gamma = 2.0
[[query]]
name = "n"
statistic = "count"
where = [["name", "!=", "nobody"]]
"""
FEW, MANY = PROBLEMS["MISSING COLUMNS"], PROBLEMS["TOO MANY COLUMNS"]
AFTER, LONG = PROBLEMS["UNQUOTED VALUE"], PROBLEMS["LINE SIZE OVER MAXIMUM"]
BYTES = PROBLEMS["INVALID ENCODING"]
UNCLOSED = "a quotation mark that opens and never closes"

FILES = {
    "all rows": ("name,a\n1,2\n\n3,4\n", []),
    "no end of line": ("name,a\n1,2", []),
    "marks that are letters": ('name,a\n1,5" pipe\n3,4""\n', []),
    "quoted lines": ('name,a\n1,"two\nlines ""so"" \n"\n"","x"\n', []),
    "few": (f"name,a\n1,2\n{SECRET}\n4,5\n{SECRET}\n", [(FEW, 2, (3, 5))]),
    "many": (f"name,a\n1,2\n3,{SECRET},5,6,7\n4,5\n", [(MANY, 1, (3,))]),
    "few and many": (f"name,a\n{SECRET}\n3,4,5\n", [(FEW, 1, (2,)), (MANY, 1, (3,))]),
    "after quoted lines": (f'name,a\n1,"x\ny\nz"\n{SECRET}\n', [(FEW, 1, (5,))]),
    "after empty lines": (f"name,a\n\n\n{SECRET}\n", [(FEW, 1, (4,))]),
    "after a mark of byte order": (f"\ufeffname,a\n1,2\n{SECRET}\n", [(FEW, 1, (3,))]),
    "dos": (f'name,a\r\n1,"x\r\ny"\r\n{SECRET}\r\n', [(FEW, 1, (4,))]),
    "mac": (f"name,a\r1,2\r{SECRET}\r", [(FEW, 1, (3,))]),
    "after a mark": (f'name,a\n1,"x" {SECRET}\n3,4\n', [(AFTER, 1, (2,))]),
    "unclosed": (f'name,a\n1,2\n3,"{SECRET}\n5,6\n', [(UNCLOSED, None, (3,))]),
    "unclosed after a pair": (f'name,a\n1,"2"\n3,"{SECRET} ""\n5,6\n', [(UNCLOSED, None, (3,))]),
    "long": (f"name,a\n1,{SECRET * 400_000}\n3,4\n", [(LONG, 1, (2,))]),
    "many wrong lines": ("name,a\n" + f"{SECRET}\n" * 30, [(FEW, 30, tuple(range(2, 12)))]),
}


def found(folder, text, *, encoding="utf-8", source="x.csv", csv=""):
    raw = text if isinstance(text, bytes) else text.encode(encoding, "surrogateescape")
    path = folder / source
    path.write_bytes(gzip.compress(raw) if source.endswith("gz") else raw)
    plan = PLAN.format(source=source, encoding=encoding, csv=csv)
    (folder / "p.toml").write_text(plan, encoding="utf-8")
    answer = unreadable(folder / "p.toml")
    assert answer.values == ()
    return answer.lines


def said(answer):
    assert SECRET not in str([attrs.asdict(each) for each in answer])
    return sorted((each.problem, each.count, each.lines) for each in answer)


@pytest.mark.parametrize(
    ("name", "kind"), some_pairs([*FILES], [("x.csv", "utf-8"), ("x.csv.gz", "utf-16")])
)
def test_lines_that_are_no_rows_are_named_by_line_and_kind(tmp_path, name, kind):
    source, encoding = kind
    text, wanted = FILES[name]
    if encoding == "utf-16":
        text = text.removeprefix("\ufeff")  # it writes its own
    assert said(found(tmp_path, text, encoding=encoding, source=source)) == sorted(wanted)


def test_bytes_that_are_no_text(tmp_path):
    rows = f"name,a\n1,2\n{SECRET},\udcff\n\udcff{SECRET},4\n"
    # A column that the plan does not use is never decoded.
    assert said(found(tmp_path, rows)) == [(BYTES, 1, (4,))]


@pytest.mark.parametrize(
    ("encoding", "raw", "line"),
    [
        ("windows-1252", b"name,a\n\x81,2\n", 2),
        ("utf-16", b"\xff\xfe" + "name,a\n1,2\n".encode("utf-16-le") + b"\x00\xd8a\0", 3),
        ("utf-16", b"\xff\xfe" + "name,a\n1,2\n".encode("utf-16-le") + b"\x00", 3),
    ],
)
def test_where_another_encoding_ends(tmp_path, encoding, raw, line):
    answer = found(tmp_path, raw, encoding=encoding)
    assert said(answer) == [(f"bytes that are no text in {encoding}", None, (line,))]


def test_marks_are_those_that_the_plan_declares(tmp_path):
    csv = 'delimiter = ";"\nquote = "\'"\nescape = "\\\\"'
    rows = "name;a\n1;'x\\'y'\n3;'\\\\'\n5;6\"\n"
    assert said(found(tmp_path, rows, csv=csv)) == []
    assert said(found(tmp_path, rows + f"7;'{SECRET}\\'\n8;9\n", csv=csv)) == [
        (UNCLOSED, None, (5,))
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_of_bytes_where_a_block_is_cut_in_an_end_of_line(tmp_path, end):
    for letters in (2**20 - 2, 2**20 - 1, 2**20):
        raw = b"x" * letters + end + b"a" + end + end + b"b"
        (tmp_path / "x").write_bytes(raw)
        lines = lines_at(tmp_path / "x", [1, letters, len(raw) - 2 * len(end) - 1, len(raw)])
        assert lines == (1, 1, 2, 4)
