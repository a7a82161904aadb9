"""A public list of variants, and where they stand in a study."""

import os
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.lines import rows
from deniable.gwas.genotypes import Variants
from deniable.gwas.published_names import shown_name

Listed: TypeAlias = str | os.PathLike[str] | Sequence[str]
"""A file with a name a line, or the names themselves."""


def names_of(listed: Listed) -> tuple[str, ...]:
    """The names on a list, each once.

    Parameters
    ----------
    listed : path or sequence of str
        A file with one name a line, packed by gzip where its name ends in .gz; lines that begin
        with # are left out. Or the names.

    Raises
    ------
    InvalidArgument
        If the file is missing, the list is empty, or names a variant twice.
    DataError
        If a line holds more than a name.
    """
    where = "in the list of variants"
    if isinstance(listed, str | os.PathLike):
        path = Path(listed)
        where = f"at {path}"
        if not path.is_file():
            raise InvalidArgument(f"Expected a list of variants {path}, got none. Check the name.")
        lines = [line for line in rows(path) if not line[0].startswith("#")]
        if any(len(line) > 1 for line in lines):
            raise DataError(
                f"Expected one name a line in a list of variants, got more {where}. Leave the "
                "column of names only."
            )
        names = [line[0] for line in lines]
    else:
        names = list(listed)
        if not all(isinstance(name, str) for name in names):
            raise InvalidArgument("Expected names of variants, got others. Give texts.")
    if not names:
        raise InvalidArgument(f"Expected a variant or more, got none {where}. Name one a line.")
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InvalidArgument(
            f"Expected every variant once, got {shown_name(twice)} twice {where}. Remove "
            "duplicates; counted twice a person would add to the counts twice."
        )
    return tuple(names)


def places_of(names: Sequence[str], variants: Variants) -> NDArray[np.int64]:
    """Where the listed variants stand, in the order of the file, which is public.

    Raises
    ------
    InvalidArgument
        If one is not there, or its name is several variants'.
    """
    wanted = set(names)
    listed = np.fromiter((name in wanted for name in variants.identifier), bool, len(variants))
    (places,) = np.nonzero(listed)
    found = Counter(variants.identifier[places].tolist())
    if len(found) < len(wanted):
        raise InvalidArgument(_not_there(names, found))
    if len(places) > len(wanted):
        twice, number = found.most_common(1)[0]
        raise InvalidArgument(
            f"Expected names that one variant has, got {shown_name(twice)}, which {number} "
            "variants of the study have. Give every variant a name of its own in the file, or "
            "publish all of the file's."
        )
    return places


def _not_there(names: Sequence[str], found: Collection[str]) -> str:
    lost = [name for name in names if name not in found]
    return (
        f"Expected variants of the study's file on autosomes, got {len(lost)} of {len(names)} that "
        f"are not there, such as {shown_name(lost[0])}. Take them off the list; those on X, Y and "
        "mitochondria are not counted, nor those that a panel lacks."
    )
