"""What a word of a command line means, as an option of a number and as a file's name."""

import inspect
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner

from deniable.cli.commands import Option, add, group

NUMBERS = {
    "1": 1.0, "-1": -1.0, "+1": 1.0, "-0": -0.0, "007": 7.0, "1.": 1.0, ".5": 0.5, "1e3": 1000.0,
    "-.5e+2": -50.0, "1E-2": 0.01, "9007199254740993": 9007199254740992.0, "1_000": 1000.0,
    " 1 ": 1.0, "inf": float("inf"), "-inf": float("-inf"),
}  # fmt: skip
WHOLE = {"1": 1, "-1": -1, "007": 7, "3.0": 3, "1234567890123456789012": 1234567890123456789012}
NEITHER = [
    "",
    " ",
    "-",
    "+",
    ".",
    "e5",
    "1e",
    "true",
    "None",
    "a b",
    "é",
    "0x10",
    "1,5",
    "1/2",
    "٣",
    "½",
]


def read(kind, *words):
    """What an option of this kind reads from its words; None where they are refused."""
    values = []

    def command(*, value) -> None:
        values.append(value)

    command.__signature__ = signature_of(kind)
    app = group("app", "Words.")
    add(app, command)
    done = CliRunner().invoke(app, ["command", "--value", *words])
    assert done.exit_code == (0 if values else 2), done.output
    return values[0] if values else None


def signature_of(kind):
    annotation = Annotated[
        kind, Option(help="A value.", metavar="A B" if "list" in str(kind) else "V")
    ]
    parameter = inspect.Parameter("value", inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
    return inspect.Signature([parameter])


@pytest.mark.parametrize("word", NUMBERS)
def test_a_number_is_read_as_python_reads_it(word):
    assert repr(read(float, word)) == repr(NUMBERS[word])


@pytest.mark.parametrize("word", WHOLE)
def test_a_whole_number_is_read_exactly(word):
    assert read(int, word) == WHOLE[word]


@pytest.mark.parametrize("word", NEITHER)
@pytest.mark.parametrize("kind", [float, int])
def test_what_is_no_number_in_ascii_is_refused(kind, word):
    assert read(kind, word) is None


@pytest.mark.parametrize("word", ["1.5", "1e3", "inf", "nan"])
def test_what_is_no_whole_number_is_refused(word):
    assert read(int, word) is None


def test_two_numbers():
    assert read(tuple[float, float], "1", ".5") == (1.0, 0.5)
    assert read(tuple[float, float], "1", "x") is None


def test_an_option_of_two_words_may_repeat():
    assert read(list[str], "1", "7", "--value", "9", "12") == [("1", "7"), ("9", "12")]


def test_a_file_is_what_can_be_a_name(tmp_path):
    for place in (tmp_path, tmp_path / "absent"):
        assert read(Path, str(place)) == place
    assert read(Path, "a\0b") is None
