"""Tables judged beside earlier editions, over every way in which their lists can have changed.

Lists that no table connects are judged apart: what is published of one says nothing of the other.
Each way in which connected lists can have changed is judged by itself, and the answer has the
extremes over all ways that the published numbers allow.
"""

import functools
import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InconsistentTables, NotApplicable, PlanError, validate
from deniable.rules.book.change import MOST_WAYS, Division, ListedPeople, divisions, too_many
from deniable.rules.book.merging import merge
from deniable.rules.book.record import BookPlace, show
from deniable.rules.feasible import hull
from deniable.rules.files import RulesFile, read_rules
from deniable.rules.joint import METHODS, Extremum
from deniable.rules.judgement import (
    Certain,
    EditionBelief,
    FeasibleCell,
    MemberBelief,
    RevealedDifference,
    Rules,
    TablesJudgement,
    judge_cells,
    read_published,
)
from deniable.rules.numbers import Number, at_most, larger, smaller
from deniable.rules.reasons import verdict
from deniable.rules.related import has_cell_keys
from deniable.rules.relations import Connected
from deniable.rules.steps import HIDDEN
from deniable.rules.tables import PublishedCell, Source, list_words
from deniable.rules.worlds import Sample

THIS = "this edition"  # What a new list is named by where an earlier one has its name
CHANGES = (
    "Whether a person is counted stays as it was while the person is listed. Who left and who "
    "joined may be known to the attacker: beliefs are the extremes over all ways in which the "
    "lists can have changed. Nobody moves from one list to another, unless members are named."
)
WITH_BOOK = (
    "Earlier editions are those of the book. A publication about these people that it does not "
    "hold was not judged."
)
HIDING = (
    "The cells to hide are judged as left out whatever their counts. If you hide such cells only "
    "where their numbers would reveal something, their absence tells that too: leave them out of "
    "later editions as well."
)
_MOST_TRIALS = 300  # Sets of cells tried for hiding: each is one more judgement
_MOST_HIDDEN = 3  # Cells of connected lists that are hidden together


@attrs.frozen
class _Way:
    """Lists that do not follow one another; `labels` has the lists that each group is on."""

    lists: tuple[ListedPeople, ...]
    labels: Mapping[str, tuple[str, ...]]


@attrs.frozen
class _Part:
    """Lists that tables connect, with what was published of them and how they can have changed."""

    rules: RulesFile
    earlier: tuple[PublishedCell, ...]
    new: tuple[PublishedCell, ...]
    ways: tuple[_Way, ...]
    threshold: int


# What is believed about people before: by their lists among those of earlier tables.
_Before = Mapping[tuple[str, ...], tuple[Number, Number]]


def judge(
    rules: Rules, *tables: Source, threshold: int = 10, book: BookPlace | None = None
) -> TablesJudgement:
    """Return what anyone can infer from published tables, all of them together.

    Parameters
    ----------
    rules : path, mapping or RulesFile
        Lists, tables, what was done to every count, and who is feared: a file of rules, or what
        it would hold.
    tables : path or mapping
        The tables, in the order of the file's [[table]] or by its names: a CSV file with names of
        lists and what was published, a grid of them, or a mapping.
    threshold : int
        Two published sets that differ in no more people are reported.
    book : str or path, optional
        A book of earlier editions about the same people, judged together with these tables. They
        are not entered: see `deniable.rules.book.add`.

    Returns
    -------
    TablesJudgement
        What each count may be, who is in or out for certain, and beliefs about everybody.

    Raises
    ------
    PlanError
        If the file of rules is wrong.
    DataError
        If a table cannot be read, or is not of the lists.
    InconsistentTables
        If the rules cannot have made the tables.

    Examples
    --------
    >>> import deniable
    >>> rules = {
    ...     "list": [{"name": "a", "size": 6}, {"name": "b", "size": 6}],
    ...     "table": [{"lists": ["a", "b"], "total": "independent"}],
    ...     "rule": {"steps": [{"round": 5}]},
    ...     "adversary": {"prior": [0.5, 0.5]},
    ... }
    >>> answer = deniable.rules.judge(rules, {"a": 5, "b": 5, "total": 10})
    >>> answer.worst.highest.upper
    Fraction(271, 382)
    """
    threshold = validate.integer(threshold, "threshold", least=1)
    rules = rules if isinstance(rules, RulesFile) else read_rules(rules)
    if rules.values is not None:
        raise NotApplicable("Expected counts, got [values] of contributors. Use judge_values.")
    rules, cells, read_as, conditions = read_published(rules, tables)
    newest = frozenset(each.name for each in rules.lists if each.follows)
    if book is None and not newest:
        return judge_cells(rules, cells, threshold, read_as, conditions)
    if rules.adversary is None:
        raise PlanError(
            "Expected an attacker where editions are judged, got none. Add [adversary] prior."
        )
    earlier: tuple[PublishedCell, ...] = ()
    if book is not None:
        before = [(each.name, each.rules, each.cells) for each in show(book).editions]
        merged = merge(before, (THIS, rules, cells))
        newest = merged.newest
        first_new = len(merged.cells) - len(cells)
        earlier, cells = tuple(merged.cells[:first_new]), merged.cells[first_new:]
        rules = attrs.evolve(rules, lists=tuple(merged.lists.values()), tables=tuple(merged.tables))
    parts = list(_parts(rules, earlier, tuple(cells), threshold))
    answers, hide = [], []
    for part in parts:
        befores = [_before(part, way) for way in part.ways] if book is not None else None
        answer = _judge_part(part, befores, newest)
        answers.append(answer)
        if answer.is_refused and befores is not None:
            hide.append(_to_hide(part, befores, newest))
    added = [CHANGES]
    if book is not None:
        added += [WITH_BOOK, *([HIDING] if hide else [])]
    first = answers[0]
    joined: dict[str, Any] = {
        field: tuple(itertools.chain(*(getattr(each, field) for each in answers)))
        for field in ("feasible", "certain", "beliefs", "differences", "editions")
    }
    return attrs.evolve(
        first,
        **joined,
        assumes=(*dict.fromkeys(itertools.chain(*(each.assumes for each in answers), added)),),
        read_as=read_as,
        hide=tuple(cell for some in hide for cell in some or ()) if hide and all(hide) else None,
    )


def _parts(
    rules: RulesFile,
    earlier: tuple[PublishedCell, ...],
    new: tuple[PublishedCell, ...],
    threshold: int,
) -> Iterator[_Part]:
    """Yield lists that tables connect; those that changed in one way only are judged together."""
    by_name = {each.name: each for each in rules.lists}
    families = _families(by_name)
    find = _connect(rules, families, (*earlier, *new))
    ways = {id(family): divisions(family) for family in families}
    numbers: dict[Hashable, int] = {}
    for family in families:
        place = find(family[0].name)
        numbers[place] = numbers.get(place, 1) * len(ways[id(family)])
        if numbers[place] > MOST_WAYS:
            raise too_many(family[-1].name)
    groups: dict[Hashable, list[str]] = {}
    for name in by_name:
        place = find(name)
        groups.setdefault(place if numbers.get(place, 1) > 1 else "", []).append(name)
    for names in groups.values():
        inside = set(names)
        some = [family for family in families if family[0].name in inside]
        cells = [tuple(cell for cell in each if cell.lists[0] in inside) for each in (earlier, new)]
        if not any(cells):
            continue
        lists = [by_name[name] for name in names]
        tables = {cell.table for each in cells for cell in each}
        yield _Part(
            attrs.evolve(rules, tables=tuple(t for t in rules.tables if t.name in tables)),
            cells[0],
            cells[1],
            tuple(
                _way(lists, choice)
                for choice in itertools.product(*(ways[id(family)] for family in some))
            ),
            threshold,
        )


def _connect(
    rules: RulesFile, families: Sequence[Sequence[ListedPeople]], cells: Sequence[PublishedCell]
) -> Callable[[str], Hashable]:
    """Return what names the group of lists that families and tables connect, for each list."""
    groups, lists, tables = Connected(), rules.lists, rules.tables
    connected = [
        *([each.name, *each.parts] for each in lists),
        *([each.name for each in family] for family in families),
        [each.name for each in lists if each.members],
        *(cell.lists for cell in cells),
        *(table.lists for table in tables if table.secondary),
    ]
    keyed = [has_cell_keys(table.rule or rules.rule) for table in tables]
    if isinstance(rules.adversary, Sample) or any(keyed):
        connected.append([each.name for each in lists])
    for names in connected:
        if names:
            groups.connect(*names)
    return groups.root


def _families(by_name: Mapping[str, ListedPeople]) -> list[list[ListedPeople]]:
    """Lists that follow one another, each after the one that it follows."""
    families: dict[str, list[ListedPeople]] = {}
    of: dict[str, str] = {}
    waiting = [each for each in by_name.values() if each.follows]
    while waiting:
        later = []
        for each in waiting:
            follows = str(each.follows)
            first = by_name.get(follows)
            if first is None or first.members or first.parts:
                raise PlanError(
                    f'Expected [[list]] "{each.name}" to follow a list with a size, got '
                    f'"{follows}". Name another, or let each of the parts follow its own.'
                )
            if first.follows and follows not in of:
                later.append(each)
                continue
            place = of.setdefault(follows, follows)
            of[each.name] = place
            families.setdefault(place, [first]).append(each)
        if len(later) == len(waiting):
            raise PlanError(
                f'Expected lists that follow earlier ones, got "{later[0].name}", which follows '
                "itself. Look at follows."
            )
        waiting = later
    return list(families.values())


def _way(lists: Sequence[ListedPeople], choice: Sequence[Division]) -> _Way:
    """Lists in which those of a family are made up of groups that share nobody."""
    names = {each.name for each in lists}
    groups: list[ListedPeople] = []
    labels: dict[str, tuple[str, ...]] = {}
    parts: dict[str, list[str]] = {}
    for division in choice:
        for group, people in division.items():
            on = tuple(each.name for each in lists if each.name in group)
            label = " and ".join(on) + (" only" if len(on) == 1 else "")
            while label in names:
                label += "'"
            names.add(label)
            labels[label] = on
            groups.append(ListedPeople(label, people))
            for name in on:
                parts.setdefault(name, []).append(label)
    listed = [
        attrs.evolve(each, parts=tuple(parts[each.name])) if each.name in parts else each
        for each in lists
    ]
    return _Way((*groups, *listed), labels)


def _judge_way(part: _Part, way: _Way, cells: Sequence[PublishedCell]) -> TablesJudgement:
    tables = {cell.table for cell in cells}
    rules = attrs.evolve(
        part.rules,
        lists=way.lists,
        tables=tuple(each for each in part.rules.tables if each.name in tables),
    )
    return judge_cells(rules, cells, part.threshold)


def _before(part: _Part, way: _Way) -> _Before:
    """Beliefs after the earlier editions alone; none where they contradict a way."""
    if not part.earlier:
        return {}
    try:
        answer = _judge_way(part, way, part.earlier)
    except InconsistentTables:
        return {}
    return {each.lists: (each.lowest.lower, each.highest.upper) for each in answer.beliefs}


def _judge_part(
    part: _Part, befores: Sequence[_Before] | None, newest: frozenset[str]
) -> TablesJudgement:
    """Judge every way in which the lists can have changed, and join what is possible."""
    possible: list[tuple[_Way, TablesJudgement, _Before | None]] = []
    error: InconsistentTables | None = None
    for number, way in enumerate(part.ways):
        try:
            answer = _judge_way(part, way, (*part.earlier, *part.new))
        except InconsistentTables as contradiction:
            error = contradiction
            continue
        possible.append((way, answer, None if befores is None else befores[number]))
    if not possible:
        assert error is not None, "a part has a way"
        raise error
    beliefs: dict[tuple[str, ...], MemberBelief] = {}
    before: dict[tuple[str, ...], tuple[Number, Number]] = {}
    for way, answer, earlier in possible:
        for each in answer.beliefs:
            lists = tuple(name for on in each.lists for name in way.labels.get(on, (on,)))
            own = attrs.evolve(each, lists=lists)
            if (other := beliefs.get(lists)) is not None:  # the extremes over two ways
                lowest = _extreme(other.lowest, own.lowest, smaller)
                highest = _extreme(other.highest, own.highest, larger)
                own = MemberBelief(lists, max(other.people, own.people), lowest, highest)
            beliefs[lists] = own
            if earlier is not None:
                known = {name for key in earlier for name in key}
                key = tuple(name for name in each.lists if name in known)
                prior = part.rules.adversary
                assert prior is not None, "editions have an attacker"
                low, high = earlier.get(key, (prior.low, prior.high))
                least, most = before.get(lists, (low, high))
                before[lists] = smaller(least, low), larger(high, most)
    editions = [
        edition
        for lists, each in beliefs.items()
        for edition in _editions(part, newest, each, before.get(lists))
    ]
    answers = [answer for _, answer, _ in possible]
    cells = zip(*(answer.feasible for answer in answers), strict=True)
    return attrs.evolve(
        answers[0],
        feasible=tuple(
            FeasibleCell(some[0].cell, hull([each.interval for each in some])) for some in cells
        ),
        certain=tuple(_certain(possible)),
        beliefs=tuple(beliefs.values()),
        differences=tuple(_differences(answers)),
        editions=tuple(editions),
        published=None,  # of one way only
    )


def _editions(
    part: _Part, newest: frozenset[str], belief: MemberBelief, before: tuple[Number, Number] | None
) -> Iterator[EditionBelief]:
    """Yield what is believed about people by their part in each new list."""
    follows = {
        each.name: each.follows for way in part.ways[:1] for each in way.lists if each.follows
    }
    verdict = _verdict(part.rules, belief)
    adds = False
    if before is not None and verdict != "kept" and part.new:
        above, below = _sides(part.rules)
        adds = (above and not at_most(belief.highest.upper, before[1])) or (
            below and not at_most(before[0], belief.lowest.lower)
        )
    is_elsewhere = True
    for name in sorted(newest):
        old = follows.get(name)
        is_on = name in belief.lists
        if not is_on and old not in belief.lists:
            continue
        role = "listed" if old is None else "joined"
        if old in belief.lists:
            role = "stayed" if is_on else "left"
        is_elsewhere = False
        yield EditionBelief(name, role, belief, before, verdict, adds)
    if is_elsewhere and adds:  # totals, editions between or the size of a sample connect them
        yield EditionBelief(list_words(belief.lists), "elsewhere", belief, before, verdict, adds)


def _sides(rules: RulesFile) -> tuple[bool, bool]:
    """Whether large beliefs count, and small ones: those of the target, or both."""
    most, least = rules.max_posterior is not None, rules.min_posterior is not None
    return most or not least, least or not most


def _verdict(rules: RulesFile, belief: MemberBelief) -> str:
    above, below = _sides(rules)
    one, nobody = Fraction(1), Fraction(0)
    if (above and at_most(one, belief.highest.lower)) or (
        below and at_most(belief.lowest.upper, nobody)
    ):
        return "revealed"
    if (
        rules.max_posterior is rules.min_posterior is None
        and (at_most(one, belief.highest.upper) or at_most(belief.lowest.lower, nobody))
    ):  # fmt: skip
        return "undecided"
    words = {False: "likely", None: "undecided", True: "kept"}
    return words[verdict((belief.lowest, belief.highest), rules)]


def _extreme(
    first: Extremum, second: Extremum, choose: Callable[[Number, Number], Number]
) -> Extremum:
    return Extremum(
        choose(first.lower, second.lower),
        choose(first.upper, second.upper),
        max(first.method, second.method, key=METHODS.index),
    )


def _certain(possible: Sequence[tuple[_Way, TablesJudgement, _Before | None]]) -> Iterator[Certain]:
    """Yield what is certain in every way in which a list has people."""
    listed: dict[str, int] = {}
    sure: dict[tuple[str, bool], list[Certain]] = {}
    for way, answer, _ in possible:
        for each in way.lists:
            listed[each.name] = listed.get(each.name, 0) + 1
        for certain in answer.certain:
            sure.setdefault((certain.list, certain.is_in), []).append(certain)
    for (name, _), some in sure.items():
        if len(some) == listed.get(name, len(possible)):
            yield attrs.evolve(some[0], people=max(each.people for each in some))


def _differences(answers: Sequence[TablesJudgement]) -> Iterator[RevealedDifference]:
    """Yield the sets that differ in few people, with what is possible in any way."""
    by_sets: dict[tuple[object, ...], list[RevealedDifference]] = {}
    for answer in answers:
        for each in answer.differences:
            what = each.difference
            by_sets.setdefault((what.first, what.second, what.people), []).append(each)
    for some in by_sets.values():
        lows = [each.lowest for each in some if each.lowest is not None]
        highs = [each.highest for each in some if each.highest is not None]
        yield attrs.evolve(
            some[0],
            interval=hull([each.interval for each in some]),
            lowest=functools.reduce(smaller, lows) if lows else None,
            highest=functools.reduce(larger, highs) if highs else None,
        )


def _to_hide(
    part: _Part, befores: Sequence[_Before], newest: frozenset[str]
) -> tuple[PublishedCell, ...] | None:
    """The fewest new cells without which nothing is revealed that was not before."""
    totals = {each.name: each.total for each in part.rules.tables}
    candidates = [
        cell
        for cell in part.new
        if cell.published != HIDDEN and not (cell.is_total and totals[cell.table] == "shown")
    ]
    trials = itertools.chain(
        *(itertools.combinations(candidates, size) for size in range(1, _MOST_HIDDEN + 1))
    )
    for cells in itertools.islice(trials, max(1, _MOST_TRIALS // len(part.ways))):
        try:
            if not _judge_part(_without(part, cells), befores, newest).is_refused:
                return cells
        except InconsistentTables:
            continue
    return None


def _without(part: _Part, left_out: Sequence[PublishedCell]) -> _Part:
    """The same with some cells left out, whatever their counts."""
    totals = {each.name: each.total for each in part.rules.tables}
    new = []
    for cell in part.new:
        if cell in left_out:
            continue
        published = cell.published
        if cell.is_total and totals[cell.table] == "shown" and isinstance(published, int):
            published -= sum(
                int(each.published)
                for each in left_out
                if each.table == cell.table and set(each.lists) <= set(cell.lists)
            )
        new.append(attrs.evolve(cell, published=published))
    return attrs.evolve(part, new=tuple(new))
