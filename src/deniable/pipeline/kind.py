"""What a kind of release is, and where each kind stands.

A new kind is one module: what its certificate holds, how noise is calibrated for it, what is
published and how it is shown. It registers itself as an entry point of `deniable.kinds`; writing
and checking are the pipeline's.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import attrs

from deniable.certificate.model import Certificate, CertifiedPart, Guarantee, Sensitivity
from deniable.errors.guests import guests
from deniable.errors.late import NotInstalled, late, pa
from deniable.pipeline.noise import NoisyPart, Part, PublicPart, SelectionPart, Share
from deniable.theorems.analysis import Calibration

if TYPE_CHECKING:
    from deniable.ledger.costs import Spent
    from deniable.ledger.dataset import People
    from deniable.pipeline import charging
    from deniable.pipeline.noise import Mechanism
else:  # a release that is charged to no ledger loads none
    charging = late("deniable.pipeline.charging")

C = TypeVar("C", bound=Certificate)
"""Its certificate."""
P = TypeVar("P")
"""A release that is settled but for the data."""
R = TypeVar("R")
"""A published row."""

Noise: TypeAlias = "Iterable[tuple[Mechanism, NoisyPart]]"
"""Mechanisms and the parts that they were calibrated for, in the order in which they draw."""
PublishedRows: TypeAlias = Sequence[Mapping[str, Any]]
"""Rows of a results.parquet that somebody else may have written."""

_GROUP = "deniable.kinds"
"""The entry points of kinds: what their certificates call themselves, and the module that calls
the kind `KIND`. It is imported when such a certificate is read."""
_TABLES = "deniable-certificate"
"""Releases of tables, whose schema also says what is wrong with a document of no known name."""
_CERTIFICATE = re.compile(r"deniable-[a-z-]+-certificate")


def guarantee(calibration: Calibration) -> Guarantee:
    """What everything released together satisfies."""
    composition = calibration.composition
    rho = None if composition is None else composition.rho
    names = (each.name for each in attrs.fields(Guarantee) if each.name != "rho")
    return Guarantee(rho=rho, **{name: getattr(calibration, name) for name in names})


def certify_part(
    part: Part, share: Share | None, mechanism: Mechanism | None, width: float | None
) -> CertifiedPart:
    """What protects a part; `width` is its 95 % half-width, where that is known before."""
    if isinstance(part, PublicPart) or share is None or mechanism is None:
        return CertifiedPart(part.label)
    if isinstance(part, SelectionPart):
        sensitivity = Sensitivity("linf-sum", part.sensitivity, part.monotone)
    elif share.rho is None:
        sensitivity = Sensitivity("l1", part.l1)
    else:
        sensitivity = Sensitivity("l2", part.l2)
    return CertifiedPart(
        label=part.label,
        mechanism=mechanism.name,
        step=part.step,
        scale=mechanism.scale * part.step,
        sensitivity=sensitivity,
        epsilon=share.epsilon,
        rho=share.rho,
        half_width_95=width,
    )


@attrs.frozen
class Origin:
    """What nobody can recompute of any release: the day, and which programs ran."""

    created: str
    versions: Mapping[str, str]


class ReleaseKind(abc.ABC, Generic[C, P, R]):
    """All that the pipeline asks of a kind of release.

    A kind that publishes no rows overrides neither `number`, `rebuilt` nor `results`; one whose
    noise others have drawn states none.
    """

    certificate: type[C]
    """What its certificates hold."""
    names: Mapping[str, str] = MappingProxyType({})
    """What a check of a key is called, where it is not called what it is."""
    first: tuple[str, ...] | None = None
    """Names of checks that are told before the sum of shares; None for all of them."""
    each: Mapping[str, str] = MappingProxyType({})
    """Keys whose entries are checked one by one: what one is called, before its name."""

    @abc.abstractmethod
    def again(self, certificate: C) -> P:
        """The release settled again from what was asked for, without the data."""

    @abc.abstractmethod
    def certified(self, prepared: P, origin: Origin) -> C:
        """The certificate of a settled release, without digests of files."""

    @abc.abstractmethod
    def report(self, certificate: C, prepared: P, rows: Sequence[R]) -> str:
        """The page that shows certificate and rows."""

    def noise(self, _prepared: P) -> Noise:
        """Everything that draws."""
        return ()

    def number(self, _prepared: P) -> int:
        """How many rows are published."""
        return 0

    def more(self, _prepared: P) -> bool:
        """Whether there may be more rows, which the data decide and no plan."""
        return False

    def rebuilt(self, _certificate: C, _prepared: P, _published: PublishedRows) -> Sequence[R]:
        """The rows of a release, of which only what noise decides is taken from what was found.

        What no release publishes is refused by an InvalidArgument.
        """
        return ()

    def results(self, _rows: Sequence[R]) -> pa.Table | None:
        """The table of the rows; None where there is none."""
        return None

    def texts(self, _certificate: C) -> Mapping[str, str]:
        """Further files that follow from the certificate alone, by name."""
        return {}

    def tables(self, _prepared: P, _rows: Sequence[R]) -> Mapping[str, bytes]:
        """Further files that follow from the published rows, by name."""
        return {}

    def dataset(self, _prepared: P) -> str | None:
        """The name of the dataset that a release is charged to; None for no ledger."""
        return None

    def listed(self, _prepared: P, _members: Path) -> float | None:
        """The population ε of all that was released, certified again with the list of members.

        None where the release's adversary knows no list; a list that does not fit is refused.
        """
        return None

    def people(self, certificate: C) -> People:
        """Return the people whom a certificate is about."""
        return charging.people_of(certificate)

    def spent(self, certificate: C) -> Spent:
        """What its noise spends, as ε or as ρ."""
        return charging.spent_by_parts(certificate)


AnyKind: TypeAlias = ReleaseKind[Any, Any, Any]


def kind_of(document: Any) -> AnyKind:
    """Return the kind of release whose certificate a JSON document is, by its format."""
    format_name = document.get("format") if isinstance(document, dict) else None
    name = format_name.rpartition("/")[0] if isinstance(format_name, str) else ""
    known = guests(_GROUP)
    if name not in known and _CERTIFICATE.fullmatch(name):
        raise NotInstalled(
            f"Expected a kind of certificate that is installed, got {name!r}. "
            f"Install the package that registers it under {_GROUP}."
        )
    guest = known.get(name, known[_TABLES])
    kind: AnyKind = guest.attempt(lambda: guest.points[0].load().KIND)
    return kind
