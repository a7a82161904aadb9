"""The certificate of a case-control study's release, as frozen values that mirror its JSON.

There is no field for a count of genotypes, a missing call or a score before noise.
"""

from typing import Any, ClassVar, Self

import attrs

from deniable.certificate.model import CertifiedPart, part, read
from deniable.errors import InvalidArgument
from deniable.gwas.certificates.genome import GenomeCertificate, common_of_genomes
from deniable.gwas.public_filters import Window

FORMAT = "deniable-gwas-certificate/2"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-gwas-certificate/1"
"""The one before: without digests; it is read and no longer made."""

SCHEMA = "study_schema.json"
"""Its schema in the package."""


@attrs.frozen
class Threshold:
    """Where significance begins; public, and independent of the data.

    Parameters
    ----------
    rule : str
        "bonferroni" or "p-value".
    p_value : float or None
        The p-value, where the rule is one.
    chi_squared : float
        The allelic χ² that a significant variant reaches.
    """

    rule: str
    p_value: float | None
    chi_squared: float


@attrs.frozen
class CertifiedSelection:
    """How the variants were chosen.

    Parameters
    ----------
    top : int
        How many variants were released, in order.
    score : str
        "distance", "allelic", "genotypic", "trend" or "stratified".
    score_unit : str
        What the score counts in.
    threshold : Threshold or None
        For the distance and the stratified score.
    part : CertifiedPart
        Grid step, sensitivity in steps, mechanism, scale in score units and share; its half-width
        is the score by which, in 95 of 100, no variant left out exceeds a chosen one.
    window : Window or None
        What is removed around each chosen variant before the next one is chosen.
    """

    top: int
    score: str
    score_unit: str
    threshold: Threshold | None
    part: CertifiedPart
    window: Window | None = None

    def as_json(self) -> dict[str, Any]:
        """Its values; without a window where there is none."""
        values = attrs.asdict(self)
        del values["window"]
        return values if self.window is None else values | {"window": self.window.as_json()}


@attrs.frozen
class Chromosome:
    """A chromosome of the file, and the first and last position of a variant on it; public."""

    name: str
    first: int
    last: int

    def __attrs_post_init__(self) -> None:
        if self.last < self.first:
            raise InvalidArgument(
                f"Expected first <= last on a chromosome, got first={self.first}, last={self.last}."
            )


@attrs.frozen(kw_only=True)
class StudyCertificate(GenomeCertificate):
    """Everything that the certificate.json of a study holds.

    Parameters
    ----------
    selection : CertifiedSelection
        How the variants were chosen.
    statistics : CertifiedPart or None
        Noisy allele counts of the chosen variants, where they were published.
    chromosomes : tuple of Chromosome
        Of all variants that were tested, in the order of the file; the report draws them.
    format : str
        What the JSON calls itself.
    """

    SCHEMA: ClassVar[str] = SCHEMA
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "study", "missing", "adversary", "target", "guarantee",
        "derivation", "selection", "statistics", "assumptions", "not_covered", "versions",
        "chromosomes", "filters", "report",
    )  # fmt: skip
    selection: CertifiedSelection
    statistics: CertifiedPart | None
    chromosomes: tuple[Chromosome, ...] = ()
    format: str = FORMAT

    @property
    def title(self) -> str:
        """What the results are, in one line."""
        return "Variants chosen by noisy scores"

    @property
    def limits(self) -> dict[str, Any]:
        """How many variants were chosen, of how many."""
        return {"top": self.selection.top, "variants": self.study.variants}

    @property
    def parts(self) -> list[CertifiedPart]:
        """The choice, and what was published of the chosen."""
        both = self.selection.part, self.statistics
        return [part for part in both if part is not None]

    def own(self) -> dict[str, Any]:
        """The study, and how its variants were chosen."""
        values = super().own() | {
            "selection": self.selection.as_json(),
            "statistics": None if self.statistics is None else attrs.asdict(self.statistics),
        }
        if not self.is_first:
            values["chromosomes"] = [attrs.asdict(each) for each in self.chromosomes]
        return values

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds.

        Raises
        ------
        InvalidArgument
            If it does not fit the schema, naming the place as a JSON pointer.
        """
        parts = read(document, SCHEMA)
        selection, statistics = parts["selection"], parts["statistics"]
        line = selection["threshold"]
        own = {
            "threshold": None if line is None else Threshold(**line),
            "part": part(selection["part"]),
            "window": Window(**selection["window"]) if "window" in selection else None,
        }
        return cls(
            **common_of_genomes(parts),
            selection=CertifiedSelection(**(selection | own)),
            statistics=None if statistics is None else part(statistics),
            chromosomes=tuple(Chromosome(**each) for each in parts.get("chromosomes", ())),
        )
