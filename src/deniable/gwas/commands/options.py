"""Options that several commands of `deniable gwas` share."""

from pathlib import Path
from typing import Annotated, Any

import deniable
from deniable.cli.commands import Argument, Option
from deniable.cli.option_groups import REQUIRED, TARGET, Gathered, Options, in_place_of
from deniable.errors import InvalidArgument

# --- The options that say how a study is read: one list for all commands that read one.


Reading = Gathered
"""Arguments of `deniable.gwas.scan`, `release` and `utility` that say how the study is read."""

_OPTIONS: Options = {
    "pheno": (
        "phenotype",
        Annotated[
            Path | None,
            Option(
                metavar="FILE",
                help="Phenotype file: family, individual, phenotype (1 control, 2 case).",
            ),
        ],
        None,
    ),
    "pheno_name": (
        "phenotype_name",
        Annotated[
            str | None,
            Option(metavar="NAME", help="Which of several phenotypes in the file."),
        ],
        None,
    ),
    "missing": (
        "missing",
        Annotated[
            str,
            Option(
                metavar="refuse|major|panel",
                help="Missing genotypes: refuse them, or count them as two copies of allele 2, or "
                "as the panel's most frequent genotype.",
            ),
        ],
        "refuse",
    ),
    "multiallelic": (
        "multiallelic",
        Annotated[
            str,
            Option(
                metavar="refuse|leave-out|split",
                help="Lines with several alternative alleles: refuse the file, leave them out, or "
                "make each alternative a variant.",
            ),
        ],
        "refuse",
    ),
    "autosomes": (
        "autosomes",
        Annotated[
            int,
            Option(metavar="N", help="Pairs of autosomes of the species; X has the next number."),
        ],
        22,
    ),
}


def _file(words: str) -> Any:
    return Annotated[Path | None, Option(metavar="FILE", help=words)]


_FILTERS: Options = {
    "extract": ("extract", _file("Only the variants of this public list, one name a line."), None),
    "exclude": ("exclude", _file("All variants but those of this public list."), None),
    "keep": ("keep", _file("Only the people of this list: family and individual a line."), None),
    "remove": ("remove", _file("All people but those of this list."), None),
    "chr_": (
        "chromosomes",
        Annotated[
            str,
            Option("--chr", metavar="NAMES", help="Only these chromosomes, between commas."),
        ],
        "",
    ),
    "min_frequency": (
        "min_frequency",
        Annotated[
            float | None,
            Option(metavar="F", help="Least frequency of the rarer allele in the panel."),
        ],
        None,
    ),
    "panel": (
        "panel",
        Annotated[
            Path | None,
            Option(
                metavar="PREFIX|FILE",
                help="Other people: PLINK files, or PLINK's .frq or .afreq; variants that it lacks "
                "are left out.",
            ),
        ],
        None,
    ),
}
"""The same for what makes `deniable.gwas.Filters`."""
_ORDER: Options = {
    "allele_order": (
        "allele_order",
        Annotated[
            str | None,
            Option(
                metavar="ref-first|ref-last",
                help="Where the reference allele stands in the lines of a BGEN file.",
            ),
        ],
        None,
    ),
}
"""The one of these that only matters where missing calls are filled."""


def _read_arguments(given: Gathered) -> Gathered:
    """The arguments, with the filters among them made one where one was asked for."""
    named = [argument for argument, *_ in (_FILTERS | _ORDER).values() if argument in given]
    filters = {argument: given.pop(argument) for argument in named}
    if any(value not in (None, "") for value in filters.values()):
        given["filters"] = deniable.gwas.Filters(**filters)
    return given


filtered_reading = in_place_of("reading", _OPTIONS | _FILTERS | _ORDER, _read_arguments)
"""How a study is read, public filters among it."""

pool_reading = in_place_of(
    "reading",
    {name: each for name, each in _OPTIONS.items() if name != "missing"} | _FILTERS,
    _read_arguments,
)
"""The same for a pool whose missing calls stay missing."""


# --- Options that several commands of `deniable gwas` share.


Study = Any
"""The files of a study: a prefix, or several that are parts of it."""


def _study_files(given: Gathered) -> Any:
    """The prefixes of the command line, or of a list; nothing where there are neither."""
    from deniable.gwas.files import StudyFiles

    paths, listed = given["paths"], given["listed"]
    if paths and listed is not None:
        raise InvalidArgument(
            f"Expected PREFIX or --studies {listed}, got both. Put the prefixes into the file."
        )
    if listed is not None:
        return StudyFiles.listed(listed)
    return StudyFiles.of(paths) if paths else None


def _a_study(given: Gathered) -> Any:
    study = _study_files(given)
    if study is None:
        raise InvalidArgument("Expected a PREFIX of a study's files, or --studies FILE, got none.")
    return study


def _studies(metavar: str, words: str) -> Options:
    prefix = Annotated[list[Path] | None, Argument(metavar=metavar, help=words)]
    listed = Annotated[
        Path | None,
        Option(metavar="FILE", help=f"A text file with one {metavar} a line, in its place."),
    ]
    return {"prefix": ("paths", prefix, None), "studies": ("listed", listed, None)}


_PARTS = "Several, or {chr} in a name for the names of chromosomes, are parts of one study."
study_files = in_place_of(
    "prefix",
    _studies(
        "PREFIX",
        "Prefix of .bed, .bim and .fam files, or of .pgen, .pvar and .psam; or a .vcf[.gz] or "
        f".bgen file, or a .tsv of counts. {_PARTS}",
    ),
    _a_study,
)
pool_files = in_place_of(
    "prefix",
    _studies("PREFIX", f"The pool whose frequencies are published. {_PARTS}"),
    _a_study,
)
some_files = in_place_of(
    "prefix",
    _studies("STUDY", f"The study to choose variants of, as of scan; or give --pool. {_PARTS}"),
    _study_files,
)
_EPSILON = Annotated[float | None, Option(metavar="E", help="The budget ε, instead of a limit.")]
TARGETS: Options = {
    **{name: TARGET[name] for name in ("gamma", "max_posterior", "attack_success", "advantage")},
    "epsilon": ("epsilon", _EPSILON, None),
}
"""What an adversary may come to believe or reach, by one of these."""
targeted = in_place_of("targets", TARGETS)
Prior = Annotated[
    tuple[float, float] | None,
    Option(
        metavar="LOW HIGH",
        help="What you assume the adversary may believe before; by default the adjacency's.",
    ),
]
AdjacencyOption = Annotated[
    str,
    Option(
        metavar="genotype|swap",
        help="genotype: is this genome in the study? swap: is this participant a case?",
    ),
]
Title = Annotated[str | None, Option(metavar="TEXT", help="The report's title.")]
Organisation = Annotated[str | None, Option(metavar="TEXT", help="Who releases it.")]
Contact = Annotated[str | None, Option(metavar="TEXT", help="Whom readers may ask.")]
Text = Annotated[
    str | None, Option(metavar="TEXT", help="A text of your own for the report's beginning.")
]
LedgerOption = Annotated[
    str | None,
    Option(metavar="FILE|URL", help="Charge it to a dataset of this ledger before noise."),
]
DatasetOption = Annotated[
    str | None, Option(metavar="NAME", help="The dataset of the ledger, whose budget it is.")
]
Top = Annotated[int, Option(metavar="M", help="Number of variants to release.")]
ScoreOption = Annotated[
    str,
    Option(
        metavar="distance|allelic|genotypic|trend|stratified",
        help="The score by which variants are ranked.",
    ),
]
StrataOption = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Family, individual, public stratum: compare within, by cmh or stratified.",
    ),
]
ThresholdOption = Annotated[
    str, Option(metavar="bonferroni|P", help="A variant is significant below this p-value.")
]
Statistics = Annotated[
    bool,
    Option("--publish-statistics", help="Publish noisy allele counts too, for half of the budget."),
]
WindowKb = Annotated[
    float | None,
    Option(metavar="K", help="Remove what is within K kilobases of each chosen variant."),
]
WindowCm = Annotated[
    float | None,
    Option(metavar="C", help="The same in centimorgans, on --genetic-map."),
]
GeneticMap = Annotated[
    Path | None,
    Option(metavar="FILE", help="A public .map or .bim file with centimorgans."),
]


def _parse_threshold(given: Gathered) -> Gathered:
    """A threshold as a number where it is one; the function says what else may stand there."""
    return given | {"threshold": parse_threshold(given["threshold"])}


def parse_threshold(word: str) -> str | float:
    """A number where it is one."""
    try:
        return float(word)
    except ValueError:
        return word


def _gather_report(given: Gathered) -> Gathered:
    """The words of a report together, as far as they are given."""
    words = {name: given.pop(name) for name in _WORDS}
    return given | {"report": {name: word for name, word in words.items() if word is not None}}


_WORDS = {"title": Title, "organisation": Organisation, "contact": Contact, "text": Text}

choice = in_place_of(
    "selection",
    {
        "top": ("top", Top, REQUIRED),
        **TARGETS,
        "prior": ("prior", Prior, None),
        "adjacency": ("adjacency", AdjacencyOption, "genotype"),
        "score": ("score", ScoreOption, "distance"),
        "threshold": ("threshold", ThresholdOption, "bonferroni"),
        "strata": ("strata", StrataOption, None),
        "publish_statistics": ("publish_statistics", Statistics, False),
        "window_kb": ("window_kb", WindowKb, None),
        "window_cm": ("window_cm", WindowCm, None),
        "genetic_map": ("genetic_map", GeneticMap, None),
    },
    _parse_threshold,
)
"""Which choice of variants is made, and for whom it must not tell too much."""

publication = in_place_of(
    "telling",
    {name: (name, kind, None) for name, kind in _WORDS.items()}
    | {"ledger": ("ledger", LedgerOption, None), "dataset": ("dataset", DatasetOption, None)},
    _gather_report,
)
"""What a release says of itself, and whom it is charged to."""
