"""Families as the unit of a study's release: files, certificates, and beliefs by enumeration."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable import Ledger, check, gwas, ledger
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.allele_frequencies.request import FrequencyRequest, prepare_frequencies
from deniable.gwas.certificates import StudySize
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.public_filters import FAM, Families
from deniable.gwas.scores import Score, StudyAdjacency, scores
from deniable.ledger.units import amount
from tests.cases.effort import usual
from tests.cases.genotype_files import phenotype_file, plink_files, vcf_file, vcf_line
from tests.cases.refusals import refuses
from tests.cases.sample_study import prepared

GROUPS = ["case", "control", "case", "control", "case", "control"]
CALLS = [[2, 1, 0, 2, 1, 0], [0, 0, 1, 0, 0, 2], [1, 1, 1, 0, 2, 2]]
PAIRS = ["A", "A", "B", "B", "0", "0"]
LIMIT = {"max_posterior": 0.5, "prior": (0.01, 0.1)}


def study(folder, families=PAIRS, calls=CALLS):
    """A study of six people with these families in the first column of its .fam file."""
    path = plink_files(folder, calls, GROUPS)
    lines = path.with_suffix(".fam").read_text().splitlines()
    rows = [[family, *line.split()[1:]] for family, line in zip(families, lines, strict=True)]
    path.with_suffix(".fam").write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


# --- Beliefs, by enumeration of all studies of a small universe.


def noise(scale, k):
    """Weight of discrete Laplace noise, not scaled to sum to one."""
    return math.exp(-abs(k) / scale)


def test_no_belief_in_a_person_whose_relatives_come_along_passes_the_limit():
    """All priors on a grid over which families are in, given how many of each size are."""
    target = {"targets": {"max_posterior": 0.5}, "prior": (0.0, 0.2), "missing": "major"}
    asked = {"of": "everybody", "listed": "file", "delta": None, "false_yes": None, **target}
    size = StudySize(cases=2, controls=1, variants=1)
    plain, kept = (
        prepare_frequencies(
            FrequencyRequest(**asked, adjacency="genotype", families=families), size
        )
        for families in (None, Families(2))
    )
    pairs = [4, 0, 0, 2, 0, 0]  # copies of the allele that each family of two has
    alone = [2, 0, 1]
    most = {}
    for name, scale in (("plain", plain.mechanism.scale), ("kept", kept.mechanism.scale)):
        worst = 0.0
        for p, q in itertools.product((0.05, 0.1, 0.2), (0.2, 0.5, 0.9)):
            odds = [p / (1 - p), *([q / (1 - q)] * 5)]
            prior = odds[0] / sum(odds)  # that the first family is the one of its size
            if prior > 0.2:
                continue
            singles = [0.3, 0.3, 0.4]
            for y in range(-40, 40):
                inside = [
                    w
                    * sum(s * noise(scale, y - c - d) for s, d in zip(singles, alone, strict=True))
                    for w, c in zip(odds, pairs, strict=True)
                ]
                worst = max(worst, inside[0] / sum(inside))
        most[name] = worst
    assert most["kept"] <= 0.5
    assert most["plain"] > 0.5  # a limit on one genome says less of a family


def test_the_limit_of_a_family_is_attained():
    """Two families of k with opposite genotypes at each variant are z^k apart: not one bit less."""
    for size in (2, 3, 5):
        made = prepared(families=Families(size), max_posterior=0.5, prior=(0.01, 0.1))
        family = made.calibration.epsilon
        one = made.selection.share.epsilon
        assert size * Fraction(one) <= Fraction(family)
        assert size * one == pytest.approx(family, rel=1e-12)
        assert family == pytest.approx(math.log(9), rel=1e-9)


def test_with_delta_a_family_of_k_has_k_squared_times_the_rho():
    request = {"of": "both", "listed": "file", "delta": 1e-6, "false_yes": None, "prior": None}
    request |= {"targets": {"gamma": 2.0}, "missing": "major", "adjacency": "genotype"}
    made = prepare_frequencies(
        FrequencyRequest(**request, families=Families(3)), StudySize(50, 50, 10)
    )
    assert 9 * Fraction(made.share.rho) <= Fraction(made.calibration.composition.rho)
    assert 9 * made.share.rho == pytest.approx(made.calibration.composition.rho, rel=1e-12)
    # Exactly: ten variants of which the family's three genomes turn every 0 into a 2.
    apart = 6 * math.sqrt(10)
    rho = apart**2 / (2 * made.mechanism.scale**2)
    assert rho <= made.calibration.composition.rho * (1 + 1e-9)
    assert rho == pytest.approx(made.calibration.composition.rho, rel=1e-6)


def test_a_public_number_of_people_alone_would_not_do():
    """Two families of three in, or three of two, six people both times: z⁶, where z³ is claimed."""
    scale = 2 / 0.1  # ε of one genome .1, which moves two copies
    ratio = max(noise(scale, y) / noise(scale, y - 12) for y in range(-5, 20))
    assert math.log(ratio) == pytest.approx(6 * 0.1)
    assert math.log(ratio) > 3 * 0.1


@pytest.mark.parametrize("score", ["distance", "allelic", "trend"])
def test_a_choice_of_variants_moves_by_no_more_than_the_family_allows(score):
    """All genotypes of a family of two replaced, at random: the law of the choice of one of two."""
    rng = np.random.default_rng(5)
    made = prepared(StudySize(6, 6, 2), families=Families(2), top=1, score=score, gamma=3.0)
    scale, worst = made.selection.mechanism.scale, 0.0
    for _ in range(usual(60, 150)):
        people = rng.choice([0, 2], size=(12, 2))
        other = people.copy()
        family = rng.choice(12, 2, replace=False)
        other[family] = rng.choice([0, 2], size=(2, 2))
        chances = [_first(each, score, scale) for each in (people, other)]
        for one, two in (chances, [1 - each for each in chances]):
            worst = max(worst, abs(math.log(one / two)))
    assert 0 < worst <= made.calibration.epsilon * (1 + 1e-9)


def _first(people, score, scale):
    """With which probability the first variant is chosen, of two, by noise of exponential law."""
    tables = [
        np.array([[np.sum(group[:, v] == g) for g in (0, 1, 2)] + [0] for v in (0, 1)])
        for group in (people[:6], people[6:])
    ]
    steps = scores(
        GenotypeCounts(*tables), score=Score(score), adjacency=StudyAdjacency.GENOTYPE
    ).steps
    ahead = int(steps[0]) - int(steps[1])
    less = math.exp(-abs(ahead) / scale) / 2
    return less if ahead < 0 else 1 - less


# --- Files of families.


@pytest.mark.parametrize(
    ("families", "size", "holds"),
    [
        (PAIRS, 2, True),
        (["A", "A", "A", "B", "B", "0"], 2, False),
        (["A", "A", "A", "B", "B", "0"], 3, True),
        (["0"] * 6, 2, True),  # PLINK's word for no family: each person is alone
        (["x"] * 6, 5, False),
        (["x"] * 6, 6, True),
        (["1", "2", "3", "4", "5", "6"], 2, True),
    ],
)
def test_a_larger_family_than_stated_is_refused_and_nothing_is_written(
    tmp_path, families, size, holds
):
    prefix, out = study(tmp_path, families), tmp_path / "out"
    asked = {"all_variants": True, "epsilon": 1e5, "family_size": size, "families": "fam"}
    if holds:
        answer = gwas.frequencies(prefix, out, **asked)
        assert answer.as_json()["families"]["source"] == FAM
        assert check(out).holds
        return
    with refuses(DataError, f"at-most-participants-of-one-family: {size}") as error:
        gwas.frequencies(prefix, out, **asked)
    assert not out.exists()
    assert "write 0" in str(error.value) or "larger one" in str(error.value)
    for family in set(families):
        assert f" {family} " not in str(error.value)


def test_families_are_counted_among_participants_only(tmp_path):
    prefix = study(tmp_path, ["A", "A", "A", "0", "0", "0"])
    names = [line.split()[:2] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    (tmp_path / "remove").write_text(f"{names[2][0]} {names[2][1]}\n")
    asked = {"all_variants": True, "epsilon": 1e5, "family_size": 2, "families": "fam"}
    filters = gwas.Filters(remove=tmp_path / "remove")
    assert gwas.frequencies(prefix, tmp_path / "out", **asked, filters=filters).rows
    with refuses(DataError, "at-most-participants-of-one-family: 2"):
        gwas.frequencies(prefix, tmp_path / "all", **asked)


@pytest.mark.parametrize("header", ["", "#IID GROUP\n", "FID IID GROUP\n"])
def test_a_list_of_families_says_who_belongs_together(tmp_path, header):
    prefix = study(tmp_path, ["0"] * 6)
    names = [line.split()[:2] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    listed = tmp_path / "families.txt"
    both = "#IID" not in header
    lines = [f"{name[0]} {name[1]} g\n" if both else f"{name[1]} g\n" for name in names[:3]]
    listed.write_text(header + "".join(lines))
    asked = {"all_variants": True, "epsilon": 1e5, "families": listed}
    with refuses(DataError, "at-most-participants-of-one-family: 2"):
        gwas.frequencies(prefix, tmp_path / "out", **asked, family_size=2)
    answer = gwas.frequencies(prefix, tmp_path / "out", **asked, family_size=3)
    assert answer.as_json()["families"]["source"] == "list"


def test_wrong_files_of_families_are_named(tmp_path):
    prefix = study(tmp_path)
    asked = {"all_variants": True, "epsilon": 1e5, "family_size": 2}
    wrong = tmp_path / "families.txt"
    for text, words in (
        ("x y g\n", "somebody-of-study-in-list"),
        ("x y\n", "columns-family-individual-family-group"),
        ("x y g\nx y h\n", "every-individual-once-somebody-twice"),
        ("", "columns-family-individual-family-group"),
    ):
        wrong.write_text(text)
        with refuses(DataError, words):
            gwas.frequencies(prefix, tmp_path / "out", **asked, families=wrong)
    with refuses((DataError, InvalidArgument), "list-of-families: nothing.txt"):
        gwas.frequencies(prefix, tmp_path / "out", **asked, families=tmp_path / "nothing.txt")
    assert not (tmp_path / "out").exists()


def test_a_file_without_families_or_people_takes_the_size_alone(tmp_path):
    table = tmp_path / "counts.tsv"
    names = "variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2"
    table.write_text("\t".join(names.split()) + "\nrs1\t5\t25\t70\t60\t30\t10\n")
    asked = {"all_variants": True, "epsilon": 1e5, "family_size": 2}
    with refuses(InvalidArgument, "counts-not-people-for"):
        gwas.frequencies(table, tmp_path / "out", **asked, families="fam")
    answer = gwas.frequencies(table, tmp_path / "out", **asked)
    assert answer.as_json()["families"]["source"] == "stated"
    assert "no file was compared" in " ".join(answer.certificate.assumptions)
    assert check(tmp_path / "out").holds
    people = vcf_file(tmp_path, [vcf_line(0, CALLS[0])])
    status = phenotype_file(tmp_path, GROUPS)
    with refuses(DataError, "file-without-families"):
        gwas.frequencies(people, tmp_path / "vcf", **asked, families="fam", phenotype=status)


def test_several_files_have_the_families_of_the_first(tmp_path):
    parts = []
    for number in (1, 2):
        (tmp_path / f"part{number}").mkdir()
        prefix = study(tmp_path / f"part{number}", ["A", "A", "A", "0", "0", "0"])
        bim = prefix.with_suffix(".bim")
        rows = [line.split() for line in bim.read_text().splitlines()]
        bim.write_text(
            "".join("\t".join([str(number), f"v{number}{r[1]}", *r[2:]]) + "\n" for r in rows)
        )
        parts.append(prefix)
    asked = {"all_variants": True, "epsilon": 1e5, "families": "fam"}
    with refuses(DataError, "at-most-participants-of-one-family: 2"):
        gwas.frequencies(parts, tmp_path / "out", **asked, family_size=2)
    answer = gwas.frequencies(parts, tmp_path / "out", **asked, family_size=3)
    assert answer.certificate.study.variants == 6


# --- What is refused.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"family_size": 1}, "below-least: family_size"),
        ({"family_size": 2.5}, "not-whole: family_size"),
        ({"family_size": None, "families": "fam"}, "state-how-many"),
        ({"adjacency": "swap"}, "families-of-different-sizes"),
        ({"gamma": None, "epsilon": 1.0, "delta": 1e-6}, "ask-for-gamma"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_read(tmp_path, changes, words):
    asked = {"all_variants": True, "gamma": 2.0, "family_size": 2, **changes}
    with refuses(InvalidArgument, words):
        gwas.frequencies(study(tmp_path), tmp_path / "out", **asked)
    assert not (tmp_path / "out").exists()


# --- Certificates, answers and ledgers.


def test_a_certificate_says_it_and_is_recomputed(tmp_path):
    prefix, out = study(tmp_path), tmp_path / "out"
    answer = gwas.release(prefix, out, top=1, **LIMIT, family_size=4, families="fam")
    certificate = answer.certificate
    assert check(out).holds
    first, last = certificate.derivation
    assert first.source.startswith("pure-dp:0.549")
    assert first.target.startswith("pure-dp:2.197")
    assert first.target.endswith("@households-4")
    assert last.target.endswith("@households-4")
    assert "one family of at most 4" in certificate.unit.sentence
    assert "Relatives beyond the stated size" in " ".join(certificate.not_covered)
    assert answer.as_json()["families"]["epsilon_of_person"] == pytest.approx(0.5493, abs=1e-4)
    assert "family of at most 4" in (out / "report.html").read_text()
    document = json.loads((out / "certificate.json").read_text())
    for value in ({"size": 2, "source": "fam"}, {"size": 5, "source": "fam"}, None):
        forged = {**document, "families": value} if value else dict(document)
        if value is None:
            del forged["families"]
        (out / "certificate.json").write_text(json.dumps(forged))
        assert not check(out).holds


def test_an_epsilon_stays_each_genomes(tmp_path):
    alone = gwas.release(study(tmp_path), tmp_path / "alone", top=1, epsilon=0.5)
    family = gwas.release(study(tmp_path), tmp_path / "all", top=1, epsilon=0.5, family_size=4)
    assert family.certificate.selection.part == alone.certificate.selection.part
    assert family.certificate.guarantee.epsilon == 2.0
    assert family.certificate.guarantee.gamma > alone.certificate.guarantee.gamma


def test_a_ledger_is_charged_what_one_genome_costs(tmp_path):
    book = tmp_path / "a.ledger"
    ledger.new(book, "cohort", unit="genotype", epsilon=1.0)
    asked = {"top": 1, **LIMIT, "family_size": 4, "publish_statistics": True}
    gwas.release(study(tmp_path), tmp_path / "out", **asked, ledger=book, dataset="cohort")
    [charge, _] = Ledger(book).entries("cohort")
    assert float(amount(charge.units)) == pytest.approx(math.log(9) / 4, abs=1e-9)
    assert amount(charge.units) <= Fraction(math.log(9) / 4)
    assert check(tmp_path / "out").holds
    assert ledger.check(book, [tmp_path / "out"]).holds


def test_noise_grows_with_the_family_and_the_owner_sees_it(tmp_path):
    prefix = study(tmp_path)
    asked = {"top": 1, "gamma": 2.0, "trials": 50}
    alone = gwas.utility(prefix, **asked)
    family = gwas.utility(prefix, **asked, family_size=3, families="fam")
    assert family.mechanism.scale == pytest.approx(3 * alone.mechanism.scale, rel=0.01)
    assert family.gamma == alone.gamma
