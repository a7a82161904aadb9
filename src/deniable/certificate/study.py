"""The certificate of a case-control study's release, as frozen values that mirror its JSON.

There is no field for a count of genotypes, a missing call or a score before noise.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from deniable import _validate
from deniable.certificate.model import Certificate, CertifiedPart, NamedUnit, common, part, read
from deniable.errors import InvalidArgument
from deniable.priors import BoundedPriors
from deniable.public_filters import StudyFilters, Window

FORMAT = "deniable-gwas-certificate/2"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-gwas-certificate/1"
"""The one before: without digests; it is read and no longer made."""

SCHEMA = "study_schema.json"
"""Its schema in the package."""


def _number(value: int) -> int:
    # Whoever writes JSON may write 1000.0, of which no exact fraction is made.
    return _validate.integer(value, "a number of people or variants", least=1)


@attrs.frozen
class Stratum:
    """Public numbers of a stratum: its cases and its controls, neither of which is 0."""

    cases: int = attrs.field(converter=_number)
    controls: int = attrs.field(converter=_number)


@attrs.frozen
class StudySize:
    """Public numbers of a study: cases R, controls S, variants in the file.

    Parameters
    ----------
    cases, controls, variants : int
        Of the whole study.
    strata : tuple of Stratum
        Those that have cases and controls, the largest first; none where people were not divided.

    Raises
    ------
    InvalidArgument
        If a number is none, or the strata have more people than the study.
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
        numbers = {"cases": self.cases, "controls": self.controls, "variants": self.variants}
        strata = [attrs.asdict(each) for each in self.strata]
        return numbers | ({"strata": strata} if strata else {})

    @classmethod
    def of(cls, numbers: Mapping[str, Any]) -> "StudySize":
        """The size that such an object holds."""
        strata = tuple(Stratum(**each) for each in numbers.get("strata", ()))
        return cls(**{**numbers, "strata": strata})


@attrs.frozen
class StudyAdversary:
    """What the adversary may believe before, and who says so.

    Parameters
    ----------
    prior : BoundedPriors
        The ends [a, b].
    source : str
        "default" of the adjacency, or "assumption" of the owner about the adversary.
    sentence : str
        The same in words.
    """

    prior: BoundedPriors
    source: str
    sentence: str


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
class StudyCertificate(Certificate):
    """Everything that the certificate.json of a study holds.

    Parameters
    ----------
    unit : NamedUnit
        What is protected; its adjacency is "genotype" or "swap".
    study : StudySize
        Public numbers.
    missing : str
        "refuse", "major" or "panel": what became of missing calls.
    believer : StudyAdversary
        The adversary.
    selection : CertifiedSelection
        How the variants were chosen.
    statistics : CertifiedPart or None
        Noisy allele counts of the chosen variants, where they were published.
    chromosomes : tuple of Chromosome
        Of all variants that were tested, in the order of the file; the report draws them.
    report : mapping
        The releaser's words for the report: title, organisation, contact, text, as far as given.
    filters : StudyFilters
        The public lists and rules that chose variants and people.
    format : str
        What the JSON calls itself.
    """

    SCHEMA: ClassVar[str] = SCHEMA
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "study", "missing", "adversary", "target", "guarantee",
        "derivation", "selection", "statistics", "assumptions", "not_covered", "versions",
        "chromosomes", "filters", "report",
    )  # fmt: skip
    FILES: ClassVar[tuple[str, ...]] = ("report.html", "results.csv", "results.parquet")
    LIBRARIES: ClassVar[Mapping[str, str]] = {
        "opendp": "opendp", "numpy": "numpy", "scipy": "scipy",
    }  # fmt: skip

    unit: NamedUnit
    study: StudySize
    missing: str
    believer: StudyAdversary
    selection: CertifiedSelection
    statistics: CertifiedPart | None
    chromosomes: tuple[Chromosome, ...] = ()
    report: Mapping[str, str] = attrs.field(factory=dict)
    filters: StudyFilters = attrs.field(factory=StudyFilters)
    format: str = FORMAT

    @property
    def adversary(self) -> BoundedPriors:
        """What the adversary may believe before, [a, b]."""
        return self.believer.prior

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
        prior = self.adversary
        values: dict[str, Any] = {
            "study": self.study.as_json(),
            "missing": self.missing,
            "adversary": {
                "prior": [prior.low, prior.high],
                "source": self.believer.source,
                "sentence": self.believer.sentence,
            },
            "target": {"kind": self.target.kind, "value": self.target.value},
            "selection": self.selection.as_json(),
            "statistics": None if self.statistics is None else attrs.asdict(self.statistics),
        }
        if not self.is_first:
            values["chromosomes"] = [attrs.asdict(each) for each in self.chromosomes]
            chosen = self.filters.as_json()
            values |= {"filters": chosen} if chosen else {}
            values |= {"report": self.report} if self.report else {}
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
        adversary, chosen = parts["adversary"], parts["selection"]
        line, statistics = chosen["threshold"], parts["statistics"]
        own = {
            "threshold": None if line is None else Threshold(**line),
            "part": part(chosen["part"]),
            "window": Window(**chosen["window"]) if "window" in chosen else None,
        }
        return cls(
            **common(parts),
            unit=NamedUnit(**parts["unit"]),
            study=StudySize.of(parts["study"]),
            missing=parts["missing"],
            believer=StudyAdversary(**(adversary | {"prior": BoundedPriors(*adversary["prior"])})),
            selection=CertifiedSelection(**(chosen | own)),
            statistics=None if statistics is None else part(statistics),
            chromosomes=tuple(Chromosome(**each) for each in document.get("chromosomes", ())),
            report=document.get("report", {}),
            filters=StudyFilters.from_json(document.get("filters", {})),
            format=parts["format"],
        )
