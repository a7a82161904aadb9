"""The page about certifying a model, run for real: opt-in, where Opacus is installed.

pip install torch opacus scikit-learn
pytest tests/test_opacus.py
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import deniable

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "how-to" / "certify-a-trained-model.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"```python\n(import json\n.*?)```", PAGE, re.S)
(PRINTED,) = re.findall(r"```text\n(.*?)```", PAGE, re.S)

trains = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("opacus", "sklearn", "torch")),
    reason="trains a model: opt-in, needs opacus and scikit-learn",
)


@trains
def test_the_page_trains_and_certifies_what_was_done(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", program.name],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    history = json.loads(done.stdout.splitlines()[-1])
    told = json.loads(PRINTED.splitlines()[-1])
    assert [each[1:] for each in history] == [each[1:] for each in told]
    assert history[0][0] == pytest.approx(told[0][0], rel=1e-3)
    folder = tmp_path / "model-certificate"
    assert deniable.check(folder).holds
    document = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    (phase,) = document["training"]["history"]
    assert [phase["noise_multiplier"], phase["sample_rate"], phase["steps"]] == history[0]


def test_what_the_page_shows_was_done_is_what_it_certifies():
    (row,) = json.loads(PRINTED.splitlines()[-1])
    answer = deniable.explain_training([row], delta=1e-5, prior=(0.0, 0.1))
    assert (answer.history[0].sample_rate, answer.steps) == (1 / 7, 140)
    assert answer.posterior[1].upper < 1 / 3
