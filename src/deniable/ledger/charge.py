"""One entry of a book: a charge, that what it paid for was released, or that it is void."""

import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeAlias

import attrs

from deniable.certificate.json_documents import sha256
from deniable.errors import InvalidArgument
from deniable.ledger import units
from deniable.ledger.dataset import (
    Dataset,
    digest,
    exposure_units,
    optional_digest,
    optional_word,
    word,
)
from deniable.numerics.answer import Answer


class State(StrEnum):
    """What an entry says of a charge; one is charged first, and then released or void."""

    CHARGED = "charged"
    RELEASED = "released"
    VOID = "void"


_SIGNS = {State.CHARGED: 1, State.RELEASED: 0, State.VOID: -1}
"""The sign of an entry's units."""
_ID = re.compile("[0-9a-f]{32}")


def _id(value: Any) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise InvalidArgument(f"Expected the ID of a charge, 32 hexadecimal digits, got {value!a}.")
    return value


def _moment(value: Any) -> str:
    text = word(value, "the moment")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.utcoffset() != timedelta(0):
        raise InvalidArgument(f"Expected a moment in UTC as ISO 8601, got {text!r}.")
    return text


def _check_units(state: State, amount: int, exposure: int | None) -> None:
    """A charge takes, a void gives back, and that something was released does neither."""
    sign = _SIGNS[state]
    right = amount == 0 if sign == 0 else 0 < sign * amount <= units.MOST
    if not right:
        raise InvalidArgument(f"Expected the units of an entry that is {state}, got {amount}.")
    if exposure and not 0 < sign * exposure < units.EXPOSURE_UNITS:
        raise InvalidArgument(f"Expected the exposure of an entry that is {state}, got {exposure}.")


@attrs.frozen
class Amount:
    """What of an entry is needed to add up a long book.

    An entry adds `units` and `exposure` to what is spent; None where the dataset has no budget of
    that.
    """

    id: str = attrs.field(converter=_id)
    state: State = attrs.field(converter=State)
    units: int = attrs.field(converter=units.check_units)
    exposure: int | None = attrs.field(default=None, converter=exposure_units)

    def __attrs_post_init__(self) -> None:
        """Check that the units belong to the state."""
        _check_units(self.state, self.units, self.exposure)


@attrs.frozen(repr=False, kw_only=True)
class Charge(Answer):
    """One entry of a dataset's book; entries are added and never changed.

    What is spent is the sum of `units` over all entries: those of a charge, 0 where it was
    released, and the same with a minus sign where it is void. Likewise of `exposure`. Units are of
    2⁻⁴⁰ of the dataset's measure, those of exposure 2⁻⁵⁰; it is None without a budget of it.

    `id` is 32 hexadecimal digits, drawn for each charge, so that an entry's digest, which is
    published, says nothing of the entry. `what` is a label for people, such as the plan's title,
    whose digest is `plan_sha256`; `by` and `at` are who, and when in UTC, ISO 8601. `because` says
    why it is void; `statement_sha256` is of the certificate that was released. `sha256` is of this
    entry with `previous`, the digest of the one before, or of the dataset: a chain.
    """

    OWNER_ONLY = True

    id: str = attrs.field(converter=_id)
    dataset: str
    units: int = attrs.field(converter=units.check_units)
    what: str
    plan_sha256: str | None = None
    by: str
    at: str = attrs.field(converter=_moment)
    state: State = attrs.field(converter=State)
    because: str | None = None
    statement_sha256: str | None = None
    previous: str
    sha256: str
    exposure: int | None = attrs.field(default=None, converter=exposure_units)

    def __attrs_post_init__(self) -> None:
        """Check every text, and that the units belong to the state."""
        word(self.what, "the charge's label")
        optional_digest(self.plan_sha256, "the plan's SHA-256")
        word(self.by, "the name of who charges")
        optional_word(self.because, "the reason")
        optional_digest(self.statement_sha256, "the certificate's SHA-256")
        digest(self.previous, "an entry's SHA-256")
        digest(self.sha256, "an entry's SHA-256")
        _check_units(self.state, self.units, self.exposure)

    @property
    def linked(self) -> bool:
        """Whether its digest is that of what it says."""
        return self.sha256 == link(attrs.asdict(self))

    def as_json(self) -> dict[str, Any]:
        """Every field under its name, plain values only; no exposure where there is no budget."""
        return _stated(attrs.asdict(self))


Entry: TypeAlias = Charge | Amount
"""An entry of a book, all of it or its amount."""


def link(fields: dict[str, Any]) -> str:
    """SHA-256 of an entry's fields but its own digest: JSON, keys sorted, no spaces, UTF-8."""
    stated = _stated(fields)
    stated.pop("sha256", None)
    return sha256(_spelling(stated))


def chain_start(dataset: Dataset) -> str:
    """What stands before a dataset's first entry: SHA-256 of the dataset in the same spelling."""
    return sha256(_spelling(dataset.as_json()))


def spent(entries: Sequence[Entry]) -> units.Spending:
    """What these entries add up to."""
    return units.Spending(
        sum(each.units for each in entries), sum(each.exposure or 0 for each in entries)
    )


def _stated(fields: dict[str, Any]) -> dict[str, Any]:
    """Plain values; entries of a dataset without a budget of exposure are as they always were."""
    return {
        name: str(value) if isinstance(value, StrEnum) else value
        for name, value in fields.items()
        if name != "exposure" or value is not None
    }


def _spelling(fields: dict[str, Any]) -> bytes:
    text = json.dumps(
        fields, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.encode("utf-8")
