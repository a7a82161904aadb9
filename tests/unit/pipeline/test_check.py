import json

import pytest

from deniable.errors import InvalidArgument
from deniable.pipeline.check import check
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses
from tests.cases.sample_certificate import sample_certificate
from tests.cases.sample_study import study_certificate


def checked(folder, document):
    path = folder / "certificate.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return check(path)


def names(answer, *, hold):
    return [each.name for each in answer.checks if each.holds is hold]


def test_either_kind_is_checked_as_what_it_says_it_is(tmp_path):
    table = checked(tmp_path, sample_certificate().as_json())
    assert "query years by plan" in [each.name for each in table.checks]
    assert "selection" in names(checked(tmp_path, study_certificate().as_json()), hold=True)
    assert names(checked(tmp_path, ["no", "certificate"]), hold=False) == ["schema"]
    with refuses(InvalidArgument, "no-readable-file"):
        check(tmp_path / "none.json")


@pytest.mark.parametrize("document", [["no", "certificate"], sample_certificate().as_json()])
def test_files_beside_a_certificate_that_fails_are_not_called_good(tmp_path, document):
    if isinstance(document, dict):
        document["guarantee"]["epsilon"] /= 2
    (tmp_path / "certificate.json").write_text(json.dumps(document), encoding="utf-8")
    assert names(check(tmp_path), hold=False)[-1] == "files"


def test_a_folder_that_is_no_release_is_told_from_those_in_it(tmp_path):
    with pytest.raises(InvalidArgument) as caught:
        check(tmp_path)
    said = refusal_of(caught.value)
    assert said.expected == "the folder of a release"
    assert said.remedy == "Name the folder that a release wrote."
    for name in ("published", "older"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "certificate.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidArgument) as caught:
        check(tmp_path)
    assert "older, published" in refusal_of(caught.value).remedy
