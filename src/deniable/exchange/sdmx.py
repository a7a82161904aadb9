"""A release as SDMX-CSV 2.0, the table format of statistical offices.

All rows stand in one structure: a dimension for the query, the statistic, each column that any
query groups by, and the ends of a bin. Codes are texts, `_T` is a total, and `_Z` does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from deniable.certificate.results import as_text
from deniable.certificate.tables import TableCertificate
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.errors.validate import guard_formula
from deniable.pipeline.exports import Cells, CheckedRelease, Exported, ExportFormat, csv_cells

if TYPE_CHECKING:
    import pandas as pd
    import pysdmx.io.csv.sdmx20.writer as sdmx_writer
    import pysdmx.io.pd as sdmx_data
    import pysdmx.model as sdmx
else:
    pd = late("pandas", extra="publish")
    sdmx = late("pysdmx.model", extra="exchange")
    sdmx_data = late("pysdmx.io.pd", extra="exchange")
    sdmx_writer = late("pysdmx.io.csv.sdmx20.writer", extra="exchange")

TOTAL, NOT_APPLICABLE = "_T", "_Z"
"""SDMX's codes of a dimension that is summed over, and of one that says nothing of a row."""
NORMAL, MISSING, NONE_EXISTS, FREE = "A", "O", "M", "F"
"""Codes of OBS_STATUS: a value, none that could be computed, none by its nature; of CONF_STATUS."""
_GROUP = "group:"
_MEASURES = {"value": "OBS_VALUE", "half_width_95": "HALF_WIDTH_95"}
_DIMENSIONS = ("query", "statistic", "column", "bin_low", "bin_high", "category", "rank")
"""Columns of results that tell its rows from one another, beside those of groups."""


class SdmxCsv(ExportFormat):
    """One line for each published row."""

    ending = ".sdmx.csv"

    def confirm(self) -> None:
        """Load the library, or say which extra brings it."""
        _ = sdmx.Schema

    def begins(self, content: bytes) -> bool:
        """Return whether the header begins as the format has it."""
        header = content.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
        return header.replace(b'"', b"").startswith(b"STRUCTURE,STRUCTURE_ID,")

    def export(self, release: CheckedRelease, query: str | None) -> Exported:
        """Return the file of a release of tables, or of one of its queries."""
        if not isinstance(release.certificate, TableCertificate):
            raise InvalidArgument("SDMX needs a release of tables, got a release of another kind.")
        table = release.table(query)
        columns = table.to_pydict()
        for name in columns.keys() - _MEASURES:
            if all(value is None for value in columns[name]):
                del columns[name]
        queries = release.certificate.queries
        grouped = {q.name: {_GROUP + group.column for group in q.group_by} for q in queries}
        own = [grouped[name] for name in columns["query"]]
        dimensions = [name for name in columns if name in _DIMENSIONS or name.startswith(_GROUP)]
        ids = _component_ids(columns)
        data = {
            ids[name]: [*_codes(name, columns[name], own)] for name in dimensions
        } | {
            ids[name]: values if name in _MEASURES else [*map(_text, values)]
            for name, values in columns.items()
            if name not in dimensions
        }  # fmt: skip
        categories = columns.get("category", [None] * table.num_rows)
        data["OBS_STATUS"] = [
            NORMAL if value is not None else MISSING if category is None else NONE_EXISTS
            for value, category in zip(columns["value"], categories, strict=True)
        ]
        data["CONF_STATUS"] = [FREE] * table.num_rows
        structure = f"PLAN_{release.certificate.plan_sha256[:12].upper()}"
        content = _write(structure, [ids[name] for name in dimensions], data)
        return Exported(to="sdmx-csv", content=content, query=query)

    def cells(self, content: bytes) -> Cells:
        """Return every field, as a text."""
        return csv_cells(content)


def _component_ids(columns: Mapping[str, Any]) -> dict[str, str]:
    """Return an id for each column: its capitals, and `_` for what an id cannot have."""
    ids = dict[str, str]()
    reserved = {"STRUCTURE", "STRUCTURE_ID", "ACTION", "OBS_STATUS", "CONF_STATUS"}
    for name in sorted(columns, key=lambda each: each.startswith(_GROUP)):  # own names first
        plain = re.sub(r"[^A-Z0-9_]", "_", name.removeprefix(_GROUP).upper())
        plain = plain if re.match("[A-Z]", plain) else f"X{plain}"
        wanted, number = _MEASURES.get(name, plain), 1
        while wanted in reserved:
            number += 1
            wanted = f"{plain}_{number}"
        reserved.add(wanted)
        ids[name] = wanted
    return ids


def _codes(name: str, values: list[Any], own: list[set[str]]) -> Iterator[str]:
    """Yield a dimension's codes; refused where a key would be read as another code."""
    for value, groups in zip(values, own, strict=True):
        if value is None:
            yield TOTAL if name in groups else NOT_APPLICABLE
            continue
        code = _text(value) or ""
        if code in ("", TOTAL, NOT_APPLICABLE):
            raise InvalidArgument(
                f"Expected keys of {name.removeprefix(_GROUP)} that can be codes of SDMX, got "
                f"{code!r}, which means something else there. Use --to xlsx, or results.csv."
            )
        yield code


def _text(value: Any) -> str | None:
    """Return a text that no spreadsheet computes; a number as the results write it."""
    if value is None:
        return None
    return guard_formula(value) if isinstance(value, str) else as_text(value)


def _write(structure: str, dimensions: list[str], data: Mapping[str, list[Any]]) -> bytes:
    """Return the file, written by pysdmx: its action is I, for information."""
    kinds = (sdmx.DataType.STRING, sdmx.DataType.DOUBLE)
    roles = dict.fromkeys(dimensions, sdmx.Role.DIMENSION) | {"OBS_VALUE": sdmx.Role.MEASURE}
    components = [
        sdmx.Component(
            id=name,
            required=name in roles,
            role=roles.get(name, sdmx.Role.ATTRIBUTE),
            concept=sdmx.Concept(name),
            local_dtype=kinds[name in _MEASURES.values()],
            attachment_level=None if name in roles else "O",
        )
        for name in data
    ]
    schema = sdmx.Schema("datastructure", "DENIABLE", structure, sdmx.Components(components))
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in data.items()})
    text = sdmx_writer.write([sdmx_data.PandasDataset(structure=schema, data=frame)])
    return (text or "").replace("\r\n", "\n").encode("utf-8")
