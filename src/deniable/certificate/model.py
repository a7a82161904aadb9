"""The certificate: what holds, why, and for whom, as frozen values that mirror its JSON.

What is never published has no field here: digest, size and path of the data, how many rows it has
(and how many entities, under add-remove), salt, state of the noise, values before the noise, how
many rows were dropped or empty, and durations. The schema in the package admits no further key.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from deniable.analysis.target import Step, Target, target_of
from deniable.certificate import _json
from deniable.certificate.reading import check_values
from deniable.certificate.seal import statement_sha256
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, ApproxDP
from deniable.priors import BoundedPriors
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail

FORMAT = "deniable-certificate/2"
"""What the JSON calls itself."""

FORMAT_1 = "deniable-certificate/1"
"""The one before: without the plan and without digests; it is read and no longer made."""


@attrs.frozen
class Unit:
    """What is protected: an entity that may own rows, or (None) each row by itself.

    Parameters
    ----------
    entity : str or None
        The column that names the entity.
    adjacency : Adjacency
        Which tables count as neighbours.
    sentence : str
        The same in words; the report's first line.
    word : str or None
        The plan's word for one entity, such as "person-year".
    """

    entity: str | None
    adjacency: Adjacency = attrs.field(converter=Adjacency)
    sentence: str
    word: str | None = None


@attrs.frozen
class Guarantee:
    """What the whole release satisfies; every number is rounded to the safe side.

    With `delta` 0 the first is ε-DP. With `delta` > 0, `gamma`, `gamma_outside` and every
    statement about posteriors hold of each entity by itself, except for outputs of probability at
    most `exceedance`, over the noise and what the adversary does not know.

    Parameters
    ----------
    epsilon : float
        Privacy loss; infinite where nothing bounds it.
    delta, exceedance : float
        Probabilities; with δ > 0, exceedance >= δ.
    rho : float or None
        Total zero-concentrated budget, where one was split.
    gamma, gamma_outside : float
        Positive membership within the adversary's [a, b] and for any prior; >= 1.
    attack_success, advantage : float
        Largest success of an attack with prior ½, and true minus false positive rate.

    Raises
    ------
    InvalidArgument
        If delta > 0 and exceedance < delta: no belief could be stated.
    """

    epsilon: float
    delta: float
    exceedance: float
    rho: float | None
    gamma: float
    gamma_outside: float
    attack_success: float
    advantage: float

    def __attrs_post_init__(self) -> None:
        if self.exceedance < self.delta:
            raise InvalidArgument(
                f"Expected exceedance >= delta, got exceedance={self.exceedance}, "
                f"delta={self.delta}. State how often beliefs may move further."
            )

    @property
    def loss(self) -> float:
        """The privacy loss ℓ that beliefs are read at.

        With exceedance = δ the certificate states a tail, so ℓ = ε; above it (ε, δ)-DP is what
        holds, and ℓ = ε − ln(1 − δ/X), rounded up.
        """
        if self.exceedance == self.delta or self.delta == 0:
            return self.epsilon
        budget = ApproxDP(self.epsilon, self.delta)
        return approx_dp_to_privacy_loss_tail(budget, self.exceedance).epsilon


@attrs.frozen
class CertifiedGroup:
    """A column that a query groups by, with its public keys; dates become ISO text."""

    column: str
    keys: tuple[Any, ...] = attrs.field(converter=_json.public_values)


@attrs.frozen
class Sensitivity:
    """How far neighbours lie apart, in whole steps.

    Parameters
    ----------
    norm : str
        "l1", "l2", or "linf-sum" (the sum over the cells of the largest change of any score).
    value : float
        The bound in that norm.
    monotone : bool or None
        For selections: whether all scores move the same way.
    """

    norm: str
    value: float
    monotone: bool | None = None


@attrs.frozen
class CertifiedPart:
    """One noisy vector or selection of a query.

    A part that is public under the adjacency takes no noise: `mechanism` is None and so is
    everything after it.

    Parameters
    ----------
    label : str
        What it is: "count", "sum", "histogram", "quantile", …
    mechanism : str or None
        "discrete-laplace", "discrete-gaussian", "noisy-top-k-exponential" or
        "noisy-top-k-gumbel".
    step : float or None
        Published units that one whole step stands for.
    scale : float or None
        Scale of the noise in published units (selections: in ranks or rows).
    sensitivity : Sensitivity or None
        In whole steps.
    epsilon, rho : float or None
        The part's share of the budget; exactly one for a noisy part.
    half_width_95 : float or None
        Where it is known before the data is read, in published units or ranks.
    """

    label: str
    mechanism: str | None = None
    step: float | None = None
    scale: float | None = None
    sensitivity: Sensitivity | None = None
    epsilon: float | None = None
    rho: float | None = None
    half_width_95: float | None = None


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
        found = {
            "bounds": self.parameters.get("bounds"),
            "max_contribution": self.max_contribution,
        }
        return {name: limit for name, limit in found.items() if limit is not None}


@attrs.frozen
class Versions:
    """What computed the release."""

    deniable: str
    opendp: str
    duckdb: str
    ibis: str
    python: str


@attrs.frozen
class Certificate:
    """Everything that certificate.json holds.

    Parameters
    ----------
    created : str
        ISO date of the release.
    plan_sha256 : str
        SHA-256 of the plan's text, 64 hexadecimal digits.
    adversary : BoundedPriors
        What the adversary may believe before, [a, b].
    rows_per_entity : int or None
        Most rows used of one entity; None where no query truncates rows.
    assumptions, not_covered : tuple of str
        What the guarantee rests on, and what it does not speak about, in sentences.
    plan : mapping or None
        What was asked for, as JSON, the place of the data withheld; None in format 1.
    files : mapping
        SHA-256 of the other published files by name; empty before they are written.
    """

    FILES: ClassVar[tuple[str, ...]] = (
        "plan.toml",
        "report.html",
        "results.csv",
        "results.parquet",
    )
    """Names of the other published files."""

    created: str
    plan_sha256: str
    unit: Unit
    adversary: BoundedPriors
    target: Target
    guarantee: Guarantee
    derivation: tuple[Step, ...]
    rows_per_entity: int | None
    queries: tuple[CertifiedQuery, ...]
    assumptions: tuple[str, ...]
    not_covered: tuple[str, ...]
    versions: Versions
    plan: Mapping[str, Any] | None = None
    files: Mapping[str, str] = attrs.field(factory=dict)

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
    def statement_sha256(self) -> str:
        """SHA-256 of everything but the digests of files; results and report carry it."""
        return statement_sha256(self.document())

    def as_json(self) -> dict[str, Any]:
        """The object of certificate.json; infinity is the text "inf", NaN is refused.

        Raises
        ------
        InvalidArgument
            If what the certificate holds does not fit its own schema, or is more than is read.
        """
        result = self.document()
        check_values(result, "the certificate")
        _json.check(result)
        return result

    def document(self) -> dict[str, Any]:
        """The same object, not compared with the schema."""
        parts = {
            "format": FORMAT_1 if self.plan is None else FORMAT,
            "created": self.created,
            "plan_sha256": self.plan_sha256,
            "unit": attrs.asdict(self.unit),
            "adversary": {"prior": [self.adversary.low, self.adversary.high]},
            "target": self.target.as_json(),
            "guarantee": attrs.asdict(self.guarantee),
            "derivation": [step.as_json() for step in self.derivation],
            "limits": {"rows_per_entity": self.rows_per_entity},
            "queries": [attrs.asdict(query) for query in self.queries],
            "assumptions": self.assumptions,
            "not_covered": self.not_covered,
            "versions": attrs.asdict(self.versions),
        }
        result: dict[str, Any] = _json.plain(parts)
        if self.plan is not None:
            result["plan"] = self.plan
            result |= {"statement_sha256": statement_sha256(result), "files": {**self.files}}
        return result

    @classmethod
    def from_json(cls, document: Any) -> "Certificate":
        """The certificate that a JSON object holds.

        Raises
        ------
        InvalidArgument
            If it does not fit the schema, naming the place as a JSON pointer.
        """
        _json.check(document)
        parts = _json.unbounded(document)
        return cls(
            created=parts["created"],
            plan_sha256=parts["plan_sha256"],
            unit=Unit(**parts["unit"]),
            adversary=BoundedPriors(*parts["adversary"]["prior"]),
            target=target_of(**parts["target"]),
            guarantee=Guarantee(**parts["guarantee"]),
            derivation=tuple(
                Step(step["from"], step["to"], step["theorem"]) for step in parts["derivation"]
            ),
            rows_per_entity=parts["limits"]["rows_per_entity"],
            queries=tuple(_query(query) for query in parts["queries"]),
            assumptions=tuple(parts["assumptions"]),
            not_covered=tuple(parts["not_covered"]),
            versions=Versions(**parts["versions"]),
            plan=document.get("plan"),
            files=document.get("files", {}),
        )


def _query(parts: dict[str, Any]) -> CertifiedQuery:
    groups = tuple(CertifiedGroup(**group) for group in parts["group_by"])
    return CertifiedQuery(
        **(parts | {"group_by": groups, "parts": tuple(_part(part) for part in parts["parts"])})
    )


def _part(parts: dict[str, Any]) -> CertifiedPart:
    found = parts["sensitivity"]
    return CertifiedPart(
        **(parts | {"sensitivity": None if found is None else Sensitivity(**found)})
    )
