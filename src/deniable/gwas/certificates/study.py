"""The certificate of a case-control study's release, as frozen values that mirror its JSON.

There is no field for a count of genotypes, a missing call or a score before noise.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import attrs

from deniable.certificate import model
from deniable.certificate.model import CertifiedPart, NamedUnit, read, structure
from deniable.certificate.results import as_array
from deniable.errors import InvalidArgument, validate
from deniable.errors.late import pa
from deniable.gwas.public_filters import Families, StudyFilters, Window
from deniable.notions.adversaries import BoundedPriors


def _number(value: int) -> int:
    # Writers of JSON may write 1000.0, of which no exact fraction is made.
    return validate.integer(value, "a number of people or variants", least=1)


@attrs.frozen
class Stratum:
    """Public numbers of a stratum: its cases and its controls, neither of which is 0."""

    cases: int = attrs.field(converter=_number)
    controls: int = attrs.field(converter=_number)


@attrs.frozen
class StudySize:
    """Public numbers of a study: cases R, controls S, variants in the file.

    Strata are those that have cases and controls, the largest first; none where people were not
    divided.
    """

    cases: int = attrs.field(converter=_number)
    controls: int = attrs.field(converter=_number)
    variants: int = attrs.field(converter=_number)
    strata: tuple[Stratum, ...] = ()

    def __attrs_post_init__(self) -> None:
        if (
            sum(each.cases for each in self.strata) > self.cases
            or sum(each.controls for each in self.strata) > self.controls
        ):
            raise InvalidArgument("Expected no more people in strata than in the study, got more.")

    @property
    def divided(self) -> tuple[tuple[int, int], ...]:
        """Cases and controls of each stratum."""
        return tuple((each.cases, each.controls) for each in self.strata)

    def as_json(self) -> dict[str, Any]:
        """What the certificate holds; strata only where there are some."""
        return attrs.asdict(self, filter=lambda field, value: value != field.default)


@attrs.frozen
class StudyAdversary:
    """What the adversary may believe before, [a, b], and who says so.

    The source is "default" of the adjacency, or "assumption" of the owner about the adversary; the
    sentence is the same in words.
    """

    prior: BoundedPriors
    source: str
    sentence: str


@attrs.frozen(kw_only=True)
class GenomeCertificate(model.Certificate):
    """A certificate of something published of a study's cases and controls.

    The unit's adjacency is "genotype" or "swap"; missing calls became "refuse", "major" or "panel".
    The report has the releaser's words as far as given: title, organisation, study,
    contact, text.
    """

    FILES: ClassVar[tuple[str, ...]] = ("report.html", "results.csv", "results.parquet")
    LIBRARIES: ClassVar[Mapping[str, str]] = {
        "opendp": "opendp", "numpy": "numpy", "scipy": "scipy",
    }  # fmt: skip

    unit: NamedUnit
    study: StudySize
    missing: str
    study_adversary: StudyAdversary
    report: Mapping[str, str] = attrs.field(factory=dict)
    filters: StudyFilters = attrs.field(factory=StudyFilters)
    families: Families | None = None

    @property
    def adversary(self) -> BoundedPriors:
        """What the adversary may believe before, [a, b]."""
        return self.study_adversary.prior

    def own(self) -> dict[str, Any]:
        """The study, the adversary, and what was chosen by public rules; a kind adds its own."""
        prior = self.adversary
        values: dict[str, Any] = {
            "study": self.study.as_json(),
            "missing": self.missing,
            "adversary": {
                "prior": [prior.low, prior.high],
                "source": self.study_adversary.source,
                "sentence": self.study_adversary.sentence,
            },
            "target": {"kind": self.target.kind, "value": self.target.value},
        }
        if self.is_first:
            return values
        filters = self.filters.as_json()
        values |= {"filters": filters} if filters else {}
        values |= {} if self.families is None else {"families": self.families.as_json()}
        return values | ({"report": self.report} if self.report else {})


def common_of_genomes(parts: Mapping[str, Any]) -> dict[str, Any]:
    """What `read` gave, as arguments of `GenomeCertificate`."""
    adversary = parts["adversary"]
    return {
        **model.common(parts),
        "unit": NamedUnit(**parts["unit"]),
        "study": structure(StudySize, parts["study"]),
        "missing": parts["missing"],
        "study_adversary": StudyAdversary(
            **(adversary | {"prior": BoundedPriors(*adversary["prior"])})
        ),
        "report": parts.get("report", {}),
        "filters": structure(StudyFilters, parts.get("filters", {})),
        "families": Families(**parts["families"]) if "families" in parts else None,
        "format": parts["format"],
    }


@attrs.frozen
class NoisyAlleles:
    """Noisy statistics of a variant; everything but the two counts follows from them.

    Copies of allele 1 may be negative, with the half-width of each of the two; frequencies are
    clamped to [0, 1]; χ² is the allelic one of these frequencies, None where both are 0 or both are
    1. Bounds are of the exact counts, within what is possible, of the exact frequencies, and of the
    exact χ², which counts as 0 where everybody has the same two alleles. Where its lower bound is
    above 0, noise alone does not explain the difference.

    Each pair of bounds holds what the study itself has, without noise, with a probability of at
    least 95 % over the noise; each pair on its own, not all at once. How the participants stand for
    others is another question, which they say nothing about.
    """

    cases_allele_1: int
    controls_allele_1: int
    half_width_95: float
    cases_frequency: float
    controls_frequency: float
    chi_squared: float | None
    cases_allele_1_low: int
    cases_allele_1_high: int
    controls_allele_1_low: int
    controls_allele_1_high: int
    cases_frequency_low: float
    cases_frequency_high: float
    controls_frequency_low: float
    controls_frequency_high: float
    chi_squared_low: float
    chi_squared_high: float
    above_noise: bool


@attrs.frozen
class ReleasedVariant:
    """A variant that was chosen, the first of rank 1; its name and place are public."""

    rank: int
    variant: str
    chromosome: str
    position: int
    allele_1: str
    allele_2: str
    noisy: NoisyAlleles | None = None


def study_table(released: Sequence[ReleasedVariant]) -> "pa.Table":
    """A row a variant, by rank; with columns of noisy statistics where there are some."""
    columns = _columns(released, ReleasedVariant)
    if noisy := [each.noisy for each in released if each.noisy is not None]:
        columns |= _columns(noisy, NoisyAlleles)
    return pa.table(columns)


def _columns(rows: Sequence[Any], kind: type) -> dict[str, "pa.Array"]:
    """Return the column of each field that holds one value."""
    return {
        field.name: as_array([getattr(row, field.name) for row in rows], ARROW[field.type])
        for field in attrs.fields(kind)
        if field.type in ARROW
    }


ARROW: Mapping[Any, str] = {
    int: "int64", float: "float64", float | None: "float64", bool: "bool", bool | None: "bool",
    str: "string",
}  # fmt: skip
"""Arrow's types of the values of a row."""


FORMAT = "deniable-gwas-certificate/2.1"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-gwas-certificate/1"
"""The first: without digests; it is read and no longer made."""


@attrs.frozen
class Threshold:
    """The threshold of significance; public, and independent of the data.

    The rule is "bonferroni" or a "p-value", in allelic χ² that a significant variant reaches.
    """

    rule: str
    p_value: float | None
    chi_squared: float


@attrs.frozen
class CertifiedSelection:
    """How the variants were chosen: so many, in order, by a score and what it counts in.

    The part is grid step, sensitivity in steps, mechanism, scale in score units and share; its
    half-width is the score by which, in 95 of 100, no variant left out exceeds a chosen one. The
    threshold is for the distance and the stratified score; the window is removed around each chosen
    variant before the next one is chosen.
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

    Noisy allele counts of the chosen variants, where they were published; chromosomes of all
    variants that were tested, in the order of the file, which the report draws.
    """

    SCHEMA: ClassVar[str] = "study_schema.json"
    EARLIER: ClassVar[tuple[str, ...]] = (FORMAT_1, "deniable-gwas-certificate/2")
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "study", "missing", "adversary", "target", "guarantee",
        "derivation", "selection", "statistics", "assumptions", "not_covered", "versions",
        "chromosomes", "filters", "families", "report",
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
        return [part for part in (self.selection.part, self.statistics) if part is not None]

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
        """The certificate that a JSON object holds."""
        parts = read(document, cls.SCHEMA)
        return cls(
            **common_of_genomes(parts),
            selection=structure(CertifiedSelection, parts["selection"]),
            statistics=parts["statistics"] and structure(CertifiedPart, parts["statistics"]),
            chromosomes=structure(tuple[Chromosome, ...], parts.get("chromosomes", ())),
        )
