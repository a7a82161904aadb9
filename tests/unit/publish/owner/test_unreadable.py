import pytest

from deniable.publish.owner import UnreadableRows, unreadable
from tests.cases.effort import some_pairs

PLAN = """
[data]
source = "{source}"
types = {{ age = "integer" }}
[data.csv]
delimiter = ";"
encoding = "{encoding}"
header = {header}
[target]
gamma = 2.0
[[query]]
name = "n"
statistic = "count"
where = [["age", ">=", 18]]
"""
ROWS = '1;a\n\nx;b\n3;"two\nlines"\nyes;\u00e9\n5;e\n'


@pytest.mark.parametrize(
    ("encoding", "header"), some_pairs(["utf-8", "latin-1", "utf-16"], [True, False])
)
def test_lines_are_counted_as_an_editor_does(tmp_path, encoding, header):
    text = "age;note\n" * header + ROWS
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    said = "true" if header else 'false\ncolumns = ["age", "note"]'
    (tmp_path / "p.toml").write_text(PLAN.format(source="x.csv", encoding=encoding, header=said))
    answer = unreadable(tmp_path / "p.toml")
    assert answer.lines == ()
    (found,) = answer.values
    assert (found.file, found.column, found.count) == ("x.csv", "age", 2)
    lines = text.split("\n")
    assert [lines[line - 1].split(";")[0] for line in found.lines] == ["x", "yes"]
    assert "yes" not in str(answer.as_json())
    (tmp_path / "x.csv").write_bytes(text.replace("x;", "2;").replace("yes", "4").encode(encoding))
    assert unreadable(tmp_path / "p.toml") == UnreadableRows()
