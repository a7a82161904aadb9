"""One answer of every public function, on the smallest data that it answers for."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa

import deniable
from deniable import Effort, LinearQuery, Universe
from deniable.gwas.attacks.attack import AttackPower
from deniable.gwas.simulation import Causal, Simulated
from deniable.mechanisms import StochasticMatrix
from deniable.pipeline.sign import Signed
from deniable.priors import ProductPriors
from deniable.publish.owner.unreadable import Unreadable, UnreadableRows
from deniable.theorems.analysis.target import AdvantageTarget
from deniable.training.calibrate import TrainingCalibration
from tests.cases.audited import PEOPLE, fit
from tests.cases.genotype_files import plink_files
from tests.cases.release_case import write_case

HOSTILE = "<script>alert('x')</script><img src=x onerror=y>&amp;\u202e"
"""A name that others gave: of a query, an entity, a dataset, a variant."""
_COLUMN = [[0.0], [1.0], [2.0], [5.0], [7.0], [9.0]]
_STUDY_CALLS = [[0, 1, 2, 1], [1, 1, 0, 2], [2, 0, 0, 1]]
_STUDY_GROUPS = ["case", "control", "case", "control"]


class Folder:
    """A folder with a plan, its release, a study and a ledger; each made when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def plan(self) -> Path:
        made = self.path / "visits.toml"
        if not made.exists():
            text = write_case(self.path).read_text(encoding="utf-8")
            made.write_text(text.replace('"mean age"', f'"""{HOSTILE}"""'), encoding="utf-8")
        return made

    def released(self) -> Path:
        out = self.path / "published"
        if not out.exists():
            deniable.release(self.plan(), out)
        return out

    def curves(self) -> Path:
        out = self.path / "curves"
        if not out.exists():
            query = {
                "name": HOSTILE, "statistic": "survival", "time": "days", "event": "died",
                "grid": [2, 4], "group_by": ["arm"], "keys": {"arm": [HOSTILE, "b"]},
            }  # fmt: skip
            people = {"days": [1.0, 3.0, 5.0], "died": [True, False, True], "arm": [HOSTILE] * 3}
            plan = {"target": {"epsilon": 1.0}, "query": [query]}
            deniable.release(plan, out, data=pa.table(people))
        return out

    def study(self) -> Path:
        prefix = plink_files(self.path, _STUDY_CALLS, _STUDY_GROUPS)
        bim = prefix.with_suffix(".bim")
        hostile = HOSTILE.replace(" ", "_").replace("\u202e", "")
        bim.write_text(bim.read_text(encoding="utf-8").replace("rs0", hostile), encoding="utf-8")
        return prefix

    def ledger(self) -> Path:
        made = self.path / "visits.ledger"
        if not made.exists():
            deniable.ledger.new(made, HOSTILE[:50], epsilon=4.0, each_row=True)
            deniable.ledger.charge_guarantee(made, "pure-dp:1.0", what=HOSTILE[:-1])
        return made

    def book(self) -> Path:
        made = self.path / "wards.book"
        if not made.exists():
            deniable.rules.book.new(made)
        return made

    def charge(self) -> str:
        charged = deniable.ledger.charge_guarantee(self.ledger(), "pure-dp:0.25", what="void")
        return charged.id


def _coin() -> StochasticMatrix:
    """An output and an entity with a name of markup."""
    outputs = (HOSTILE, "1")
    return StochasticMatrix(Universe((HOSTILE,)), outputs, [[0.5, 0.5], [0.25, 0.75]])


_TRAINING = [(2.0, 0.125, 4)]
_TOP = {"top": 1, "gamma": 2.0}
_population = deniable.population
_RULES = {
    "list": [{"name": HOSTILE, "size": 9}, {"name": "b", "size": 5}],
    "rule": {"preset": "opensafely"},
    "adversary": {"prior": [0.25, 0.5]},
    "target": {"max_posterior": 0.75},
}
ANSWERS: dict[str, Callable[[Folder], object]] = {
    "audit": lambda _: deniable.audit(fit, PEOPLE, claimed="pure-dp:1.0@add-remove", runs=40),
    "calibrate": lambda _: deniable.calibrate(gamma=2.0, prior=(0.3, 0.7), delta=1e-6),
    "calibrate_training": lambda _: TrainingCalibration(
        AdvantageTarget(0.5), 2.0, 1.5, deniable.explain_training(_TRAINING), ()
    ),
    "catalogue": lambda _: deniable.catalogue()[0],
    "certify_training": lambda at: deniable.certify_training(
        _TRAINING, at.path / "certified", engine="opacus", batches="poisson"
    ),
    "check": lambda at: deniable.check(at.released()),
    "compare_training": lambda _: deniable.compare_training(
        noise_multiplier=1.0, steps_per_epoch=4, epochs=1, ways=["fixed-order", "shuffled"]
    ),
    "compose": lambda _: deniable.compose(["pure-dp:0.5", "zcdp:0.1"]),
    "derive": lambda _: deniable.derive("pure-dp:1.0", "positive-membership"),
    "dossier": lambda at: deniable.dossier(at.released(), "gdpr"),
    "explore": lambda at: deniable.explore(out=at.path / "explorer.html"),
    "explain": lambda _: deniable.explain(1000.0),
    "explain_accuracy": lambda _: deniable.explain_accuracy(10.0, delta=1e-6, cells=2),
    "explain_guarantee": lambda _: deniable.explain_guarantee("gaussian-dp:1"),
    "explain_households": lambda _: deniable.explain_households(0.5, 4, icc=0.2),
    "explain_training": lambda _: deniable.explain_training(_TRAINING),
    "export": lambda at: deniable.export(at.curves(), to="survfit"),
    "plan": lambda at: deniable.plan(at.plan()),
    "preview": lambda at: deniable.preview(at.plan()),
    "release": lambda at: deniable.release(at.plan(), at.path / "again"),
    "risk": lambda _: deniable.risk("pure-dp:1.0", [0.1, 0.5], candidates=10),
    "sign": lambda at: Signed(at.path / HOSTILE[1:7], "ED25519", HOSTILE, "0" * 64),
    "trade_off": lambda _: deniable.trade_off("approx-dp:1,1e-6", [0.01, 0.5]),
    "unreadable": lambda _: UnreadableRows(values=(Unreadable("x.csv", HOSTILE, "x", 1, (2,)),)),
    "verify": lambda _: deniable.verify(_coin(), "independent"),
    "watch_batches": lambda _: deniable.watch_batches(
        [[3, 11, 24, 37]], batches="poisson", steps_per_epoch=10, epochs=4
    ),
    "training.calibrate": lambda _: TrainingCalibration(
        AdvantageTarget(0.25), 2.0, 1.5, deniable.training.explain(_TRAINING), ()
    ),
    "training.certify": lambda at: deniable.training.certify(
        _TRAINING, at.path / "certified again", engine="opacus", batches="poisson"
    ),
    "training.compare": lambda _: deniable.training.compare(
        noise_multiplier=2.0, steps_per_epoch=4, epochs=1, ways=["fixed-order", "shuffled"]
    ),
    "training.explain": lambda _: deniable.training.explain(_TRAINING),
    "gwas.attack": lambda _: AttackPower(
        0.5, 0.25, 0.75, 0.625, 0.5, 80, 0.1, 20, 30, 0.0, 0.5, False, 0
    ),
    "gwas.frequencies": lambda at: deniable.gwas.frequencies(
        at.study(), at.path / "frequencies", all_variants=True, gamma=2.0, delta=1e-6
    ),
    "gwas.release": lambda at: deniable.gwas.release(at.study(), at.path / "hits", **_TOP),
    "gwas.safe": lambda at: deniable.gwas.safe(at.study(), posterior=0.75, prior=0.5),
    "gwas.scan": lambda at: deniable.gwas.scan(at.study()),
    "gwas.simulate": lambda at: Simulated(
        at.path / "made", 4, 2, 3, (Causal(HOSTILE, "1", 100, 0.25, 1.5),)
    ),
    "gwas.utility": lambda at: deniable.gwas.utility(at.study(), trials=10, **_TOP),
    "judge.negative_gamma_here": lambda _: deniable.judge.negative_gamma_here(
        _coin(), ProductPriors()
    ),
    "judge.positive_gamma_here": lambda _: deniable.judge.positive_gamma_here(
        _coin(), ProductPriors()
    ),
    "ledger.charge_guarantee": lambda at: deniable.ledger.charge_guarantee(
        at.ledger(), "pure-dp:0.125", what="again"
    ),
    "ledger.check": lambda at: deniable.ledger.check(at.ledger()),
    "ledger.cost": lambda at: deniable.ledger.cost(at.ledger(), deniable.calibrate(gamma=2.0)),
    "ledger.export": lambda at: deniable.ledger.export(at.ledger()),
    "ledger.new": lambda at: deniable.ledger.new(
        at.path / "new.ledger", "people", epsilon=1.0, each_row=True
    ),
    "ledger.show": lambda at: deniable.ledger.show(at.ledger()),
    "ledger.void": lambda at: deniable.ledger.void(at.ledger(), at.charge(), because=HOSTILE[:-1]),
    "population.count": lambda _: _population.count(5, 20, 10, scale=2.0),
    "population.discrete_gaussian": lambda _: _population.discrete_gaussian(
        _COLUMN, 3, scale=2.0, delta=0.1, records="all"
    ),
    "population.discrete_laplace": lambda _: _population.discrete_laplace(_COLUMN, 3, scale=2.0),
    "population.exponential": lambda _: _population.exponential(
        _COLUMN, [[0.0], [5.0]], 3, epsilon=1.0, clip=10.0
    ),
    "population.gaussian": lambda _: _population.gaussian(
        _COLUMN, 3, sigma=2.0, delta=0.1, records="all"
    ),
    "population.joint": lambda _: _population.joint(
        [LinearQuery(_COLUMN, 9.0), LinearQuery(_COLUMN, 5.0)], 3, delta=0.1, method="pairwise"
    ),
    "population.laplace": lambda _: _population.laplace(_COLUMN, 3, scale=2.0, records="all"),
    "population.noise_curve": lambda _: _population.noise_curve(
        _COLUMN, 3, [1.0, 2.0], delta=0.01, clip=10.0
    ),
    "population.query": lambda _: _population.query(
        lambda sample: sample.mean(axis=0),
        _COLUMN,
        3,
        sigma=2.0,
        delta=0.1,
        records=[5],
        effort=Effort(gap=1.0),
    ),
    "gate": lambda folder: deniable.gate(folder.released(), max_posterior=1),
    "rules.compare": lambda _: deniable.rules.compare(
        {HOSTILE: "cms", "b": "rr3"}, members=[5, 20], prior=(0.25, 0.5), limit=0.75
    ),
    "rules.design": lambda _: deniable.rules.design(
        "opensafely", members=9, prior=(0.25, 0.5), limit=0.75, delta=0.01
    ),
    "rules.judge": lambda _: deniable.rules.judge(
        _RULES | {"table": [{"name": HOSTILE, "lists": [HOSTILE, "b"]}]}, {HOSTILE: 10, "b": "*"}
    ),
    "rules.judge_values": lambda _: deniable.rules.judge_values(
        {
            "table": [{"columns": ["r"], "sum": "t"}],
            "values": {
                "file": pl.DataFrame(
                    {"r": [HOSTILE] * 3, "contributor": ["a", "b", HOSTILE], "value": [100, 50, 9]}
                )
            },
            "rule": {"steps": [{"p_percent": 0.1}]},
        },
        pl.DataFrame({"r": [HOSTILE], "t": [159]}),
    ),
    "rules.repair": lambda _: deniable.rules.repair(_RULES),
    "rules.book.new": lambda folder: deniable.rules.book.new(folder.path / "new.book"),
    "rules.book.add": lambda folder: deniable.rules.book.add(
        folder.book(),
        _RULES | {"table": [{"name": HOSTILE, "lists": ["b"]}]},
        {"b": "*"},
        name="b",
        published="2025-03-01",
        by="b",
    ),
    "rules.book.show": lambda folder: deniable.rules.book.show(folder.book()),
    "rules.book.check": lambda folder: deniable.rules.book.check(folder.book()),
}
"""By the name of the function."""
