"""What a certificate must name as not covered, each by its own sentence."""

import pytest

from deniable.training.certify import ASSUMPTIONS, NOT_COVERED


@pytest.mark.parametrize(
    "subject",
    ["Shuffling", "Tuning", "Batch normalisation", "Floating-point noise", "Other releases"],
)
def test_each_subject_has_a_sentence_of_its_own(subject):
    assert sum(each.startswith(subject) for each in NOT_COVERED) == 1


def test_no_sentence_stands_twice():
    assert len({*ASSUMPTIONS, *NOT_COVERED}) == len(ASSUMPTIONS) + len(NOT_COVERED)
