"""What bounding removes much of, and what could not be read: for the owner's terminal only.

They are exact figures of the data. A release tells them to whoever runs it and to nobody else: no
file, no JSON and no exit status depends on them, and the noise is drawn without them.
"""

from collections.abc import Iterable, Iterator, Sequence

from deniable.publish.owner.preview_totals import Removed
from deniable.publish.sources.unread import Unread
from deniable.publish.totals.aggregate import Truncation

LARGE = 0.1
"""Share of rows, values or a total above which the owner is told: it changes a first digit."""

_PRIVATE = "For you only, not for publication:"


def of_release(truncation: Truncation | None, rows_per_entity: int | None) -> Iterator[str]:
    """What truncation removed, where it is much."""
    if truncation is not None and _is_large(truncation.rows - truncation.kept, truncation.rows):
        lost = 1 - truncation.kept / truncation.rows
        yield (
            f"{_PRIVATE} rows_per_entity = {rows_per_entity} left out {lost:.1%} of the rows. No "
            'half-width covers this. A query with statistic = "removed" publishes it with noise.'
        )


def of_columns(columns: Iterable[Unread]) -> Iterator[str]:
    """Columns of which much is not as declared: mostly it is the declaration that is wrong."""
    for column in columns:
        if _is_large(column.unread, column.filled):
            yield (
                f'{_PRIVATE} "{column.column}": {column.unread / column.filled:.1%} of its values '
                "cannot be read as declared, and count as none. See its type in [data], and how "
                "its values are written."
            )


def of_preview(queries: Sequence[Removed], rows_per_entity: int | None) -> Iterator[str]:
    """What each query loses, where it is much; truncation, which all queries share, once."""
    known = [each.losses for each in queries if each.losses is not None]
    cut = [each for each in known if each.truncated is not None]
    for losses in cut[:1]:
        rows = losses.total - (losses.without_entity or 0)
        yield from of_release(Truncation(rows, rows - (losses.truncated or 0)), rows_per_entity)
    for losses in known[:1]:
        yield from _describe_removal(
            "the table", losses.without_entity, losses.total, "rows have no entity"
        )
    for each in queries:
        yield from _of_query(each)


def _of_query(each: Removed) -> Iterator[str]:
    losses = each.losses
    if losses is not None:
        name, kept = f'"{each.name}"', losses.kept
        left = kept + (losses.keys or 0) + (losses.missing or 0) + (losses.outside or 0)
        yield from _describe_removal(name, losses.keys, left, "rows are not among the keys")
        yield from _describe_removal(name, losses.missing, left, "rows have no value")
        yield from _describe_removal(name, losses.outside, left, "rows are in no bin")
        yield from _describe_removal(
            name, losses.below, kept, "values are raised to the lower bound"
        )
        yield from _describe_removal(
            name, losses.above, kept, "values are lowered to the upper bound"
        )
    if each.figure != "mean" and each.kept == each.taking_part and each.clipped and each.bounded:
        lost = f"its {each.figure} is scaled away by max_contribution"
        yield from _describe_removal(
            f'"{each.name}"', each.clipped - each.bounded, each.clipped, lost, "of "
        )


def _describe_removal(
    where: str, part: float | None, total: float, what: str, of: str = "of its "
) -> Iterator[str]:
    if part is not None and _is_large(part, total):
        yield f"{_PRIVATE} {where}: {part / total:.1%} {of}{what}."


def _is_large(part: float, total: float) -> bool:
    return bool(total) and part / total >= LARGE
