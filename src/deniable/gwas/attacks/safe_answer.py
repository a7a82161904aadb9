"""What `deniable gwas safe` answers: how many variants, and what an attacker believes then."""

from typing import Any

import attrs
from scipy.special import ndtr

from deniable.certificate.model import read_sentences
from deniable.numerics.answer import Answer, display, fields_of

_SENTENCES = read_sentences(__file__)
NO_GUARANTEE: str = _SENTENCES["no_guarantee"]


@attrs.frozen
class Course:
    """What may be believed when so many variants are published.

    Beliefs in the membership of a member: half of the members, and the share Φ(−z), have more.
    """

    variants: int
    median: float
    unlucky: float


@attrs.frozen(repr=False)
class SafeVariants(Answer):
    """How many variants may be published, and what an attack reaches with as many.

    Parameters
    ----------
    variants, pool : int
        Unlinked common variants, of so many people whose frequencies are published.
    power, fpr : float
        Share of members that are recognised in theory, and of strangers taken for members.
    posterior, prior, deviations : float
        The limit on a belief in membership, the belief before, and how unlucky a member is allowed
        for.
    course : tuple of Course
        Beliefs by number of variants.
    """

    variants: int
    power: float
    pool: int
    posterior: float
    prior: float
    deviations: float
    fpr: float
    course: tuple[Course, ...] = attrs.field(default=(), kw_only=True)

    @property
    def allowed(self) -> float:
        """Share of members that may pass the limit, Φ(−z)."""
        return float(ndtr(-self.deviations))

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas safe` prints."""
        return attrs.asdict(self)

    def plot(self) -> Any:
        """Belief in the membership of members, by number of variants published.

        Returns
        -------
        altair.Chart
            The median member, an unlucky one, and the limit; needs the extra publish.
        """
        return display(self, "plot")


@attrs.frozen
class Question:
    """What an attacker asks of a person, and what the published variants answer.

    Of those who are what is asked, the share `power` is recognised, while `fpr` of the others are
    taken for them; half of them, and the share Φ(−z), are believed in more than `median` and
    `unlucky`; and of the share `beyond` more than the limit is believed. The last two are the same
    if all unlinked variants were published.
    """

    question: str
    power: float
    median: float
    unlucky: float
    beyond: float
    power_of_all: float
    beyond_of_all: float


@attrs.frozen(repr=False)
class SafeStudy(SafeVariants):
    """Which variants of a study may be published, and what an attacker believes then.

    Numbers of so many people of each group are published: frequencies to so many decimals, or
    exact ones for None, and p-values to so many significant digits. Variants were chosen in an
    order, "least", "file", "significance" or "list", from `unlinked` ones; others are left out by
    reason. The reference is so many people whose frequencies were taken, None for the study's own.
    Names of the `chosen`, in the order of the choice, are not in the JSON.
    """

    OWNER_ONLY = True

    groups: dict[str, int] = attrs.field(factory=dict, kw_only=True)
    decimals: int | None = attrs.field(default=None, kw_only=True)
    digits: int | None = attrs.field(default=None, kw_only=True)
    frequencies: bool = attrs.field(default=True, kw_only=True)
    order: str = attrs.field(default="least", kw_only=True)
    questions: tuple[Question, ...] = attrs.field(default=(), kw_only=True)
    unlinked: int = attrs.field(default=0, kw_only=True)
    variants_left_out: dict[str, int] = attrs.field(factory=dict, kw_only=True)
    reference: int | None = attrs.field(default=None, kw_only=True)
    pruned: bool = attrs.field(default=True, kw_only=True)
    filled: bool = attrs.field(default=True, kw_only=True)
    chosen: tuple[str, ...] = attrs.field(default=(), kw_only=True)

    @property
    def published(self) -> str:
        """What is published of whom, in words."""
        groups = " and ".join(f"{number:,} {name}" for name, number in self.groups.items())
        parts = []
        if self.frequencies:
            digits = "exact" if self.decimals is None else f"to {self.decimals} decimals"
            parts.append(f"frequencies ({digits})")
        if self.digits is not None:
            parts.append(f"p-values (to {self.digits} significant digits)")
        return f"{' and '.join(parts)} of {groups}"

    @property
    def ordered(self) -> str:
        """Which variants come first, in words."""
        return _ORDERS[self.order]

    @property
    def choice_is_public(self) -> bool:
        """Whether nobody's genotype in the study was looked at for the choice."""
        return self.reference is not None and self.order != "significance" and self.filled

    @property
    def verdict(self) -> str:
        """Whether there is something to publish, and what stands in the way, in a sentence."""
        if not self.variants:
            return f"Not even one variant keeps the limit with {self.published}."
        keep = "variant keeps" if self.variants == 1 else "variants keep"
        kept = f"{self.variants:,} {keep} the limit"
        if self.choice_is_public:
            return f"{kept}. You may publish them and their list within this limit."
        remedies = {
            "Choose by --reference.": self.reference is None,
            "Take another order than significance.": self.order == "significance",
            "Fill missing calls (--missing panel).": not self.filled,
        }
        return (
            f"{kept}, but do not publish them yet. Their choice reveals something about the "
            "study's genotypes that no figure counts. "
            f"{' '.join(remedy for remedy, helps in remedies.items() if helps)}"
        )

    @property
    def cautions(self) -> list[str]:
        """What the figures do not say."""
        untried = f"{_SENTENCES['drawn']} Not tested: {'; '.join(self.not_tried)}."
        sentences = [NO_GUARANTEE, _SENTENCES["choice"][self.choice_is_public], untried]
        if self.order == "list":
            sentences.append(_OF_RESULTS)
        if not self.pruned:
            sentences.append(
                "A table of counts does not show linkage, so linked variants were treated as "
                "unlinked. Give genotypes, or --reference."
            )
        return sentences

    @property
    def not_tried(self) -> list[str]:
        """What of this answer no simulated study has tried."""
        beyond = {
            f"groups of more than {_PEOPLE:,} people": max(self.groups.values()) > _PEOPLE,
            f"fewer than {_CANDIDATES} variants to choose from": self.unlinked < _CANDIDATES,
            f"frequencies to other than {_DECIMALS[0]} or {_DECIMALS[1]} decimals": (
                self.decimals not in (None, *_DECIMALS)
            ),
            f"p-values to more than {_DIGITS} digits": (self.digits or 0) > _DIGITS,
            "missing calls that are left out": not self.filled,
        }
        return [*(what for what, holds in beyond.items() if holds), *_NEVER_TRIED]

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas safe` prints."""
        fields = attrs.asdict(self, filter=attrs.filters.exclude("chosen", "filled", "pruned"))
        return fields | fields_of(self, "choice_is_public", "verdict", "cautions", "not_tried")


_PEOPLE, _CANDIDATES, _DECIMALS, _DIGITS = 300, 60, (1, 2), 6
"""How far those studies go (tests/attacks/test_safe_by_fresh_studies.py, test_safe_promises.py)."""
_NEVER_TRIED = ("linked variants", "relatives in the study", "people of several ancestries")
_ORDERS = {
    "least": "the least informative first, so that most can be published",
    "file": "in the order of the study's file",
    "significance": "the most significant first",
    "list": "in the order of a list",
}
_OF_RESULTS = (
    "The figures hold only for a list that does not come from this study's results. For a list "
    f"that does, use --order significance: {_SENTENCES['winners']}"
)
"""Caution about an order that may rest on the results."""
