"""What every command answers with `--json`, and its help, as they were written down.

    python -m tests.test_golden_answers

writes both anew, for where an answer has to change. Numbers are kept to nine digits, since the last
ones differ between processors.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import click
import pytest

from deniable.cli.program import program
from tests.cases.every_command import WORDS, link_files, run, write_files
from tests.cases.signed_release import needs_ssh_keygen
from tests.test_shape import commands

GOLDEN = Path(__file__).resolve().parent / "data" / "golden"
ANSWERS, HELP = GOLDEN / "answers.json", GOLDEN / "help.json"
CHANGING = {
    "at", "certificate_sha256", "created", "files", "fingerprint", "key", "seconds", "sha256",
    "statement_sha256", "versions",
}  # fmt: skip
"""Keys whose values differ from one run to the next."""
DRAWN = {
    "dossier": {"date", "digest"},  # of the release, which is made on the day of the test
    "gwas frequencies": {"released"},
    "gwas release": {"released"},
    "preview": {"above", "bounded", "kept", "keys", "missing", "where"},  # by a secret salt
}
"""Of a command: keys whose values are drawn by chance, or are of the day."""
DIGITS = 9


def steady(value: Any, changing: set[str]) -> Any:
    """An answer without what differs from run to run."""
    match value:
        case dict():
            return {
                key: "…" if key in changing else steady(each, changing)
                for key, each in value.items()
            }
        case list():
            return [steady(each, changing) for each in value]
        case float():
            return float(f"{value:.{DIGITS}g}")
        case _:
            return value


def answer(word: str, folder: Path) -> Any:
    """The answer of a command on the files in a folder."""
    assert run([*word.split(), *WORDS[word], "--json"], folder) == 0, (
        folder / "stderr"
    ).read_text()
    document = json.loads((folder / "stdout").read_text(encoding="utf-8"))
    return steady(document, CHANGING | DRAWN.get(word, set()))


def helps() -> dict[str, list[str]]:
    """The lines of every command's help, on a terminal of 100 columns."""
    os.environ["TERMINAL_WIDTH"] = "100"
    root = program.__wrapped__()  # a context keeps the names of its help in the command
    return {
        path: click.Context(each, info_name=f"deniable {path}", terminal_width=100)
        .get_help()
        .splitlines()
        for path, each in (("", root), *commands(root))
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.mark.parametrize("word", WORDS)
def test_an_answer_is_as_it_was(word, files, tmp_path):
    if word == "sign":
        needs_ssh_keygen()
    pinned = json.loads(ANSWERS.read_text(encoding="utf-8"))
    assert answer(word, link_files(files, tmp_path)) == pinned[word]


def test_help_is_as_it_was():
    assert helps() == json.loads(HELP.read_text(encoding="utf-8"))


def main() -> None:
    """Write answers and help anew."""
    with tempfile.TemporaryDirectory() as place:
        files = Path(place, "files")
        files.mkdir()
        write_files(files)
        answers = {}
        for number, word in enumerate(WORDS):
            folder = Path(place, str(number))
            folder.mkdir()
            answers[word] = answer(word, link_files(files, folder))
    for path, value in ((ANSWERS, answers), (HELP, helps())):
        path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
