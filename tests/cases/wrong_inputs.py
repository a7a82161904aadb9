"""What a mistake must be answered with: a message taken apart, and a folder to make mistakes in."""

import json
import re
from pathlib import Path

from tests.cases.genotype_files import plink_files
from tests.cases.prose import refusal_of

USAGE = re.compile(
    r"Usage: deniable (?P<usage>.+)\nTry 'deniable .*-h' for help\.\n\nError: (?P<message>.+)", re.S
)
PYTHON = re.compile(
    r"\b(None|NoneType|Traceback|tuple|dict|str|int|float|bool|(?<!JSON )object|ndarray|"
    r"NumPy|numpy|PosixPath|Decimal|datetime|isinstance|KeyError|ValueError|TypeError|np\.\w+)\b"
)
WORD = re.compile(r"--[a-z][a-z0-9-]*|[A-Za-z_][\w-]*(?:[.]\w+)*|\d+(?:[.]\d+)?|[=<>!]=|.", re.S)

PLAN = """\
[data]
source = "visits.csv"
entity = "person"

[adversary]
prior = [0.3, 0.7]

[target]
gamma = 2.0

[limits]
rows_per_entity = 5

[[query]]
name = "visits by plan"
statistic = "sum"
column = "visits"
bounds = [0, 50]
group_by = ["plan"]
keys = { plan = ["free", "shared"] }
"""
MECHANISM = {
    "universe": ["a"],
    "outputs": ["0", "1"],
    "rows": {"": [0.25, 0.75], "a": [0.75, 0.25]},
}


def words_of(text: str) -> list[str]:
    """Options, names and numbers of a text, in its order."""
    return WORD.findall(text)


def taken_apart(message: str) -> str:
    """The message without its usage lines, once it has the one pattern and no stranger's words."""
    usage = USAGE.fullmatch(message.strip())
    said = usage["message"] if usage else message.strip()
    refusal_of(said)
    strange = PYTHON.search(re.sub(r'"[^"]*"', "", said))
    assert strange is None, f"{strange and strange.group()} in: {said}"
    return said


def names(message: str, fix: str) -> bool:
    """Whether the message names the fix, word for word."""
    words, wanted = words_of(message), words_of(fix)
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def folder_of_mistakes(folder: Path) -> None:
    """Good files, to be used wrongly, and bad ones."""
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    (folder / "visits.csv").write_text(
        "person,plan,visits,day,Ward\n1,free,3,2024-01-31,a\n1,shared,5,2024-02-01,b\n2,free,1,,a\n",
        encoding="utf-8",
    )
    (folder / "empty.csv").touch()
    (folder / "empty.toml").touch()
    (folder / "empty.json").touch()
    (folder / "bytes.csv").write_bytes(b"\xff\xfe\x00\x01")
    (folder / "bytes.toml").write_bytes(b'[data]\nsource = "\xff"\n')
    (folder / "folder").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "file.txt").write_text("here\n", encoding="utf-8")
    (folder / "x.csv").write_text("1\n2\n3\n4\n5\n10\n", encoding="utf-8")
    (folder / "parts.csv").write_text("1.5\n2.5\n3\n", encoding="utf-8")
    (folder / "header.csv").write_text("height\n1\n2\n", encoding="utf-8")
    (folder / "two.csv").write_text("1,2\n3,4\n5,6\n", encoding="utf-8")
    (folder / "ragged.csv").write_text("1,2\n3\n5,6\n", encoding="utf-8")
    (folder / "semicolons.csv").write_text("1;2\n3;4\n", encoding="utf-8")
    (folder / "commas.csv").write_text("1,5;2\n", encoding="utf-8")
    (folder / "flip.json").write_text(json.dumps(MECHANISM), encoding="utf-8")
    (folder / "sum.json").write_text(
        json.dumps(MECHANISM | {"rows": {"": [0.25, 0.25], "a": [0.75, 0.25]}}), encoding="utf-8"
    )
    (folder / "list.json").write_text("[1, 2]", encoding="utf-8")
    (folder / "prior.json").write_text('{"": 0.5, "a": 0.4}', encoding="utf-8")
    (folder / "broken.json").write_text('{"universe": ["a"', encoding="utf-8")
    (folder / "norows.json").write_text('{"universe": ["a"], "outputs": ["0"]}', encoding="utf-8")
    plink_files(folder)
    (folder / "nobim.bed").write_bytes(bytes.fromhex("6c1b01"))
    (folder / "nobim.fam").write_text("f i 0 0 0 1\n", encoding="utf-8")
