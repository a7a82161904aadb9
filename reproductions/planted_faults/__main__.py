"""`python -m reproductions.planted_faults --statdp DIR …`: which planted faults an audit finds.

DIR is a checkout of cmla-psu/statdp, eth-sri/dp-sniper or eth-sri/Delta-Siege (with `mmh3==5.2.0`
for RAPPOR, and `diffprivlib==0.6.6` and `python-dp==1.1.4` for two rows). A planted fault that no
pair of inputs shows, or an honest mechanism that is accused, fails.
"""

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from deniable import Effort, audit
from reproductions._output import markdown_table
from reproductions.planted_faults.cases import Case, delta_siege, dp_sniper, statdp

RUNS = {"statdp": 200_000, "DP-Sniper": 1_000_000, "Delta-Siege": 200_000}
"""Runs of one audit at most. statdp looks at 500,000 of each input, DP-Sniper at 10.7 million."""
HONEST_RUNS = 1_000
"""Runs of each audit of an honest mechanism."""
_NO_LIMIT = 1e8
"""Seconds, three years: an audit ends when its runs are made."""
SUITES: dict[str, Callable[[Path], Iterator[Case]]] = {
    "statdp": statdp,
    "dp_sniper": dp_sniper,
    "delta_siege": delta_siege,
}


def found(case: Case, runs: int, seconds: float) -> tuple[bool, str]:
    """Whether one pair of inputs shows the fault, and how; no pair is begun after so long."""
    made, began = 0, time.process_time()
    for tried, pair in enumerate(case.pairs):
        if time.process_time() - began > seconds:
            return False, f"not found in {made:,} runs of {tried} pairs and {seconds:g} s of CPU"
        answer = audit(
            case.mechanism, neighbours=pair, claimed=case.claim, adjacency="replace-one",
            runs=runs, effort=Effort(seed=1, time_limit=_NO_LIMIT),
        )  # fmt: skip
        made += answer.runs
        if answer.verdict == "violated":
            lower = f"ε ≥ {answer.found.lower:.3g}"
            return True, f"found in {answer.runs:,} runs of {made:,}, {lower}, {answer.attack}"
    return False, f"not found in {made:,} runs of {len(case.pairs)} pairs"


def accused(case: Case, audits: int) -> tuple[bool, str]:
    """Whether any of so many audits accuses what keeps its claim."""
    wrong = sum(
        audit(
            case.mechanism, neighbours=case.pairs[seed % len(case.pairs)], claimed=case.claim,
            adjacency="replace-one", runs=HONEST_RUNS, effort=Effort(seed=seed),
        ).verdict == "violated"
        for seed in range(audits)
    )  # fmt: skip
    return wrong > 0, f"accused in {wrong} of {audits:,} audits of {HONEST_RUNS:,} runs"


def main() -> int:
    """Print a table; 1 where an audit falls short."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.planted_faults")
    for name in SUITES:
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, metavar="DIR")
    parser.add_argument("--audits", type=int, default=1000, help="of each honest mechanism")
    parser.add_argument("--runs", type=int, help="of one audit of a planted fault")
    parser.add_argument("--seconds", type=float, default=math.inf, help="of CPU for a fault")
    parser.add_argument("--only", nargs="*", help="names of mechanisms")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rows, short = [], []
    for name, read in SUITES.items():
        folder = getattr(given, name)
        for case in read(folder.resolve()) if folder else ():
            if given.only and case.name not in given.only:
                continue
            began = time.process_time()
            if case.honest:
                failed, said = accused(case, given.audits)
            else:
                good, said = found(case, given.runs or RUNS[case.suite], given.seconds)
                failed = not good
            kind = "honest" if case.honest else "planted"
            seconds = time.process_time() - began
            rows.append((case.suite, case.name, kind, case.claim, said))
            print(f"{case.suite} {case.name}: {said} ({seconds:.0f} s)", file=sys.stderr)
            short += [case.name] if failed else []
    print(markdown_table(("suite", "mechanism", "kind", "claim", "audit"), rows))
    if short:
        print(f"Falls short: {', '.join(short)}")
    return int(bool(short))


if __name__ == "__main__":
    sys.exit(main())
