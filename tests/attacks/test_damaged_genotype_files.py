"""Files of PLINK 2 and BGEN, cut, changed or packed to burst: one sentence, or the same numbers."""

import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import DeniableError
from deniable.gwas.files import bgen, pgen
from deniable.gwas.files.reading import count_study
from tests.cases.programs import need
from tests.cases.study_formats import listed, write_study

STUDY = Path(__file__).resolve().parents[1] / "data" / "plink" / "study"


@pytest.fixture(scope="module", name="made")
def files_of_plink2(tmp_path_factory):
    if pgen.pgenlib is None or bgen.bgen is None:
        pytest.skip("pgenlib and bgen are extras")
    need("plink2")
    folder = tmp_path_factory.mktemp("made")
    base = ["plink2", "--bfile", str(STUDY), "--threads", "1", "--out", str(folder / "study")]
    for how in (["--make-pgen", "vzs"], ["--export", "bgen-1.2", "ref-first"]):
        subprocess.run([*base, *how], check=True, capture_output=True)
    return folder


@pytest.fixture
def copied(made, tmp_path):
    for path in made.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


def read(path):
    """Its counts, or the sentence that refuses it."""
    try:
        return count_study(path, missing="leave").counts
    except DeniableError as error:
        told = str(error)
    assert told.startswith("Expected ")
    assert str(path.parent) in told
    return None


@pytest.mark.parametrize("name", ["study.pgen", "study.pvar.zst", "study.bgen"])
def test_a_file_cut_short_is_refused(copied, name):
    whole = (copied / name).read_bytes()
    source = copied / ("study.bgen" if name == "study.bgen" else "study")
    for length in [0, 1, 2, 3, 7, 11, 12, 13, 40, *np.linspace(60, len(whole) - 1, 25).astype(int)]:
        (copied / name).write_bytes(whole[:length])
        assert read(source) is None, length


@pytest.mark.parametrize("name", ["study.pgen", "study.pvar.zst", "study.bgen"])
def test_changed_bytes_end_in_a_sentence_or_a_study_of_the_same_size(copied, name):
    whole, rng = (copied / name).read_bytes(), np.random.default_rng(1)
    source = copied / ("study.bgen" if name == "study.bgen" else "study")
    expected = read(source)
    for _ in range(40):
        changed = bytearray(whole)
        changed[rng.integers(0, len(whole))] ^= int(rng.integers(1, 256))
        (copied / name).write_bytes(changed)
        found = read(source)
        assert found is None or len(found) <= len(expected)


def test_bytes_behind_the_end_are_refused(copied):
    whole = (copied / "study.bgen").read_bytes()
    assert read(copied / "study.bgen") is not None
    for more in (b"\0", b"garbage" * 50, whole):
        (copied / "study.bgen").write_bytes(whole + more)
        assert read(copied / "study.bgen") is None


def test_changed_calls_of_rare_alleles_are_refused_with_the_files_name(tmp_path):
    """pgenlib counts some people twice or not at all, and raises nothing."""
    rng, people = np.random.default_rng(2), 150
    calls = rng.binomial(2, 0.01, (30, people))
    path, _ = write_study(tmp_path / "s", "pgen", listed("1", 30), calls, [False] * people)
    names = "".join(f"i{i + 1}\t{1 + i % 2}\n" for i in range(people))
    path.with_suffix(".psam").write_text("#IID\tP\n" + names)
    whole = path.read_bytes()
    for place in rng.integers(80, len(whole), 200).tolist():
        changed = bytearray(whole)
        changed[place] = int(rng.integers(0, 256))
        path.write_bytes(changed)
        counted = read(path)
        assert counted is None or (counted.cases.sum(axis=1) == people // 2).all()


def test_files_of_two_studies_are_refused(copied):
    lines = pa.input_stream(str(copied / "study.pvar.zst"), compression="zstd").read().splitlines()
    for other in (lines[:-1], [*lines, lines[-1]], lines[:1], [*lines, b"1\t2"]):
        with pa.output_stream(str(copied / "study.pvar.zst"), compression="zstd") as file:
            file.write(b"\n".join(other) + b"\n")
        assert read(copied / "study") is None
    sample = (copied / "study.sample").read_text().splitlines()
    (copied / "study.sample").write_text("\n".join(sample[:-1]))
    assert read(copied / "study.bgen") is None


@pytest.mark.parametrize(
    "line",
    [b"##" + b"x" * 998 + b"\n", b"1\t2\tv\tA\tG\n", b"x"],
    ids=["comments", "variants", "a line"],
)
def test_what_bursts_when_unpacked_is_refused_in_little_memory(copied, line):
    # Half a gigabyte in some kilobytes: nothing may be unpacked beyond what a study can need, and
    # what Arrow reads ahead of it, some ten blocks of 16 MB.
    with pa.output_stream(str(copied / "study.pvar.zst"), compression="zstd") as file:
        if not line.startswith(b"##"):
            file.write(b"#CHROM\tPOS\tID\tREF\tALT\n")
        block = line * (2**20 // len(line))
        for _ in range(512):
            file.write(block)
    before = pa.total_allocated_bytes()
    assert read(copied / "study") is None
    for _ in range(50):  # Arrow's threads end what they read ahead, and free it, a little later.
        if pa.total_allocated_bytes() <= before + 2**28:
            return
        time.sleep(0.1)
    pytest.fail("what was unpacked is still there")
