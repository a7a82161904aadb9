"""A reference panel: how often other people carry an allele; public, and no part of the study."""

from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.lines import digest, plain_or_packed, rows
from deniable.gwas.files.packed import PackedGenotypes
from deniable.gwas.files.plink import bed_file, bim_variants, file_of
from deniable.gwas.genotypes import Variants

_COLUMNS = {".frq": ("SNP", "A1", "A2", "MAF"), ".afreq": ("ID", "ALT", "REF", "ALT_FREQS")}
"""Columns of PLINK's --freq files: identifier, allele, the other one, the allele's frequency."""
_UNKNOWN = ("NA", "NAN")

Key = tuple[str, frozenset[str]]
"""Identifier and alleles."""


@attrs.frozen
class FrequencyPanel:
    """Frequencies of alleles among other people, and their most frequent genotype.

    Parameters
    ----------
    frequency : dict
        By identifier and alleles: an allele and its frequency, in [0, 1].
    genotype : dict
        By the same: copies of that allele that most people have.
    sha256 : str
        Of the file.
    """

    frequency: dict[Key, tuple[str, float]] = attrs.field(repr=False)
    genotype: dict[Key, int] = attrs.field(repr=False)
    sha256: str

    def __len__(self) -> int:
        return len(self.frequency)

    def rarer(self, variants: Variants) -> NDArray[np.float64]:
        """The frequency of the rarer allele; NaN where the panel does not know the variant."""
        known = [self.frequency.get(key, ("", np.nan))[1] for key in _keys(variants)]
        frequency = np.array(known, dtype=np.float64)
        return np.minimum(frequency, 1 - frequency)

    def fill(self, variants: Variants) -> NDArray[np.int64]:
        """The most frequent genotype, as copies of allele 1; of variants that the panel knows."""
        firsts = variants.allele_1.tolist()
        return np.array(
            [
                self.genotype[key] if self.frequency[key][0] == first else 2 - self.genotype[key]
                for key, first in zip(_keys(variants), firsts, strict=True)
            ],
            dtype=np.int64,
        )


def read_panel(path: Path) -> FrequencyPanel:
    """A panel from PLINK's frequencies (.frq, .afreq) or from genotypes (PREFIX of bed, bim, fam).

    The most frequent genotype is counted where there are genotypes; from frequencies alone it is
    the one that is most frequent in Hardy and Weinberg's ratios. Among equals it is the one with
    fewer copies of the allele.

    Raises
    ------
    InvalidArgument
        If a file is missing.
    DataError
        If one is not what PLINK writes.
    """
    if path.suffix.lower() in _COLUMNS:
        return _read_frequencies(path)
    prefix = path.with_suffix("") if path.suffix == ".bed" else path
    bed = bed_file(prefix)
    variants = bim_variants(plain_or_packed(file_of(prefix, "bim")))
    people = len(rows(plain_or_packed(file_of(prefix, "fam"))))
    (counts,) = PackedGenotypes(bed, people, len(variants)).counts((np.ones(people, bool),))
    called = counts[:, :3].sum(axis=1)
    copies = counts[:, 1] + 2 * counts[:, 2]
    frequency = np.where(called > 0, copies / np.maximum(2 * called, 1), np.nan)
    most = counts[:, :3].argmax(axis=1)
    return _panel(variants, frequency, most, digest(bed))


def _read_frequencies(path: Path) -> FrequencyPanel:
    if not path.is_file():
        raise InvalidArgument(f"Expected a panel {path}, got none. Check the name.")
    header, *lines = rows(path) or [[]]
    words = [word.lstrip("#") for word in header]
    columns = _COLUMNS[path.suffix.lower()]
    wrong = DataError(
        f"Expected frequencies with the columns {', '.join(columns)}, as PLINK's --freq writes "
        f"them, got others at {path}."
    )
    if any(words.count(name) != 1 for name in columns) or not lines:
        raise wrong
    if any(len(line) != len(words) for line in lines):
        raise wrong
    which = [words.index(name) for name in columns]
    # A line of several alternatives has several frequencies; it is no variant of two alleles.
    pairs = [cells for line in lines if "," not in (cells := [line[i] for i in which])[1]]
    try:
        values = [np.nan if p.upper() in _UNKNOWN else float(p) for *_, p in pairs]
    except ValueError:
        raise wrong from None
    frequency = np.array(values, dtype=np.float64)
    if bool(((frequency < 0) | (frequency > 1)).any()):
        raise wrong
    p = np.nan_to_num(frequency)
    most = np.stack([(1 - p) ** 2, 2 * p * (1 - p), p**2], axis=1).argmax(axis=1)
    nothing = [""] * len(pairs)
    names, first, second = ([cells[i] for cells in pairs] for i in range(3))
    variants = Variants(nothing, names, [0] * len(pairs), first, second)
    return _panel(variants, frequency, most, digest(path))


def _panel(
    variants: Variants,
    frequency: NDArray[np.float64],
    most: NDArray[np.intp],
    sha256: str,
) -> FrequencyPanel:
    """Variants that stand once and whose frequency is known."""
    keys = _keys(variants)
    times: dict[Key, int] = {}
    for key in keys:
        times[key] = times.get(key, 0) + 1
    firsts, known = variants.allele_1.tolist(), ~np.isnan(frequency)
    rows_of = [i for i, key in enumerate(keys) if times[key] == 1 and known[i]]
    return FrequencyPanel(
        {keys[i]: (firsts[i], float(frequency[i])) for i in rows_of},
        {keys[i]: int(most[i]) for i in rows_of},
        sha256,
    )


def _keys(variants: Variants) -> list[Key]:
    columns = variants.identifier.tolist(), variants.allele_1.tolist(), variants.allele_2.tolist()
    return [(name, frozenset(alleles)) for name, *alleles in zip(*columns, strict=True)]
