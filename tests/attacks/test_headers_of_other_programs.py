"""What a first line says about a file that is written otherwise than the plan says, in every place.

R's `write.csv2` puts quotation marks around names and semicolons between them: no row of a file
with commas. A file in another encoding has a header too, and nobody is to add one.
"""

import codecs

import pytest

import deniable
from deniable.errors import DataError, PlanError
from deniable.studio.draft import Draft, begin
from deniable.studio.pages import Studio
from tests.cases.refusals import refuses, says
from tests.cases.studio_page import client_of, served

PLAN = """\
[data]
source = "x.csv"
entity = "id"
[target]
epsilon = 1.0
[limits]
rows_per_entity = 1
[[query]]
name = "n"
statistic = "count"
group_by = ["ward"]
keys = { ward = ["A"] }
"""
QUOTED = {
    "write.csv2": ('"id";"ward"\n1;"A"\n', ";"),
    "byte order mark": ('\ufeff"id";"ward"\n1;"A"\n', ";"),
    "empty first name": ('"";"id";"ward"\n"1";1;"A"\n', ";"),
    "comma in a name": ('"id, of a person";"id";"ward"\n1;1;"A"\n', ";"),
    "tabs": ('"id"\t"ward"\n1\t"A"\n', "\t"),
    "bars": ('"id"|"ward"\r\n1|"A"\r\n', "|"),
    "commas, said to be semicolons": ('"id","ward"\n1,"A"\n', ","),
}


@pytest.mark.parametrize("form", QUOTED)
def test_quoted_names_of_another_delimiter_show_which(tmp_path, form):
    text, mark = QUOTED[form]
    said = {"delimiter": ";"} if mark == "," else {}
    (tmp_path / "x.csv").write_text(text, encoding="utf-8", newline="")
    begun = deniable.new("x.csv", tmp_path, **said)
    shown = repr(mark).replace("'", '"')
    assert f"seems to be separated by {shown}." in begun
    assert '# id = "text"' in deniable.new("x.csv", tmp_path, delimiter=mark)
    csv = "csv = { delimiter = ';' }\n" if said else ""
    (tmp_path / "x.toml").write_text(PLAN.replace("[target]", f"{csv}[target]", 1))
    with refuses(PlanError, "file-seems-to-separated"):
        deniable.plan(tmp_path / "x.toml")
    with served(tmp_path / "x.toml") as (_, address), client_of(address) as client:
        page = client.get("file").text
        value, shown = ("tab", "tabs") if mark == "\t" else (mark, f"“{mark}”")
        assert f"seems to be separated by {shown}." in page
        assert f'name="delimiter" value="{value}">Read it this way' in page
        assert 'name="encoding" value' not in page


@pytest.mark.parametrize("text", ['"id;"ward"\n', '"id"x,ward\n', "\n", "", '"id"\n1\n'], ids=ascii)
def test_a_broken_header_is_none_of_another_delimiter(tmp_path, text):
    (tmp_path / "x.csv").write_text(text)
    (tmp_path / "x.toml").write_text(PLAN)
    with pytest.raises(PlanError) as refused:
        deniable.plan(tmp_path / "x.toml")
    assert not says(refused.value, "file-seems-to-separated")


ENCODED = {
    "windows-1252": ("größe;id".encode("windows-1252"), "windows-1252"),
    "utf-16": ("id;ward".encode("utf-16"), "utf-16"),
    "utf-16, large end first": (codecs.BOM_UTF16_BE + "id".encode("utf-16-be"), "utf-16"),
    "a quoted name": ('"größe";"id"'.encode("windows-1252"), "windows-1252"),
}


@pytest.mark.parametrize("form", ENCODED)
def test_a_header_in_another_encoding_is_one(tmp_path, form):
    header, encoding = ENCODED[form]
    (tmp_path / "x.csv").write_bytes(header + b"\n")
    (tmp_path / "x.toml").write_text(PLAN)
    for call, given in ((deniable.new, "x.csv"), (deniable.plan, tmp_path / "x.toml")):
        arguments = [given, tmp_path] if call is deniable.new else [given]
        with refuses(PlanError, f"header-in-other-bytes: {encoding}"):
            call(*arguments)
    with pytest.raises(PlanError) as refused:
        deniable.new("x.csv", tmp_path)
    assert refused.value.instead == ("", f"--encoding {encoding}")
    with served(tmp_path / "x.toml") as (_, address), client_of(address) as client:
        page = client.get("file").text
        assert f'name="encoding" value="{encoding}">Read it this way' in page


def test_no_other_encoding_is_proposed_for_a_file_in_utf_8(tmp_path):
    """A comma in a row of a file with semicolons is no sign of an older program."""
    (tmp_path / "x.csv").write_text("größe;id\n1,5;2\n", encoding="utf-8")
    (tmp_path / "x.toml").write_text(PLAN)
    with served(tmp_path / "x.toml") as (_, address), client_of(address) as client:
        page = client.get("file").text
    assert 'role="alert"' in page
    assert 'name="delimiter" value=";">Read it this way' in page
    assert "windows-1252</option>" in page
    assert 'name="encoding" value' not in page


def test_a_damaged_archive_is_no_fault_of_the_system(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(b"no archive")
    with refuses(DataError, "damaged-file: x.csv.gz"):
        deniable.new("x.csv.gz", tmp_path)
    desk = Studio(begin(tmp_path / "x.csv.gz"))
    assert "damaged" in desk.show("file", {}).content
    form = {"version": Draft.read(desk.path).version, "do": "save", "source": "x.csv.gz"}
    assert desk.send("file", {}, form | {"encoding": "utf-16"}).place == "file"
