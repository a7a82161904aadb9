"""What other programs rely on: keys and options that are never renamed, in answers as written down.

`tests/test_golden_answers.py` compares every answer with the files read here, and writes them anew
where an answer has to change. This test says which of their keys and options may only be added to.
"""

import json

import pytest

from tests.test_golden_answers import ANSWERS, HELP

GUARANTEE = "epsilon delta gamma gamma_outside"
QUERIES = "queries/name queries/mechanism queries/scale queries/epsilon queries/rho queries/cells"
POPULATION = (
    "population_epsilon:Bound worst_record epsilon epsilon_restricted_sensitivity "
    "epsilon_adjacent_subsets pairwise_bound estimate attack_success bayes_success delta method "
    "subsets seconds"
)
TRAINING = (
    "noise_multiplier epsilon epsilon_bound:Bound advantage:Bound posterior fnr fnr_bound:Bound "
    "batches neighbours records_per_person epsilon_remove:Bound epsilon_add:Bound"
)
BELIEFS = "posterior/prior posterior/lower posterior/upper"
KEYS = {
    "explain": f"{GUARANTEE} adjacency prior {BELIEFS} attack_success advantage tied/size "
    "tied/posterior",
    "calibrate": f"{GUARANTEE} adjacency target adversary derivation/from derivation/to "
    "derivation/theorem",
    "derive": "to/notion to/parameters chain/from chain/to chain/theorem",
    "compose": f"to {BELIEFS} derivation",
    "verify": "positive_gamma negative_gamma positive_gamma_here witness "
    "epsilon_add_remove epsilon_positive epsilon_negative epsilon_replace_one semantic "
    "bayesian_semantic identifiability sampling_epsilon advantage curve",
    "explore": "out",
    "plan": f"{GUARANTEE} {QUERIES}",
    "release": f"{GUARANTEE} {QUERIES} out",
    "check": "verified on_trust",
    "ledger show": f"dataset measure budget spent left {BELIEFS} so_far/posterior "
    "so_far/exceedance",
    "gate": "files verdict",
    "rules design": "worst/belief worst/output worst/priors worst/probability lowest/belief "
    "assumes",
    "rules judge": "certain feasible assumes",
    "gwas scan": "individuals cases controls variants missing_calls top/variant top/chromosome "
    "top/position top/statistic top/p_value",
    "gwas release": "released epsilon gamma prior score sensitivity adjacency",
    "gwas utility": "probability_exact_top:Bound recall:Bound",
    "gwas attack": "power_lr power_homer auc_lr auc_homer power_formula variants_used",
    "gwas safe": "variants power",
    "population exponential": POPULATION,
    "population gaussian": f"{POPULATION} sigma",
    "population laplace": f"{POPULATION} scale",
    "population discrete-laplace": f"{POPULATION} scale",
    "population discrete-gaussian": f"{POPULATION} scale",
    "population count": f"{POPULATION} scale",
    "audit": "verdict claimed visible found:Bound runs",
    "training calibrate": TRAINING,
    "training explain": TRAINING,
    "training certify": TRAINING,
    "training compare": "rows/batches rows/epsilon_remove:Bound rows/epsilon_add:Bound "
    "rows/advantage rows/fnr rows/posterior",
}
EFFORT = "--seed --confidence --gap --records --time-limit --workers --scheduler --checkpoint"
TARGETS = "--gamma --max-posterior --attack-success --advantage --identifiability --worlds"
HOUSEHOLDS = "--household --odds-ratio --icc --difference"
STUDY = "--pheno --missing --scheduler --memory --studies"
BATCHES = "--batches --steps-per-epoch --epochs --neighbours --records-per-person"
OPTIONS = {
    "explain": f"--epsilon --delta --exceedance --level --adjacency --prior {HOUSEHOLDS}",
    "calibrate": f"{TARGETS} --prior --adjacency --delta",
    "derive": "--prior --list",
    "verify": "--family --prior --rate --table",
    "population exponential": f"--candidates --epsilon --target --clip --loss --method {EFFORT}",
    "population gaussian": f"--sigma --epsilon --clip --target --delta --query --method {EFFORT}",
    "population laplace": f"--scale --target --delta --query {EFFORT}",
    "population count": "--ones --population --size --scale --epsilon",
    "release": "--out",
    "plan": "--solve",
    "check": "--signed-by --export",
    "dossier": "--for --out",
    "export": "--to --out",
    "new": "--delimiter --encoding --decimal",
    "explore": "--out",
    "studio": "--port --no-browser",
    "serve": "--dataset --port --mcp",
    "audit": "--claimed --runs --confidence",
    "rules judge": "--book",
    "gwas scan": f"--statistic --threshold {STUDY} --out",
    "gwas release": f"--top --gamma --prior --epsilon --adjacency --score --threshold {STUDY} "
    "--publish-statistics --out",
    "gwas utility": f"--top --trials --seed {STUDY}",
    "gwas attack": "--reference --prune --fpr",
    "gwas safe": "--pool --prior",
    "gwas simulate": "--out --individuals --cases --variants --causal --seed",
    "training calibrate": f"{TARGETS} --sample-rate --steps --fpr --fnr --tpr --delta --records "
    f"--batch-size {BATCHES}",
    "training explain": f"--sample-rate --steps --noise-multiplier --delta {BATCHES}",
    "training compare": f"--noise-multiplier --delta {BATCHES.removeprefix('--batches ')}",
    "training certify": f"{TARGETS} --out --delta {BATCHES}",
}


def at(value, path):
    """What stands in an answer at a path of keys; of a list in its first entry."""
    for key in path.split("/"):
        first = value[0] if isinstance(value, list) else value
        assert key in first, f"no {key!r} of {path!r}"
        value = first[key]
    return value


@pytest.mark.parametrize("command", KEYS)
def test_keys_of_answers_stay(command):
    answer = json.loads(ANSWERS.read_text(encoding="utf-8"))[command]
    for promised in KEYS[command].split():
        path, _, kind = promised.partition(":")
        value = at(answer, path)
        if kind == "Bound":
            assert value.keys() >= {"lower", "upper", "evidence"}, path
            assert value["evidence"] in {"exact", "enclosure", "confidence", "estimate"}, path


@pytest.mark.parametrize("command", OPTIONS)
def test_options_stay(command):
    lines = json.loads(HELP.read_text(encoding="utf-8"))[command]
    offered = {word.strip(",.:;") for line in lines for word in line.split()}
    assert set(OPTIONS[command].split()) - offered == set()
