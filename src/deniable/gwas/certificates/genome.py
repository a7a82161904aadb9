"""What the certificates of all releases from people's genotypes hold.

There is no field for a count of genotypes, a missing call or anything else before noise.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from deniable.certificate.model import Certificate, NamedUnit, common
from deniable.errors import InvalidArgument, validate
from deniable.gwas.public_filters import StudyFilters
from deniable.priors import BoundedPriors


def _number(value: int) -> int:
    # Whoever writes JSON may write 1000.0, of which no exact fraction is made.
    return validate.integer(value, "a number of people or variants", least=1)


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
        The bounds [a, b].
    source : str
        "default" of the adjacency, or "assumption" of the owner about the adversary.
    sentence : str
        The same in words.
    """

    prior: BoundedPriors
    source: str
    sentence: str


@attrs.frozen(kw_only=True)
class GenomeCertificate(Certificate):
    """A certificate of something published of a study's cases and controls.

    Parameters
    ----------
    unit : NamedUnit
        What is protected; its adjacency is "genotype" or "swap".
    study : StudySize
        Public numbers.
    missing : str
        "refuse", "major" or "panel": what became of missing calls.
    study_adversary : StudyAdversary
        The adversary.
    report : mapping
        The releaser's words for the report: title, organisation, contact, text, as far as given.
    filters : StudyFilters
        The public lists and rules that chose variants and people.
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
        return values | ({"report": self.report} if self.report else {})


def common_of_genomes(parts: Mapping[str, Any]) -> dict[str, Any]:
    """What `read` gave, as arguments of `GenomeCertificate`."""
    adversary = parts["adversary"]
    return {
        **common(parts),
        "unit": NamedUnit(**parts["unit"]),
        "study": StudySize.of(parts["study"]),
        "missing": parts["missing"],
        "study_adversary": StudyAdversary(
            **(adversary | {"prior": BoundedPriors(*adversary["prior"])})
        ),
        "report": parts.get("report", {}),
        "filters": StudyFilters.from_json(parts.get("filters", {})),
        "format": parts["format"],
    }
