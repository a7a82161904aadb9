"""SACRO-ML and Deniable on one trained model: what each says of who was trained on.

    python -m reproductions.beside_sacro_ml [--python THEIRS]

Without `--python` a temporary environment gets SACRO-ML 2.0.1 from the package index. A fair coin
decides which records of scikit-learn's breast cancer data train a model. SACRO-ML attacks it by its
LiRA and its worst-case attack (the mean area of ten). Deniable sees the losses of the same model,
and beside it 200 models of its own. Prints a table. Rates are true positives at a false-positive
rate of .5 % at most; an interval holds at 95 %, and so does each ε.
"""

import argparse
import json
import subprocess
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from deniable import Effort, audit
from deniable.auditing.models import fixed_guesses, log_odds, one_run_limit
from deniable.auditing.statistics import rate_region
from reproductions._output import markdown_table

PEER = "sacroml==2.0.1"
MODELS = {
    "forest of 20 trees": RandomForestClassifier(n_estimators=20, random_state=1),
    "logistic regression": LogisticRegression(solver="liblinear"),
}
SHADOWS, TRAININGS = 50, 200
"""Models that LiRA trains, and trainings of an audit of Deniable."""
THEIRS = """
import json, logging, sys, tempfile, time
import numpy as np
from sacroml.attacks.likelihood_attack import LIRAAttack
from sacroml.attacks.target import Target
from sacroml.attacks.worst_case_attack import WorstCaseAttack
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
logging.disable(logging.CRITICAL)
X, y = load_breast_cancer(return_X_y=True)
members, shadows = np.array(json.loads(sys.argv[1])), int(sys.argv[2])
answer = {}
for name, text in json.loads(sys.argv[3]).items():
    model = eval(text).fit(X[members], y[members])
    p = model.predict_proba(X)[np.arange(len(y)), y]
    target = Target(model=model, X_train=X[members], y_train=y[members], X_test=X[~members],
                    y_test=y[~members], dataset_name="breast cancer")
    answer[name] = {"p": p.tolist()}
    options = dict(write_report=False, output_dir=tempfile.mkdtemp())
    for each in LIRAAttack(n_shadow_models=shadows, **options), WorstCaseAttack(**options):
        began = time.process_time()
        each.attack(target)
        one = each.attack_metrics[0]
        area = np.mean([other["AUC"] for other in each.attack_metrics])
        answer[name][str(each)] = [area, one["TPR@0.5%"], one["P_HIGHER_AUC"],
                                   time.process_time() - began]
print("ANSWER" + json.dumps(answer, default=float))
"""


def ours(model: Any, data: Any, members: Any, p: Any) -> list[tuple[str, str, str, str, float]]:
    """What Deniable says of the same model by its losses, and of the training by 200 runs."""
    began = time.process_time()
    with np.errstate(divide="ignore"):
        scores = log_odds(-np.log(p))
    above = scores[members][:, None] - scores[~members]
    area = ((above > 0) + (above == 0) / 2).mean()
    cut = np.nextafter(np.quantile(scores[~members], 0.995, method="higher"), np.inf)
    (point,) = rate_region(np.array([cut]), scores, members)
    guesses = fixed_guesses(scores, len(scores) // 2)
    right = int((guesses == np.where(members, 1, -1)).sum())
    limit = one_run_limit(len(scores), int((guesses != 0).sum()), right)
    rate = f"{point.tpr:.3f} [{point.tpr_lower:.3f}, {point.tpr_upper:.3f}]"
    middle = time.process_time()
    found = audit(model, data, runs=TRAININGS, effort=Effort(seed=1, time_limit=1e8))
    seconds, worst = time.process_time() - middle, f"ε ≥ {found.found.lower:.3f}, worst record"
    return [
        ("the same model's losses", f"{area:.3f}", rate, f"ε ≥ {limit:.3f}", middle - began),
        (f"{TRAININGS} trainings, {found.attack}", "–", "–", worst, seconds),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.beside_sacro_ml")
    parser.add_argument("--python", help="one that has SACRO-ML 2.0.1")
    given, data = parser.parse_args(), load_breast_cancer(return_X_y=True)
    members = np.random.default_rng(1).random(len(data[1])) < 0.5
    models = {name: repr(model) for name, model in MODELS.items()}
    words = [json.dumps(members.tolist()), str(SHADOWS), json.dumps(models)]
    with tempfile.TemporaryDirectory() as folder:
        python = given.python or str(Path(folder) / "bin" / "python")
        if given.python is None:
            venv.create(folder, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
        done = subprocess.run([python, "-c", THEIRS, *words], capture_output=True, check=True)
    rows = []
    for name, said in json.loads(done.stdout.rpartition(b"ANSWER")[2]).items():
        p = np.array(said.pop("p"))
        rows += [
            (name, f"SACRO-ML, {attack}", f"{area:.3f}", f"{rate:.3f}", f"p = {p_value:.2g}",
             f"{seconds:.1f}")
            for attack, (area, rate, p_value, seconds) in said.items()
        ]  # fmt: skip
        rows += [
            (name, f"Deniable, {what}", *numbers, f"{seconds:.1f}")
            for what, *numbers, seconds in ours(MODELS[name], data, members, p)
        ]
    head = ("model", "attack", "AUC", "TPR at .5 % FPR", "also", "CPU seconds")
    print(markdown_table(head, rows))


if __name__ == "__main__":
    main()
