"""Writes the golden folders by the command line: every kind of release, and a ledger.

    python -m tests.data.golden.make FOLDER
    python -m tests.data.golden.make FOLDER --first
    python -m tests.data.golden.make FOLDER --minor 1
    python -m tests.data.golden.make tests/data/golden --reports

The folders of format 2 were written by a state before 2.1; those of 2.1 by `--minor 1`, which
writes one of each kind. With `--first` by a state that wrote the first format, the parent of the
commit "Certificates of format 2 are recomputed from the plan in them", with
tests/cases/release_case.py of today. With `--reports` only the reports are written again, with
their digests and what `deniable check` says of them: for where the words of a report have changed
and nothing else has. Folders of earlier formats keep their bytes.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cases.release_case import write_case

STUDY = Path(__file__).resolve().parents[1] / "plink" / "study"
GAUSSIAN = "max_posterior = 0.6\ndelta = 1e-6"


def main() -> None:
    """Write every folder; none of them may be there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--reports", action="store_true")
    parser.add_argument("--minor", default="")
    asked = parser.parse_args()
    if asked.reports:
        for certificate in sorted(asked.folder.glob("*/certificate.json")):
            write_report(certificate)
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        out = asked.folder.resolve()
        if asked.first:
            write_first(out, Path(scratch))
        elif asked.minor:
            write_minor(out, Path(scratch), asked.minor)
        else:
            write_second(out, Path(scratch))


def write_first(out: Path, scratch: Path) -> None:
    """A plan with each kind of noise, in the first format."""
    run("release", write_case(scratch), "--out", out / "first-plan")
    run("release", write_case(scratch, target=GAUSSIAN), "--out", out / "first-plan-gaussian")


def write_second(out: Path, scratch: Path) -> None:
    """Every kind of the second format, one of them charged to a ledger."""
    from tests.cases.member_lists import COUNT, TABLE, write

    run("release", write_case(scratch, adjacency="add-remove"), "--out", out / "plan")
    plan = write_case(scratch, target=GAUSSIAN)
    run("release", plan, "--out", out / "plan-gaussian")
    book = out / "book.ledger"
    run("ledger", "new", book, "--dataset", "visits", "--entity", "person",
        "--max-posterior", "0.8", "--prior", "0.1", "0.5", "--delta", "1e-5")  # fmt: skip
    account = f'\n[ledger]\nfile = "{book}"\ndataset = "visits"\n'
    plan.write_text(plan.read_text(encoding="utf-8") + account, encoding="utf-8")
    run("release", plan, "--out", out / "plan-charged")
    run("release", write(scratch, COUNT + TABLE), "--out", out / "members")
    study = ("gwas", "release", STUDY, "--missing", "major", "--top", "3", "--gamma", "2")
    run(*study, "--score", "allelic", "--publish-statistics", "--out", out / "study")
    run("gwas", "frequencies", STUDY, "--missing", "major", "--all-variants", "--gamma", "2",
        "--delta", "1e-6", "--out", out / "frequencies")  # fmt: skip
    run("training", "certify", "--sample-rate", "0.01", "--steps", "1000", "--noise-multiplier",
        "1.1", "--delta", "1e-6", "--prior", "0.1", "0.5", "--out", out / "training")  # fmt: skip


def write_minor(out: Path, scratch: Path, minor: str) -> None:
    """One release of each kind, with what `check` says of it."""
    import deniable

    (scratch / "all").mkdir()
    write_second(scratch / "all", scratch)
    for name in ("plan", "members", "study", "frequencies", "training"):
        folder = out / f"{name}-2.{minor}"
        shutil.copytree(scratch / "all" / name, folder)
        answer = json.dumps(deniable.check(folder, charts=True).as_json(), indent=1)
        folder.with_name(f"{folder.name}.json").write_text(answer + "\n", encoding="utf-8")


def write_report(certificate: Path) -> None:
    """The report as it is made today, its digest in the certificate, and the answer of a check."""
    import deniable
    from deniable.pipeline import check_files

    folder, pages, compare = certificate.parent, [], check_files._report

    def made(raw, again, of, *, charts):
        pages.append(again() if of.format not in of.EARLIER else None)
        return compare(raw, again, of, charts=charts)

    check_files._report = made
    try:
        deniable.check(folder, charts=True)
    finally:
        check_files._report = compare
    report = folder / "report.html"
    (page,) = pages
    if page is None or report.read_text(encoding="utf-8") == page:
        return
    text = certificate.read_text(encoding="utf-8")
    old = hashlib.sha256(report.read_bytes()).hexdigest()
    report.write_text(page, encoding="utf-8")
    new = hashlib.sha256(report.read_bytes()).hexdigest()
    before = hashlib.sha256(certificate.read_bytes()).hexdigest()
    certificate.write_text(text.replace(old, new), encoding="utf-8")
    after = hashlib.sha256(certificate.read_bytes()).hexdigest()
    answer = folder.with_name(f"{folder.name}.json")
    answer.write_text(answer.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    print(f"{report}: {json.dumps(deniable.check(folder).holds)}")


def run(*words: object) -> None:
    """Run a command of Deniable; what it says where it fails."""
    command = [sys.executable, "-m", "deniable", *map(str, words)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(f"{' '.join(command)}: {answer.stderr}")


if __name__ == "__main__":
    main()
