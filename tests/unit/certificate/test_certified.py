import inspect

import pytest

from deniable.certificate.certified import Certified
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate

NAMES = [name for name, value in vars(Certified).items() if isinstance(value, property)]


@pytest.mark.parametrize("make", [sample_certificate, gaussian_certificate, study_certificate])
def test_both_kinds_have_everything_that_a_reader_of_beliefs_needs(make):
    certificate = make()
    assert "adversary" in NAMES
    assert [name for name in NAMES if getattr(certificate, name, None) is None] == []


def test_what_is_common_is_public_and_said_what_it_is():
    assert all(inspect.getdoc(getattr(Certified, name)) for name in NAMES)
