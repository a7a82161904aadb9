"""``python -m second_checker CERTIFICATE.json|FOLDER``: verified, cannot tell or refused."""

import contextlib
import datetime
import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from .plans import PlanCertificate
from .studies import StudyCertificate
from .verdicts import FILES, FOLDER, LARGEST, Findings, Schema, read, written_alike


def plain(value: Any) -> Any:
    """A plan as its certificate has it: dates in objects."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, datetime.datetime):
        return {"$datetime": value.isoformat()}
    return {"$date": value.isoformat()} if isinstance(value, datetime.date) else value


def examine(text: bytes, folder: Path | None = None) -> Findings:
    """Check the text of a certificate, and the files beside it where there is a folder."""
    findings = Findings({})
    try:
        certificate = read(text)
        name, _, version = certificate["format"].partition("/")
        file = FILES[name.removeprefix("deniable-").removesuffix("certificate")]
        schema = Schema(json.loads((FOLDER / f"{file}.json").read_text("utf-8")))
        datetime.date.fromisoformat(certificate["created"])
        f, errors = Findings(certificate), schema.errors(certificate)
        if "plan" in certificate and name == "deniable-certificate":
            plans = Schema(json.loads((FOLDER / "plan_schema.json").read_text("utf-8")))
            dates = r'\{"\$date(?:time)?": ("[^"]*")\}'  # of which the plan has the text
            written = re.sub(dates, r"\1", json.dumps(certificate["plan"]))
            errors += [f"plan{wrong}" for wrong in plans.errors(json.loads(written))]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        findings.refuse((), f"no certificate: {error!r}")
        return findings
    for wrong in errors:
        f.refuse((), wrong)
    if f.refused:
        return f
    f.equal(("format",), f"{name}/{version}")
    if "statement_sha256" in certificate:
        above = {k: v for k, v in certificate.items() if k not in ("statement_sha256", "files")}
        canonical = json.dumps(above, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
        f.equal(("statement_sha256",), digest)
    try:
        tied = "household" in certificate["guarantee"] or certificate["unit"].get("members") is True
        if version == "1" or name == "deniable-training-certificate" or tied:
            f.cannot(("guarantee",), "certificates of format 1, of trainings and of households")
        else:
            kind = PlanCertificate if "queries" in certificate else StudyCertificate
            kind(certificate, f).check()
    except ArithmeticError as error:
        f.refuse((), f"numbers that nothing can be computed with: {error}")
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        f.cannot(("guarantee",), f"what stands where numbers are expected: {error!r}")
    if folder is not None:
        compare_files(folder, certificate, f)
    f.complete(schema.trust, folder is not None)
    return f


def compare_files(folder: Path, certificate: dict[str, Any], f: Findings) -> None:
    """The digests of the files beside a certificate, and the published plan."""
    for name, digest in certificate.get("files", {}).items():
        path = folder / name
        if not path.is_file() or path.is_symlink() or path.stat().st_size > 16 * LARGEST:
            f.refuse(("files", name), "no such file, or too large a one")
            continue
        content = path.read_bytes()
        fits = hashlib.sha256(content).hexdigest() == digest
        f.state(("files", name), fits, "another file than was published")
        if name != "plan.toml":
            f.unopened.append(f"{name}: what it says; its digest is compared")
            continue
        plan = None
        with contextlib.suppress(ValueError):
            plan = plain(tomllib.loads(content.decode("utf-8")))
        if not written_alike(plan, certificate.get("plan")):
            f.refuse(("plan",), "plan.toml says something else")


def main(arguments: list[str]) -> int:
    """Check what the command line names; 0 where all that must be was verified, else 2."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
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
