"""Let Coq check every proof of this folder; `make proofs`. Needs coqc, and no Python package.

Files are compiled afresh, in a folder of their own, in the order of `_CoqProject`. Beside what Coq
says, nothing may be left open, and no axiom used but the three of MathComp-Analysis.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REMEDY = "Do: apt install coq libcoq-mathcomp-analysis"

ALLOWED = {
    "boolp.propositional_extensionality",
    "boolp.functional_extensionality_dep",
    "boolp.constructive_indefinite_description",
}
"""What MathComp-Analysis adds to Coq's logic: classical logic, with choice. Fields need none."""

UNPROVED = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|Abort|give_up"
    r"|bypass_check|Unset\s+(?:Guard|Positivity|Universe)\s+Checking|type_in_type)\b"
)
"""Words with which a proof may be left out, or the kernel told to look away."""


def files() -> list[Path]:
    """The files in the order in which they build on each other."""
    lines = (HERE / "_CoqProject").read_text(encoding="utf-8").splitlines()
    return [HERE / line for line in lines if line.endswith(".v")]


def without_comments(text: str) -> str:
    """The text of a file without its comments, which may be nested."""
    parts, depth = [], 0
    for part in re.split(r"(\(\*|\*\))", text):
        if part == "(*":
            depth += 1
        elif part == "*)":
            depth -= 1
        elif depth == 0:
            parts.append(part)
    return "".join(parts)


def left_open(text: str) -> list[str]:
    """The words in a file that leave a proof out."""
    return [word.group(0) for word in UNPROVED.finditer(without_comments(text))]


def axioms(printed: str) -> set[str]:
    """The names below each `Axioms:` that Print Assumptions wrote."""
    blocks = re.split(r"^Axioms:$", printed, flags=re.MULTILINE)[1:]
    names = re.compile(r"^([A-Za-z_][\w.']*)\s*:|^([A-Za-z_][\w.']*)$", re.MULTILINE)
    return {first or second for block in blocks for first, second in names.findall(block)}


def compiled(folder: Path, name: str) -> str:
    """What coqc printed for one file; SystemExit where it refuses."""
    project = (HERE / "_CoqProject").read_text(encoding="utf-8")
    warnings = re.findall(r"^-arg -w -arg (\S+)$", project, re.MULTILINE)
    command = ["coqc", *(part for each in warnings for part in ("-w", each)), "-Q", ".", "Deniable"]
    run = subprocess.run([*command, name], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{name} does not hold:\n{run.stdout}{run.stderr}")
    return run.stdout


def main() -> None:
    """Check all files, and say for each how long it took."""
    if shutil.which("coqc") is None:
        print(f"Expected coqc, got no such program. {REMEDY}.", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files():
            text = file.read_text(encoding="utf-8")
            if words := left_open(text):
                sys.exit(f"Expected every proof of {file.name} to be whole, got {words[0]}.")
            shutil.copy(file, folder)
            start = time.monotonic()
            printed = compiled(folder, file.name)
            if other := axioms(printed) - ALLOWED:
                sys.exit(f"Expected no axiom of our own in {file.name}, got {sorted(other)}.")
            checked = text.count("\nPrint Assumptions ")  # each lists what it rests on
            if printed.count("Axioms:") + printed.count("Closed under") != checked:
                sys.exit(f"Expected {checked} lists of axioms of {file.name}, got others.")
            print(f"{file.name} holds ({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
