"""`check(folder, export=file)` finds every planted fault, and names the first cell that has one."""

import csv
import io
import json
import random
import re
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument
from deniable.errors.guests import make_all
from deniable.pipeline.check import check_certificate
from deniable.pipeline.exports import (
    CheckedRelease,
    _first_difference,
    check_exported,
    format_called,
)
from deniable.pipeline.kind import kind_of
from tests.cases.command_line import app
from tests.cases.refusals import refuses

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
FILES = {"xlsx": "t.xlsx", "sdmx-csv": "t.csv", "registry-yaml": "t.yaml"}


@pytest.fixture(scope="module")
def contents(published):
    return {to: deniable.export(published, to=to).content for to in FILES}


@pytest.fixture(scope="module")
def release(published):
    """The release as `check` hands it on when all the rest of it holds."""
    document = json.loads((published / "certificate.json").read_text("utf-8"))
    _, recomputed = check_certificate(kind_of(document), document)
    return CheckedRelease.of(published, recomputed.certificate)


@pytest.fixture
def checked(release, tmp_path):
    """Check a file with some content, and return whether it holds and what was found.

    With a folder, the whole of its release is checked too.
    """

    def run(to, content, folder=None):
        place = tmp_path / FILES.get(to, "t.csv")
        place.write_bytes(content)
        if folder is None:
            answer = check_exported(place, release)
        else:
            answer = deniable.check(folder, export=place)
        wrong = [each for each in answer.checks if not each.holds]
        assert all(each.name == place.name for each in wrong)
        return answer.holds, wrong[0].finding if wrong else ""

    return run


@pytest.mark.parametrize("to", FILES)
def test_what_was_exported_holds_and_so_does_the_same_file_with_other_bytes(
    contents, checked, published, to
):
    assert checked(to, contents[to], published) == (True, "")
    if to == "sdmx-csv":
        lines = csv.reader(io.StringIO(contents[to].decode("utf-8")))
        made = io.StringIO()
        csv.writer(made, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(lines)
        assert checked(to, b"\xef\xbb\xbf" + made.getvalue().encode()) == (True, "")
    if to == "registry-yaml":
        other = yaml.safe_dump(yaml.safe_load(contents[to]), sort_keys=False)
        assert checked(to, other.encode()) == (True, "")


@pytest.mark.parametrize("to", FILES)
def test_every_value_that_changes_goes_or_comes_is_found_in_its_place(contents, to):
    cells = dict(format_called(to).cells(contents[to]))
    assert len(cells) > 15
    step = max(len(cells) // 60, 1)
    for number, (place, value) in [*enumerate(cells.items())][::step]:
        changed = value + 1 if isinstance(value, float) else f"{value}0"
        for other in (cells | {place: changed}, {**cells, place: None}):
            alike, finding = _first_difference(other, cells)
            assert alike == number
            assert finding.endswith(f"at {place}.")
        less = {each: value for each, value in cells.items() if each != place}
        alike, finding = _first_difference(less, cells)
        assert (alike, finding[:9]) == (number, "Expected ")
        assert finding.endswith(f", got nothing at {place}.")
        assert _first_difference(cells, less)[1].startswith("Expected nothing, got")
    assert _first_difference(cells, cells) == (len(cells), "")


def test_a_changed_number_a_missing_line_and_swapped_labels_are_found_in_sdmx(contents, checked):
    lines = contents["sdmx-csv"].decode("utf-8").splitlines(keepends=True)
    fields = lines[5].split(",")
    fields[13] = str(float(fields[13]) + 1)
    holds, finding = checked(
        "sdmx-csv", "".join([*lines[:5], ",".join(fields), *lines[6:]]).encode()
    )
    assert not holds
    assert finding.endswith("at line 6, column 14 (OBS_VALUE).")
    assert checked("sdmx-csv", "".join(lines[:9] + lines[10:]).encode())[0] is False
    assert checked("sdmx-csv", "".join(lines[:-1]).encode())[1].startswith(
        f"Expected 'datastructure', got nothing at line {len(lines)}"
    )
    swapped = [
        line.replace(",01,", ",?,").replace(",1,", ",01,").replace(",?,", ",1,") for line in lines
    ]
    holds, finding = checked("sdmx-csv", "".join(swapped).encode())
    assert not holds
    assert finding.startswith("Expected '01', got '1' at line")
    quoted = "\r\n".join(
        ",".join(f'"{each}"' for each in line.rstrip("\n").split(",")) for line in lines[:3]
    )
    assert checked("sdmx-csv", quoted.encode())[1].startswith(
        "Expected 'datastructure', got nothing"
    )


def zipped(content, change):
    """A workbook with other parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            new.writestr(each, change(each, old.read(each)))
    return made.getvalue()


def test_a_changed_cell_a_formula_and_swapped_labels_are_found_in_a_workbook(contents, checked):
    page = "xl/worksheets/sheet2.xml"

    def number(name, part):
        return re.sub(rb'(r="B3"[^>]*><v>)[^<]*', rb"\g<1>7", part) if name == page else part

    def formula(name, part):
        return part.replace(b"<v>", b"<f>1+1</f><v>", 1) if name == page else part

    def labels(_, part):
        return (
            part.replace(b"<t>01</t>", b"<t>?</t>")
            .replace(b"<t>02</t>", b"<t>01</t>")
            .replace(b"<t>?</t>", b"<t>02</t>")
        )

    holds, finding = checked("xlsx", zipped(contents["xlsx"], number))
    assert not holds
    assert re.fullmatch(r"Expected .+, got 7\.0 at admissions!B3\.", finding)
    assert "got a formula" in checked("xlsx", zipped(contents["xlsx"], formula))[1]
    finding = checked("xlsx", zipped(contents["xlsx"], labels))[1]
    assert finding == "Expected '01', got '02' at admissions!A3."
    assert checked("xlsx", zipped(contents["xlsx"], lambda _, part: part)) == (True, "")


def test_what_the_owner_fills_in_is_left_and_what_the_certificate_says_compared(contents, checked):
    text = contents["registry-yaml"].decode("utf-8")
    filled = text.replace("intended_use: ''", "intended_use: To plan wards.").replace(
        "status: Draft", "status: Pending"
    )
    assert filled.count("To plan wards") == filled.count("Pending") == 1
    assert checked("registry-yaml", filled.encode()) == (True, "")
    smaller = re.sub("epsilon: .*", "epsilon: 0.1", text)
    holds, finding = checked("registry-yaml", smaller.encode())
    assert not holds
    assert finding.endswith("at deployment/privacy_loss/privacy_parameters/epsilon.")
    for wrong in (
        text.replace("      epsilon:", "      epsilon: 0.1\n      epsilon:"),
        text.replace("tier: 3", "tier: &a 3\nother: *a"),
        text.replace("tier: 3", "tier: [" * 2000),
    ):
        assert checked("registry-yaml", wrong.encode())[1].startswith("Expected YAML without")
    assert "Custom" in checked("registry-yaml", text.replace("Pure DP", "Custom", 1).encode())[1]


def test_a_file_of_one_query_is_known_by_its_rows(published, checked):
    for to in ("xlsx", "sdmx-csv"):
        content = deniable.export(published, to=to, query="median").content
        assert checked(to, content) == (True, "")
    wrong = content.replace(b",A,F", b",O,F")
    assert checked(to, wrong)[1].startswith("Expected 'A', got 'O' at line 2")


def test_another_release_of_the_same_plan_is_refused(contents, checked, again, tmp_path):
    again(tmp_path / "again")
    for to in ("xlsx", "sdmx-csv"):
        assert checked(to, contents[to], tmp_path / "again")[0] is False


def test_damaged_files_are_refused_and_nothing_worse(contents, published):
    release = make_all("deniable.exports")
    for to, content in contents.items():
        for part in range(40):
            place = len(content) * part // 40
            flipped = content[:place] + bytes([content[place] ^ 0x15]) + content[place + 1 :]
            for damaged in (content[:place], flipped):
                try:
                    release[to].cells(damaged)
                except InvalidArgument:
                    continue
    for other in (b"", b"hello", b"PK\3\4", b"url_slug: x", b"STRUCTURE,STRUCTURE_ID,ACTION\n"):
        folder = CheckedRelease.of(published, None)
        assert folder.results is not None
        assert not any(
            each.begins(other) and each.cells(other) == each.cells(contents[to])
            for to, each in release.items()
            if to in contents and other[:2] != b"PK"
        )


def test_what_no_export_is_and_a_release_that_does_not_hold_are_refused(
    published, contents, tmp_path
):
    (tmp_path / "x.csv").write_bytes(b"a,b\n1,2\n")
    with refuses(InvalidArgument, "file-that-deniable-export-writes"):
        deniable.check(published, export=tmp_path / "x.csv")
    with refuses(InvalidArgument, "no-readable-file"):
        deniable.check(published, export=tmp_path / "none.csv")
    broken = shutil.copytree(published, tmp_path / "broken")
    (broken / "results.csv").write_bytes(b"x")
    (tmp_path / "t.xlsx").write_bytes(contents["xlsx"])
    answer = deniable.check(broken, export=tmp_path / "t.xlsx")
    assert [each.name for each in answer.checks if not each.holds][-1] == "t.xlsx"
    with refuses(InvalidArgument, "release-that-holds"):
        deniable.export(broken, tmp_path / "u.xlsx", to="xlsx")
    assert not (tmp_path / "u.xlsx").exists()


def test_places_and_words_that_cannot_be_are_refused(published, tmp_path):
    for wrong, place, finding in [
        ("xls", None, "did-you-mean: xlsx"),
        ("xlsx", tmp_path / "t.csv", "file-named-xlsx"),
        ("sdmx-csv", tmp_path / "none" / "t.csv", "file-in-existing-folder"),
        ("sdmx-csv", published / "results.csv", "a-new-file"),
        ("survfit", None, "with-survival-curve-one-without"),
    ]:
        with refuses(InvalidArgument, finding):
            deniable.export(published, place, to=wrong)
    certificate = published / "certificate.json"
    assert deniable.export(certificate, to="registry-yaml").content
    with refuses(InvalidArgument, "release-with-results"):
        deniable.export(certificate, to="xlsx")
    with refuses(InvalidArgument, "no-query"):
        deniable.export(published, to="registry-yaml", query="median")


@pytest.mark.parametrize("name", ["plan", "plan-gaussian", "first-plan", "study", "frequencies"])
def test_every_kind_with_rows_is_a_workbook_that_holds(name, tmp_path):
    deniable.export(GOLDEN / name, tmp_path / "t.xlsx", to="xlsx")
    assert deniable.check(GOLDEN / name, export=tmp_path / "t.xlsx").holds
    if "plan" in name:
        deniable.export(GOLDEN / name, tmp_path / "t.csv", to="sdmx-csv")
        assert deniable.check(GOLDEN / name, export=tmp_path / "t.csv").holds


def test_the_commands_do_the_same(published, contents, tmp_path):
    run = CliRunner().invoke
    printed = run(app, ["export", str(published), "--to", "sdmx-csv"])
    assert printed.stdout_bytes == contents["sdmx-csv"]
    place = tmp_path / "t.xlsx"
    assert run(app, ["export", str(published), "--to", "xlsx", "--out", str(place)]).exit_code == 0
    assert place.read_bytes() == contents["xlsx"]
    shown = run(app, ["check", str(published), "--export", str(place)])
    assert shown.exit_code == 0
    assert "exported again to xlsx: the same, byte by byte" in shown.output
    answer = json.loads(run(app, ["export", str(published), "--to", "xlsx", "--json"]).output)
    assert answer == {"to": "xlsx", "query": None, "out": None, "bytes": len(contents["xlsx"])}
    assert run(app, ["export", str(published), "--to", "xlsx"]).exit_code == 2


def test_a_release_is_exported_beside_its_folder_or_not_made(tmp_path):
    (tmp_path / "v.csv").write_text("a\nx\ny\n")
    plan = tmp_path / "v.toml"
    plan.write_text(
        '[data]\nsource = "v.csv"\n[target]\nepsilon = 1.0\n[[query]]\nname = "n"\n'
        'statistic = "count"\ngroup_by = ["a"]\nkeys = { a = ["x", "y"] }\n'
    )
    line = ["release", str(plan), "--out", str(tmp_path / "out"), "--format"]
    run = CliRunner().invoke
    assert run(app, [*line, "xslx"]).exit_code == 2
    (tmp_path / "out.xlsx").mkdir()
    assert run(app, [*line, "xlsx"]).exit_code == 2
    assert not (tmp_path / "out").exists()
    (tmp_path / "out.xlsx").rmdir()
    made = run(app, [*line, "xlsx", "--format", "sdmx-csv"])
    assert made.exit_code == 0, made.output
    for name in ("out.xlsx", "out.sdmx.csv"):
        assert f"Written to {tmp_path / name}" in made.output
        assert deniable.check(tmp_path / "out", export=tmp_path / name).holds


def mutated(part, generator):
    """A part of a workbook with a byte changed, some taken out, or words put in that may harm."""
    place, kind = generator.randrange(len(part)), generator.randrange(3)
    if kind == 0:
        return part[:place] + bytes([generator.randrange(256)]) + part[place + 1 :]
    if kind == 1:
        return part[:place] + part[place + generator.randrange(40) :]
    words = [b"<v>", b"9" * 20, b'"', b' r="ZZZ9999999"', b'<c t="s"><v>999999</v></c>', b"&#0;"]
    return part[:place] + generator.choice(words) + part[place:]


def test_altered_workbooks_are_read_or_refused(contents):
    generator, workbook = random.Random(3), format_called("xlsx")
    with zipfile.ZipFile(io.BytesIO(contents["xlsx"])) as archive:
        names = [each for each in archive.namelist() if each.endswith((".xml", ".rels"))]
    outcomes = {"read": 0, "refused": 0}
    for _ in range(100):
        name = generator.choice(names)
        content = zipped(
            contents["xlsx"],
            lambda each, part, name=name: mutated(part, generator) if each == name else part,
        )
        try:
            workbook.cells(content)
            outcomes["read"] += 1
        except InvalidArgument:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 10


@pytest.mark.parametrize(
    "place",
    [b' r="XFD1048576"', b' r="ZZZZZ9999999999"', b" r='ZZZ1000000'", b's="1"r="XFD999999"'],
)
def test_a_cell_far_away_for_which_a_reader_would_make_room_is_refused(contents, place):
    """python-calamine 0.9 makes room for all cells before it, and aborts where there is none."""

    def moved(name, part):
        return part.replace(b' r="A3"', place, 1) if name.endswith("sheet2.xml") else part

    content = zipped(contents["xlsx"], moved)
    assert content != zipped(contents["xlsx"], lambda _, part: part)
    with refuses(InvalidArgument, "16-777-216-cells"):
        format_called("xlsx").cells(content)
