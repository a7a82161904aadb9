"""Queries of a plan that would better be one, and the plan that says so; from its text alone."""

import datetime
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import InfeasibleTarget, PlanError
from deniable.errors.late import late
from deniable.errors.validate import in_full
from deniable.publish.advice import Advice
from deniable.publish.plan import (
    WITHHELD,
    Plan,
    PublicPlan,
    entries,
    parse_plan,
    public_content,
    public_plan,
    write_toml,
)
from deniable.publish.prepared_query import PreparedQuery, ask_of, calibrate_queries
from deniable.publish.query import OTHER, STATISTICS, Query, Scalar
from deniable.report.sentences import significant

if TYPE_CHECKING:
    from deniable.publish import derived
else:  # for queries of calendar parts
    derived = late("deniable.publish.derived")

_GAIN = 0.95  # share of the half-width at or below which one grouped query is worth to be named
_NAMED = 3  # queries that a sentence names


def advise_without_delta(plan: PublicPlan, queries: Sequence[PreparedQuery]) -> Iterator[Advice]:
    """Yield which queries have less noise if the plan has no δ, of those that may have."""
    candidates = [each for each in queries if each.query.statistic.WITHOUT_DELTA]
    if not candidates or plan.delta is None or plan.laplace or plan.published is None:
        return
    target = {key: value for key, value in plan.published["target"].items() if key != "delta"}
    try:
        pure = public_plan({**plan.published, "target": target})
        protections = [pure.protection(query) for query in pure.queries]
        _, prepared = calibrate_queries(ask_of(pure), pure.queries, protections)
    except (PlanError, InfeasibleTarget):
        return
    widths = {each.query.name: max(each.widths.values()) for each in prepared}
    for each in candidates:
        name, now = each.query.name, max(each.widths.values())
        if widths[name] < now:
            yield Advice(
                each.query.statistic.kind,
                (name,),
                f"“{name}”: without delta in [target] its numbers are known to ± "
                f"{significant(widths[name], 2)}, with it to ± {significant(now, 2)}. Small "
                "tables need less noise without it.",
                {each.query.statistic.kind: (now, widths[name])},
            )


@attrs.frozen(order=False)
class _Range:
    """Values from `low` to `high`; None for no bound."""

    low: Any = None
    high: Any = None
    low_closed: bool = True
    high_closed: bool = False

    def ends_before(self, other: "_Range") -> bool:
        """Whether nothing is in both, and this one is the lower."""
        if self.high is None or other.low is None:
            return False
        touching = self.high == other.low and self.high_closed and other.low_closed
        return bool(self.high <= other.low) and not touching


_Region: TypeAlias = frozenset[Scalar] | _Range


@attrs.frozen
class _Written:
    """A query, how the plan writes it, and the names of those that it stands for."""

    query: Query
    table: Mapping[str, Any] | None
    names: tuple[str, ...]


def advise_groups(plan: PublicPlan, prepared: Sequence[PreparedQuery]) -> Iterator[Advice]:
    """One advice a set of queries; all of them together where there are several sets."""
    tables = _tables(plan)
    queries = [
        _Written(each.query, None if tables is None else tables[place], (each.query.name,))
        for place, each in enumerate(prepared)
    ]
    before = {each.query.name: each for each in prepared}
    # The queries with disjoint ones merged, column after column, until none are left.
    merged = list(queries)
    while (smaller := _merge_once(merged)) is not None:
        merged = smaller
    if len(merged) == len(queries):
        return
    after = _calibrated(plan, [each.query for each in merged])
    for written, new in zip(merged, after, strict=True):
        if len(written.names) < 2:
            continue
        old = [before[name] for name in written.names]
        widths = {
            part: (max(each.widths[part] for each in old), width)
            for part, width in new.widths.items()
        }
        if any(width > _GAIN * now for now, width in widths.values()):
            continue
        first, *others = written.names
        kept = [each for each in queries if each.query.name not in others]
        rewritten = [written if each.query.name == first else each for each in kept]
        named = _listed(written.names)
        columns = ", ".join(f"“{column}”" for column in written.query.grouping.columns)
        costs = "; ".join(
            f"{part}: ± {now:,.4g} each as they are, ± {then:,.4g} each as one query"
            for part, (now, then) in widths.items()
        )
        text = (
            f"{named} ask for disjoint groups of {columns}, and share the budget as if they were "
            "about the same rows. One query with group_by costs as much and has less noise. "
            f"{costs}."
        )
        yield Advice("group", written.names, text, widths, _text(plan, rewritten))


def _calibrated(plan: PublicPlan, queries: Sequence[Query]) -> tuple[PreparedQuery, ...]:
    return calibrate_queries(ask_of(plan), queries, [plan.protection(each) for each in queries])[1]


def _merge_once(queries: Sequence[_Written]) -> list[_Written] | None:
    alike: dict[Any, list[int]] = defaultdict(list)
    for place, written in enumerate(queries):
        query = written.query
        if not query.statistic.GROUPED or query.precision is not None:
            continue  # there are no groups to add, or the half-width is said and not shared
        if query.max_contribution is not None:
            continue  # scaled to one total over all groups, the numbers would be others
        for column in dict.fromkeys(condition.column for condition in query.where):
            others = tuple(each for each in query.where if each.column != column)
            region = _region(query, column)
            if column not in query.grouping.columns and region is not None:
                key = (repr(query.statistic), query.grouping, others, type(region))
                alike[key, column].append(place)
    for (_, column), places in sorted(alike.items(), key=lambda item: -len(item[1])):
        regions = [_region(queries[place].query, column) for place in places]
        if len(places) > 1 and (order := _disjoint(regions)) is not None:
            merging = [queries[places[each]] for each in order]
            one = _merge(merging, column, [regions[each] for each in order])
            return [*[queries[place] for place in range(len(queries)) if place not in places], one]
    return None


def _region(query: Query, column: str) -> _Region | None:
    """The values of a column that a query takes; None where they are no list and no range."""
    conditions = [each for each in query.where if each.column == column]
    if len(conditions) == 1 and conditions[0].operator == "==":
        return frozenset([conditions[0].value])  # type: ignore[list-item]
    if len(conditions) == 1 and conditions[0].operator == "in":
        return frozenset(conditions[0].value)  # type: ignore[arg-type]
    region = _Range()
    for each in conditions:
        if each.operator in (">", ">=") and region.low is None:
            region = attrs.evolve(region, low=each.value, low_closed=each.operator == ">=")
        elif each.operator in ("<", "<=") and region.high is None:
            region = attrs.evolve(region, high=each.value, high_closed=each.operator == "<=")
        else:
            return None
    return region


def _disjoint(regions: Sequence[_Region | None]) -> list[int] | None:
    """Their order, where all are lists or all ranges and none shares a value with another."""
    lists = [each for each in regions if isinstance(each, frozenset)]
    ranges = [each for each in regions if isinstance(each, _Range)]
    if len(lists) == len(regions):
        size = sum(map(len, lists))
        return list(range(len(lists))) if len(frozenset().union(*lists)) == size else None
    if len(ranges) != len(regions):
        return None
    bounded = [place for place in range(len(ranges)) if ranges[place].low is not None]
    first = [place for place in range(len(ranges)) if ranges[place].low is None]
    by_low = first + sorted(bounded, key=lambda place: ranges[place].low)
    return by_low if all(ranges[a].ends_before(ranges[b]) for a, b in pairwise(by_low)) else None


def _merge(merging: Sequence[_Written], column: str, regions: Sequence[Any]) -> _Written:
    """One grouped query; how it is written where the plan can say its groups."""
    first = merging[0].query
    labels: list[Scalar] = [
        next(iter(each)) if isinstance(each, frozenset) and len(each) == 1 else f"group {place}"
        for place, each in enumerate(regions, 1)
    ]
    texts = [each for each in labels if isinstance(each, str)]
    if len(texts) not in (0, len(labels)):  # lists of several values beside single ones
        labels = [f"group {place}" for place in range(1, len(regions) + 1)]
    grouping, names = first.grouping, [each.query.name for each in merging]
    alike = takewhile(lambda marks: len(set(marks)) == 1, zip(*names, strict=False))
    shared = "".join(marks[0] for marks in alike)
    next_marks = [each[len(shared) :][:1] for each in names]
    if shared[-1:].isalpha() and any(mark.isalpha() for mark in next_marks):
        shared = shared.rpartition(" ")[0]  # “visits north”, “visits nearby”: no half words
    words = shared.rstrip(" -–:,=([_0123456789").strip()
    columns, keys = (*grouping.columns, column), (*grouping.keys, tuple(labels))
    query = attrs.evolve(
        first,
        name=f"{words} by {column}" if words else f"by {column}",
        grouping=attrs.evolve(grouping, columns=columns, keys=keys),
        where=tuple(each for each in first.where if each.column != column),
        weight=sum(each.query.weight for each in merging),
    )
    table = merging[0].table
    written = None if table is None else _rewritten(table, query, column, regions)
    return _Written(query, written, tuple(name for each in merging for name in each.names))


def advise_disagreeing(plan: PublicPlan, prepared: Sequence[PreparedQuery]) -> Iterator[Advice]:
    """One advice for each filter under which several queries count rows."""
    tables = _tables(plan)
    if tables is None:
        return
    alike: dict[Any, list[int]] = defaultdict(list)
    for place, each in enumerate(prepared):
        query = each.query
        own = query.max_contribution is query.precision is None and not query.grouping.unknown
        if own and query.statistic.tables_counted(query.grouping) is not None:
            alike[frozenset(map(repr, query.where))].append(place)
    for places in alike.values():
        sharing = [prepared[place].query for place in places]
        if len(sharing) < 2 or not any(each.grouping.columns for each in sharing):
            continue
        written = [tables[place] for place in places]
        for made in STATISTICS.values():
            table = made.joined(sharing, written)
            if table is not None and (one := _as_one(plan, prepared, places, table)) is not None:
                yield one


def _as_one(
    plan: PublicPlan,
    prepared: Sequence[PreparedQuery],
    places: Sequence[int],
    table: Mapping[str, Any],
) -> Advice | None:
    """What it costs, and the plan that says it; None where no plan does."""
    names = tuple(prepared[place].query.name for place in places)
    rewritten = [
        _Written(each.query, dict(written) if place != places[0] else dict(table), ())
        for place, (each, written) in enumerate(zip(prepared, _tables(plan) or (), strict=True))
        if place not in places[1:]
    ]
    text = _text(plan, rewritten)
    if text is None:
        return None
    new_plan = _read(text)
    if new_plan.delta != plan.delta:  # a ledger's share says which noise it is
        return None
    one = next(each for each in new_plan.queries if each.name == table["name"])
    after = _calibrated(plan, new_plan.queries)
    new = next(each for each in after if each.query.name == one.name).widths
    called = {frozenset(columns): label for columns, label in _counted(one).items()}
    widths: dict[str, tuple[float, float]] = {}
    for place in places:
        old = prepared[place].widths
        for columns, label in _counted(prepared[place].query).items():
            name = called[frozenset(columns)]
            widths[name] = (max(old[label], widths.get(name, (0.0, 0.0))[0]), new[name])
    costs = [
        f"{called}: ± {now:,.4g} as it is, ± {then:,.4g} in one crosstab"
        for called, (now, then) in widths.items()
    ]
    costs[_NAMED:] = [f"and {len(costs) - _NAMED} more"] if len(costs) > _NAMED else []
    return Advice(
        "agree",
        names,
        f"{_listed(names)} count the same rows, each with noise of its own: their totals will not "
        "agree. One crosstab measures them together for the same budget, and its tables add up; "
        f"rows with no key count in “{OTHER}”. {'; '.join(costs)}.",
        widths,
        text,
    )


def _counted(query: Query) -> Mapping[tuple[str, ...], str]:
    return query.statistic.tables_counted(query.grouping) or {}


def _listed(names: Sequence[str]) -> str:
    quoted = ", ".join(f"“{name}”" for name in names[:_NAMED])
    more = len(names) - _NAMED
    return f"{quoted} and {more} more" if more > 0 else quoted


def _rewritten(
    table: Mapping[str, Any], query: Query, column: str, regions: Sequence[Any]
) -> Mapping[str, Any] | None:
    """The grouped query as a table of a plan; "columns" holds what [columns] has to say."""
    replaced = ("where", "weight", "group_by")
    result = {key: value for key, value in table.items() if key not in replaced}
    result["name"] = query.name
    if query.where:
        result["where"] = [
            [x.column, x.operator, list(x.value) if isinstance(x.value, tuple) else x.value]
            for x in query.where
        ]
    if query.weight != 1.0:
        result["weight"] = query.weight
    groups = [*table.get("group_by", ())]

    def derived_keys(made: str, labels: list[str], column: dict[str, Any]) -> dict[str, Any]:
        """Return what groups by a column that the plan derives."""
        own = {"keys": labels, "columns": column}
        tables = {key: {**table.get(key, {}), made: value} for key, value in own.items()}
        return {"group_by": [*groups, made], **tables}

    if all(isinstance(each, frozenset) and len(each) == 1 for each in regions):
        keys = {**table.get("keys", {}), column: [next(iter(each)) for each in regions]}
        return result | {"group_by": [*groups, column], "keys": keys}
    if not all(isinstance(each, _Range) for each in regions):
        return None
    if (part := _calendar_part(regions)) is not None:
        word, labels = part
        return result | derived_keys(f"{column}_{word}", labels, {"of": column, "part": word})
    edges = _edges(regions)
    if edges is None:
        return None
    if not regions[-1].high_closed:
        result["where"] = [*result.get("where", []), [column, "<", edges[-1]]]
    is_own = table["statistic"] == query.statistic.kind
    if is_own and (binned := query.statistic.in_bins(column, edges)):
        result |= {"group_by": groups} if groups else {}
        return result | binned
    labels = [f"{in_full(a)} to {in_full(b)}" for a, b in pairwise(edges)]
    bands = {"of": column, "bands": edges, "labels": labels}
    return result | derived_keys(f"{column}_band", labels, bands)


def _calendar_part(ranges: Iterable[_Range]) -> tuple[str, list[str]] | None:
    """Month, quarter or year where every range is one of the calendar, and their names."""
    days = [_days(each) for each in ranges]
    for word in reversed([*derived.PER_YEAR]):
        keys = []
        for first, last in (each for each in days if each is not None):
            place = derived.place_of_day(word, first)
            days_of_it = derived.first_day(word, place), derived.first_day(word, place + 1)
            if (first, last) != days_of_it:
                break
            keys.append(derived.PARTS[word].text(place))
        if len(keys) == len(days):
            return word, keys
    return None


def _days(each: _Range) -> tuple[datetime.date, datetime.date] | None:
    """The first day, and the first day after; None where it is not of whole days."""
    days = []
    for value, later in ((each.low, not each.low_closed), (each.high, each.high_closed)):
        if isinstance(value, datetime.datetime):
            if value.time() != datetime.time() or later:
                return None
            value = value.date()
        elif not isinstance(value, datetime.date):
            return None
        days.append(value + datetime.timedelta(days=int(later)))
    return days[0], days[1]


def _edges(ranges: Sequence[_Range]) -> list[float] | None:
    """Edges of a histogram with these bins, closed at the left, and the last at both."""
    if any(a.high != b.low or a.high_closed for a, b in pairwise(ranges)):
        return None
    edges = [ranges[0].low, *(each.high for each in ranges)]
    numbers = all(isinstance(each, int | float) for each in edges)
    return edges if numbers and all(each.low_closed for each in ranges) else None


def _tables(plan: PublicPlan) -> list[Mapping[str, Any]] | None:
    """The plan's queries as they are written."""
    content = _content(plan)
    return None if content is None else list(content["query"])


def _content(plan: PublicPlan) -> dict[str, Any] | None:
    if isinstance(plan, Plan):
        return dict(parse_plan(plan.text, "").entries)
    return None if plan.published is None else entries(plan.published)


def _text(plan: PublicPlan, queries: Sequence[_Written]) -> str | None:
    """The whole plan with these queries, where this version reads it."""
    content = _content(plan)
    if content is None or any(each.table is None for each in queries):
        return None
    tables, columns = [], dict(content.get("columns", {}))
    for each in queries:
        table = dict(each.table or {})
        columns |= table.pop("columns", {}) if len(each.names) > 1 else {}
        tables.append(table)
    content = {key: value for key, value in content.items() if key != "query"}
    content |= ({"columns": columns} if columns else {}) | {"query": tables}
    text = write_toml(content)
    try:
        _read(text)
    except PlanError:
        return None
    return text


def _read(text: str) -> PublicPlan:
    """What a plan asks for, without its source; a target where it has none of its own."""
    published = {"target": {"epsilon": 1.0}} | public_content(tomllib.loads(text))
    return public_plan(published | {"data": {**published.get("data", {}), "source": WITHHELD}})
