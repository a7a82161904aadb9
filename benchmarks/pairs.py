"""User commands of two installations in turn: CPU seconds of each, and the ratio pair by pair.

    python -m benchmarks.pairs OTHER/bin/deniable --genomes STUDY --runs 5

OTHER is the state that this one is compared with, such as a checkout of an older commit with an
environment of its own. Of several OTHERs, oldest first, each command is compared with the first
that can run it, which is named: so that figures of first versions stand beside today's, and a slow
creep shows. The two take turns, first one and then the other ahead, so that a busy or
warm machine does the same to both; each checks a release of its own. CPU seconds are user and
system time of a process and of all that it started. A ratio is this state's time through the
other's, and the median of the pairs is what counts. STUDY is the prefix of PLINK files.
"""

import argparse
import contextlib
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks._data import visits

OURS = str(Path(sys.executable).with_name("deniable"))
ROWS = (100_000, 1_000_000)
"""Rows of the tables that are released."""
TRAINING = "--sample-rate 0.01 --steps 1000 --delta 1e-5 --max-posterior 0.2 --prior 0.01 0.1"
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""As users have it: modules are compiled once, in the run that warms up."""
BOOK = "ledger new hospital.ledger --dataset visits --entity person --gamma 4"

PLAN = """
[data]
source = "{source}"
entity = "person"
[limits]
rows_per_entity = 4
[target]
gamma = 2.0
[[query]]
name = "value by group"
statistic = "sum"
column = "value"
bounds = [0, 50]
group_by = ["grp"]
keys = {{ grp = [{keys}] }}
[[query]]
name = "value"
statistic = "mean"
column = "value"
bounds = [0, 50]
[[query]]
name = "rows"
statistic = "count"
"""
COIN = '{"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [0.5, 0.5], "a": [0.25, 0.75]}}'


def commands(genomes: str | None) -> dict[str, str]:
    """What is run, by its name; OUT is a new name in each run, MINE a folder of each state."""
    line = "population gaussian --data line.csv --size 100 --delta 0.01"
    plane = "population gaussian --data plane.csv --size 50 --delta 0.01 --seed 1"
    given = {
        "explain": "explain --epsilon 1 --prior 0.3 0.7",
        "derive": "derive pure-dp:1.0 advantage",
        "plan FILE": "plan visits-100000.toml",
        **{f"release, {rows:,} rows": f"release visits-{rows}.toml --out OUT" for rows in ROWS},
        "check FOLDER": "check MINE",
        "check FILE": "check MINE/certificate.json",
        "ledger show": "ledger show hospital.ledger",
        "verify, one entity": "verify coin.json --family independent",
        "verify, seven entities": "verify seven.json --family independent",
        "training calibrate": f"training calibrate {TRAINING}",
        "population gaussian, one column": f"{line} --sigma 0.2",
        "population gaussian, one column, a target": f"{line} --target 0.5",
        "population gaussian, three columns": f"{plane} --sigma 1.0 --gap 0.05",
    }
    if genomes:
        given |= {
            "gwas scan": f"gwas scan {genomes} --out OUT.tsv",
            "gwas release": f"gwas release {genomes} --top 2 --gamma 2 --out OUT",
            "gwas attack": "gwas attack pool --reference others --json",
        }
    return given


def prepare(folder: Path, genomes: str | None) -> None:
    """All that commands read, but for releases and books."""
    rng = np.random.default_rng(1)
    keys = ", ".join(map(str, range(50)))
    for rows in ROWS:
        text = PLAN.format(source=visits(rows), keys=keys)
        (folder / f"visits-{rows}.toml").write_text(text, encoding="utf-8")
    np.savetxt(folder / "line.csv", rng.normal(size=300), fmt="%.4f")
    np.savetxt(folder / "plane.csv", rng.normal(size=(120, 3)), delimiter=",", fmt="%.4f")
    (folder / "coin.json").write_text(COIN, encoding="utf-8")
    (folder / "seven.json").write_text(seven(rng), encoding="utf-8")
    if genomes:
        split(Path(genomes), folder)


def seven(rng: np.random.Generator) -> str:
    """A mechanism with eight outputs on all subsets of seven entities, row by row."""
    names = "abcdefg"
    subsets = [
        [name for bit, name in enumerate(names) if number >> bit & 1]
        for number in range(2 ** len(names))
    ]
    rows = rng.dirichlet(np.full(8, 50.0), size=len(subsets))
    text = ", ".join(
        f'"{",".join(subset)}": {[float(f"{number:.6f}") for number in row[:-1]]}'.replace(
            "]", f", {1 - sum(float(f'{number:.6f}') for number in row[:-1]):.6f}]"
        )
        for subset, row in zip(subsets, rows, strict=True)
    )
    outputs = ", ".join(f'"{number}"' for number in range(8))
    return f'{{"universe": {list(names)}, "outputs": [{outputs}], "rows": {{{text}}}}}'.replace(
        "'", '"'
    )


def split(prefix: Path, folder: Path) -> None:
    """The first half of a study's people as a pool, the others as those of a reference."""
    people = prefix.with_suffix(".fam").read_text().splitlines()
    variants = prefix.with_suffix(".bim").read_bytes()
    bed = np.frombuffer(prefix.with_suffix(".bed").read_bytes(), np.uint8)[3:]
    bed = bed.reshape(-1, -(-len(people) // 4))  # a byte holds four people
    bytes_ = len(people) // 8
    for name, some, block in (
        ("pool", people[: 4 * bytes_], bed[:, :bytes_]),
        ("others", people[4 * bytes_ :], bed[:, bytes_:]),
    ):
        (folder / f"{name}.fam").write_text("\n".join(some) + "\n")
        (folder / f"{name}.bim").write_bytes(variants)
        (folder / f"{name}.bed").write_bytes(b"\x6c\x1b\x01" + block.tobytes())


def run(program: str, command: str, folder: Path, number: int) -> float:
    """CPU seconds of one process, and of those that it waited for; it must succeed."""
    mine = program.strip(os.sep).replace(os.sep, "-")
    words = shlex.split(command.replace("OUT", f"out-{number}").replace("MINE", mine))
    with (folder / "output.txt").open("w+b") as output:
        started = subprocess.Popen(
            [program, *words], cwd=folder, env=ENVIRONMENT, stdout=output, stderr=output
        )
        _, status, used = os.wait4(started.pid, 0)
        if started.returncode is None:
            started.returncode = os.waitstatus_to_exitcode(status)
        if status:
            output.seek(0)
            raise SystemExit(f"{program} {command}\n{output.read().decode()[-2_000:]}")
    return used.ru_utime + used.ru_stime


def first_able(programs: list[str], command: str, folder: Path, number: int) -> str | None:
    """The first that runs the command, which it has done then."""
    for program in programs:
        with contextlib.suppress(SystemExit):
            run(program, command, folder, number)
            return program
    return None


def main() -> None:
    """Print a row a command: medians of both states, and of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "others", nargs="*", help="programs of states that this one is compared with"
    )
    parser.add_argument("--genomes", metavar="PREFIX", help="PLINK files of a study")
    parser.add_argument("--runs", type=int, default=5, help="pairs of each command")
    parser.add_argument("--only", default="", help="commands whose name holds this")
    given = parser.parse_args()
    if not given.others:
        print("Give the program of another state; without it there is nothing to compare.")
        return
    genomes = str(Path(given.genomes).resolve()) if given.genomes else None
    with tempfile.TemporaryDirectory() as name:
        folder, number = Path(name), 0
        prepare(folder, genomes)
        for program in (*given.others, OURS):
            first_able([program], "release visits-100000.toml --out MINE", folder, 0)
        first_able(given.others, BOOK, folder, 0)
        print("| command | first in | before | now | ratio |\n|---|---|---|---|---|")
        for label, command in commands(genomes).items():
            if given.only not in label:
                continue
            number += 1
            other = first_able(given.others, command, folder, number)
            if other is None:
                print(f"| {label} | none | | | |", flush=True)
                continue
            pairs = []
            for turn in range(-1, given.runs):  # the first is a warm-up
                both = {}
                for program in (other, OURS)[:: 1 if turn % 2 else -1]:
                    number += 1
                    both[program] = run(program, command, folder, number)
                if turn >= 0:
                    pairs.append((both[other], both[OURS]))
            before, now = (statistics.median(times) for times in zip(*pairs, strict=True))
            ratio = statistics.median(new / old for old, new in pairs)
            first = Path(other).absolute().parents[2].name  # as of NAME/.venv/bin/deniable
            print(f"| {label} | {first} | {before:.2f} s | {now:.2f} s | {ratio:.3f} |", flush=True)


if __name__ == "__main__":
    main()
