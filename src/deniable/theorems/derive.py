"""The strongest parameter that catalogued theorems give from one guarantee to another."""

import functools
import heapq
import inspect
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

import attrs

from deniable.errors import InvalidArgument, NoDerivation, NotApplicable, validate
from deniable.errors.late import late
from deniable.notions import (
    Adjacency,
    Adversary,
    ApproxDP,
    MaxPosterior,
    Notion,
    PrivacyLossTail,
    PureDP,
    Semantic,
    Side,
    TradeOffCurve,
    notation,
)
from deniable.notions.adversaries import BoundedPriors, OneOutOfPriors, SampledPriors
from deniable.notions.other_words import WORDS
from deniable.numerics.answer import CurveAnswer
from deniable.numerics.bound import Evidence
from deniable.numerics.rounding import least_within
from deniable.theorems._theorem import REFUSED, Theorem
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp

if TYPE_CHECKING:
    from deniable.theorems import catalogue
else:  # every theorem, those of guests, too: a guarantee that needs none is explained without
    catalogue = late("deniable.theorems.catalogue")

NOTIONS = frozenset(form.notion for form in notation.FORMS)
_LARGEST = 2.0**14
"""ε up to which one is searched that meets a given δ."""
_LIMITS: dict[type, str] = {ApproxDP: "delta", PrivacyLossTail: "exceedance"}

_TANGENTS = 16
"""Lines that touch a curve from one side where a polygon below it is wanted: 33 corners at most."""

HINTS: Mapping[str, str] = WORDS["hints"]
"""What a theorem's parameter is, and how it is said."""


class Lacking(Exception):
    """The question does not say what a theorem's parameter is to be."""


Known = Mapping[str, Sequence[Any]]


def known(given: Sequence[Notion], wanted: notation.Wish, family: Adversary | None) -> Known:
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
    # The ε that is wished for, and half of it where one exchange is two changes.
    wished = [wanted.fixed[x] for x in ("epsilon",) if x in wanted.fixed]
    epsilons = [*wished, *(each / 2 for each in wished if _needs_exchange(given, wanted))]
    adversaries = [
        *([family] if family is not None else []),
        *mentioned("adversary"),
        BoundedPriors(),
        *(OneOutOfPriors(each) for each in worlds),
        *(SampledPriors(each) for each in rates if 0 < each < 1),
    ]
    read_off = ("prior", "fpr", "order", "nonmembers", "households", "baseline")
    kinds = {wanted.form.notion, *(type(each) for each in given)}
    # Curves say more than the numbers do: of several guarantees, or at another ε.
    needs_curves = len(given) > 1 or TradeOffCurve in kinds
    if wanted.fixed.get("epsilon") is not None:
        needs_curves |= any(isinstance(each, PureDP | ApproxDP) for each in given)
    return {
        "adversary": _unique(adversaries),
        "worlds": _unique(worlds),
        "rate": _unique(rates),
        "side": list(Side),
        "epsilon": _unique(epsilons),
        "exchanged": [True] if _needs_exchange(given, wanted) else [],
        "exceedance": _unique([wanted.fixed[x] for x in ("exceedance",) if wanted.fixed.get(x)]),
        "delta": _unique([wanted.fixed[x] for x in ("delta",) if x in wanted.fixed]),
        **{name: _unique(mentioned(name)) for name in read_off},
        "candidates": _unique(mentioned("candidates")) or [None],
        "curves": [True] if needs_curves else [],
        "tangents": [_TANGENTS] if wanted.form.notion is TradeOffCurve else [],
    }


def _needs_exchange(given: Sequence[Notion], wanted: notation.Wish) -> bool:
    """Whether what is given is about one record more, and what is wished about an exchange."""
    single = any(getattr(each, "adjacency", None) is Adjacency.ADD_REMOVE for each in given)
    return single and wanted.fixed.get("adjacency") is Adjacency.REPLACE_ONE


@functools.cache
def premises(theorem: Theorem) -> int:
    """How many guarantees a theorem needs."""
    parameters = inspect.signature(theorem.implication).parameters.values()
    return sum(parameter.annotation in NOTIONS for parameter in parameters)


@functools.cache
def _parameters(theorem: Theorem) -> tuple[str, ...]:
    return tuple(inspect.signature(theorem.implication).parameters)


def arguments(
    theorem: Theorem, guarantees: Sequence[Notion], known: Known
) -> Iterator[dict[str, Any]]:
    """Every way to fill the theorem's other parameters; `Lacking` where there is none."""
    if theorem.conclusion is TradeOffCurve is not theorem.premise and known.get("curves") == []:
        raise Lacking(HINTS["tangents"])
    parameters = _parameters(theorem)[len(guarantees) :]
    others = [name for name in parameters if name != "epsilon"]
    choices = [known.get(name, ()) for name in others]
    for name, values in zip(others, choices, strict=True):
        if not values:
            raise Lacking(HINTS.get(name, name))
    for row in itertools.product(*choices):
        given = dict(zip(others, row, strict=True))
        if others == list(parameters):
            yield given
            continue
        try:
            solved = [*_solve(theorem, guarantees, known, given)]
        except NotApplicable:  # the theorem says why, whatever ε is
            solved = [1.0]
        if not (epsilons := [*known.get("epsilon", ()), *solved]):
            raise Lacking(HINTS.get("epsilon", "epsilon"))
        yield from ({"epsilon": each, **given} for each in epsilons)


def _solve(
    theorem: Theorem, guarantees: Sequence[Notion], known: Known, given: Mapping[str, Any]
) -> Iterator[float]:
    """The least ε at which a curve stays within the δ, or the exceedance, that was asked for.

    `given` are the theorem's other parameters.
    """
    name = _LIMITS.get(theorem.conclusion, "")
    changes = [False, *known.get("exchanged", ())]
    for limit, exchanged in itertools.product(known.get(name, ()), changes):

        def value(epsilon: float, exchanged: bool = exchanged) -> float:
            conclusion = theorem.implication(*guarantees, epsilon=epsilon, **given)
            if exchanged and isinstance(conclusion, ApproxDP):
                if conclusion.adjacency is not Adjacency.ADD_REMOVE:
                    return math.inf
                conclusion = add_remove_approx_dp_to_replace_one_approx_dp(conclusion)
            return float(getattr(conclusion, name))

        low, high = 0.0, 1.0
        while not value(high) <= limit and high < _LARGEST:
            low, high = high, 2 * high
        if high < _LARGEST or value(high) <= limit:
            yield least_within(value, limit, low, high)


def _unique(values: Sequence[Any]) -> list[Any]:
    return [value for index, value in enumerate(values) if value not in values[:index]]


_LONGEST = 12
"""Theorems in one chain at most: a search in circles ends."""
_MOST_REFUSALS = 3
"""Labels that a refusal offers."""


@attrs.frozen(eq=False)
class Node:
    """A guarantee that holds, and the theorem that gave it."""

    notion: Notion
    parents: tuple["Node", ...] = ()
    theorem: Theorem | None = None

    @property
    def length(self) -> int:
        """Theorems on the way."""
        return 1 + max(parent.length for parent in self.parents) if self.parents else 0

    def ancestry(self) -> list["Node"]:
        """Everything that the guarantee rests on, in order, itself last."""
        ancestors: list[Node] = []
        for parent in self.parents:
            ancestors += [each for each in parent.ancestry() if each not in ancestors]
        return [*ancestors, self]


def claims(notion: Notion) -> tuple[float, ...]:
    """The numbers of a notion, so that smaller ones are stronger."""
    form = notation.form_of(type(notion))
    return tuple(form.weakness(name, getattr(notion, name)) for name in form.claims)


def _reading(notion: Notion) -> tuple[Any, ...]:
    """Everything else: what the numbers are claimed of."""
    form = notation.form_of(type(notion))
    claimed = (*form.claims, form.rows)
    rest = [getattr(notion, name) for name in form.fields if name not in claimed]
    return (type(notion), *rest)


def _as_strong(one: Notion, other: Notion) -> bool:
    if isinstance(one, TradeOffCurve) and isinstance(other, TradeOffCurve):
        return one.is_above(other)
    return all(x <= y for x, y in zip(claims(one), claims(other), strict=True))


_ROUNDING = Fraction(1, 10**12)
"""The most by which curves differ that are one curve, rounded in two ways."""


def _says_as_much(one: Notion, other: Notion) -> bool:
    """Whether the other adds nothing; to a curve not what rounding may have moved."""
    if isinstance(one, TradeOffCurve) and isinstance(other, TradeOffCurve):
        return one.is_above(other, _ROUNDING)
    return _as_strong(one, other)


class Search:
    """All that follows from given guarantees; `reasons` says why a theorem did not apply."""

    def __init__(self, catalogue: Sequence[Theorem], known: Known) -> None:
        self._catalogue = catalogue
        self._known = known
        self._kept: dict[tuple[Any, ...], list[Node]] = defaultdict(list)
        self._queue: list[tuple[int, int, Node]] = []
        self._count = itertools.count()
        self._reasons: dict[tuple[type, str], dict[str, None]] = defaultdict(dict)

    def run(self, given: Sequence[Notion]) -> None:
        """Apply every theorem until nothing stronger appears."""
        for notion in given:
            self._keep(Node(notion))
        while self._queue:
            _, _, node = heapq.heappop(self._queue)
            if node in self._kept[_reading(node.notion)] and node.length < _LONGEST:
                for theorem in self._catalogue:
                    if theorem.premise is type(node.notion) and premises(theorem):
                        self._apply(theorem, node)

    def nodes(self, notion: type) -> Iterator[Node]:
        """The strongest guarantees of a kind, one or more a reading."""
        for reading, nodes in self._kept.items():
            if reading[0] is notion:
                yield from nodes

    def nearest(self, wanted: notation.Wish) -> str:
        """The reachable notions closest to what is wanted, and what keeps them from it."""
        steps = self._steps_to(wanted.form.notion)
        far = len(steps) + 1
        kinds = {reading[0] for reading, nodes in self._kept.items() if nodes}
        shortest = min(steps.get(kind, far) for kind in kinds)
        if shortest == far:
            return f"No theorem leads to {wanted.form.word} from there."
        near = [kind for kind in kinds if steps.get(kind, far) == shortest]
        specs = sorted({node.notion.spec for kind in near for node in self.nodes(kind)})
        text = f"Nearest: {', '.join(specs[:_MOST_REFUSALS])}."
        if not shortest:
            return f"{text} Missing: {self._short_of(wanted)}."
        closer = {kind for kind, distance in steps.items() if distance < shortest}
        return f"{text} Missing: {'; '.join(self._refusals(set(near), closer))}."

    def reachable_word(self, wanted: notation.Wish) -> str | None:
        """A kind of notion that does follow, where none of the wanted kind can."""
        steps = self._steps_to(wanted.form.notion)
        reached = [reading[0] for reading, nodes in self._kept.items() if nodes]
        if any(kind in steps for kind in reached):
            return None
        return next((notation.form_of(kind).word for kind in reached[1:]), None)

    def _refusals(self, sources: set[type], targets: set[type]) -> list[str]:
        """Why theorems from the one to the other did not apply."""
        return [
            f"{theorem.name} ({reason})"
            for theorem in self._catalogue
            if theorem.premise in sources and theorem.conclusion in targets
            for reason in self._reasons[theorem.premise, theorem.name]
        ][:_MOST_REFUSALS]

    def _short_of(self, wanted: notation.Wish) -> str:
        claimed = (*wanted.form.claims, wanted.form.rows)
        readings = {x: y for x, y in wanted.fixed.items() if x not in claimed}
        notions = [node.notion for node in self.nodes(wanted.form.notion)]
        for name, value in readings.items():
            notions = [notion for notion in notions if getattr(notion, name) == value]
            if not notions:
                kinds = {reading[0] for reading, nodes in self._kept.items() if nodes}
                refusals = self._refusals(kinds - {wanted.form.notion}, {wanted.form.notion})
                return "; ".join([f"a guarantee with {name} {value}", *refusals])
        return "what was asked is stronger than what follows"

    def _apply(self, theorem: Theorem, node: Node) -> None:
        if theorem.evidence is Evidence.ESTIMATE:
            self._refuse(theorem, "an estimate, which proves nothing")
            return
        for parents in self._together(theorem, node):
            guarantees = [parent.notion for parent in parents]
            try:
                for row in arguments(theorem, guarantees, self._known):
                    self._try(theorem, parents, row)
            except Lacking as error:
                self._refuse(theorem, f"needs {error}")
            except NotApplicable as error:
                self._refuse(theorem, str(error))

    def _together(self, theorem: Theorem, node: Node) -> Iterator[tuple[Node, ...]]:
        if premises(theorem) == 1:
            yield (node,)
            return
        for other in list(self.nodes(type(node.notion))):
            yield from dict.fromkeys([(other, node), (node, other)])

    def _try(self, theorem: Theorem, parents: tuple[Node, ...], row: dict[str, Any]) -> None:
        try:
            notion = theorem.implication(*(parent.notion for parent in parents), **row)
        except NotApplicable as error:
            self._refuse(theorem, str(error))
            return
        if any(math.isinf(claim) for claim in claims(notion)):
            self._refuse(theorem, "gives no bound there")
            return
        self._keep(Node(notion, parents, theorem))

    def _refuse(self, theorem: Theorem, reason: str) -> None:
        self._reasons[theorem.premise, theorem.name][reason.rstrip(".")] = None

    def _keep(self, node: Node) -> None:
        notion = node.notion
        if isinstance(notion, PureDP | ApproxDP | Semantic) and notion.records is not None:
            # As much may be known of data of every size.
            wide = self._kept.get(_reading(attrs.evolve(notion, records=None)), [])
            if any(_as_strong(other.notion, notion) for other in wide):
                return
        kept = self._kept[_reading(notion)]
        if any(_says_as_much(other.notion, notion) for other in kept):
            return
        kept[:] = [
            other
            for other in kept
            if not (_says_as_much if other.parents else _as_strong)(notion, other.notion)
        ]
        kept.append(node)
        heapq.heappush(self._queue, (node.length, next(self._count), node))

    def _steps_to(self, notion: type) -> dict[type, int]:
        """How many theorems each kind of notion is away, were they all to apply."""
        steps, edge = {notion: 0}, [notion]
        while edge:
            edge = [
                theorem.premise
                for theorem in self._catalogue
                if theorem.conclusion in edge and theorem.premise not in steps
            ]
            for kind in edge:
                steps[kind] = 1 + min(
                    steps[theorem.conclusion]
                    for theorem in self._catalogue
                    if theorem.premise is kind and theorem.conclusion in steps
                )
        return steps


WEAKENING = "the same, but weaker"


@attrs.frozen
class Link:
    """One step: the guarantees of `sources` give `target` by a theorem."""

    sources: tuple[Notion, ...]
    target: Notion
    theorem: str

    def as_json(self) -> dict[str, str]:
        """The object of a chain."""
        sources = " and ".join(each.spec for each in self.sources)
        return {"from": sources, "to": self.target.spec, "theorem": self.theorem}


N = TypeVar("N", bound=Notion)
"""What a derivation ends in; `Any` where that is written as a text."""


@attrs.frozen(repr=False)
class Derivation(CurveAnswer, Generic[N]):
    """A guarantee that follows from given ones, and the chain of theorems that shows it."""

    given: tuple[Notion, ...]
    target: N
    chain: tuple[Link, ...]

    @property
    def form(self) -> notation.Form:
        """How what follows is written."""
        return notation.form_of(type(self.target))

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers of what follows by their names, those aside that say nothing."""
        optional = self.form.numbers[self.form.required :]
        names = (*self.form.numbers, *filter(None, [self.form.rows]))
        numbers = {name: getattr(self.target, name) for name in names}
        return {name: value for name, value in numbers.items() if value or name not in optional}

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        form = self.form
        answer: dict[str, Any] = {
            "notion": form.word,
            "parameters": self.parameters,
            "spec": self.target.spec,
        }
        for label in ("adjacency", "setting", "side", "independent", "every_parent_set"):
            if hasattr(self.target, label):
                value = getattr(self.target, label)
                answer[label] = value if isinstance(value, bool) else str(value)
        records = getattr(self.target, "records", None)
        if records is not None and "records" not in form.numbers:
            answer["records"] = records
        candidates = getattr(self.target, "candidates", None)
        if candidates is not None:
            answer["candidates"] = candidates
        adversary = getattr(self.target, "adversary", None)
        if isinstance(adversary, BoundedPriors):
            answer["prior"] = [adversary.low, adversary.high]
        if isinstance(self.target, MaxPosterior):
            answer["prior"] = [0.0, self.target.prior]
        return {
            "from": [each.spec for each in self.given],
            "to": answer,
            "chain": [link.as_json() for link in self.chain],
            "about": "one and the same release",
        }


Given: TypeAlias = str | Notion | Sequence[str | Notion]


@overload
def derive(
    given: Given, target: str, *, prior: tuple[float, float] | None = None
) -> Derivation[Any]: ...


@overload
def derive(
    given: Given, target: N | type[N], *, prior: tuple[float, float] | None = None
) -> Derivation[N]: ...


def derive(
    given: Given, target: str | Notion | type[Any], *, prior: tuple[float, float] | None = None
) -> Derivation[Any]:
    """Return the strongest guarantee of a kind that follows from given ones, and why.

    Parameters
    ----------
    given : str, notion, or several
        What holds, as a value or written like ``pure-dp:1.0@add-remove``. Several are all true of
        *one and the same* release, so that the strongest may be used; the guarantees of several
        releases are added up by `compose`.
    target : str, notion or class
        What is wanted. With all its numbers it is one statement, which must follow. Numbers that
        are left out, or ``?``, are found; without a word after ``@`` likelihood notions then mean
        replace-one, and of the others the strongest reading is returned. A class, such as
        `PureDP`, leaves all of its numbers out, and type checkers know what is found.
    prior : (float, float), optional
        The ends [a, b] of beliefs for membership notions on either side; any belief by default,
        or whichever family is reachable.

    Returns
    -------
    Derivation
        The target, with its numbers rounded to the safe side, and the chain of theorems.

    Raises
    ------
    InvalidArgument
        If a notion is written wrong.
    NoDerivation
        If no chain leads there; the message names the nearest reachable notions and what is
        missing. Theorems that hold only approximately are never used.

    Examples
    --------
    >>> answer = derive("pure-dp:0.5@add-remove", "positive-membership", prior=(0.5, 0.5))
    >>> round(answer.target.gamma, 6)
    1.324361
    """
    family = None if prior is None else BoundedPriors(*validate.pair(prior, "prior"))
    several = notation.listed(given)
    if isinstance(target, type):
        target = notation.form_of(target).word
    try:
        sources = notation.read_all(several, family)
        if not sources:
            raise InvalidArgument("Expected a guarantee to derive from, got none.")
        wanted = (
            notation.wish(target, family)
            if isinstance(target, str)
            else notation.exactly(notation.read(target, family))
        )
    except InvalidArgument as error:
        if error.instead is not None:
            mended = dict([error.instead, *error.besides])
            error.besides += _other_mistakes(several, target, prior, mended)
        raise
    search = Search(catalogue.CATALOGUE, known(sources, wanted, family))
    search.run(sources)
    best = _best(search, wanted)
    if best is None:
        spec = target if isinstance(target, str) else target.spec
        other = _answerable(sources, spec, wanted, family) or search.reachable_word(wanted)
        advice = "" if other is None else f" Write {other}."
        advice += "".join(f" Left out: {each}" for each in REFUSED.values())
        raise NoDerivation(
            f"Expected a chain of theorems from {' and '.join(each.spec for each in sources)} to "
            f"{spec}, got none. {search.nearest(wanted)}{advice}",
            instead=None if other is None else (spec, other),
        )
    return _answer(sources, best, wanted)


def _other_mistakes(
    given: list[Any],
    target: str | Notion,
    prior: tuple[float, float] | None,
    mended: Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    """What is wrong once these mistakes are mended, and what to write in its place."""
    right = [mended.get(each, each) if isinstance(each, str) else each for each in given]
    wanted = mended.get(target, target) if isinstance(target, str) else target
    if right == given and wanted == target:
        return ()
    try:
        derive(right, wanted, prior=prior)
    except (InvalidArgument, NoDerivation) as error:
        if error.instead is not None and error.instead[0] not in mended:
            return error.instead, *error.besides
    return ()


_TAIL = 100
"""The exceedance that an example states, in units of δ: as `explain` does."""
_RARELY = 1e-6
"""The same where there is no δ."""


def _answerable(
    sources: Sequence[Notion], spec: str, wanted: notation.Wish, family: Adversary | None
) -> str | None:
    """A wish for the same kind of notion, by example where numbers are missing, with an answer."""
    words = spec.split("@")[1:]
    if "prior" in wanted.form.fields and "prior" not in wanted.fixed:
        words = [*words, "0-0.1"]
    likely = max((getattr(each, "delta", 0.0) for each in sources), default=0.0)
    rarely = float(f"{_TAIL * likely:.3g}") if 0 < _TAIL * likely < 1 else _RARELY
    form = wanted.form
    for each in (
        "@".join([form.word, *words]),
        notation.example_wish(form, words),
        notation.example_wish(form, words, rarely),
    ):
        other = notation.wish(each, family)
        search = Search(catalogue.CATALOGUE, known(sources, other, family))
        search.run(sources)
        if each != spec and _best(search, other) is not None:
            return each
    return None


def _best(search: Search, wanted: notation.Wish) -> Node | None:
    """Return the strongest of what is reachable and at least as strong as wanted."""
    free = [name for name in wanted.form.claims if name not in wanted.fixed]

    def rank(node: Node) -> tuple[int, list[float], int]:
        notion = node.notion
        odd = sum(getattr(notion, name) != usual for name, usual in wanted.preferred.items())
        numbers = [
            wanted.form.weakness(name, getattr(notion, name)) for name in free or wanted.form.claims
        ]
        if isinstance(notion, TradeOffCurve):
            numbers = [-float(notion.area)]
        return odd, numbers, node.length

    enough = (node for node in search.nodes(wanted.form.notion) if _meets(node.notion, wanted))
    return min(enough, key=rank, default=None)


def _meets(notion: Notion, wanted: notation.Wish) -> bool:
    fixed = dict(wanted.fixed)
    points = fixed.pop(wanted.form.rows, None)
    if points is not None and not _as_strong(notion, attrs.evolve(notion, points=points)):
        return False
    for name, value in fixed.items():
        derived, weakness = getattr(notion, name), wanted.form.weakness
        if name in wanted.form.claims:
            if not weakness(name, derived) <= weakness(name, value):
                return False
        elif derived != value and not (name == "records" and derived is None):
            return False  # data of every size are data of each
    return True


def _answer(sources: tuple[Notion, ...], best: Node, wanted: notation.Wish) -> Derivation[Any]:
    chain = [
        Link(tuple(parent.notion for parent in node.parents), node.notion, node.theorem.title)
        for node in best.ancestry()
        if node.theorem is not None
    ]
    stated = {
        name: wanted.fixed[name]
        for name in (*wanted.form.claims, wanted.form.rows, "records")
        if name in wanted.fixed
    }
    final = attrs.evolve(best.notion, **stated)
    if final != best.notion:
        chain.append(Link((best.notion,), final, WEAKENING))
    return Derivation(sources, final, tuple(chain))
