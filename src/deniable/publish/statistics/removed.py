"""How much truncation removed, before any filter: of rows, or of entities that lost some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.errors.late_ibis import ibis, ir
from deniable.publish import query
from deniable.publish.plan import known_keys

MOST_ROWS = 2**31
"""Largest number of rows an entity may be counted with; also the plan's limit on rows."""

EACH = 0.975  # confidence of each number's width, so that both hold with 95 %

_COUNTED = known_keys.Key(
    "most_rows",
    known_keys.integer(
        "whole number above `rows_per_entity`, up to 2³¹", minimum=1, maximum=MOST_ROWS
    ),
    "none",
)


def _limit(value: Any) -> int:
    limit = validate.integer(value, "rows_per_entity", least=1)
    if limit > MOST_ROWS:
        raise InvalidArgument(f"Expected rows_per_entity <= {MOST_ROWS}, got {limit}.")
    return limit


def _most(value: Any) -> int | None:
    return None if value is None else validate.integer(value, "most_rows", least=2)


@attrs.frozen
class Removed(query.Statistic):
    r"""What the limit on rows took away from the whole table, as two numbers and their share.

    An entity that owns r rows adds, with k its limit and m `most_rows`,

    .. math:: (\min(r, k),\ \min(r, m) - \min(r, k))

    to the rows kept and removed; without m, (1, 0) or (0, 1) to the entities that are whole or
    cut, as r ≤ k or not. The share is the second number over both, with negative ones taken as 0.

    Parameters
    ----------
    rows_per_entity : int
        The plan's limit k.
    most_rows : int, optional
        As many rows of an entity are counted at most, k < m <= 2^31; entities are counted where it
        is left out. Nothing would hide a number of rows without an end.
    """

    kind = "removed"
    PUBLISHES = (
        "How many entities kept all their rows under `rows_per_entity`, how many lost rows, and "
        "the share that lost rows. With `most_rows`: rows kept, rows removed, and the share of "
        "rows removed. The query is about the whole table: no `where`, no `group_by`."
    )
    KEYS = (_COUNTED,)
    GROUPED = False
    NOISY_WIDTHS = WHOLE_TABLE = True

    rows_per_entity: int = attrs.field(converter=_limit)
    most_rows: int | None = attrs.field(default=None, converter=_most)

    def __attrs_post_init__(self) -> None:
        most = self.most_rows
        if most is not None and not self.rows_per_entity < most <= MOST_ROWS:
            raise InvalidArgument(
                f"Expected {self.rows_per_entity} < most_rows <= {MOST_ROWS}, got "
                f"most_rows={most}. Count more rows than rows_per_entity keeps."
            )

    @property
    def unit(self) -> str:
        """What is counted."""
        return "entities" if self.most_rows is None else "rows"

    @classmethod
    def check_table(cls, request: Any) -> None:
        """Refuse groups, filters, and a plan without the limit."""
        table, setting = request.table, request.setting
        for key in ("group_by", "keys", "where"):
            if key in table:
                remedy = "rows are limited once, in the whole table and before any filter."
                expected = f"no {key} for {cls.kind}"
                raise table.error(key, expected, "one", f"Remove it: {remedy}")
        if setting.rows_per_entity is None:
            remedy = "Set rows_per_entity in [limits]; without it no row is removed."
            if setting.entity is None:
                remedy = f"Name the entity column in [data]. {remedy}"
            raise table.error("statistic", "a limit on what one entity adds", "none", remedy)

    @classmethod
    def from_plan(cls, request: Any, grouping: query.Grouping) -> Mapping[str, Any]:
        """The plan's limit."""
        return {"rows_per_entity": request.setting.rows_per_entity}

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Nothing a row; an entity adds two whole numbers."""
        nothing = query.int64_literal(0)
        return query.RowValues((nothing, nothing), of_entity=self._added)

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """One vector of two numbers."""
        if cells != 1 or protection.rows != self.rows_per_entity:
            raise InvalidArgument(
                f"Expected one cell and the plan's limit of {self.rows_per_entity} rows, got "
                f"cells={cells}, rows={protection.rows}."
            )
        moves = query.sensitivity.of_truncation(protection, self.most_rows)
        return (moves.part(self.unit, 1.0, 2),)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """What was kept, what was removed, and the share of the second."""
        kept, lost = noisy[0].tolist()
        categories = ("kept", "removed") if self.most_rows else ("whole", "cut")
        width = query.published.half_width(mechanisms[0])
        share, share_width = _share(kept, lost, query.published.noise_width(mechanisms[0], EACH))
        numbers = (
            (self.kind, categories[0], (float(kept), width, self.unit)),
            (self.kind, categories[1], (float(lost), width, self.unit)),
            ("share", categories[1], (share, share_width, "share")),
        )
        row_of = query.published.number_row
        return [row_of(name, of, None, {}, each, category=what) for of, what, each in numbers]

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Return half-widths of both numbers; the share's depends on them."""
        return {self.unit: query.published.half_width(mechanisms[0])}

    def published(self, cells: int, parts: query.Parts) -> int:
        """Both numbers and their share."""
        return 3

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]]:
        """Both numbers: the share follows from them."""
        return [np.array([int(row.value or 0.0) for row in rows[:-1]], np.int64)]

    def _added(self, owned: ir.IntegerValue) -> tuple[ir.IntegerValue, ...]:
        limit = query.int64_literal(self.rows_per_entity)
        if self.most_rows is None:
            cut = (owned > limit).cast("int64")
            return query.int64_literal(1) - cut, cut
        kept = ibis.least(owned, limit)
        return kept, ibis.least(owned, query.int64_literal(self.most_rows)) - kept


def _share(kept: int, lost: int, width: float) -> tuple[float, float]:
    """The published share and the distance to the farthest that the noise leaves possible.

    lost / (kept + lost) rises with what was lost and falls with what was kept, so it is extreme
    where one is at an end and the other at the other one. ExactParts numbers are not negative.
    """
    value = _ratio(kept, lost)
    extremes = _ratio(kept + width, lost - width), _ratio(kept - width, lost + width)
    return value, max(abs(end - value) for end in extremes)


def _ratio(kept: float, lost: float) -> float:
    kept, lost = max(kept, 0.0), max(lost, 0.0)
    return lost / (kept + lost) if lost else 0.0
