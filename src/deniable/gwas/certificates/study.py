"""The certificate of a case-control study's release, as frozen values that mirror its JSON.

There is no field for a count of genotypes, a missing call or a score before noise.

There is no field for a count of genotypes, a missing call or anything else before noise.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.model import Certificate, CertifiedPart, NamedUnit, common, part, read
from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.gwas.public_filters import StudyFilters, Window
from deniable.priors import BoundedPriors

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")


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


# Arrow's own conversion imports pandas wherever it is installed, which takes longer than a small
# release.


Value = int | float | bool | str | None


def arrow_array(values: Sequence[Value], kind: str) -> "pa.Array":
    """Values of one kind, None where there is none.

    Parameters
    ----------
    values : list
        Each of the kind, or None.
    kind : {"int64", "float64", "bool", "string"}
        Arrow's name of the type.

    Returns
    -------
    pyarrow.Array
        As of pyarrow.array.

    Examples
    --------
    >>> arrow_array(["A", None], "string").to_pylist()
    ['A', None]
    """
    known = np.array([value is not None for value in values], bool)
    bits = None if known.all() else _buffer(_bits(known))
    if kind == "string":
        texts = [value.encode() if isinstance(value, str) else b"" for value in values]
        offsets = np.array([0, *itertools.accumulate(map(len, texts))], np.int32)
        buffers = [bits, _buffer(offsets), pa.py_buffer(b"".join(texts))]
    else:
        filled = np.array([0 if value is None else value for value in values], kind)
        buffers = [bits, _buffer(_bits(filled) if kind == "bool" else filled)]
    return pa.Array.from_buffers(pa.type_for_alias(kind), len(values), buffers)


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _buffer(array: NDArray[np.generic]) -> "pa.Buffer":
    return pa.py_buffer(array.tobytes())


_ALWAYS = {
    "rank": "int64",
    "variant": "string",
    "chromosome": "string",
    "position": "int64",
    "allele_1": "string",
    "allele_2": "string",
}
_WITH_STATISTICS = {
    "cases_allele_1": "int64",
    "controls_allele_1": "int64",
    "half_width_95": "float64",
    "cases_frequency": "float64",
    "controls_frequency": "float64",
    "chi_squared": "float64",
    "cases_allele_1_low": "int64",
    "cases_allele_1_high": "int64",
    "controls_allele_1_low": "int64",
    "controls_allele_1_high": "int64",
    "cases_frequency_low": "float64",
    "cases_frequency_high": "float64",
    "controls_frequency_low": "float64",
    "controls_frequency_high": "float64",
    "chi_squared_low": "float64",
    "chi_squared_high": "float64",
    "above_noise": "bool",
}


@attrs.frozen
class NoisyAlleles:
    """Noisy statistics of a variant; everything but the two counts follows from them.

    Each pair of bounds holds what the study itself has, without noise, with a probability of at
    least 95 % over the noise; each pair on its own, not all at once. How the participants stand
    for others is another question, which they say nothing about.

    Parameters
    ----------
    cases_allele_1, controls_allele_1 : int
        Noisy copies of allele 1; may be negative.
    half_width_95 : float
        Of each of the two, in copies.
    cases_frequency, controls_frequency : float
        Of allele 1, clamped to [0, 1].
    chi_squared : float or None
        The allelic χ² of these frequencies; None where both are 0 or both are 1.
    cases_allele_1_low, cases_allele_1_high, controls_allele_1_low, controls_allele_1_high : int
        Bounds of the exact counts, within what is possible.
    cases_frequency_low, … : float
        Bounds of the exact frequencies.
    chi_squared_low, chi_squared_high : float
        Bounds of the exact χ², which counts as 0 where everybody has the same two alleles.
    above_noise : bool
        Whether the lower bound of χ² is above 0, so that noise alone does not explain the
        difference.
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
    """A row a variant, by rank; with columns of noisy statistics where there are some.

    Examples
    --------
    >>> study_table([ReleasedVariant(1, "rs1", "9", 100, "A", "G")]).column_names[:3]
    ['rank', 'variant', 'chromosome']
    """
    columns = {
        name: arrow_array([getattr(each, name) for each in released], kind)
        for name, kind in _ALWAYS.items()
    }
    noisy = [each.noisy for each in released if each.noisy is not None]
    if noisy:
        columns |= {
            name: arrow_array([getattr(each, name) for each in noisy], kind)
            for name, kind in _WITH_STATISTICS.items()
        }
    return pa.table(columns)


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
        """The certificate that a JSON object holds."""
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
