"""The reference page of Python says every public name, with one sentence, as the package has it."""

import importlib
import re

import pytest

import deniable
from docs.python import PAGE, page, topics

API = PAGE.with_name("api.md")
TEXT = PAGE.read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### (deniable[\w.]+)\n(.*?)(?=^##|\Z)", TEXT, re.M | re.S))


def public(room: str) -> set[str]:
    """Public names of a room that are not rooms themselves."""
    return {f"{room}.{name}" for name in importlib.import_module(room).__all__}


def test_the_page_is_up_to_date():
    """If it is not: `python docs/python.py`."""
    assert page() == TEXT


def test_the_site_has_pages_of_every_topic():
    listed = re.findall(r"^   (deniable[\w.]*)$", API.read_text(encoding="utf-8"), re.M)
    assert listed == ["deniable", *(f"deniable.{name}" for name in topics())]


def test_every_public_name_and_no_other_has_its_entry():
    rooms = {f"deniable.{name}" for name in topics()}
    names = set().union(*map(public, ["deniable", *rooms])) - rooms
    assert ENTRIES.keys() == names
    assert set(re.findall(r"^## (deniable[\w.]*)$", TEXT, re.M)) == {"deniable"} | rooms


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_ends_in_a_sentence(name):
    sentence = ENTRIES[name].rpartition("```")[2].strip()
    assert re.fullmatch(r"\S[^\n]*[.?]", sentence)


def test_an_entry_shows_arguments_as_they_are_written():
    assert "    advantage: float | None = None,\n" in ENTRIES["deniable.calibrate"]
    assert ENTRIES["deniable.mechanisms.Laplace"].startswith(
        "\n```python\ndeniable.mechanisms.Laplace(scale: float)\n```\n"
    )
    assert deniable.mechanisms.Laplace(1.0).scale == 1.0
