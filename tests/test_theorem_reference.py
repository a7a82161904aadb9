"""The reference page of theorems is what the catalogue says."""

from deniable.theorems.catalogue import CATALOGUE
from docs.theorems import PAGE, page


def test_the_page_is_up_to_date():
    """If it is not: `python docs/theorems.py`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_theorem_has_its_row():
    assert page().partition("## Catalogue")[2].count("\n| `") == len(CATALOGUE)
