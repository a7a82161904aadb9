"""The three files of PLINK 1: bed (genotypes), bim (variants), fam (individuals)."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.files.arrow import pa
from deniable.gwas.files.individuals import Individuals, from_fam
from deniable.gwas.files.lines import plain_or_packed, table, to_array
from deniable.gwas.files.packed import MAGIC, SNP_MAJOR, PackedGenotypes, bytes_of
from deniable.gwas.genotypes import Variants
from deniable.numerics.operating_system import FOLDERS_LOCK, appear, open_partial, remove_partial

PLINK_2 = (".pgen", ".pvar", ".psam")
"""Ends of names of PLINK 2's files."""
_CODES = np.array([3, 2, 0, 1], dtype=np.uint8)
"""Two bits for 0, 1, 2 copies of allele 1 and, at index −1, for a missing call."""


class PlinkWriter:
    """Writes PREFIX.bed, .bim and .fam block by block; they appear when the block ends well.

    None of the files may exist. Cases and controls are masks of shape (n_individuals,); by default
    everybody is one or the other, and who is neither has no known phenotype. Individuals are
    numbered from `first`.
    """

    def __init__(
        self,
        prefix: Path,
        cases: NDArray[np.bool_],
        controls: NDArray[np.bool_] | None = None,
        *,
        first: int = 1,
    ) -> None:
        self._first = first
        self._prefix = Path(prefix)
        self._genotypes = file_of(self._prefix, "bed")
        well = ~cases if controls is None else controls
        if cases.shape != well.shape or cases.ndim != 1 or bool((cases & well).any()):
            raise InvalidArgument(
                "Expected everybody to be a case, a control or neither, got others."
            )
        validate.integer(len(cases), "individuals", least=1)
        self._status = np.where(cases, 2, np.where(well, 1, 0))
        self._partial: dict[Path, tuple[Path, IO[bytes]]] = {}
        self._open = ExitStack()

    def __enter__(self) -> PlinkWriter:
        try:
            self._bim, self._bed = self._create("bim"), self._create("bed")
            self._bed.write(MAGIC + SNP_MAJOR)
            people = enumerate(self._status, start=self._first)
            self.attach("fam", "".join(f"i{i} i{i} 0 0 0 {status}\n" for i, status in people))
        except BaseException:
            self._remove()
            raise
        return self

    def write(self, variants: Variants, copies: NDArray[np.integer]) -> None:
        """Append variants, whose names hold no white space.

        Copies of allele 1 are 0, 1, 2, or −1 where the call is missing; (n_variants,
        n_individuals).
        """
        individuals = len(self._status)
        if copies.shape != (len(variants), individuals):
            raise InvalidArgument(
                f"Expected copies of shape {(len(variants), individuals)}, got {copies.shape}."
            )
        if copies.size and (int(copies.min()) < -1 or int(copies.max()) > 2):
            raise InvalidArgument("Expected 0, 1, 2 copies or -1 (missing), got others.")
        codes = np.zeros((len(variants), 4 * bytes_of(individuals)), dtype=np.uint8)
        codes[:, :individuals] = _CODES[copies]
        fours = codes.reshape(len(variants), -1, 4) << np.array([0, 2, 4, 6], dtype=np.uint8)
        self._bed.write(np.bitwise_or.reduce(fours, axis=2).tobytes())
        names = zip(*attrs.astuple(variants, recurse=False), strict=True)
        lines = (f"{c}\t{name}\t0\t{place}\t{a1}\t{a2}\n" for c, name, place, a1, a2 in names)
        self._bim.write("".join(lines).encode())

    def attach(self, suffix: str, text: str) -> None:
        """Write PREFIX.suffix beside the others."""
        self._create(suffix).write(text.encode())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._appear()
        finally:
            self._remove()

    def _appear(self) -> None:
        for final, (_, file) in self._partial.items():
            file.flush()
            os.fsync(file.fileno())
            _check_free(final, self._genotypes)
        if not FOLDERS_LOCK:  # an open file cannot be renamed there
            self._open.close()
        written: list[Path] = []
        try:
            # The genotypes come last: where they are, the study is whole.
            for final in sorted(self._partial, key=lambda path: path.suffix == ".bed"):
                appear(self._partial[final][0], final, new=True)
                written.append(final)
        except OSError:
            for final in written:
                remove_partial(final)
            raise

    def _remove(self) -> None:
        try:
            self._open.close()  # which writes what is left, and fails on a full disk
        finally:
            for partial, _ in self._partial.values():
                remove_partial(partial)

    def _create(self, suffix: str) -> IO[bytes]:
        if not self._prefix.name.strip("."):
            raise InvalidArgument(f"Expected a prefix of file names, got {self._prefix}. Name it.")
        final = file_of(self._prefix, suffix)
        _check_free(final, self._genotypes)
        partial, file = open_partial(final)
        self._partial[final] = partial, self._open.enter_context(file)
        return file


def _check_free(path: Path, genotypes: Path) -> None:
    if path.exists() or path.is_symlink():
        if genotypes.exists() or genotypes.is_symlink():
            raise InvalidArgument(
                f"Expected a new file {path}, got an old one. Choose another prefix."
            )
        raise InvalidArgument(
            f"Expected a new file {path}, got an old one without {genotypes.name}, as a run that "
            "was killed leaves it. Remove it, or choose another prefix."
        )
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(
            f"Expected an existing folder above {path}, got none. Create {path.parent} first."
        )


@attrs.frozen
class PlinkStudy:
    """The three files, opened and checked against each other."""

    variants: Variants
    individuals: Individuals
    genotypes: PackedGenotypes


def plink_study(
    prefix: Path,
    phenotype: Path | None = None,
    phenotype_name: str | None = None,
    individuals: Individuals | None = None,
) -> PlinkStudy:
    """Open PREFIX.bed, .bim and .fam; the latter two may be packed by gzip.

    A phenotype file replaces the last column of the fam file, which is not read where its
    individuals are known.
    """
    bed = bed_file(prefix)
    if individuals is None:
        individuals = from_fam(plain_or_packed(file_of(prefix, "fam")), phenotype, phenotype_name)
    variants = bim_variants(plain_or_packed(file_of(prefix, "bim")))
    return PlinkStudy(variants, individuals, PackedGenotypes(bed, len(individuals), len(variants)))


def file_of(prefix: Path, suffix: str) -> Path:
    """PREFIX.suffix; dots in the prefix stay."""
    return prefix.parent / f"{prefix.name}.{suffix}"


def bed_file(prefix: Path) -> Path:
    """PREFIX.bed."""
    bed = file_of(prefix, "bed")
    if bed.is_file():
        return bed
    name = prefix.with_suffix("") if prefix.suffix in (*PLINK_2, ".bgen") else prefix
    if prefix.suffix in PLINK_2 or file_of(name, "pgen").is_file():
        raise InvalidArgument(
            f"Expected files of PLINK 1 (bed, bim, fam), got those of PLINK 2 at {name}. Convert "
            f"them with plink2 --pfile {name} --make-bed --out {name}."
        )
    if prefix.suffix == ".bgen" or file_of(name, "bgen").is_file():
        raise InvalidArgument(
            f"Expected files of PLINK 1 (bed, bim, fam), got BGEN at {name}.bgen. Convert it with "
            f"plink2 --bgen {name}.bgen ref-first --sample {name}.sample --make-bed --out {name}; "
            "see there what becomes of dosages."
        )
    raise InvalidArgument(
        f"Expected a file {bed}, got none. Check the prefix; convert other formats with plink2 "
        "--make-bed."
    )


def bim_variants(path: Path) -> Variants:
    """The variants of a bim file."""
    names = [field.name for field in attrs.fields(Variants)]
    repeated = pa.dictionary(pa.int32(), pa.string())
    types = {
        "chromosome": repeated,
        "identifier": pa.string(),
        "centimorgans": pa.string(),
        "position": pa.int64(),
        "allele_1": repeated,
        "allele_2": repeated,
    }
    columns = table(path, types, names)
    return Variants(*(to_array(columns[name]) for name in names))
