"""From a list of members to a published table with a certificate that is checked.

A club's list is public, and 200 of its 400 members were drawn by lot for a survey. How many of
them are over 65, and how they came, is published with two promises: one to everybody, a sharper
one against those who know the list and nobody who was drawn. Run with
`python -m examples.member_list`; it writes into demo-output/.
"""

import math
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import deniable
from deniable.pipeline.checked import Checked
from deniable.publish.release import Released

OUT = Path(__file__).resolve().parents[1] / "demo-output" / "member-list"
PLAN = """
[data]
source = "survey.parquet"
entity = "member"

[adversary]
knows = "population"
population = "members.parquet"
values_are_public = true

[floor]
epsilon = 2

[target]
attack_success = 0.6

[limits]
rows_per_entity = 1

[[query]]
name = "by age"
statistic = "histogram"
column = "age"
edges = [18, 40, 65, 100]
"""


def write(folder: Path) -> Path:
    """The list, the survey and the plan; the plan's path."""
    rng = np.random.default_rng(1)
    club = pa.table({"member": np.arange(400), "age": rng.integers(18, 90, 400)})
    folder.mkdir(parents=True)
    pq.write_table(club, folder / "members.parquet")
    pq.write_table(club.take(pa.array(rng.permutation(400)[:200])), folder / "survey.parquet")
    plan = folder / "survey.toml"
    plan.write_text(PLAN, encoding="utf-8")
    return plan


def publish(folder: Path) -> tuple[Released, Checked]:
    """Release the table, and check it as somebody does who has the list, too."""
    released = deniable.release(write(folder), folder / "published")
    checked = deniable.check(released.out, population=folder / "members.parquet")
    return released, checked


def main(folder: Path = OUT) -> None:
    """Publish, and print what was promised to whom."""
    shutil.rmtree(folder, ignore_errors=True)
    released, checked = publish(folder)
    stated = released.prepared.population
    print("Published\n")
    for row in released.rows:
        print(f"  {row.bin_low:g} to {row.bin_high:g}: {row.value:g} ± {row.half_width_95:g}")
    print(f"\nAgainst everybody: ε = {_up(stated.differential_privacy)}.")
    told, claim = stated.as_json(), stated.claim
    print(told["sentence"])
    print(f"A guess whether a member was drawn is right at most {_up(told['attack_success'])} of")
    print(f"the time: population ε = {_up(claim.bound.upper)}, certified by {claim.method}, with")
    print(f"{_up(claim.noise_factor)} times the noise that the floor needs.")
    values = [each for each in checked.verified if each.what.startswith("/")]
    print(f"\nChecked again: {len(values)} kinds of values of the certificate, recomputed; and")
    for each in checked.verified:
        if each not in values:
            print(f"  {each.what}: {each.how}")
    print(f"\nThe report, for a browser: {released.out / 'report.html'}")


def _up(value: float) -> float:
    """Four decimals, rounded up."""
    return math.ceil(value * 1e4) / 1e4


if __name__ == "__main__":
    main()
