"""What a kind of release is, and where each kind stands.

A new kind is one module: what its certificate holds, how noise is calibrated for it, what is
published and how it is shown. It registers itself as an entry point of `deniable.kinds`; writing
and checking are the pipeline's.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import attrs

from deniable.certificate.model import Certificate, CertifiedPart, Guarantee, Sensitivity
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.mechanisms import DiscreteGaussian, Mechanism
from deniable.pipeline.noise import NoisyPart, Part, PublicPart, SelectionPart, Share
from deniable.theorems.analysis import Calibration

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from deniable.ledger.costs import Spent
    from deniable.ledger.dataset import People
    from deniable.pipeline import charging
else:  # what only a release has that is charged to a ledger
    charging = late("deniable.pipeline.charging")


# --- What every certificate says of its noise: the guarantee in all, and what protects a part.


def guarantee(calibration: Calibration) -> Guarantee:
    """What everything released together satisfies."""
    composition = calibration.composition
    return Guarantee(
        epsilon=calibration.epsilon,
        delta=calibration.delta,
        exceedance=calibration.exceedance,
        rho=None if composition is None else composition.rho,
        gamma=calibration.gamma,
        gamma_outside=calibration.gamma_outside,
        attack_success=calibration.attack_success,
        advantage=calibration.advantage,
        exposure=calibration.exposure,
    )


def certify_part(
    part: Part, share: Share | None, mechanism: Mechanism | None, width: float | None
) -> CertifiedPart:
    """What protects a part; `width` is its 95 % half-width, where that is known before."""
    if isinstance(part, PublicPart) or share is None or mechanism is None:
        return CertifiedPart(part.label)
    return CertifiedPart(
        label=part.label,
        mechanism=mechanism.name,
        step=part.step,
        scale=mechanism.scale * part.step,
        sensitivity=_sensitivity(part, mechanism),
        epsilon=share.epsilon,
        rho=share.rho,
        half_width_95=width,
    )


def _sensitivity(part: Part, mechanism: Mechanism) -> Sensitivity:
    match part:
        case SelectionPart():
            return Sensitivity("linf-sum", part.sensitivity, part.monotone)
        case PublicPart():
            raise AssertionError("a public part has no sensitivity")
        case _ if isinstance(mechanism, DiscreteGaussian):
            return Sensitivity("l2", part.l2)
        case _:
            return Sensitivity("l1", part.l1)


# --- What a kind of release is, and where each kind stands.


C = TypeVar("C", bound=Certificate)
"""Its certificate."""
P = TypeVar("P")
"""A release that is settled but for the data."""
R = TypeVar("R")
"""A published row."""

Noise: TypeAlias = Iterable[tuple[Mechanism, NoisyPart]]
"""Mechanisms and the parts that they were calibrated for, in the order in which they draw."""
PublishedRows: TypeAlias = Sequence[Mapping[str, Any]]
"""Rows of a results.parquet that somebody else may have written."""

_GUESTS = "deniable.kinds"
"""The entry points of other kinds: what their certificates call themselves, and the module that
calls the kind `KIND`. It is imported when such a certificate is read."""
_CERTIFICATE = re.compile(r"deniable-[a-z-]+-certificate")

_TABLES = "deniable.publish.kind"
"""Releases of tables, whose schema also says what is wrong with a document of no known name."""


@attrs.frozen
class Origin:
    """What nobody can recompute of any release: the day, and which programs ran."""

    created: str
    versions: Mapping[str, str]


def no_texts(certificate: Certificate) -> dict[str, str]:
    """For a kind with no further files."""
    del certificate
    return {}


def no_rows(prepared: Any) -> int:
    """For a kind that publishes a certificate and a report, and no results."""
    del prepared
    return 0


def no_more(prepared: Any) -> bool:
    """For a kind whose rows are all public but for their values."""
    del prepared
    return False


def no_noise(prepared: Any) -> Noise:
    """For a kind that draws none: its noise was drawn before, by others."""
    del prepared
    return ()


def no_tables(prepared: Any, rows: Sequence[Any]) -> dict[str, bytes]:
    """For a kind whose published rows are all in its results."""
    del prepared, rows
    return {}


def nothing(*release: Any) -> Any:
    """Neither rows nor a table of them."""
    del release


def no_list(prepared: Any, members: Path) -> float:
    """For a kind that names no list of members."""
    del prepared
    raise InvalidArgument(
        f"Expected a release whose adversary knows a list of members, got another, with the list "
        f"{str(members)!r}. Leave the list out."
    )


def no_ledger(prepared: Any) -> None:
    """For a kind that is charged to none."""
    del prepared


@attrs.frozen(kw_only=True)
class ReleaseKind(Generic[C, P, R]):
    """All that the pipeline asks of a kind of release.

    Parameters
    ----------
    certificate : type
        What its certificates hold.
    again : callable
        From a certificate, the release settled again from what was asked for, without the data.
    certified : callable
        Of a settled release: its certificate, without digests of files.
    noise : callable
        Of a settled release: everything that draws.
    number, more : callable
        Of a settled release: how many rows are published, and whether there may be more, which the
        data decide and no plan.
    rebuilt : callable
        From rows that were found: the published ones, of which only what noise decides is taken
        from there; raises InvalidArgument where no release publishes it.
    report : callable
        The page that shows certificate and rows.
    results : callable
        The table of the rows. A kind that publishes none leaves out `number`, `rebuilt` and this.
    texts : callable
        Further files that follow from the certificate alone, by name.
    tables : callable
        Of a settled release and its published rows: further files that follow from these, by name.
    dataset : callable
        Of a settled release: the name of the dataset that it is charged to; None for no ledger.
    listed : callable
        Of a settled release and a file with the list of members: the certified population ε of
        all that was released, and raises a DeniableError where there is none.
    people, spent : callable
        Of a certificate: whom it is about, and what its noise spends, as ε or as ρ.
    names : mapping
        What a check of a key is called, where it is not called what it is.
    first : tuple of str
        Names of checks that are told before the sum of shares; all of them where left out.
    each : mapping
        Keys whose entries are checked one by one: what one is called, before its name.
    """

    certificate: type[C]
    again: Callable[[C], P]
    certified: Callable[[P, Origin], C]
    report: Callable[[C, P, Sequence[R]], str]
    noise: Callable[[P], Noise] = no_noise
    number: Callable[[P], int] = no_rows
    more: Callable[[P], bool] = no_more
    rebuilt: Callable[[C, P, PublishedRows], Sequence[R]] = nothing
    results: Callable[[Sequence[R]], pa.Table | None] = nothing
    texts: Callable[[C], Mapping[str, str]] = no_texts
    tables: Callable[[P, Sequence[R]], Mapping[str, bytes]] = no_tables
    dataset: Callable[[P], str | None] = no_ledger
    listed: Callable[[P, Path], float] = no_list
    people: Callable[[C], People] = lambda certificate: charging.people_of(certificate)
    spent: Callable[[C], Spent] = lambda certificate: charging.spent_by_parts(certificate)
    names: Mapping[str, str] = attrs.field(factory=dict)
    first: tuple[str, ...] | None = None
    each: Mapping[str, str] = attrs.field(factory=dict)


AnyKind: TypeAlias = ReleaseKind[Any, Any, Any]


def kind_of(document: Any) -> AnyKind:
    """Return the kind of release whose certificate a JSON document is, by its format.

    Raises
    ------
    InvalidArgument
        If the document names a kind of certificate that is not installed.

    Examples
    --------
    >>> kind_of({"format": "deniable-certificate/2"}).certificate.__name__
    'TableCertificate'
    """
    format_name = document.get("format") if isinstance(document, dict) else None
    name = format_name.rpartition("/")[0] if isinstance(format_name, str) else ""
    module = _TABLES
    for each in entry_points(group=_GUESTS, name=name):
        module = each.value
    if module is _TABLES and _CERTIFICATE.fullmatch(name):
        raise InvalidArgument(
            f"Expected a kind of certificate that is installed, got {name!r}. "
            f"Install the package that registers it under {_GUESTS}."
        )
    kind: AnyKind = importlib.import_module(module).KIND
    return kind
