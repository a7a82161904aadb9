"""How long judging published tables takes, and how much memory: cells, people, and totals.

Run ``python benchmarks/rules_judge.py``; each line is one problem in a process of its own.
"""

import random
import resource
import subprocess
import sys
import time

from benchmarks._help import end_for_help
from benchmarks._sizes import sized

CASES = {
    "10,000 cells of 100 people, 100 subtotals and a total, hide 1-7 and round 5": (
        10_000,
        100,
        100,
    ),
    "10,000 cells of 100 people and a total, hide 1-7 and round 5": (10_000, 100, 0),
    "10,000 cells of 1,000,000 people, 100 subtotals and a total": (10_000, 1_000_000, 100),
    **sized(
        {"1,000 cells of 1,000 people, 10 subtotals and a total": (1_000, 1_000, 10)},
        {"4 cells of 10 people, 2 subtotals and a total": (4, 10, 2)},
    ),
}
"""Number of cells, people of each, number of subtotals."""


def published(cells: int, people: int, subtotals: int) -> tuple[dict, list[dict]]:
    """Rules and tables of simulated counts."""
    from deniable.rules import preset

    rule = preset("opensafely")
    draw = random.Random(20261)
    counts = [
        min(people, max(0, round(draw.gauss(people * 0.2, people * 0.1)))) for _ in range(cells)
    ]

    def mark(count: int) -> object:
        return next(iter(rule.publish(count)))

    names = [f"c{i}" for i in range(cells)]
    lists = [{"name": name, "size": people} for name in names]
    tables, marks = [], []
    groups = [names[i::subtotals] for i in range(subtotals)] if subtotals else []
    tables.append({"lists": names, "total": "independent"})
    marks.append(dict(zip(names, map(mark, counts), strict=True)) | {"total": mark(sum(counts))})
    if groups:
        number = dict(zip(names, counts, strict=True))
        lists += [{"name": f"g{i}", "parts": group} for i, group in enumerate(groups)]
        tables.append({"lists": [f"g{i}" for i in range(len(groups))], "total": "none"})
        marks.append({f"g{i}": mark(sum(number[n] for n in g)) for i, g in enumerate(groups)})
    rules = {
        "list": lists,
        "table": tables,
        "rule": {"preset": "opensafely"},
        "adversary": {"prior": [0.1, 0.3]},
        "target": {"max_posterior": 0.75},
    }
    return rules, marks


def main() -> None:
    """Judge one problem, or each in a process of its own."""
    if len(sys.argv) > 1:
        from deniable.rules import judge

        rules, marks = published(*CASES[sys.argv[1]])
        begin = time.process_time()
        answer = judge(rules, *marks)
        seconds = time.process_time() - begin
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        worst = answer.worst.as_json()["belief"]
        methods = {each.evidence for each in answer.beliefs}
        figures = f"{seconds:6.1f} s of CPU, {memory:5.0f} MB, worst belief {worst['upper']:.4f}"
        print(f"{figures} {methods}: {sys.argv[1]}")
        return
    for name in list(CASES)[sized(0, -1) :]:
        subprocess.run([sys.executable, "-m", "benchmarks.rules_judge", name], check=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
