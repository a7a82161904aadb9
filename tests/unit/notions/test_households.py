"""Assumptions are stated with the digits that they were given with."""

import re
from pathlib import Path

import pytest

import deniable
from deniable.certificate.households import model_words
from deniable.notions.households import Households
from deniable.report.sentences import exactly
from deniable.theorems.analysis import HouseholdLoss

NUMBERS = {
    "odds_ratio": (1.2345678, 4.0, 1.0000000000000002, 1234567.0, 1e300),
    "icc": (0.29999999, 0.2, 1.0, 0.30000000000000004, 5e-324),
    "difference": (0.12345678, 0.1, 0.0, 1 / 3),
}


@pytest.mark.parametrize(
    ("model", "value"), [(name, value) for name, some in NUMBERS.items() for value in some]
)
def test_a_stated_model_is_read_back_as_the_number_that_was_given(model, value):
    """Losses belong to this number: "at most 0.3" beside the loss of 0.29999999 is not proved."""
    tied = Households(4, **{model: value})
    for words in (str(tied), model_words(HouseholdLoss(4, 1.0, 2.0, **{model: value}))):
        (stated,) = re.findall(r"(?:at most|factor of at most) (\S*\d)", words.split("up to 4")[-1])
        assert float(stated) == value
    assert "." not in str(Households(2, odds_ratio=4.0))


@pytest.mark.parametrize("prior", [0.29999999, 0.100000049, 1.2345678e-7, 0.123456789012])
def test_a_prior_on_a_page_has_all_its_digits(prior):
    number, _, of = exactly(prior).partition(" ")
    of = 100 if of == "%" else int(of.removeprefix("in ").replace(",", ""))
    assert float(number) / of == pytest.approx(prior, rel=1e-14)


def test_no_sentence_cuts_a_stated_number_to_a_few_digits():
    """A δ of 1.0000001e-6 is not 1e-6, and a confidence of 0.9999999 is not 1."""
    stated = "delta|exceedance|usual|confidence|prior|posterior|fpr|odds_ratio|icc|probability"
    cut = re.compile(rf"\{{[^{{}}]*(?:{stated})['\]]*:(?:[.][123])?g\}}")
    sources = Path(deniable.__file__).parent.rglob("*.py")
    assert [each.name for each in sources if cut.search(each.read_text("utf-8"))] == []
