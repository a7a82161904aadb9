import re

from deniable.report.glossary import glossary
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate


def terms(certificate) -> list[str]:
    return re.findall("<dt>(.*?)</dt>", glossary(certificate))


def test_words_of_delta_stand_only_where_there_is_one():
    pure, gaussian = terms(sample_certificate()), terms(gaussian_certificate())
    assert "ε (epsilon)" in pure
    assert not any(term.startswith("δ") for term in pure)
    assert any(term.startswith("δ") for term in gaussian)
    assert set(pure) < set(gaussian)
