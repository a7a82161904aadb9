import json
import math
import statistics

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.association import chi_squared_threshold
from deniable.gwas.files import count_study
from deniable.gwas.scores import signed_distance
from tests.cases.genotype_files import CALLS, CASES, CONTROLS, phenotype_file, plink_files
from tests.cases.refusals import refuses
from tests.oracles import genotypes as brute

HEADER = "variant\tcases_0\tcases_1\tcases_2\tcontrols_0\tcontrols_1\tcontrols_2\n"


@pytest.fixture
def prefix(tmp_path):
    return plink_files(tmp_path)


@pytest.fixture
def counts(tmp_path):
    """A table of 20 cases and 20 controls."""

    def of(*rows):
        lines = ["\t".join(map(str, (f"rs{i}", *row))) + "\n" for i, row in enumerate(rows)]
        path = tmp_path / "counts.tsv"
        path.write_text(HEADER + "".join(lines))
        return path

    return of


FLAT, STEEP, SAME = (10, 5, 5, 10, 5, 5), (0, 5, 15, 15, 5, 0), (20, 0, 0, 20, 0, 0)
SLOPE = (8, 6, 6, 12, 4, 4)


def test_what_the_command_prints(prefix):
    printed = gwas.scan(prefix).as_json()
    keys = ["individuals", "cases", "controls", "variants", "missing_calls", "top", "not_autosomal"]
    assert list(printed) == [*keys, "multiallelic_left_out", "lambda_gc", "left_out"]
    assert [printed[name] for name in list(printed)[:5]] == [5, 2, 2, 3, 2]
    keys = ["variant", "chromosome", "position", "statistic", "p_value"]
    assert [list(row) for row in printed["top"]] == [keys] * 3
    assert json.loads(json.dumps(printed)) == printed


@pytest.mark.parametrize("kind", ["allelic", "genotypic", "trend"])
def test_missing_calls_are_left_out_of_chi_squared(prefix, kind):
    scan = gwas.scan(prefix, statistic=kind)
    expected = [
        getattr(brute, kind)(cases, controls)
        for cases, controls in zip(CASES, CONTROLS, strict=True)
    ]
    expected = [math.nan if value is None else float(value) for value in expected]
    assert scan.columns.statistic == pytest.approx(expected, nan_ok=True)
    assert scan.study.counts.cases.tolist() == CASES


def test_missing_calls_are_filled_on_demand(prefix):
    scan = gwas.scan(prefix, missing="major")
    assert scan.study.counts == count_study(prefix, missing="major").counts
    assert scan.as_json()["missing_calls"] == 2


def test_distance_needs_whole_rows(prefix):
    with refuses(DataError, "variant-missing-ones"):
        gwas.scan(prefix, statistic="distance")
    assert gwas.scan(prefix, statistic="distance", missing="major").columns.statistic.shape == (3,)


@pytest.mark.parametrize("threshold", ["bonferroni", 0.01])
def test_distances_to_the_threshold(counts, threshold):
    scan = gwas.scan(counts(FLAT, STEEP, SLOPE), statistic="distance", threshold=threshold)
    line = chi_squared_threshold(threshold, 3)
    given = scan.study.counts
    assert np.array_equal(
        scan.columns.statistic, signed_distance(given.cases, given.controls, line)
    )
    first = scan.as_json()["top"][0]
    assert (first["variant"], first["p_value"]) == ("rs1", None)
    assert isinstance(first["statistic"], int)
    assert first["statistic"] > 0


def test_no_table_reaches_the_threshold(tmp_path):
    table = tmp_path / "counts.tsv"
    table.write_text(HEADER + "rs0\t2\t0\t0\t0\t0\t2\n")
    scan = gwas.scan(table, statistic="distance", threshold=1e-9)
    assert scan.columns.statistic.tolist() == [-4]


def test_the_largest_come_first_and_equals_in_file_order(counts):
    table = counts(SLOPE, FLAT, STEEP, SAME, SLOPE, STEEP)
    top = gwas.scan(table).as_json()["top"]
    assert [row["variant"] for row in top] == ["rs2", "rs5", "rs0", "rs4", "rs1"]
    assert [row["variant"] for row in gwas.scan(table, top=1).as_json()["top"]] == ["rs2"]
    assert gwas.scan(table, top=0).as_json()["top"] == []
    top = gwas.scan(table, statistic="distance").as_json()["top"]
    assert [row["variant"] for row in top[:2]] == ["rs2", "rs5"]
    assert len(top) == 6


def test_a_genotype_that_does_not_occur_is_a_degree_less(counts):
    scan = gwas.scan(counts((10, 10, 0, 15, 5, 0), SLOPE), statistic="genotypic")
    two_genotypes, three = scan.columns.statistic
    expected = [math.erfc(math.sqrt(two_genotypes / 2)), math.exp(-three / 2)]
    assert scan.columns.p_value == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("kind", ["allelic", "trend"])
def test_lambda_is_the_median_over_the_variants_with_a_statistic(counts, kind):
    scan = gwas.scan(counts(FLAT, STEEP, SAME, SLOPE), statistic=kind)
    _, large, _, small = scan.columns.statistic
    assert scan.lambda_gc == pytest.approx(small / statistics.NormalDist().inv_cdf(0.75) ** 2)
    assert large > small > 0
    assert scan.as_json()["lambda_gc"] == scan.lambda_gc


def test_lambda_of_two_degrees_is_of_the_p_values(counts):
    scan = gwas.scan(counts(STEEP, SLOPE, FLAT), statistic="genotypic")
    middle = statistics.NormalDist().inv_cdf(scan.columns.p_value[1] / 2) ** 2
    assert scan.lambda_gc == pytest.approx(middle / statistics.NormalDist().inv_cdf(0.75) ** 2)


def test_lambda_of_a_distance_is_of_the_allelic_chi_squared(counts):
    table = counts(STEEP, SLOPE, FLAT)
    assert gwas.scan(table, statistic="distance").lambda_gc == gwas.scan(table).lambda_gc


@pytest.mark.parametrize("kind", ["allelic", "genotypic", "trend", "distance"])
def test_there_is_no_lambda_where_no_variant_varies(counts, kind):
    assert gwas.scan(counts(SAME, SAME), statistic=kind).lambda_gc is None


def test_the_file_of_all_variants(counts, tmp_path):
    scan = gwas.scan(counts(FLAT, STEEP, SAME), out=tmp_path / "scan.tsv")
    header, *lines = [line.split("\t") for line in (tmp_path / "scan.tsv").read_text().splitlines()]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    assert [row["variant"] for row in rows] == ["rs0", "rs1", "rs2"]
    assert [row["statistic"] for row in rows] == ["0", "45", ""]
    assert float(rows[1]["p_value"]) == scan.columns.p_value[1]
    assert rows[2]["p_value"] == ""
    assert float(rows[2]["hwe_p_value"]) == 1
    assert float(rows[1]["hwe_p_value"]) == pytest.approx(brute.hardy_weinberg((15, 5, 0)))
    assert float(rows[1]["allele_frequency"]) == 40 / 80


def test_a_scan_of_a_scan_is_the_same(prefix, tmp_path):
    once = gwas.scan(prefix, out=tmp_path / "scan.tsv")
    again = gwas.scan(tmp_path / "scan.tsv")
    assert again.study.counts == once.study.counts
    assert np.array_equal(again.columns.statistic, once.columns.statistic, equal_nan=True)


def test_a_phenotype_file_and_progress(tmp_path):
    prefix = plink_files(tmp_path, CALLS, ["unknown"] * 5)
    fractions = []
    scan = gwas.scan(prefix, phenotype=phenotype_file(tmp_path), progress=fractions.append)
    assert scan.study.counts.cases.tolist() == CASES
    assert fractions[-1] == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"statistic": "odds"},
            "not-one-of: _ | allelic, genotypic, trend, cmh, distance",
        ),
        ({"missing": "leave"}, "not-one-of: _ | refuse, major, panel | 'leave'"),
        ({"threshold": "fdr"}, "threshold-to-one-of-bonferroni"),
        ({"threshold": 0}, "not-between-0-and-1: threshold"),
        ({"top": -1}, "below-least: top | 0"),
        ({"top": 1.5}, "not-whole"),
        ({"out": "none/scan.tsv"}, "file-in-existing-folder"),
    ],
)
def test_wrong_arguments_are_found_before_anything_is_read(tmp_path, changes, message):
    with refuses(InvalidArgument, message):
        gwas.scan(tmp_path / "none", **changes)
