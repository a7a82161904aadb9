"""What is published without noise: thresholds, rounding and cell keys, judged in beliefs.

A rule is steps in order, an adversary a range of priors or a uniform sample. No rule on exact
tables has a finite ε: it protects by what the adversary does not know, and does not compose.
"""

from typing import TYPE_CHECKING

from deniable._door import door

__all__ = [
    "Barnardise",
    "Bottom",
    "CellKey",
    "Column",
    "Hide",
    "Midpoint",
    "Noise",
    "RandomRound",
    "Round",
    "RoundDown",
    "Rule",
    "RuleComparison",
    "RuleDesign",
    "Top",
    "compare",
    "design",
    "preset",
]

if TYPE_CHECKING:
    from deniable.rules.comparing import RuleComparison, compare
    from deniable.rules.designing import RuleDesign, design
    from deniable.rules.presets import preset
    from deniable.rules.random_steps import Barnardise, CellKey, Noise, RandomRound
    from deniable.rules.rule import Column, Rule
    from deniable.rules.steps import Bottom, Hide, Midpoint, Round, RoundDown, Top
else:
    __getattr__, __dir__ = door(
        __name__,
        __all__,
        {
            "Barnardise": "deniable.rules.random_steps",
            "Bottom": "deniable.rules.steps",
            "CellKey": "deniable.rules.random_steps",
            "Column": "deniable.rules.rule",
            "Hide": "deniable.rules.steps",
            "Midpoint": "deniable.rules.steps",
            "Noise": "deniable.rules.random_steps",
            "RandomRound": "deniable.rules.random_steps",
            "Round": "deniable.rules.steps",
            "RoundDown": "deniable.rules.steps",
            "Rule": "deniable.rules.rule",
            "RuleComparison": "deniable.rules.comparing",
            "RuleDesign": "deniable.rules.designing",
            "Top": "deniable.rules.steps",
            "compare": "deniable.rules.comparing",
            "design": "deniable.rules.designing",
            "preset": "deniable.rules.presets",
        },
    )
