"""The plan: what is published, from which table, against whom."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.json_documents import sha256
from deniable.errors import validate
from deniable.errors.late import late
from deniable.errors.public_names import plain
from deniable.notions import Adjacency
from deniable.pipeline.noise import PublicPart, VectorPart
from deniable.publish import sources
from deniable.publish.plan import known_keys, spelling
from deniable.publish.plan import schema as schemas
from deniable.publish.plan.keys import queries, read_grouping, read_keys, with_files_read
from deniable.publish.plan.published_plan import FILE, WITHHELD, entries, places, public_content
from deniable.publish.plan.schema import Use, check, check_column, infer_types, types_of_empty, uses
from deniable.publish.plan.spelling import format_key, format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import GivenLedger, PlanInput, PlanTable, PlanText
from deniable.publish.plan.targets import PopulationDemand, check_statistic, read_demands
from deniable.publish.query import (
    STATISTICS,
    Condition,
    Grouping,
    Protection,
    Query,
    Scalar,
    Statistic,
)
from deniable.report.heading import LONGEST
from deniable.theorems.analysis import BoundedPriors, Target

if TYPE_CHECKING:
    from deniable.ledger.ledger import Ledger
    from deniable.publish.derived import DerivedColumn
    from deniable.publish.plan import columns as columns_of
    from deniable.publish.plan import continued as continuing
    from deniable.publish.plan import csv_table, households, members, values
    from deniable.publish.plan import ledger as ledgers
    from deniable.publish.plan import precision as precisions
    from deniable.publish.plan import sample as samples
    from deniable.publish.plan.continued import Continued, Earlier
    from deniable.publish.plan.sample import SimpleRandomSample
    from deniable.theorems.analysis import Households
else:  # what reads tables and keys that few plans have
    columns_of = late("deniable.publish.plan.columns")
    continuing = late("deniable.publish.plan.continued")
    csv_table = late("deniable.publish.plan.csv_table")
    households = late("deniable.publish.plan.households")
    ledgers = late("deniable.publish.plan.ledger")
    members = late("deniable.publish.plan.members")
    precisions = late("deniable.publish.plan.precision")
    samples = late("deniable.publish.plan.sample")
    values = late("deniable.publish.plan.values")


def check_report(table: PlanTable) -> None:
    """Refuse what is no text, is empty, or is too long for its place."""
    for key in table.entries:
        length = len(table.text(key))
        if length > LONGEST[key]:
            raise table.error(key, f"at most {LONGEST[key]} characters", str(length), "Shorten it.")


def read_source(
    data: PlanTable,
    base: Path,
    frame: sources.Frame | None,
    queries: Iterable[tuple[PlanTable, Query]],
    columns: columns_of.Columns | None,
) -> sources.Source:
    """The source, once every column that the plan names is there and of the right kind."""
    used = [use for table, query in queries for use in uses(table, query)]
    of_source = used if columns is None else columns.of_source(used)
    source = read_location(data, base)
    declared = dict(source.types)
    if frame is None and source.location == sources.MEMORY:
        remedy = "Call deniable.release(plan, out, data=frame) in Python, or name a file."
        raise data.error("source", "the table itself as data", "none", remedy)
    with data.naming("source"):
        has_texts = sources.holds_texts(source)
    has_types = has_texts or frame is not None
    takes = known_keys.TYPES if has_types else sources.reader_class(source).TYPES
    if has_texts:
        if not sources.is_csv(source):
            _refuse_keys(data, ("csv",), "a CSV source")
        source = attrs.evolve(
            source, types=infer_types(of_source, declared, source.dialect.formats)
        )
    elif frame is not None:
        source = _of_frame(data, source, frame, of_source)
    else:
        _refuse_keys(data, ("csv",) if takes else ("types", "csv"), "a CSV source")
        with data.naming("source"):
            empty = sources.reader_of(source).empty()
        source = attrs.evolve(source, types=types_of_empty(empty, declared, of_source))
    if known_keys.LABELS in declared.values() and known_keys.LABELS not in takes:
        column = next(each for each, word in declared.items() if word == known_keys.LABELS)
        remedy = "Labels stand in files of SPSS and Stata."
        got = quote_text(known_keys.LABELS)
        raise data.error(f"types.{format_key(column)}", "a type that this source has", got, remedy)
    with data.naming("source"):
        known = sources.schema(source)
    if sources.is_csv(source) and source.dialect.columns is None:
        schemas.check_header(data, known, {*declared, *(use.column for use in of_source)})
    if takes and frame is None and not has_texts:
        source = attrs.evolve(source, keys=schemas.keys_without_value(source, of_source))
    for column in declared:
        check_column(data, f"types.{format_key(column)}", column, known)
    if (key := entity_key(data)) in data:
        check_column(data, key, data.text(key), known)
        with data.naming(key):
            sources.check_entity(source, data.text(key), known)
    if any(key in data for key in _CLEANING):
        csv_table.check_cleaning(data, source, known)
    objects = set() if frame is None else set(frame.objects()) - set(declared)
    if columns is not None:
        known = columns.check(known, objects)
    if source.cleaning.fold:
        source = csv_table.keep_spelling(source, of_source)
    check_uses(source, known, used, columns)
    return source if columns is None else attrs.evolve(source, derived=columns.derived)


def check_uses(
    source: sources.Source,
    known: Mapping[str, sources.Kind],
    used: list[Use],
    columns: columns_of.Columns | None,
) -> None:
    """Refuse uses of columns that their kinds or the values that they can have do not allow."""
    objects = set(source.frame.objects()) - set(source.types) if source.frame else set[str]()
    for use in used:
        check(use, known, objects)
        if known[use.column] is sources.Kind.TEXT:
            schemas.refuse_day_as_text(use, source.dialect.formats, is_text=True)
        if columns is not None:
            columns.check_values(use)
    types = functools.cache(lambda: sources.reader_of(source).types())
    texts = sources.reader_of(source).known_texts()
    for use in used if columns is None else columns.of_source(used):
        if use.is_compared:
            csv_table.check_compared(use, source, known[use.column], types)
            if use.column in texts:
                schemas.check_label(use, texts[use.column])


_CLEANING = ("trim", "fold", "recode")


def entity_key(data: PlanTable) -> str:
    """The key of [data] that names the entity's column, where one does."""
    return "household" if "household" in data else "entity"


def read_location(data: PlanTable, base: Path) -> sources.Source:
    """Return where the table is and how it is written, as [data] says; nothing is opened."""
    declared: dict[str, str] = {}
    if "types" in data:
        types = data.table("types")
        declared = {
            key: types.word(key, (*known_keys.TYPES, known_keys.LABELS), "a type", spelling.TYPES)
            for key in types.entries
        }
    nulls = data.texts("nulls") if "nulls" in data else ("",)
    dialect = csv_table.read_dialect(data) if "csv" in data else sources.Dialect()
    is_cleaned = any(key in data for key in _CLEANING)
    cleaning = csv_table.read_cleaning(data) if is_cleaned else sources.Cleaning()
    location = data.text("source")
    if (database := _DATABASE.fullmatch(location)) is not None:
        named = f"duckdb:{database['file']}{database['table'] or '?table=NAME'}"
        remedy = f"Write source = {quote_text(named)}."
        raise data.value_error("source", "duckdb: before a DuckDB file", location, remedy)
    return sources.Source(location, base, declared, nulls, dialect, cleaning)


_DATABASE = re.compile(r"(?P<file>[^:?]+[.](?:duckdb|ddb|db))(?P<table>[?]table=.+)?")
"""A DuckDB file without the word that stands before one."""


def _refuse_keys(data: PlanTable, keys: Iterable[str], source: str) -> None:
    for key in keys:
        if key in data:
            raise data.error(key, f"{source} with this key", "another source", f"Remove {key}.")


def _of_frame(
    data: PlanTable, source: sources.Source, frame: sources.Frame, used: Sequence[Use]
) -> sources.Source:
    """The frame, with what the plan says of columns whose types are guesses; others stay theirs."""
    _refuse_keys(data, ("csv",), "a CSV source")
    frame = frame.with_declared(types_of_empty(frame.empty(), source.types, used))
    source = attrs.evolve(source, frame=frame)
    known = sources.reader_of(source).kinds()
    for column, word in source.types.items():
        if known.get(column, word) != word:
            place, of = f"types.{format_key(column)}", known[column]
            kind = "another kind" if of is sources.Kind.OTHER else f"the kind {of}"
            got = f"{quote_text(column)} of {kind}"
            remedy = "Remove it, or convert the column of the data frame."
            raise data.error(place, f"a column of the kind {word}", got, remedy)
    named = [(use.table, use.key, use.column) for use in used]
    named += [(data, key, data.text(key))] if (key := entity_key(data)) in data else []
    for table, key, column in named:
        if column in frame.index:
            got = f"{quote_text(column)}, which is in the index"
            raise table.error(key, "a column", got, "Call reset_index() on the data frame first.")
    return source


LARGEST = 2**24
"""Most numbers (cells x bins, or cells x candidates) that one query may hold in memory."""


@attrs.frozen
class Setting:
    """What [data] and [limits] say about every query: who is protected, and how much they own."""

    entity: str | None
    adjacency: Adjacency
    rows_per_entity: int | None = None
    by_household: bool = False

    @property
    def limit(self) -> str:
        """The key of [limits] that says how many rows."""
        return "rows_per_household" if self.by_household else "rows_per_entity"

    def protection(self, max_contribution: float | None) -> Protection:
        """How much of the table one entity may own in a query."""
        if max_contribution is not None:
            return Protection(self.adjacency, None, max_contribution)
        return Protection(self.adjacency, 1 if self.entity is None else self.rows_per_entity)


@attrs.frozen
class QueryRequest:
    """The table of a query, and what the rest of the plan says of it.

    `gaussian` says whether the plan has a δ that admits Gaussian noise.
    """

    table: PlanTable
    setting: Setting
    has_delta: bool = False
    gaussian: bool = False
    where: tuple[Condition, ...] = ()

    @property
    def is_total_public(self) -> bool:
        """Whether all rows take part, each an entity, and their number is public."""
        replace_one = self.setting.adjacency is Adjacency.REPLACE_ONE
        return replace_one and self.setting.entity is None and not self.where

    def grouping(self) -> Grouping:
        """What the query groups by."""
        return read_grouping(self.table, self.table.text("statistic"), has_delta=self.has_delta)

    def keys(self, columns: Sequence[str]) -> tuple[tuple[Scalar, ...], ...]:
        """The keys that it lists of these columns."""
        return read_keys(self.table, columns)

    def build(self, made: type[Statistic], grouping: Grouping) -> Statistic:
        """The statistic, with fields from its keys and from the plan."""
        table, fields = self.table, attrs.fields_dict(made)
        values: dict[str, Any] = {
            key.name: key.type.read(table, key.name)
            for key in made.KEYS
            if key.name in fields and (key.name in table or key.default == known_keys.REQUIRED)
        }
        values |= made.from_plan(self, grouping)
        with table.locate_errors(*(key for key in (*values, "keys") if key in table), "statistic"):
            return made(**values)


def read_query(
    table: PlanTable, setting: Setting, *, gaussian: bool = False, has_delta: bool = False
) -> Query:
    """A query whose numbers are checked; its columns are not.

    `has_delta` says whether the plan has a δ, `gaussian` whether that admits Gaussian noise.
    """
    name, kind = table.text("name"), table.text("statistic")
    if kind not in STATISTICS:
        raise table.value_error("statistic", "a statistic", kind, _meant(kind))
    made = STATISTICS[kind]
    request = QueryRequest(table, setting, has_delta, gaussian)
    weight = table.entries.get("weight")
    if isinstance(weight, str) and weight.strip("0123456789."):  # a survey's column, it seems
        expected = "the query's share of the budget, a number"
        raise table.value_error("weight", expected, weight, spelling.OF_A_SURVEY["weights"])
    made.check_table(request)
    where = values.read_conditions(table) if "where" in table else ()
    grouping, statistic = made.read(attrs.evolve(request, where=where))
    query = Query(
        name=name,
        statistic=statistic,
        grouping=grouping,
        where=where,
        max_contribution=_positive(table, "max_contribution", None),
        weight=_positive(table, "weight", 1.0) or 1.0,
    )
    _check_protection(table, query, setting)
    cells = query.grouping.cells
    if cells > LARGEST:
        raise table.error("keys", f"at most {LARGEST} groups", str(cells))
    with table.locate_errors("statistic", "max_contribution"):
        parts = query.statistic.parts(setting.protection(query.max_contribution), cells)
    for part in parts:
        if isinstance(part, PublicPart):
            continue
        vector = isinstance(part, VectorPart)
        numbers = part.coordinates if isinstance(part, VectorPart) else cells * part.candidates
        if numbers > LARGEST:
            what = "groups times bins" if vector else "groups times candidates"
            raise table.error("statistic", f"at most {LARGEST} {what}", str(numbers))
    if "precision" not in table:
        return query
    protection = setting.protection(query.max_contribution)
    return precisions.with_precision(table, query, protection, gaussian=gaussian)


def _meant(word: str) -> str:
    """Which statistic may be meant by another word, and what else a plan then needs."""
    others = {each: made for made in STATISTICS.values() for each in made.OTHERS}
    remedy = suggestion(word, STATISTICS, {each: made.kind for each, made in others.items()})
    if (made := others.get(plain(word))) and (more := made.OTHERS[plain(word)]):
        return f"{remedy.removesuffix('?')}{more}?"
    return remedy


def _positive(table: PlanTable, key: str, default: float | None) -> float | None:
    if key not in table:
        return default
    with table.locate_errors(key):
        return validate.positive(table.number(key), key)


def _check_protection(table: PlanTable, query: Query, setting: Setting) -> None:
    kind = query.statistic.kind
    if query.max_contribution is not None:
        if setting.entity is None:
            expected = "an entity column with max_contribution"
            remedy = "Name the entity column in [data]; without one, each row is an entity."
            raise table.error("max_contribution", expected, "none", remedy)
        if not query.statistic.SCALABLE:
            remedy = f"Remove it and set {setting.limit} in [limits]."
            raise table.error("max_contribution", f"no max_contribution for {kind}", "one", remedy)
    elif setting.entity is not None and setting.rows_per_entity is None:
        remedy = f"Set {setting.limit} in [limits]"
        if query.statistic.SCALABLE:
            remedy += ", or max_contribution in this query"
        raise table.error("statistic", "a limit on what one entity adds", "none", f"{remedy}.")
    query.statistic.check_protection(table, setting.protection(query.max_contribution))
    replace_one = setting.adjacency is Adjacency.REPLACE_ONE
    everything = query.statistic.column is None and not (query.grouping.columns or query.where)
    if replace_one and setting.entity is None and everything:
        got = f"{kind} of all rows, which replace-one makes public"
        remedy = 'Add where or group_by, or set adjacency = "add-remove" in [data].'
        raise table.error("statistic", "a number that is not public", got, remedy)


@attrs.frozen
class PublicPlan:
    """What a plan asks for; all of it may be known, and none of it depends on the source.

    Without an `entity` each row is one; `unit` is a word for it, for the report. `adversary` says
    what may be believed before, `target` what may be believed after, or a budget outright; with
    `population`, what is asked besides of somebody who knows the list of members and nobody who was
    drawn, it is the floor. `delta` is the exceedance that admits Gaussian noise; with `laplace` it
    is for unknown keys alone, and noise is Laplace noise. Queries are in the plan's order. The
    release is charged to `dataset` of a ledger; `continued` is the release whose running counts go
    on. `digest` is the SHA-256 of the plan's own text in hexadecimal digits, if known, `published`
    the plan as the certificate holds it. Each of `derived` is after those that it reads, and
    `sample` says on the releaser's word how the table was drawn from a population. `independent`
    are the names of queries whose noise is independent although less would do, as in certificates
    of before it was known. `households` are the laws of those whose members the target speaks of;
    the entity is one of them if `by_household`.
    """

    entity: str | None
    unit: str | None
    adjacency: Adjacency
    adversary: BoundedPriors
    target: Target
    delta: float | None
    rows_per_entity: int | None
    queries: tuple[Query, ...]
    dataset: str | None = None
    population: PopulationDemand | None = None
    digest: str = ""
    published: Mapping[str, Any] | None = attrs.field(default=None, repr=False)
    derived: tuple[DerivedColumn, ...] = ()
    continued: Continued | None = None
    sample: SimpleRandomSample | None = None
    laplace: bool = False
    independent: frozenset[str] = frozenset()
    by_household: bool = False
    households: Households | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is used, once each: the entity's, then in the queries' order."""
        columns = [] if self.entity is None else [self.entity]
        for query in self.queries:
            columns += query.columns
        return tuple(dict.fromkeys(columns))

    def protection(self, query: Query) -> Protection:
        """How much of the table one entity may own in a query."""
        setting = Setting(self.entity, self.adjacency, self.rows_per_entity)
        protection = setting.protection(query.max_contribution)
        # With δ noise is Gaussian; intervals for a population, and what is said against somebody
        # who knows a list of members, are worked out for independent noise.
        total = self.adjacency is Adjacency.REPLACE_ONE and self.delta is None
        total = total and self.population is None and self.sample is None
        return attrs.evolve(protection, public_total=total and query.name not in self.independent)


@attrs.frozen(kw_only=True)
class Plan(PublicPlan):
    """A plan that has been read and agrees with the schema of its source.

    `text` is the file's, byte for byte. `members` is the list that the data were drawn from, where
    an adversary knows it. `spends` is in units of ρ that Gaussian noise may spend, where the plan
    asks for a share of a dataset's budget; its target is then provisional.
    """

    text: str = attrs.field(repr=False)
    path: Path
    source: sources.Source
    ledger: Ledger | None = None
    members: sources.Source | None = None
    spends: int | None = None
    earlier: Earlier | None = None


_NO_LEDGER = GivenLedger(None, None)


def read_plan(
    plan: PlanInput, data: object | None = None, handed: GivenLedger = _NO_LEDGER
) -> Plan:
    """Read a plan and check it against itself and the schema of its source.

    The source's values are not looked at: two tables of one schema give the same answer.

    `plan` is a TOML file, TOML text, or what TOML reads from it; a relative source is looked up
    beside the file, or in the current folder. `handed` is a ledger that the plan does not name.
    """
    given = PlanText.of(plan)
    text, base = given.text, given.path.parent
    top = with_files_read(known_keys.with_known_keys(given).top, base)
    if data is not None:
        top = _in_memory(top)
    if handed != _NO_LEDGER:
        top = ledgers.with_handed(top, handed)
    share = None
    if "ledger" in top:
        top, share = ledgers.with_target(top, base, handed)
    earlier = None
    if known_keys.CONTINUE in top:
        top, earlier = continuing.with_earlier(top, base)
    public = attrs.evolve(
        _public(top), digest=sha256(text.encode("utf-8")), published=public_content(top.entries)
    )
    if earlier is not None:
        before = public_plan(earlier.certificate.plan or {})
        continuing.check_same(top, before.published or {}, before.queries, public.queries)
    frame = None if data is None else sources.frame_of(data)
    queries = list(zip(top.tables("query"), public.queries, strict=True))
    columns = None
    if public.derived:
        columns = columns_of.Columns(top.section("columns"), public.derived)
    source = read_source(top.table("data"), base, frame, queries, columns)
    listed = None
    if public.population is not None:
        listed = members.read_members(top.table("adversary"), base, source, public.entity, queries)
    ledger = ledgers.ledger_of(top.section("ledger"), base, handed) if "ledger" in top else None
    if share and public.delta and any(query.grouping.unknown for query in public.queries):
        wanted = (public.target, public.adversary, public.delta)
        ledgers.check_exposure_of_share(
            top.section("ledger"), share, *wanted, laplace=public.laplace
        )
    return Plan(
        text=text,
        path=given.path,
        source=source,
        ledger=ledger,
        spends=share.most.units if share is not None and share.is_provisional else None,
        earlier=earlier,
        members=listed,
        **{field.name: getattr(public, field.name) for field in attrs.fields(PublicPlan)},
    )


def public_plan(content: Mapping[str, Any], file: str = FILE) -> PublicPlan:
    """The plan that a certificate holds, read without its source; messages name the file."""
    top = PlanTable(file, "", entries(content))
    top.table("data").text("source")
    known_keys.refuse_unknown_keys(top)
    for name, key in places(content):
        table = top.section(name)
        if table.raw(key) != WITHHELD:
            raise table.value_error(key, f"{WITHHELD!r} in a published plan", table.raw(key))
    return attrs.evolve(_public(top), published=content)


def _in_memory(top: PlanTable) -> PlanTable:
    """The plan with its source named, for a table that is handed over."""
    data = top.section("data")
    if "source" in data and data.raw("source") != sources.MEMORY:
        got = format_toml_value(data.raw("source"))
        remedy = "Leave source out, or hand over no data."
        raise data.error("source", f'"{sources.MEMORY}", or no source, beside data', got, remedy)
    return top.having("data", {**data.entries, "source": sources.MEMORY})


def _public(top: PlanTable) -> PublicPlan:
    check_report(top.section("report"))
    data = top.table("data")
    setting = _setting(data, top.section("limits"))
    word = data.text("unit") if "unit" in data else "household" if setting.by_household else None
    demands = read_demands(top, setting.adjacency)
    derived = columns_of.read_columns(top).derived if "columns" in top else ()
    tables = queries(top, derived)
    has_delta = demands.delta is not None
    gaussian = has_delta and not demands.laplace
    checked = _queries(top, tables, setting, gaussian=gaussian, has_delta=has_delta)
    if demands.laplace and not any(query.grouping.unknown for query in checked):
        remedy = "Leave delta out: then noise is Laplace noise, and nothing is excepted."
        raise top.table("target").error("noise", "unknown keys beside laplace", "none", remedy)
    continued = continuing.read_continued(top) if known_keys.CONTINUE in top else None
    if continued is not None:
        checked = continuing.continue_queries(tables, checked, continued)
    if demands.population is not None:
        for table, query in zip(tables, checked, strict=True):
            check_statistic(table, query)
    sample = None
    if "sample" in top or any(query.statistic.needs_sample for query in checked):
        sample = samples.read_sample(top, setting.adjacency, checked)
    tied = None
    if setting.by_household or "household_size" in top.section("adversary"):
        tied = households.read_households(top, setting.adjacency, demands, checked)
    return PublicPlan(
        unit=word,
        queries=checked,
        dataset=ledgers.dataset_of(top.section("ledger")) if "ledger" in top else None,
        derived=derived,
        continued=continued,
        sample=sample,
        households=tied,
        **attrs.asdict(setting, recurse=False),
        **attrs.asdict(demands, recurse=False),
    )


def _setting(data: PlanTable, limits: PlanTable) -> Setting:
    key = entity_key(data)
    by_household = key == "household"
    if by_household and "entity" in data:
        remedy = "A household is the entity: keep household, or write household_size."
        raise data.error("entity", "one of entity and household", "both", remedy)
    entity = data.text(key) if key in data else None
    adjacency = data.text("adjacency") if "adjacency" in data else Adjacency.REPLACE_ONE
    with data.locate_errors("adjacency"):
        neighbours = Adjacency(adjacency)
    setting = Setting(entity, neighbours, None, by_household)
    other = "rows_per_entity" if by_household else "rows_per_household"
    if other in limits:
        what = "a household" if by_household else "no household"
        remedy = f"Write {setting.limit}, or name the household in [data]."
        raise limits.error(other, f"{setting.limit} where [data] has {what}", other, remedy)
    if setting.limit not in limits:
        return setting
    rows = limits.integer(setting.limit)
    if not 1 <= rows <= known_keys.MOST_ROWS:
        expected = f"a whole number from 1 to {known_keys.MOST_ROWS}"
        raise limits.value_error(setting.limit, expected, rows)
    if entity is None:
        remedy = "Name the entity column in [data], or remove the limit: each row is an entity."
        raise limits.error("rows_per_entity", "an entity column with a limit", "none", remedy)
    return attrs.evolve(setting, rows_per_entity=rows)


def _queries(
    top: PlanTable, tables: list[PlanTable], setting: Setting, *, gaussian: bool, has_delta: bool
) -> tuple[Query, ...]:
    if not tables:
        raise top.error("[[query]]", "at least one [[query]]", "none", "Say what to publish.")
    if len(tables) > known_keys.MOST_QUERIES:
        remedy = "Group by a column instead, or make several releases."
        raise top.error("[[query]]", f"at most {known_keys.MOST_QUERIES}", str(len(tables)), remedy)
    by_name: dict[str, Query] = {}
    by_statistic: dict[type[Statistic], list[PlanTable]] = {}
    for table in tables:
        query = read_query(table, setting, gaussian=gaussian, has_delta=has_delta)
        if query.name in by_name:
            raise table.error("name", "a name of its own", f"{quote_text(query.name)} twice")
        by_name[query.name] = query
        by_statistic.setdefault(type(query.statistic), []).append(table)
    for made, own in by_statistic.items():
        made.check_together(own)
    have_precision = ["precision" in table for table in tables]
    if any(have_precision) and not all(have_precision):
        remedy = "Give every query a precision, or each a weight: nothing is left to share."
        table = tables[have_precision.index(False)]
        raise table.error("precision", "precision in every query, or in none", "some", remedy)
    return tuple(by_name.values())
