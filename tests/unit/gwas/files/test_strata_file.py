import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import count_study, individuals
from tests.cases.genotype_files import phenotype_file, plink_files, vcf_file, vcf_line
from tests.cases.refusals import refuses
from tests.oracles import strata as brute

CALLS = [[2, 1, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 0, 1], [0, 0, 0, 0, 0, 0, 0]]
GROUPS = ["case", "control", "case", "control", "unknown", "case", "control"]
WHERE = ["x", "x", "y", "y", "y", "z", "x"]


@pytest.fixture
def study(tmp_path):
    return plink_files(tmp_path, CALLS, GROUPS)


@pytest.fixture
def strata(tmp_path):
    """A file of such lines."""

    def written(*lines):
        path = tmp_path / "strata.txt"
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return written


def lines_of(words, form="f{i} i{i} {word}"):
    return [form.format(i=i, word=word) for i, word in enumerate(words)]


def counts(calls, who):
    return tuple(sum(calls[i] == copies for i in who) for copies in range(3))


def expected(calls):
    people = [(word, group) for word, group in zip(WHERE, GROUPS, strict=True)]
    of = {
        (word, group): [i for i, each in enumerate(people) if each == (word, group)]
        for word, group in people
    }
    tables = [[counts(calls, of.get((w, g), [])) for g in ("case", "control")] for w in "xyz"]
    return brute.sums(tables)


@pytest.mark.parametrize("form", ["f{i} i{i} {word}", "f{i}\ti{i}\t{word}"])
@pytest.mark.parametrize("header", [[], ["FID IID place"], ["#FID IID CLUSTER"]])
def test_sums_over_strata(study, strata, form, header):
    path = strata(*header, *reversed(lines_of(WHERE, form)), "f9 i9 nobody")
    sums = count_study(study, strata=path).strata
    assert sums.sizes == ((1, 2), (1, 1))  # z has no control; somebody of y is unknown
    for index, calls in enumerate(CALLS):
        difference, variance = expected(calls)
        assert sums.difference[index] == pytest.approx(float(difference))
        assert sums.variance[index] == pytest.approx(float(variance))


def test_a_header_with_individuals_alone_and_a_vcf(tmp_path, study, strata):
    path = strata("#IID place", *lines_of(WHERE, "i{i} {word}"))
    expected = count_study(study, strata=path).strata
    full = strata(*lines_of(WHERE))
    assert count_study(study, strata=full).strata == expected
    pheno = phenotype_file(tmp_path, GROUPS)
    lines = [vcf_line(index, calls) for index, calls in enumerate(CALLS)]
    vcf = vcf_file(tmp_path, lines, individuals=len(GROUPS))
    for given in (path, full):
        assert count_study(vcf, phenotype=pheno, strata=given).strata == expected


def test_missing_calls_are_left_out_or_read_as_none(tmp_path, strata):
    calls = [[2, 1, 0, None, 1, 1, 2]]
    study, path = plink_files(tmp_path, calls, GROUPS), strata(*lines_of(WHERE))
    filled = count_study(study, missing="major", strata=path).strata
    with_none = count_study(plink_files(tmp_path, CALLS[:1], GROUPS), strata=path).strata
    assert filled == with_none
    study = plink_files(tmp_path, calls, GROUPS)
    left = count_study(study, missing="leave", strata=path).strata
    difference, variance = brute.sums([((0, 0, 1), (0, 1, 1))])  # y has no control with a call
    assert left.difference.tolist() == pytest.approx([float(difference)])
    assert left.variance.tolist() == pytest.approx([float(variance)])
    with refuses(DataError, "variant-missing-ones"):
        count_study(study, strata=path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (lines_of(WHERE[:-1]), "stratum-for-every-case"),
        (lines_of([*WHERE[:-1], "NA"]), "stratum-for-every-case"),
        ([*lines_of(WHERE), "f0 i0 y"], "every-individual-once-somebody-twice"),
        (["FID IID place sex", *lines_of(WHERE)], "columns-family-individual-stratum: 3"),
        (lines_of([*WHERE[:-1], "two words"]), "columns-family-individual-stratum: 3"),
        (["IID place", *lines_of(WHERE)], "columns-family-individual-stratum: 2"),
        ([], "columns-family-individual-stratum: 3"),
        (["FID IID place"], "columns-family-individual-stratum: 3"),
    ],
)
def test_a_file_that_leaves_somebody_open_is_refused(study, strata, lines, message):
    with refuses(DataError, message):
        count_study(study, strata=strata(*lines))


def test_strata_without_both_are_refused_and_a_missing_file(study, strata, tmp_path):
    with refuses(InvalidArgument, "stratum-with-cases-and-controls"):
        count_study(study, strata=strata(*lines_of("abcdefg")))
    with refuses(InvalidArgument, "file-of-strata"):
        count_study(study, strata=tmp_path / "none")


def test_a_table_of_counts_has_no_people(tmp_path, strata):
    table = tmp_path / "counts.tsv"
    names = ["variant", *(f"{group}_{k}" for group in ("cases", "controls") for k in range(3))]
    table.write_text("\t".join(names) + "\nrs1\t1\t1\t1\t1\t1\t1\n")
    with refuses(InvalidArgument, "genotypes-person-by-person"):
        count_study(table, strata=strata(*lines_of(WHERE)))


def test_somebody_without_a_status_needs_no_stratum(study, strata):
    words = lines_of(WHERE)
    assert count_study(study, strata=strata(*words[:4], *words[5:])).strata == (
        count_study(study, strata=strata(*words)).strata
    )


def test_blocks_and_names_of_strata_change_nothing(tmp_path, strata, monkeypatch):
    rng = np.random.default_rng(3)
    groups = [("case", "control")[i % 2] for i in range(60)]
    study = plink_files(tmp_path, rng.integers(0, 3, (40, 60)).tolist(), groups)
    words = [f"s{i}" for i in rng.integers(0, 4, 60)]
    once = count_study(study, strata=strata(*lines_of(words))).strata
    monkeypatch.setattr(individuals, "BLOCK_CELLS", 60 * 7)
    renamed = [word.replace("s", "\u202e<b>=") for word in words]
    again = count_study(study, strata=strata(*lines_of(renamed))).strata
    assert again.sizes == once.sizes
    assert again.difference == pytest.approx(once.difference)


def test_a_scan_wants_both_or_neither(study, strata):
    path = strata(*lines_of(WHERE))
    for words in ({"statistic": "cmh"}, {"strata": path}, {"statistic": "trend", "strata": path}):
        with refuses(InvalidArgument, "statistic-cmh-and-file"):
            gwas.scan(study, **words)
    scan = gwas.scan(study, statistic="cmh", strata=path)
    assert np.isnan(scan.columns.statistic[2])
    assert scan.lambda_gc > 0
