"""The certificate of noisy allele frequencies of many variants, as frozen values.

There is no field for a count of genotypes, a missing call or a frequency before noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeAlias, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.model import CertifiedPart, read, structure
from deniable.certificate.results import as_array
from deniable.errors.late import pa
from deniable.gwas.certificates.study import ARROW, GenomeCertificate, common_of_genomes


@attrs.frozen
class PublishedFrequency:
    """One published row: a variant in a group ("cases", "controls" or "everybody").

    Copies of `allele` are counted. The noisy count is as drawn: it may be negative, or above what
    is possible; `count` is brought to the nearest number that is possible, 0 to twice the people,
    and the frequency is its share of all copies. The half-width is of both counts, each variant on
    its own. The exact frequency lies between the bounds with a probability of at least 95 %.
    `present` says whether the noisy count reaches a Beacon's threshold; None where none was asked
    for.
    """

    group: str
    variant: str
    chromosome: str
    position: int
    allele: str
    other_allele: str
    noisy_count: int
    count: int
    frequency: float
    half_width_95: float
    frequency_low: float
    frequency_high: float
    present: bool | None = None


Columns: TypeAlias = dict[str, NDArray[np.generic]]
"""Columns by the names of `PublishedFrequency`."""


_SAME = attrs.cmp_using(
    eq=lambda one, other: (
        one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)
    )
)


@attrs.frozen
class Frequencies(Sequence[PublishedFrequency]):
    """All rows, kept as columns: of a million variants there is no object each.

    The columns, (n_rows,), are by the names of `PublishedFrequency`; without `present` where no
    Beacon was asked for.
    """

    columns: Columns = attrs.field(eq=_SAME, hash=False, repr=False)

    def __len__(self) -> int:
        return len(self.columns["noisy_count"])

    @overload
    def __getitem__(self, index: int) -> PublishedFrequency: ...
    @overload
    def __getitem__(self, index: slice) -> Frequencies: ...
    def __getitem__(self, index: int | slice) -> PublishedFrequency | Frequencies:
        if isinstance(index, slice):
            return Frequencies({name: column[index] for name, column in self.columns.items()})
        if not -len(self) <= index < len(self):
            raise IndexError("Expected the number of a row, got one beyond the last.")
        # Objects are texts; numbers of NumPy become Python's.
        values = {name: column[index : index + 1 or None] for name, column in self.columns.items()}
        return PublishedFrequency(**{name: value.tolist()[0] for name, value in values.items()})


def in_columns(rows: Sequence[PublishedFrequency]) -> Frequencies:
    """The rows of a release, which are kept so from the beginning."""
    if not isinstance(rows, Frequencies):
        raise AssertionError("frequencies are kept as columns")
    return rows


def frequencies_table(rows: Sequence[PublishedFrequency]) -> pa.Table:
    """A row a variant and group, in their order; with `present` where a Beacon was asked for."""
    columns = in_columns(rows).columns
    fields = attrs.fields(attrs.resolve_types(PublishedFrequency))
    kinds = {each.name: ARROW[each.type] for each in fields if each.name in columns}
    return pa.table({name: as_array(columns[name].tolist(), kind) for name, kind in kinds.items()})


FORMAT = "deniable-frequencies-certificate/2.1"
"""What the JSON calls itself; files are named by their digests from the beginning, as in 2."""


@attrs.frozen
class Counted:
    """What was counted, at which variants.

    Of "cases", "controls", "everybody" (cases and controls together) or "both" (each apart); at a
    public "list" of variants, or all of the "file". The part is copies of allele 1 in every group
    at every variant, in one vector; all errors stay within the other half-width together, in 95 of
    100 releases.
    """

    of: str
    listed: str
    part: CertifiedPart
    half_width_95_all: float


@attrs.frozen
class Attacker:
    """What somebody reaches who knows a person's genome and the population's frequencies.

    The deviation s is of the log likelihood ratio, over the noise and who the members are. The
    belief is the one to which ½ grows for a member of whom 2 % give more away. The power is
    the share of members that are recognised where 1 in 20 strangers is taken for one.
    """

    deviation: float
    belief: float
    power: float


@attrs.frozen
class Compared:
    """Frequencies with and without noise: what they give away, and what they are worth.

    Theory for unlinked variants, in the smallest published group; no guarantee. So many people's
    exact frequencies are as precise as these, at frequency ½ and at 0.05.
    """

    people: int
    exact: Attacker
    noisy: Attacker
    as_of_people: float
    as_of_people_rare: float


@attrs.frozen
class Beacon:
    """The noisy count from which on an allele is called present.

    A yes where nobody carries it has at most the probability that was asked for; so many copies are
    `seen` with a probability of at least 95 %.
    """

    false_yes: float
    threshold: int
    seen: int


@attrs.frozen(kw_only=True)
class FrequenciesCertificate(GenomeCertificate):
    """Everything that the certificate.json of noisy frequencies holds."""

    SCHEMA: ClassVar[str] = "frequencies_schema.json"
    EARLIER: ClassVar[tuple[str, ...]] = ("deniable-frequencies-certificate/2",)
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "study", "missing", "adversary", "target", "guarantee",
        "derivation", "counted", "compared", "beacon", "assumptions", "not_covered", "versions",
        "filters", "families", "report",
    )  # fmt: skip
    counted: Counted
    compared: Compared
    beacon: Beacon | None
    format: str = FORMAT

    @property
    def title(self) -> str:
        """What the results are, in one line."""
        return "Allele frequencies with noise"

    @property
    def limits(self) -> dict[str, Any]:
        """How many variants are published, of which group."""
        return {"variants": self.study.variants, "of": self.counted.of}

    @property
    def parts(self) -> list[CertifiedPart]:
        """All counts are one vector."""
        return [self.counted.part]

    def further_cautions(self) -> list[str]:
        """Warn of an exception so probable that it is to be expected for somebody."""
        people = self.study.cases + self.study.controls
        if self.guarantee.exceedance * people < 1:
            return []
        return [
            f"Among {people:,} people the limit on beliefs may be passed for one or more: δ is "
            "not below 1 in their number."
        ]

    def own(self) -> dict[str, Any]:
        """The study, what was counted in it, and what that is worth."""
        return super().own() | {
            "counted": attrs.asdict(self.counted),
            "compared": attrs.asdict(self.compared),
            "beacon": None if self.beacon is None else attrs.asdict(self.beacon),
        }

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds."""
        parts = read(document, cls.SCHEMA)
        return cls(
            **common_of_genomes(parts),
            counted=structure(Counted, parts["counted"]),
            compared=structure(Compared, parts["compared"]),
            beacon=None if parts["beacon"] is None else Beacon(**parts["beacon"]),
        )
