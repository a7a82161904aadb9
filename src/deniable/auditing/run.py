"""The one function behind `deniable audit`: a plan, a mechanism or a model, attacked."""

import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from deniable.auditing.attacked import AuditRequest, Watch, attacked
from deniable.auditing.attacks import BLACK_BOX
from deniable.auditing.audit import ADJACENCIES, PARENT_SET, Audit, claim, claimed_adjacency
from deniable.auditing.mechanism import GENERATORS, SampleTarget, mechanism_target
from deniable.auditing.models import ATTACKS, audit_one_run, model_target
from deniable.auditing.page import audit_page
from deniable.auditing.plans import NO_LIMIT, RUNS, audit_plan
from deniable.certificate.files import PLAN
from deniable.errors import InvalidArgument, validate
from deniable.errors.public_names import nearest
from deniable.errors.validate import format_value
from deniable.numerics.effort import Effort
from deniable.publish.plan import PlanInput, has_content
from deniable.publish.release import Released
from deniable.report.html import check_page, write_page


def named(text: str) -> Any:
    """What stands in a module under a name, with the current folder on the path."""
    module, _, path = text.partition(":")
    is_file = module.endswith(".py")
    if is_file or not path or not all(each.isidentifier() for each in module.split(".")):
        remedy = ""
        if is_file:
            remedy = f" Write {Path(module).stem}:{path or 'FUNCTION'}, in the folder where it is."
        raise InvalidArgument(
            f"Expected a plan (PLAN.toml) or MODULE:FUNCTION, got {format_value(text)}.{remedy}"
        )
    target: Any = _imported(module)
    for name in path.split("."):
        if not hasattr(target, name):
            near = nearest(name, [each for each in dir(target) if not each.startswith("_")])
            remedy = f" Did you mean {near}?" if near else ""
            raise InvalidArgument(f"Expected a name of {module}, got {format_value(path)}.{remedy}")
        target = getattr(target, name)
    return target


def _imported(module: str) -> Any:
    """The module; processes that help find it in the same folder, for the path goes with them."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.startswith(error.name):
            raise InvalidArgument(
                "Expected a module that is installed or in this folder, got "
                f"{format_value(module)}."
            ) from None
        raise _failed(module, error) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failed(module, error) from error


def _failed(module: str, error: BaseException) -> InvalidArgument:
    """What a module raised, by type and place."""
    what = type(error).__name__
    if isinstance(error, SyntaxError):
        place = f"{os.path.basename(error.filename or module)}:{error.lineno}"
    else:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    if isinstance(error, ModuleNotFoundError):
        what = f"no module {format_value(error.name)}"
    return InvalidArgument(f"Expected a module that can be imported, got {what} at {place}.")


MODEL_RUNS = 400
"""Trainings of a model: each takes seconds, and 200 for the test show an ε of 4."""
MECHANISM_RUNS = 20_000
"""Runs of a mechanism: a second, and noise of half the scale is found out."""


def audit(
    target: Any,
    data: Any = None,
    *,
    claimed: str | None = None,
    runs: int | None = None,
    confidence: float = 0.95,
    delta: float | None = None,
    adjacency: str | None = None,
    label: str | None = None,
    losses: Callable[..., Any] | None = None,
    neighbours: tuple[Any, Any] | None = None,
    record: int | None = None,
    other: Any = None,
    size: int | None = None,
    out: str | os.PathLike[str] | None = None,
    effort: Effort | None = None,
    watch: Watch | None = None,
) -> Audit:
    """Attack a release, a mechanism or a model, and say what the attack proves.

    The first half of the runs chooses the attack, the second half measures it, so that the limit
    holds with the stated confidence whatever was tried.

    Parameters
    ----------
    target : path, callable, estimator or str
        A plan (a path that ends in .toml, TOML text, or what TOML reads from it), or a release of
        one (its folder, or what `release` returned); a mechanism, a function ``f(data, rng)`` that
        returns arrays or values; a model, a function ``fit(X, y)`` or an estimator; or
        ``"module:name"`` of one of these, with the current folder on Python's path.
    data : sequence, pair or path, optional
        A mechanism's data set. Of a model features and labels, or a file of Parquet or CSV.
    claimed : str, optional
        What is claimed, written as for `derive`: any notion that says something of ε and δ. A
        plan claims what its certificate will.
    runs : int, optional
        Runs in all, at least 20; by default 20,000, or 400 trainings of a model. With 1 a model is
        trained once, and the answer is a lower bound on the ε of add-remove differential privacy.
    confidence : float
        Probability with which the limit holds, in (0, 1).
    delta : float, optional
        δ at which claim and limit are read, in [0, 1); the claim's own, or 1e-6 where it has none
        and needs one. Without a claim 0.
    adjacency : {"add-remove", "replace-one", "parent-set"}, optional
        What the attack tells apart; the claim's, or a model's: a record added or removed.
    label : str, optional
        The label's column in a file of data.
    losses : callable, optional
        ``losses(model, X, y)``, a loss of each record, for models that have none.
    neighbours : pair, optional
        The two data sets of a mechanism, without the record and with it. A function may carry them
        as its attribute ``neighbours``.
    record : int, optional
        The record of `data` that is in or out, from 0; the last by default.
    other : object, optional
        What takes the record's place; without it the record is removed.
    size : int, optional
        Records of a uniform sample of `data`, a parent set: the limit is one of population privacy.
    out : path, optional
        A page (.html) to write, whole or not at all.
    effort : Effort, optional
        Seed, workers, scheduler, checkpoint, time limit; its confidence is not used. Without one
        there is no time limit.
    watch : callable, optional
        Told the share of runs made, and the limit so far, which holds at all times.

    Returns
    -------
    Audit
        Three numbers, claimed, visible and found, and the verdict that follows.

    Raises
    ------
    InvalidArgument
        If target or claim cannot be read, or a run fails.
    NotApplicable
        If one training shall be judged by a claim of population privacy.
    PlanError
        If a plan is wrong.

    Examples
    --------
    >>> class Mean:
    ...     def __init__(self, y):
    ...         self.losses = lambda X, labels: abs(labels - sum(y) / max(len(y), 1))
    >>> X, y = [[0.0]] * 6, [0.0, 0.0, 1.0, 1.0, 2.0, 60.0]
    >>> answer = audit(lambda X, y: Mean(y), (X, y), claimed="pure-dp:1.0@add-remove")
    >>> answer.verdict, answer.worst[0].record
    ('violated', 5)
    """
    page = None if out is None else check_page(Path(out))
    work = attrs.evolve(effort or Effort(time_limit=NO_LIMIT), confidence=confidence)
    if adjacency is not None:
        validate.one_of(adjacency, ADJACENCIES, "adjacency")
    wished = adjacency or (None if claimed is None else claimed_adjacency(claimed))
    of_model: dict[str, Any] = {"label": label, "losses": losses}
    of_mechanism = {"neighbours": neighbours, "record": record, "other": other, "size": size}
    once = runs == 1 and data is not None and adjacency in (None, "add-remove")
    plan = find_plan(target)
    is_name = plan is None and isinstance(target, str | os.PathLike)
    loaded = named(os.fspath(target)) if is_name else target
    if once and plan is None and _is_model(loaded, data, **of_model):
        _refuse_unused(of_mechanism)
        answer = audit_one_run(loaded, data, claimed=claimed, delta=delta, effort=work, **of_model)
    elif plan is not None:
        _refuse_unused({"data": data, "adjacency": adjacency, **of_model, **of_mechanism})
        count = RUNS if runs is None else runs
        answer = audit_plan(
            plan, claimed=claimed, delta=delta, runs=count, confidence=confidence, effort=work,
            watch=watch,
        )  # fmt: skip
    else:
        question = _question(loaded, data, wished, of_model, of_mechanism, work)
        if adjacency not in (None, question.adjacency):
            raise InvalidArgument(
                f"Expected data whose neighbours are by {adjacency}, got a target whose runs tell "
                f"apart neighbours by {question.adjacency}. Leave `adjacency` out, or hand over "
                "other data."
            )
        said = None if claimed is None else claim(claimed, question.adjacency, delta)
        question = attrs.evolve(
            question, claim=said, runs=question.runs if runs is None else runs,
            delta=validate.probability(delta or 0.0, "delta") if said is None else said.delta,
        )  # fmt: skip
        answer = attacked(question, watch)
    if page is not None:
        write_page(audit_page(answer, _name(target)), page)
    return answer


def find_plan(target: Any) -> PlanInput | None:
    """The plan that is named or handed over, or that a released folder holds; None for no plan."""
    if isinstance(target, Released):
        return target.out / PLAN
    if has_content(target):
        content: PlanInput = target
        return content
    if not isinstance(target, str | os.PathLike):
        return None
    place = Path(target)
    if place.is_dir() and (place / PLAN).is_file():
        return place / PLAN
    return target if place.suffix.lower() == ".toml" else None


def _question(
    loaded: Any,
    data: Any,
    wished: str | None,
    of_model: Mapping[str, Any],
    of_mechanism: Mapping[str, Any],
    work: Effort,
) -> AuditRequest:
    """What a target is, by what it is attacked, and how often it runs where nobody says."""
    if _is_model(loaded, data, **of_model):
        _refuse_unused(of_mechanism)
        if data is None:
            raise InvalidArgument(
                f"Expected records for the model {validate.format_value(loaded)}, got none. Give "
                "data, features and labels or a file."
            )
        model = model_target(loaded, data, **of_model)
        return AuditRequest(model, ATTACKS, "add-remove", None, 0.0, MODEL_RUNS, work)
    _refuse_unused(of_model)
    given = {name: value for name, value in of_mechanism.items() if value is not None}
    mechanism = mechanism_target(loaded, data, **given)
    if isinstance(mechanism, SampleTarget):
        adjacency = PARENT_SET
    else:  # neighbours are what they are, whatever is claimed of others
        sizes = [_records(each) for each in (mechanism.without, mechanism.including)]
        if None in sizes:  # and if they cannot be counted, what they are said to be
            adjacency = wished or "replace-one"
        else:
            adjacency = "replace-one" if sizes[0] == sizes[1] else "add-remove"
    return AuditRequest(mechanism, BLACK_BOX, adjacency, None, 0.0, MECHANISM_RUNS, work)


def _name(target: Any) -> str:
    """What was attacked, as it was named, or by its own name."""
    if isinstance(target, Released):
        return str(target.out)
    if has_content(target):
        return "a plan"
    if isinstance(target, str | os.PathLike):
        return str(target)
    return str(getattr(target, "__qualname__", type(target).__qualname__))


def _is_model(target: Any, data: Any, label: Any, losses: Any) -> bool:
    """Whether it is trained on features and labels: an estimator, or a function of both."""
    if hasattr(target, "fit"):
        return True  # and is refused there, where it cannot be copied
    if label is not None or losses is not None or isinstance(data, str | os.PathLike):
        return True
    if data is None or not callable(target):
        return False
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):  # some functions written in C tell no signature
        return False
    needed = {each.name for each in parameters if each.default is each.empty}
    return len(needed - {*GENERATORS, "draws"}) > 1


def _records(data: Any) -> int | None:
    """How many records there are; of a name of a file or a table of columns nobody knows."""
    if isinstance(data, str | bytes | os.PathLike | Mapping):
        return None
    try:
        return len(data)
    except TypeError:
        return None


def _refuse_unused(given: Mapping[str, Any]) -> None:
    if too_much := [name for name, value in given.items() if value is not None]:
        raise InvalidArgument(
            f"Expected what belongs to such a target, got {too_much[0]}. Label and losses are a "
            "model's; neighbours, record, other and size a mechanism's; a plan says all itself."
        )
