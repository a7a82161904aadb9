"""Published policies as rules, with where and when they were stated."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from deniable.errors import validate
from deniable.rules.rule import Rule
from deniable.rules.steps import Hide, Midpoint, RandomRound, Round


@attrs.frozen
class Preset:
    """A published policy.

    Parameters
    ----------
    name : str
        As it is asked for.
    rule : Rule
        What it does to one count.
    source : str
        Who states it, and where.
    date : str
        When it was stated or read, or the version that states it.
    besides : str
        What the policy says that a rule for one count does not hold.
    """

    name: str
    rule: Rule
    source: str
    date: str
    besides: str = ""

    def as_json(self) -> dict[str, Any]:
        """Where the rule is from."""
        return {"name": self.name, "source": self.source, "date": self.date,
                "besides": self.besides}  # fmt: skip


PRESETS: Mapping[str, Preset] = MappingProxyType({
    each.name: each
    for each in (
        Preset(
            "opensafely",
            Rule((Hide(1, 7), Round(5))),
            "OpenSAFELY documentation, Updated disclosure control guidance",
            "as read in 2026",
            "A total is the sum of the cells that are shown.",
        ),
        Preset(
            "ehrql",
            Rule((Hide(1, 7), Round(5)), zero="merged"),
            "ehrQL, measures, apply_sdc (opensafely-core/ehrql#1746)",
            "since November 2023",
            "Numerators and denominators are rounded each; ratios are of the rounded numbers.",
        ),
        Preset(
            "cms",
            Rule((Hide(1, 10),)),
            "Centers for Medicare & Medicaid Services, Cell Size Suppression Policy",
            "as read in 2026",
            "No hidden cell may be derivable from others.",
        ),
        Preset(
            "all-of-us",
            Rule((Hide(1, 20),)),
            "All of Us Research Program, Data and Statistics Dissemination Policy",
            "as read in 2026",
            "No hidden cell may be derivable from others.",
        ),
        Preset(
            "acro",
            Rule((Hide(1, 9),), zero="hidden"),
            "ACRO, default configuration: safe_threshold = 10, zeros_are_disclosive",
            "1.0.1",
            "Totals are recomputed without the records of hidden cells.",
        ),
        Preset(
            "rr3",
            Rule((RandomRound(3),)),
            "Stats NZ, Microdata output guide, fifth edition: random rounding to base 3",
            "August 2020",
            "Ask whether totals are sums of rounded cells or rounded by themselves.",
        ),
        Preset(
            "midpoint6",
            Rule((Midpoint(6),)),
            "OpenSAFELY documentation, Midpoint 6 rounding",
            "as read in 2026",
        ),
    )
})  # fmt: skip
"""Of each name: the policy."""


def preset(name: str) -> Rule:
    """Return the rule of a published policy.

    Parameters
    ----------
    name : {"opensafely", "ehrql", "cms", "all-of-us", "acro", "rr3", "midpoint6"}
        The policy; for all that is known of it see `deniable rules design --preset NAME`.

    Raises
    ------
    InvalidArgument
        If no policy of this name is known.

    Examples
    --------
    >>> preset("cms").publish(10)
    {'*': Fraction(1, 1)}
    """
    return PRESETS[validate.one_of(name, PRESETS, "preset")].rule
