"""The eight steps: what each shows of the plan, and what its forms do."""

from __future__ import annotations

import json
import os
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from importlib import resources
from itertools import chain, count
from pathlib import Path
from typing import Any

import attrs

import deniable
from deniable.certificate.files import CERTIFICATE, REPORT, ROWS_CSV, ROWS_PARQUET, file_names
from deniable.certificate.json_documents import sha256
from deniable.certificate.tables import TableCertificate
from deniable.errors import CostNote, DeniableError, InvalidArgument, ReleaseCancelled
from deniable.numerics.operating_system import UNWANTED
from deniable.publish.owner import first_rows, of_columns, of_noise, of_preview, of_release
from deniable.publish.skeleton import other_delimiter
from deniable.publish.sources import (
    ENCODINGS,
    Kind,
    files,
    holds_texts,
    is_csv,
    other_encoding,
    schema,
)
from deniable.publish.totals import ForOwner
from deniable.report.headline import icon_array
from deniable.report.html import Html, stylesheet
from deniable.report.rendering import render
from deniable.studio import draft as forms
from deniable.studio.draft import Draft, Form, form_of, place_of
from deniable.studio.wording import FIELDS, LABELS, STATISTICS, STEPS, in_form_words, plain

_NEXT = dict(zip(STEPS, [*list(STEPS)[1:], "results"], strict=True))
_KINDS = [("", "as it is used"), *((each, each) for each in Kind if each is not Kind.OTHER)]
"""What a column of texts may be read as."""
_BEFORE, _AFTER = 10, 50
"""Beliefs in percent on which the sliders stand where a plan has none: those of the tutorials."""

Values = dict[str, Any]


@attrs.frozen
class Page:
    """What is sent back: content, or the place to go on."""

    content: str = ""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    place: str | None = None


RUNNING, ASKING, DONE, FAILED = "running", "asking", "done", "failed"
"""What work may be doing."""


def words_of(failure: Exception, step: str, draft: Draft | None = None) -> str:
    """Return what a step says of a failure, of what no page foresees as a release of the plan."""
    if not isinstance(failure, DeniableError | OSError) and draft is not None:
        try:
            deniable.plan(draft.given)
        except (DeniableError, OSError) as reason:
            failure = reason
    if isinstance(failure, OSError):
        return f"The system refused: {failure.strerror or type(failure).__name__}."
    if not isinstance(failure, DeniableError):
        raise failure
    return in_form_words(failure, step)


class Work:
    """One call that takes long, `call(progress, confirm)`, begun at once.

    It can be cancelled until its owner has said yes: from then on something may have been charged.
    """

    def __init__(self, name: str, version: str, call: Callable[[Any, Any], Any]) -> None:
        self.name, self.version, self.id = name, version, uuid.uuid4().hex
        self.state, self.fraction = RUNNING, 0.0
        self.result: Any = None
        self.error: str | None = None
        self.private: ForOwner | None = None
        self.is_cancelled = False
        self._agreed: bool | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(call,))
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in (DONE, FAILED)

    def answer(self, agreed: bool) -> None:
        """Answer its question; a no is a cancellation."""
        with self._changed:
            if self.state == ASKING and self._agreed is None:
                self._agreed, self.state = agreed, RUNNING
                self._changed.notify_all()

    def cancel(self) -> bool:
        """End it, unless something may have been charged; whether it will end."""
        with self._changed:
            if self.is_over or self._agreed:
                return False
            self.is_cancelled = True
            self._changed.notify_all()
            return True

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it has ended, or so long."""
        self._thread.join(seconds)

    def _run(self, call: Callable[[Any, Any], Any]) -> None:
        UNWANTED.set(lambda: self.is_cancelled)
        try:
            self.result = call(self._progress, self._confirm)
        except (DeniableError, OSError) as error:
            notes = [each for each in getattr(error, "__notes__", []) if isinstance(each, CostNote)]
            words = words_of(error, self.name)
            if self.is_cancelled:
                words = "Cancelled. Nothing was charged, drawn or written."
            self.error = " ".join(map(str, (words, *notes)))
        except Exception as error:  # its text may quote a record
            self.error = f"An internal error: {type(error).__name__}. Nothing else is known of it."
        self.state = DONE if self.error is None else FAILED

    def _progress(self, fraction: float) -> None:
        if self.is_cancelled:
            raise ReleaseCancelled("Expected work that is wanted, got a cancellation.")
        self.fraction = fraction

    def _confirm(self, private: ForOwner) -> bool:
        with self._changed:
            self.private, self.state = private, ASKING
            self._changed.wait_for(lambda: self.is_cancelled or self._agreed is not None)
            return self._agreed is True and not self.is_cancelled


class Studio:
    """One plan on the page, and the work that is being done for it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._work: Work | None = None
        self._out: Path | None = None

    def close(self) -> None:
        """End work that is not wanted any more; what may have been charged is completed."""
        if self._work is not None:
            self._work.cancel()
            self._work.wait()

    def show(self, step: str, query: Form) -> Page:
        """The page of a step, or what its script asks."""
        match step:
            case "":
                return Page(place=self._first())
            case "studio.css" | "studio.js":
                kind, more = ("css", stylesheet()) if step.endswith("css") else ("javascript", "")
                text = _TEMPLATES.joinpath(step).read_text("utf-8")
                return Page(f"{more}\n{text}", f"text/{kind}; charset=utf-8")
            case "progress":
                work = self._work
                state = {"state": work.state, "fraction": work.fraction} if work else {}
                return Page(json.dumps(state), "application/json")
            case "beliefs":
                return Page(_beliefs(Draft.read(self.path), query))
            case "plan.toml":
                return Page(Draft.read(self.path).text, "text/plain; charset=utf-8")
            case "cancel" | "answer":  # where a browser goes back to after such a form was refused
                return Page(place="release")
            case _ if step in STEPS:
                return self._page(step, query)
        return Page("There is no such page.", "text/plain; charset=utf-8", 404)

    def _first(self) -> str:
        """The first step that is not done."""
        try:
            draft = Draft.read(self.path)
            if self.files():
                return "results"
            if draft.queries or "target" in draft.top:
                return "cost" if draft.queries else "publish"
            return "attacker" if "adjacency" in draft.table("data") else "file"
        except DeniableError:  # the step says what is wrong with the plan
            return "file"

    def _page(
        self, step: str, query: Form, form: Form | None = None, error: str | None = None
    ) -> Page:
        """A step; after a refusal with what was typed, and why."""
        try:
            draft = Draft.read(self.path)
        except DeniableError as failure:  # the file was changed by hand, or is gone
            values: Values = {"error": str(failure), "lines": [], "step": step, "steps": STEPS}
            return Page(render("studio/page.html", has_remarks=False, **values), status=409)
        values = {"step": step, "steps": STEPS, "next": _NEXT[step], "version": draft.version}
        values["labels"] = LABELS.get(step, {})
        lines = values["lines"] = draft.text.splitlines()
        values["has_remarks"] = any(line.lstrip().startswith("#") for line in lines)
        values |= {"error": error, "f": dict(form or {})}
        try:
            values["columns"] = {} if step in ("file", "results") else draft.offered()
            values |= _SHOW[step](self, draft, query, values["f"])
            page = render(f"studio/{step}.html", plain=plain, **values)
            return Page(page, status=422 if error else 200)
        except Exception as failure:
            values["error"] = error or words_of(failure, step, draft)
        return Page(render("studio/page.html", **values), status=422)

    def send(self, step: str, query: Form, form: Form) -> Page:
        """Do what a form says, and go on; where it is refused, show it again with the reason."""
        with self._lock:
            draft = None
            try:
                draft = Draft.read(self.path)
                if step in ("cancel", "answer"):
                    return self._decide(step, draft, form)
                if form.get("version") != draft.version:
                    raise InvalidArgument(
                        "Expected the plan and columns that this page showed, got some that were "
                        "changed since. Send the form again as it is shown now."
                    )
                if step in ("preview", "release") and form.get("do") == "begin":
                    return self._begin(step, draft, form)
                do, _, place = form.get("do", "save").partition(" ")
                change = _SAVE.get((step, do))
                if change is None:
                    return Page("There is no such form.", "text/plain; charset=utf-8", 404)
                change(draft, {**query, **form, **({"place": place} if place else {})}).save()
            except Exception as failure:
                at = step if step in STEPS else "release"
                return self._page(at, query, form, words_of(failure, at, draft))
        unused = _UNUSED.get((step, do))
        typed = {name: value for name, value in form.items() if unused and unused(name)}
        if any(value.strip() and not _PRESET.match(name) for name, value in typed.items()):
            return self._page(step, {} if do == "save" else query, typed)
        return Page(place=_NEXT[step] if do == "next" else step)

    def _decide(self, step: str, draft: Draft, form: Form) -> Page:
        work = self._work
        if work is None or work.is_over:
            return Page(place="preview" if work and work.name == "preview" else "results")
        if step == "answer" and form.get("do") == "yes":
            if (form.get("work"), draft.version) != (work.id, work.version):
                raise InvalidArgument(
                    "Expected a yes to the release below, got one to another plan or page. Say no, "
                    "and release the plan as it is."
                )
            work.answer(agreed=True)
        elif not work.cancel():
            raise InvalidArgument(
                "Expected work that can be cancelled, got a release that may be charged already. "
                "It ends in a moment."
            )
        else:
            work.wait(_PATIENCE)
        return Page(place=work.name)

    def _begin(self, step: str, draft: Draft, form: Form) -> Page:
        """Begin a preview or a release."""
        if self._work is not None and not self._work.is_over:
            raise InvalidArgument(
                f"Expected no other work, got a {self._work.name} that is running."
            )
        name = form.get("out", "").strip()
        out = self.path.parent / os.path.expanduser(name)  # raises nothing
        if step == "release":
            if not name or "\0" in name:
                got = "one with U+0000" if name else "none"
                raise InvalidArgument(f"Expected a name for the new folder, got {got}. Type one.")
            draft = forms.with_ledger(draft, form)
            draft.save()
            self._out = out

        def call(tell: Any, ask: Any) -> Any:
            if step == "preview":
                return deniable.preview(draft.given, progress=tell)
            return deniable.release(draft.given, out, progress=tell, confirm=ask)

        self._work = Work(step, draft.version, call)
        return Page(place=step)

    def files(self) -> dict[str, Path]:
        """The files of the plan's release, by name: the last one, or one beside the plan."""
        digest = sha256(Draft.read(self.path).text.encode("utf-8")).encode("ascii")
        last = [] if self._out is None else [self._out / CERTIFICATE]
        for certificate in (*last, *sorted(self.path.parent.glob(f"*/{CERTIFICATE}"))):
            # Some names `is_file` refuses with an error: no file has them.
            if os.path.isfile(certificate) and digest in certificate.read_bytes():
                places = (certificate.with_name(name) for name in _FILES)
                return {place.name: place for place in places if place.is_file()}
        return {}

    def work(self, step: str, draft: Draft) -> Work | None:
        """The work of a step: what is under way, or has ended and is about this plan."""
        work = self._work
        if work is None or work.name != step or (work.is_over and work.version != draft.version):
            return None
        return work


_TEMPLATES = resources.files("deniable.studio").joinpath("templates")
_FILES = (*file_names(TableCertificate), ROWS_CSV, ROWS_PARQUET)
"""What a release may have written: nothing else in its folder is sent."""
_PATIENCE = 5.0
"""Seconds that a cancellation is waited for before the page says that it goes on."""


def _show_file(_: Studio, draft: Draft, __: Form, form: Values) -> Values:
    data = draft.table("data")
    csv = data.get("csv", {})
    written = {key: forms.TAB if value == "\t" else value for key, value in csv.items()}
    form |= {"source": data.get("source", ""), **written, **form}
    values: Values = {
        "nulls": forms.texts_of(form.get("nulls", "\n".join(data.get("nulls", [])))),
        "types": data.get("types", {}), "kinds": _KINDS,
        "encodings": [(each, each) for each in ENCODINGS[1:]],
        "is_csv": False, "types_can_be_said": False, "damaged": False, "unread": False,
        "columns": {}, "rows": [], **dict.fromkeys(("suspected", "problem", "misfit", "other")),
    }  # fmt: skip
    try:
        source = draft.source
        values |= {"is_csv": is_csv(source), "types_can_be_said": holds_texts(source)}
        values["other"] = is_csv(source) and other_encoding(files(source)[0], source.dialect)
        values["columns"] = kinds = schema(source)
        values["suspected"] = other_delimiter(kinds) if is_csv(source) else None
        values["columns"], values["rows"] = first_rows(source)
    except (DeniableError, OSError) as failure:  # is shown beside the choices that may mend it
        return values | {"problem": words_of(failure, "file")}
    values["misfit"] = draft.misfit("file")
    cells = [cell for row in values["rows"] for cell in row]
    values["damaged"] = any("\ufffd" in (cell.text or "") for cell in cells)
    return values | {"unread": any(cell.value is None and cell.text is not None for cell in cells)}


def _show_who(_: Studio, draft: Draft, __: Form, form: Values) -> Values:
    data, names = draft.table("data"), list(draft.offered())
    is_asked = "adjacency" not in data  # nothing is chosen yet, and nothing is offered
    whose = next((key for key in ("entity", "household") if key in data), "" if is_asked else "row")
    form |= {
        "whose": whose,
        "column": str(names.index(data[whose])) if data.get(whose) in names else "",
        "rows": str(draft.table("limits").get(f"rows_per_{whose}", "")),
        "unit": data.get("unit", ""),
        "number": {"add-remove": "secret", "replace-one": "public"}.get(
            data.get("adjacency", ""), ""
        ),
        "household_size": str(draft.table("adversary").get("household_size", "")),
        **form,
    }
    return {}


def _show_attacker(_: Studio, draft: Draft, __: Form, form: Values) -> Values:
    target, prior = draft.table("target"), draft.table("adversary").get("prior", [0, _BEFORE / 100])
    belief = target.get("max_posterior", _AFTER / 100)
    high = min(max(round(prior[1] * 100), 1), 98) if "max_posterior" in target else _BEFORE
    after = round(belief * 100)
    said = "max_posterior" in target and ([0, high / 100], after / 100) == (prior, belief)
    form |= {"before": str(high), "after": str(after), **form}
    return {"is_other": bool(target) and not said, "beliefs": Html(_beliefs(draft, form))}


def _beliefs(draft: Draft, form: Form) -> str:
    """The icons of two beliefs, and the budget that keeps them."""
    try:
        before, after, answer = forms.beliefs_of(draft, form)
    except DeniableError as failure:
        return render("studio/beliefs.html", error=words_of(failure, "attacker"))
    return render(
        "studio/beliefs.html", error=None, before=before, after=after, answer=answer,
        icon_array=icon_array, who=draft.table("data").get("unit") or "person",
    )  # fmt: skip


def _show_publish(_: Studio, draft: Draft, query: Form, form: Values) -> Values:
    queries, names = draft.queries, list(draft.offered())
    place = place_of(query, "query", len(queries))
    if place is not None and not forms.is_of_form(draft, queries[place]):
        place = None
    if place is not None and not form:
        form |= form_of(queries[place], names)
    form.setdefault("statistic", query.get("statistic", ""))
    known = FIELDS.get(form["statistic"])
    said = [
        (
            *(each.get(key, "") for key in ("name", "statistic", "keys")),
            forms.is_of_form(draft, each),
        )
        for each in queries
    ]
    form["keys"] = [form.get(f"keys.{at}", "").splitlines() for at in range(forms.GROUPS)]
    return {"queries": said, "place": place, "known": known, "statistics": STATISTICS,
            "computed": list(draft.table("columns")), "misfit": draft.misfit("publish"),
            "groups": range(forms.GROUPS), "conditions": range(forms.CONDITIONS)}  # fmt: skip


def _show_cost(_: Studio, draft: Draft, __: Form, ___: Values) -> Values:
    places = enumerate(draft.queries)
    own = {each.get("name"): at for at, each in places if forms.is_of_form(draft, each)}
    return {"prepared": deniable.plan(draft.given), "places": own}


def _show_preview(desk: Studio, draft: Draft, _: Form, __: Values) -> Values:
    values: Values = {"work": desk.work("preview", draft), "much": [], "removed": ()}
    if (work := values["work"]) and work.state == DONE:
        answer, rows = work.result, work.result.prepared.plan.rows_per_entity
        much = of_preview(answer.removed, rows, answer.prepared.queries)
        return values | {"much": list(much), "removed": answer.removed}
    return values


def _show_release(desk: Studio, draft: Draft, _: Form, form: Values) -> Values:
    ledger, work = draft.table("ledger"), desk.work("release", draft)
    first = f"{draft.path.stem}-release"
    names = chain([first], (f"{first}-{number}" for number in count(2)))
    free = next(name for name in names if not draft.path.with_name(name).exists())
    form |= {"out": free, **ledger, **form}
    cost = problem = None
    try:
        cost = draft.cost()
    except (DeniableError, OSError) as failure:  # is shown beside the form that may mend it
        problem = words_of(failure, "release")
    said: list[str] = []
    if work and (private := work.private) and work.state == ASKING:
        said += of_columns(private.unread)
        said += of_release(private.truncation, private.rows_per_entity)
        said += of_noise(private.noise)
    return {"work": work, "cost": cost, "problem": problem, "private": said,
            "is_charged": bool(ledger), "files": desk.files()}  # fmt: skip


def _show_results(desk: Studio, _: Draft, __: Form, ___: Values) -> Values:
    files = desk.files()
    return {"files": list(files), "report": REPORT if REPORT in files else None,
            "folder": str(files[CERTIFICATE].parent) if files else ""}  # fmt: skip


_SHOW: Mapping[str, Callable[[Studio, Draft, Form, Values], Values]] = {
    "file": _show_file, "who": _show_who, "attacker": _show_attacker, "publish": _show_publish,
    "cost": _show_cost, "preview": _show_preview, "release": _show_release,
    "results": _show_results,
}  # fmt: skip

_SAVE: Mapping[tuple[str, str], Callable[[Draft, Form], Draft]] = {
    ("file", "save"): forms.with_file, ("file", "next"): forms.with_file,
    ("who", "next"): forms.with_people, ("attacker", "next"): forms.with_beliefs,
    ("publish", "save"): forms.with_query, ("publish", "column"): forms.with_column,
    ("publish", "remove"): forms.without_query, ("publish", "uncompute"): forms.without_column,
    ("cost", "advice"): forms.with_advice,
    ("release", "ledger"): forms.with_ledger, ("release", "new"): forms.with_new_ledger,
}  # fmt: skip
_UNUSED: Mapping[tuple[str, str], Callable[[str], Any]] = {
    **dict.fromkeys([("release", "ledger"), ("release", "new")], re.compile("out$").match),
    ("publish", "save"): re.compile("(of|part|bands)$").match,
    ("publish", "column"): re.compile("(?!(of|part|bands)$)").match,
    **dict.fromkeys([("publish", "remove"), ("publish", "uncompute")], re.compile("").match),
}
"""Fields with which a button does nothing: what is typed there is shown again."""
_PRESET = re.compile(r"(do|version|place|statistic|part)$|operator\.")
"""Fields that have a value though nobody typed any."""
