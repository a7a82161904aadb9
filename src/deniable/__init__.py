"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from deniable._late import late_names

__version__ = "0.1.0"

_PUBLIC = {
    "Bound": "deniable.bounds:Bound",
    "BoundedPrior": "deniable.priors:BoundedPrior",
    "Effort": "deniable.population.work.effort:Effort",
    "Evidence": "deniable.bounds:Evidence",
    "LinearQuery": "deniable.population.doors.joint:LinearQuery",
    "UnrestrictedPrior": "deniable.priors:UnrestrictedPrior",
    "calibrate": "deniable.analysis.calibrate:calibrate",
    "check": "deniable.gwas.publication.check:check",
    "compose": "deniable.analysis.composition:compose",
    "derive": "deniable.theorems.derive:derive",
    "explain": "deniable.analysis.explain:explain",
    "gwas_attack": "deniable.gwas.attacks.attack:gwas_attack",
    "gwas_release": "deniable.gwas.publication.study:gwas_release",
    "gwas_scan": "deniable.gwas.owner.scan:gwas_scan",
    "gwas_simulate": "deniable.gwas.simulation.simulate:gwas_simulate",
    "gwas_utility": "deniable.gwas.owner.utility:gwas_utility",
    "new": "deniable.publish.skeleton:skeleton",
    "plan": "deniable.publish.prepare:prepare",
    "population_count": "deniable.population.doors.count:population_count",
    "population_discrete_gaussian": (
        "deniable.population.doors.discrete:population_discrete_gaussian"
    ),
    "population_discrete_laplace": (
        "deniable.population.doors.discrete:population_discrete_laplace"
    ),
    "population_exponential": ("deniable.population.doors.exponential:population_exponential"),
    "population_gaussian": "deniable.population.doors.gaussian:population_gaussian",
    "population_joint": "deniable.population.doors.joint:population_joint",
    "population_laplace": "deniable.population.doors.laplace:population_laplace",
    "population_of_query": "deniable.population.doors.query:population_of_query",
    "preview": "deniable.publish.owner.preview:preview",
    "release": "deniable.publish.execute:release",
    "verify": "deniable.judge.verify:verify",
}

__all__ = sorted(_PUBLIC)


__getattr__ = late_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
