"""Best-first search over guarantees: short chains first, only what is stronger is kept."""

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, Notion, PureDP, Semantic
from deniable.notions.notation import Wish, form_of
from deniable.numerics.bound import Evidence
from deniable.theorems._arguments import Known, Lacking, arguments, premises
from deniable.theorems._theorem import Theorem

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
    form = form_of(type(notion))
    return tuple(form.weakness(name, getattr(notion, name)) for name in form.claims)


def _reading(notion: Notion) -> tuple[Any, ...]:
    """Everything else: what the numbers are claimed of."""
    form = form_of(type(notion))
    rest = [getattr(notion, name) for name in form.fields if name not in form.claims]
    return (type(notion), *rest)


def _as_strong(one: Notion, other: Notion) -> bool:
    return all(x <= y for x, y in zip(claims(one), claims(other), strict=True))


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

    def nearest(self, wanted: Wish) -> str:
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

    def _refusals(self, sources: set[type], targets: set[type]) -> list[str]:
        """Why theorems from the one to the other did not apply."""
        return [
            f"{theorem.name} ({reason})"
            for theorem in self._catalogue
            if theorem.premise in sources and theorem.conclusion in targets
            for reason in self._reasons[theorem.premise, theorem.name]
        ][:_MOST_REFUSALS]

    def _short_of(self, wanted: Wish) -> str:
        readings = {x: y for x, y in wanted.fixed.items() if x not in wanted.form.claims}
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
            yield from {(node, other), (other, node)}

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
        if self._is_covered(node.notion):
            return
        kept = self._kept[_reading(node.notion)]
        if any(_as_strong(other.notion, node.notion) for other in kept):
            return
        kept[:] = [other for other in kept if not _as_strong(node.notion, other.notion)]
        kept.append(node)
        heapq.heappush(self._queue, (node.length, next(self._count), node))

    def _is_covered(self, notion: Notion) -> bool:
        """Whether as much is known of data of every size."""
        if not isinstance(notion, PureDP | ApproxDP | Semantic) or notion.records is None:
            return False
        wide = self._kept.get(_reading(attrs.evolve(notion, records=None)), [])
        return any(_as_strong(other.notion, notion) for other in wide)

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
