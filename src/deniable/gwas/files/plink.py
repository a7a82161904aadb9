"""The three files of PLINK 1: bed (genotypes), bim (variants), fam (individuals)."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.gwas.files.individuals import Individuals, from_fam
from deniable.gwas.files.lines import plain_or_packed, table, to_array
from deniable.gwas.files.packed import MAGIC, SNP_MAJOR, PackedGenotypes, bytes_of
from deniable.gwas.genotypes import Variants
from deniable.numerics.operating_system import FOLDERS_LOCK, appear, open_partial, remove_partial

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="gwas")


# --- Writing the three files of PLINK 1, all of them or none.


_CODES = np.array([3, 2, 0, 1], dtype=np.uint8)
"""Two bits for 0, 1, 2 copies of allele 1 and, at index −1, for a missing call."""


class PlinkWriter:
    """Writes PREFIX.bed, .bim and .fam block by block; they appear when the block ends well.

    Parameters
    ----------
    prefix : path
        What the names begin with; none of the files may exist.
    cases : array of bool, shape (n_individuals,)
        Who is a case.
    controls : array of bool, shape (n_individuals,), optional
        Who is a control; by default everybody else. Who is neither has no known phenotype.
    first : int
        What individuals are numbered from.

    Raises
    ------
    InvalidArgument
        If a file exists, the folder does not, or somebody is a case and a control.

    Examples
    --------
    >>> import tempfile
    >>> variants = Variants(["9"], ["rs1"], [100], ["A"], ["G"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with PlinkWriter(Path(folder) / "study", np.array([True, False])) as writer:
    ...         writer.write(variants, np.array([[1, 2]]))
    ...     Path(folder, "study.bed").read_bytes().hex()
    '6c1b0102'
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
        self._status = _phenotypes(cases, ~cases if controls is None else controls)
        self._partial: dict[Path, tuple[Path, IO[bytes]]] = {}
        self._open = ExitStack()

    @property
    def _genotypes(self) -> Path:
        return self._prefix.with_name(f"{self._prefix.name}.bed")

    def __enter__(self) -> PlinkWriter:
        try:
            self._bim, self._bed = self._create("bim"), self._create("bed")
            self._bed.write(MAGIC + SNP_MAJOR)
            self.attach("fam", _fam(self._status, self._first))
        except BaseException:
            self._remove()
            raise
        return self

    def write(self, variants: Variants, copies: NDArray[np.integer]) -> None:
        """Append variants.

        Parameters
        ----------
        variants : Variants
            Names without white space in them.
        copies : array of int, shape (n_variants, n_individuals)
            Copies of allele 1: 0, 1, 2, or −1 where the call is missing.

        Raises
        ------
        InvalidArgument
            If the shape or a number is another.
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
        self._bim.write(_bim(variants).encode())

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
        self._open.close()
        for partial, _ in self._partial.values():
            remove_partial(partial)

    def _create(self, suffix: str) -> IO[bytes]:
        if not self._prefix.name:
            raise InvalidArgument(f"Expected a prefix of file names, got {self._prefix}. Name it.")
        final = self._prefix.with_name(f"{self._prefix.name}.{suffix}")
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


def _phenotypes(cases: NDArray[np.bool_], controls: NDArray[np.bool_]) -> NDArray[np.int64]:
    if cases.shape != controls.shape or cases.ndim != 1 or bool((cases & controls).any()):
        raise InvalidArgument("Expected everybody to be a case, a control or neither, got others.")
    validate.integer(len(cases), "individuals", least=1)
    return np.where(cases, 2, np.where(controls, 1, 0))


def _fam(status: NDArray[np.int64], first: int) -> str:
    return "".join(f"i{i} i{i} 0 0 0 {known}\n" for i, known in enumerate(status, start=first))


def _bim(variants: Variants) -> str:
    columns = zip(
        variants.chromosome,
        variants.identifier,
        variants.position,
        variants.allele_1,
        variants.allele_2,
        strict=True,
    )
    return "".join(f"{c}\t{name}\t0\t{place}\t{a1}\t{a2}\n" for c, name, place, a1, a2 in columns)


# --- The three files of PLINK 1: bed (genotypes), bim (variants), fam (individuals).


_PLINK_2, _BGEN = (".pgen", ".pvar", ".psam"), ".bgen"
"""Ends of names of formats that some commands do not read."""


@attrs.frozen
class PlinkStudy:
    """The three files, opened and checked against each other."""

    variants: Variants
    individuals: Individuals
    genotypes: PackedGenotypes


def plink_study(
    prefix: Path, phenotype: Path | None = None, phenotype_name: str | None = None
) -> PlinkStudy:
    """Open PREFIX.bed, .bim and .fam; the latter two may be packed by gzip.

    Parameters
    ----------
    prefix : path
        What the three names begin with.
    phenotype : path, optional
        A phenotype file that replaces the last column of the fam file.
    phenotype_name : str, optional
        Which of its phenotypes.

    Raises
    ------
    InvalidArgument
        If a file is missing.
    DataError
        If one is not what PLINK writes, or they disagree.
    """
    bed = bed_file(prefix)
    individuals = from_fam(plain_or_packed(file_of(prefix, "fam")), phenotype, phenotype_name)
    variants = bim_variants(plain_or_packed(file_of(prefix, "bim")))
    genotypes = PackedGenotypes(bed, len(individuals), len(variants))
    return PlinkStudy(variants, individuals, genotypes)


def file_of(prefix: Path, suffix: str) -> Path:
    """PREFIX.suffix; dots in the prefix stay."""
    return prefix.parent / f"{prefix.name}.{suffix}"


def bed_file(prefix: Path) -> Path:
    """PREFIX.bed.

    Raises
    ------
    InvalidArgument
        If there is none.
    """
    bed = file_of(prefix, "bed")
    if not bed.is_file():
        _check_others(prefix)
        raise InvalidArgument(f"Expected a file {bed}, got none. Check the prefix.")
    return bed


def _check_others(prefix: Path) -> None:
    """Say how to convert what is there instead of a bed file."""
    name = prefix.with_suffix("") if prefix.suffix in (*_PLINK_2, _BGEN) else prefix
    if prefix.suffix in _PLINK_2 or file_of(name, "pgen").is_file():
        raise InvalidArgument(
            f"Expected files of PLINK 1 (bed, bim, fam), got those of PLINK 2 at {name}. Convert "
            f"them with plink2 --pfile {name} --make-bed --out {name}."
        )
    if prefix.suffix == _BGEN or file_of(name, "bgen").is_file():
        raise InvalidArgument(
            f"Expected files of PLINK 1 (bed, bim, fam), got BGEN at {name}.bgen. Convert it with "
            f"plink2 --bgen {name}.bgen ref-first --sample {name}.sample --make-bed --out {name}; "
            "see there what becomes of dosages."
        )


def bim_variants(path: Path) -> Variants:
    """The variants of a bim file.

    Raises
    ------
    DataError
        If a line does not have its six columns, or a position is no whole number.
    """
    names = [field.name for field in attrs.fields(Variants)]
    columns = table(path, _bim_types(), names)
    return Variants(*(to_array(columns[name]) for name in names))


def _bim_types() -> dict[str, pa.DataType]:
    """The columns of a bim file in order, with their Arrow types."""
    repeated = pa.dictionary(pa.int32(), pa.string())
    return {
        "chromosome": repeated,
        "identifier": pa.string(),
        "centimorgans": pa.string(),
        "position": pa.int64(),
        "allele_1": repeated,
        "allele_2": repeated,
    }
