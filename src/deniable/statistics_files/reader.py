"""Reads files of statistics packages, and spreadsheets, into the spill folder block by block."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from deniable.errors import PlanError
from deniable.errors.late import pa
from deniable.publish.sources import (
    Counted,
    DuckDB,
    EngineTable,
    EntityColumn,
    Kind,
    ScannedReader,
    Unread,
    call_redacting_errors,
    check_same_header,
    count_unread_texts,
    files,
    identifier,
    kind_of,
    reading_beside,
)
from deniable.statistics_files.columns import (
    ENGINE_TYPES,
    LABELS,
    Code,
    FileColumn,
    Numbers,
    named_missing,
)
from deniable.statistics_files.packages import PackageFile
from deniable.statistics_files.spreadsheets import Area, SheetFile

_TEXT_OF = "text of "
"""What begins the name of a column of texts that are parsed as the plan declares it."""
EXACT = {"FLOAT": 2.0**24}
"""The first whole number that floats of 32 bits do not tell from the next."""
_DOUBLE = 2.0**53  # the same of 64 bits
_BEYOND = 2.0**63  # the first whole number that 64 bits do not hold
_DAY = 86_400_000_000  # microseconds of a day
_MILLISECONDS = 1000.0  # milliseconds of a second
_ARROW = {
    "TINYINT": "int64", "SMALLINT": "int64", "INTEGER": "int64", "BIGINT": "int64",
    "FLOAT": "float32", "DOUBLE": "float64",
}  # fmt: skip


@attrs.define
class Cells:
    """Makes a column's cells, as `type` says, and counts those that cannot be read as declared.

    `kept` are codes that stand for no value but are keys of the plan, and their texts. Where the
    column `is_entity`, a number that it may have rounded names nobody.
    """

    column: FileColumn
    type: str
    declared: str | None
    named: Collection[object] = ()
    is_entity: bool = False
    filled: int = 0
    unread: int = 0
    kept: Mapping[Code, str] = attrs.field(init=False)

    @kept.default
    def _kept(self) -> Mapping[Code, str]:
        return named_missing(self.column, self.declared, self.named)

    @property
    def field(self) -> pa.DataType:
        """The type of `array`."""
        if self.column.stored == "VARCHAR" or self.type == "VARCHAR":
            return pa.string()
        types = {"DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us"), "BOOLEAN": pa.bool_()}
        return types.get(self.type) or pa.type_for_alias(_ARROW[self.type])

    @property
    def counted(self) -> Unread:
        """How many of the cells that hold anything could not be read."""
        return Unread(self.column.name, self.filled, self.unread)

    def array(self, cells: Sequence[Any]) -> pa.Array:
        """The cells of a block, in the column's type; parsed texts stay texts."""
        if self.column.stored == "VARCHAR" or self.type == "VARCHAR":
            is_changed = bool(self.column.missing) or self.declared == LABELS
            if self.column.stored == "VARCHAR" and not is_changed:
                return pa.array(cells, pa.string())
            text = cache(self._text)  # of each code of a block once
            return pa.array([text(each) for each in cells], pa.string())
        return self._of_numbers(self._numbers(cells))

    def _text(self, code: Code | None) -> str | None:
        if code is None or code != code:
            return None
        if self.column.missing_code(code):
            return self.kept.get(code)
        limit = EXACT.get(self.column.stored, _DOUBLE)
        if self.is_entity and not isinstance(code, str) and abs(code) >= limit:
            return None
        return self.column.text(code, self.declared)

    def _numbers(self, cells: Sequence[Any]) -> Numbers:
        try:
            array = pa.array(cells, pa.float64())
        except (pa.ArrowException, TypeError):  # letters, which are asked for with the codes
            array = pa.array([None if isinstance(each, str) else each for each in cells])
        numbers: Numbers = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
        ranges: Sequence[tuple[Any, Any]] = self.column.missing
        for low, high in ranges:
            is_missing = (numbers >= low) & (numbers <= high)
            if is_missing.any():
                numbers = np.where(is_missing & ~np.isin(numbers, [*self.kept]), np.nan, numbers)
        return numbers / _MILLISECONDS if self.column.duration else numbers

    def _of_numbers(self, numbers: Numbers) -> pa.Array:
        is_filled = ~np.isnan(numbers)
        is_read = is_filled.copy()
        if self.is_entity:
            is_read &= np.abs(numbers) < EXACT.get(self.column.stored, _DOUBLE)
        values: Any = numbers
        of = _ARROW.get(self.type)
        if self.type in ("DATE", "TIMESTAMP") and self.column.calendar is not None:
            values, known = self.column.calendar.microseconds(numbers)
            is_read &= known
            if self.type == "DATE":
                is_read &= values % _DAY == 0
                values = (values // _DAY).astype(np.int32)
        elif self.type == "BOOLEAN":
            is_read &= np.isin(numbers, (0, 1))
            values = numbers == 1
        elif of == "int64":
            is_read &= (np.floor(numbers) == numbers) & (np.abs(numbers) < _BEYOND)
            values = np.where(is_read, numbers, 0).astype(np.int64)
        elif of == "float32":
            values = numbers.astype(np.float32)
        self.filled += int(np.count_nonzero(is_filled))
        self.unread += int(np.count_nonzero(is_filled & ~is_read))
        array = pa.array(values, mask=~is_read)
        if self.type == "DATE":
            return array.view(pa.date32())
        return array.view(pa.timestamp("us")) if self.type == "TIMESTAMP" else array


@attrs.frozen(eq=False)
class _StagedReader(ScannedReader):
    """Reads files that the engine cannot scan: blocks of cells are written down, then scanned."""

    entity: str = ""
    """The column that names entities, once the table is opened."""

    @contextmanager
    def open(
        self,
        kinds: Mapping[str, Kind],
        used: Sequence[str],
        entity: EntityColumn | None,
        memory_limit: str,
    ) -> Iterator[EngineTable]:
        """Open columns for expressions, of entities those that the file tells apart."""
        own = attrs.evolve(self, entity="" if entity is None else entity.column)
        with ScannedReader.open(own, kinds, used, entity, memory_limit) as table:
            yield table

    def parsed(self) -> Mapping[str, str]:
        """Columns of texts that are read as another type, and the engine's name of that."""
        raise NotImplementedError

    def count_texts(self, running: DuckDB, columns: Sequence[str]) -> Sequence[Unread]:
        """Count the cells that cannot be read, of those of the columns that are parsed."""
        types = self.parsed()
        readings = {
            beside: reading_beside(self.source, column, kind_of(types[column]))
            for column, beside in self.texts_beside(columns).items()
        }
        return count_unread_texts(running, readings)

    def texts_beside(self, columns: Collection[str]) -> Mapping[str, str]:
        """Columns whose texts the file has, and what those are called once they are staged."""
        return {each: f"{_TEXT_OF}{each}" for each in columns if each in self.parsed()}

    def stage(
        self, running: DuckDB, fields: Mapping[str, pa.DataType], blocks: Iterator[list[pa.Array]]
    ) -> str:
        """Write blocks of columns to a file in the spill folder, and name its rows."""
        types, beside = self.parsed(), self.texts_beside(fields)
        schema = pa.schema([(beside.get(name, name), of) for name, of in fields.items()])
        path = running.folder / "staged.arrow"

        def write() -> pa.Table:
            with pa.ipc.new_file(str(path), schema) as file:
                for block in blocks:
                    file.write_batch(pa.record_batch(block, schema=schema))
            return pa.ipc.open_file(pa.memory_map(str(path))).read_all()

        rows = running.register_rows("staged", call_redacting_errors(write, at=self.place))
        empty = "".join(f", NULL::{types[each]} AS {identifier(each)}" for each in beside)
        return f"(SELECT *{empty} FROM {rows})"

    def located(self) -> tuple[list[Path], str]:
        """The files, and what stands behind # in their name."""
        location = self.source.location
        if (self.source.base / location).is_file() or "#" not in location:
            return files(self.source), ""
        location, _, part = location.partition("#")
        return files(attrs.evolve(self.source, location=location)), part


@attrs.frozen(eq=False)
class PackageReader(_StagedReader):
    """Reads files of SPSS, Stata and SAS."""

    TYPES: ClassVar[Collection[str]] = (*ENGINE_TYPES, LABELS)

    staged: list[Cells] = attrs.field(factory=list)

    def types(self) -> Mapping[str, str]:
        """Columns and the engine's own types, as the file or else the plan says."""
        return {name: self._type(column) for name, column in self._columns().items()}

    def _type(self, column: FileColumn) -> str:
        declared = self.source.types.get(column.name)
        of = column.read_type(declared)
        if of is not None:
            return of
        remedy = "It has no value labels." if declared == LABELS else "Remove it from types."
        raise PlanError(
            f'Expected a type that "{column.name}" can be read as, got "{declared}" at '
            f"{self.place}. {remedy}"
        )

    def notes(self) -> Mapping[str, str]:
        """What the dictionary says of columns beside their types, for the owner."""
        return {name: column.note for name, column in self._columns().items() if column.note}

    def known_texts(self) -> Mapping[str, Collection[str]]:
        """Columns that are read as labels, and those labels."""
        columns = self._columns()
        wanted = [name for name, of in self.source.types.items() if of == LABELS]
        return {name: [*columns[name].labels.values()] for name in wanted if name in columns}

    def missing(self, column: str, values: Collection[object]) -> Collection[object]:
        """Codes that stand for no value in the file and that the values name."""
        of = self._columns().get(column)
        return () if of is None else named_missing(of, self.source.types.get(column), values)

    def parsed(self) -> Mapping[str, str]:
        """Columns of texts that the plan takes for something else."""
        columns = self._columns()
        types = {name: self._type(column) for name, column in columns.items()}
        return {
            name: of for name, of in types.items()
            if columns[name].stored == "VARCHAR" and of != "VARCHAR"
        }  # fmt: skip

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:
        """Rows of all files, one after the other."""
        described, texts = self._columns(), self.parsed()
        # One column at least, for rows to be counted; all in the file's order.
        wanted = [each for name, each in described.items() if name in columns]
        wanted = wanted or [next(iter(described.values()))]
        self.staged[:] = [
            Cells(
                each,
                "VARCHAR" if each.name in texts else self._type(each),
                self.source.types.get(each.name),
                self.source.keys.get(each.name, ()),
                is_entity=each.name == self.entity,
            )
            for each in wanted
        ]
        with_codes = any(each.kept for each in self.staged)
        blocks = (
            [of.array(block.pop(0)) for of in self.staged]  # no two blocks are held at once
            for file in self._files()
            for block in file.blocks(wanted, running.folder, missing=with_codes)
        )
        return self.stage(running, {each.column.name: each.field for each in self.staged}, blocks)

    def unread(self, running: DuckDB, columns: Sequence[str]) -> Counted:
        """What counts cells that cannot be read as declared."""
        own = [
            each.counted for each in self.staged if each.filled and (each.declared or each.unread)
        ]
        return lambda: [*own, *self.count_texts(running, columns)]

    def _files(self) -> list[PackageFile]:
        paths, part = self.located()
        if part:
            raise PlanError(f'Expected a file, got "#{part}" after one. Only spreadsheets have it.')
        return [PackageFile(path, path.name if paths[1:] else self.place) for path in paths]

    def _columns(self) -> Mapping[str, FileColumn]:
        first, *rest = self._files()
        columns = first.columns()
        for file in rest:
            for one, other in zip_longest(columns, file.columns()):
                if one != other:
                    raise PlanError(
                        "Expected files with the same columns, labels and missing values, got "
                        f'others at {file.at}: "{(one or other).name}" differs. Write them with '
                        "one dictionary."
                    )
        return {each.name: each for each in columns}


@attrs.frozen(eq=False)
class SpreadsheetReader(_StagedReader):
    """Reads one sheet of a workbook, whose cells are texts as those of a CSV file are."""

    TEXTS: ClassVar[bool] = True

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what the plan declares them; text where it says nothing."""
        headers = [file.header() for file in self._files()]
        check_same_header(headers, [file.at for file in self._files()], "sheets")
        return {name: Kind(self.source.types.get(name, Kind.TEXT)) for name in headers[0] if name}

    def types(self) -> Mapping[str, str]:
        """None, as of a CSV file."""
        return {}

    def parsed(self) -> Mapping[str, str]:
        """Columns that are no texts to the plan."""
        types = {each: of for each, of in self.source.types.items() if of != Kind.TEXT}
        return {each: ENGINE_TYPES[of] for each, of in types.items()}

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:
        """Rows of all sheets, one after the other."""
        names = [*columns] or [next(iter(self.kinds()))]
        numbers = [each for each in names if columns.get(each) in (Kind.INTEGER, Kind.NUMBER)]
        blocks = (
            [pa.array(texts, pa.string()) for texts in block]
            for file in self._files()
            for block in file.blocks(names, numbers, self.entity)
        )
        return self.stage(running, dict.fromkeys(names, pa.string()), blocks)

    def unread(self, running: DuckDB, columns: Sequence[str]) -> Counted:
        """What counts cells that cannot be read as declared."""
        return partial(self.count_texts, running, columns)

    def _files(self) -> list[SheetFile]:
        paths, part = self.located()
        area = Area.of(part)
        return [SheetFile(path, area, path.name if paths[1:] else self.place) for path in paths]
