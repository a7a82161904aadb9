"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from typing import TYPE_CHECKING

from deniable._late import door

__version__ = "0.1.0"

__all__ = [
    "Bound",
    "BoundedPrior",
    "Effort",
    "Evidence",
    "LinearQuery",
    "UnrestrictedPrior",
    "calibrate",
    "check",
    "compose",
    "derive",
    "explain",
    "gwas",
    "new",
    "plan",
    "population",
    "preview",
    "release",
    "verify",
]

if TYPE_CHECKING:
    from deniable import gwas, population
    from deniable.analysis.calibrate import calibrate
    from deniable.analysis.composition import compose
    from deniable.analysis.explain import explain
    from deniable.bounds import Bound, Evidence
    from deniable.gwas.publication.check import check
    from deniable.judge.verify import verify
    from deniable.population.doors.joint import LinearQuery
    from deniable.population.work.effort import Effort
    from deniable.priors import BoundedPrior, UnrestrictedPrior
    from deniable.publish.owner.preview import preview
    from deniable.publish.prepare import plan
    from deniable.publish.release import release
    from deniable.publish.skeleton import new
    from deniable.theorems.derive import derive
else:
    __getattr__, __dir__ = door(
        __name__,
        __all__,
        {
            "Bound": "deniable.bounds",
            "BoundedPrior": "deniable.priors",
            "Effort": "deniable.population.work.effort",
            "Evidence": "deniable.bounds",
            "LinearQuery": "deniable.population.doors.joint",
            "UnrestrictedPrior": "deniable.priors",
            "calibrate": "deniable.analysis.calibrate",
            "check": "deniable.gwas.publication.check",
            "compose": "deniable.analysis.composition",
            "derive": "deniable.theorems.derive",
            "explain": "deniable.analysis.explain",
            "gwas": "deniable.gwas",
            "new": "deniable.publish.skeleton",
            "plan": "deniable.publish.prepare",
            "population": "deniable.population",
            "preview": "deniable.publish.owner.preview",
            "release": "deniable.publish.release",
            "verify": "deniable.judge.verify",
        },
    )
