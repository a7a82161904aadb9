"""What a terminal is shown never commands it: names of files, columns, variants and outputs.

Escapes, control characters, marks of direction and ends of line in what others wrote; on standard
output, on standard error, and in JSON, where they are written by their codes.
"""

import json
import re

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app
from tests.cases.effort import one_in
from tests.cases.genotype_files import plink_files

HOSTILE = {
    "window title": "\x1b]0;owned\x07",
    "clear": "\x1b[2J\x1b[H",
    "eight bits": "\x9b2J",
    "delete": "\x7f\x08\x08",
    "direction": "\u202egpj\u202c",
    "separator": "\u2028next\u2029",
    "tag": "\U000e0041",
    "long": "x" * 200,
}
VALUES = [*HOSTILE.values(), "9z" * 50_000, "'; DROP TABLE x; --", "=cmd|' /C calc'!A0"]
PLAN = """
[data]
source = "{source}"
types = {{ "{column}" = "integer" }}
[target]
gamma = 2.0
[[query]]
name = "n"
statistic = "count"
where = [["{column}", ">=", 18]]
"""


def run(*words):
    """What a command printed, of which a terminal obeys nothing."""
    answer = CliRunner().invoke(app, [str(word) for word in words])
    assert answer.exit_code in (0, 2, 3), answer.stderr
    for text in (answer.stdout, answer.stderr):
        assert text.replace("\n", "").isprintable(), ascii(text)
    return answer


def basic(text):
    """A TOML basic string, all of it by codes."""
    return "".join(f"\\U{ord(mark):08x}" for mark in text)


def preview(folder, column, file):
    lines = [f'"{column}",note', *(f'"{value}",1' for value in VALUES), "18,2"]
    (folder / file).write_bytes("\n".join(lines).encode("utf-8"))
    path = folder / "plan.toml"
    path.write_text(PLAN.format(source="x*.csv", column=basic(column)), encoding="utf-8")
    plain = run("preview", path, "--rows")
    return plain.stdout, json.loads(run("preview", path, "--rows", "--json").stdout)


@pytest.mark.parametrize("name", one_in(2, [*HOSTILE]))
def test_a_preview_of_rows_names_places_and_shows_no_value(tmp_path, name):
    column, file = f"age{HOSTILE[name]}", f"x{HOSTILE[name]}.csv"
    printed, answer = preview(tmp_path, column, file)
    (found,) = answer["unreadable"]
    assert (found["file"], found["column"], found["count"]) == (file, column, len(VALUES))
    assert found["lines"] == list(range(2, 12))
    shown = printed.split("\n\n", 1)[1].splitlines()
    assert len(shown) == 2  # the file with its column, and the lines
    assert shown[1] == f"  line {', '.join(map(str, found['lines']))}, …"
    for value in VALUES:
        assert len(value) < 3 or value in HOSTILE.values() or value not in printed


def test_the_name_of_a_file_begins_no_line_of_its_own(tmp_path):
    printed, answer = preview(tmp_path, "age", "x\nEvery value that the plan uses can be read.csv")
    assert "Every value that the plan uses can be read." not in printed.splitlines()
    assert len(answer["unreadable"]) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_variants(tmp_path, name):
    """In the answer of a scan, and in what is said of a wrong line."""
    prefix = plink_files(tmp_path, [[2, 1, 0, 1], [0, 0, 1, 1]], ["case", "control"] * 2)
    bim = prefix.with_suffix(".bim")
    word = re.sub(r"\s", "", HOSTILE[name])
    bim.write_text(bim.read_text().replace("rs", f"rs{word}"), encoding="utf-8")
    run("gwas", "scan", prefix)
    printed = run("gwas", "scan", prefix, "--json")
    if printed.exit_code == 0:
        assert json.loads(printed.stdout)["top"][0]["variant"].startswith(f"rs{word}")
    bim.write_text(bim.read_text(encoding="utf-8").replace("\t0\t", f"\t{word}\t"), "utf-8")
    run("gwas", "scan", prefix)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "words",
    [
        ["release"],
        ["check"],
        ["preview"],
        ["new"],
        ["verify"],
        ["derive", "pure-dp:1"],
        ["compose"],
        ["gwas", "scan"],
        ["explain", "--epsilon"],
        [],
        ["gwas"],
        ["explain"],
    ],
    ids=" ".join,
)
def test_words_of_the_command_line_that_nobody_knows(tmp_path, words, name):
    out = ["--out", str(tmp_path / "out")] if words == ["release"] else []
    assert run(*words, HOSTILE[name], *out).exit_code in (2, 3)


@pytest.mark.parametrize("name", HOSTILE)
def test_labels_of_a_mechanism(tmp_path, name):
    word = HOSTILE[name]
    rows = {"": [0.5, 0.5], f"a{word}": [0.25, 0.75]}
    coin = {"universe": [f"a{word}"], "outputs": [f"0{word}", "1"], "rows": rows}
    path = tmp_path / "coin.json"
    path.write_text(json.dumps(coin), encoding="utf-8")
    run("verify", path, "--family", "independent")
    run("verify", path, "--family", "independent", "--json")
    path.write_text(json.dumps(coin | {"rows": {word: [0.5, 0.5]}}), encoding="utf-8")
    assert run("verify", path, "--family", "independent").exit_code == 2
