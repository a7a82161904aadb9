"""How many variants' frequencies keep beliefs within a limit: by a formula, or for a study."""

import functools
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr

from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.gwas.attacks import pages
from deniable.gwas.attacks.attack_scores import theoretical_power
from deniable.gwas.attacks.candidates import Source, candidates, read_names
from deniable.gwas.attacks.evidence import Lattice, Laws, Rounding, Sum
from deniable.gwas.attacks.safe_answer import Course, Question, SafeStudy, SafeVariants
from deniable.gwas.attacks.safe_questions import GROUPS, Questions, select_judged
from deniable.gwas.files import Filters, Progress, StudyFiles, StudyPath
from deniable.gwas.genotypes import AUTOSOMES
from deniable.numerics.effort import Effort, notebook_bar, part, silent
from deniable.numerics.operating_system import whole_file
from deniable.numerics.search import bisect_integers

_TILTS = np.geomspace(1 / 4, 4, 5)
"""Tilts for which an order is tried, as multiples of the normal law's."""
_LEAST_TILT = 1e-3
"""The tilt for no deviations, where an order is by the mean."""
_FITS = 4.0
"""Standard deviations of sums, in those of the limit, for which its lattice is wide enough."""
_FAR = 16.0
"""Standard deviations, in those of the limit, that no sum within the limit has."""

Order = NDArray[np.intp]


@attrs.frozen
class Limit:
    """How far evidence may go: from the belief before up to a posterior above it.

    At z deviations the share Φ(−z) of members may pass it.
    """

    prior: float
    posterior: float
    deviations: float

    def __attrs_post_init__(self) -> None:
        if self.posterior <= self.prior:
            raise InfeasibleTarget(
                f"Expected posterior > prior={self.prior}, got posterior={self.posterior}. Even "
                "nothing published leaves the belief where it was; allow more."
            )

    @functools.cached_property
    def gain(self) -> float:
        """The log odds between prior and posterior, > 0."""
        return float(logit(self.posterior) - logit(self.prior))

    @property
    def spread(self) -> float:
        r"""The standard deviation at which a normal law meets it: s²/2 + z s = gain."""
        # The positive root in the form that does not cancel.
        z = self.deviations
        return 2 * self.gain / (z + math.sqrt(z * z + 2 * self.gain))

    @property
    def allowed(self) -> float:
        """Share of members that may pass it."""
        return float(ndtr(-self.deviations))


class Choice:
    """Sums of evidence of the first variants of an order, for every question."""

    def __init__(self, questions: Questions, limit: Limit) -> None:
        self._questions, self._limit = questions, limit
        self._laws = questions.laws(Lattice.of_deviation(limit.spread))
        self._moments = questions.moments()
        self._widest: tuple[float, dict[tuple[str, int], Laws]] | None = None

    def least_telling(self) -> tuple[Order, int]:
        """The order of which most variants keep the limit, and how many do."""
        tried = ((order, self.longest(order)) for order in self._orders())
        return max(tried, key=lambda attempt: attempt[1])

    def longest(self, order: Order) -> int:
        """How many variants from the order's beginning keep the limit."""

        def keeps(many: int) -> bool:
            numbers, limit = self._questions.kinds.numbers(order[:many]), self._limit
            beyond = (laws.total(numbers).beyond(limit.gain) for laws in self._laws.values())
            return all(each <= limit.allowed for each in beyond)

        return bisect_integers(keeps, 0, self._possible(order) + 1)

    def totals(self, which: Order) -> dict[tuple[str, int], Sum]:
        """The law of these variants' evidence about each question."""
        numbers = self._questions.kinds.numbers(which)
        return {name: law.total(numbers) for name, law in self._wide(which).items()}

    def powers(self, which: Order, fpr: float) -> dict[tuple[str, int], float]:
        """Share of those of whom each question's answer is yes that are recognised."""
        numbers = self._questions.kinds.numbers(which)
        return {name: law.power(numbers, fpr) for name, law in self._wide(which).items()}

    def answers(self, order: Order, number: int, fpr: float) -> tuple[Question, ...]:
        """Return the answers of the first variants of an order to the questions, and of all.

        Of each figure it is the largest of all cases of who is alike.
        """
        selected = order[:number]
        powers = [self.powers(which, fpr) for which in (selected, order)]
        totals, everything = self.totals(selected), self.totals(order)
        figures: dict[str, list[tuple[float, ...]]] = {}
        for each, total in totals.items():
            beyond, of_all = (sums.beyond(self._limit.gain) for sums in (total, everything[each]))
            row = powers[0][each], *self._beliefs(total, number), beyond, powers[1][each], of_all
            figures.setdefault(each[0], []).append(row)
        return tuple(
            Question(name, *map(max, zip(*rows, strict=True))) for name, rows in figures.items()
        )

    def course(self, order: Order, number: int) -> tuple[Course, ...]:
        """Beliefs of the question that is answered most easily, as variants are added."""
        end = min(max(_BEYOND * number, 10), len(order))
        course = []
        for stop in np.unique(np.linspace(0, end, _STEPS + 1).astype(int)).tolist():
            beliefs = [self._beliefs(total, stop) for total in self.totals(order[:stop]).values()]
            course.append(Course(stop, max(b[0] for b in beliefs), max(b[1] for b in beliefs)))
        return tuple(course)

    def _beliefs(self, total: Sum, number: int) -> tuple[float, float]:
        """Return the beliefs about the median member, and about one as unlucky as allowed for."""
        start = self._limit.prior
        if not number:
            return start, start
        median, unlucky = (
            float(expit(logit(start) + total.quantile(share)))
            for share in (0.5, self._limit.allowed)
        )
        return median, unlucky

    def _wide(self, which: Order) -> dict[tuple[str, int], Laws]:
        """Laws on a lattice that holds the sums of these variants."""
        mean, variance = self._moments[self._questions.kinds.of[which]].sum(axis=0)
        wide = math.sqrt(max(variance, 2 * mean, 0.0))
        if wide <= _FITS * self._limit.spread:
            return self._laws
        if self._widest is None or self._widest[0] != wide:
            self._widest = wide, self._questions.laws(Lattice.of_deviation(wide))
        return self._widest[1]

    def _possible(self, order: Order) -> int:
        """A length that no order within the limit passes; up to it, sums fit the lattice."""
        moments = np.cumsum(self._moments[self._questions.kinds.of[order]], axis=0)
        far = _FAR * self._limit.spread
        fits = (moments[:, 0] <= far + self._limit.gain) & (moments[:, 1] <= far * far)
        return int(np.count_nonzero(fits))

    def _orders(self) -> Iterator[Order]:
        """Orders by least evidence, for several tilts.

        The share that passes the limit c is about exp(Σ K(t) − t c), K(t) = log E exp(t L), at the
        tilt t of the choice. So the best choice of any number of variants is the first of them by
        K(t). For a normal law K(t) = t μ + t² v / 2 and t = z / √Σv. More evidence than c counts as
        c: it passes anyway.
        """
        limit, seen = self._limit, set[bytes]()
        for tilt in [_LEAST_TILT, *(_TILTS * limit.deviations / limit.spread).tolist()]:
            growths = self._questions.growths(max(tilt, _LEAST_TILT), limit.gain)
            order = np.argsort(growths[self._questions.kinds.of], kind="stable")
            if order.tobytes() not in seen:
                seen.add(order.tobytes())
                yield order


ORDERS = ("least", "file", "significance")
"""Orders that have a name."""
_STEPS = 40
"""Points of a chart of beliefs."""
_BEYOND = 3
"""How far the chart goes on after the number that is safe."""
_READING, _WORKED_OUT, _CHOSEN = 0.3, 0.8, 0.9
"""Fractions of the bar at which reading and pruning, the laws of evidence and the choice are done,
about as they share the time of 10,000 variants of 2,000 people."""
_PRIVATE = "# NOT FOR PUBLICATION: which variants were chosen tells of the study's genotypes.\n"


def safe_of_study(
    source: Source,
    groups: str,
    rounding: Rounding,
    requested: str | Path,
    limit: Limit,
    fpr: float,
    tell: Progress,
) -> SafeStudy:
    """Choose variants of a study, in the order "least", "file", "significance", or of a list."""
    wanted = read_names(requested) if isinstance(requested, Path) else None
    eligible = candidates(source, wanted, lambda share: tell(_READING * share))
    order, results = None, None  # by default those that tell least
    if wanted is not None:
        place = {name: index for index, name in enumerate(wanted)}
        order = np.argsort([place[name] for name in eligible.variants.identifier.tolist()])
    elif requested == "file":
        order = np.arange(len(eligible))
    elif requested == "significance":
        order = np.argsort(-np.nan_to_num(eligible.chi_squared, nan=-1.0), kind="stable")
        results = select_judged(order, rounding)
    worked_out = part(tell, _READING, _WORKED_OUT)
    choice = Choice(Questions(eligible, groups, rounding, results, worked_out), limit)
    if order is None:
        order, number = choice.least_telling()
    else:
        number = choice.longest(order if results is None else results)
    tell(_CHOSEN)
    questions = choice.answers(order, number, fpr)
    sizes = dict(zip(("cases", "controls"), eligible.sizes, strict=True))
    if groups == "everybody":
        sizes = {"everybody": sum(sizes.values())}
    elif groups != "both":
        sizes = {groups: sizes[groups]}
    tell(1.0)
    return SafeStudy(
        number,
        max(each.power for each in questions),
        sum(sizes.values()),
        limit.posterior,
        limit.prior,
        limit.deviations,
        fpr,
        course=choice.course(order, number),
        groups=sizes,
        **attrs.asdict(rounding),
        order="list" if wanted is not None else str(requested),
        questions=questions,
        unlinked=len(eligible),
        variants_left_out=eligible.left_out,
        reference=eligible.reference,
        pruned=eligible.pruned,
        filled=source.missing != "leave",
        chosen=tuple(eligible.variants.identifier[order[:number]].tolist()),
    )


def write_list(answer: SafeStudy, path: Path) -> None:
    """The names of the chosen variants, one a line; only its owner can read it.

    It is new, appears whole, and says in its first line if it is private.
    """
    with whole_file(path, private=True, new=True) as file:
        file.write(b"" if answer.choice_is_public else _PRIVATE.encode())
        file.writelines(f"{name}\n".encode() for name in answer.chosen)


DEVIATIONS = 2.0
"""Standard deviations of a member's evidence allowed for: 2 % of members give more away."""
_DECIMALS = 15
"""Decimals of a float, and significant digits."""


def safe(
    study: StudyPath | None = None,
    *,
    posterior: float,
    prior: float | tuple[float, float],
    pool: int | None = None,
    deviations: float = DEVIATIONS,
    fpr: float = 0.05,
    groups: str = "both",
    decimals: int | None = None,
    p_values: int | None = None,
    frequencies: bool = True,
    order: str | os.PathLike[str] | None = None,
    reference: StudyPath | None = None,
    prune: float = 0.1,
    phenotype: str | os.PathLike[str] | None = None,
    phenotype_name: str | None = None,
    missing: str = "refuse",
    multiallelic: str = "refuse",
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    out: str | os.PathLike[str] | None = None,
    page: str | os.PathLike[str] | None = None,
    effort: Effort | None = None,
    progress: Progress | None = None,
) -> SafeVariants:
    r"""Count, or choose, unlinked variants whose exact frequencies keep a posterior within a limit.

    Without a study: with m unlinked common variants of n people, a member's log likelihood ratio is
    about normal with mean s²/2 and standard deviation s, s² = m/n, for an attacker who knows the
    population's frequencies. It stays within the limit up to z standard deviations where

    .. math:: \frac{s^2}{2} + z s = \operatorname{logit} x - \operatorname{logit} p_0

    and m = n s².

    With a study the law of the ratio is worked out for its own variants: from each one's frequency
    in the population, the people in the group and the rounding, and convolved over the variants.
    At most the share Φ(−z) of the members pass the limit, on average over who takes part: with a
    reference over everybody who might, without one over who of the participants is a case and who
    has which allele, given how many have it. The frequency is known as far as counts tell it, of
    all variants together. Where both groups are published, three
    questions keep within it: is this person a case, is this person a control, and is this
    participant a case and no control, of which the last is answered most easily.

    Both are a measurement's theory about one attacker and no guarantee: relatives, linked variants
    and other sources tell more.

    Parameters
    ----------
    study : path, optional
        As of `scan`; the variants of a .tsv of counts are taken for unlinked.
    posterior : float
        The limit x, in (0, 1).
    prior : float or (float, float)
        The belief before p₀, in (0, 1); of a range, its upper end.
    pool : int
        Without a study: people n, >= 1; the theory wants 100 or more. A study says it by itself.
    deviations : float
        z, >= 0.
    fpr : float
        Share of strangers that may be taken for members, in (0, 1), for `power`.
    groups : {"both", "cases", "controls", "everybody"}
        Whose numbers are published; "both" is of each group by itself.
    decimals : int, optional
        Of published frequencies, 0 to 15; exact by default.
    p_values : int, optional
        Significant digits, 1 to 15, of p-values of the allelic test that are published, too.
    frequencies : bool
        Whether frequencies are published, or p-values only.
    order : "least", "file", "significance" or path, optional
        Which variants to publish first: those that tell least, so that most can be, which takes a
        reference and is the default with one; as they stand in the study's file, the default
        without; the significant ones; or those that a text file names first, one a line.
    reference : path, optional
        PLINK files of others of the same population: frequencies and linkage are taken from them,
        and the choice looks at nobody's genotype. By default from the study.
    prune : float
        r², in (0, 1], from which of two linked variants the later one is left out.
    phenotype, phenotype_name, multiallelic, filters, autosomes
        As of `scan`.
    missing : {"refuse", "major", "leave"}
        "leave" leaves missing calls out of their variant.
    out : path, optional
        A text file for the names of the chosen variants.
    page : path, optional
        A page .html with the chart and the figures.
    effort : Effort, optional
        The machines that count, as of `scan`; `memory` bounds how many variants are compared at
        once, too.
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Returns
    -------
    SafeVariants
        m rounded down; of a study a `SafeStudy`, for the owner.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, or does not go with the others.
    DataError
        If a file cannot be read, or no variant is left to choose from.
    InfeasibleTarget
        If the limit is not above the prior.
    NotApplicable
        If p-values are asked about of more people than are worked out.

    References
    ----------
    sankararaman-2009 (the law of the ratio); tramer-2015 (limits on beliefs).

    Examples
    --------
    >>> from deniable import gwas
    >>> answer = gwas.safe(pool=5000, posterior=0.75, prior=0.5)
    >>> answer.variants, round(answer.power, 3)
    (1197, 0.124)
    """
    if isinstance(prior, tuple | list):
        _, prior = validate.interval(*validate.pair(prior, "prior"), "prior")
    before, after, false_positives = (
        validate.open_probability(value, name)
        for value, name in ((prior, "prior"), (posterior, "posterior"), (fpr, "fpr"))
    )
    limit = Limit(before, after, validate.non_negative(deviations, "deviations"))
    if page is not None:
        pages.check_page(Path(page))
    if study is None:
        given: dict[str, object] = {"out": out, "reference": reference, "phenotype": phenotype}
        given |= {"filters": filters, "decimals": decimals, "p_values": p_values, "order": order}
        given["frequencies"] = None if frequencies else False
        _check_alone(pool, given)
        answer = _by_formula(pool, limit, false_positives)
    else:
        if out is not None:
            validate.new_file(Path(out))
        reading: dict[str, Any] = {"phenotype": phenotype, "phenotype_name": phenotype_name}
        reading |= {"multiallelic": multiallelic, "filters": filters, "autosomes": autosomes}
        others = None if reference is None else StudyFiles.of(reference)
        source = Source(StudyFiles.of(study), reading, missing, others, prune, effort)
        whose = validate.one_of(groups, GROUPS, "groups")
        rounding = _rounding(whose, decimals, p_values, frequencies)
        request = source, whose, rounding, _order(order, reference)
        answer = safe_of_study(*request, limit, false_positives, notebook_bar(progress) or silent)
        if pool is not None:
            _check_pool(pool, answer)
        if out is not None:
            write_list(answer, Path(out))
    if page is not None:
        pages.write_page(pages.page(answer), Path(page))
    return answer


def _order(order: str | os.PathLike[str] | None, reference: object) -> str | Path:
    if order is None:
        return "file" if reference is None else "least"
    if order == "least" and reference is None:
        raise InvalidArgument(
            "Expected a reference of others with order least, got none. Which variants seem to "
            "tell least is known from counts, and the study's own came out by chance: give "
            '`reference`, or take the order "file".'
        )
    return str(order) if order in ORDERS else Path(order)


def _check_alone(pool: object, given: dict[str, object]) -> None:
    """Refuse neither a study nor a pool, and what says something of a study's variants."""
    if pool is None:
        raise InvalidArgument(
            "Expected the files of a study or `pool`, got neither. Give `pool` to ask without data."
        )
    for name, value in given.items():
        if value is not None:
            raise InvalidArgument(
                f"Expected a study, whose variants `{name}` is about, got none. Give its files: "
                "the formula is about exact frequencies of one group."
            )


def _check_pool(pool: object, answer: SafeStudy) -> None:
    """Refuse a number of people beside a study that has another one."""
    if validate.integer(pool, "pool", least=1) not in (answer.pool, *answer.groups.values()):
        raise InvalidArgument(
            "Expected `pool` to be the people of the study or of one of its groups, got "
            f"{pool}. Leave it out: the study's files say how many there are."
        )


def _by_formula(pool: object, limit: Limit, fpr: float) -> SafeVariants:
    prior, posterior, z = limit.prior, limit.posterior, limit.deviations
    people = validate.integer(pool, "pool", least=1)
    variants = math.floor(people * limit.spread**2)
    course = []
    for number in np.unique(np.linspace(0, max(_BEYOND * variants, 10), _STEPS + 1).astype(int)):
        s = math.sqrt(number / people)
        known = float(logit(prior)) + s * s / 2
        course.append(Course(int(number), float(expit(known)), float(expit(known + z * s))))
    power = theoretical_power(variants, people, fpr)
    return SafeVariants(variants, power, people, posterior, prior, z, fpr, course=tuple(course))


def _rounding(
    groups: str, decimals: int | None, p_values: int | None, frequencies: bool
) -> Rounding:
    for given, what, least in ((decimals, "decimals", 0), (p_values, "p_values", 1)):
        if given is not None and validate.integer(given, what, least=least) > _DECIMALS:
            raise InvalidArgument(
                f"Expected {what} <= {_DECIMALS}, got {what}={given}. Leave it out for exact "
                "numbers."
            )
    if p_values is not None and groups != "both":
        raise InvalidArgument(
            f'Expected groups="both" with p-values, which compare the two, got "{groups}".'
        )
    if not frequencies and p_values is None:
        raise InvalidArgument(
            "Expected `p_values` where no frequencies are published, got none. Publish either."
        )
    return Rounding(decimals, p_values, frequencies)
