"""The first lines of a study's report: numbers as they are parsed from the page."""

import math
import re

import attrs
import pytest

from deniable.gwas.publication.reach import reach
from deniable.report.reach import Reach, reach_paragraph
from tests.cases.prose import Page
from tests.cases.sample_study import prepared, study_certificate


def paragraph(change=None, **asked):
    found = reach(prepared(**asked))
    if change:
        found = attrs.evolve(found, **change)
    told = Page(reach_paragraph(study_certificate(**asked), found)).paragraphs
    return found, " ".join(told)


def numbers(told):
    return [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", told)]


def test_the_distance_is_told_with_its_examples():
    found, told = paragraph(epsilon=4.0)
    assert numbers(told) == [
        95, 100, 3, math.ceil(found.lead), 2,
        *(number for share, value in found.chi_squared
          for number in (pytest.approx(value, rel=0.01), share)),
        pytest.approx(19.5, abs=0.05),
    ]  # fmt: skip


def test_a_chi_squared_is_told_as_a_lead():
    found, told = paragraph(score="allelic", epsilon=50.0, top=1)
    assert numbers(told) == [95, 100, pytest.approx(found.lead, rel=0.01)]
    assert numbers(told)[-1] >= found.lead


def test_a_budget_that_finds_nothing_says_so_first():
    found, told = paragraph(epsilon=0.01)
    assert told.startswith("What it can find. Nothing reliably")
    assert numbers(told)[2:] == [3, pytest.approx(found.largest_probability, rel=0.05)]


def test_where_no_usual_association_is_strong_enough_none_is_given():
    _, told = paragraph({"chi_squared": ((0.1, None), (0.5, None))})
    (sentence,) = (each for each in told.split(". ") if "association" in each)
    assert sentence == ("Only an association stronger than usual is; significance begins at 19.5")


@pytest.mark.parametrize("epsilon", [0.02, 1.0])
def test_what_published_frequencies_tell_from_noise(epsilon):
    found, told = paragraph(epsilon=epsilon, statistics=True)
    last = numbers(told)[-1]
    if found.frequency_difference < 1:
        assert found.frequency_difference <= last <= 1.1 * found.frequency_difference
    else:
        assert last == 1  # frequencies of 0 and 1


def test_all_variants_published_leaves_nothing_to_find():
    asked = {"top": 5000}
    _, told = paragraph(**asked)
    assert told.endswith("only their order is chosen.")


def test_as_json_has_a_row_an_example():
    shown = Reach(0.95, 3.0, 9.0, 1.0, ((0.5, None),), None).as_json()
    assert shown["chi_squared"] == [{"controls_frequency": 0.5, "chi_squared": None}]
    assert set(shown) == {field.name for field in attrs.fields(Reach)}
