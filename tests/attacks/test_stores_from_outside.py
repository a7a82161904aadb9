"""Stores of VCF Zarr whose chunks were cut, or in which another thing stands in a chunk's place."""

import os
import sys

import numpy as np
import pytest

from deniable.errors import DataError
from deniable.gwas.files import count_study
from tests.cases.effort import one_in
from tests.cases.refusals import refuses
from tests.cases.study_formats import listed, write_study

zarr = pytest.importorskip("zarr")

PEOPLE, VARIANTS = 9, 6
CALLS = np.random.default_rng(0).integers(0, 3, (VARIANTS, PEOPLE))


@pytest.fixture(params=[2, 3])
def store(request, tmp_path):
    """A store of format 2 or 3 whose calls are one chunk of Blosc; its phenotypes, the chunk."""
    numcodecs = pytest.importorskip("numcodecs")
    cases = [i % 2 for i in range(PEOPLE)]
    path, status = write_study(tmp_path / "s", "vcz", listed("1", VARIANTS), CALLS, cases)
    group = zarr.open_group(str(path), mode="r+")
    calls = {name: array[:] for name, array in group.arrays()}
    root = zarr.open_group(str(path), mode="w", zarr_format=request.param)
    root.attrs["vcf_zarr_version"] = "0.5"
    blosc = numcodecs.Blosc() if request.param == 2 else zarr.codecs.BloscCodec()
    for name, values in calls.items():
        root.create_array(name, data=values, chunks=values.shape, compressors=[blosc])
    return path, status


def chunk(path, array):
    files = [each for each in (path / array).rglob("*") if each.is_file()]
    (one,) = [each for each in files if each.name[0].isdigit()]
    return one


def test_a_whole_store_is_read_sharded_or_not(store):
    path, status = store
    expected = count_study(path, phenotype=status)
    assert np.array_equal(expected.counts.cases[:, 1], (CALLS[:, 1::2] == 1).sum(axis=1))
    if not (path / ".zgroup").exists():
        root = zarr.open_group(str(path), mode="r+")
        calls = root["call_genotype"][:]
        shape = {"chunks": (2, 3, 2), "shards": (4, 9, 2), "overwrite": True}
        packed = {"compressors": [zarr.codecs.BloscCodec()]}
        root.create_array("call_genotype", data=calls, **shape, **packed)
        assert count_study(path, phenotype=status).counts == expected.counts


@pytest.mark.parametrize("array", ["call_genotype", "contig_id", "variant_position"])
def test_a_chunk_of_another_length_than_its_header_says_is_not_decoded(store, array):
    """The decoder would read what lies behind it in memory."""
    path, status = store
    file = chunk(path, array)
    whole = file.read_bytes()
    cut = [whole[:length] for length in (0, 3, 16, len(whole) // 2, len(whole) - 1)]
    turn = ["call_genotype", "contig_id", "variant_position"].index(array)
    for data in (*one_in(2, cut, turn), whole + b"\0"):
        file.write_bytes(data)
        with refuses(DataError, "vcz-whole-store-of-vcf"):
            count_study(path, phenotype=status)


@pytest.mark.skipif(sys.platform == "win32", reason="There are no pipes in folders.")
@pytest.mark.parametrize("array", ["call_genotype", "variant_position"])
def test_a_pipe_a_folder_and_a_dead_link_are_no_chunks(store, array):
    """A pipe would be waited for, and the others be a chunk of zeros: everybody's reference."""
    path, status = store
    file = chunk(path, array)
    file.unlink()
    for put in (os.mkfifo, os.mkdir, lambda at: os.symlink("nowhere", at)):
        put(file)
        with refuses(DataError, "vcz-whole-store-of-vcf"):
            count_study(path, phenotype=status)
        (file.rmdir if file.is_dir() else file.unlink)()


@pytest.mark.parametrize("store", [2], indirect=True)
def test_letters_that_are_none_are_refused(store):
    """An array of four bytes a letter takes any bytes, and Python dies of its texts."""
    path, status = store
    root = zarr.open_group(str(path), mode="r+")
    wrong = np.array([0x31, 0x110000], np.uint32).view("U2")
    root.create_array("contig_id", data=wrong, overwrite=True)
    with refuses(DataError, "vcz-whole-store-of-vcf"):
        count_study(path, phenotype=status)
