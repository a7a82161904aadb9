import sys

import pytest

from deniable.errors.public_names import lazy_exports


def test_a_name_behind_a_door_is_imported_when_it_is_used(tmp_path, monkeypatch):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "__init__.py").write_text("")
    (tmp_path / "room" / "inside.py").write_text("def answer():\n    return 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    places = {"answer": "room.inside", "inside": "room.inside"}
    getattr_, dir_ = lazy_exports("room", ["inside", "answer"], places)
    assert dir_() == ["answer", "inside"]
    assert "room.inside" not in sys.modules
    assert getattr_("answer")() == 42
    assert getattr_("inside") is sys.modules["room.inside"]


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("calibarte", r' Did you mean "calibrate"\?'),
        ("Calibrate", r' Did you mean "calibrate"\?'),
        ("nonsense", r" Those are in dir\(room\)\."),
        ("__wrapped__", ""),
    ],
)
def test_a_name_that_is_not_behind_a_door_is_told_with_the_nearest_one(name, rest):
    getattr_, _ = lazy_exports("room", ["calibrate", "check"], {"calibrate": "room.inside"})
    expected = rf"^Expected a public name of room, got '{name}'\.{rest}$"
    with pytest.raises(AttributeError, match=expected):
        getattr_(name)
