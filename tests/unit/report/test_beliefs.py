"""What may be believed, in sentences and pictures."""

import math
import re

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.certificate.results import ResultRow
from deniable.gwas.pages import Reach, reach_paragraph
from deniable.gwas.publication import reach
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.publish.page import between, quantile_error, rows_behind
from deniable.report import charts
from deniable.report.belief_section import belief_section
from deniable.report.headline import change, headline
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    calibrated,
    posterior_upper,
    target_of,
)
from tests.cases.prose import Page
from tests.cases.sample_certificate import (
    gaussian_certificate,
    laplace,
    query,
    sample_certificate,
    sample_queries,
    selection,
)
from tests.cases.sample_study import prepared, study_certificate

BANDS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda ends: BoundedPriors(*sorted(ends)))


def test_limits_enclose_the_diagonal():
    picture = charts.belief_picture(sample_certificate())
    assert len(picture.limits) == 101
    assert all(low <= p <= high for p, low, high in picture.limits)


def test_the_worst_prior_of_gamma_is_where_limit_and_target_meet():
    picture = charts.belief_picture(sample_certificate())
    assert picture.worst[0] == 0.7
    assert picture.worst[1] == pytest.approx(0.85)
    assert picture.target[-1] == pytest.approx((0.7, 0.85))


@pytest.mark.parametrize(
    "target",
    [
        GammaTarget(1.5),
        MaxPosteriorTarget(0.8),
        AttackSuccessTarget(0.6),
        AdvantageTarget(0.3),
        IdentifiabilityTarget(0.3, 8),
    ],
)
def test_a_calibrated_limit_meets_the_target_at_the_worst_prior(target):
    band = BoundedPriors(0.2, 0.6)
    loss = calibrated(target, band, Adjacency.REPLACE_ONE).epsilon
    worst, _ = charts.worst_prior(target, band, loss)
    line = charts.target_line(target, band)
    nearest = min(line, key=lambda point: abs(point[0] - worst))
    assert posterior_upper(loss, worst) == pytest.approx(nearest[1], abs=1e-9)


def test_with_a_budget_or_any_prior_the_steepest_rise_is_marked():
    anything = BoundedPriors(0.0, 1.0)
    for target in (EpsilonTarget(1.0), GammaTarget(math.e)):
        worst, reason = charts.worst_prior(target, anything, 1.0)
        assert worst == pytest.approx(1 / (1 + math.exp(0.5)))
        assert "rise" in reason
    assert charts.target_line(EpsilonTarget(1.0), anything) == ()


@given(BANDS, st.floats(0.01, 20))
def test_no_prior_of_the_band_rises_further_than_the_steepest(band, loss):
    steep = charts.steepest_prior(band, loss)
    most = posterior_upper(loss, steep) - steep
    for step in range(11):
        p = min(band.low + (band.high - band.low) * step / 10, band.high)
        assert posterior_upper(loss, p) - p <= most + 1e-12


@pytest.mark.parametrize(
    ("low", "high", "prior"),
    [
        (0.0, 1.0, 0.05),
        (0.3, 0.7, 0.3),
        (1 / 3, 0.7, 0.34),
        (0.0, 0.001, 0.001),
        (0.1234, 0.1238, 0.1234),
        (0.1234, 0.126, 0.124),
        (0.0, 0.0, 0.05),
        (1.0, 1.0, 0.05),
    ],
)
def test_the_readable_prior_is_in_the_band_and_reads_well(low, high, prior):
    assert charts.readable_prior(BoundedPriors(low, high)) == prior


def test_the_table_has_its_four_priors_and_the_ends():
    assert charts.table_priors(BoundedPriors(0.3, 0.7)) == (0.01, 0.05, 0.1, 0.3, 0.5, 0.7)
    assert charts.table_priors(BoundedPriors(0.0, 1.0)) == (0.01, 0.05, 0.1, 0.5)


def test_a_band_near_zero_is_looked_at_closely():
    picture = charts.belief_picture(gaussian_certificate())
    assert picture.extent == pytest.approx((0.002, 0.01))
    assert picture.limits[-1][0] == picture.extent[0]
    far = attrs.evolve(gaussian_certificate(), target=AttackSuccessTarget(0.6))
    assert charts.belief_picture(far).extent == (1.0, 1.0)


def test_without_any_limit_the_picture_still_stands():
    sample = sample_certificate()
    open_ended = attrs.evolve(sample.guarantee, epsilon=math.inf)
    picture = charts.belief_picture(attrs.evolve(sample, guarantee=open_ended))
    assert picture.limits[50] == (0.5, 0.0, 1.0)


def test_ends_that_differ_by_a_rounding_are_one():
    certificate = study_certificate(adjacency="swap", gamma=1.5)
    band = certificate.adversary
    assert band.low < band.high  # a third, rounded outwards
    assert len([p for p in charts.table_priors(band) if p not in (0.01, 0.05, 0.1, 0.5)]) == 1
    (start, limit), (end, same) = charts.belief_picture(certificate).target
    assert start < band.low < end
    assert limit == same == pytest.approx(0.5)


def section(**changes) -> Page:
    return Page(belief_section(attrs.evolve(sample_certificate(), **changes))[2])


def facts(**changes) -> dict[str, str]:
    (found,) = section(**changes).facts
    return found


def test_the_table_is_rounded_outwards():
    (table,) = section().tables
    rows = {before: rest for before, *rest in table.cells}
    assert rows["1 %"] == ["0 %", "3 %", "outside"]
    assert rows["5 %"] == ["2 %", "12 %", "outside"]
    assert rows["50 %"] == ["29 %", "71 %", "within"]
    assert rows["70 %"] == ["48 %", "85 %", "within"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (
            GammaTarget(2.0),
            "no belief grows, and no doubt shrinks, by more than a factor of 2 (γ)",
        ),
        (
            MaxPosteriorTarget(0.8),
            "someone who is at most 70 % sure before the release is at most 80 % sure after it",
        ),
        (
            AttackSuccessTarget(0.6),
            "a guess at even odds is right at most 60 % of the time",
        ),
        (
            AdvantageTarget(0.3),
            "the share of members flagged exceeds the share of non-members flagged by at most 30 "
            "percentage points",
        ),
        (
            IdentifiabilityTarget(0.3, 8),
            "of 8 equally likely candidates, an attacker is at most 30 % sure of any one",
        ),
        (EpsilonTarget(1.0), "none on beliefs: the plan sets the budget ε = 1 directly"),
    ],
)
def test_every_target_has_its_words(target, told):
    page = section(target=target)
    assert page.facts[0]["Requested limit"] == told
    lines = page.sections[""]
    assert ("limit that the plan requests" in lines) == (target.kind != "epsilon")


def test_both_factors_stand_inside_and_outside_the_range():
    page = facts()
    assert page["Requested limit"] == (
        "no belief grows, and no doubt shrinks, by more than a factor of 2 (γ)"
    )
    assert page["Release, outside that range"] == (
        "no belief grows, and no doubt shrinks, by more than a factor of 2.43, "
        "whatever the prior belief"
    )
    assert "Release, within that range" not in page  # 2 again: it is the limit


def test_one_factor_is_not_told_as_two():
    sample = sample_certificate()
    same = attrs.evolve(sample.guarantee, gamma_outside=2.0)
    told = facts(guarantee=same)
    assert not any(term.startswith("Release") for term in told)
    wide = attrs.evolve(same, gamma=2.43, gamma_outside=2.43)
    told = facts(guarantee=wide)
    assert [term for term in told if term.startswith("Release")] == ["Release"]
    assert told["Release"].endswith("a factor of 2.43 (γ), whatever the prior belief")


@pytest.mark.parametrize(
    ("band", "told"),
    [
        (BoundedPriors(0.0, 1.0), "may be between 0 % and 100 %"),
        (BoundedPriors(0.5, 0.5), "is exactly 50 %"),
        (BoundedPriors(0.3, 0.7), "is between 30 % and 70 %"),
    ],
)
def test_every_band_has_its_words(band, told):
    assert facts(adversary=band)["Attacker"] == (
        f"{told} sure, before the release, that a given person is in the data"
    )


def test_with_delta_no_gamma_stands_bare():
    page = Page(belief_section(gaussian_certificate())[2])
    (found,) = page.facts
    assert found["Release"] == (
        "no belief grows, and no doubt shrinks, by more than a factor of 5.02 (γ), except with "
        "probability at most 1 in 1,000,000 for each row in each direction (rising or falling), "
        "whatever the prior belief"
    )
    assert [term for term, told in found.items() if "γ" in told] == ["Release"]
    assert page.tables[0].caption == (
        "Beliefs before and after, for some attackers. Limits are rounded outwards. Each limit "
        "holds, except with probability at most 1 in 1,000,000 for each row in each direction "
        "(rising or falling)."
    )


def test_a_studys_beliefs_are_about_its_claim_and_about_a_release():
    page = Page(belief_section(study_certificate(adjacency="swap"))[2])
    (found,) = page.facts
    assert found["Attacker"] == (
        "is exactly 33.3333 % sure, before the release, that a given participant is a case"
    )
    assert found["Telling cases apart"] == (
        "the share of cases flagged exceeds the share of controls flagged by at most 60 percentage "
        "points (advantage)"
    )
    assert found["Privacy budget"] == "ε = 1.3863, swap neighbours"
    assert page.sections[""][1] == "limit that the release requests"
    assert "plan" not in " ".join(page.words)


def lead(certificate) -> str:
    return Page(headline(certificate)).paragraphs[0]


def bold(certificate) -> list[str]:
    found = re.search('<p class="lead">(.*?)</p>', headline(certificate), re.DOTALL)[1]
    return re.findall("<b>(.*?)</b>", found.replace("\u00a0", " "))


def big(certificate) -> list[str]:
    return re.findall(
        '<span class="big">(.*?)</span>', headline(certificate).replace("\u00a0", " ")
    )


def asked(kind, value, worlds=None, low=0.0, high=0.1):
    return attrs.evolve(
        sample_certificate(),
        target=target_of(kind, value, worlds),
        adversary=BoundedPriors(low, high),
    )


@pytest.mark.parametrize(
    ("certificate", "limit", "icons"),
    [
        (asked("max_posterior", 0.3), ["10 %", "30 %"], ["10 %", "30 %"]),
        (asked("attack_success", 0.6), ["60 %"], ["50 %", "60 %"]),
        (asked("advantage", 0.1), ["10 percentage points"], ["50 %", "55 %"]),
        (asked("identifiability", 0.1, 100), ["10 %"], ["1 %", "10 %"]),
    ],
    ids=lambda value: value.target.kind if hasattr(value, "target") else None,
)
def test_the_limit_is_the_one_that_was_asked_for(certificate, limit, icons):
    assert bold(certificate) == limit
    assert big(certificate) == icons


def test_a_factor_is_told_with_what_it_means_at_the_worst_belief():
    certificate = sample_certificate()
    assert bold(certificate) == ["2", "70 %", "85 %"]
    assert big(certificate) == ["70 %", "85 %"]
    assert change(certificate).before == 0.7


def test_a_budget_outright_is_told_at_a_belief_that_reads_well():
    certificate = asked("epsilon", 1.0, low=0.0, high=1.0)
    assert bold(certificate) == big(certificate) == ["5 %", "12 %"]


def test_icons_and_the_number_beside_them_agree():
    page = Page(headline(asked("max_posterior", 0.3)))
    assert len(page.all("use")) == 200
    assert page.alts == [
        ("Before: 10 %", "10 of 100 icons are filled."),
        (
            "After, at most: 30 %",
            "30 of 100 icons are filled, 20 of them added by the release.",
        ),
    ]


def test_below_one_in_a_hundred_both_arrays_have_a_thousand_icons():
    page = Page(headline(gaussian_certificate()))
    assert len(page.all("use")) == 2000
    assert [told for _, told in page.alts] == [
        "1 of 1,000 icons are filled.",
        "5 of 1,000 icons are filled, 4 of them added by the release.",
    ]


def test_what_holds_with_an_exception_says_so_and_attack_success_has_none():
    rare = ", except with probability at most 1 in 1,000,000 for each row."
    gaussian = gaussian_certificate()
    assert lead(gaussian) == (
        "Someone who is at most 0.1 % sure that a given row is in the data can become at most "
        f"0.5 % sure after seeing this release{rare}"
    )
    guess = attrs.evolve(gaussian, target=AttackSuccessTarget(0.6))
    assert "except" not in lead(guess)


def test_a_study_speaks_of_its_own_claim():
    assert lead(study_certificate(adjacency="swap")).endswith(
        "Someone who is 33 % sure that a given participant is a case can become at most 67 % sure "
        "after seeing this release."
    )


MEDIAN = next(each for each in sample_queries() if each.statistic == "quantile")


@given(st.floats(0.001, 0.999), st.floats(0.1, 1e6), st.floats(1.0, 1e9))
def test_percentiles_are_rounded_outwards(share, width, rows):
    told = between(share, width, rows)
    low, high = 100 * (share - width / rows), 100 * (share + width / rows)
    if told is None:
        assert low < 1
        assert high > 99
        return
    ends = [int(end) for end in re.findall(r"(\d+)(?:st|nd|rd|th)", told)]
    assert max(low, 0) >= ends[0] - 1e-5
    assert min(high, 100) <= ends[1] + 1e-5
    assert ends[1] - ends[0] <= high - low + 2


def test_sizes_at_which_nothing_is_said_are_left_out():
    assert Page(quantile_error(MEDIAN)).paragraphs == [
        "In 95 % of releases, the rank of the published value is at most 612 rows worse than that "
        "of the best candidate. "
        "Examples: among 10,000 rows, between the 43rd and the 57th percentile; "
        "among 100,000 rows, between the 49th and the 51st percentile."
    ]
    wide = attrs.evolve(MEDIAN, parts=(selection("quantile", 1.0, 5, 1e30),))
    (told,) = Page(quantile_error(wide)).paragraphs
    assert told.endswith(" candidate. That is too many to say anything about a usual table.")


def test_a_count_that_is_published_too_says_how_many_rows_there_are():
    mean = query("mean age", "mean", [laplace("sum", 1.0, 1, 1.0)], "age", bounds=[0, 120])
    rows = [
        ResultRow("mean age", "mean", "age", value=40.0, half_width_95=1.0),
        ResultRow("mean age", "count", "age", value=5000.0, half_width_95=100.0),
    ]
    both = attrs.evolve(sample_certificate(), queries=(mean, MEDIAN))
    assert rows_behind(MEDIAN, both, rows) == [4900.0]
    assert rows_behind(MEDIAN, sample_certificate(), rows) is None
    other = attrs.evolve(mean, where=(("age", ">", 3),))
    assert rows_behind(MEDIAN, attrs.evolve(both, queries=(other, MEDIAN)), rows) is None


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
        95, 3, math.ceil(found.lead), 2,
        *(number for share, value in found.chi_squared
          for number in (pytest.approx(value, rel=0.01), share)),
        pytest.approx(19.5, abs=0.05),
    ]  # fmt: skip


def test_a_chi_squared_is_told_as_a_lead():
    found, told = paragraph(score="allelic", epsilon=50.0, top=1)
    assert numbers(told) == [95, pytest.approx(found.lead, rel=0.01)]
    assert numbers(told)[-1] >= found.lead


def test_a_budget_that_finds_nothing_says_so_first():
    found, told = paragraph(epsilon=0.01)
    assert told.startswith("What this release can find. Nothing reliably")
    assert numbers(told)[2:] == [pytest.approx(found.largest_probability, rel=0.05), 3]


def test_where_no_usual_association_is_strong_enough_none_is_given():
    _, told = paragraph({"chi_squared": ((0.1, None), (0.5, None))})
    (sentence,) = (each for each in told.split(". ") if "association" in each)
    assert sentence == (
        "Only an unusually strong association reaches that; significance begins at 19.5"
    )


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
    assert told.endswith("the noise only affects their order.")


def test_as_json_has_a_row_an_example():
    shown = Reach(0.95, 3.0, 9.0, 1.0, ((0.5, None),), None).as_json()
    assert shown["chi_squared"] == [{"controls_frequency": 0.5, "chi_squared": None}]
    assert set(shown) == {field.name for field in attrs.fields(Reach)}
