"""Plain words are read as Typer reads them, or left to Typer."""

from pathlib import Path

import pytest
import typer

from deniable.cli.commands import NotPlain, plain

WORDS = [
    "1", "-1", "+1", "0", "-0", "007", "1.", ".5", "1.0", "1e3", "1E-400", "1e400", "-.5e+2",
    "0.1000000000000000055511151231257827", "9007199254740993", "123456789012345678",
    "1234567890123456789012", "1_000", "1,5", "1/2", " 1", "1 ", "nan", "inf", "-inf", "Infinity",
    "٣", "½", "0x10", "", " ", "-", "+", ".", "e5", "1e", "true", "None", "a b", "é", "\udce9",
]  # fmt: skip


def typers(kind, words):
    """What Typer's own reader makes of the words; None where it refuses them."""
    found = []
    app = typer.Typer(add_completion=False)

    @app.command(context_settings={"ignore_unknown_options": True})
    def command(value: kind) -> None:
        found.append(value)

    try:
        app(["--", *words], standalone_mode=False)
    except typer.BadParameter:
        return None
    return found[0]


def ours(kind, value):
    try:
        return plain(kind, value)
    except NotPlain:
        return None


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", [float, int, str])
def test_a_plain_word_is_what_typer_reads(kind, word):
    read = ours(kind, word)
    if read is not None:
        assert repr(read) == repr(typers(kind, [word]))


@pytest.mark.parametrize("kind", [float, int])
def test_the_usual_numbers_are_plain(kind):
    assert ours(kind, "20") == 20


@pytest.mark.parametrize("words", [("1", ".5"), ("1e-3", "2"), ("1", "x"), ("1_0", "2")])
def test_two_numbers_are_what_typer_reads(words):
    read = ours(tuple[float, float], words)
    assert read in (None, typers(tuple[float, float], list(words)))
    assert (read is None) == (words[1] == "x" or words[0] == "1_0")


def test_as_many_words_as_numbers():
    assert ours(tuple[float, float], ("1", "2", "3")) is None
    assert ours(list[str], ("1", "2", "3")) == typers(list[str], ["1", "2", "3"])


def test_a_file_is_plain_where_it_is_or_can_be_made(tmp_path):
    for place in (tmp_path, tmp_path / "absent"):
        assert ours(Path, str(place)) == typers(Path, [str(place)]) == place
    assert ours(Path, "a\0b") is None


def test_an_option_of_two_words_may_repeat():
    assert plain(list[str], (("1", "7"), ("9", "12"))) == [("1", "7"), ("9", "12")]
