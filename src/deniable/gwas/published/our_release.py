"""The folder of a release of ours: its names, its noisy counts, and what its certificate claims."""

import math
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from scipy.special import ndtr, ndtri

from deniable.certificate.files import CERTIFICATE
from deniable.certificate.json_documents import read_document
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.certificates import FrequenciesCertificate, StudyCertificate
from deniable.gwas.published.columns import read_published_table
from deniable.gwas.published.statistics import Effects, Frequency, PublishedTable
from deniable.gwas.published.text_table import Measured, parse_numbers, text_table
from deniable.gwas.scores import StudyAdjacency

_RESULTS = "results.csv"
_FREQUENCIES = "deniable-frequencies-certificate/"
_GROUPS = {"cases": "cases", "controls": "controls", "pool": "everybody"}
_NAMES = ["variant", "allele_1", "allele_2"]


def _document(folder: Path) -> Any:
    if not (folder / CERTIFICATE).is_file() or not (folder / _RESULTS).is_file():
        raise InvalidArgument(
            f"Expected a file of statistics, or a folder that deniable gwas release wrote, got "
            f"{folder}. Name the file in it that is published."
        )
    return read_document(folder / CERTIFICATE)


def _of_frequencies(document: Any) -> bool:
    return str(document.get("format", "")).startswith(_FREQUENCIES)


@attrs.frozen
class Promise:
    """ε and δ that a certificate claims for whole genotypes."""

    epsilon: float
    delta: float


def release_guarantee(folder: Path) -> Promise | None:
    """What the certificate claims for whole genotypes; `deniable check` says whether it holds.

    None for a release about who is a case among known participants: it promises nothing about
    who takes part.
    """
    document = _document(folder)
    kind = FrequenciesCertificate if _of_frequencies(document) else StudyCertificate
    certificate = kind.from_json(document)
    if certificate.unit.adjacency != StudyAdjacency.GENOTYPE.value:
        return None
    return Promise(certificate.guarantee.epsilon, certificate.guarantee.delta)


def read_released_table(folder: Path) -> PublishedTable:
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
    document = _document(folder)
    if _of_frequencies(document):
        return _frequencies(folder, FrequenciesCertificate.from_json(document))
    certificate = StudyCertificate.from_json(document)
    if certificate.statistics is not None:
        scale = certificate.statistics.scale
        table = read_published_table(folder / _RESULTS)
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


def _frequencies(folder: Path, certificate: FrequenciesCertificate) -> PublishedTable:
    """Noisy counts before they were clamped, one table a group; error of a normal law."""
    part = certificate.counted.part
    rows = text_table(folder / _RESULTS)
    wanted = {"group", "variant", "allele", "other_allele", "noisy_count"}
    if not wanted <= set(rows.column_names) or part.scale is None:
        raise DataError(
            f"Expected noisy counts by group, got none at {folder / _RESULTS}. Copy the folder "
            "again."
        )
    groups = np.array(rows["group"].to_pylist(), dtype=object)
    counts = parse_numbers(rows["noisy_count"]).value
    own = {name: np.flatnonzero(groups == word) for name, word in _GROUPS.items()}
    own = {name: where for name, where in own.items() if len(where)}
    if len({len(where) for where in own.values()}) != 1:
        raise DataError(
            f"Expected the same variants in each group, got others at {folder / _RESULTS}. Copy "
            "the folder again."
        )
    first = next(iter(own.values()))
    words = [
        np.array(rows[name].to_pylist(), dtype=object)[first]
        for name in ("variant", "allele", "other_allele")
    ]
    frequencies = {
        name: Frequency(Measured(counts[where], 0 * counts[where]), None, counted=True)
        for name, where in own.items()
    }
    what = "noisy allele counts, with the law of their noise"
    return PublishedTable(
        words[0], False, words[1], words[2], frequencies, None, None, (what,),
        deviation=part.scale,
    )  # fmt: skip


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
