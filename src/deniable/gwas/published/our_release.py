"""The folder of a release of ours: its names, its noisy counts, and what its certificate claims."""

import math
from pathlib import Path

import attrs
import numpy as np
from scipy.special import ndtr, ndtri

from deniable.certificate.files import CERTIFICATE
from deniable.certificate.reading import read_document
from deniable.certificate.study import StudyCertificate
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.published.columns import published_table
from deniable.gwas.published.statistics import Effects, PublishedTable
from deniable.gwas.published.text_table import Measured, text_table
from deniable.gwas.scores.adjacency import StudyAdjacency

_RESULTS = "results.csv"
_NAMES = ["variant", "allele_1", "allele_2"]


def _certificate(folder: Path) -> StudyCertificate:
    if not (folder / CERTIFICATE).is_file() or not (folder / _RESULTS).is_file():
        raise InvalidArgument(
            f"Expected a file of statistics, or a folder that deniable gwas release wrote, got "
            f"{folder}. Name the file in it that is published."
        )
    return StudyCertificate.from_json(read_document(folder / CERTIFICATE))


def release_guarantee(folder: Path) -> float | None:
    """ε that the certificate claims for whole genotypes; `deniable check` says whether it holds.

    None for a release about who is a case among known participants: it promises nothing about
    who takes part.
    """
    certificate = _certificate(folder)
    if certificate.unit.adjacency != StudyAdjacency.GENOTYPE.value:
        return None
    return float(certificate.guarantee.epsilon)


def released_table(folder: Path) -> PublishedTable:
    r"""What a release says of frequencies.

    Noisy counts are taken with the law of their noise, by the certificate's scale. Where names
    alone are published, a name says that the variant stood out: of m variants that nothing moves,
    the M that stand highest have \|z\| above c with 2 Φ(−c) = M/m, and on average φ(c)/Φ(−c). That
    leaves out the noise of the choice, so it says more than the release does. Order is not used.

    Raises
    ------
    InvalidArgument
        If it is no folder of a genome study's release.
    DataError
        If its results are not what a release writes.
    """
    certificate = _certificate(folder)
    if certificate.statistics is not None:
        scale = certificate.statistics.scale
        table = published_table(folder / _RESULTS)
        counted = {name: each for name, each in table.frequencies.items() if each.counted}
        if set(counted) != {"cases", "controls"} or scale is None:
            raise DataError(
                f"Expected noisy counts of cases and controls, got none at {folder / _RESULTS}. "
                "Copy the folder again."
            )
        return attrs.evolve(
            table,
            frequencies=counted,
            effects=None,
            people=None,
            noise=scale,
            what=("noisy allele counts in cases and controls, with the law of their noise",),
        )
    return _names(folder, certificate)


def _names(folder: Path, certificate: StudyCertificate) -> PublishedTable:
    rows = _columns(folder)
    share = min(certificate.selection.top / certificate.study.variants, 1.0)
    line = float(-ndtri(share / 2))
    # mean and variance of |z| above the line c: μ = φ(c)/Φ(−c), 1 + c μ − μ²
    mean = math.exp(-(line**2) / 2) / math.sqrt(2 * math.pi) / float(ndtr(-line))
    variance = max(1 + line * mean - mean**2, 0.0)
    names, first, second = rows
    size = len(names)
    nothing = Measured(np.full(size, np.nan), np.full(size, np.nan))
    # an even law of half-width h has the variance h²/3
    z = Measured(np.full(size, mean), np.full(size, math.sqrt(3 * variance)))
    effects = Effects(nothing, nothing, z, np.zeros(size), allelic=True)
    return PublishedTable(
        np.array(names, dtype=object),
        False,
        np.array(first, dtype=object),
        np.array(second, dtype=object),
        {},
        effects,
        None,
        ("names of chosen variants: that they stood out, in neither direction",),
    )


def _columns(folder: Path) -> list[list[str]]:
    table = text_table(folder / _RESULTS)
    if not set(_NAMES) <= set(table.column_names):
        raise DataError(
            f"Expected columns {', '.join(_NAMES)}, got others at {folder / _RESULTS}. Copy the "
            "folder again."
        )
    return [table[name].to_pylist() for name in _NAMES]
