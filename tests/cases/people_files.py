"""One table of people in every kind of file that a statistics package or a spreadsheet writes."""

import datetime
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
import pyarrow as pa
import pyreadstat
import xlsxwriter

_NAMESPACES = "".join(
    f' xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"'
    for each in ("office", "table", "text")
)
_MANIFEST = (
    '<?xml version="1.0"?><manifest:manifest '
    'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">{}'
    "</manifest:file-entry></manifest:manifest>"
)
Cell = Any
"""A number, a text, a day, a moment, a duration, a truth value, or None; `Formula` in a sheet."""


class Formula(str):
    """A formula; `value` is what a program has calculated, None where none has."""

    value: float | None = None


def formula(text: str, value: float | None) -> Formula:
    made = Formula(text)
    made.value = value
    return made


def write_xlsx(
    path: Path,
    rows: Sequence[Sequence[Cell]],
    *,
    sheets: Sequence[str] = ("People",),
    merged: str = "",
    first: tuple[int, int] = (0, 0),
    calculated: bool = False,
) -> None:
    """The rows, a header first, on the first sheet; other sheets hold one cell."""
    with xlsxwriter.Workbook(str(path)) as book:
        formats = {
            datetime.datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            datetime.date: book.add_format({"num_format": "yyyy-mm-dd"}),
            datetime.timedelta: book.add_format({"num_format": "[h]:mm:ss"}),
        }
        sheet, *others = [book.add_worksheet(name) for name in sheets]
        for each in others:
            each.write_string(0, 0, "x")
        for down, row in enumerate(rows, first[0]):
            for right, cell in enumerate(row, first[1]):
                match cell:
                    case None:
                        pass
                    case Formula():
                        sheet.write_formula(down, right, f"={cell}", None, cell.value or 0)
                    case str():
                        sheet.write_string(down, right, cell)
                    case datetime.date() | datetime.timedelta():
                        sheet.write_datetime(down, right, cell, formats[type(cell)])
                    case _:
                        sheet.write(down, right, cell)
        if merged:
            sheet.merge_range(merged, "")
    if calculated:
        _replace(path, "xl/workbook.xml", b' fullCalcOnLoad="1"', b"")


def _replace(path: Path, member: str, old: bytes, new: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert old in held[member]
    held[member] = held[member].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in held.items():
            archive.writestr(name, content)


def write_ods(
    path: Path,
    rows: Sequence[Sequence[Cell]],
    *,
    sheets: Sequence[str] = ("People",),
    merged: str = "",
    encrypted: bool = False,
) -> None:
    """The rows as OpenDocument has them, the first cell two columns wide if it is `merged`."""
    span = ' table:number-columns-spanned="2"' if merged else ""
    body = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows
    ).replace("<table:table-cell", f"<table:table-cell{span}", 1)
    tables = [f'<table:table table:name="{escape(sheets[0])}">{body}</table:table>']
    tables += [f'<table:table table:name="{escape(each)}"/>' for each in sheets[1:]]
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content{_NAMESPACES}>'
        f"<office:body><office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    secret = '<manifest:encryption-data manifest:checksum="x"/>' if encrypted else ""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", _MANIFEST.format(secret))
        archive.writestr("content.xml", content)


def _ods_cell(cell: Cell) -> str:
    def made(of: str, attribute: str, value: object) -> str:
        return (
            f'<table:table-cell office:value-type="{of}" office:{attribute}="{value}">'
            f"<text:p>{value}</text:p></table:table-cell>"
        )

    match cell:
        case None:
            return "<table:table-cell/>"
        case Formula():
            value = "" if cell.value is None else f' office:value="{cell.value}"'
            kind = "" if cell.value is None else ' office:value-type="float"'
            return f'<table:table-cell table:formula="of:={escape(cell)}"{kind}{value}/>'
        case bool():
            return made("boolean", "boolean-value", str(cell).lower())
        case str():
            text = escape(cell).replace("  ", " <text:s/>")
            return (
                '<table:table-cell office:value-type="string">'
                f"<text:p>{text}</text:p></table:table-cell>"
            )
        case datetime.timedelta():
            seconds = int(cell.total_seconds())
            sign, seconds = "-" * (seconds < 0), abs(seconds)
            written = f"{sign}PT{seconds // 3600:02}H{seconds // 60 % 60:02}M{seconds % 60:02}S"
            return made("time", "time-value", written)
        case datetime.date():
            return made("date", "date-value", cell.isoformat())
    return made("float", "value", repr(cell))


def rows_of(table: pa.Table) -> list[list[Cell]]:
    """A table's rows, below its header."""
    lists = [each.to_pylist() for each in table.columns]
    return [table.column_names, *map(list, zip(*lists, strict=True))]


def _in_package(write: Callable[..., None], **fixed: Any) -> Callable[..., None]:
    def written(path: Path, table: pa.Table, **more: Any) -> None:
        write(frame_of(table), str(path), **fixed, **more)

    return written


def frame_of(table: pa.Table) -> pd.DataFrame:
    """The table for a package's writer: whole numbers are floats where one is missing."""
    columns = {
        name: pd.Series(
            ["" if each is None and pa.types.is_string(column.type) else each
             for each in column.to_pylist()],
            dtype="float64" if pa.types.is_primitive(column.type) and not _is_day(column.type)
            and not pa.types.is_boolean(column.type) else object,
        )
        for name, column in zip(table.column_names, table.columns, strict=True)
    }  # fmt: skip
    return pd.DataFrame(columns)


def _is_day(of: pa.DataType) -> bool:
    return pa.types.is_date(of) or pa.types.is_timestamp(of)


WRITERS: Mapping[str, Callable[..., None]] = {
    "sav": _in_package(pyreadstat.write_sav),
    "rows.sav": _in_package(pyreadstat.write_sav, row_compress=True),
    "zsav": _in_package(pyreadstat.write_sav, compress=True),
    "por": _in_package(pyreadstat.write_por),
    "dta": _in_package(pyreadstat.write_dta),
    "old.dta": _in_package(pyreadstat.write_dta, version=10),
    "xpt": _in_package(pyreadstat.write_xport, file_format_version=8),
    "v5.xpt": _in_package(pyreadstat.write_xport, file_format_version=5),
    "xlsx": lambda path, table: write_xlsx(path, rows_of(table)),
    "ods": lambda path, table: write_ods(path, rows_of(table)),
}
"""Ends of a file's name, and what writes such a file of a table."""
