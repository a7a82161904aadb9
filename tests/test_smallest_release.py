"""What has to be trusted to release one sum of a CSV file: the modules that it loads, all of them.

`python -m tests.test_smallest_release` writes the list anew.
"""

import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).parent / "data" / "smallest_release.txt"
MOST_MODULES = 100
"""Modules of the package; the list may be shorter, and then this falls."""
MOST_LINES = 20_000
"""Lines in them."""
PLAN = """\
[data]
source = "visits.csv"
types = { visits = "integer" }
[target]
gamma = 2.0
[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 50]
"""
PROGRAM = """\
import sys
from deniable.cli import main
sys.argv = ["deniable", "release", "plan.toml", "--out", "out"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
for name, module in sys.modules.items():
    if name.partition(".")[0] == "deniable" and getattr(module, "__file__", None):
        print("loaded", name, module.__file__)
"""


def loaded(folder: Path) -> dict[str, int]:
    """Modules that a release loads in a process of its own, and their lines."""
    (folder / "plan.toml").write_text(PLAN)
    (folder / "visits.csv").write_text("person,visits\na,3\nb,4\nc,5\n")
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True, check=True
    )
    lines = [line.split(" ", 2) for line in run.stdout.splitlines()]
    return {
        each[1]: len(Path(each[2]).read_text(encoding="utf-8").splitlines())
        for each in lines
        if each[:1] == ["loaded"]
    }


def test_the_smallest_release_loads_what_is_listed(tmp_path):
    modules = loaded(tmp_path)
    assert (tmp_path / "out" / "report.html").exists()
    new = sorted({*modules} - {*LIST.read_text().split()})
    assert not new, f"It loads {', '.join(new)}, too. Who reads it, where it is not needed?"
    assert len(modules) <= MOST_MODULES
    assert sum(modules.values()) <= MOST_LINES


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        names = loaded(Path(folder))
    LIST.write_text("".join(f"{name}\n" for name in sorted(names)))
    print(len(names), "modules,", sum(names.values()), "lines")
