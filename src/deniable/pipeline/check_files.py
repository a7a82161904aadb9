"""The files of a release beside its certificate and beside each other, without the data."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

from deniable.certificate.files import (
    CERTIFICATE,
    CSV,
    METADATA,
    PARQUET,
    REPORT,
    other_files,
    results_metadata,
)
from deniable.certificate.json_documents import read_bytes, sha256, sha256_of_file
from deniable.certificate.model import Certificate
from deniable.certificate.results import csv_bytes, parquet_bytes, read_parquet
from deniable.errors import InvalidArgument
from deniable.errors.late import pa, pq
from deniable.pipeline.checked import Check, Checked, Trusted, Verified, failed, one_line
from deniable.pipeline.kind import AnyKind
from deniable.report.charts import without_drawings

MOST_FILE_BYTES = 2**26  # the largest size of any file of a release that is read here

MOST_HASHED_BYTES = 2**32
"""The largest size of results that are hashed where rows are too many to compare."""

MOST_UNPACKED_BYTES = 2**28  # the largest unpacked size of results.parquet, as it says of itself

MOST_ROWS = 50_000
"""Rows that are compared one by one, about two seconds; for more, digests decide."""

_ADDED_COLUMNS = ("rows_per_entity", "max_contribution", "bound_low", "bound_high")
"""Columns that results.parquet gained since the first releases of the first format."""

_MOST_NAMED = 20  # foreign files that are named one by one; a folder may hold millions


def check_files(
    folder: Path, kind: AnyKind, certificate: Certificate, prepared: Any, *, charts: bool = False
) -> Checked:
    """Compare every file of a release's folder with its certificate and with the others.

    The certificate holds by itself, and the release was settled again from it. The answer names
    on trust what is in the folder besides, and what could not be compared.
    """
    checks, contents, digests = list[Check](), dict[str, bytes](), dict[str, str]()
    number = kind.number(prepared)
    if kind.more(prepared):
        # A file that is no Parquet says no number.
        with suppress(pa.ArrowException, OSError, MemoryError):
            number = max(number, int(pq.read_metadata(folder / PARQUET).num_rows))
    many = number > MOST_ROWS
    for name in certificate.files or (REPORT, CSV, PARQUET):
        is_hashed = many and name in (CSV, PARQUET)
        most = MOST_HASHED_BYTES if is_hashed else MOST_FILE_BYTES
        try:
            if is_hashed:
                digests[name] = sha256_of_file(folder / name, most)
                continue
            contents[name] = read_bytes(folder / name, most)
            digests[name] = sha256(contents[name])
        except InvalidArgument:
            finding = f"Expected a file of at most {most:,} bytes, got none of this name."
            checks.append(Check(name, False, finding))
    named = [name for name in digests if name in certificate.files]
    for name in named:
        claimed, digest = certificate.files[name], digests[name]
        finding = f"Expected the SHA-256 {claimed}, got {digest}."
        checks.append(Check.that(name, claimed == digest, finding))
    for name, text in kind.texts(certificate).items():
        if name in contents:
            same, finding = contents[name] == text.encode(), "Expected what the certificate says."
            checks.append(Check.that(f"{name}, rewritten", same, finding))
    by_digest = [Verified(name, "its SHA-256 stands in the certificate") for name in named]
    answer = Checked(tuple(checks), tuple(by_digest), tuple(_besides(folder, certificate)))
    if REPORT in contents and PARQUET not in certificate.file_names:  # a kind without rows
        page = partial(kind.report, certificate, prepared, ())
        return answer.joined(_report(contents[REPORT], page, certificate, charts=charts))
    if not {CSV, PARQUET, REPORT} <= digests.keys():
        return answer
    if many:
        why = f"more than {MOST_ROWS} rows are not compared one by one; digests are"
        return answer.joined(Checked((), (), (Trusted("rows of the results", why),)))
    try:
        results = _read(contents[PARQUET], number)
        rows = kind.rebuilt(certificate, prepared, results.to_pylist())
    except InvalidArgument as error:
        return answer.joined(Checked((failed("results", error),)))
    page = partial(kind.report, certificate, prepared, rows)
    compared, others = _same_rows(contents, results, kind.results(rows), certificate)
    answer = answer.joined(compared)
    if compared.checks[0].holds:
        answer = answer.joined(_same_tables(contents, kind.tables(prepared, rows)))
    answer = answer.joined(Checked((), (), others))
    if compared.checks[0].holds:
        answer = answer.joined(_report(contents[REPORT], page, certificate, charts=charts))
    return answer


def _besides(folder: Path, certificate: Certificate) -> Iterator[Trusted]:
    yield Trusted(
        CERTIFICATE,
        "that this certificate is the one that was released: compare its SHA-256, "
        f"{sha256(read_bytes(folder / CERTIFICATE, MOST_FILE_BYTES))}, with the releaser's",
    )
    if certificate.parts:
        yield Trusted(
            "values",
            "that noise of the stated scale was drawn, once, for the data meant; a mean's "
            "half-width goes with its value",
        )
    others = other_files(folder, certificate.file_names)
    for name in others[:_MOST_NAMED]:
        yield Trusted(one_line(name, 100), "it is no part of the release")
    if len(others) > _MOST_NAMED:
        yield Trusted(f"{len(others) - _MOST_NAMED} more", "they are no part of the release")


def _same_rows(
    contents: Mapping[str, bytes], results: pa.Table, expected: Any, certificate: Certificate
) -> tuple[Checked, tuple[Trusted, ...]]:
    """Both files of the results beside the rows made again, and what they rest on."""
    columns, raw = {*results.column_names}, contents[PARQUET]
    if certificate.is_first and not {*_ADDED_COLUMNS} & columns:
        expected = expected.drop_columns([*_ADDED_COLUMNS])
    checks = [_same_results(results, expected), _same_text(contents[CSV], results)]
    about = results_metadata(certificate) if certificate.files else {}
    if about:
        checks.append(_metadata(raw, about))
    plan = getattr(certificate, "plan", None) or {}
    trusted = (
        (parquet_bytes(results, about) != raw, f"bytes of {PARQUET}",
         "its rows were compared; another version of the library wrote it, or another program"),
        ("sample" in plan, "sample",
         "that the table was drawn from the population as the plan says"),
        ("approximate_low" in columns, "approximate intervals",
         "that about 95 of 100 cover, which nothing proves"),
    )  # fmt: skip
    verified = (
        Verified("rows of the results", "all but values and half-widths of means recomputed"),
        Verified(CSV, f"written again from {PARQUET}, byte by byte"),
    )
    rests = tuple(Trusted(what, why) for is_so, what, why in trusted if is_so)
    return Checked(tuple(checks), verified), rests


def _read(raw: bytes, number: int) -> pa.Table:
    """The table of results.parquet, if it is no larger than it can be."""
    try:
        file = pq.ParquetFile(pa.BufferReader(raw))
        about = file.metadata
        groups = [about.row_group(index) for index in range(about.num_row_groups)]
        unpacked = sum(group.total_byte_size for group in groups)
        if about.num_rows != number:
            raise InvalidArgument(f"Expected {number} rows, got {about.num_rows}.")
        if unpacked > MOST_UNPACKED_BYTES:
            raise InvalidArgument(f"Expected at most {MOST_UNPACKED_BYTES} bytes, got {unpacked}.")
        table = file.read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError, MemoryError):
        raise InvalidArgument(f"Expected Parquet, got something else in {PARQUET}.") from None
    return table


def _same_results(results: pa.Table, rebuilt: pa.Table) -> Check:
    name = "results"
    if results.schema.remove_metadata() != rebuilt.schema.remove_metadata():
        return Check(name, False, one_line(f"Expected other columns, got {results.column_names}."))
    for column in rebuilt.column_names:
        one, other = results[column].to_pylist(), rebuilt[column].to_pylist()
        for row, (got, wanted) in enumerate(zip(one, other, strict=True), start=1):
            if repr(got) != repr(wanted):
                finding = f"Expected {wanted!r}, got {got!r} at row {row}, column {column}."
                return Check(name, False, one_line(finding))
    return Check(name, True)


def _same_tables(contents: Mapping[str, bytes], tables: Mapping[str, bytes]) -> Checked:
    """Further tables beside what follows from the rows, where they could be read."""
    checks, verified = [], []
    for name in (each for each in tables if each in contents):
        got, wanted = contents[name], tables[name]
        holds = got == wanted
        if not holds and name.endswith(".parquet"):  # another version of the library may pack it
            with suppress(pa.ArrowException, OSError, MemoryError):
                one, other = read_parquet(got), read_parquet(wanted)
                holds = one.schema.remove_metadata() == other.schema.remove_metadata()
                holds = holds and one.equals(other)
        finding = "Expected what follows from the results, got something else."
        checks.append(Check.that(f"{name}, made again", holds, finding))
        if holds:
            verified.append(Verified(name, "made again from the results"))
    return Checked(tuple(checks), tuple(verified))


def _same_text(text: bytes, results: pa.Table) -> Check:
    wanted, name = csv_bytes(results), f"{CSV} and {PARQUET}"
    if text == wanted:
        return Check(name, True)
    lines = zip(text.split(b"\r\n"), wanted.split(b"\r\n"), strict=False)
    row = next((number for number, (one, other) in enumerate(lines) if one != other), None)
    place = "the end" if row is None else f"row {row}"
    return Check(name, False, f"Expected the same numbers in both, got others at {place}.")


def _report(
    raw: bytes, again: Callable[[], str], certificate: Certificate, *, charts: bool
) -> Checked:
    """The report made again, with charts or without; other versions may draw them differently."""
    if not certificate.files:
        why = "certificates of the first format do not name their report"
        return Checked((), (), (Trusted(REPORT, why),))
    with nullcontext() if charts else without_drawings():
        page = again()
    if (charts or "<svg" not in page) and raw == page.encode("utf-8"):
        return Checked((Check("report", True),), (Verified(REPORT, "made again, byte by byte"),))
    if charts:
        with without_drawings():
            page = again()
    words, drawings = split_charts(raw.decode("utf-8", "surrogateescape"))
    expected, undrawn = split_charts(page)
    finding = ""
    if words != expected:
        here = importlib.metadata.version("deniable")
        made = certificate.versions["deniable"]
        if made != here or certificate.format in certificate.EARLIER:
            which = f"Deniable {one_line(made, 40)}" if made != here else "an earlier state"
            why = f"{which} made it, this is Deniable {here}; read the rest"
            return Checked((), (), (Trusted(REPORT, why),))
        finding = "Expected the text that certificate and results determine, got another."
    elif not all(map(may_be_drawing, drawings, undrawn)):
        finding = "Expected charts of shapes and labels, got something else in one."
    if finding:
        return Checked((Check("report", False, finding),))
    why = "they are not drawn again unless --charts is given"
    why = "drawn again they come out otherwise" if charts else why
    same = Verified(f"text of {REPORT}", "made again")
    return Checked((Check("report", True),), (same,), (Trusted(f"charts of {REPORT}", why),))


def _metadata(raw: bytes, about: Mapping[bytes, bytes]) -> Check:
    """Whether results.parquet says of itself what the certificate says of it."""
    try:
        metadata = pq.read_metadata(pa.BufferReader(raw)).metadata or {}
        stated = json.loads(metadata.get(METADATA, b"null"))
    except (pa.ArrowException, OSError, ValueError, RecursionError):
        stated = None
    wanted = json.loads(about[METADATA])
    same = json.dumps(stated, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    finding = "Expected title, limits and digest, got others."
    return Check.that("metadata of the results", same, finding)


_SHAPES = frozenset({
    "circle", "clipPath", "defs", "g", "line", "path", "rect", "text", "tspan",
})  # fmt: skip
_LOOKS = frozenset({
    "aria-hidden", "aria-roledescription", "class", "clip-path", "cx", "cy", "d",
    "display", "dx", "dy", "fill", "fill-opacity", "font-family", "font-size", "font-style",
    "font-weight", "height", "id", "opacity", "pointer-events", "r", "role", "rx", "ry", "stroke",
    "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin",
    "stroke-miterlimit", "stroke-opacity", "stroke-width", "text-anchor", "transform", "width",
    "x", "x1", "x2", "y", "y1", "y2",
})  # fmt: skip
"""Attributes of shapes: none of them shows anything outside of the picture."""
_ATTRIBUTE = r" ([a-z0-9-]+)=\"([^\"<&\\]*)\""
_TAG = re.compile(rf"</?([A-Za-z]+)((?:{_ATTRIBUTE})*)/?>")
_SIZE = r"[0-9]{1,7}(?:[.][0-9]+)?"
_SIZES = rf'viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}"'
_LABELLED = re.compile(r' role="img" aria-labelledby="(\S+)-title \1-desc"')


def split_charts(page: str) -> tuple[str, list[str]]:
    """A page with each chart reduced to its title and description, and all else of each chart."""
    before, *pieces = page.split("<svg")
    words, drawings = [before], []
    for piece in pieces:
        chart, _, after = piece.partition("</svg>")
        attributes, _, inner = chart.partition(">")
        title, mark, drawing = inner.rpartition("</desc>")
        words += ["<svg>", title, mark, "</svg>", after]
        drawings.append(f"<svg{attributes}>{drawing}")
    return "".join(words), drawings


def may_be_drawing(drawing: str, undrawn: str) -> bool:
    """Whether a drawing is what is expected, or shapes and labels in place of what is not drawn.

    Those have no picture, style, address or code, and lie within a picture of a size and a name:
    else the page's style, or a parser that ends the picture early, would put them over its text.
    Names of shapes are the chart's own, so that no link of the page leads to one.
    """
    attributes = undrawn.removeprefix("<svg").removesuffix(">")
    if (label := _LABELLED.fullmatch(attributes)) is None:  # no chart of ours
        return drawing == undrawn
    root, _, shapes = drawing.partition(">")
    size = rf"<svg {_SIZES}{re.escape(attributes)}"
    if not re.fullmatch(size, root) or "<" in _TAG.sub("", shapes):
        return False
    own = re.compile(rf"{re.escape(label[1])}-[0-9]+")
    tags = _TAG.findall(shapes)
    looks = [each for _, attributes, *_ in tags for each in re.findall(_ATTRIBUTE, attributes)]
    return all(tag in _SHAPES for tag, *_ in tags) and all(
        name in _LOOKS
        and (name != "id" or own.fullmatch(value))
        and value.lower().count("url(") == value.count(f"url(#{label[1]}-")
        for name, value in looks
    )
