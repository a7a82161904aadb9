"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from typing import TYPE_CHECKING

from deniable._door import lazy_exports

__version__ = "0.1.0"

__all__ = [
    "Bound",
    "Effort",
    "Evidence",
    "Ledger",
    "LinearQuery",
    "Universe",
    "audit",
    "calibrate",
    "calibrate_training",
    "catalogue",
    "certify_training",
    "check",
    "compose",
    "correlation",
    "derive",
    "errors",
    "explain",
    "explain_training",
    "explore",
    "gwas",
    "judge",
    "ledger",
    "mechanisms",
    "new",
    "notions",
    "plan",
    "population",
    "preview",
    "priors",
    "release",
    "rules",
    "schema",
    "unreadable",
    "verify",
]

if TYPE_CHECKING:
    from deniable import (
        correlation,
        errors,
        gwas,
        judge,
        ledger,
        mechanisms,
        notions,
        population,
        priors,
        rules,
    )
    from deniable._audit import audit
    from deniable.analysis.calibrate import calibrate
    from deniable.analysis.composition import compose
    from deniable.analysis.explain import explain
    from deniable.bounds import Bound, Evidence
    from deniable.certificate.schemas import schema
    from deniable.explorer.explore import explore
    from deniable.judge.verify import verify
    from deniable.ledger.ledger import Ledger
    from deniable.pipeline.check import check
    from deniable.population.doors.joint import LinearQuery
    from deniable.publish.owner.preview import preview
    from deniable.publish.owner.unreadable import unreadable
    from deniable.publish.prepare import plan
    from deniable.publish.release import release
    from deniable.publish.skeleton import new
    from deniable.theorems.derive import derive
    from deniable.theorems.table import catalogue
    from deniable.training.calibrate import calibrate_training
    from deniable.training.certify import certify_training
    from deniable.training.explain import explain_training
    from deniable.universe import Universe
    from deniable.work.effort import Effort
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "Bound": "deniable.bounds",
            "Effort": "deniable.work.effort",
            "Evidence": "deniable.bounds",
            "Ledger": "deniable.ledger.ledger",
            "LinearQuery": "deniable.population.doors.joint",
            "Universe": "deniable.universe",
            "audit": "deniable._audit",
            "calibrate": "deniable.analysis.calibrate",
            "calibrate_training": "deniable.training.calibrate",
            "catalogue": "deniable.theorems.table",
            "certify_training": "deniable.training.certify",
            "check": "deniable.pipeline.check",
            "compose": "deniable.analysis.composition",
            "correlation": "deniable.correlation",
            "derive": "deniable.theorems.derive",
            "errors": "deniable.errors",
            "explain": "deniable.analysis.explain",
            "explain_training": "deniable.training.explain",
            "explore": "deniable.explorer.explore",
            "gwas": "deniable.gwas",
            "judge": "deniable.judge",
            "ledger": "deniable.ledger",
            "mechanisms": "deniable.mechanisms",
            "new": "deniable.publish.skeleton",
            "notions": "deniable.notions",
            "plan": "deniable.publish.prepare",
            "population": "deniable.population",
            "preview": "deniable.publish.owner.preview",
            "priors": "deniable.priors",
            "release": "deniable.publish.release",
            "rules": "deniable.rules",
            "schema": "deniable.certificate.schemas",
            "unreadable": "deniable.publish.owner.unreadable",
            "verify": "deniable.judge.verify",
        },
    )
