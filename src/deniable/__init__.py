"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

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
    from deniable.auditing.run import audit
    from deniable.certificate.json_documents import schema
    from deniable.judge.verify import verify
    from deniable.ledger.ledger import Ledger
    from deniable.numerics.bound import Bound, Evidence
    from deniable.numerics.effort import Effort
    from deniable.pipeline.check import check
    from deniable.population.api.joint import LinearQuery
    from deniable.priors.universe import Universe
    from deniable.publish.explorer.explore import explore
    from deniable.publish.owner.preview import preview
    from deniable.publish.owner.unreadable import unreadable
    from deniable.publish.prepare import plan
    from deniable.publish.release import release
    from deniable.publish.skeleton import new
    from deniable.theorems.analysis.calibrate import calibrate
    from deniable.theorems.analysis.composition import compose
    from deniable.theorems.analysis.explain import explain
    from deniable.theorems.catalogue import catalogue
    from deniable.theorems.derive import derive
    from deniable.training.calibrate import calibrate_training
    from deniable.training.certify import certify_training
    from deniable.training.explain import explain_training
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "Bound": "deniable.numerics.bound",
            "Effort": "deniable.numerics.effort",
            "Evidence": "deniable.numerics.bound",
            "Ledger": "deniable.ledger.ledger",
            "LinearQuery": "deniable.population.api.joint",
            "Universe": "deniable.priors.universe",
            "audit": "deniable.auditing.run",
            "calibrate": "deniable.theorems.analysis.calibrate",
            "calibrate_training": "deniable.training.calibrate",
            "catalogue": "deniable.theorems.catalogue",
            "certify_training": "deniable.training.certify",
            "check": "deniable.pipeline.check",
            "compose": "deniable.theorems.analysis.composition",
            "correlation": "deniable.correlation",
            "derive": "deniable.theorems.derive",
            "errors": "deniable.errors",
            "explain": "deniable.theorems.analysis.explain",
            "explain_training": "deniable.training.explain",
            "explore": "deniable.publish.explorer.explore",
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
            "schema": "deniable.certificate.json_documents",
            "unreadable": "deniable.publish.owner.unreadable",
            "verify": "deniable.judge.verify",
        },
    )
