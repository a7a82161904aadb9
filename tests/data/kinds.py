"""Writes kinds.json beside it: small certificates of every statistic, target and kind of noise.

    python -m tests.data.kinds

For comparing Deniable's check with the second checker; what is in the golden folders is not here.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import deniable
from tests.data.golden.make import STUDY

FILE = Path(__file__).with_name("kinds.json")
GAMMA, POSTERIOR = "gamma = 2.0", "max_posterior = 0.6\ndelta = 1e-6"
QUERIES = {
    "crosstab": 'columns = ["ward", "sex"]\nkeys = { ward = ["A", "B"], sex = ["f", "m"] }',
    "tree": 'levels = ["house", "ward"]\nnested = { north = ["A", "B"], south = ["C"] }',
    "variance": 'column = "days"\nbounds = [0, 30]\nwhere = [["age", ">", 40]]',
    "regression": 'column = "days"\nbounds = [0, 30]\npredictors = { age = [0, 100] }',
    "removed": "",
    "sum": 'column = "days"\nbounds = [-3, 30.5]\n'
    'group_by = ["ward"]\nkeys = { ward = ["A", "B"] }',
    "mean": 'column = "days"\nbounds = [0, 30]\nnulls = 0',
}
WEEKS = 'group_by = ["week"]\nkeys = { week = [1, 2, 3] }'
CODES = 'group_by = ["code"]\nkeys = { code = "unknown" }'
LEAVES = (
    'levels = ["land", "ward"]\nimportance = { total = 3 }\n'
    'nested = { n = ["A", "B", "C"], s = ["D"] }'
)
COUNT = 'where = [["age", ">", 40]]'


def plan(statistic: str, query: str, *, target: str = GAMMA, adjacency: str = "replace-one",
         entity: bool = True, more: str = "") -> str:  # fmt: skip
    """A plan of one query, and of a count beside it."""
    return "\n".join(
        [
            f'[data]\nsource = "memory"\nadjacency = "{adjacency}"',
            'entity = "person"' if entity else "",
            f"[adversary]\nprior = [0.1, 0.5]\n[target]\n{target}",
            "[limits]\nrows_per_entity = 2" if entity else "",
            more,
            f'[[query]]\nname = "q"\nstatistic = "{statistic}"\n{query}',
        ]
    )


def plans() -> Iterator[tuple[str, str]]:
    """Names and texts."""
    other = {"replace-one": "add-remove", "add-remove": "replace-one"}
    adjacency = "add-remove"
    for statistic, query in QUERIES.items():
        for noise, target in (("pure", GAMMA), ("gaussian", POSTERIOR)):
            adjacency = other[adjacency]
            entity = statistic == "removed" or noise == "pure"
            text = plan(statistic, query, target=target, adjacency=adjacency, entity=entity)
            yield f"{statistic} {noise}", text
        adjacency = other[adjacency]
    yield (
        "crosstab total public",
        plan("crosstab", QUERIES["crosstab"] + "\nwhole = true", entity=False),
    )
    yield "tree weighted", plan("tree", LEAVES, target=POSTERIOR)
    yield "running_count", plan("running_count", WEEKS, target=POSTERIOR, entity=False)
    for adjacency in other:
        yield f"unknown {adjacency}", plan("entities", CODES, target=POSTERIOR, adjacency=adjacency)
    yield "unknown advantage", plan("entities", CODES, target="advantage = 0.2\ndelta = 1e-5")
    for target in ("attack_success = 0.7", "advantage = 0.3"):
        kind = target.partition(" ")[0]
        yield f"{kind} pure", plan("count", COUNT, target=target)
        yield f"{kind} gaussian", plan("sum", QUERIES["sum"], target=f"{target}\ndelta = 1e-6")
    worlds = "identifiability = { rho = 0.5, worlds = 4 }"
    yield "identifiability", plan("count", COUNT, target=worlds, adjacency="add-remove")
    yield "identifiability gaussian", plan("count", COUNT, target=f"{worlds}\ndelta = 1e-6")
    yield "epsilon", plan("count", COUNT, target="epsilon = 0.5")
    yield "precision", plan("count", COUNT + "\nprecision = 40")


def studies() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names, and words of the command line."""
    gwas = ("gwas", "release", str(STUDY), "--missing", "major", "--top", "3")
    counts = ("gwas", "frequencies", str(STUDY), "--missing", "major", "--all-variants")
    yield "study allelic", (*gwas, "--gamma", "2", "--score", "allelic", "--publish-statistics")
    yield "study trend", (*gwas, "--epsilon", "1", "--score", "trend")
    yield "study distance", (*gwas, "--gamma", "2", "--adjacency", "swap")
    yield "frequencies pure", (*counts, "--gamma", "2", "--of", "cases")
    yield (
        "frequencies gaussian",
        (*counts, "--gamma", "2", "--delta", "1e-6", "--adjacency", "swap", "--of", "both"),
    )


def certificates() -> Iterator[tuple[str, object]]:
    """Each certificate by its name, charged ones among them."""
    rows = range(900)
    table = pl.DataFrame(
        {
            "person": [row // 3 for row in rows],
            "age": [18 + row % 60 for row in rows],
            "ward": ["ABCA"[row % 4] for row in rows],
            "sex": ["fm"[row % 2] for row in rows],
            "days": [row % 30 for row in rows],
            "week": [1 + row % 3 for row in rows],
            "code": [f"k{row % 3}" for row in rows],
        }
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number, (name, text) in enumerate(plans()):
            (folder / "plan.toml").write_text(text, encoding="utf-8")
            deniable.release(folder / "plan.toml", folder / str(number), data=table)
            yield name, json.loads((folder / str(number) / "certificate.json").read_bytes())
        ledger, book = (sys.executable, "-m", "deniable", "ledger", "new"), folder / "book"
        options = (
            "--dataset",
            "d",
            "--entity",
            "person",
            "--max-posterior",
            "0.8",
            "--prior",
            "0.1",
            "0.5",
            "--delta",
            "1e-5",
            "--exposure",
            "1e-7",
        )
        subprocess.run([*ledger, str(book), *options], check=True, capture_output=True)
        charge = f'[ledger]\nfile = "{book}"\ndataset = "d"'
        text = plan("entities", CODES, target=POSTERIOR, more=charge)
        (folder / "plan.toml").write_text(text, encoding="utf-8")
        deniable.release(folder / "plan.toml", folder / "charged", data=table)
        yield "unknown charged", json.loads((folder / "charged/certificate.json").read_bytes())
        for name, words in studies():
            out = folder / name.replace(" ", "-")
            command = [sys.executable, "-m", "deniable", *words, "--out", str(out)]
            subprocess.run(command, check=True, capture_output=True)
            yield name, json.loads((out / "certificate.json").read_bytes())


if __name__ == "__main__":
    lines = []
    for name, certificate in certificates():
        text = json.dumps(certificate, ensure_ascii=False, separators=(",", ":"))
        lines.append(f"{json.dumps(name)}: {text}")
        print(name, len(text))
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
