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
    "RuleDesign",
    "Top",
    "design",
    "preset",
]

if TYPE_CHECKING:
    from deniable.rules.designing import RuleDesign, design
    from deniable.rules.presets import preset
    from deniable.rules.rule import Column, Rule
    from deniable.rules.steps import (
        Barnardise,
        Bottom,
        CellKey,
        Hide,
        Midpoint,
        Noise,
        RandomRound,
        Round,
        RoundDown,
        Top,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        __all__,
        {
            "Barnardise": "deniable.rules.steps",
            "Bottom": "deniable.rules.steps",
            "CellKey": "deniable.rules.steps",
            "Column": "deniable.rules.rule",
            "Hide": "deniable.rules.steps",
            "Midpoint": "deniable.rules.steps",
            "Noise": "deniable.rules.steps",
            "RandomRound": "deniable.rules.steps",
            "Round": "deniable.rules.steps",
            "RoundDown": "deniable.rules.steps",
            "Rule": "deniable.rules.rule",
            "RuleDesign": "deniable.rules.designing",
            "Top": "deniable.rules.steps",
            "design": "deniable.rules.designing",
            "preset": "deniable.rules.presets",
        },
    )
