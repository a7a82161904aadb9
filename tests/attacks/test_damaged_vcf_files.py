"""VCF and BCF files that htslib and cyvcf2 read as something else: refused, by the file's name."""

import gzip
import struct
import zlib

import pytest

from deniable.errors import DataError
from deniable.gwas.files import vcf
from deniable.gwas.files.how_read import HowRead
from deniable.gwas.files.vcf import VcfFile
from tests.cases.genotype_files import (
    CALLS,
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
