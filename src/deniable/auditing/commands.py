"""`deniable audit`: attack a release, a mechanism or a model."""

import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

import deniable
from deniable.cli import option_groups, output
from deniable.cli.commands import Argument, add
from deniable.cli.option_groups import (
    Checkpoint,
    Gathered,
    Json,
    Scheduler,
    Seed,
    Workers,
    by_name,
    in_place_of,
)
from deniable.cli.option_tables import read_options
from deniable.errors import InvalidArgument
from deniable.errors.validate import in_full

if TYPE_CHECKING:
    from deniable.auditing.audit import Audit


Target = Annotated[
    str,
    Argument(
        metavar="PLAN.toml|MODULE:FUNCTION",
        help="A plan, or a function in a module: a mechanism, or with --data a model's fit. With "
        "--batch-log a training's history.",
    ),
]
_GROUPS = read_options(__file__)
_EFFORT = by_name(
    seed=(Seed, 0), workers=(Workers, 1), scheduler=(Scheduler, None), checkpoint=(Checkpoint, None)
)


PLACE = 20
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, output.guard(audit))


@in_place_of("attack", _GROUPS["attack"])
@in_place_of("effort", _EFFORT | _GROUPS["effort"])
@in_place_of("written", _GROUPS["written"])
def audit(
    target: Target, *, attack: Gathered, effort: Gathered, written: Gathered, as_json: Json = False
) -> None:
    """Attack a release or a model, and say what the attack proves.

    Example: deniable audit mymodule:mechanism --claimed pure-dp:1.0 --runs 20000
    """
    from deniable.auditing.page import verdict_sentence
    from deniable.auditing.plans import NO_LIMIT

    if written["batch_log"] is not None:
        _watch(target, written["batch_log"], as_json)
        return
    if attack["claimed"] is not None:
        attack["claimed"] = option_groups.with_curve(attack["claimed"])
    out, checkpoint = written["out"], effort["checkpoint"]
    if effort["time_limit"] is None:
        effort["time_limit"] = NO_LIMIT
    output.appearing(out)
    try:
        with output.progress_bar("Attacking") as bar, _prints_on_standard_error():
            answer = deniable.audit(
                target,
                **attack,
                out=out,
                effort=deniable.Effort(**effort),
                watch=None if bar is None else functools.partial(_report_progress, bar),
            )
    finally:
        if checkpoint is not None and checkpoint.is_dir():
            output.announce_kept(
                f"Finished runs are in {checkpoint}; the same command goes on from there."
            )
    with output.verdict(output.REFUSED if answer.verdict == "violated" else 0):
        if as_json:
            if answer.verdict == "violated":
                output.say(verdict_sentence(answer), err=True)
            output.print_json(answer.as_json())
        else:
            _print(answer)


def _watch(history: str, log: Path, as_json: bool) -> None:
    """Compare a trainer's log of batches with what the training's history claims."""
    context = click.get_current_context()
    line = click.core.ParameterSource.COMMANDLINE
    typed = (name for name in context.params if context.get_parameter_source(name) is line)
    if unused := [name for name in typed if name not in ("target", "batch_log", "as_json")]:
        raise InvalidArgument(
            f"Expected no `{unused[0]}` with `batch_log`, got one. Leave it out: where records "
            "stood is compared with a history, and nothing is attacked."
        )
    seen = deniable.watch_batches(log, history=history)
    with output.verdict(0 if seen.warning is None else output.REFUSED):
        if as_json:
            if seen.warning is not None:
                output.say(seen.warning, err=True)
            output.print_json(seen.as_json())
            return
        output.say(seen.warning or f"Nothing speaks against the claim ({seen.claimed}).")
        output.say("")
        output.print_lines(
            (str(way), "fits" if way in seen.possible else f"ruled out: at most {chance:.2g}")
            for way, chance in seen.chances.items()
        )


def _report_progress(bar: output.Advance, share: float, limit: float | None) -> None:
    """Tell the bar how far an audit is, and what holds already."""
    from deniable.auditing.page import down

    bar(share, "Pilot" if limit is None else f"Attacking, epsilon at least {down(limit)}")


def _print(answer: "Audit") -> None:
    from deniable.auditing.page import headline, verdict_sentence

    output.say(verdict_sentence(answer))
    output.say(headline(answer))
    output.say("")
    output.print_lines(_lines(answer))
    for each in answer.findings:
        output.say(f"\nFinding {each.name}: {each.sentence}")


def _lines(answer: "Audit") -> Iterator[tuple[str, str]]:
    from deniable.auditing.page import down, numbers

    if answer.subject == "one training run":
        value = "one training: a lower bound on the epsilon of add-remove differential privacy"
        yield "subject", f"{value}, and of nothing weaker"
    for name, epsilon, bets in numbers(answer):
        value = "nothing" if epsilon == "nothing" else f"epsilon {epsilon}, {bets} % of bets right"
        yield name.lower(), value
    at = f"delta {in_full(answer.delta)}, {answer.adjacency}" if answer.delta else answer.adjacency
    yield "neighbours", at
    yield "confidence", in_full(answer.confidence)
    yield "runs", f"{answer.runs:,}, of which {answer.pilot:,} chose the attack"
    yield "attack", f"{answer.attack}: {answer.right:,} right of {answer.guesses:,} guesses"
    # Three records are listed; --json and the page have all that were tested.
    for each in answer.worst[:3]:
        bets = f"{each.right:,} of {each.guesses:,} bets right"
        yield f"record {each.record}", f"{bets}, epsilon at least {down(each.found)}"


@contextlib.contextmanager
def _prints_on_standard_error() -> Iterator[None]:
    """Send what somebody else's function prints to standard error: the answer goes out alone."""
    with contextlib.ExitStack() as stack:
        sys.stdout.flush()
        with contextlib.suppress(OSError, ValueError):  # no terminal, file or pipe: only Python's
            error = sys.stderr.fileno()
            before = os.dup(1)
            stack.callback(os.close, before)
            os.dup2(error, 1)  # processes that help inherit it
            stack.callback(os.dup2, before, 1)
            stack.callback(sys.stdout.flush)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield
