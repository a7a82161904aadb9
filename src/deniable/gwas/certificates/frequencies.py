"""The certificate of noisy allele frequencies of many variants, as frozen values.

There is no field for a count of genotypes, a missing call or a frequency before noise.
"""

from typing import Any, ClassVar, Self

import attrs

from deniable.certificate.model import CertifiedPart, part, read
from deniable.gwas.certificates.genome import GenomeCertificate, common_of_genomes

FORMAT = "deniable-frequencies-certificate/2"
"""What the JSON calls itself; files are named by their digests from the beginning, as in 2."""

SCHEMA = "frequencies_schema.json"
"""Its schema in the package."""


@attrs.frozen
class Counted:
    """What was counted, at which variants.

    Parameters
    ----------
    of : str
        "cases", "controls", "everybody" (cases and controls together) or "both" (each apart).
    listed : str
        "list": a public list of variants; "file": all variants of the file.
    part : CertifiedPart
        Copies of allele 1 in every group at every variant, in one vector.
    half_width_95_all : float
        What the errors of all published counts stay within together, in 95 of 100 releases.
    """

    of: str
    listed: str
    part: CertifiedPart
    half_width_95_all: float


@attrs.frozen
class Attacker:
    """What somebody reaches who knows a person's genome and the population's frequencies.

    Parameters
    ----------
    deviation : float
        Standard deviation s of the log likelihood ratio, over the noise and who the members are.
    belief : float
        To which a belief of ½ grows, for a member of whom 2 in 100 give more away.
    power : float
        Share of members that are recognised where 1 in 20 strangers is taken for one.
    """

    deviation: float
    belief: float
    power: float


@attrs.frozen
class Compared:
    """Frequencies with and without noise: what they give away, and what they are worth.

    Theory for unlinked variants, in the smallest published group; no guarantee.

    Parameters
    ----------
    people : int
        In that group.
    exact, noisy : Attacker
        On as many exact frequencies, and on these.
    as_of_people : float
        How many people's exact frequencies are as precise as these, at frequency ½.
    as_of_people_rare : float
        The same at frequency .05.
    """

    people: int
    exact: Attacker
    noisy: Attacker
    as_of_people: float
    as_of_people_rare: float


@attrs.frozen
class Beacon:
    """From which noisy count on an allele is called present.

    Parameters
    ----------
    false_yes : float
        The largest probability of a yes where nobody carries the allele; asked for.
    threshold : int
        The least noisy count with the answer yes.
    seen : int
        Copies of an allele that are called present with a probability of at least 95 %.
    """

    false_yes: float
    threshold: int
    seen: int


@attrs.frozen(kw_only=True)
class FrequenciesCertificate(GenomeCertificate):
    """Everything that the certificate.json of noisy frequencies holds.

    Parameters
    ----------
    counted : Counted
        What was counted, and its noise.
    compared : Compared
        Beside as many exact frequencies.
    beacon : Beacon or None
        How presence was decided, where it was asked for.
    format : str
        What the JSON calls itself.
    """

    SCHEMA: ClassVar[str] = SCHEMA
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "study", "missing", "adversary", "target", "guarantee",
        "derivation", "counted", "compared", "beacon", "assumptions", "not_covered", "versions",
        "filters", "report",
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
        """Of an exception so probable that it is to be expected for somebody."""
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
        """The certificate that a JSON object holds.

        Raises
        ------
        InvalidArgument
            If it does not fit the schema, naming the place as a JSON pointer.
        """
        parts = read(document, SCHEMA)
        counted, beacon = parts["counted"], parts["beacon"]
        attackers = {name: Attacker(**parts["compared"][name]) for name in ("exact", "noisy")}
        return cls(
            **common_of_genomes(parts),
            counted=Counted(**(counted | {"part": part(counted["part"])})),
            compared=Compared(**(parts["compared"] | attackers)),
            beacon=None if beacon is None else Beacon(**beacon),
        )
