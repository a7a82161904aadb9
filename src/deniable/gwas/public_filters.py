"""Which public rules and lists chose what a study's release looked at, as its certificate says."""

import os
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate


@attrs.frozen
class NamedList:
    """A public file: its SHA-256, and how many variants it lists."""

    sha256: str
    variants: int


@attrs.frozen
class StudyFilters:
    """Rules and lists by which variants and people were chosen; none looks at a genotype.

    Variants of `extract` alone took part, and those of `exclude` did not; chromosomes alone took
    part, empty for all; the rarer allele had the least frequency in the panel. The panel is people
    who are not in the study: frequencies, and genotypes that fill missing calls. People were
    "kept", "removed" or "kept-and-removed", by lists; neither their digests nor their lengths are
    published, as somebody with a guess at a list could check it. Lines with several alternative
    alleles: "refuse", "leave-out" or "split".
    """

    extract: NamedList | None = None
    exclude: NamedList | None = None
    chromosomes: tuple[str, ...] = ()
    minimum_frequency: float | None = None
    panel: NamedList | None = None
    people: str | None = None
    multiallelic: str = "refuse"

    def check_panel(self, *, fills: bool) -> None:
        """Refuse rules that look at a panel, as to fill missing calls from, where there is none."""
        if self.panel is None and (fills or self.minimum_frequency is not None):
            raise InvalidArgument("Expected a reference panel for what it is asked for, got none.")

    def as_json(self) -> dict[str, Any]:
        """What was asked for, and nothing else; empty where nothing was."""
        return attrs.asdict(self, filter=lambda field, value: value != field.default)


@attrs.frozen
class Window:
    """What is removed around each chosen variant: a distance in kilobases or in centimorgans.

    To either side, finite, > 0; of the public map's file the SHA-256.
    """

    kb: float | None = None
    cm: float | None = None
    map_sha256: str | None = None

    def as_json(self) -> dict[str, Any]:
        """What was asked for, and nothing else."""
        return {key: value for key, value in attrs.asdict(self).items() if value is not None}


FAM = "fam"
"""The word for the families of the study's own file of people."""
_SOURCES = ("stated", FAM, "list")
"""The sources of families: the owner's word, the study's own files, or another file."""


_MOST_PEOPLE = 2**26 - 1
"""Participants of a study that its certificate holds."""


def _size(value: Any) -> int:
    size = validate.integer(value, "family_size", least=2)
    if size > _MOST_PEOPLE:
        raise InvalidArgument(f"Expected family_size <= {_MOST_PEOPLE:,}, got a larger one.")
    return size


@attrs.frozen
class Families:
    """The most participants of one family, and where families come from; public.

    The size is stated and never read off the study, so that noise depends on no file. Families are
    compared with it where the owner names them: by a path, or "fam" for the study's own.
    """

    size: int = attrs.field(converter=_size)
    source: str = "stated"
    path: str | os.PathLike[str] | None = attrs.field(default=None, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        validate.one_of(self.source, _SOURCES, "families")

    @classmethod
    def of(cls, families: Any, size: int | None, adjacency: str) -> "Families | None":
        """The families of raw arguments; None where each person is alone."""
        if size is None:
            if families is not None:
                raise InvalidArgument(
                    "Expected family_size with families, got none. State how many participants of "
                    "one family there are at most (--family-size): the size has to be public, and "
                    "is not read off the file."
                )
            return None
        if str(adjacency) != "genotype":
            raise InvalidArgument(
                f"Expected adjacency=genotype with family_size, got {adjacency}. The number of "
                "cases is public there, and families of different sizes are many exchanges apart. "
                "Leave family_size (--family-size) out."
            )
        source = "stated" if families is None else FAM if families == FAM else "list"
        return cls(size, source, families)

    def as_json(self) -> dict[str, Any]:
        """Size and source; of a list not even its name, which may be a person's."""
        return {"size": self.size, "source": self.source}
