"""Frequencies with noise: how far neighbours move them, what differs between their files."""

import csv
import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr, ndtr

from deniable import gwas
from deniable.gwas.allele_frequencies.kind import publish_rows
from deniable.gwas.allele_frequencies.request import (
    Group,
    allele_totals,
    compare_with_exact,
    frequency_part,
)
from deniable.gwas.certificates.study import StudySize
from deniable.gwas.genotypes import GenotypeCounts, Variants
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.pipeline.release import SimulatedNumbers, rehearse_noise
from tests.cases.effort import one_in, usual
from tests.cases.genotype_files import plink_files
from tests.cases.sample_frequencies import prepared_sample
from tests.oracles import frequencies as brute

FALSE_ALARM = 1e-9
KINDS = [(a, of) for a in StudyAdjacency for of in Group if (a, of) != ("swap", "everybody")]


SIZES = [(1, 1, 1), (1, 1, 2), (2, 1, 1), (1, 2, 2), (1, 1, 3)]


@pytest.mark.parametrize(
    ("adjacency", "of", "sizes"),
    one_in(3, [(*kind, sizes) for kind, sizes in itertools.product(KINDS, SIZES)]),
)
def test_the_sensitivities_are_attained_and_never_passed(adjacency, of, sizes):
    """Every small study with each of its neighbours."""
    part = frequency_part(adjacency, of, sizes[2])
    l1, squared, moved = brute.largest_moves(adjacency, of, *sizes)
    assert (part.l1, part.moved) == (l1, moved)
    assert squared <= Fraction(part.l2) ** 2 <= squared * (1 + Fraction(1, 2**50))


def test_everybodys_counts_are_the_same_whoever_changed_places():
    assert brute.largest_moves("swap", "everybody", 2, 1, 2) == (0, 0, 0)


@settings(max_examples=usual(10, 30))
@given(st.integers(0, 10**6), st.sampled_from(list(Group)))
def test_what_is_counted_is_what_people_carry(seed, of):
    rng = np.random.default_rng(seed)
    cases, controls, variants = rng.integers(1, 6, 3).tolist()
    study = rng.integers(0, 3, (cases + controls, variants))
    tables = [
        [[*np.bincount(column, minlength=3), 0] for column in group.T]
        for group in (study[:cases], study[cases:])
    ]
    totals = allele_totals(GenotypeCounts(*tables), of).tolist()
    assert totals == brute.totals([tuple(row) for row in study.tolist()], cases, of)


@settings(max_examples=usual(8, 20))
@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=6, max_size=6),
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.booleans(),
)
def test_what_is_published_is_possible_and_rounded_outwards(noisy, cases, controls, pure):
    size = StudySize(cases, controls, 3)
    made = prepared_sample(size, of="both", delta=None if pure else 1e-6, false_yes=0.05)
    variants = Variants(["1"] * 3, ["a", "b", "c"], [1, 2, 3], [*"AAA"], [*"CCC"])
    rows = publish_rows(np.array(noisy, dtype=np.int64), variants, made)
    assert [row.variant for row in rows] == [name for name in "abc" for _ in "xx"]
    width = int(made.half_width_95)
    for row, drawn in zip(rows, noisy, strict=True):
        copies = 2 * {"cases": cases, "controls": controls}[row.group]
        nearest = min(max(drawn, 0), copies)
        assert (row.noisy_count, row.count, row.frequency) == (drawn, nearest, nearest / copies)
        bounds = max(nearest - width, 0), min(nearest + width, copies)
        for end, share in zip(bounds, (row.frequency_low, row.frequency_high), strict=True):
            assert abs(Fraction(end, copies) - Fraction(share)) <= 2 * math.ulp(share)
        assert Fraction(row.frequency_low) <= Fraction(bounds[0], copies)
        assert Fraction(row.frequency_high) >= Fraction(bounds[1], copies)
        assert row.present == (drawn >= made.beacon.threshold)


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_half_widths_and_answers_hold_as_often_as_stated(delta):
    """Noise of a release; a half-width of two thirds would be found at this level."""
    variants, runs = 20, 1000
    made = prepared_sample(
        StudySize(1000, 2000, variants), delta=delta, targets={"gamma": 4.0}, false_yes=0.1
    )
    exact = np.array([0, made.beacon.seen] * (variants // 2), dtype=np.int64)
    drawn = rehearse_noise(SimulatedNumbers(made.mechanism, made.part, exact), runs)
    off = np.abs(drawn - exact)
    outside = int((off > made.half_width_95).sum())
    assert bdtr(outside - 1, off.size, 0.05) <= 1 - FALSE_ALARM
    two_thirds = int((off > made.half_width_95 * 2 / 3).sum())
    assert bdtr(two_thirds - 1, off.size, 0.05) > 1 - FALSE_ALARM
    worst = int((off.max(axis=1) > made.half_width_95_all).sum())
    assert bdtr(worst - 1, runs, 0.05) <= 1 - FALSE_ALARM
    yes = drawn >= made.beacon.threshold
    half = runs * variants // 2
    assert bdtr(int(yes[:, ::2].sum()) - 1, half, 0.1) <= 1 - FALSE_ALARM
    assert bdtr(int((~yes[:, 1::2]).sum()) - 1, half, 0.05) <= 1 - FALSE_ALARM


@given(
    st.integers(1, 10**6),
    st.integers(1, 10**6),
    st.floats(0.01, 1e4),
    st.fractions(Fraction(1, 1000), Fraction(1, 2)),
    st.booleans(),
)
def test_what_an_attacker_reaches_is_no_less_than_the_theory_at_any_frequency(
    variants, people, scale, frequency, laplace
):
    answer = compare_with_exact(
        variants, people, (DiscreteLaplace if laplace else DiscreteGaussian)(scale)
    )
    at_half = [brute.evidence(variants, people, noise, Fraction(1, 2)) for noise in (0, scale)]
    for theory, squared in zip((answer.exact, answer.noisy), at_half, strict=True):
        assert math.isclose(theory.deviation, math.sqrt(squared), rel_tol=1e-12)
        assert Fraction(theory.deviation) ** 2 >= squared
        assert math.isclose(theory.power, float(ndtr(math.sqrt(squared) - 1.6448536269514722)))
    assert brute.evidence(variants, people, scale, frequency) <= at_half[1]
    assert answer.noisy.deviation < answer.exact.deviation
    assert answer.noisy.belief <= answer.exact.belief
    assert 0 <= answer.as_of_people_rare <= answer.as_of_people <= people


def test_the_theory_of_noise_is_what_an_attack_on_made_up_pools_reaches():
    """Members recognised by their likelihood ratio at a frequency of ½, noise of a normal law."""
    rng, variants, people, scale, runs = np.random.default_rng(5), 400, 60, 25.0, 4000
    theory = compare_with_exact(variants, people, DiscreteGaussian(scale)).noisy
    own = rng.binomial(2, 0.5, (runs, variants))
    others = rng.binomial(2 * people - 2, 0.5, (runs, variants))
    stranger = rng.binomial(2, 0.5, (runs, variants))
    noisy = own + others + rng.normal(0.0, scale, (runs, variants))
    off = noisy - people  # the expected copies
    member, outside = ((each - 1) * off for each in (own, stranger))
    line = np.quantile(outside.sum(axis=1), 0.95)
    power = float((member.sum(axis=1) > line).mean())
    assert abs(power - theory.power) < 0.03
    assert power < compare_with_exact(variants, people, DiscreteGaussian(scale)).exact.power - 0.3


PEOPLE, VARIANTS = 40, 9
GROUPS = ["case", "control"] * (PEOPLE // 2) + ["unknown"]


@pytest.mark.parametrize(
    ("adjacency", "of", "delta"), [("genotype", "everybody", 1e-6), ("swap", "both", None)]
)
def test_files_of_neighbours_differ_in_noisy_values_only(tmp_path, adjacency, of, delta):
    calls = np.random.default_rng(4).binomial(2, 0.4, (VARIANTS, PEOPLE + 1))
    calls[0] = 0  # monomorphic in one of them
    other = calls.copy()
    if adjacency == "genotype":
        other[:, 6] = 2 - other[:, 6]
    else:
        other[:, [6, 7]] = other[:, [7, 6]]
    outs = []
    for index, genotypes in enumerate((calls, other)):
        (tmp_path / f"in{index}").mkdir()
        prefix = plink_files(tmp_path / f"in{index}", genotypes.tolist(), GROUPS)
        outs.append(tmp_path / f"out{index}")
        gwas.frequencies(
            prefix, outs[-1], variants=["rs0", "rs4", "rs8"], gamma=2.0, delta=delta, of=of,
            adjacency=adjacency, beacon=0.05,
        )  # fmt: skip
    stated, cells, kept, pages = zip(*map(looked_at, outs), strict=True)
    assert stated[0] == stated[1]
    assert cells[0] == cells[1]
    assert kept[0] == kept[1]
    assert pages[0] == pages[1]


NOISY = ("noisy_count", "count", "frequency", "frequency_low", "frequency_high", "present")


def looked_at(out):
    """Certificate, public cells, footer and words of the page, without what noise decides."""
    certificate = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert certificate.pop("files")
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        cells = [{k: v for k, v in row.items() if k not in NOISY} for row in csv.DictReader(file)]
    about = pq.read_metadata(out / "results.parquet")
    page = (out / "report.html").read_text(encoding="utf-8")
    page = re.sub(r"<svg.*?</svg>", "<svg>", page, flags=re.DOTALL)
    page = re.sub(r"rs\d+|[−-]?[\d.,]+|>(yes|no)<", "#", page)
    return certificate, cells, (about.schema.to_arrow_schema(), about.metadata), page
