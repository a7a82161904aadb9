"""The files that one must read to trust a count are those whose functions run, and no others.

`docs/explanation/architecture.md` lists them. A count is released under a profile; each file of the
core that runs must be in the table, or below with what it does instead.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRUSTS_NOTHING = {  # a plan's words, what its owner sees, numbers that restate the claim
    "notions/_fields.py", "notions/adversaries.py", "notions/guarantees.py",
    "numerics/answer.py", "numerics/bound.py", "numerics/effort.py", "numerics/operating_system.py",
    "pipeline/kind.py", "pipeline/noise/scale.py",
    "publish/plan/known_keys.py",
    "publish/plan/published_plan.py", "publish/plan/schema.py", "publish/plan/spelling.py",
    "publish/query/registry.py", "publish/query/units.py", "publish/sources/kinds.py",
    "theorems/analysis/explain.py", "theorems/analysis/together.py", "theorems/attacks.py",
}  # fmt: skip
SHOWS = ("certificate/", "cli/", "errors/", "publish/page/", "report/")
PLAN = """
[data]
source = "visits.csv"
entity = "person"
adjacency = "add-remove"
[target]
max_posterior = 0.5
[adversary]
prior = [0.01, 0.3]
[limits]
rows_per_entity = 1
[[query]]
name = "visits"
statistic = "count"
"""
PROFILED = """
import json, sys
import deniable
from pathlib import Path
root, ran = Path(deniable.__file__).parent, set()
def note(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>":
        ran.add(frame.f_code.co_filename)
sys.setprofile(note)
deniable.release("plan.toml", "out")
sys.setprofile(None)
inside = [Path(f).relative_to(root).as_posix() for f in ran if Path(f).is_relative_to(root)]
print(json.dumps(sorted(f for f in inside if f.endswith(".py"))))
"""


def test_the_page_lists_what_runs_and_decides(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "visits.csv").write_text("person,ward\na,1\nb,2\nc,2\n")
    done = subprocess.run(
        [sys.executable, "-c", PROFILED], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    ran = {each for each in json.loads(done.stdout) if "/" in each}
    text = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    section = text.split("## What to read to trust a count")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ") and ".py`" in line]
    listed = set(re.findall(r"`([\w/]+\.py)`", "\n".join(rows)))
    deciding = {each for each in ran if not each.startswith(SHOWS)} - TRUSTS_NOTHING
    assert deciding - listed == set()
    assert listed - ran == set()
    assert sorted(TRUSTS_NOTHING - ran) == []
