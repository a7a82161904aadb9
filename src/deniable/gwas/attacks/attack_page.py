"""An attack as a page for the owner of a study, that ends in a decision."""

from pathlib import Path

from deniable.gwas.attacks import attack_power
from deniable.report import html
from deniable.report.rendering import render

_PRIORS = (0.5, 0.1, 0.01)
"""Beliefs before, of somebody who suspects, who searches, and who tries anybody."""


def write_page(path: Path, answer: attack_power.AttackPower, source: str) -> None:
    """Write what was reached whole, in place of an older page; `source` names what was attacked."""
    html.write_page(attack_page(answer, source), path)


def attack_page(answer: attack_power.AttackPower, source: str) -> str:
    """The page as HTML that opens offline, without script."""
    named = answer.published
    return render(
        "gwas/attacks/attack.html",
        answer=answer,
        source=source,
        reasons=attack_power.REASONS,
        in_100=attack_power.in_100,
        down=_down,
        beliefs=[_beliefs(answer, prior) for prior in _PRIORS],
        has_frequencies=not named or any("frequenc" in e or "counts" in e for e in named),
    )


def _beliefs(answer: attack_power.AttackPower, prior: float) -> list[str]:
    pointed = attack_power.beliefs(answer.power, answer.fpr, prior)
    typical = attack_power.typical_beliefs(answer.variants_worth, answer.members, prior)
    return [attack_power.in_100(each) for each in (prior, pointed, *typical)]


def _down(value: float) -> str:
    """Three decimals, rounded down."""
    return f"{int(value * 1000) / 1000:g}"
