"""The variants of a study that may be published, and what an attacker believes of its people."""

import os
import secrets
from pathlib import Path

import attrs
import numpy as np
from scipy.special import expit, logit

from deniable.gwas.attacks.candidates import Candidates, Source, candidates, names_in
from deniable.gwas.attacks.evidence import Rounding
from deniable.gwas.attacks.evidence_law import Sum
from deniable.gwas.attacks.safe_answer import Course, Question, SafeStudy
from deniable.gwas.attacks.safe_choice import Choice, Limit, Order
from deniable.gwas.attacks.safe_questions import Questions, judged
from deniable.gwas.files.packed import Progress

ORDERS = ("least", "file", "significance")
"""Orders that have a name."""
_STEPS = 40
"""Points of a chart of beliefs."""
_BEYOND = 3
"""How far the chart goes on after the number that is safe."""
_READING = 0.7
"""Share of the work that reading and pruning have, for the progress bar."""
_PRIVATE = "# NOT FOR PUBLICATION: which variants were chosen tells of the study's genotypes.\n"


@attrs.frozen
class Asked:
    """What is to be published of which study.

    Parameters
    ----------
    source : Source
        The files.
    groups : str
        Whose numbers.
    rounding : Rounding
        Of the numbers.
    order : str or Path
        "least", "file", "significance", or a file of names.
    """

    source: Source
    groups: str
    rounding: Rounding
    order: object


def safe_of_study(
    asked: Asked, posterior: float, prior: float, fpr: float, limit: Limit, tell: Progress
) -> SafeStudy:
    """Choose variants of a study.

    Parameters
    ----------
    asked : Asked
        Files, and what is published.
    posterior, prior, fpr : float
        As of `safe`.
    limit : Limit
        The same two in log odds.
    tell : callable
        Called with the fraction done, 0 to 1.
    """
    wanted = names_in(asked.order) if isinstance(asked.order, Path) else None
    found = candidates(asked.source, wanted, lambda share: tell(_READING * share))
    by = _by_results(found) if asked.order == "significance" else None
    results = None if by is None else judged(by, asked.rounding)
    choice = Choice(Questions(found, asked.groups, asked.rounding, results), limit)
    if by is None or results is None:
        order, number = _chosen(found, choice, asked.order, wanted)
    else:
        order, number = by, choice.longest(results)
    questions = _questions(choice, order, number, limit, prior, fpr)
    sizes = _sizes(asked.groups, found.sizes)
    tell(1.0)
    return SafeStudy(
        number,
        max(each.power for each in questions),
        sum(sizes.values()),
        posterior,
        prior,
        limit.deviations,
        fpr,
        course=_course(choice, order, number, limit, prior),
        groups=sizes,
        decimals=asked.rounding.decimals,
        digits=asked.rounding.digits,
        frequencies=asked.rounding.frequencies,
        order="list" if wanted is not None else str(asked.order),
        questions=questions,
        unlinked=len(found),
        variants_left_out=found.left_out,
        reference=found.reference,
        pruned=found.pruned,
        filled=asked.source.missing != "leave",
        chosen=tuple(found.variants.identifier[order[:number]].tolist()),
    )


def write_list(found: SafeStudy, path: Path) -> None:
    """The names of the chosen variants, one a line; only its owner can read it.

    It appears whole, in place of an older one, and says in its first line if it is private.
    """
    partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(8)}")
    try:
        partial.touch(mode=0o600, exist_ok=False)
        with partial.open("w", encoding="utf-8") as file:
            file.write("" if found.choice_is_public else _PRIVATE)
            file.writelines(f"{name}\n" for name in found.chosen)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _chosen(
    found: Candidates, choice: Choice, order: object, wanted: list[str] | None
) -> tuple[Order, int]:
    if order == "least":
        return choice.least_telling()
    if order == "file":
        by = np.arange(len(found))
    else:
        place = {name: index for index, name in enumerate(wanted or [])}
        by = np.argsort([place[name] for name in found.variants.identifier.tolist()])
    return by, choice.longest(by)


def _by_results(found: Candidates) -> Order:
    return np.argsort(-np.nan_to_num(found.chi_squared, nan=-1.0), kind="stable")


def _questions(
    choice: Choice, order: Order, number: int, limit: Limit, prior: float, fpr: float
) -> tuple[Question, ...]:
    """Of the chosen variants, and of all of them."""
    chosen = order[:number]
    powers = [choice.powers(which, fpr) for which in (chosen, order)]
    totals, everything = choice.totals(chosen), choice.totals(order)
    return tuple(
        Question(
            name,
            powers[0][name],
            *_beliefs(total, limit, prior, number),
            total.beyond(limit.gain),
            powers[1][name],
            everything[name].beyond(limit.gain),
        )
        for name, total in totals.items()
    )


def _beliefs(total: Sum, limit: Limit, prior: float, number: int) -> tuple[float, float]:
    """Of the median member, and of one as unlucky as is allowed for."""
    if not number:
        return prior, prior
    median, unlucky = (
        float(expit(logit(prior) + total.quantile(share))) for share in (0.5, limit.allowed)
    )
    return median, unlucky


def _course(
    choice: Choice, order: Order, number: int, limit: Limit, prior: float
) -> tuple[Course, ...]:
    """Beliefs of the question that is answered most easily, as variants are added."""
    end = min(max(_BEYOND * number, 10), len(order))
    found = []
    for stop in np.unique(np.linspace(0, end, _STEPS + 1).astype(int)).tolist():
        totals = choice.totals(order[:stop]).values()
        beliefs = [_beliefs(total, limit, prior, stop) for total in totals]
        found.append(Course(stop, max(b[0] for b in beliefs), max(b[1] for b in beliefs)))
    return tuple(found)


def _sizes(groups: str, sizes: tuple[int, int]) -> dict[str, int]:
    cases, controls = sizes
    named = {"cases": cases, "controls": controls}
    match groups:
        case "both":
            return named
        case "everybody":
            return {"everybody": cases + controls}
        case _:
            return {groups: named[groups]}
