"""Which public rules and lists chose what a study's release looked at, as its certificate says."""

from collections.abc import Mapping
from typing import Any

import attrs

from deniable.errors import InvalidArgument


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
        settings = attrs.asdict(self)
        filters = {key: value for key, value in settings.items() if value not in (None, (), [])}
        if self.multiallelic == "refuse":
            del filters["multiallelic"]
        if self.chromosomes:
            filters["chromosomes"] = list(self.chromosomes)
        return filters

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "StudyFilters":
        """What `as_json` gave; the schema has been checked."""
        lists: dict[str, Any] = {
            key: NamedList(**document[key])
            for key in ("extract", "exclude", "panel")
            if key in document
        }
        rest = {key: document[key] for key in document if key not in lists}
        chromosomes = tuple(rest.pop("chromosomes", ()))
        return cls(**lists, **rest, chromosomes=chromosomes)


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
