"""A book of tables whose writer is killed at every call that writes: nothing is lost."""

import os
import shutil

import pytest

from deniable.rules import book
from tests.cases.effort import some_pairs
from tests.cases.system_calls import Full, Killed, can_ask, run

RULES = {
    "list": [{"name": "north", "size": 40}],
    "table": [{"name": "t", "lists": ["north"]}],
    "rule": {"preset": "opensafely"},
}
_MOST = 60
"""Calls that write, of one program: more than there are."""


def enter(folder):
    """Make a book where there is none, enter one edition more, and say so."""
    os.chdir(folder)
    if not os.path.exists("wards.book"):
        book.new("wards.book")
        print("made", flush=True)
    number = len(book.show("wards.book").editions)
    book.add("wards.book", RULES, {"north": 15}, name=f"{number}", published="2024-03-01")
    print("entered", flush=True)


@pytest.mark.parametrize(("fault", "entered"), some_pairs([Killed, Full], [0, 2]))
def test_an_edition_is_there_whole_or_not_at_all(in_memory, fault, entered):
    if not can_ask():
        pytest.skip("needs Linux on x86-64")
    said = in_memory / "said"
    said.mkdir()
    first, struck = in_memory / "first.book", 0
    if entered:
        book.new(first)
    for number in range(entered):
        book.add(first, RULES, {"north": 15}, name=f"{number}", published="2024-03-01")
    for call in range(1, _MOST):
        folder = in_memory / f"{call}"
        folder.mkdir()
        place = folder / "wards.book"
        if entered:
            shutil.copy(first, place)
        before = book.show(place).editions if entered else ()
        ended = run(folder, said, fault(call), enter, folder)
        if not ended.struck:
            break
        struck += 1
        if (
            "made" not in ended.stdout
            and not entered
            and (not place.exists() or not book.check(place).holds)
        ):  # an empty file: whoever makes the book again has it
            book.new(place)
            continue
        after = book.check(place)
        assert after.holds, (call, after.findings)
        assert after.editions[: len(before)] == before
        assert len(after.editions) <= entered + 1
        if "entered" in ended.stdout:
            assert len(after.editions) == entered + 1
        if len(after.editions) == entered:  # the next writer goes on
            book.add(place, RULES, {"north": 15}, name=f"{entered}", published="2024-03-01")
            assert book.check(place).holds
    else:
        raise AssertionError("there are more calls than were tried")
    assert struck >= 5
