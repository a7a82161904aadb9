"""Options that several commands of `deniable gwas` share."""

from pathlib import Path
from typing import Annotated, Any

import deniable
from deniable.cli.commands import Argument
from deniable.cli.option_groups import (
    TARGET,
    Checkpoint,
    Gathered,
    Options,
    Scheduler,
    Workers,
    by_name,
    in_place_of,
    option,
)
from deniable.cli.option_tables import read_options
from deniable.cli.output import say
from deniable.errors import InvalidArgument

Reading = Gathered
"""Arguments of `deniable.gwas.scan`, `release` and `utility` that say how the study is read."""
Study = Any
"""The files of a study: a prefix, or several that are parts of it."""


GROUPS = read_options(__file__)
"""Options of these commands."""
_MACHINES = (
    by_name(workers=(Workers, 1), scheduler=(Scheduler, None), checkpoint=(Checkpoint, None))
    | GROUPS["machines"]
)
"""The machines that count genotypes."""


def _read_arguments(given: Gathered) -> Gathered:
    """The arguments, with the filters among them made one where one was asked for."""
    filters = {
        name: given.pop(name) for name in GROUPS["filters"] | GROUPS["order"] if name in given
    }
    machines = {name: given.pop(name) for name in _MACHINES if name in given}
    if any(value not in (None, 1) for value in machines.values()):
        given["effort"] = deniable.Effort(**machines)
    filters["panel"] = filters.get("panel") or None
    if any(value not in (None, "") for value in filters.values()):
        given["filters"] = deniable.gwas.Filters(**filters)
    return given


filtered_reading = in_place_of(
    "reading",
    GROUPS["reading"] | GROUPS["filters"] | GROUPS["order"] | _MACHINES,
    _read_arguments,
)
"""How a study is read, public filters among it."""

pool_reading = in_place_of(
    "reading",
    {name: each for name, each in GROUPS["reading"].items() if name != "missing"}
    | GROUPS["filters"],
    _read_arguments,
)
"""The same for a pool whose missing calls stay missing."""


def _some_study(given: Gathered) -> Any:
    """The prefixes of the command line, or of a list; nothing where there are neither."""
    from deniable.gwas.files import StudyFiles, missing_chromosomes

    paths, listed = given["paths"], given["listed"]
    if paths and listed is not None:
        raise InvalidArgument(
            f"Expected PREFIX or --studies {listed}, got both. Put the prefixes into the file."
        )
    if listed is not None:
        return StudyFiles.listed(listed)
    study = StudyFiles.of(paths) if paths else None
    for path in paths or ():
        if missing := missing_chromosomes(path):
            which = f"chromosome{'s' * (len(missing) > 1)} {', '.join(map(str, missing))}"
            say(f"Note: {path} has no files of {which}: the study goes on without.", err=True)
    return study


def _a_study(given: Gathered) -> Any:
    study = _some_study(given)
    if study is None:
        raise InvalidArgument("Expected a PREFIX of a study's files, or --studies FILE, got none.")
    return study


def _studies(metavar: str, words: str) -> Options:
    several = "Several, {chr} in a name for chromosomes, or a folder, are parts of one study."
    prefix = Annotated[list[Path] | None, Argument(metavar=metavar, help=f"{words} {several}")]
    listed = option(Path | None, f"A text file with one {metavar} per line, instead.", "FILE")
    return {"prefix": ("paths", prefix, None), "studies": ("listed", *listed)}


study_files = in_place_of(
    "prefix",
    _studies(
        "PREFIX",
        "Prefix of .bed, .bim and .fam files, or of .pgen, .pvar and .psam; or a .vcf[.gz], .bgen "
        "or .vcz (VCF Zarr), or a .tsv of counts.",
    ),
    _a_study,
)
pool_files = in_place_of(
    "prefix", _studies("PREFIX", "The pool whose frequencies are published."), _a_study
)
some_files = in_place_of(
    "prefix",
    _studies("STUDY", "The study from which to choose variants, as for scan; or give --pool."),
    _some_study,
)
TARGETS: Options = {
    **{name: TARGET[name] for name in ("gamma", "max_posterior", "attack_success", "advantage")},
    **GROUPS["targets"],
}
"""What an adversary may come to believe or reach, by one of these."""
targeted = in_place_of("targets", TARGETS)


def with_threshold(given: Gathered) -> Gathered:
    """A threshold as a number where it is one; the function says what else may stand there."""
    try:
        return given | {"threshold": float(given["threshold"])}
    except ValueError:
        return given


choice = in_place_of(
    "selection",
    GROUPS["top"]
    | TARGETS
    | GROUPS["prior"]
    | GROUPS["score"]
    | GROUPS["families"]
    | GROUPS["threshold"]
    | GROUPS["strata"]
    | GROUPS["loci"],
    with_threshold,
)
"""Which choice of variants is made, and for whom it must not tell too much."""
publication = in_place_of(
    "telling",
    GROUPS["words"] | GROUPS["charged"],
    lambda given: (
        {name: value for name, value in given.items() if name not in GROUPS["words"]}
        | {"report": {name: given[name] for name in GROUPS["words"] if given[name] is not None}}
    ),
)
"""What a release says of itself, and whom it is charged to."""
