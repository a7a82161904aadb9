"""`--out-records` of the population commands: a CSV file, written whole or not at all."""

from pathlib import Path

from deniable.cli.output import announce_written
from deniable.errors import InvalidArgument


def check_records_file(place: Path, records: str) -> None:
    """Refuse before any work what could not be written after it.

    Raises
    ------
    InvalidArgument
        If records are not asked for one by one, or there is something of that name or no folder.
    """
    if records != "all":
        raise InvalidArgument(
            f"Expected `records` all with `out_records`, got {records}. Write --records all."
        )
    if place.exists():
        raise InvalidArgument(
            f"Expected a new file for `out_records`, got {str(place)!r}, which exists. "
            "Choose another name."
        )
    if not place.parent.is_dir():
        raise InvalidArgument(
            f"Expected a file in a folder that exists for `out_records`, got {str(place)!r}. "
            "Make the folder first."
        )


def write_whole(place: Path, text: str) -> None:
    """Write a new file; what stands under its name is all of it."""
    partial = place.with_name(f".{place.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.rename(place)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InvalidArgument(
            f"Expected a file that can be written for `out_records`, got {error.strerror!r} at "
            f"{str(place)!r}. Choose another place."
        ) from None
    announce_written(f"Written to {place}.")
