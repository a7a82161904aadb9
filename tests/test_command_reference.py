"""The tables of options in the reference have a row for each option of a command, and no others."""

import re

import pytest

from docs.commands import FIRST, PAGES, page
from docs.outputs import outputs, with_outputs
from tests.cases.command_line import app
from tests.cases.programs import need
from tests.test_shape import commands

TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in PAGES}
TEXT = "".join(TEXTS.values())


@pytest.mark.parametrize("name", TEXTS)
def test_a_page_is_up_to_date(name):
    """If it is not: `python docs/commands.py`."""
    assert page(TEXTS[name]) == TEXTS[name]


def test_each_command_shows_what_it_prints():
    """If it prints another thing now: `python docs/commands.py`."""
    need("ssh-keygen")
    assert with_outputs(TEXT, outputs()) == TEXT


def test_each_command_has_an_example_and_a_link_on_the_first_page():
    sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", TEXT, re.M))
    first = FIRST.read_text(encoding="utf-8")
    for word, _ in commands(app):
        assert f"$ deniable {word} " in sections[f"deniable {word}"]
        (name,) = [name for name, text in TEXTS.items() if f"\n## deniable {word}\n" in text]
        link = f"commands/{name}.md#deniable-{word.replace(' ', '-')}"
        assert f"[`{word}`]({link})" in first


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
    with pytest.raises(ValueError, match="got --gone"):
        page(both)
