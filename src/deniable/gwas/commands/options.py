"""Options that several commands of `deniable gwas` share."""

from pathlib import Path
from typing import Annotated, Any

import deniable
from deniable.cli.commands import Argument
from deniable.cli.option_groups import (
    REQUIRED,
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
from deniable.cli.output import say
from deniable.errors import InvalidArgument

Reading = Gathered
"""Arguments of `deniable.gwas.scan`, `release` and `utility` that say how the study is read."""
Study = Any
"""The files of a study: a prefix, or several that are parts of it."""


_FILE = Path | None
_OPTIONS = by_name(
    phenotype=option(
        _FILE,
        "Phenotype file: family, individual, phenotype (1 control, 2 case).",
        "FILE",
        "--pheno",
    ),
    phenotype_name=option(
        str | None, "The phenotype, if the file has several.", "NAME", "--pheno-name"
    ),
    missing=option(
        str,
        "Missing genotypes: refuse them (scan leaves them out), or count them as two copies of "
        "allele 2, or as the panel's most frequent genotype.",
        "refuse|major|panel",
        default="refuse",
    ),
    multiallelic=option(
        str,
        "Lines with several alternative alleles: refuse the file, leave them out, or make each "
        "alternative a variant.",
        "refuse|leave-out|split",
        default="refuse",
    ),
    autosomes=option(
        int, "Pairs of autosomes of the species; X has the next number.", "N", default=22
    ),
)
_FILTERS = by_name(
    extract=option(_FILE, "Only the variants of this public list, one name per line.", "FILE"),
    exclude=option(_FILE, "All variants except those of this public list.", "FILE"),
    keep=option(_FILE, "Only the people of this list: family and individual per line.", "FILE"),
    remove=option(_FILE, "All people except those of this list.", "FILE"),
    chromosomes=option(
        str, "Only these chromosomes, separated by commas.", "NAMES", "--chr", default=""
    ),
    min_frequency=option(float | None, "Least frequency of the rarer allele in the panel.", "F"),
    panel=option(
        list[Path] | None,
        "Other people: PLINK files, or PLINK's .frq or .afreq; variants that it lacks are left "
        "out. Can be repeated, or contain {chr}.",
        "PREFIX|FILE",
    ),
)
"""The same for what makes `deniable.gwas.Filters`."""
_MACHINES = by_name(
    workers=(Workers, 1),
    scheduler=(Scheduler, None),
    checkpoint=(Checkpoint, None),
    memory=option(str | None, "The most memory that a process may take, such as 2GB.", "SIZE"),
)
"""The machines that count genotypes."""
_ORDER = by_name(
    allele_order=option(
        str | None,
        "Where the reference allele stands in the lines of a BGEN file.",
        "ref-first|ref-last",
    )
)
"""The one of these that only matters where missing calls are filled."""


def _read_arguments(given: Gathered) -> Gathered:
    """The arguments, with the filters among them made one where one was asked for."""
    filters = {name: given.pop(name) for name in _FILTERS | _ORDER if name in given}
    machines = {name: given.pop(name) for name in _MACHINES if name in given}
    if any(value not in (None, 1) for value in machines.values()):
        given["effort"] = deniable.Effort(**machines)
    filters["panel"] = filters.get("panel") or None
    if any(value not in (None, "") for value in filters.values()):
        given["filters"] = deniable.gwas.Filters(**filters)
    return given


filtered_reading = in_place_of("reading", _OPTIONS | _FILTERS | _ORDER | _MACHINES, _read_arguments)
"""How a study is read, public filters among it."""

pool_reading = in_place_of(
    "reading",
    {name: each for name, each in _OPTIONS.items() if name != "missing"} | _FILTERS,
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
    listed = option(_FILE, f"A text file with one {metavar} per line, instead.", "FILE")
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
    **by_name(epsilon=option(float | None, "The budget ε, instead of a limit.", "E")),
}
"""What an adversary may come to believe or reach, by one of these."""
targeted = in_place_of("targets", TARGETS)
PRIOR = by_name(
    prior=option(
        tuple[float, float] | None,
        "The range of prior beliefs that you assume; by default the adjacency's.",
        "LOW HIGH",
    ),
    adjacency=option(
        str,
        "genotype: is this genome in the study? swap: is this participant a case?",
        "genotype|swap",
        default="genotype",
    ),
)
FAMILIES = by_name(
    family_size=option(
        int | None,
        "Protect families of at most K participants, all in the study or all out of it; public.",
        "K",
    ),
    families=option(
        str | None,
        "Refuse larger families: by the .fam file's first column, or by a file of family, "
        "individual, group.",
        "fam|FILE",
    ),
)
THRESHOLD = by_name(
    threshold=option(
        str, "A variant is significant below this p-value.", "bonferroni|P", default="bonferroni"
    )
)
STRATA = by_name(
    strata=option(
        _FILE, "Family, individual, public stratum: compare within, by cmh or stratified.", "FILE"
    )
)


def with_threshold(given: Gathered) -> Gathered:
    """A threshold as a number where it is one; the function says what else may stand there."""
    try:
        return given | {"threshold": float(given["threshold"])}
    except ValueError:
        return given


choice = in_place_of(
    "selection",
    by_name(top=option(int, "Number of variants to release.", "M", default=REQUIRED))
    | TARGETS
    | PRIOR
    | by_name(
        score=option(
            str,
            "The score by which variants are ranked.",
            "distance|allelic|genotypic|trend|stratified",
            default="distance",
        )
    )
    | FAMILIES
    | THRESHOLD
    | STRATA
    | by_name(
        publish_statistics=option(
            bool,
            "Publish noisy allele counts too, for half of the budget.",
            None,
            "--publish-statistics",
            default=False,
        ),
        window_kb=option(
            float | None, "Remove variants within K kilobases of each chosen one.", "K"
        ),
        window_cm=option(float | None, "The same in centimorgans, on --genetic-map.", "C"),
        genetic_map=option(_FILE, "A public .map or .bim file with centimorgans.", "FILE"),
    ),
    with_threshold,
)
"""Which choice of variants is made, and for whom it must not tell too much."""

_WORDS = by_name(
    title=option(str | None, "The report's title.", "TEXT"),
    organisation=option(str | None, "The organisation that releases it.", "TEXT"),
    study=option(str | None, "The study's name, if the title does not have it.", "TEXT"),
    contact=option(str | None, "The contact for readers' questions.", "TEXT"),
    text=option(str | None, "Your own text for the report.", "TEXT"),
)


publication = in_place_of(
    "telling",
    _WORDS
    | by_name(
        ledger=option(
            str | None, "Charge it to a dataset of this ledger before noise.", "FILE|URL"
        ),
        dataset=option(str | None, "The dataset of the ledger whose budget is charged.", "NAME"),
    ),
    lambda given: (
        {name: value for name, value in given.items() if name not in _WORDS}
        | {"report": {name: given[name] for name in _WORDS if given[name] is not None}}
    ),
)
"""What a release says of itself, and whom it is charged to."""
