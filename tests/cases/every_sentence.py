"""Certificates with every sentence that Deniable can state, small and without data.

    python -m tests.cases.every_sentence FILE

writes them. tests/data/format_2.json was written so by commit 47469c4e, the last one of format 2.
"""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from deniable.gwas.public_filters import Families, NamedList, StudyFilters, Window
from deniable.priors import BoundedPriors
from deniable.training.batches.batched import BatchedTraining
from deniable.training.certify import KIND, derive_guarantees
from deniable.training.noisy_gradients import Phase
from tests.cases.certified_case import PLANS, certificate
from tests.cases.sample_frequencies import frequencies_certificate
from tests.cases.sample_study import study_certificate
from tests.cases.sample_training import ORIGIN

TABLES = (
    "rows as entities", "population", "running", "sample", "household", "counted households",
    "members", "members, any tie", "members, budget", "members, difference", "unknown keys",
)  # fmt: skip
LIST = NamedList("0" * 64, 7)
FILTERS = StudyFilters(LIST, None, ("9",), 0.1, LIST, "kept", "split")
WAYS = (
    BatchedTraining("shuffled", 2.0, 4, 1, neighbours="zero-out"),
    BatchedTraining("fixed-order", 4.0, 4, 1, neighbours="replace-one"),
    BatchedTraining("poisson", 2.0, 4, 1, neighbours="add-remove", records_per_person=2),
    BatchedTraining("fixed-order", 4.0, 4, 1, 0, "zero-out", 8, 2, records_per_person=2),
    BatchedTraining("fixed-order", 4.0, 4, 1, 0, "replace-one", 8, 2, records_per_person=2),
)
STRATA = {"strata": ((600, 900), (400, 600)), "score": "stratified"}


def studies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is requested of studies, by a name."""
    for adjacency, strata in itertools.product(("genotype", "swap"), ({}, STRATA)):
        name = f"study {adjacency}{', strata' * bool(strata)}"
        yield name, {"adjacency": adjacency, **strata}
    yield "study filtered", {"filters": FILTERS, "missing": "panel", "window": Window(kb=10.0)}
    yield "study left out", {"filters": StudyFilters(multiallelic="leave-out"), "missing": "major"}
    yield "study prior", {"prior": (0.1, 0.5)}
    for source in ("stated", "fam", "list"):
        yield f"study families {source}", {"families": Families(3, source)}


def certificates() -> Iterator[tuple[str, Any]]:
    """Yield each certificate by a name."""
    for name in TABLES:
        yield name, certificate(PLANS[name])
    for name, asked in studies():
        yield name, study_certificate(**asked)
    yield "frequencies list", frequencies_certificate()
    yield "frequencies", frequencies_certificate(listed="file", filters=FILTERS)
    yield "frequencies swap", frequencies_certificate(adjacency="swap", of="both")
    for number, history in enumerate(((Phase(2.0, 0.125, 8),), *WAYS)):
        trained = derive_guarantees(history, 1e-5, BoundedPriors(), 0.01, None, engine="opacus")
        made = KIND.certified(trained, ORIGIN)
        yield f"training {number}", attrs.evolve(made, files=dict.fromkeys(made.FILES, "0" * 64))


if __name__ == "__main__":
    lines = []
    for title, each in certificates():
        text = json.dumps(each.as_json(), ensure_ascii=False, separators=(",", ":"))
        lines.append(f"{json.dumps(title, ensure_ascii=False)}: {text}")
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
