"""Noisy frequencies: their certificate's cautions, and rows kept as columns."""

import pytest

from deniable.gwas.certificates import FrequenciesCertificate, in_columns
from tests.cases.sample_frequencies import SIZE, frequencies_certificate, prepared_sample
from tests.cases.sample_frequencies import sample_rows as rows

PEOPLE = SIZE.cases + SIZE.controls


@pytest.mark.parametrize(("delta", "number"), [(0.9 / PEOPLE, 0), (1.1 / PEOPLE, 1)])
def test_an_exception_that_somebody_meets_is_a_caution(delta, number):
    assert len(frequencies_certificate(delta=delta).cautions) == number


def test_a_certificate_comes_back_as_it_was():
    made = frequencies_certificate(delta=None, false_yes=0.05)
    assert FrequenciesCertificate.from_json(made.as_json()) == made


def test_rows_are_compared_by_their_values():
    made = prepared_sample(delta=None)
    assert rows(made) == rows(made)
    assert rows(made) != rows(prepared_sample(delta=None, false_yes=0.05))
    with pytest.raises(AssertionError, match="columns"):
        in_columns([])
