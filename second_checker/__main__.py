"""``python -m second_checker CERTIFICATE.json|FOLDER``: verified, cannot tell or refused."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from . import folders
from .plans import PlanCertificate
from .schemas import FILES, FOLDER, LARGEST, Schema, Unreadable, read
from .verdicts import Findings


def without_dates(value: Any) -> Any:
    """A plan with its dates as texts, as its schema has them."""
    if isinstance(value, dict):
        if set(value) in ({"$date"}, {"$datetime"}):
            return next(iter(value.values()))
        return {key: without_dates(each) for key, each in value.items()}
    return [without_dates(each) for each in value] if isinstance(value, list) else value


def examine(text: bytes, folder: Path | None = None) -> Findings:
    """Check the text of a certificate, and the files beside it where there is a folder."""
    findings = Findings({})
    try:
        certificate = read(text)
        name, _, version = certificate["format"].partition("/")
        file = FILES[name]
    except (Unreadable, TypeError, KeyError, AttributeError) as error:
        findings.refuse((), f"no certificate: {error!r}")
        return findings
    findings = Findings(certificate)
    schema = Schema(json.loads((FOLDER / file).read_text("utf-8")))
    for error in schema.errors(certificate):
        findings.refuse((), error)
    if "plan" in certificate and name == "deniable-certificate":
        plans = Schema(json.loads((FOLDER / "plan_schema.json").read_text("utf-8")))
        for error in plans.errors(without_dates(certificate["plan"])):
            findings.refuse(("plan",), error)
    if findings.refused:
        return findings
    findings.equal(("format",), f"{name}/{version}")
    if "statement_sha256" in certificate:
        above = {k: v for k, v in certificate.items() if k not in ("statement_sha256", "files")}
        canonical = json.dumps(above, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
        findings.equal(("statement_sha256",), digest)
    if name == "deniable-certificate":
        try:
            PlanCertificate(certificate, findings).check()
        except ArithmeticError as error:
            findings.refuse((), f"numbers that nothing can be computed with: {error}")
    else:
        findings.cannot(("guarantee",), "certificates of this kind, but for schema and digests")
    if folder is not None:
        folders.check(folder, certificate, findings)
    findings.complete(schema.trust, "plan" in certificate, folder is not None)
    return findings


def main(arguments: list[str]) -> int:
    """Check what the command line names; 0 where all that must be was verified, else 2."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(arguments[0])
    folder = path if path.is_dir() else None
    try:
        with (path / "certificate.json" if folder else path).open("rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        print(f"refused: {error.strerror}", file=sys.stderr)
        return 2
    findings = examine(text, folder)
    print("\n".join(findings.lines()))
    return 0 if findings.verdict == "verified" else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
