"""`deniable training …`: noise for a trainer, and a certificate of what was trained."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import deniable
from deniable.cli.commands import Argument, Option, add, group
from deniable.cli.option_groups import (
    TARGET,
    Gathered,
    Json,
    NewFolder,
    Prior,
    by_name,
    in_place_of,
)
from deniable.cli.option_tables import read_options
from deniable.cli.output import (
    appearing,
    at_least,
    at_most,
    certified,
    charged_lines,
    exception_line,
    guard,
    interval,
    is_printed,
    print_cautions,
    print_lines,
    range_lines,
    say,
)
from deniable.errors import InvalidArgument
from deniable.errors.validate import in_full

if TYPE_CHECKING:
    from deniable.numerics.bound import Bound
    from deniable.training.batches.batched import BatchedTraining
    from deniable.training.explain import TrainingExplanation
    from deniable.training.history import Schedule

History = Annotated[
    Path | None,
    Argument(
        metavar="[HISTORY.json]",
        help="The history: rows of noise multiplier, sampling rate and number of steps.",
    ),
]
_GROUPS = read_options(__file__)
_RATE, _NOISE, _SIZES, _DRAWN = (_GROUPS[name] for name in ("rate", "noise", "sizes", "drawn"))
Delta = Annotated[
    float | None,
    Option(
        metavar="D",
        help="The δ of ε, and the probability, for each record, that a limit on beliefs fails. "
        "1e-6 if left out.",
    ),
]
Fpr = Annotated[
    float | None, Option(metavar="F", help="Share of non-members that an attack flags.")
]
_LIMIT = TARGET | _GROUPS["limit"] | by_name(fpr=(Fpr, None))
EngineOption = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="The engine that trained: opacus, jax-privacy, tensorflow-privacy, or dp-sgd for any "
        "other with fresh noise in every step. Required to certify a history.",
    ),
]
PLACE = 60
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    training = group(
        "training",
        "Calibrate, explain and certify training with noisy gradients.\n\n"
        "Example: deniable training explain --sample-rate 0.002 --steps 10000 --noise-multiplier 1",
    )
    for command in (calibrate, explain, certify, compare):
        add(training, guard(command))
    app.add_command(training)


@in_place_of("numbers", _RATE | _SIZES)
@in_place_of("drawn", _DRAWN)
@in_place_of("target", _LIMIT)
def calibrate(
    numbers: Gathered,
    delta: Delta = None,
    *,
    drawn: Gathered,
    target: Gathered,
    prior: Prior = (0.0, 1.0),
    as_json: Json = False,
) -> None:
    """Find the least noise multiplier that keeps an attacker's belief within a target.

    Example: deniable training calibrate --sample-rate 0.002 --steps 10000 --max-posterior 0.2
    --prior 0.01 0.1 --delta 1e-6
    """
    noisy = {**numbers, "noise_multiplier": 1.0}
    schedule, history = _what_was_drawn(drawn, noisy, as_json=as_json)
    answer = deniable.calibrate_training(
        sample_rate=None if history else schedule.sample_rate,
        steps=None if history else schedule.steps,
        batches=history,
        **_given(delta=delta),
        **target,
        prior=prior,
    )
    if is_printed(answer, as_json):
        return
    print_cautions(answer.explanation.cautions)
    lines = [("noise multiplier to apply", at_most(answer.noise_multiplier, 6))]
    lines += _schedule_lines(schedule)
    if answer.noise_multiplier_lower is not None:
        lines.append(("too little, certainly, below", at_least(answer.noise_multiplier_lower, 6)))
    lines += _explanation_lines(answer.explanation, delta)
    lines += [("because", f"{s.source} gives {s.target}: {s.theorem}") for s in answer.derivation]
    print_lines(lines)


@in_place_of("numbers", _RATE | _NOISE | _SIZES)
@in_place_of("drawn", _DRAWN)
def explain(
    history: History = None,
    *,
    numbers: Gathered,
    drawn: Gathered,
    delta: Delta = None,
    fpr: Fpr = None,
    prior: Prior = (0.0, 1.0),
    engine: EngineOption = None,
    as_json: Json = False,
) -> None:
    """Say what an attacker can conclude from a model trained with noisy gradients.

    Example: deniable training explain --sample-rate 0.002 --steps 10000 --noise-multiplier 1.0
    """
    from deniable.training.history import ENGINES, history_of_options

    schedule, trained = _what_was_drawn(drawn, numbers, as_json=as_json, file=history)
    answer = deniable.explain_training(
        trained
        or history_of_options(
            history, numbers["noise_multiplier"], schedule.sample_rate, schedule.steps
        ),
        prior=prior,
        **_given(delta=delta, fpr=fpr, engine=engine),
    )
    if is_printed(answer, as_json):
        return
    print_cautions(answer.cautions)
    read_as = [] if answer.batches else [("read as", ENGINES[answer.engine])]
    lines = [*read_as, *_training_lines(answer)]
    lines += _schedule_lines(schedule)
    print_lines([*lines, *_explanation_lines(answer, delta)])


@in_place_of("numbers", _RATE | _NOISE | _SIZES)
@in_place_of("drawn", _DRAWN)
@in_place_of("target", _LIMIT)
@in_place_of("charged", _GROUPS["charged"])
def certify(
    out: NewFolder,
    history: History = None,
    *,
    numbers: Gathered,
    delta: Delta = None,
    drawn: Gathered,
    target: Gathered,
    prior: Prior = (0.0, 1.0),
    engine: EngineOption = None,
    charged: Gathered,
    as_json: Json = False,
) -> None:
    """Write a certificate and a report of the training as it ran.

    Example: deniable training certify history.json --engine opacus --batches poisson --out
    model-certificate
    """
    from deniable.certificate.files import CERTIFICATE, file_names
    from deniable.training.batches.batched import POISSON
    from deniable.training.certificate import TrainingCertificate
    from deniable.training.history import PLAIN, fnr_of_options, history_of_options

    fnr, tpr, fpr = (target.pop(name) for name in ("fnr", "tpr", "fpr"))
    target |= {"fnr": fnr_of_options(fnr, tpr, fpr, target), "fpr": fpr}
    schedule, trained = _what_was_drawn(drawn, numbers, as_json=as_json, file=history)
    written_files = f"Written to {out}: {', '.join(file_names(TrainingCertificate))}"
    appearing(out / CERTIFICATE, f"{written_files}.")
    answer = deniable.certify_training(
        trained
        or history_of_options(
            history, numbers["noise_multiplier"], schedule.sample_rate, schedule.steps
        ),
        out,
        batches=drawn["batches"] if history else POISSON,
        **_given(delta=delta),
        **target,
        **charged,
        prior=prior,
        engine=PLAIN if history is None and engine is None else engine,
    )
    if is_printed(answer, as_json):
        return
    print_cautions(answer.explanation.cautions)
    lines = [*_training_lines(answer.explanation), *_schedule_lines(schedule)]
    lines += _explanation_lines(answer.explanation, delta)
    print_lines([*lines, *charged_lines(answer.certificate.ledger)])
    say(f"\n{written_files}")


@in_place_of("sizes", _NOISE | _SIZES)
@in_place_of("drawn", {name: each for name, each in _DRAWN.items() if name != "batches"})
def compare(
    sizes: Gathered,
    *,
    drawn: Gathered,
    delta: Delta = None,
    fpr: Fpr = None,
    prior: Prior = (0.5, 0.5),
    as_json: Json = False,
) -> None:
    """Compare what an attacker concludes under each way of drawing the same batches.

    Example: deniable training compare --noise-multiplier 1 --steps-per-epoch 100 --epochs 10
    """
    answer = deniable.compare_training(
        **sizes, **_given(delta=delta, fpr=fpr), prior=prior, **drawn
    )
    if is_printed(answer, as_json):
        return
    for row in answer.rows:
        belief = row.posterior
        print_lines(
            [
                ("batches", str(row.batches)),
                ("epsilon of a record removed", _interval(row.epsilon_remove)),
                ("epsilon of a record added", _interval(row.epsilon_add)),
                ("advantage", _interval(row.advantage)),
                (f"members missed, flagging {in_full(answer.fpr)}", _interval(row.fnr)),
                (
                    f"belief {in_full(belief.prior)} stays in",
                    f"[{at_least(belief.lower)}, {at_most(belief.upper)}]",
                ),
            ]
        )
        say("")
    for way, reason in answer.refused.items():
        say(f"{way}: {reason}")
    say(answer.verdict)


def _given(**values: Any) -> Gathered:
    """Arguments of the function that have no default of their own here."""
    return {name: value for name, value in values.items() if value is not None}


def _interval(bound: "Bound") -> str:
    return f"in [{at_least(bound.lower)}, {at_most(bound.upper)}]"


def _what_was_drawn(
    drawn: Gathered, numbers: Gathered, *, as_json: bool, file: Path | None = None
) -> "tuple[Schedule, BatchedTraining | None]":
    """Rate and steps of Poisson samples; or a training whose batches were drawn otherwise."""
    from deniable.training.history import (
        Schedule,
        history_of_options,
        read_history,
        schedule_of_options,
        stated_batches,
    )

    sample_rate, steps, epochs = (numbers[name] for name in ("sample_rate", "steps", "epochs"))
    noise_multiplier = numbers["noise_multiplier"]
    sizes = {name: numbers[name] for name in ("records", "batch_size")}
    drawn = _given(**{**drawn, "drop_last": drawn["drop_last"] or None})
    if drawn:  # a module that Poisson samples do without
        from deniable.training.batches.batched import drawn_history, stated_training
    if "batches" not in drawn:
        if drawn:
            drawn_history((), None, **drawn)  # refuses what is said of batches without a way
        schedule = schedule_of_options(sample_rate, steps, **sizes, epochs=epochs)
        # Beside JSON, how rate and steps were computed.
        if as_json:
            for name, value in _schedule_lines(schedule):
                say(f"{name}: {value}", err=True)
        return schedule, None
    if noise_multiplier is None and file is None:
        raise InvalidArgument("Expected `noise_multiplier`, or HISTORY.json, got none.")
    has_phases = file is not None or sample_rate is not None
    unused, number = ("epochs", epochs) if has_phases else ("steps", steps)
    if number is not None:
        beside = "`batches` and the length of an epoch; `epochs` says how many there were"
        if has_phases:
            beside = "a history, or a sampling rate and steps"
        raise InvalidArgument(
            f"Expected no `{unused}` beside {beside}, got {number}. Leave it out."
        )
    if file is not None and (stated := stated_batches(file)) is not None:
        said = (*drawn.values(), *sizes.values(), noise_multiplier, sample_rate, steps)
        if [value for value in said if value is not None] != [str(stated.batches)]:
            raise InvalidArgument(
                f"Expected no more of batches than the history says ({stated.batches}), got other "
                "options. Leave them out."
            )
        return Schedule(None, None), stated
    if has_phases:
        phases = read_history(history_of_options(file, noise_multiplier, sample_rate, steps))
        trained = drawn_history(phases, **drawn, **sizes)
        return Schedule(sample_rate, steps), None if isinstance(trained, tuple) else trained
    training = stated_training(noise_multiplier=noise_multiplier, epochs=epochs, **sizes, **drawn)
    if isinstance(drawn_history(training.schedule, **drawn, **sizes), tuple):
        [phase] = training.schedule
        return Schedule(phase.sample_rate, phase.steps), None
    return Schedule(None, None), training


def _schedule_lines(schedule: "Schedule") -> Iterator[tuple[str, str]]:
    """How rate and steps were computed, where they were."""
    if schedule.note is not None:
        rate, steps = in_full(schedule.sample_rate or 0.0), schedule.steps
        yield "sample rate and steps", f"{rate} and {steps}: {schedule.note}"


def _training_lines(answer: "TrainingExplanation") -> Iterator[tuple[str, str]]:
    if (drawn := answer.batches) is not None:
        yield "batches", f"{drawn.batches}; {drawn.steps_per_epoch} steps an epoch"
    for each in answer.history:
        yield (
            "steps",
            f"{each.steps} at sampling rate {in_full(each.sample_rate)}, noise multiplier "
            f"{in_full(each.noise_multiplier)}",
        )


def _explanation_lines(
    answer: "TrainingExplanation", delta: float | None
) -> Iterator[tuple[str, str]]:
    from deniable.theorems.analysis import USUAL_PRIORS, posterior_ranges

    band, beliefs = answer.adversary, answer.posterior
    if (band.low, band.high) == (0.0, 1.0):  # nobody's belief is at the ends: show the usual ones
        beliefs = posterior_ranges(answer.range_loss, USUAL_PRIORS)
    beliefs = tuple(dict.fromkeys(beliefs))  # a point prior has both bounds in one
    if delta is None:
        yield "delta", f"{in_full(answer.delta)}, as no --delta was given"
    change = "add-remove" if answer.batches is None else str(answer.batches.neighbours)
    yield "epsilon", f"{at_most(answer.epsilon.upper)}, delta {in_full(answer.delta)} ({change})"
    remove, add = answer.epsilon_remove, answer.epsilon_add
    if remove != add:
        for name, bound, other in (("removed", remove, add), ("added", add, remove)):
            is_seen = at_most(bound.upper) != at_most(other.upper)  # what prints alike is alike
            decides = ", which decides" if is_seen and bound.upper > other.upper else ""
            yield f"epsilon of a record {name}", f"{_interval(bound)}{decides}"
    if answer.batches is not None and answer.batches.is_open:
        yield "between the two ends", "nobody knows which is true; the upper one is safe"
    yield f"gamma, prior within {interval(band.low, band.high)}", certified(answer.gamma)
    yield "gamma, any prior", certified(answer.gamma_outside)
    yield from range_lines(beliefs)
    yield exception_line(answer.delta)
    yield "attack success at prior 1/2", at_most(answer.attack_success.upper)
    yield "advantage", _interval(answer.advantage)
    flagged = f"flagging {in_full(answer.fpr)} of the others"
    yield f"members missed, {flagged}", f"at least {at_least(answer.fnr.lower)}"
