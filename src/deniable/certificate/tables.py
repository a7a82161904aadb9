"""The certificate of a plan's release: its queries, and the plan itself."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from deniable.certificate import _json
from deniable.certificate.model import Certificate, CertifiedPart, Unit, common, part, read
from deniable.certificate.population import PopulationStatement
from deniable.priors import BoundedPriors

FORMAT = "deniable-certificate/2"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-certificate/1"
"""The one before: without the plan and without digests; it is read and no longer made."""

SCHEMA = "schema.json"
"""Its schema in the package."""


@attrs.frozen
class CertifiedGroup:
    """A column that a query groups by, with its public keys; dates become ISO text."""

    column: str
    keys: tuple[Any, ...] = attrs.field(converter=_json.public_values)


@attrs.frozen
class CertifiedQuery:
    """A published query with its public parameters; docs/reference/plan.md has their meaning.

    Parameters
    ----------
    parameters : mapping
        Any of bounds, edges, quantile, candidates, categories, number, nulls, size_is_public.
    where : tuple of (column, operator, value)
        Conditions that a row must pass.
    cells : int
        Number of public cells.
    """

    name: str
    statistic: str
    column: str | None
    parameters: Mapping[str, Any] = attrs.field(converter=_json.public_mapping)
    group_by: tuple[CertifiedGroup, ...]
    where: tuple[tuple[Any, ...], ...] = attrs.field(converter=_json.public_values)
    weight: float
    cells: int
    max_contribution: float | None
    parts: tuple[CertifiedPart, ...]

    @property
    def limits(self) -> dict[str, Any]:
        """The ends that values are cut to, and what one entity may add, where there are any."""
        candidates = {
            "bounds": self.parameters.get("bounds"),
            "max_contribution": self.max_contribution,
        }
        return {name: limit for name, limit in candidates.items() if limit is not None}


@attrs.frozen(kw_only=True)
class TableCertificate(Certificate):
    """Everything that the certificate.json of a plan's release holds.

    Parameters
    ----------
    plan_sha256 : str
        SHA-256 of the plan's text, 64 hexadecimal digits.
    unit : Unit
        What is protected.
    adversary : BoundedPriors
        What the adversary may believe before, [a, b].
    rows_per_entity : int or None
        Most rows used of one entity; None where no query truncates rows.
    queries : tuple of CertifiedQuery
        What was published, in the plan's order.
    plan : mapping or None
        What was asked for, as JSON, the place of the data withheld; None in format 1.
    population : PopulationStatement or None
        What holds besides against somebody who knows the list of members and nobody who was drawn.
        The target and everything else is the floor then, which holds against everybody.
    """

    SCHEMA: ClassVar[str] = SCHEMA
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "plan_sha256", "unit", "adversary", "target", "guarantee",
        "derivation", "population", "limits", "queries", "assumptions", "not_covered", "versions",
        "plan",
    )  # fmt: skip
    FILES: ClassVar[tuple[str, ...]] = (
        "plan.toml",
        "report.html",
        "results.csv",
        "results.parquet",
    )
    LIBRARIES: ClassVar[Mapping[str, str]] = {
        "opendp": "opendp", "duckdb": "duckdb", "ibis": "ibis-framework",
    }  # fmt: skip

    plan_sha256: str
    unit: Unit
    adversary: BoundedPriors
    rows_per_entity: int | None
    queries: tuple[CertifiedQuery, ...]
    plan: Mapping[str, Any] | None = None
    population: PopulationStatement | None = None

    @property
    def format(self) -> str:
        """With the plan in it, the second format."""
        return FORMAT_1 if self.plan is None else FORMAT

    @property
    def title(self) -> str:
        """What the results are, in one line."""
        return "Published numbers with noise"

    @property
    def limits(self) -> dict[str, Any]:
        """What was limited or cut before it was counted: rows of an entity, values, sums."""
        return {
            "rows_per_entity": self.rows_per_entity,
            "queries": {query.name: query.limits for query in self.queries},
        }

    @property
    def parts(self) -> list[CertifiedPart]:
        """Those of all queries."""
        return [part for query in self.queries for part in query.parts]

    def own(self) -> dict[str, Any]:
        """The plan and its queries."""
        values = {
            "plan_sha256": self.plan_sha256,
            "limits": {"rows_per_entity": self.rows_per_entity},
            "queries": [attrs.asdict(query) for query in self.queries],
        }
        if self.population is not None:
            values["population"] = self.population.as_json()
        return values if self.plan is None else values | {"plan": self.plan}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds.

        Raises
        ------
        InvalidArgument
            If it does not fit the schema, naming the place as a JSON pointer.
        """
        parts = read(document, SCHEMA)
        return cls(
            **common(parts),
            plan_sha256=parts["plan_sha256"],
            unit=Unit(**parts["unit"]),
            adversary=BoundedPriors(*parts["adversary"]["prior"]),
            rows_per_entity=parts["limits"]["rows_per_entity"],
            queries=tuple(_query(query) for query in parts["queries"]),
            plan=document.get("plan"),
            population=_population(parts.get("population")),
        )


def _population(parts: dict[str, Any] | None) -> PopulationStatement | None:
    return None if parts is None else PopulationStatement.from_json(parts)


def _query(parts: dict[str, Any]) -> CertifiedQuery:
    groups = tuple(CertifiedGroup(**group) for group in parts["group_by"])
    own = {"group_by": groups, "parts": tuple(part(each) for each in parts["parts"])}
    return CertifiedQuery(**(parts | own))
