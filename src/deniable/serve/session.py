"""A session: one table, bounded once, and questions that are chosen in the light of all answers."""

from __future__ import annotations

import hashlib
import itertools
import json
import operator
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import attrs

from deniable.certificate.json_documents import sha256
from deniable.errors import (
    BudgetExceeded,
    DeniableError,
    InvalidArgument,
    LedgerError,
    PlanError,
    validate,
)
from deniable.errors.public_names import nearest
from deniable.ledger import units
from deniable.ledger.beliefs import after, beliefs_in_the_end
from deniable.ledger.book import beyond
from deniable.ledger.charge import State
from deniable.ledger.costs import Spent, cost_of
from deniable.ledger.dataset import Measure, People, check_people
from deniable.ledger.ledger import Ledger
from deniable.ledger.server import is_url
from deniable.ledger.summary import ledger_of
from deniable.ledger.tables import Sums
from deniable.ledger.units import Spending, at_least, at_most
from deniable.numerics import operating_system
from deniable.pipeline.release import draw_rows
from deniable.publish.kind import KIND, certify_query
from deniable.publish.plan import (
    WITHHELD,
    PlanInput,
    PlanTable,
    PlanText,
    PublicPlan,
    check_column,
    check_uses,
    entries,
    format_key,
    holds_nul,
    public_content,
    public_plan,
    queries,
    quote_text,
    read_columns,
    read_key,
    read_source,
    suggestion,
    uses,
)
from deniable.publish.prepare import Prepared, calibrate_plan
from deniable.publish.query import STATISTICS
from deniable.publish.release import MEMORY_LIMIT, draw_parts
from deniable.publish.solve import solve
from deniable.publish.sources import (
    MEMORY,
    Kind,
    OpenTable,
    Source,
    files,
    frame_of,
    open_table,
    reader_class,
    schema,
)
from deniable.publish.totals import Bucket, Total, bound, totals
from deniable.publish.typed_rows import printed_rows
from deniable.serve.settings import FORM, Client, Settings, read_settings

MOST_CELLS = 10_000
"""Numbers of one answer: a page of JSON of some 2 MB, and no work for minutes."""
MOST_COLUMNS = 10
"""Columns of a table with totals, which has margins of all sets of them."""
MOST_WORDS = 500
"""Names, numbers and lists of a question beside its keys: the statement of so many takes a second,
of all that fit into a request ten."""
MOST_WAITING = 8
"""Questions of one client that wait for the table: each is answered in a second, or in a few."""
_OWNER = "owner"
"""The payer of questions in Python that name no client; the whole budget is theirs."""
_PROBE = {"name": "probe", "statistic": "count", "where": [["any", "==", 1]]}
"""A query with which the tables around it are read as those of a plan."""


class BusyError(DeniableError):
    """Too many questions of one client wait; nothing was charged."""


# --- Answers that left the service: kept on disk before they leave, and given again at no cost.


def digest_of(value: Any) -> str:
    """SHA-256 of JSON, keys sorted, without spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return sha256(text.encode("utf-8"))


@attrs.define
class Answers:
    """Answers by the digest of their question: a file of lines that are only added, or memory.

    A line is on the disk before `add` returns. The last one may be cut off where a process was
    killed; it had not left then, and is dropped.
    """

    _known: dict[str, dict[str, Any]] = attrs.field(factory=dict, init=False)
    _data: dict[str, str] = attrs.field(factory=dict, init=False)
    _descriptor: int | None = attrs.field(default=None, init=False)
    _end: int = attrs.field(default=0, init=False)
    """Bytes of whole lines: what is behind them was never known."""

    @classmethod
    def open(cls, path: Path | None, closing: ExitStack) -> Answers:
        """Open a file for this process alone, made where there is none; memory without a path."""
        answers = cls()
        if path is None:
            return answers
        descriptor = operating_system.open_lock(path)
        closing.callback(os.close, descriptor)
        try:
            operating_system.lock(descriptor)
        except BlockingIOError:
            raise InvalidArgument(
                f"Expected answers that no other service keeps, got {path}, which one does. Stop "
                "it, or name another file."
            ) from None
        with path.open("rb") as file:
            content = file.read()
        lines = content[: content.rfind(b"\n") + 1]
        answers._end = len(lines)
        try:
            for line in lines.splitlines():
                answers._enter(json.loads(line))
        except (ValueError, KeyError, TypeError):
            raise InvalidArgument(
                f"Expected answers that this service wrote, got another file: {path}."
            ) from None
        operating_system.write_names_to_disk(path.absolute().parent)
        answers._descriptor = descriptor
        return answers

    def get(self, question: str) -> dict[str, Any] | None:
        """The answer to a question that was answered; None where it was not."""
        return self._known.get(question, {}).get("answer")

    def add(self, question: str, charge: str, answer: dict[str, Any], ledger: Ledger) -> None:
        """Keep an answer on the disk, have the ledger enter its digest, and only then know it."""
        line = {"question": question, "charge": charge, "answer": answer}
        self._write(line)
        ledger.released(charge, digest_of(answer))
        self._enter(line)

    def check_data(self, edition: str, digest: str) -> None:
        """Refuse other data under an edition that was served before; for the owner."""
        before = self._data.get(edition)
        if before is None:
            line = {"data": digest, "edition": edition}
            self._write(line)
            self._enter(line)
        elif before != digest:
            raise InvalidArgument(
                f"Expected the data that edition {edition!r} had, got others. Name a new edition "
                "in [serve]."
            )

    def reconcile(self, ledger: Ledger, dataset: str, ours: str) -> None:
        """End charges that a killed service left open, and forget answers that never left.

        An answer leaves once its charge is entered as released. One that was kept is entered now;
        where there is none, nothing of the charge left. `ours` begins the names of who charged.
        """
        last = {entry.id: entry for entry in ledger.entries(dataset)}
        kept = {line["charge"]: line["answer"] for line in self._known.values()}
        for charge, entry in last.items():
            is_ours = entry.by.startswith(ours) and entry.what.startswith("question ")
            if entry.state is State.CHARGED and is_ours:
                if charge in kept:
                    ledger.released(charge, digest_of(kept[charge]))
                else:
                    ledger.void(charge, "the service ended before an answer left")
        gone = {charge for charge in kept if charge not in last or last[charge].state is State.VOID}
        for question in [each for each, line in self._known.items() if line["charge"] in gone]:
            del self._known[question]

    def _enter(self, line: dict[str, Any]) -> None:
        if "data" in line:  # their digest, which never leaves this file
            self._data[line["edition"]] = line["data"]
        else:
            self._known[line["question"]] = {"charge": line["charge"], "answer": line["answer"]}

    def _write(self, line: dict[str, Any]) -> None:
        if self._descriptor is None:
            return
        # A line that was not written to its end, on a full disk, is overwritten by the next one.
        os.lseek(self._descriptor, self._end, os.SEEK_SET)
        os.ftruncate(self._descriptor, self._end)
        text = memoryview(json.dumps(line).encode("utf-8") + b"\n")
        while text:
            text = text[os.write(self._descriptor, text) :]
        os.fsync(self._descriptor)
        self._end = os.lseek(self._descriptor, 0, os.SEEK_CUR)


# --- Questions.


@attrs.frozen
class Question:
    """A query with its noise, what it costs, and a digest of all that its answer depends on."""

    prepared: Prepared[PublicPlan]
    cost: Spending
    digest: str


class Session:
    """Answers to questions about one table, charged to a dataset of a ledger.

    The table is read and bounded once, when the session begins: an entity keeps the same rows in
    all questions, chosen by a secret salt that is not kept. An answer leaves once its charge and
    it are on the disk. Asked again, a question costs nothing. Close the session at its end, or
    use it in a `with` statement; threads may share it.

    Parameters
    ----------
    plan : path, str or mapping
        A plan without queries, or its text. Its target is that of a question that names none. A
        table ``[serve]`` may name `columns` and an `edition`, tables ``[[client]]`` who may ask.
    ledger : Ledger, path or URL
        Where questions are charged.
    dataset : str
        Whose budget.
    data : data frame, optional
        The table itself, as `deniable.release` takes it.
    answers : path, optional
        The file of answers that are remembered; beside the ledger's file if left out, and in
        memory alone for a server's ledger.
    memory_limit : str
        What the engine may use before it spills to disk.

    Raises
    ------
    PlanError
        If the plan is wrong.
    InvalidArgument
        If the dataset is about others, or another service keeps these answers.

    Examples
    --------
    >>> import tempfile, pyarrow as pa
    >>> from deniable.ledger import new
    >>> who = {"adjacency": "add-remove"}
    >>> plan = {"data": who, "target": {"epsilon": 0.5}}
    >>> table = pa.table({"age": [31, 45, 62, 70]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = new(f"{folder}/a.ledger", "people", epsilon=1.0, each_row=True, **who)
    ...     with Session(plan, f"{folder}/a.ledger", "people", data=table) as session:
    ...         query = {"statistic": "count", "where": [["age", ">=", 60]]}
    ...         answer, again = session.ask(query), session.ask(query)
    >>> answer["cost"], answer["left"]["left"], again["cost"], again["rows"] == answer["rows"]
    (0.5, 0.5, 0.0, True)
    """

    @validate.explain_calls
    def __init__(
        self,
        plan: PlanInput,
        ledger: Ledger | str | os.PathLike[str],
        dataset: str,
        *,
        data: object | None = None,
        answers: str | os.PathLike[str] | None = None,
        memory_limit: str = MEMORY_LIMIT,
    ) -> None:
        given = PlanText.of(plan)
        settings = read_settings(given)
        self._ledger = ledger_of(ledger)
        self.dataset = self._ledger.dataset(dataset)
        self.clients = {each.name: each for each in settings.clients}
        self._file = given.path if given.path.is_file() else None
        self._seen = _status(self._file)
        self._statistics = [each for each in STATISTICS if STATISTICS[each].SERVED]
        self._queue, self._queue_lock = list[tuple[str, threading.Event]](), threading.Lock()
        self._closing = ExitStack()
        with ExitStack() as opening:
            # The tables that every question shares, as a certificate holds them, and their plan.
            tables = {**settings.top.entries, "ledger": {"file": WITHHELD, "dataset": dataset}}
            tables["data"] = {"source": WITHHELD, **settings.top.table("data").entries}
            self._base = public_content(tables)
            self._plan = public_plan({**self._base, "query": [_PROBE]}, given.name)
            if self._plan.population or self._plan.households or self._plan.by_household:
                raise PlanError(
                    "Expected a plan without a population or households, got one with them."
                )
            people = People(self._plan.entity, self._plan.unit, self._plan.adjacency)
            check_people(self.dataset, people)
            self._read_table(settings, given.path.parent, data)
            path = None if answers is None else Path(answers)
            if path is None and not is_url(self._ledger.place):
                path = Path(f"{self._ledger.place}.{digest_of(dataset)[:8]}.answers")
            self._answers = Answers.open(path, opening)
            self._edition = settings.edition or os.urandom(16).hex()
            if settings.edition:  # a table of a database is known by its place alone
                digest = _digest_of_files(self._source) or digest_of(self._source.location)
                self._answers.check_data(settings.edition, digest)
            self._answers.reconcile(self._ledger, dataset, _payer(""))
            self._sums = Sums()
            self._bucket = self._load(opening, memory_limit)
            self._closing = opening.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the table and of the answers' file."""
        with self._in_turn(""):
            self._closing.close()

    def current_clients(self) -> Mapping[str, Client]:
        """Return who may ask: as the plan's file says now, and nobody if it cannot be read."""
        status = _status(self._file)
        if status != self._seen:
            clients = dict[str, Client]()
            with suppress(DeniableError):
                again = read_settings(PlanText.of(self._file or ""))
                clients = {each.name: each for each in again.clients}
            self._seen, self.clients = status, clients
        return self.clients

    def describe(self) -> dict[str, Any]:
        """Return what may be asked, and what all answers together keep to; nothing of the data."""
        dataset, plan = self.dataset, self._plan
        return {
            "dataset": dataset.name,
            "entity": plan.entity,
            "unit": plan.unit,
            "adjacency": str(plan.adjacency),
            "columns": {name: str(kind) for name, kind in self._known.items()},
            "keys": self._base.get("keys", {}),
            "statistics": self._statistics,
            "rows_per_entity": plan.rows_per_entity,
            "most_cells": MOST_CELLS,
            "most_columns": MOST_COLUMNS,
            "most_words": MOST_WORDS,
            "target_of_a_question": self._base["target"],
            "prior": [dataset.adversary.low, dataset.adversary.high],
            "target": dataset.target.as_json(),
            "measure": str(dataset.measure),
            "budget": at_least(dataset.budget),
            "after_everything": beliefs_in_the_end(dataset).as_json(),
        }

    def cost(
        self,
        query: Mapping[str, Any],
        *,
        target: Mapping[str, Any] | None = None,
        client: str | None = None,
    ) -> dict[str, Any]:
        """Return what a question would cost and how accurate it is, without asking it."""
        question = self._read_question(query, target)
        cost = Spending(0) if self._answers.get(question.digest) else question.cost
        left, spent = self._left(client)
        fits = cost.units <= left
        return {
            "cost": at_most(cost.units),
            "remembered": not cost.units,
            "fits": fits,
            "posterior": after(self.dataset, spent + cost).as_json()["posterior"] if fits else None,
            "query": question.prepared.queries[0].figures(),
        }

    def ask(
        self,
        query: Mapping[str, Any],
        *,
        target: Mapping[str, Any] | None = None,
        client: str | None = None,
    ) -> dict[str, Any]:
        """Answer a question, charged before its noise is drawn.

        Parameters
        ----------
        query : mapping
            One query in the words of a plan. With `precision` it costs what that needs.
        target : mapping, optional
            What this question may spend, as ``[target]`` of a plan, in place of the plan's.
        client : str, optional
            Who asks: a client of the plan, or without one the owner.

        Returns
        -------
        dict
            `rows` with half-widths, `cost` in the ledger's measure, and what is `left`.

        Raises
        ------
        PlanError
            If the query is wrong.
        InfeasibleTarget
            If no noise meets the target.
        BudgetExceeded
            If less is left for the client, or for all; the table is not looked at then.
        BusyError
            If too many questions of this client wait already.
        """
        question = self._read_question(query, target)
        cost, answer = Spending(0), self._answers.get(question.digest)
        if answer is None:
            if self._queue:  # else the charge says so: here it would wait first
                left, spent = self._left(client)
                payer = _payer(client) if left < self.dataset.budget - spent.units else None
                if not question.cost.fits(Spending(left)):
                    refused = beyond(self.dataset, question.cost, Spending(left), payer)
                    raise BudgetExceeded(f"{refused} Ask for less.")
            with self._in_turn(_payer(client)):
                if (answer := self._answers.get(question.digest)) is None:
                    cost, answer = question.cost, self._draw(question, client)
        price = {"cost": at_most(cost.units), "remembered": not cost.units}
        answered = {**answer, **price, "left": None}
        with suppress(DeniableError):  # who was revoked meanwhile has paid, and gets the answer
            answered["left"] = self.left(client=client)
        return answered

    def left(self, *, client: str | None = None) -> dict[str, Any]:
        """Return what a client may still spend, and what can be believed after all so far."""
        left, spent = self._left(client)
        beliefs = after(self.dataset, spent)
        return {
            "measure": str(self.dataset.measure),
            "left": at_least(max(left, 0)),
            "left_for_all": at_least(self.dataset.budget - spent.units),
            "posterior": beliefs.as_json()["posterior"],
            "exceedance": beliefs.exceedance,
        }

    def _read_table(self, settings: Settings, base: Path, data: object | None) -> None:
        """The source, and the kinds of columns that may be asked about; no value is looked at."""
        top, frame = settings.top, None if data is None else frame_of(data)
        table = top.table("data")
        if frame is not None:
            table = attrs.evolve(table, entries={**table.entries, "source": MEMORY})
        self._columns = read_columns(top) if "columns" in top else None
        self._source: Source = read_source(table, base, frame, [], self._columns)
        known = schema(self._source)
        readable = [name for name, kind in known.items() if kind is not Kind.OTHER]
        served = settings.columns
        if served is None:
            served = tuple(name for name in readable if name != self._plan.entity)
        for name in served:
            if name not in readable:
                raise PlanError(
                    f"Expected columns of the source in [serve], got {name!a}. "
                    f"{suggestion(name, readable)}"
                )
        keys = top.section("keys")
        for name in keys.entries:
            if name not in top.section("columns"):
                check_column(keys, format_key(name), name, known)
        self._known: dict[str, Kind] = {name: known[name] for name in served}

    def _load(self, opening: ExitStack, memory_limit: str) -> Bucket:
        """The table with each entity's rows, chosen once; nothing reads the source after this."""
        columns, entity = list(self._known), self._plan.entity
        source: OpenTable = opening.enter_context(
            open_table(self._source, columns, entity=entity, memory_limit=memory_limit)
        )
        self._engine = source.engine
        names = (f"served {number}" for number in itertools.count())
        kept = Total(
            lambda bucket: [source.engine.keep(next(names), bucket.truncated)], operator.add
        )
        ((first, *others),) = totals(source, self._plan.rows_per_entity, [kept])
        rows = first.union(*others) if others else first
        return Bucket(rows, rows, source.entity, only=True)

    def _read_question(
        self, query: Mapping[str, Any], target: Mapping[str, Any] | None
    ) -> Question:
        """Everything about a question that is settled without the data."""
        if not (isinstance(query, dict) and isinstance(target, dict | None)):
            raise PlanError(FORM)
        if not all(isinstance(key, str) for key in query):
            raise PlanError("Expected one query, as in a plan's [[query]], got something else.")
        keys, columns, kind = (query.get(key) for key in ("keys", "columns", "statistic"))
        if isinstance(kind, str) and kind not in self._statistics:
            others = {word: each for each in STATISTICS for word in STATISTICS[each].OTHERS}
            near = nearest(kind, STATISTICS, others)
            hint = suggestion(near or "", [near] if near in self._statistics else self._statistics)
            got = f"{quote_text(kind)} at query, statistic"
            raise PlanError(f"Expected a statistic to ask for, got {got}. {hint}")
        if isinstance(columns, list) and len(columns) > MOST_COLUMNS:
            raise PlanError(f"Expected at most {MOST_COLUMNS} columns, got {len(columns)}.")
        rest = [each for each in query.values() if each is not keys]
        _check_size(rest, MOST_WORDS, "conditions, columns and edges")
        _check_size([keys], 2 * MOST_CELLS, "keys")
        given: dict[str, Any] = {"query": [{"name": "answer", **_one_spelling(query, self._known)}]}
        if target is not None:
            given["target"] = dict(target)
        if holds_nul(given):
            raise PlanError("Expected text without U+0000 in a query, got it. Remove it.")
        content = {**self._base, **public_content(given)}
        grouped = STATISTICS[kind].keyed_columns(query) if isinstance(kind, str) else None
        if isinstance(grouped, list):  # keys of other columns are no matter of this question
            known = {*self._known, *self._base.get("columns", {})}
            for name in (each for each in grouped if isinstance(each, str) and each not in known):
                hint = suggestion(name, known)
                raise PlanError(f"Expected a column of the service, got {quote_text(name)}. {hint}")
            shared = self._base.get("keys", {})
            content["keys"] = {name: keys for name, keys in shared.items() if name in grouped}
        plan = public_plan(content, "")
        [made] = plan.queries
        if made.grouping.unknown or made.max_contribution:
            raise PlanError(
                "Expected listed keys and no max_contribution, got another question. List the keys."
            )
        if made.grouping.cells > MOST_CELLS:
            raise PlanError(f"Expected at most {MOST_CELLS} cells, got {made.grouping.cells}.")
        [table] = queries(PlanTable("", "", entries(content)), plan.derived)
        check_uses(self._source, self._known, list(uses(table, made)), self._columns)
        prepared = solve(plan, calibrate_plan) if made.precision else calibrate_plan(plan)
        [calibrated] = prepared.queries
        if (cells := calibrated.published_cells) > MOST_CELLS:
            raise PlanError(f"Expected at most {MOST_CELLS} cells, got {cells}.")
        about = {name: table for name, table in self._base.items() if name != "target"}
        certified = certify_query(calibrated)
        where = sorted({_condition(*each) for each in certified.where}, key=digest_of)
        same = attrs.asdict(attrs.evolve(certified, name="", weight=1.0, where=tuple(where)))
        digest = digest_of([self._edition, about, same])
        shares = [each for each in calibrated.shares if each is not None]
        measure = Measure.EPSILON if shares[0].rho is None else Measure.RHO
        amount = sum((Fraction(each.amount) for each in shares), Fraction(0))
        return Question(prepared, cost_of(self.dataset, Spent(measure, amount)), digest)

    @contextmanager
    def _in_turn(self, asks: str) -> Iterator[None]:
        """Wait for the table, which reads one question at a time, the first that came first."""
        mine = asks, threading.Event()
        with self._queue_lock:
            if sum(payer == asks for payer, _ in self._queue) >= MOST_WAITING:
                raise BusyError(
                    f"Expected at most {MOST_WAITING} questions at once, got more. Wait for one."
                )
            self._queue.append(mine)
            self._queue[0][1].set()
        try:
            mine[1].wait()
            yield
        finally:
            with self._queue_lock:
                self._queue.remove(mine)
                if self._queue:
                    self._queue[0][1].set()

    def _draw(self, question: Question, client: str | None) -> dict[str, Any]:
        """Charge, draw, keep, enter as released; what is returned has gone through all of it."""
        prepared = question.prepared
        # Charged before the table is looked at, so that no refusal waits for what depends on it.
        charge = self._ledger.charge(
            self.dataset,
            question.cost.units,
            what=f"question {question.digest[:16]}",
            plan_sha256=question.digest,
            by=_payer(client),
            share=None if client is None else self._share(client),
            known=self._sums,
        )

        def exact() -> list[Any]:
            queries = bound(prepared.protected_queries, self._engine, self._bucket.table)
            return [each.totals(self._bucket) for each in queries]

        try:
            draws = draw_parts(prepared, exact, lambda: None, {})
            rows = list(draw_rows(draws, KIND.noise(prepared), lambda: None))
            answer = {"rows": printed_rows(rows)}
        except BaseException:
            with suppress(DeniableError):  # a start looks for it again
                self._ledger.void(charge.id, "the service failed before an answer left")
            raise
        try:
            self._answers.add(question.digest, charge.id, answer, self._ledger)
        except InvalidArgument:  # it names the ledger's place
            raise LedgerError("Expected a charge that stands, got one that is void.") from None
        return answer

    def _share(self, client: str | None) -> int:
        """What a client may spend in all; the owner everything."""
        if client is None:
            return self.dataset.budget
        known = self.current_clients().get(client)
        if known is None:
            raise InvalidArgument(f"Expected a client of the plan, got {quote_text(client)}.")
        return units.part_of(self.dataset.budget, known.share)

    def _left(self, client: str | None) -> tuple[int, Spending]:
        """What is left to a client, of its share and of the budget of all; and what all spent."""
        share = self._share(client)
        self._sums = sums = self._ledger.sums(self.dataset.name, self._sums)
        own = 0 if client is None else sums.of.get(_payer(client), Spending(0)).units
        return min(self.dataset.budget - sums.total.units, share - own), sums.total


def _check_size(values: list[Any], most: int, where: str) -> None:
    """Refuse more values than so many, those within others counted, however deep they are."""
    count = 0
    while values:
        value = values.pop()
        count += 1
        if isinstance(value, dict | list | tuple):
            values += value.values() if isinstance(value, dict) else value
        if count + len(values) > most:
            raise PlanError(f"Expected at most {most} values in {where}, got more. Ask for less.")


def _one_spelling(query: Mapping[str, Any], kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """A query with dates in place of ISO texts in columns of dates, and with 5 in place of 5.0."""
    moments = {name: kind for name, kind in kinds.items() if kind in (Kind.DATE, Kind.TIMESTAMP)}

    def read(value: Any, column: Any) -> Any:
        if isinstance(value, list):
            return [read(each, column) for each in value]
        if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
            return int(value)  # which no column of numbers tells from it
        with suppress(KeyError, TypeError, ValueError):  # the plan says what is wrong with it
            return read_key(value, moments[column])
        return value

    where, keys = query.get("where"), query.get("keys")
    if isinstance(where, list) and all(isinstance(each, list) and len(each) == 3 for each in where):
        query = {**query, "where": [[name, how, read(value, name)] for name, how, value in where]}
    if isinstance(keys, dict):
        query = {**query, "keys": {column: read(value, column) for column, value in keys.items()}}
    return dict(query)


def _condition(column: str, operator: str, value: Any) -> tuple[str, str, Any]:
    """A condition in the form of all that ask the same."""
    if isinstance(value, tuple) and len(value) == 1:
        return column, {"in": "==", "not in": "!="}[operator], *value
    return column, operator, tuple(sorted(value)) if isinstance(value, tuple) else value


def _payer(client: str | None) -> str:
    """What the ledger calls a client; no user of a release has such a name."""
    return f"client {_OWNER if client is None else client}"


def _status(path: Path | None) -> tuple[int, ...]:
    """What changes with a file; nothing where there is none."""
    with suppress(OSError):
        if path is not None:
            status = path.stat()
            return status.st_mtime_ns, status.st_size, status.st_ino
    return ()


def _digest_of_files(source: Source) -> str | None:
    """SHA-256 of a source's files; None where it is none. It never leaves the owner's disk."""
    if source.frame is not None or not reader_class(source).IS_FILE or ":" in source.location:
        return None
    digest = hashlib.sha256()
    for path in files(source):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
