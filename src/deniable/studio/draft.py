"""A plan that is made by forms: what each form changes in its file, which is all that is kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

import deniable
from deniable.certificate.json_documents import sha256
from deniable.errors import DeniableError, InvalidArgument, PlanError
from deniable.numerics.operating_system import whole_file
from deniable.publish.advice import as_crosstab
from deniable.publish.plan import (
    PlanTable,
    PlanText,
    known_keys,
    parse_plan,
    read_columns,
    read_key,
    read_location,
    write_toml,
)
from deniable.publish.sources import Kind, Source, holds_texts, is_csv, reader_class, schema
from deniable.report.html import legible
from deniable.studio.wording import FIELDS, LABELS, OF_FORM, STATISTICS, in_form_words

Form = Mapping[str, str]
"""The fields of a form that was sent; a box that is not ticked is left out."""

Content = dict[str, Any]
"""Tables of a plan, as TOML reads them."""

TAB = "tab"
"""What a form sends for a tab, which is no word."""
CROSSTAB = "crosstab"
"""The statistic whose columns are groups."""
_PROBE = {"name": "probe", "statistic": "count"}
"""A query with which the tables are checked before the first query is there."""
GROUPS = 3
"""Columns that a form groups by."""
CONDITIONS = 3
"""Conditions on rows that a form holds."""
_TWO_READINGS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")  # a point or a mark of thousands


@attrs.frozen
class Draft:
    """A plan's file: its place, its text, and what the text says."""

    path: Path
    text: str = attrs.field(repr=False)
    top: PlanTable = attrs.field(repr=False)

    @classmethod
    def of(cls, path: Path, text: str) -> Draft:
        """The plan with this text, which may lack what later steps ask."""
        return cls(path, text, parse_plan(text, path.name))

    @classmethod
    def read(cls, path: Path) -> Draft:
        """The plan as its file is now."""
        return cls.of(path, PlanText.of(path).text)

    @property
    def version(self) -> str:
        """A digest of the text and of the file's columns, to which a form's places belong."""
        names = list[str]()
        with suppress(Exception):  # a plan or a file that cannot be read has no places
            names = list(schema(self.source))
        return sha256("\0".join([self.text, *names]).encode("utf-8", "surrogatepass"))

    @property
    def given(self) -> PlanText:
        """The plan as functions take it: relative paths are looked up beside its file."""
        return PlanText(self.text, self.path.name, self.path)

    def table(self, name: str) -> Content:
        """One table, empty where there is none."""
        return dict(self.top.section(name).entries)

    @property
    def queries(self) -> list[Content]:
        """The queries, in the plan's order."""
        return [dict(each.entries) for each in self.top.tables("query")]

    @property
    def source(self) -> Source:
        """The place of the table, and how it is written."""
        return read_location(self.top.table("data"), self.path.parent)

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what they hold, with those derived from them; no value is looked at."""
        known = schema(self.source)
        return read_columns(self.top).check(known, ()) if "columns" in self.top else known

    def offered(self) -> Mapping[str, Kind]:
        """Return the columns that forms offer: the file's alone if a derived one does not fit."""
        with suppress(PlanError):
            return self.kinds()
        return schema(self.source)

    def misfit(self, step: str) -> str | None:
        """Say on a step what of the plan does not fit the file; None if everything fits."""
        try:
            self.kinds()
            self.check()
        except DeniableError as reason:
            return in_form_words(reason, step)
        return None

    def column(
        self, form: Form, field: str, needed: object = None, step: str = "publish"
    ) -> str | None:
        """The column that a form names by its place: a name may hold what no form can send."""
        if not form.get(field):
            if needed:
                label = LABELS[step][field]
                raise InvalidArgument(f"“{label}”: expected a column, got none. Choose it.")
            return None
        names = list(self.offered())
        place = place_of(form, field, len(names))
        if place is None:
            raise InvalidArgument("Expected a column of the file, got another. Choose it again.")
        return names[place]

    def changed(self, **tables: Any) -> Draft:
        """The same with other tables in their place; without those that are empty."""
        content = {**self.top.entries, **tables}
        order = [*known_keys.TABLES, *(set(content) - set(known_keys.TABLES))]
        kept = {name: content[name] for name in order if content.get(name)}
        return Draft.of(self.path, write_toml(kept) or "\n")

    def completed(self) -> Draft:
        """The same with a target and a query where later steps ask for them."""
        rest: Content = {} if "share" in self.table("ledger") else {"target": {"epsilon": 1.0}}
        rest |= {"query": [_PROBE]}
        return self.changed(**{key: self.top.entries.get(key) or rest[key] for key in rest})

    def check(self) -> Draft:
        """See that its tables fit the source and each other; no value is looked at."""
        if self.queries or {"entity", "household"} & self.table("data").keys():
            deniable.plan(self.completed().given)
        return self

    def cost(self) -> Mapping[str, Any] | None:
        """What its ledger says of it; None where it names no ledger."""
        if "ledger" not in self.top or (book := deniable.plan(self.given).plan.ledger) is None:
            return None
        return deniable.ledger.cost(book, self.given, self.table("ledger")["dataset"]).as_json()

    def save(self) -> None:
        """Write the file, whole or not at all."""
        with whole_file(self.path) as file:
            file.write(self.text.encode("utf-8"))


def begin(source: str | os.PathLike[str] | None) -> Path:
    """Return the plan of a file, made beside it if there is none; a plan is its own.

    What stands in a plan that was begun is kept; one about another table is refused.
    """
    given = Path("plan.toml" if source is None else source)
    is_plan = source is not None and given.suffix.lower() == ".toml"
    if source is not None and not (is_plan or given.is_file()):
        deniable.new(str(source), Path())  # says what is wrong with it; of a file the page does
    path = given.with_suffix(".toml") if given.is_file() or is_plan else Path("plan.toml")
    location = "" if source is None else given.name if given.is_file() else str(source)
    if is_plan or path.exists():
        draft = Draft.read(given if is_plan else path)
        if not is_plan and source is not None:
            before = str(draft.table("data").get("source", ""))
            place = path.parent / os.path.expanduser(before)
            if not (place.samefile(given) if place.is_file() else before == location):
                raise InvalidArgument(
                    f"Expected {path} to be the plan of {location}, got the plan of "
                    f"{before or 'no table'}. Type deniable studio {path}, or move it away."
                )
        return draft.path
    begun: Content = {"data": {"source": location}}
    with suppress(
        DeniableError
    ):  # the first step says what is wrong with the file, and offers choices
        begun |= parse_plan(deniable.new(location, path.parent), path.name).entries
    kept = {name: begun[name] for name in ("data", "adversary") if name in begun}
    # Whose rows they are, and whether their number is public, the second step asks.
    data = {key: value for key, value in kept["data"].items() if value and key != "adjacency"}
    data |= {"source": location}
    Draft.of(path, write_toml(kept | {"data": data})).save()
    return path


# --- What each form changes.


def with_file(draft: Draft, form: Form) -> Draft:
    """Say where the table is and how its cells are read; what the form does not show stays."""
    data, source = draft.table("data"), form.get("source", "").strip()
    is_same = data.get("source") == source
    names = list(schema(draft.source)) if form.get("columns") else []
    keys = ("delimiter", "encoding", "decimal", "thousands", "date_format", "timestamp_format")
    csv = data.get("csv", {}) | {key: form[key] for key in keys if key in form}
    said = {name: form[at] for n, name in enumerate(names) if (at := f"type.{n}") in form}
    types = {name: word for name, word in (data.get("types", {}) | said).items() if word}
    before, legibly = data.get("nulls", [""]), dict[str, list[str]]()
    for each in texts_of("\n".join(before)):
        legibly.setdefault(legible(each), []).append(each)
    # What a page cannot show, such as a tab, stays as the plan has it, whatever else is typed.
    lines = texts_of(form.get("nulls", ""))
    typed = [legibly[each].pop(0) if legibly.get(each) else each for each in lines]
    if "nulls" in form and typed != texts_of("\n".join(before)):
        data["nulls"] = [*([""] if "" in before else []), *typed]
    csv = {k: "\t" if v == TAB else v for k, v in csv.items() if v or k not in keys}
    data |= {"source": source, "csv": csv, "types": types}
    with suppress(DeniableError):  # of a file that cannot be read yet everything stays
        place = attrs.evolve(draft.changed(data=data).source, types={})
        own = reader_class(place).TYPES if is_same else ()
        takes, there = known_keys.TYPES if holds_texts(place) else own, schema(place)
        data["types"] = {k: v for k, v in types.items() if k in there and v in takes}
        data["csv"] = csv if is_csv(place) else {}
    return draft.changed(data={key: data[key] for key in data if data[key] not in ({}, [""])})


def with_people(draft: Draft, form: Form) -> Draft:
    """Say whom the plan protects, how many of their rows count, and if their number is public."""
    data, limits, adversary = (draft.table(name) for name in ("data", "limits", "adversary"))
    for key in ("entity", "household", "unit", "rows_per_entity", "rows_per_household"):
        data.pop(key, None)
        limits.pop(key, None)
    size = form.get("household_size", "").strip()
    if not size:
        adversary.pop("correlation", None)
    adversary.pop("household_size", None)
    whose, number = form.get("whose"), form.get("number")
    if whose not in ("entity", "household", "row") or number not in ("secret", "public"):
        raise InvalidArgument(
            "Expected whose rows they are, and if their number is public. Choose."
        )
    if whose != "row":
        data[whose] = draft.column(form, "column", needed=True, step="who")
        if form.get("rows") or not any("max_contribution" in each for each in draft.queries):
            limits[f"rows_per_{whose}"] = _integer(form, "rows")
    if unit := form.get("unit", "").strip():
        data["unit"] = unit
    if size:
        adversary["household_size"] = _integer(form, "household_size")
    data["adjacency"] = "add-remove" if number == "secret" else "replace-one"
    return draft.changed(data=data, limits=limits, adversary=adversary).check()


def with_beliefs(draft: Draft, form: Form) -> Draft:
    """Say how sure an attacker may be, before and after."""
    before, after, _ = beliefs_of(draft, form)
    kept = {key: value for key, value in draft.table("target").items() if key in ("delta", "noise")}
    adversary = draft.table("adversary") | {"prior": [0.0, before]}
    return draft.changed(adversary=adversary, target={"max_posterior": after} | kept).check()


def beliefs_of(draft: Draft, form: Form) -> tuple[float, float, Any]:
    """The two sliders, in percent, as probabilities, and the budget that keeps them."""
    before, after = (_integer(form, name) / 100 for name in ("before", "after"))
    if after <= before:
        raise InvalidArgument(
            "Expected a larger belief afterwards. Move the second slider to the right."
        )
    answer = deniable.calibrate(
        max_posterior=after,
        prior=(0.0, before),
        adjacency=draft.table("data").get("adjacency", "replace-one"),
        household=draft.table("adversary").get("household_size"),
    )
    return before, after, answer


def with_column(draft: Draft, form: Form) -> Draft:
    """Add a column that is computed from another: a part of a date, or bands of a number."""
    column, part = draft.column(form, "of", needed=True), form.get("part", "")
    how = {"bands": _numbers(form, "bands")} if part == "bands" else {"part": part}
    columns = draft.table("columns") | {f"{column} {part}": {"of": column} | how}
    changed = draft.changed(columns=columns)
    changed.kinds()
    return changed.check()


def without_column(draft: Draft, form: Form) -> Draft:
    """Compute one column less, such as one that does not fit another file."""
    columns = draft.table("columns")
    if (place := place_of(form, "place", len(columns))) is not None:
        del columns[list(columns)[place]]
    return draft.changed(columns=columns)


def with_query(draft: Draft, form: Form) -> Draft:
    """Add what is to be published, or put it in another's place."""
    queries = draft.queries
    place = place_of(form, "query", len(queries))
    at = len(queries) if place is None else place
    if place is not None and not is_of_form(draft, queries[at]):
        raise InvalidArgument("Expected a query that this form can hold. Change it in the plan.")
    query = read_form(draft, form, {} if place is None else queries[at])
    return draft.changed(query=[*queries[:at], query, *queries[at + 1 :]]).check()


def read_form(draft: Draft, form: Form, begun: Mapping[str, Any]) -> Content:
    """The query that a form gives; what it does not ask for is as it was begun."""
    query = {key: value for key, value in begun.items() if key not in OF_FORM}
    kind = form.get("statistic", "")
    if kind not in STATISTICS:
        raise InvalidArgument("Expected something to publish. Choose it from the list.")
    query |= {"name": form.get("name", "").strip(), "statistic": kind}
    for field in FIELDS[kind]:
        query |= _READ[field](draft, form)
    groups = [draft.column(form, f"group.{n}", form.get(f"keys.{n}")) for n in range(GROUPS)]
    kinds, keys = draft.offered(), dict[str, str | list[object]]()
    where = [
        [name, form.get(f"operator.{at}", ""), _value(form.get(f"value.{at}", ""), kinds[name])]
        for at in range(CONDITIONS)
        if (name := draft.column(form, f"where.{at}", form.get(f"value.{at}"))) is not None
    ]
    query |= {"where": where} if where else {}
    query |= {"weight": _typed(form, "weight")} if form.get("weight", "").strip() else {}
    for at, group in enumerate(groups):
        typed = form.get(f"keys.{at}", "").splitlines()
        lines = [each.strip() for each in typed if each.strip()]
        if group is not None and len(lines) == 1 and ".." in lines[0]:  # 2024-01..2024-12
            keys[group] = lines[0]
        elif group is not None and lines:
            keys[group] = [_value(each, kinds[group]) for each in lines]
    if named := [group for group in groups if group is not None]:
        query["columns" if kind == CROSSTAB else "group_by"] = named
    return query | ({"keys": keys} if keys else {})


def is_of_form(draft: Draft, query: Mapping[str, Any]) -> bool:
    """Whether the form gives this query, so that nothing is lost if it is changed there."""
    try:
        return read_form(draft, form_of(query, list(draft.offered())), query) == query
    except (DeniableError, TypeError, ValueError, AttributeError, LookupError):  # in other words
        return False


def without_query(draft: Draft, form: Form) -> Draft:
    """Publish one thing less."""
    queries = draft.queries
    place = place_of(form, "place", len(queries))
    return draft.changed(query=[each for at, each in enumerate(queries) if at != place])


def with_advice(draft: Draft, form: Form) -> Draft:
    """Do what advice on the plan says."""
    advice, way = deniable.plan(draft.given).advice, form.get("way", "")
    place = place_of(form, "place", len(advice))
    ways = {} if place is None else {**advice[place].ways, "plan": advice[place].plan}
    if (new := ways.get(way)) is None:
        raise InvalidArgument("Expected advice on this plan, got another. Read it again.")
    if way == "plan":
        return Draft.of(draft.path, new).check()
    if way == "delta":
        return draft.changed(target=draft.table("target") | {"delta": new}).check()
    queries = [as_crosstab(each) if each["name"] == new else each for each in draft.queries]
    return draft.changed(query=queries).check()


def with_new_ledger(draft: Draft, form: Form) -> Draft:
    """Begin the book of these people, and charge the release to it."""
    data, adversary = draft.table("data"), draft.table("adversary")
    file, dataset = (form.get(key, "").strip() for key in ("file", "dataset"))
    if not (file and dataset):
        raise InvalidArgument("Expected a file and a name for a new ledger, got none. Type both.")
    if "household" in data:
        raise InvalidArgument(
            "Expected people or rows for a ledger that this page makes, got households, whose size "
            "it has to know. Type deniable ledger new --by-household."
        )
    before, limit = adversary.get("prior", (0.0, 1.0))[1] * 100, _integer(form, "limit")
    if not before < limit < 100:
        raise InvalidArgument(
            f"“{LABELS['release']['limit']}”: expected more than {before:g}, which the plan allows "
            f"before any release, and less than 100, got {limit}."
        )
    deniable.ledger.new(
        draft.path.parent / Path(file).expanduser(),
        dataset,
        entity=data.get("entity"),
        unit=data.get("unit"),
        adjacency=data.get("adjacency", "replace-one"),
        prior=adversary.get("prior", (0.0, 1.0)),
        max_posterior=limit / 100,
        delta=draft.table("target").get("delta"),
        household=adversary.get("household_size"),
        each_row="entity" not in data,
    )
    return with_ledger(draft, {**form, "limit": ""})


def with_ledger(draft: Draft, form: Form) -> Draft:
    """Say which ledger the release is charged to, once it is there."""
    if form.get("limit", "").strip():
        raise InvalidArgument(
            "Expected no limit for an existing ledger, got one. Empty it, or make a new ledger."
        )
    typed = {key: form[key].strip() for key in ("file", "dataset") if key in form}
    ledger = {key: value for key, value in (draft.table("ledger") | typed).items() if value != ""}
    changed = draft.changed(ledger=ledger if {"file", "dataset", "url"} & ledger.keys() else {})
    changed.check().completed().cost()
    return changed if ledger != draft.table("ledger") else draft


# --- What people type.


def place_of(form: Form, field: str, number: int) -> int | None:
    """The place that a field names, among so many; None where it names none."""
    text = form.get(field, "")
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(number))
    return int(text) if is_number and int(text) < number else None


def _number(text: str, field: str, example: str = "a number such as 12.5") -> int | float:
    called = next(f"“{each[field]}”" for each in LABELS.values() if field in each)
    for kind in (Kind.INTEGER, Kind.NUMBER):
        number = _value(text, kind, called)
        if isinstance(number, int if "whole" in example else int | float):
            return number
    given = f"“{text}”" if text else "nothing"
    raise InvalidArgument(f"{called}: expected {example}, got {given}.")


def _typed(form: Form, field: str) -> int | float:
    return _number(form.get(field, "").strip(), field)


def _integer(form: Form, field: str) -> int:
    return int(_number(form.get(field, "").strip(), field, "a whole number such as 12"))


def _numbers(form: Form, field: str) -> list[int | float]:
    texts = re.split(r"[;,]?\s+|;", form.get(field, "").strip())
    return [_number(each, field) for each in texts if each]


def texts_of(lines: str) -> list[str]:
    """What stands on each line, with the blanks around it; empty lines are none."""
    return [each for each in lines.replace("\r\n", "\n").split("\n") if each]


def _value(text: str, kind: Kind, called: str = "The value") -> object:
    """What a plan writes for a value of such a column; what is none, the plan refuses."""
    text = text.strip()
    if kind in (Kind.INTEGER, Kind.NUMBER) and _TWO_READINGS.fullmatch(text):
        raise InvalidArgument(
            f"{called}: expected a number that can be read in one way, got {text}. "
            f"Write {text.replace('.', '')}, or {text}0."
        )
    with suppress(ValueError, KeyError):
        return read_key(text, kind)
    return text


def _column(key: str) -> Callable[[Draft, Form], Content]:
    return lambda draft, form: {} if (name := draft.column(form, key)) is None else {key: name}


def _event(draft: Draft, form: Form) -> Content:
    column, code = draft.column(form, "event"), form.get("is", "").strip()
    if column is None or not code:
        return {} if column is None else {"event": column}
    return {"event": {"column": column, "is": _value(code, draft.offered()[column])}}


_READ: Mapping[str, Callable[[Draft, Form], Content]] = {
    "column": _column("column"),
    "time": _column("time"),
    "event": _event,
    "bounds": lambda _, form: {"bounds": [_typed(form, end) for end in ("low", "high")]},
    "edges": lambda _, form: {"edges": _numbers(form, "edges")},
    "grid": lambda _, form: {"grid": {end: _typed(form, end) for end in ("step", "horizon")}},
}  # fmt: skip


def form_of(query: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The fields of the form that gives this query, for a query that it can give."""
    places = {name: str(place) for place, name in enumerate(names)}
    event, grid = query.get("event", ""), query.get("grid", {})
    code = ""
    if isinstance(event, Mapping):
        event, code = event["column"], _written(event["is"])
    form = {key: query.get(key, "") for key in ("name", "statistic")}
    form |= {key: places.get(query.get(key, ""), "") for key in ("column", "time")}
    form |= {"event": places.get(event, ""), "is": code}
    form |= {"edges": " ".join(map(_written, query.get("edges", [])))}
    if isinstance(grid, Mapping):
        form |= {key: _written(value) for key, value in grid.items()}
    form |= dict(zip(("low", "high"), map(_written, query.get("bounds", [])), strict=False))
    form |= {"weight": _written(query["weight"])} if "weight" in query else {}
    for at, (name, operator, value) in enumerate(query.get("where", [])):
        form |= {f"where.{at}": places.get(name, ""), f"operator.{at}": operator}
        form |= {f"value.{at}": _written(value)}
    for at, name in enumerate(query.get("group_by", query.get("columns", []))):
        keys = query.get("keys", {}).get(name, [])
        form |= {f"group.{at}": places.get(name, "")}
        form |= {f"keys.{at}": keys if isinstance(keys, str) else "\n".join(map(_written, keys))}
    return form


def _written(value: object) -> str:
    """Write a value of a plan as somebody types it, so that it can be read in one way."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{text}0" if isinstance(value, float) and _TWO_READINGS.fullmatch(text) else text
