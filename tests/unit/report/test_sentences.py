import math
import re
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.analysis.belief import posterior_upper
from deniable.report import sentences
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate

PROBABILITIES = st.floats(0.0, 1.0) | st.floats(1e-9, 0.02) | st.floats(0.98, 1.0)


def read(told: str) -> Fraction:
    count, total = re.fullmatch(r"([\d,]+) in ([\d,]+)", told).groups()
    return Fraction(int(count.replace(",", "")), int(total.replace(",", "")))


@pytest.mark.parametrize(
    ("probability", "told"),
    [
        (0.0, "0 in 100"),
        (0.01, "1 in 100"),
        (0.07, "7 in 100"),
        (0.1252, "13 in 100"),
        (0.13, "13 in 100"),
        (0.85, "85 in 100"),
        (0.99, "99 in 100"),
        (0.991, "991 in 1,000"),
        (0.9999, "9,999 in 10,000"),
        (1.0, "100 in 100"),
        (0.0099, "10 in 1,000"),
        (0.0021, "3 in 1,000"),
        (2.5e-6, "3 in 1,000,000"),
    ],
)
def test_chances_are_rounded_up(probability, told):
    assert sentences.chance(probability) == told


@given(PROBABILITIES)
def test_a_chance_is_never_understated_beyond_float_noise(probability):
    shown = read(sentences.chance(probability))
    assert shown >= Fraction(probability) - Fraction(1, 10**10)
    assert probability == 0 or shown > 0
    assert shown < 1 or probability > 1 - 1e-10


@given(PROBABILITIES)
def test_a_lower_limit_is_never_overstated(probability):
    total = sentences.denominator(probability)
    shown = read(sentences.at_least(probability, total))
    assert shown <= Fraction(probability) + Fraction(1, 10**10)


@given(st.floats(0.0001, 0.9999), st.floats(0.0, 10.0))
def test_both_of_a_pair_are_counted_out_of_the_same(prior, loss):
    posterior = posterior_upper(loss, prior)
    before, after = sentences.pair(prior, posterior)
    assert before.split(" in ")[1] == after.split(" in ")[1]
    assert read(before) <= read(after)


def test_below_one_in_a_hundred_both_are_out_of_a_thousand():
    assert sentences.pair(0.004, 0.3) == ("4 in 1,000", "300 in 1,000")
    assert sentences.pair(0.05, 0.3) == ("5 in 100", "30 in 100")


def test_a_pair_is_rounded_outwards():
    assert sentences.pair(0.391, 0.609) == ("39 in 100", "61 in 100")


@pytest.mark.parametrize(
    ("value", "told"),
    [(1.0, "1.00"), (2.0, "2.00"), (2.4286, "2.43"), (1.0004, "1.0004"), (math.inf, "∞")],
)
def test_factors_are_rounded_up(value, told):
    assert sentences.rounded_up(value) == told


def test_the_sentence_that_the_page_is_built_around():
    certificate = sample_certificate()
    pure = attrs.evolve(certificate.guarantee, epsilon=1.0)
    told = sentences.before_after(attrs.evolve(certificate, guarantee=pure), 0.05)
    assert re.sub("<[^>]*>", "", told) == (
        "Before this release the adversary gives 5 in 100 that a given person is in the data; "
        "after everything in this plan, at most 13 in 100."
    )


def test_with_delta_the_exception_is_part_of_the_sentence():
    told = re.sub("<[^>]*>", "", sentences.before_after(gaussian_certificate(), 0.001))
    assert told == (
        "Before this release the adversary gives 1 in 1,000 that a given row is in the data; "
        "after everything in this plan, at most 5 in 1,000, "
        "except with probability at most 1 in 1,000,000 for each row."
    )


def test_numbers_of_the_plan_are_written_as_they_are():
    told = [sentences.exactly(p) for p in (0.0, 0.3, 0.125, 1e-6, 1.0)]
    assert told == ["0 in 100", "30 in 100", "12.5 in 100", "1 in 1,000,000", "100 in 100"]


def test_of_a_study_the_sentence_says_what_its_adjacency_hides():
    swap = study_certificate(adjacency="swap")
    told = re.sub("<[^>]*>", "", sentences.before_after(swap, 0.25))
    assert told == (
        "Before this release the adversary gives 25 in 100 that a given participant is a case; "
        "after everything in this release, at most 58 in 100."
    )
    genome = sentences.claim(study_certificate().unit)
    assert genome == "a given person&#x27;s genome is among the participants&#x27; genomes"
    table = sample_certificate().unit
    assert re.sub("<[^>]*>", "", sentences.claim(table)) == "a given person is in the data"


def test_who_is_told_apart_and_who_asked():
    swap, table = study_certificate(adjacency="swap").unit, sample_certificate().unit
    assert sentences.members(swap) == ("cases", "controls")
    assert sentences.members(table) == ("members", "non-members")
    assert (sentences.asker(swap), sentences.asker(table)) == ("release", "plan")
