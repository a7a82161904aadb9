"""The tables of options in the reference have a row for each option of a command, and no others."""

import re

import pytest

from docs.commands import PAGE, page

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_up_to_date():
    """If it is not: `python docs/commands.py`."""
    assert page(TEXT) == TEXT


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
    help_ = "Find the least target at which each precision is kept."
    assert help_ in TEXT
    stale = TEXT.replace(f"| {help_} |\n", "| Another. |\n| `--gone` | an option that was |\n")
    assert page(stale) == TEXT


def test_options_of_one_row_are_gone_together_or_not_at_all():
    both = TEXT.replace("| `--solve` |", "| `--solve`, `--gone` |")
    with pytest.raises(ValueError, match="Expected options that there are, got --gone"):
        page(both)
