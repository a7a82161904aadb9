"""The options of `deniable population …`, each defined once for all commands of the group."""

from pathlib import Path
from typing import Annotated

from deniable.cli.commands import Option
from deniable.cli.option_groups import (
    REQUIRED,
    Checkpoint,
    Json,
    Options,
    Scheduler,
    Seed,
    Workers,
)

DataOption = Annotated[
    Path,
    Option(
        metavar="X.csv", help="The parent set: a CSV file of numbers, one record a line, no header."
    ),
]
Size = Annotated[
    int,
    Option(
        metavar="n", help="Number of records in the uniform sample, less than the parent set's."
    ),
]
Sigma = Annotated[
    float | None, Option(metavar="S", help="Standard deviation of the noise on the query.")
]
Scale = Annotated[float | None, Option(metavar="B", help="Scale of the noise on the query.")]
Epsilon = Annotated[
    float | None, Option(metavar="E", help="Use the noise that gives this differential privacy, ε.")
]
TargetOption = Annotated[
    float | None,
    Option(metavar="T", help="Find the least noise whose proven upper end is at most T."),
]
Clip = Annotated[
    float | None, Option(metavar="C", help="Scale records down to a norm of at most C.")
]
DeltaOption = Annotated[float, Option(metavar="D", help="δ, in [0, 1); 0 is pure.")]
QueryOption = Annotated[
    str, Option(metavar="mean|sum", help="What is published of the sample: its mean or its sum.")
]
CountsOption = Annotated[
    bool, Option("--counts", help="The last column of --data says how many records have that line.")
]
WholeMethod = Annotated[
    str,
    Option(
        metavar="auto|lattice|types",
        help="Method of analysis; lattice is for one column, types for few distinct records.",
    ),
]
Confidence = Annotated[
    float, Option(help="Probability with which a random interval covers the true value.")
]
Gap = Annotated[
    float,
    Option(
        metavar="G", help="Stop when the interval is at most this wide, relative to its lower end."
    ),
]
RecordsOption = Annotated[
    str, Option(metavar="worst|all", help="Report the worst record only, or each.")
]
OutRecords = Annotated[
    Path | None,
    Option(metavar="FILE.csv", help="With --records all: write the records here, as CSV."),
]
Page = Annotated[
    Path | None,
    Option(
        metavar="PAGE.html",
        help="Write a page here: what an attacker can conclude, of whom. NOT FOR PUBLICATION.",
    ),
]
TimeLimit = Annotated[
    float, Option(metavar="SECONDS", help="Limit on all the work; then the answer so far counts.")
]
Device = Annotated[
    str | None,
    Option(metavar="D", help="The device for arrays, such as cuda:0; the processor by default."),
]

SUM: Options = {
    "data": ("data", DataOption, REQUIRED),
    "size": ("size", Size, REQUIRED),
    "scale": ("scale", Scale, None),
    "target": ("target", TargetOption, None),
    "delta": ("delta", DeltaOption, 0.0),
    "clip": ("clip", Clip, None),
}
"""The options of a sum with Laplace noise, or whole noise."""
WHOLE_NUMBERS: Options = SUM | {
    "query": ("query", QueryOption, "sum"),
    "method": ("method", WholeMethod, "auto"),
    "counts": ("counts", CountsOption, False),
}

COMMON: Options = {
    "seed": ("seed", Seed, 0),
    "confidence": ("confidence", Confidence, 0.95),
    "gap": ("gap", Gap, 0.1),
    "records": ("records", RecordsOption, "worst"),
    "out_records": ("out_records", OutRecords, None),
    "page": ("page", Page, None),
    "time_limit": ("time_limit", TimeLimit, 60.0),
    "workers": ("workers", Workers, 1),
    "scheduler": ("scheduler", Scheduler, None),
    "checkpoint": ("checkpoint", Checkpoint, None),
    "device": ("device", Device, None),
    "as_json": ("as_json", Json, False),
}
"""What every command of the group takes."""
