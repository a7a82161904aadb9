"""Tables as programs print them."""

import gzip

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.published import parse_numbers, text_table
from tests.cases.refusals import refuses


def written(folder, data):
    path = folder / "table.txt"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    "data",
    [
        " CHR   SNP    P \n   1   rs1  0.5 \n   1   rs2   NA \n",
        "chr\tsnp\tp\n1\trs1\t0.5\n1\trs2\tNA\n",
        "##meta\n#chr\tsnp\tp\r\n1\trs1\t0.5\r\n1\trs2\tNA\r\n",
        "\ufeffchr,snp,p\n1,rs1,0.5\n1,rs2,NA",
        'chr,"snp",p\n1,"rs1",0.5\n1,rs2,NA',
        "CHR SNP P\r1 rs1 0.5\r1 rs2 NA",
        '"CHR"\t"SNP"\t"P"\n"1"\t"rs1"\t"0.5"\n"1"\t"rs2"\t"NA"\n',
        'chr\tsnp\tp\n1\t"rs1"\t0.5\n1\t"rs2"\tNA\n',
        '"CHR" "SNP" "P"\n"1" "rs1" "0.5"\n"1" "rs2" "NA"\n',
        'CHR SNP P\n 1  "rs1"  0.5\n 1 "rs2" NA\n',
    ],
)
def test_one_table_in_any_spelling(tmp_path, data):
    table = text_table(written(tmp_path, data))
    assert table.to_pydict() == {"chr": ["1", "1"], "snp": ["rs1", "rs2"], "p": ["0.5", "NA"]}


def test_packed_files_are_unpacked(tmp_path):
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(gzip.compress(b"snp\tp\nrs1\t1\n"))
    assert text_table(path).num_rows == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"snp\tp\n",
        b"snp\tsnp\nrs1\t1\n",
        b"snp\tp\nrs1\n",
        b"snp\tp\nrs1\t1\t2\n",
        b"snp\tp\n\xff\xfe\t1\n",
        b"\xff\xfes\0n\0p\0\n",
        b"##only\n##comments\n",
    ],
    ids=repr,
)
def test_what_is_no_table_is_refused(tmp_path, data):
    with refuses(DataError, "expects-something"):
        text_table(written(tmp_path, data))


def test_a_missing_file_is_said(tmp_path):
    with refuses(InvalidArgument, "nowhere-none"):
        text_table(tmp_path / "nowhere")


def halves(*words):
    measured = parse_numbers(pa.chunked_array([list(words)]))
    return dict(
        zip(words, zip(measured.value.tolist(), measured.half.tolist(), strict=True), strict=True)
    )


def test_digits_dropped_at_the_end_count_as_printed():
    # Four significant digits, as PLINK writes them.
    numbers = halves("0.05", "0.05667", "0.4153", "1.332", "1e-05")
    assert numbers["0.05"] == (0.05, pytest.approx(5e-6))
    assert numbers["0.4153"][1] == pytest.approx(5e-5)
    assert numbers["1.332"][1] == pytest.approx(5e-4)


def test_a_fixed_number_of_decimals_is_not_finer_for_small_numbers():
    widths = [half for _, half in halves("0.05", "0.32", "0.70").values()]
    assert widths == pytest.approx([5e-3] * 3)


@pytest.mark.parametrize(
    "word", ["NA", "nan", "inf", "-inf", ".", "", "1,2", "1e999", "0x1", "--1", "1e", "<0.01", "٣"]
)
def test_what_is_no_finite_number_is_nothing(word):
    value, half = halves(word, "0.5")[word]
    assert np.isnan(value)
    assert np.isnan(half)
