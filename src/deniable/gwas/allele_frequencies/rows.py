"""What is published of noisy counts: it follows from them and from public numbers alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.gwas.allele_frequencies.request import PreparedFrequencies
from deniable.gwas.certificates import Frequencies
from deniable.gwas.genotypes import Variants
from deniable.pipeline.kind import PublishedRows

_NAMES = {
    "variant": "identifier",
    "chromosome": "chromosome",
    "position": "position",
    "allele": "allele_1",
    "other_allele": "allele_2",
}
"""Columns of the results, and what `Variants` calls them."""

_MOST_COPIES = 2**63
"""Totals of copies are 64-bit integers."""


def publish_rows(
    noisy: NDArray[np.int64], variants: Variants, prepared: PreparedFrequencies
) -> Frequencies:
    """Rows variant by variant in the order of the file, the groups of each in turn.

    The published count is the possible one nearest to the noisy count: that brings it no farther
    from the exact count, which is possible. So an interval about it covers at least as often as
    one about the noisy count, and is never empty.

    Parameters
    ----------
    noisy : array of int64, shape (n_variants · n_groups,)
        Copies of allele 1 with noise.
    variants : Variants
        The listed ones.
    prepared : PreparedFrequencies
        Public numbers and the noise.
    """
    number, people = len(variants), prepared.people
    copies = 2 * np.tile(np.array(list(people.values()), dtype=np.int64), number)
    width = int(prepared.half_width_95)
    counts = np.clip(noisy, 0, copies)
    columns: dict[str, NDArray[Any]] = {
        "group": np.tile(np.array(list(people), dtype=np.object_), number),
        **{name: np.repeat(getattr(variants, own), len(people)) for name, own in _NAMES.items()},
        "noisy_count": noisy,
        "count": counts,
        "frequency": counts / copies,
        "half_width_95": np.full(len(noisy), prepared.half_width_95),
        "frequency_low": _outwards(np.maximum(counts - width, 0), copies, -np.inf),
        "frequency_high": _outwards(np.minimum(counts + width, copies), copies, np.inf),
    }
    if prepared.beacon is not None:
        columns["present"] = noisy >= prepared.beacon.threshold
    return Frequencies(columns)


def _outwards(
    part: NDArray[np.int64], total: NDArray[np.int64], side: float
) -> NDArray[np.float64]:
    """part / total, to a float on that side of it, or to it where a float is that exactly."""
    share = part / total
    # In lowest terms its denominator is a power of two, small enough for a float.
    denominator = total // np.gcd(part, total)
    exact = (denominator & (denominator - 1)) == 0
    return np.where(exact, share, np.nextafter(share, side))


def rebuild_rows(prepared: PreparedFrequencies, rows: PublishedRows) -> Frequencies:
    """Of rows somebody published, everything but names and noisy counts computed again.

    Raises
    ------
    InvalidArgument
        If a name is no text, a noisy count none of 64 bits, or groups differ in their variants.
    """
    groups = len(prepared.people)
    first = [_read_names(row) for row in rows[::groups]]
    for other in range(1, groups):
        if [_read_names(row) for row in rows[other::groups]] != first:
            raise InvalidArgument("Expected the same variants in every group, got others.")
    noisy = np.array([_copies(row) for row in rows], dtype=np.int64)
    names = {own: [row[name] for row in first] for name, own in _NAMES.items()}
    return publish_rows(noisy, Variants(**names), prepared)


def _read_names(row: Mapping[str, Any]) -> dict[str, Any]:
    place = {name: row.get(name) for name in _NAMES}
    kinds = {name: int if name == "position" else str for name in _NAMES}
    if not all(isinstance(place[name], kind) for name, kind in kinds.items()):
        raise InvalidArgument("Expected a name and a place of every variant, got none.")
    return place


def _copies(row: Mapping[str, Any]) -> int:
    value = row.get("noisy_count")
    if not isinstance(value, int) or not -_MOST_COPIES <= value < _MOST_COPIES:
        raise InvalidArgument("Expected noisy counts of 64 bits, got others.")
    return value
