"""Why it holds, in sentences."""

import json
import math
import re
from fractions import Fraction
from importlib import resources
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import calibrate
from deniable.report import sentences
from deniable.report.belief_section import belief_section, noise_multiplier
from deniable.report.environment import environment
from deniable.report.page import derivation, in_words, theorems_appendix
from deniable.theorems.analysis import EpsilonTarget, posterior_upper
from deniable.theorems.catalogue import CATALOGUE
from tests.cases.prose import Page, probability_of
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate

BIBLIOGRAPHY = Path(__file__).parents[3] / "docs" / "reference" / "bibliography.md"
TARGETS = [
    {"gamma": 2.0},
    {"max_posterior": 0.3, "prior": (0.0, 0.1)},
    {"attack_success": 0.6},
    {"advantage": 0.1},
    {"identifiability": 0.1, "worlds": 100},
]


SHORT = re.compile(r"\d\.\d{7,}")


def chains():
    for target in TARGETS:
        for adjacency in ("replace-one", "add-remove"):
            for delta in (None, 1e-6):
                yield calibrate(**target, adjacency=adjacency, delta=delta).derivation


def test_every_step_that_calibration_can_take_has_its_words():
    specs = {spec for steps in chains() for step in steps for spec in (step.source, step.target)}
    assert len(specs) > 20
    for spec in specs:
        told = in_words(spec)
        assert ":" not in told
        assert not SHORT.search(told)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("zcdp:0.052", "zero-concentrated differential privacy with ρ = 0.052"),
        (
            "privacy-loss-tail:1.3499267169490154,1e-06",
            "a privacy loss that exceeds 1.35 with probability at most 1 in 1,000,000",
        ),
        (
            "positive-membership:2.0@0.3-0.7",
            "a guarantee that no belief grows, and no doubt shrinks, by more than a factor of 2 "
            "(prior beliefs between 30 % and 70 %)",
        ),
        ("sampling-dp:0.1,1.0", "sampling-dp:0.1,1.0"),
        ("pure-dp:1,2,3", "pure-dp:1,2,3"),
    ],
)
def test_words(spec, told):
    assert in_words(spec) == told


@pytest.mark.parametrize("make", [sample_certificate, gaussian_certificate])
def test_each_step_links_to_its_theorem(make):
    steps = make().derivation
    linked = re.findall(r'href="#(theorem-\d+)"', derivation(steps, make().unit))
    named = re.findall(r'id="(theorem-\d+)"', theorems_appendix(steps)[2])
    assert len(linked) == len(steps)
    assert set(linked) == set(named)
    assert len(set(named)) == len(named)


def test_each_theorem_stands_with_title_and_source():
    (found,) = Page(theorems_appendix(sample_certificate().derivation)[2]).facts
    (title, source, *entries, name) = found["Theorem 1"].splitlines()
    assert title.startswith("ε-DP gives γ = ")
    assert source == "Source: tramer-2015, Theorem 2; add-remove: li-2013, Theorem 4.5"
    assert entries == [f"[{key}] {sources()[key]}" for key in ("tramer-2015", "li-2013")]
    assert name == "In Deniable's catalogue: pure_dp_to_positive_membership"


def sources() -> dict[str, str]:
    return json.loads(
        resources.files("deniable.report").joinpath("sources.json").read_text("utf-8")
    )


def test_the_sources_are_those_of_the_bibliography():
    page = BIBLIOGRAPHY.read_text("utf-8")
    written = dict(re.findall(r"^## (\S+)\n\n(.*?)(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL))
    cited = {key for each in CATALOGUE for key in re.findall(r"[a-z-]+-\d{4}", each.source)}
    assert set(sources()) == cited
    for key, entry in sources().items():
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(written[key].split()))
        assert entry == plain.replace("*", "")


def test_noisy_steps_are_said_in_words():
    one = in_words("privacy-curve:0.03125,1.00000049,1320@add-remove")
    assert one == (
        "1,320 steps with noise multiplier 1.00000049 at a sampling rate of 3.125 % "
        "(add-remove neighbours)"
    )
    two = in_words("privacy-curve:0.5,1.0,3@add-remove@then-0.5,2.0,1/0.25,2.0,1")
    assert two.endswith("(add-remove neighbours, and then 2 other kinds of steps)")
    missed = in_words("false-negative-rate:0.95,0.01@add-remove")
    assert missed.startswith(
        "a guarantee that an attack that wrongly flags 1 % of others misses at least 95 % of "
        "members"
    )


PROBABILITIES = st.floats(0.0, 1.0) | st.floats(1e-9, 0.02) | st.floats(0.98, 1.0)


@pytest.mark.parametrize(
    ("probability", "told"),
    [
        (0.0, "0 %"),
        (0.01, "1 %"),
        (0.07, "7 %"),
        (0.1252, "13 %"),
        (0.13, "13 %"),
        (0.85, "85 %"),
        (0.99, "99 %"),
        (0.991, "99.1 %"),
        (0.9999, "99.99 %"),
        (1.0, "100 %"),
        (0.0099, "1 %"),
        (0.0021, "0.3 %"),
        (2.5e-6, "3 in 1,000,000"),
    ],
)
def test_chances_are_rounded_up(probability, told):
    assert sentences.chance(probability) == told


@given(PROBABILITIES)
def test_a_chance_is_never_understated_beyond_float_noise(probability):
    shown = probability_of(sentences.chance(probability))
    assert shown >= Fraction(probability) - Fraction(1, 10**10)
    assert probability == 0 or shown > 0
    assert shown < 1 or probability > 1 - 1e-10


@given(PROBABILITIES)
def test_a_lower_limit_is_never_overstated(probability):
    total = sentences.denominator(probability)
    shown = probability_of(sentences.at_least(probability, total))
    assert shown <= Fraction(probability) + Fraction(1, 10**10)


@given(st.floats(0.0001, 0.9999), st.floats(0.0, 10.0))
def test_both_of_a_pair_are_rounded_to_the_same_step(prior, loss):
    posterior = posterior_upper(loss, prior)
    before, after = sentences.pair(prior, posterior)
    total = sentences.common(prior, posterior)
    assert (
        (probability_of(before) * total).denominator
        == (probability_of(after) * total).denominator
        == 1
    )
    assert probability_of(before) <= probability_of(after)


def test_below_one_in_a_hundred_both_are_out_of_a_thousand():
    assert sentences.pair(0.004, 0.3) == ("0.4 %", "30 %")
    assert sentences.pair(0.05, 0.3) == ("5 %", "30 %")


def test_a_pair_is_rounded_outwards():
    assert sentences.pair(0.391, 0.609) == ("39 %", "61 %")


@pytest.mark.parametrize(
    ("value", "told"),
    [(1.0, "1.00"), (2.0, "2.00"), (2.4286, "2.43"), (1.0004, "1.0004"), (math.inf, "∞")],
)
def test_factors_are_rounded_up(value, told):
    assert sentences.rounded_up(value) == told


def before_after(certificate, prior) -> str:
    """What a page says of a belief before and after."""
    template = environment().from_string("{{ kit.before_after(certificate, prior) }}")
    words = re.sub("<[^>]*>", "", template.render(certificate=certificate, prior=prior))
    return words.replace("\u00a0", " ")


def test_the_sentence_that_the_page_is_built_around():
    certificate = sample_certificate()
    pure = attrs.evolve(certificate.guarantee, epsilon=1.0)
    assert before_after(attrs.evolve(certificate, guarantee=pure), 0.05) == (
        "Someone who is 5 % sure that a given person is in the data can become at most 13 % sure "
        "after seeing this release."
    )


def test_with_delta_the_exception_is_part_of_the_sentence():
    assert before_after(gaussian_certificate(), 0.001) == (
        "Someone who is 0.1 % sure that a given row is in the data can become at most 0.5 % sure "
        "after seeing this release, except with probability at most 1 in 1,000,000 for each "
        "row."
    )


def test_numbers_of_the_plan_are_written_as_they_are():
    told = [sentences.exactly(p) for p in (0.0, 0.3, 0.125, 1e-6, 1.0)]
    assert told == ["0 %", "30 %", "12.5 %", "1 in 1,000,000", "100 %"]


def test_of_a_study_the_sentence_says_what_its_adjacency_hides():
    swap = study_certificate(adjacency="swap")
    assert before_after(swap, 0.25) == (
        "Someone who is 25 % sure that a given participant is a case can become at most 58 % sure "
        "after seeing this release."
    )
    genome = sentences.claim(study_certificate().unit)
    assert genome == "a given person&#x27;s genome is among the participants&#x27; genomes"
    table = sample_certificate().unit
    assert re.sub("<[^>]*>", "", sentences.claim(table)) == "a given person is in the data"


def test_who_is_told_apart_and_who_asked():
    swap, table = study_certificate(adjacency="swap").unit, sample_certificate().unit
    assert sentences.members(swap) == ("cases", "controls")
    assert sentences.members(table) == ("members", "non-members")


def budget(certificate) -> dict[str, str]:
    """What a report says was spent."""
    (facts,) = Page(belief_section(certificate)[2]).facts
    terms = ("Privacy budget", "All noise together", "Privacy loss")
    return {term: facts[term] for term in terms if term in facts}


def test_a_pure_budget_is_epsilon():
    assert budget(sample_certificate()) == {"Privacy budget": "ε = 0.8874, replace-one neighbours"}
    assert noise_multiplier(sample_certificate()) is None
    assert budget(study_certificate()).keys() == {"Privacy budget"}


def test_with_delta_the_noise_is_told_and_no_epsilon_is_offered():
    facts = budget(gaussian_certificate())
    assert facts["Privacy budget"].startswith("ρ = 0.052 ")
    assert "noise multiplier of 3.101" in facts["All noise together"]
    assert facts["Privacy loss"].startswith("exceeds 1.613 with probability at most 1 in 1,000,000")
    assert not any("ε =" in told for told in facts.values())


def test_an_epsilon_that_was_asked_for_stands_with_its_delta():
    asked = attrs.evolve(gaussian_certificate(), target=EpsilonTarget(1.613))
    assert budget(asked)["Privacy loss"].endswith("ε = 1.6130 and δ = 1 in 1,000,000")


def test_the_noise_is_never_overstated_and_only_told_of_gaussian_noise():
    sample = gaussian_certificate()
    noise = noise_multiplier(sample)
    assert noise == pytest.approx(1 / math.sqrt(0.104))
    assert noise < 1 / math.sqrt(0.104)
    part = attrs.evolve(sample.queries[0].parts[0], mechanism="noisy-top-k-gumbel")
    mixed = attrs.evolve(sample, queries=(attrs.evolve(sample.queries[0], parts=(part,)),))
    assert noise_multiplier(mixed) is None
