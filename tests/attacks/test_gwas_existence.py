"""Whether there is a release, and what its certificate says, depends on nobody's genotype.

A neighbour replaces one participant's whole genotype by what an adversary would choose. Where a
release exists for one of two neighbours only, its existence tells, and the certificate says so.
"""

import datetime
from pathlib import Path

import attrs
import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError
from deniable.gwas.files import vcf
from deniable.gwas.genotypes import MissingRule
from deniable.gwas.publication.statements import assumptions, not_covered
from deniable.gwas.scores.adjacency import StudyAdjacency
from tests.cases.effort import THOROUGH, one_in
from tests.cases.genotype_files import phenotype_file, plink_files, vcf_file, vcf_line
from tests.cases.refusals import refuses

VARIANTS = 6
GROUPS = ("case", "control", "case", "control", "case", "control", "control")
COMPLETE = {
    "nobody carries anything": [0] * VARIANTS,
    "everything twice": [2] * VARIANTS,
    "everything once": [1] * VARIANTS,
    "by turns": [2, 0] * (VARIANTS // 2),
}
HOLES = {
    "no call at all": [None] * VARIANTS,
    "one call missing": [None] + [0] * (VARIANTS - 1),
    "one call present": [None] * (VARIANTS - 1) + [2],
}
OTHERS = {
    "nobody carries anything": np.zeros((VARIANTS, len(GROUPS)), int),
    "everybody carries everything": np.full((VARIANTS, len(GROUPS)), 2),
    "cases and controls differ wholly": np.array(
        [[2 * (group == "case") for group in GROUPS]] * VARIANTS
    ),
    "as chance has it": np.random.default_rng(1).binomial(2, 0.4, (VARIANTS, len(GROUPS))),
}
OPTIONS = {
    "distance": {"score": "distance"},
    "a threshold that no table reaches": {"score": "distance", "threshold": 1e-300},
    "allelic": {"score": "allelic", "publish_statistics": True},
    "genotypic": {"score": "genotypic"},
    "all variants": {"score": "allelic", "top": VARIANTS, "publish_statistics": True},
}


def certificate(folder: Path, others, who, genotype, **options):
    """What the certificate of that study says, or the kind of error."""
    folder.mkdir()
    calls = [list(map(int, row)) for row in others]
    for row, call in zip(calls, genotype, strict=True):
        row[who] = call
    try:
        answer = gwas.release(
            plink_files(folder, calls, GROUPS),
            folder / "out",
            **({"top": 2, "epsilon": 1.0} | options),
        )
    except DataError as error:
        return type(error)
    # Digests of files follow the noise that they hold.
    return attrs.evolve(answer.certificate, created=datetime.date.min.isoformat(), files={})


EITHER = [
    (others, options)
    for place, others in enumerate(OTHERS)
    for number, options in enumerate(OPTIONS)
    if THOROUGH or others == "as chance has it" or number % len(OTHERS) == place
]
"""Other participants and options, each of both at least once."""


@pytest.mark.parametrize(("others", "options"), EITHER)
def test_neighbours_with_all_calls_are_both_released_alike(tmp_path, others, options):
    """Every genotype where most can tell two apart; of other studies each with another pair."""
    genotypes = list(COMPLETE.values())
    if others != "as chance has it":
        start = list(OPTIONS).index(options) + list(OTHERS).index(others)
        genotypes = [genotypes[(start + each) % len(genotypes)] for each in (0, 1)]
    outcomes = [
        certificate(tmp_path / str(i), OTHERS[others], i % 2, genotype, **OPTIONS[options])
        for i, genotype in enumerate(genotypes)
    ]
    assert DataError not in outcomes
    assert all(each == outcomes[0] for each in outcomes)


@pytest.mark.parametrize("others", OTHERS)
def test_with_a_rule_for_missing_calls_there_is_a_release_whatever_is_missing(tmp_path, others):
    whole = one_in(2, [*COMPLETE.values()], [*OTHERS].index(others))
    outcomes = [
        certificate(tmp_path / str(i), OTHERS[others], 0, genotype, missing="major")
        for i, genotype in enumerate([*whole, *HOLES.values()])
    ]
    assert DataError not in outcomes
    assert all(each == outcomes[0] for each in outcomes)


@pytest.mark.parametrize("hole", HOLES)
def test_where_existence_tells_of_missing_calls_the_certificate_says_so(tmp_path, hole):
    others = OTHERS["as chance has it"]
    full, lacking = (
        certificate(tmp_path / name, others, 0, genotype)
        for name, genotype in (("whole", COMPLETE["by turns"]), ("lacking", HOLES[hole]))
    )
    assert lacking is DataError
    filled = certificate(tmp_path / "filled", others, 0, HOLES[hole], missing="major")
    (sentence,) = set(full.not_covered) - set(filled.not_covered)
    assert sentence.split(":")[0] == "Missing calls"
    (vouched,) = set(full.assumptions) - set(filled.assumptions)
    assert "The owner vouches that this is public." in vouched


@pytest.mark.parametrize("rule", [MissingRule.REFUSE, MissingRule.MAJOR])
def test_each_rule_and_adjacency_has_its_own_words(rule):
    """Under swaps genotypes are known with their holes; existence then tells nothing."""
    genotype, swap = StudyAdjacency
    topics = [
        {sentence.split(":")[0] for sentence in not_covered(near, rule)}
        for near in (genotype, swap)
    ]
    assert ["Missing calls" in each for each in topics] == [True, False]
    assert len(set(assumptions(genotype, rule)) - set(assumptions(swap, rule))) >= 1


@pytest.mark.skipif(vcf.cyvcf2 is None, reason="cyvcf2 is an extra")
@pytest.mark.parametrize("missing", ["refuse", "major"])
@pytest.mark.parametrize("call", ["0/2", "1", "0/1/1", "0/./1", "7/7"])
def test_a_call_that_its_line_cannot_mean_is_no_missing_one(tmp_path, call, missing):
    # A file that says such a thing is damaged or of another kind: decision 9.
    calls = [(0, 1, 2, 0, 1)] * 3
    lines = [vcf_line(index, each) for index, each in enumerate(calls)]
    start = lines[1].rpartition("\t")[0]
    lines[1] = f"{start}\t{call}\n"
    path = vcf_file(tmp_path, lines)
    with refuses(DataError, "two-alleles-in-every-call") as raised:
        gwas.release(
            path,
            tmp_path / "out",
            top=1,
            epsilon=1.0,
            missing=missing,
            phenotype=phenotype_file(tmp_path, ("case", "control", "case", "control", "case")),
        )
    message = str(raised.value).replace(str(path), "")
    assert "1:101" in message
    # Neither who it is, nor the call.
    assert "i4" not in message
    assert call not in message.replace("1:101", "")
    assert not (tmp_path / "out").exists()
