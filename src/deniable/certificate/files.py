"""The files of a release, and how each is tied to the others.

certificate without digests ──▶ results and report, which carry its digest
results, report, plan       ──▶ certificate.json, which carries theirs
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import attrs

from deniable.certificate.json_documents import MOST_BYTES, sha256
from deniable.certificate.model import Certificate
from deniable.certificate.results import csv_bytes, parquet_bytes
from deniable.errors import InvalidArgument
from deniable.errors.late import pa

CERTIFICATE = "certificate.json"
CSV = "results.csv"
PARQUET = "results.parquet"
PLAN = "plan.toml"
REPORT = "report.html"
ROWS_CSV = "rows.csv"
ROWS_PARQUET = "rows.parquet"

MOST_SIGNATURES = 16
"""Signatures of one certificate: a file for each person who answers for the release."""

METADATA = b"deniable"  # key of the JSON in the metadata of results.parquet


AnyCertificate = TypeVar("AnyCertificate", bound=Certificate)


def file_names(kind: type[Certificate]) -> list[str]:
    """What the folder of a release holds, in the order in which it is told."""
    known = (PARQUET, CSV, CERTIFICATE, PLAN, REPORT)
    others = [name for name in kind.FILES if name not in known]
    return [name for name in known if name == CERTIFICATE or name in kind.FILES] + others


def signature_names(certificate: str = CERTIFICATE) -> tuple[str, ...]:
    """Names of the files of signatures beside a certificate; the first is ssh-keygen's own."""
    numbers = ("", *(f".{number}" for number in range(2, MOST_SIGNATURES + 1)))
    return tuple(f"{certificate}{number}.sig" for number in numbers)


def other_files(folder: Path, named: Container[str]) -> list[str]:
    """Names of what is in a release's folder besides the files named, in order."""
    own = (CERTIFICATE, *signature_names())
    names = (path.name for path in folder.iterdir())
    return sorted(name for name in names if name not in own and name not in named)


def check_size(certificate: Certificate) -> None:
    """Refuse, before noise is drawn, what would be too long to be checked afterwards."""
    length = len(_text(with_digests(certificate, dict.fromkeys(certificate.file_names, b""))))
    if length > MOST_BYTES:
        raise InvalidArgument(
            f"Expected a certificate of at most {MOST_BYTES} bytes, got {length}. Use fewer keys."
        )


def results_metadata(certificate: Certificate) -> dict[bytes, bytes]:
    """What results.parquet says of itself; public, and without digests of files."""
    metadata = {
        "title": certificate.title,
        "limits": certificate.limits,
        "statement_sha256": certificate.statement_sha256,
    }
    return {METADATA: json.dumps(metadata, ensure_ascii=False, allow_nan=False).encode("utf-8")}


def with_digests(certificate: AnyCertificate, files: Mapping[str, bytes]) -> AnyCertificate:
    """The certificate that names these files by their SHA-256."""
    digests = {name: sha256(files[name]) for name in certificate.file_names}
    return attrs.evolve(certificate, files=digests)


def release_files(
    certificate: Certificate,
    results: pa.Table | None,
    page: str,
    texts: Mapping[str, str],
    tables: Mapping[str, bytes] = MappingProxyType({}),
) -> dict[str, bytes]:
    """All files of a release by name; the certificate, given without digests, is the last.

    `texts` are further files that follow from it alone, `tables` from the published `results`.
    """
    files = {REPORT: page.encode("utf-8")}
    if results is not None:
        files[PARQUET] = parquet_bytes(results, results_metadata(certificate))
        files[CSV] = csv_bytes(results)
    files |= {name: text.encode("utf-8") for name, text in texts.items()}
    files |= tables
    return files | {CERTIFICATE: _text(with_digests(certificate, files))}


def _text(certificate: Certificate) -> bytes:
    text = json.dumps(certificate.as_json(), ensure_ascii=False, allow_nan=False, indent=2)
    return f"{text}\n".encode()
