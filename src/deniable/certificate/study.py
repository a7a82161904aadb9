"""The certificate of a case-control study's release, as frozen values that mirror its JSON.

There is no field for a count of genotypes, a missing call or a score before noise.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from deniable.analysis.target import Step, Target, target_of
from deniable.certificate import _json
from deniable.certificate.model import CertifiedPart, Guarantee, Sensitivity
from deniable.certificate.reading import check_values
from deniable.certificate.seal import statement_sha256
from deniable.errors import InvalidArgument
from deniable.priors import BoundedPriors

FORMAT = "deniable-gwas-certificate/2"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-gwas-certificate/1"
"""The one before: without digests; it is read and no longer made."""

SCHEMA = "study_schema.json"
"""Its schema in the package."""


@attrs.frozen
class StudyUnit:
    """What is protected.

    Parameters
    ----------
    adjacency : str
        "genotype" or "swap": how neighbouring studies differ.
    sentence : str
        The same in words; the report's first line.
    claim : str
        What an adversary believes of a person or not, to be put after "that".
    members, others : str
        Whom the claim is true of, and whom not.
    """

    adjacency: str
    sentence: str
    claim: str
    members: str
    others: str


@attrs.frozen
class StudySize:
    """Public numbers of a study: cases R, controls S, variants in the file."""

    cases: int
    controls: int
    variants: int


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
        "distance", "allelic" or "genotypic".
    score_unit : str
        What the score counts in.
    threshold : Threshold or None
        For the distance.
    part : CertifiedPart
        Grid step, sensitivity in steps, mechanism, scale in score units and share; its half-width
        is the score by which, in 95 of 100, no variant left out exceeds a chosen one.
    """

    top: int
    score: str
    score_unit: str
    threshold: Threshold | None
    part: CertifiedPart


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


@attrs.frozen
class StudyVersions:
    """What computed the release."""

    deniable: str
    opendp: str
    numpy: str
    scipy: str
    python: str


@attrs.frozen
class StudyCertificate:
    """Everything that the certificate.json of a study holds.

    Parameters
    ----------
    created : str
        ISO date of the release.
    missing : str
        "refuse" or "major": what became of missing calls.
    believer : StudyAdversary
        The adversary.
    statistics : CertifiedPart or None
        Noisy allele counts of the chosen variants, where they were published.
    assumptions, not_covered : tuple of str
        What the guarantee rests on, and what it does not speak about, in sentences.
    chromosomes : tuple of Chromosome
        Of all variants that were tested, in the order of the file; the report draws them.
    report : mapping
        The releaser's words for the report: title, organisation, contact, text, as far as given.
    format : str
        What the JSON calls itself.
    files : mapping
        SHA-256 of the other published files by name; empty before they are written.
    """

    FILES: ClassVar[tuple[str, ...]] = ("report.html", "results.csv", "results.parquet")
    """Names of the other published files."""

    created: str
    unit: StudyUnit
    study: StudySize
    missing: str
    believer: StudyAdversary
    target: Target
    guarantee: Guarantee
    derivation: tuple[Step, ...]
    selection: CertifiedSelection
    statistics: CertifiedPart | None
    assumptions: tuple[str, ...]
    not_covered: tuple[str, ...]
    versions: StudyVersions
    chromosomes: tuple[Chromosome, ...] = ()
    report: Mapping[str, str] = attrs.field(factory=dict)
    format: str = FORMAT
    files: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def title(self) -> str:
        """What the results are, in one line."""
        return "Variants chosen by noisy scores"

    @property
    def limits(self) -> dict[str, Any]:
        """How many variants were chosen, of how many."""
        return {"top": self.selection.top, "variants": self.study.variants}

    @property
    def statement_sha256(self) -> str:
        """SHA-256 of everything but the digests of files; results and report carry it."""
        return statement_sha256(self.document())

    @property
    def adversary(self) -> BoundedPriors:
        """What the adversary may believe before, [a, b]."""
        return self.believer.prior

    def as_json(self) -> dict[str, Any]:
        """The object of certificate.json; infinity is the text "inf", NaN is refused.

        Raises
        ------
        InvalidArgument
            If what the certificate holds does not fit its own schema, or is more than is read.
        """
        result = self.document()
        check_values(result, "the certificate")
        _json.check(result, SCHEMA)
        return result

    def document(self) -> dict[str, Any]:
        """The same object, not compared with the schema."""
        prior = self.adversary
        parts = {
            "format": self.format,
            "created": self.created,
            "unit": attrs.asdict(self.unit),
            "study": attrs.asdict(self.study),
            "missing": self.missing,
            "adversary": {
                "prior": [prior.low, prior.high],
                "source": self.believer.source,
                "sentence": self.believer.sentence,
            },
            "target": {"kind": self.target.kind, "value": self.target.value},
            "guarantee": attrs.asdict(self.guarantee),
            "derivation": [step.as_json() for step in self.derivation],
            "selection": attrs.asdict(self.selection),
            "statistics": None if self.statistics is None else attrs.asdict(self.statistics),
            "assumptions": self.assumptions,
            "not_covered": self.not_covered,
            "versions": attrs.asdict(self.versions),
        }
        result: dict[str, Any] = _json.plain(parts)
        if self.format != FORMAT_1:
            result["chromosomes"] = [attrs.asdict(each) for each in self.chromosomes]
            result |= {"report": {**self.report}} if self.report else {}
            result |= {"statement_sha256": statement_sha256(result), "files": {**self.files}}
        return result

    @classmethod
    def from_json(cls, document: Any) -> "StudyCertificate":
        """The certificate that a JSON object holds.

        Raises
        ------
        InvalidArgument
            If it does not fit the schema, naming the place as a JSON pointer.
        """
        _json.check(document, SCHEMA)
        parts = _json.unbounded(document)
        adversary, chosen = parts["adversary"], parts["selection"]
        line, statistics = chosen["threshold"], parts["statistics"]
        return cls(
            created=parts["created"],
            unit=StudyUnit(**parts["unit"]),
            study=StudySize(**parts["study"]),
            missing=parts["missing"],
            believer=StudyAdversary(**(adversary | {"prior": BoundedPriors(*adversary["prior"])})),
            target=target_of(**parts["target"]),
            guarantee=Guarantee(**parts["guarantee"]),
            derivation=tuple(
                Step(step["from"], step["to"], step["theorem"]) for step in parts["derivation"]
            ),
            selection=CertifiedSelection(
                top=chosen["top"],
                score=chosen["score"],
                score_unit=chosen["score_unit"],
                threshold=None if line is None else Threshold(**line),
                part=_part(chosen["part"]),
            ),
            statistics=None if statistics is None else _part(statistics),
            assumptions=tuple(parts["assumptions"]),
            not_covered=tuple(parts["not_covered"]),
            versions=StudyVersions(**parts["versions"]),
            chromosomes=tuple(Chromosome(**each) for each in document.get("chromosomes", ())),
            report=document.get("report", {}),
            format=parts["format"],
            files=document.get("files", {}),
        )


def _part(parts: dict[str, Any]) -> CertifiedPart:
    return CertifiedPart(**(parts | {"sensitivity": Sensitivity(**parts["sensitivity"])}))
