"""The tables of options in the reference have a row for each option of a command, and no others."""

import re

import pytest

from docs.commands import PAGE, page
from docs.outputs import with_outputs
from tests.cases.command_line import app
from tests.cases.programs import need
from tests.test_shape import commands

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_up_to_date():
    """If it is not: `python docs/commands.py`."""
    assert page(TEXT) == TEXT


def test_each_command_shows_what_it_prints():
    """If it prints another thing now: `python docs/commands.py`."""
    need("ssh-keygen")
    assert with_outputs(TEXT) == TEXT


def test_each_command_has_an_example():
    sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", TEXT, re.M))
    for word, _ in commands(app):
        assert f"$ deniable {word} " in sections[f"deniable {word}"]


@pytest.mark.parametrize(
    ("section", "option"),
    [
        ("deniable plan", "--solve"),  # the only one of its table
        ("deniable audit", "--claimed"),  # written by hand
        ("deniable gwas frequencies", "--yes"),
        ("Common options of deniable population", "--gap"),
    ],
)
def test_an_option_without_a_row_gets_one(section, option):
    before, heading, after = TEXT.partition(f"## {section}\n")
    without = before + heading + re.sub(rf"^\| `{option}\b.*\n", "", after, count=1, flags=re.M)
    without = re.sub(r"^\| option \| meaning \|\n\|---\|---\|\n(?!\|)\n?", "", without, flags=re.M)
    assert len(without) < len(TEXT)
    completed = page(without)
    assert page(completed) == completed
    own = completed.partition(f"## {section}\n")[2].partition("\n## ")[0]
    (row,) = re.findall(rf"^\| `{option}\b.*", own, re.M)
    assert re.search(r"\| [A-Z]", row)  # its help


def test_a_row_goes_with_its_option_and_a_help_is_written_anew():
    help_ = "Find the least target that keeps each precision."
    assert help_ in TEXT
    stale = TEXT.replace(f"| {help_} |\n", "| Another. |\n| `--gone` | an option that was |\n")
    assert page(stale) == TEXT


def test_options_of_one_row_are_gone_together_or_not_at_all():
    both = TEXT.replace("| `--solve` |", "| `--solve`, `--gone` |")
    with pytest.raises(ValueError, match="Expected options that there are, got --gone"):
        page(both)
