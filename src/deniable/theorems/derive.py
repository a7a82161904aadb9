"""From one guarantee to another: the strongest parameter that catalogued theorems give."""

from collections.abc import Sequence
from typing import Any, cast

import attrs

from deniable.errors import InvalidArgument, NoDerivation, validate
from deniable.notions import MaxPosterior, Notion
from deniable.notions.notation import Wish, exactly, form_of, parse, wish
from deniable.numerics.answer import Answer
from deniable.priors import BoundedPriors
from deniable.theorems._arguments import known
from deniable.theorems._search import Node, Search
from deniable.theorems.catalogue import CATALOGUE

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


@attrs.frozen(repr=False)
class Derivation(Answer):
    """A guarantee that follows from given ones, and the chain of theorems that shows it."""

    given: tuple[Notion, ...]
    target: Notion
    chain: tuple[Link, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        form = form_of(type(self.target))
        optional = form.numbers[form.required :]
        parameters = {name: getattr(self.target, name) for name in form.numbers}
        answer: dict[str, Any] = {
            "notion": form.word,
            "parameters": {x: y for x, y in parameters.items() if y or x not in optional},
            "spec": self.target.spec,
        }
        for label in ("adjacency", "setting", "side", "independent", "every_parent_set"):
            if hasattr(self.target, label):
                value = getattr(self.target, label)
                answer[label] = value if isinstance(value, bool) else str(value)
        records = getattr(self.target, "records", None)
        if records is not None and "records" not in form.numbers:
            answer["records"] = records
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


def derive(
    given: str | Notion | Sequence[str | Notion],
    target: str | Notion,
    *,
    prior: tuple[float, float] | None = None,
) -> Derivation:
    """The strongest guarantee of a kind that follows from given ones, and why.

    Parameters
    ----------
    given : str, notion, or several
        What holds, as a value or written like ``pure-dp:1.0@add-remove``. Several are all true of
        *one and the same* release, so that the strongest may be used; the guarantees of several
        releases are added up by `compose`.
    target : str or notion
        What is wanted. With all its numbers it is one statement, which must follow. Numbers that
        are left out, or ``?``, are found; without a word after ``@`` likelihood notions then mean
        replace-one, and of the others the strongest reading is returned.
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
    >>> found = derive("pure-dp:0.5@add-remove", "positive-membership", prior=(0.5, 0.5))
    >>> round(found.target.gamma, 6)
    1.324361
    """
    family = None if prior is None else BoundedPriors(*validate.pair(prior, "prior"))
    listed: list[str | Notion] = (
        list(given) if isinstance(given, list | tuple) else [cast(str | Notion, given)]
    )
    sources = tuple(parse(each, family) if isinstance(each, str) else each for each in listed)
    if not sources:
        raise InvalidArgument("Expected a guarantee to derive from, got none.")
    wanted = wish(target, family) if isinstance(target, str) else exactly(target)
    search = Search(CATALOGUE, known(sources, wanted, family))
    search.run(sources)
    best = _best(search, wanted)
    if best is None:
        spec = target if isinstance(target, str) else target.spec
        raise NoDerivation(
            f"Expected a chain of theorems from {' and '.join(each.spec for each in sources)} to "
            f"{spec}, got none. {search.nearest(wanted)}"
        )
    return _answer(sources, best, wanted)


def _best(search: Search, wanted: Wish) -> Node | None:
    """Of what is reachable and at least as strong as wanted, the strongest."""
    free = [name for name in wanted.form.claims if name not in wanted.fixed]

    def rank(node: Node) -> tuple[int, list[float], int]:
        notion = node.notion
        odd = sum(getattr(notion, name) != usual for name, usual in wanted.preferred.items())
        numbers = [
            wanted.form.weakness(name, getattr(notion, name)) for name in free or wanted.form.claims
        ]
        return odd, numbers, node.length

    enough = (node for node in search.nodes(wanted.form.notion) if _meets(node.notion, wanted))
    return min(enough, key=rank, default=None)


def _meets(notion: Notion, wanted: Wish) -> bool:
    return all(
        _enough(name, getattr(notion, name), value, wanted) for name, value in wanted.fixed.items()
    )


def _enough(name: str, derived: Any, wanted_value: Any, wanted: Wish) -> bool:
    """Smaller claims are stronger, or larger ones; data of every size are data of each."""
    if name in wanted.form.claims:
        return bool(wanted.form.weakness(name, derived) <= wanted.form.weakness(name, wanted_value))
    return bool(derived == wanted_value) or (name == "records" and derived is None)


def _answer(sources: tuple[Notion, ...], best: Node, wanted: Wish) -> Derivation:
    chain = [
        Link(tuple(parent.notion for parent in node.parents), node.notion, node.theorem.title)
        for node in best.ancestry()
        if node.theorem is not None
    ]
    stated = {
        name: wanted.fixed[name]
        for name in (*wanted.form.claims, "records")
        if name in wanted.fixed
    }
    final = attrs.evolve(best.notion, **stated)
    if final != best.notion:
        chain.append(Link((best.notion,), final, WEAKENING))
    return Derivation(sources, final, tuple(chain))
