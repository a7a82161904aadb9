import sys

import pytest

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from tests.cases.refusals import refuses


def test_a_module_is_imported_when_an_attribute_is_first_asked_for(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("ANSWER = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = late("slow_to_import", extra="publish")
    assert "slow_to_import" not in sys.modules
    assert module.ANSWER == 42
    assert "slow_to_import" in sys.modules
    with pytest.raises(AttributeError):
        module.QUESTION  # noqa: B018  # the attribute is what is tried


def test_a_missing_library_names_the_extra_that_brings_it():
    with refuses(InvalidArgument, "deniable-nowhere-for-this-none: nowhere | publish") as caught:
        late("nowhere.inside", extra="publish").name_  # noqa: B018
    assert caught.value.__cause__ is None


def test_what_is_missing_inside_an_installed_library_is_no_missing_extra(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import nowhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        late("half_installed", extra="publish").name_  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        late("nowhere").name_  # noqa: B018
