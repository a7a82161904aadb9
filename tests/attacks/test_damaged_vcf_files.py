"""VCF and BCF files that htslib and cyvcf2 read as something else: refused, by the file's name."""

import gzip
import struct
import zlib

import numpy as np
import pytest

from deniable.errors import DataError, DeniableError
from deniable.gwas.files import vcf
from deniable.gwas.files.how_read import HowRead
from deniable.gwas.files.vcf import VcfFile
from tests.cases.effort import some_pairs
from tests.cases.genotype_files import (
    CALLS,
    CASES,
    CONTROLS,
    VCF_HEADER,
    phenotype_file,
    vcf_file,
    vcf_line,
)
from tests.cases.refusals import refuses

pytestmark = pytest.mark.skipif(vcf.cyvcf2 is None, reason="cyvcf2 is an extra")

PEOPLE = len(CALLS[0])
LINES = [vcf_line(*each) for each in enumerate(CALLS)]
LAST_BLOCK = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def with_depths(lines):
    """The lines with another field, so that cyvcf2 reads them."""
    return [line.replace("\tGT\t", "\tGT:DP\t") for line in lines]


def read(path):
    return VcfFile(path, HowRead(phenotype_file(path.parent))).counts()


def blocks(data, size):
    """What bgzip writes, without its last block (SAM specification, 4.1)."""
    packed = []
    for start in range(0, len(data), size):
        part = data[start : start + size]
        deflate = zlib.compressobj(wbits=-15)
        body = deflate.compress(part) + deflate.flush()
        head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25)
        packed.append(head + body + struct.pack("<II", zlib.crc32(part), len(part)))
    return packed


def bcf_bytes(folder, lines):
    """The same lines as BCF, unpacked."""
    path, source = folder / "made.bcf", vcf.cyvcf2.VCF(str(vcf_file(folder, lines)))
    writer = vcf.cyvcf2.Writer(str(path), source, mode="wb")
    for record in source:
        writer.write_record(record)
    writer.close()
    source.close()
    return gzip.decompress(path.read_bytes())


ALLELES = [2, 3, 126, 127, 254, 255, *(2**n + k for n in (15, 16, 17, 30) for k in (-2, -1, 0, 1))]


@pytest.mark.parametrize("allele", [*ALLELES, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1])
@pytest.mark.parametrize("call", ["0/{}", "{}|1", "{}/{}", "{}", "./{}"])
def test_an_allele_that_the_line_does_not_name_is_refused(tmp_path, allele, call):
    word = call.format(allele, allele)
    line = vcf_line(0, (None, 1, 0, 2, 1)).replace("./.", word)
    with pytest.raises(DataError) as refusal:
        read(vcf_file(tmp_path, [line]))
    assert "study.vcf" in str(refusal.value)


@pytest.mark.parametrize(("number", "place"), some_pairs([*range(0x82, 0x100)], [0, 1]))
def test_a_number_of_bcf_that_is_no_allele_is_refused(tmp_path, number, place):
    """Numbers of a byte below 0, but for 0x81, which ends a shorter call."""
    data = bytearray(bcf_bytes(tmp_path, LINES[:1]))
    data[len(data) - 2 * PEOPLE + place] = number
    path = tmp_path / "study.bcf"
    path.write_bytes(gzip.compress(data))
    with refuses(DataError, "two-alleles-in-every-call: study.bcf, 1:1"):
        read(path)


def test_the_numbers_of_bcf_that_are_alleles_are_read(tmp_path):
    path = tmp_path / "study.bcf"
    path.write_bytes(gzip.compress(bcf_bytes(tmp_path, LINES)))
    _, counts = read(path)
    assert (counts.cases.tolist(), counts.controls.tolist()) == (CASES, CONTROLS)


@pytest.mark.parametrize("form", ["vcf.gz", "bcf"])
@pytest.mark.parametrize("lines", [LINES * 40, with_depths(LINES * 40)], ids=["plain", "other"])
def test_a_file_cut_between_blocks_is_refused(tmp_path, form, lines):
    """Every block is whole, and htslib only warns."""
    data = bcf_bytes(tmp_path, lines) if form == "bcf" else vcf_file(tmp_path, lines).read_bytes()
    packed, path = blocks(data, 700), tmp_path / f"study.{form}"
    path.write_bytes(b"".join([*packed, LAST_BLOCK]))
    variants, _ = read(path)
    assert len(variants) == len(lines)
    for number in range(1, len(packed) + 1):
        path.write_bytes(b"".join(packed[:number]))
        with refuses(DataError, f"last-block-of-bgzip: study.{form}"):
            read(path)


@pytest.mark.parametrize("lines", [LINES, with_depths(LINES)], ids=["plain", "other"])
def test_a_zero_byte_in_place_of_the_end_of_a_line_is_refused(tmp_path, lines):
    """There htslib ends a line, and the one behind it would vanish."""
    path = vcf_file(tmp_path, lines)
    data = path.read_bytes()
    for place in np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")).tolist():
        path.write_bytes(data[:place] + b"\0" + data[place + 1 :])
        with pytest.raises(DataError) as refusal:
            read(path)
        assert "study.vcf" in str(refusal.value)


@pytest.mark.parametrize("more", ["\t0/0", "\t", "\t1/1\t0/1", "\t\t"])
@pytest.mark.parametrize("change", [list, with_depths], ids=["plain", "other"])
@pytest.mark.parametrize("number", range(len(LINES)))
def test_more_calls_than_people_are_refused(tmp_path, more, change, number):
    lines = change(LINES)
    lines[number] = lines[number].rstrip("\n") + more + "\n"
    with refuses(DataError, "call-for-each-person: line"):
        read(vcf_file(tmp_path, lines))
    lines[-1] = lines[-1].rstrip("\n")  # The end of the last line may be missing.
    with refuses(DataError, "call-for-each-person: line"):
        read(vcf_file(tmp_path, lines))


@pytest.mark.parametrize("position", [2**31, 3_000_000_000, 2**32 + 5, 99_999_999_999, -7])
def test_a_position_beyond_32_bits_is_refused(tmp_path, position):
    path = vcf_file(tmp_path, [LINES[0], LINES[1].replace("\t101\t", f"\t{position}\t")])
    with refuses(DataError, "vcf-or-bcf-file"):
        read(path)


def test_htslib_names_nobody(tmp_path, capfd):
    """It would quote a name that is there twice, and a value that is none of its type."""
    path = vcf_file(tmp_path, LINES)
    good = path.read_text()
    calls = LINES[1].rstrip("\n").split("\t")
    calls[8:10] = ["GT:DP", "0/0:SECRET"]
    for text in (good.replace("i1\ti2", "i1\ti1"), good.replace(LINES[1], "\t".join(calls) + "\n")):
        assert text != good
        path.write_text(text)
        with pytest.raises(DeniableError):
            read(path)
    assert capfd.readouterr() == ("", "")


FIRST = 1 + VCF_HEADER.count("\n") + 1
"""The number of the first line behind the header."""


def with_field(number, text):
    """The second line with another field."""
    fields = LINES[1].rstrip("\n").split("\t")
    fields[number] = text
    return "\t".join(fields) + "\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("i1\ti2", "i1\ti1", f"an individual's name twice in line {FIRST - 1}"),
        (LINES[1], with_field(10, "0/SECRET"), f"no genotype in line {FIRST + 1}"),
        (LINES[1], with_field(10, ""), f"no genotype in line {FIRST + 1}"),
        (
            LINES[1],
            LINES[1].rsplit("\t", 1)[0] + "\n",
            f"13 columns and not 14 in line {FIRST + 1}",
        ),
        (LINES[1], "\n", f"1 columns and not 14 in line {FIRST + 1}"),
        (LINES[1], with_field(1, "SECRET"), f"31 bits in line {FIRST + 1}"),
        (LINES[1], with_field(8, "DP"), f"no GT in line {FIRST + 1}"),
        ("#CHROM", "SECRET", "got another"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_wrong_and_in_which_line(tmp_path, old, new, said, packed):
    path = vcf_file(tmp_path, LINES)
    text = path.read_text()
    assert text.count(old) == 1
    damaged = text.replace(old, new).encode()
    if packed:
        path = path.with_name("study.vcf.gz")
        damaged = b"".join([*blocks(damaged, 700), LAST_BLOCK])
    path.write_bytes(damaged)
    with pytest.raises(DataError) as refusal:
        read(path)
    assert said in str(refusal.value)
    assert not any(word in str(refusal.value) for word in ("SECRET", "i1", "i2", "0/0"))
