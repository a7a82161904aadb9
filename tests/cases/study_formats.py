"""One study in every format of genotypes, and the words that readers of it need."""

import functools
import pickle
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from deniable.gwas.files import (
    PackedGenotypes,
    PlinkWriter,
    bgen,
    bim_variants,
    file_of,
    pgen,
    vcf,
)
from deniable.gwas.genotypes import Variants
from tests.cases.genotype_files import VCF_HEADER

FORMATS = {
    "bed": True,
    "pgen": pgen.pgenlib,
    "bgen": bgen.bgen,
    "vcf": vcf.cyvcf2,
    "vcz": find_spec("zarr"),
}
"""By name, whether the library is installed."""


def installed():
    return [name for name, library in FORMATS.items() if library]


def listed(chromosome, number, first=0):
    """So many variants of a chromosome, with alleles A (counted) and G."""
    names = [f"v{chromosome}_{first + i}" for i in range(number)]
    places = range(100 + first, 100 + first + number)
    return Variants([chromosome] * number, names, places, ["A"] * number, ["G"] * number)


def with_other_people(prefix: Path, copy: Path) -> Path:
    """Write PLINK files of other people, as a panel's are: each variant's genotypes dealt anew."""
    lines = file_of(prefix, "fam").read_text("utf-8").splitlines()
    variants = bim_variants(file_of(prefix, "bim"))
    packed = PackedGenotypes(file_of(prefix, "bed"), len(lines), len(variants))
    dealt = np.random.default_rng(8).permuted(packed.rows(np.arange(len(variants))), axis=1)
    for end in ("bed", "bim", "fam"):
        file_of(copy, end).unlink(missing_ok=True)
    with PlinkWriter(copy, np.ones(len(lines), bool)) as writer:
        writer.write(variants, dealt)
    people = (f"other{i} other{i} {line.split(maxsplit=2)[2]}\n" for i, line in enumerate(lines))
    file_of(copy, "fam").write_text("".join(people), "utf-8")
    return copy


def write_study(prefix: Path, form: str, variants, copies, cases, names=None):
    """Write it; what a command takes for PREFIX, and the path of a phenotype file.

    `names` are of people, in the order of the columns of `copies`.
    """
    people = copies.shape[1]
    names = [f"i{i + 1}" for i in range(people)] if names is None else names
    status = prefix.with_name(f"{prefix.name}.status")
    lines = [f"{name} {1 + int(case)}\n" for name, case in zip(names, cases, strict=True)]
    status.write_text("#IID P\n" + "".join(lines))
    if form == "bed":
        with PlinkWriter(prefix, np.asarray(cases, bool)) as writer:
            writer.write(variants, copies)
        fam = [f"{n} {n} 0 0 0 {1 + int(c)}\n" for n, c in zip(names, cases, strict=True)]
        prefix.with_name(f"{prefix.name}.fam").write_text("".join(fam))
        return prefix, status
    rows = list(
        zip(
            variants.chromosome, variants.position.tolist(), variants.identifier,
            variants.allele_2, variants.allele_1, strict=True,
        )
    )  # fmt: skip
    path = prefix.with_name(f"{prefix.name}.{form}")
    {"pgen": _pgen, "bgen": _bgen, "vcf": _vcf, "vcz": _vcz}[form](path, rows, copies, names)
    return path, status


def _pgen(path, rows, copies, names):
    with pgen.pgenlib.PgenWriter(str(path).encode(), len(names), variant_ct=len(rows)) as writer:
        for row in copies:
            writer.append_biallelic(np.where(row < 0, -9, row).astype(np.int8))
    head = "#CHROM\tPOS\tID\tREF\tALT\n"
    lines = ["\t".join(map(str, row)) for row in rows]
    path.with_suffix(".pvar").write_text(head + "\n".join(lines) + "\n")
    path.with_suffix(".psam").write_text("#IID\n" + "".join(f"{name}\n" for name in names))


def _bgen(path, rows, copies, names):
    with bgen.bgen.BgenWriter(str(path), len(names), samples=list(names)) as writer:
        for (chromosome, place, name, *alleles), row in zip(rows, copies, strict=True):
            shares = np.zeros((len(names), 3))
            shares[np.arange(len(names)), np.maximum(row, 0)] = 1
            shares[row < 0] = np.nan
            writer.add_variant(name, name, chromosome, place, alleles, shares)


def _vcf(path, rows, copies, names):
    words = {0: "0/0", 1: "0/1", 2: "1/1", -1: "./."}
    columns = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names]
    contigs = "".join(f"##contig=<ID={name}>\n" for name in sorted({row[0] for row in rows}))
    lines = [VCF_HEADER.replace("##contig=<ID=1>\n", contigs) + "\t".join(columns)]
    for row, calls in zip(rows, copies, strict=True):
        cells = [words[call] for call in calls.tolist()]
        lines.append("\t".join([*map(str, row), ".", ".", ".", "GT", *cells]))
    path.write_text("\n".join(lines) + "\n")


@functools.cache
def _stores():
    """A folder for as long as the process, and the number of each study's store in it."""
    return tempfile.TemporaryDirectory(prefix="stores-"), {}


def _vcz(path, rows, copies, names):
    """A store, made once for each study and copied: its dozens of files take a while."""
    folder, numbers = _stores()
    study = pickle.dumps((rows, copies.shape, copies.tobytes(), [*names]))
    made = Path(folder.name) / str(numbers.setdefault(study, len(numbers)))
    if not made.exists():
        _write_vcz(made, rows, copies, names)
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(made, path)


def _write_vcz(path, rows, copies, names):
    """Call by call as bio2zarr 0.2 lays them out, of chunks that do not divide either axis."""
    alleles = {0: (0, 0), 1: (0, 1), 2: (1, 1), -1: (-1, -1)}
    calls = np.array([[alleles[call] for call in line] for line in copies.tolist()], np.int8)
    chromosomes, places, identifiers, *letters = zip(*rows, strict=True)
    contigs = sorted(set(chromosomes))
    write_store(
        path,
        {
            "contig_id": contigs,
            "sample_id": list(names),
            "variant_contig": np.array([contigs.index(name) for name in chromosomes], np.int8),
            "variant_position": np.array(places, np.int32),
            "variant_id": list(identifiers),
            "variant_allele": np.array(list(zip(*letters, strict=True)), object),
            "call_genotype": calls,
        },
        chunk=(17, 25, 2),
    )


def write_store(path, arrays, *, version="0.5", chunk=(7, 25, 2), zarr_format=2):
    """A Zarr group of these arrays."""
    import zarr

    root = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)
    root.attrs.update({} if version is None else {"vcf_zarr_version": version})
    for name, values in arrays.items():
        data = np.array(values)
        data = data if data.dtype.kind in "iub" else data.astype(np.dtypes.StringDType())
        chunks = tuple(map(min, data.shape, (chunk[0], *chunk[1:])[: data.ndim]))
        root.create_array(name, data=data, chunks=tuple(max(each, 1) for each in chunks))
