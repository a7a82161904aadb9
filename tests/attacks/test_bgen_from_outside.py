"""BGEN files whose parts disagree: checksums, numbers of variants, ends, and names of people."""

import numpy as np
import pytest

from deniable.errors import DataError
from deniable.gwas.files import bgen, count_study, genotypes
from tests.cases.refusals import refuses

pytestmark = pytest.mark.skipif(bgen.bgen is None, reason="bgen is an extra")

PEOPLE, VARIANTS = 40, 6
NAMES = [f"i{i}" for i in range(PEOPLE)]
CALLS = np.random.default_rng(0).integers(0, 3, (VARIANTS, PEOPLE))
FORMS = [
    {"layout": layout, "compression": packed}
    for layout, packed in ((1, None), (1, "zlib"), (2, None), (2, "zlib"), (2, "zstd"))
]
COUNT = slice(8, 12)
"""Where a header says how many variants there are."""


def write(path, names=NAMES, **how):
    shares = np.eye(3)
    with bgen.bgen.BgenWriter(str(path), PEOPLE, samples=names, **how) as writer:
        for i, calls in enumerate(CALLS):
            writer.add_variant(f"v{i}", "é" * i, "1", 100 + i, ["G", "A" * (i + 1)], shares[calls])
    status = path.with_suffix(".status")
    status.write_text("#IID P\n" + "".join(f"i{i} {1 + i % 2}\n" for i in range(PEOPLE)))
    return path, status


@pytest.fixture(params=FORMS)
def study(request, tmp_path):
    return write(tmp_path / "s.bgen", **request.param)


def ends(path):
    """Where each variant ends, which zlib's checksum of it does, too."""
    with bgen.bgen.BgenReader(str(path), delay_parsing=True) as file:
        return [line.next_variant_offset for line in file]


def test_whole_files_are_read(study):
    path, status = study
    read = np.concatenate(list(genotypes(path, phenotype=status).blocks(4)))
    assert np.array_equal(read, CALLS)


@pytest.mark.parametrize("layout", [1, 2])
def test_a_checksum_that_is_another_is_refused(tmp_path, layout):
    path, status = write(tmp_path / "s.bgen", compression="zlib", layout=layout)
    whole = path.read_bytes()
    for end in ends(path):
        changed = bytearray(whole)
        changed[end - 1] ^= 1
        path.write_bytes(changed)
        with refuses(DataError, "whole-bgen-file"):
            count_study(path, phenotype=status)


def test_a_header_that_says_another_number_of_variants_is_refused(study):
    path, status = study
    whole = bytearray(path.read_bytes())
    for number in {*range(VARIANTS + 3), 2**32 - 1} - {VARIANTS}:
        whole[COUNT] = number.to_bytes(4, "little")
        path.write_bytes(whole)
        with refuses(DataError, "whole-bgen-file"):
            count_study(path, phenotype=status)


def test_bytes_behind_the_last_variant_are_refused(study):
    path, status = study
    whole = path.read_bytes()
    for more in (b"\0", b"garbage" * 50, whole):
        path.write_bytes(whole + more)
        with refuses(DataError, "whole-bgen-file"):
            count_study(path, phenotype=status)


def sample(path, names):
    """A .sample file of these people, whose phenotypes are as in the phenotype file."""
    lines = ["ID_1 ID_2 missing P", "0 0 0 B"]
    lines += [f"f {name} 0 {int(name[1:]) % 2}" for name in names]
    path.with_suffix(".sample").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("spell", ["{}", "f_{}"])
def test_a_sample_file_in_another_order_than_the_files_own_names_is_refused(tmp_path, spell):
    """Cases and controls would change places, without an error."""
    path, _ = write(tmp_path / "s.bgen", [spell.format(name) for name in NAMES])
    sample(path, NAMES)
    expected = count_study(path)
    assert np.array_equal(expected.counts.cases[:, 1], (CALLS[:, 1::2] == 1).sum(axis=1))
    for others in (NAMES[::-1], [*NAMES[1:], NAMES[0]], [*NAMES[:-1], "i99"]):
        sample(path, others)
        with refuses(DataError, "order-of-names: s.bgen | s.sample") as refused:
            count_study(path)
        assert not any(name in str(refused.value) for name in NAMES)


def test_a_sample_file_whose_names_replace_the_files_own_is_read(tmp_path):
    """As pseudonyms of one project replace those of another."""
    path, status = write(tmp_path / "s.bgen", [f"anonymous_{i}" for i in range(PEOPLE)])
    sample(path, NAMES)
    replaced = count_study(path)
    path, status = write(tmp_path / "own.bgen")
    assert replaced.counts == count_study(path, phenotype=status).counts
