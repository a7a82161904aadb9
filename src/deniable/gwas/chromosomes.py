"""Which chromosomes everybody has two of: the autosomes, by their names in files."""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument, validate

AUTOSOMES = 22
"""Pairs of autosomes of people; a number above in a file is a sex chromosome or mitochondrial."""
MOST_AUTOSOMES = 95
"""The largest that PLINK takes (--chr-set)."""
_DIGITS = 20
"""Of a number that is a chromosome's; a longer one is another word, and slow to convert."""
_X, _Y, _PSEUDO, _MITOCHONDRIAL = 1, 2, 3, 4
"""How far above the autosomes PLINK numbers X, Y, the pseudo-autosomal regions and mitochondria."""
_HAPLOID = frozenset({"X", "Y", "M", "MT", "W", "Z"})
"""Names of chromosomes that not everybody has two of; W and Z are the sex chromosomes of birds."""
_PSEUDO_NAMES = frozenset({"XY", "PAR1", "PAR2"})
"""Regions of X and Y of which everybody has two copies, where a file sets them apart."""
_ACCESSIONS = {"NC_000023": "X", "NC_000024": "Y", "NC_012920": "MT"}
"""Names of the human reference sequence at RefSeq, without the version."""


def autosomal(names: Iterable[str], autosomes: int = AUTOSOMES) -> NDArray[np.bool_]:
    """Whether everybody has two copies of the chromosome of that name.

    Known are numbers, X, Y, XY, PAR1, PAR2, M and MT, with or without "chr", sequences that are
    named after them ("chrX_KI270880v1_alt"), and RefSeq's accessions. Any other name (a contig)
    counts as autosomal.

    Parameters
    ----------
    names : iterable of str
        As a file spells them.
    autosomes : int
        Pairs of autosomes of the species, 1 to 95: X is the next number, then Y, the
        pseudo-autosomal regions, which count as autosomal, and mitochondria.

    Raises
    ------
    InvalidArgument
        If `autosomes` is out of range.
    DataError
        If a number is larger than that of mitochondria: the file is of another species.

    Examples
    --------
    >>> autosomal(["1", "chrX", "23", "XY", "MT", "NC_000024.10"]).tolist()
    [True, False, False, True, False, False]
    """
    last = validate.integer(autosomes, "autosomes", least=1)
    if last > MOST_AUTOSOMES:
        raise InvalidArgument(f"Expected autosomes <= {MOST_AUTOSOMES}, got autosomes={last}.")
    columns = list(names)
    known = {name: _autosomal(name, last) for name in set(columns)}
    return np.array([known[name] for name in columns], dtype=bool)


def chromosome_name(name: str) -> str:
    """One spelling of a chromosome's name: "chr1" and "01" are "1", "chrx" is "X".

    Examples
    --------
    >>> [chromosome_name(name) for name in ("chr01", "x", "NC_000023.11", "chrM", "contig_7")]
    ['1', 'X', 'X', 'MT', 'CONTIG_7']
    """
    word = _without_prefix(name)
    if word.isascii() and word.isdecimal():
        return str(int(word[:_DIGITS]))
    return "MT" if word == "M" else word


def _without_prefix(name: str) -> str:
    accession = _ACCESSIONS.get(name.split(".")[0].upper())
    return re.sub(r"^chr(om(osome)?)?[ _]?", "", accession or name, flags=re.IGNORECASE).upper()


def _autosomal(name: str, autosomes: int) -> bool:
    base = _without_prefix(name).split("_")[0]
    if not base.isascii() or not base.isdecimal():
        return base in _PSEUDO_NAMES or base not in _HAPLOID
    above = int(base) - autosomes
    if above > _MITOCHONDRIAL:
        raise DataError(
            f"Expected chromosomes 1 to {autosomes + _MITOCHONDRIAL} of a species with {autosomes} "
            f"pairs of autosomes, got {base[:20]}. Say how many it has with --autosomes."
        )
    return above not in (_X, _Y, _MITOCHONDRIAL)
