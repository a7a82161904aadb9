"""What a certificate says of filters: what was asked for, and nothing else."""

import pytest

from deniable.certificate.model import structure
from deniable.gwas.public_filters import NamedList, StudyFilters

LIST = NamedList("0" * 64, 7)
EVERY = StudyFilters(LIST, LIST, ("1", "X"), 0.05, LIST, "kept", "split")


@pytest.mark.parametrize(
    "filters", [StudyFilters(), EVERY, StudyFilters(panel=LIST), StudyFilters(people="removed")]
)
def test_what_is_stated_is_read_back(filters):
    assert structure(StudyFilters, filters.as_json()) == filters


def test_what_was_not_asked_for_is_not_said():
    assert StudyFilters().as_json() == {}
    assert StudyFilters(minimum_frequency=0.0).as_json() == {"minimum_frequency": 0.0}
    assert set(EVERY.as_json()) == {
        "extract", "exclude", "chromosomes", "minimum_frequency", "panel", "people", "multiallelic",
    }  # fmt: skip
