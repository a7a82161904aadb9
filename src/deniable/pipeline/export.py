"""`deniable export`: a release that holds, in the format of another program."""

import os
from collections.abc import Iterable
from pathlib import Path

import attrs

from deniable.certificate.files import CERTIFICATE
from deniable.certificate.json_documents import read_document
from deniable.errors import InvalidArgument, validate
from deniable.numerics.operating_system import whole_file
from deniable.pipeline.check import check_certificate
from deniable.pipeline.check_files import check_files
from deniable.pipeline.exports import CheckedRelease, Exported, ExportFormat, format_called
from deniable.pipeline.kind import kind_of


def export(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    to: str,
    query: str | None = None,
) -> Exported:
    """Check a release, and return its tables in another program's format.

    Everything comes from the certificate and the results, so that
    ``check(folder, export=file)`` compares each value of a file with them.

    Parameters
    ----------
    source : path or Released
        The folder of a release; for the registry also a certificate.json.
    out : path, optional
        The file to write, whole or not at all.
    to : {"xlsx", "sdmx-csv", "registry-yaml", "survfit", "lifelines"}
        A workbook with crosstabs as they are read, and the guarantee; SDMX-CSV 2.0; an entry of
        the Differential Privacy Deployments Registry; a survival curve for R or lifelines.
    query : str, optional
        Export one query. A curve needs it if the release has several.

    Returns
    -------
    Exported
        With the file as `content`. A curve also has `frame` for pandas, and `as_csv`.

    Raises
    ------
    InvalidArgument
        If the release does not hold, if the format cannot hold it, or if `out` cannot be written.
    """
    wanted = format_called(to)
    folder = validate.path(source, "a release's folder")
    place = None if out is None else check_place(validate.path(out, "a file's name"), wanted)
    document = read_document(folder / CERTIFICATE if folder.is_dir() else folder)
    kind = kind_of(document)
    answer, recomputed = check_certificate(kind, document, files_beside=folder.is_dir())
    if recomputed is not None and answer.holds and folder.is_dir():
        files = check_files(folder, kind, recomputed.certificate, recomputed.prepared)
        answer = answer.joined(files)
    if recomputed is None or not answer.holds:
        raise answer.refusal("a release")
    release = CheckedRelease.of(folder, recomputed.certificate)
    exported = wanted.export(release, query)
    if place is None:
        return exported
    with whole_file(place, new=True) as file:
        file.write(exported.content)
    return attrs.evolve(exported, out=place)


def check_place(path: Path, format: ExportFormat) -> Path:
    """Return a place that a file of a format can be written to; refuse others beforehand."""
    if path.suffix.lower() != (suffix := Path(f"x{format.ending}").suffix):
        raise InvalidArgument(f"Expected a file named {suffix}, got {path}. Rename it.")
    return validate.new_file(path)


def export_places(out: Path, words: Iterable[str]) -> dict[str, Path]:
    """Return where each format of a coming release goes; refuse what cannot be written."""
    formats = {word: format_called(word) for word in words}
    for each in formats.values():
        each.confirm()
    out = out if out.name.strip(".") else Path(os.path.abspath(out))  # "." has no name
    places = {word: out.with_name(f"{out.name}{each.ending}") for word, each in formats.items()}
    return {word: check_place(place, formats[word]) for word, place in places.items()}
