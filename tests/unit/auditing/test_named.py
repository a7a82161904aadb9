import sys

import pytest

from deniable.auditing.run import named
from deniable.errors import InvalidArgument
from tests.cases.prose import refusal_of


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of one's own modules, from which nothing is left afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_name_of_a_module_in_the_folder(here):
    (here / "own_answers.py").write_text("class A:\n    b = staticmethod(lambda x: x + 1)\n")
    assert named("own_answers:A.b")(1) == 2


@pytest.mark.parametrize("text", ["", ":", "a", "a:", ":b", "a b:c", "./a:b", "a.py:b", "a/b.py"])
def test_what_names_nothing_is_refused(text):
    with pytest.raises(InvalidArgument) as raised:
        named(text)
    assert refusal_of(str(raised.value)).expected == "a plan (PLAN.toml) or MODULE:FUNCTION"


@pytest.mark.parametrize(
    ("source", "got", "place"),
    [
        ("1 / 0", "ZeroDivisionError", "own_broken.py:1"),
        ("\nraise SystemExit('Anna, 34')", "SystemExit", "own_broken.py:2"),
        ("def", "SyntaxError", "own_broken.py:1"),
        ("import not_there_at_all", "no module 'not_there_at_all'", "own_broken.py:1"),
        ("\0", "SyntaxError", ""),
    ],
)
def test_a_module_that_fails_is_named_with_the_place(here, source, got, place):
    (here / "own_broken.py").write_text(source)
    with pytest.raises(InvalidArgument) as raised:
        named("own_broken:answer")
    told = refusal_of(str(raised.value))
    assert told.got == got
    assert told.place == place or not place
    assert "Anna" not in str(raised.value)


@pytest.mark.usefixtures("here")
def test_a_module_that_is_not_there():
    with pytest.raises(InvalidArgument) as raised:
        named("nowhere_at_all.deeper:answer")
    assert refusal_of(str(raised.value)).got == "'nowhere_at_all.deeper'"


def test_a_name_that_is_nearly_there(here):
    (here / "own_near.py").write_text("def mechanism(data): return 1\n")
    with pytest.raises(InvalidArgument) as raised:
        named("own_near:mecanism")
    assert refusal_of(str(raised.value)).remedy == "Did you mean mechanism?"
