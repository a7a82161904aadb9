"""CPU time of commands that should answer at once: the least of several fresh processes."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._help import end_for_help
from benchmarks._sizes import sized

RUNS = sized(7, 1)
DENIABLE = str(Path(sys.executable).with_name("deniable"))
TABLE = "\n".join(["age,plan", *(f"{20 + row % 60},{'ab'[row % 2]}" for row in range(1000))])
PLAN = """
[data]
source = "visits.csv"
types = { age = "integer", plan = "text" }
[target]
gamma = 2.0
[[query]]
name = "age"
statistic = "mean"
column = "age"
bounds = [0, 100]
[[query]]
name = "rows by plan"
statistic = "count"
group_by = ["plan"]
keys = { plan = ["a", "b"] }
"""
COMMANDS = [
    "--help",
    "explain --epsilon 1 --prior 0.3 0.7",
    "calibrate --gamma 2 --prior 0.3 0.7",
    "calibrate --gamma 2 --delta 1e-6",
    "derive pure-dp:1.0 advantage",
    "verify coin.json --family independent",
    "plan misspelt.toml",
    "plan visits.toml",
    "check published/certificate.json",
    "check published",
]
COIN = '{"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [0.5, 0.5], "a": [0.25, 0.75]}}'


def seconds(arguments: list[str], folder: str) -> float:
    """User and system time of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([DENIABLE, *arguments], check=False, capture_output=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line a command."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {
            "visits.csv": TABLE,
            "visits.toml": PLAN,
            "misspelt.toml": PLAN.replace("source", "suorce"),
            "coin.json": COIN,
        }.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        if "published" in " ".join(COMMANDS[: sized(None, 1)]):
            seconds(["release", "visits.toml", "--out", "published"], folder)
        for command in COMMANDS[: sized(None, 1)]:
            times = [seconds(command.split(), folder) for _ in range(RUNS)]
            print(f"{command:<42} {min(times):.2f} s")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
