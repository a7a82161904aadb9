import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import ScanColumns, count_study, genotypes, vcf, write_scan
from deniable.gwas.genotypes import MissingRule
from tests.cases.genotype_files import (
    CALLS,
    CASES,
    CONTROLS,
    GROUPS,
    phenotype_file,
    plink_files,
    vcf_file,
    vcf_line,
)
from tests.cases.refusals import refuses

needs_cyvcf2 = pytest.mark.skipif(vcf.cyvcf2 is None, reason="cyvcf2 is an extra")
DOSAGES = [[-1 if call is None else call for call in row] for row in CALLS]


@pytest.fixture
def prefix(tmp_path):
    return plink_files(tmp_path)


def as_vcf(folder):
    return vcf_file(folder, [vcf_line(*each) for each in enumerate(CALLS)])


@pytest.mark.parametrize("spelled", [str, lambda prefix: prefix.with_suffix(".bed")])
def test_plink_files_are_counted(prefix, spelled):
    study = count_study(spelled(prefix), missing="leave")
    assert study.counts.cases.tolist() == CASES
    assert study.counts.controls.tolist() == CONTROLS
    assert (study.individuals, study.cases, study.controls) == (5, 2, 2)
    assert (study.missing_calls, study.rule) == (2, MissingRule.LEAVE)


@needs_cyvcf2
def test_a_vcf_is_counted_as_plink_files_are(prefix, tmp_path):
    ours = count_study(as_vcf(tmp_path), phenotype=phenotype_file(tmp_path), missing="leave")
    theirs = count_study(prefix, missing="leave")
    assert ours.counts == theirs.counts
    assert (ours.individuals, ours.missing_calls) == (theirs.individuals, theirs.missing_calls)
    assert ours.variants.allele_1.tolist() == theirs.variants.allele_1.tolist()


def test_counts_come_from_a_table(prefix, tmp_path):
    study = count_study(prefix, missing="leave")
    write_scan(tmp_path / "counts.tsv", study, ScanColumns(*[np.zeros(3)] * 4))
    again = count_study(tmp_path / "counts.tsv", missing="leave")
    assert (again.counts, again.variants) == (study.counts, study.variants)
    assert again.individuals == 4  # whoever has no known phenotype is not in a table


def test_missing_calls_are_refused_by_default(prefix):
    with refuses(DataError, "missing-ones-study-fill"):
        count_study(prefix)


def test_missing_calls_are_filled_with_allele_2(prefix):
    study = count_study(prefix, missing="major")
    assert study.counts.cases.tolist() == [*CASES[:2], [1, 1, 0, 0]]
    assert study.counts.controls.tolist() == [[1, 1, 0, 0], *CONTROLS[1:]]
    assert (study.counts.missing_calls, study.missing_calls) == (0, 2)
    assert study.rule is MissingRule.MAJOR


def test_a_whole_study_is_not_refused(tmp_path):
    study = count_study(plink_files(tmp_path, [[0, 1, 2, 0, 1]]))
    assert (study.missing_calls, study.rule) == (0, MissingRule.REFUSE)


def test_calls_missing_in_people_of_unknown_phenotype_do_not_matter(tmp_path):
    study = count_study(plink_files(tmp_path, [[0, 1, 2, 0, None]]))
    assert study.missing_calls == 0


def test_progress_is_told(prefix):
    fractions = []
    count_study(prefix, missing="leave", progress=fractions.append)
    assert fractions[-1] == 1


def test_genotypes_person_by_person(prefix, tmp_path):
    study = genotypes(prefix)
    assert np.concatenate(list(study.blocks(2))).tolist() == DOSAGES
    assert np.concatenate(list(study.blocks(2))).tolist() == DOSAGES  # from the start again
    assert study.individuals.cases.tolist() == [group == "case" for group in GROUPS]
    everybody = ["case", "control", "control", "control", "case"]
    other = genotypes(prefix, phenotype=phenotype_file(tmp_path, everybody))
    assert other.individuals.cases.tolist() == [True, False, False, False, True]


@needs_cyvcf2
def test_genotypes_of_a_vcf(tmp_path):
    study = genotypes(as_vcf(tmp_path), phenotype=phenotype_file(tmp_path))
    assert np.concatenate(list(study.blocks(2))).tolist() == DOSAGES
    assert len(study.variants) == 3


def test_a_table_has_no_genotypes(tmp_path):
    with refuses(InvalidArgument, "table-of-counts-x-tsv"):
        genotypes(tmp_path / "x.tsv")


def test_a_table_has_its_phenotypes(tmp_path):
    with refuses(InvalidArgument, "no-phenotype-file-with-table"):
        count_study(tmp_path / "x.tsv", phenotype=phenotype_file(tmp_path))


@pytest.mark.parametrize("name", ["none", "none.tsv", "none.vcf"])
def test_a_missing_file(tmp_path, name):
    if name.endswith("vcf") and vcf.cyvcf2 is None:
        pytest.skip("cyvcf2 is an extra")
    with refuses(InvalidArgument, "file-none-none"):
        count_study(tmp_path / name, phenotype=None)


@pytest.mark.parametrize("first", [False, True], ids=["all parts", "a later part"])
@pytest.mark.parametrize("end", [".vcf.gz", ".bgen"])
def test_a_prefix_of_another_format_is_answered_with_the_file_that_is_there(prefix, end, first):
    for part in "12" if not first else "2":
        prefix.with_name(f"st.chr{part}{end}").touch()
    for suffix in ("bed", "bim", "fam") if first else ():
        prefix.with_suffix(f".{suffix}").rename(prefix.with_name(f"st.chr1.{suffix}"))
    with refuses(InvalidArgument, f"file-of-another-format: {end}"):
        count_study(prefix.with_name("st.chr{chr}"))


def test_an_unknown_rule(prefix):
    with refuses(InvalidArgument, "not-one-of: _ | refuse, major, panel, leave"):
        count_study(prefix, missing="mean")
