import gzip

import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument, validate
from deniable.gwas.files import ScanColumns, read_counts, write_scan
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from tests.cases.refusals import refuses

COLUMNS = ["chromosome", "variant", "position", "allele_1", "allele_2"]
COLUMNS += [
    f"{group}_{copies}" for group in ("cases", "controls") for copies in (*"012", "missing")
]
COLUMNS += ["allele_frequency", "hwe_p_value", "statistic", "p_value"]
HEADER = "variant\tcases_0\tcases_1\tcases_2\tcontrols_0\tcontrols_1\tcontrols_2\n"
ROW = "rs1\t2\t5\t3\t6\t3\t1\n"
STUDY = CountedStudy(
    Variants(["1", "X"], ["rs1", "."], [10, 20], ["A", "C"], ["G", "TTA"]),
    GenotypeCounts([[3, 2, 1, 0], [2, 2, 1, 1]], [[1, 1, 1, 1], [4, 0, 0, 0]]),
    individuals=10,
    cases=6,
    controls=4,
    missing_calls=2,
    rule=MissingRule.LEAVE,
)
SCANNED = ScanColumns(
    np.array([0.1, np.nan]), np.array([1.0, 1 / 3]), np.array([7.25, np.nan]), np.array([2e-308, 0])
)


@pytest.fixture
def tsv(tmp_path):
    def of(text, name="counts.tsv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
        return path

    return of


def test_what_a_scan_writes_is_read_again(tmp_path):
    write_scan(tmp_path / "scan.tsv", STUDY, SCANNED)
    assert read_counts(tmp_path / "scan.tsv") == STUDY


def test_the_columns_of_a_scan(tmp_path):
    write_scan(tmp_path / "scan.tsv", STUDY, SCANNED)
    header, first, second = (tmp_path / "scan.tsv").read_text().splitlines()
    assert header.split("\t") == COLUMNS
    assert first == "1\trs1\t10\tA\tG\t3\t2\t1\t0\t1\t1\t1\t1\t0.1\t1\t7.25\t2e-308"
    assert second == "X\t.\t20\tC\tTTA\t2\t2\t1\t1\t4\t0\t0\t0\t\t0.3333333333333333\t\t0"
    assert [path.name for path in tmp_path.iterdir()] == ["scan.tsv"]


def test_scores_are_whole_numbers(tmp_path):
    scores = ScanColumns(*[np.full(2, np.nan)] * 2, np.array([-3, 14]), np.full(2, np.nan))
    write_scan(tmp_path / "scan.tsv", STUDY, scores)
    lines = (tmp_path / "scan.tsv").read_text().splitlines()
    assert [line.split("\t")[-2:] for line in lines[1:]] == [["-3", ""], ["14", ""]]


def test_blocks_of_rows_follow_each_other(tmp_path):
    """More variants than are written at once, each with a name and counts of its own."""
    number = 2**16 + 3
    names = [f"rs{index}" for index in range(number)]
    none = np.arange(number)
    counts = np.stack([none, number - none, 0 * none, 0 * none], axis=1)
    study = CountedStudy(
        Variants(["1"] * number, names, np.arange(number), ["A"] * number, ["G"] * number),
        GenotypeCounts(counts, counts),
        individuals=2 * number,
        cases=number,
        controls=number,
        missing_calls=0,
        rule=MissingRule.LEAVE,
    )
    write_scan(tmp_path / "scan.tsv", study, ScanColumns(*[np.full(number, 0.5)] * 4))
    lines = (tmp_path / "scan.tsv").read_text().splitlines()
    assert [line.split("\t")[1] for line in lines[1:]] == names
    assert [int(line.split("\t")[5]) for line in lines[1:]] == none.tolist()


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "scan.tsv"
    quoted = CountedStudy(
        Variants(["1"], ['rs"1'], [10], ["A"], ["G"]),
        GenotypeCounts([[6, 0, 0, 0]], [[4, 0, 0, 0]]),
        *(10, 6, 4, 0, MissingRule.LEAVE),
    )
    nothing = ScanColumns(*[np.zeros(1)] * 4)
    with refuses(DataError, "without-quotation-marks"):
        write_scan(path, quoted, nothing)
    assert not path.exists()
    write_scan(path, STUDY, SCANNED)
    assert read_counts(path) == STUDY
    with pytest.raises(FileExistsError):
        write_scan(path, STUDY, SCANNED)
    assert len(list(tmp_path.iterdir())) == 1


def test_the_place_of_a_file_is_checked_first(tmp_path):
    validate.new_file(tmp_path / "scan.tsv")
    for place in (tmp_path, tmp_path / "none" / "scan.tsv"):
        with refuses(InvalidArgument, "file-in-existing-folder"):
            validate.new_file(place)


@pytest.mark.parametrize("name", ["counts.tsv", "counts.tsv.gz"])
def test_a_table_with_the_least_columns(tsv, name):
    study = read_counts(tsv(HEADER + ROW, name))
    assert study.counts == GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])
    assert (study.individuals, study.cases, study.controls, study.missing_calls) == (20, 10, 10, 0)
    assert study.variants == Variants(["0"], ["rs1"], [0], ["0"], ["0"])


def test_other_columns_and_another_order(tsv):
    text = "".join(
        "\t".join([*line.split("\t")[::-1], extra]) + "\n"
        for line, extra in ((HEADER.strip(), "note"), (ROW.strip(), "hello"))
    )
    assert read_counts(tsv(text)).counts == GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])


def test_missing_calls_make_rows_add_up(tsv):
    header = HEADER.strip() + "\tcases_missing\n"
    study = read_counts(tsv(header + "rs1\t2\t5\t3\t6\t3\t1\t0\nrs2\t2\t5\t1\t6\t3\t1\t2\n"))
    assert (study.cases, study.missing_calls) == (10, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'column-of-counts: "variant"'),
        (HEADER.replace("cases_2", "cases_3") + ROW, 'column-of-counts: "cases_2"'),
        (HEADER, "variant-in-counts"),
        (HEADER.replace("cases_0", "no\rte\tcases_0") + ROW, "whole-numbers-of-counts"),
        (HEADER.strip() + "\tvariant\n" + ROW.strip() + "\tx\n", "column-of-counts-twice"),
        (HEADER + ROW.replace("5", "5.5"), "whole-numbers-of-counts"),
        (HEADER + ROW.replace("5", ""), "whole-numbers-of-counts"),
        (HEADER + "rs1\t2\n", "whole-numbers-of-counts"),
        (HEADER + ROW.replace("5", "-5"), "counts-between: 0 | 10,000,000"),
        (HEADER + ROW.replace("5", "10000001"), "counts-between: 0 | 10,000,000"),
        (HEADER + ROW.replace("5", "9" * 20), "whole-numbers-of-counts"),
        (HEADER + ROW + ROW.replace("5", "6"), "as-many-at-every-variant: cases"),
        (HEADER + ROW + ROW.replace("6", "7"), "as-many-at-every-variant: controls"),
        (HEADER + "rs1\t0\t0\t0\t6\t3\t1\n", "none-in-counts: cases"),
        (HEADER + "rs1\t6\t3\t1\t0\t0\t0\n", "none-in-counts: controls"),
    ],
)
def test_a_table_that_is_none(tsv, text, message):
    with refuses(DataError, message):
        read_counts(tsv(text))


def test_a_last_line_that_may_be_cut_off_is_refused(tsv):
    whole = HEADER + ROW
    for end in range(len(HEADER) + 1, len(whole.rstrip("\n")) + 1):
        with pytest.raises(DataError):
            read_counts(tsv(whole[:end]))
    with refuses(DataError, "line-break-behind-last"):
        read_counts(tsv(whole.rstrip("\n")))
