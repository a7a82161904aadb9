"""What a theorem asks for beside its guarantee, taken from the question that was asked."""

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from deniable.notions import Adjacency, Adversary, ApproxDP, Notion, PrivacyLossTail, Side
from deniable.notions.notation import FORMS, Wish
from deniable.numerics.rounding import least
from deniable.priors import BoundedPriors, OneOutOfPriors, SampledPriors
from deniable.theorems._theorem import Theorem
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp

NOTIONS = frozenset(form.notion for form in FORMS)
_LARGEST = 2.0**14
"""ε up to which one is searched that meets a given δ."""
_LIMITS: dict[type, str] = {ApproxDP: "delta", PrivacyLossTail: "exceedance"}

HINTS = {
    "worlds": "the number of worlds, as in identifiability:?,100",
    "prior": "a prior, as in max-posterior@0-0.3 or --prior 0 0.3",
    "epsilon": "one of ε and δ, as in approx-dp:1.0,? or approx-dp:?,1e-6",
    "exceedance": "an exceedance, as in positive-membership:?,1e-6",
    "rate": "a sampling rate, as in sampling-dp:0.1,?",
    "fpr": "a false-positive rate, as in false-negative-rate:?,0.01",
    "nonmembers": "non-members for each member, as in predictive-value:?,0.01,10",
}


class Lacking(Exception):
    """The question does not say what a theorem's parameter is to be."""


Known = Mapping[str, Sequence[Any]]


def known(given: Sequence[Notion], wanted: Wish, family: Adversary | None) -> Known:
    """Candidates for every parameter: all that the given notions and the wish mention."""
    said = [attrs.asdict(each, recurse=False) for each in given]
    said.append({**wanted.preferred, **wanted.fixed})

    def mentioned(name: str) -> list[Any]:
        return [each[name] for each in said if each.get(name) is not None]

    rates = mentioned("beta") + [
        each.rate for each in mentioned("adversary") if isinstance(each, SampledPriors)
    ]
    worlds = mentioned("worlds") + [
        each.worlds for each in mentioned("adversary") if isinstance(each, OneOutOfPriors)
    ]
    adversaries = [
        *([family] if family is not None else []),
        *mentioned("adversary"),
        BoundedPriors(),
        *(OneOutOfPriors(each) for each in worlds),
        *(SampledPriors(each) for each in rates if 0 < each < 1),
    ]
    return {
        "adversary": _unique(adversaries),
        "prior": _unique(mentioned("prior")),
        "worlds": _unique(worlds),
        "rate": _unique(rates),
        "side": list(Side),
        "epsilon": _epsilons(given, wanted),
        "exchanged": [True] if _needs_exchange(given, wanted) else [],
        "exceedance": _unique([wanted.fixed[x] for x in ("exceedance",) if wanted.fixed.get(x)]),
        "delta": _unique([wanted.fixed[x] for x in ("delta",) if x in wanted.fixed]),
        "fpr": _unique(mentioned("fpr")),
        "nonmembers": _unique(mentioned("nonmembers")),
    }


def _epsilons(given: Sequence[Notion], wanted: Wish) -> list[float]:
    """The ε that is wished for, and half of it where one exchange is two changes."""
    if "epsilon" not in wanted.fixed:
        return []
    wished = wanted.fixed["epsilon"]
    return _unique([wished, wished / 2] if _needs_exchange(given, wanted) else [wished])


def _needs_exchange(given: Sequence[Notion], wanted: Wish) -> bool:
    """Whether what is given is about one record more, and what is wished about an exchange."""
    single = any(getattr(each, "adjacency", None) is Adjacency.ADD_REMOVE for each in given)
    return single and wanted.fixed.get("adjacency") is Adjacency.REPLACE_ONE


def premises(theorem: Theorem) -> int:
    """How many guarantees a theorem needs."""
    parameters = inspect.signature(theorem.implication).parameters.values()
    return sum(parameter.annotation in NOTIONS for parameter in parameters)


def arguments(
    theorem: Theorem, guarantees: Sequence[Notion], known: Known
) -> Iterator[dict[str, Any]]:
    """Every way to fill the theorem's other parameters.

    Raises
    ------
    Lacking
        If there is none, with what would help.
    """
    parameters = list(inspect.signature(theorem.implication).parameters)[len(guarantees) :]
    choices = []
    for name in parameters:
        values = list(known.get(name, ()))
        if name == "epsilon":
            values += _solve(theorem, guarantees, known)
        if not values:
            raise Lacking(HINTS.get(name, name))
        choices.append(values)
    for row in itertools.product(*choices):
        yield dict(zip(parameters, row, strict=True))


def _solve(theorem: Theorem, guarantees: Sequence[Notion], known: Known) -> Iterator[float]:
    """The least ε at which a curve stays within the δ, or the exceedance, that was asked for."""
    name = _LIMITS.get(theorem.conclusion, "")
    changes = [False, *known.get("exchanged", ())]
    for limit, exchanged in itertools.product(known.get(name, ()), changes):

        def holds(epsilon: float, limit: float = limit, exchanged: bool = exchanged) -> bool:
            conclusion = theorem.implication(*guarantees, epsilon=epsilon)
            if exchanged and isinstance(conclusion, ApproxDP):
                if conclusion.adjacency is not Adjacency.ADD_REMOVE:
                    return False
                conclusion = add_remove_approx_dp_to_replace_one_approx_dp(conclusion)
            return bool(getattr(conclusion, name) <= limit)

        high = 1.0
        while not holds(high) and high < _LARGEST:
            high *= 2
        if holds(high):
            yield least(holds, 0.0, high)


def _unique(values: Sequence[Any]) -> list[Any]:
    return [value for index, value in enumerate(values) if value not in values[:index]]
