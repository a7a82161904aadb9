"""Changes of rules or tables, with what may be believed then and what each costs: an answer."""

from fractions import Fraction
from typing import Any

import attrs

from deniable._answer import Answer, plots
from deniable.rules.designing import ASSUMES, SAMPLE_ASSUMES
from deniable.rules.rule import Rule
from deniable.rules.worlds import Adversary, Sample

JOINT = (
    "Tables that share people, and totals to which the rule is applied, are not repaired as they "
    "are: what all that they may say together would let one believe is not bounded below 1. "
    "Changes that leave each person in one published number are."
)
ACCURACY = (
    "Accuracy is how far a typical count may be from the middle of what its mark stands for, or "
    "from a noisy number in 95 of 100 draws; a number that is published no longer may be anything."
)
CHOICE = (
    "Rules are chosen before anybody looks at counts: a choice that depends on them tells of them."
)


@attrs.frozen
class RepairOption:
    """One change, what may be believed then, and what it costs.

    Parameters
    ----------
    change : str
        "none", "threshold", "base", "midpoint", "top", "zero", "merge" or "noise".
    tables : {"as they are", "totals from shown cells", "first table only"}
        What is published.
    rule : Rule or None
        What is done to counts; None for noise.
    merged : int
        How many neighbouring lists become one; 1 where none do.
    lowest, highest : float
        Bounds of belief, over all that may be published and all priors, or except with δ.
    is_met : bool or None
        Whether that is within the target; None where it is not known.
    half_width : float
        Accuracy in people, on average over the numbers that were to be published.
    share : float
        The same as a share of the people listed, in [0, ½].
    noise : dict or None
        Of noise: ε, scale, and a plan.
    """

    change: str
    tables: str
    rule: Rule | None
    merged: int
    lowest: float
    highest: float
    is_met: bool | None
    half_width: float
    share: float
    noise: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """The change in words."""
        parts = [self._words()]
        if self.tables != "as they are":
            parts.append(self.tables)
        return ", ".join(parts)

    def _words(self) -> str:
        if self.noise is not None:
            return f"noise of scale {self.noise['scale']:.3g} on every count"
        if self.change == "merge":
            return f"{self.merged} neighbouring lists in one"
        if self.rule is None or self.change == "none":
            return "the rule as it is"
        return f"{self.change}: {_steps_in_words(self.rule)}"

    def as_json(self) -> dict[str, Any]:
        """One entry of `options`."""
        return {
            "change": self.change,
            "text": self.text,
            "tables": self.tables,
            "rule": None if self.rule is None else self.rule.as_json(),
            "merged": self.merged,
            "belief": {"lower": self.lowest, "upper": self.highest},
            "verdict": {True: "met", False: "missed", None: "undecided"}[self.is_met],
            "half_width": self.half_width,
            "share": self.share,
            "noise": self.noise,
        }


def _steps_in_words(rule: Rule) -> str:
    words = [
        " ".join(f"{key} {value}" for key, value in step.as_json().items()) for step in rule.steps
    ]
    return f"{', '.join(words)}, zeros {rule.zero}"


@attrs.frozen(repr=False)
class RuleRepair(Answer):
    """Changes with which beliefs stay within a target, the cheapest first.

    Parameters
    ----------
    adversary : Priors or Sample
        Who is feared.
    max_posterior, min_posterior, delta : Fraction or None
        The target.
    options : tuple of RepairOption
        Those that meet the target, by accuracy lost; then the others.
    """

    adversary: Adversary
    max_posterior: Fraction | None
    min_posterior: Fraction | None
    delta: Fraction | None
    options: tuple[RepairOption, ...]

    @property
    def cheapest(self) -> RepairOption | None:
        """The change that meets the target and costs least; None where none does."""
        return next((each for each in self.options if each.is_met), None)

    @property
    def cheapest_rule(self) -> RepairOption | None:
        """The same without noise."""
        return next((each for each in self.options if each.is_met and each.noise is None), None)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the answer rests on."""
        sample = (SAMPLE_ASSUMES,) if isinstance(self.adversary, Sample) else ()
        return (*ASSUMES, *sample, JOINT, ACCURACY, CHOICE)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules repair` prints."""
        limits = ("max_posterior", "min_posterior", "delta")
        best, rule = self.cheapest, self.cheapest_rule
        return {
            "prior": [float(self.adversary.low), float(self.adversary.high)],
            "target": {
                key: float(value) for key in limits if (value := getattr(self, key)) is not None
            },
            "cheapest": None if best is None else best.as_json(),
            "cheapest_rule": None if rule is None else rule.as_json(),
            "options": [each.as_json() for each in self.options],
            "assumes": list(self.assumes),
        }

    def plot(self) -> Any:
        """Largest belief against accuracy, a point a change, with the target.

        Returns
        -------
        altair.Chart
            Needs the extra publish.
        """
        return plots.repair_chart(self)
