"""What is asked: a parent set, the size of a sample, δ, and the records that are meant."""

from deniable.population.question.parent_set import (
    Floats,
    Source,
    Types,
    as_integers,
    clip_records,
    floats,
    numbers,
    only_column,
    shift_columns,
)
from deniable.population.question.question import (
    Ones,
    ParentSet,
    Question,
    Records,
    SampleFunction,
    Selection,
    Summands,
    rows_of,
    sample_size,
)

__all__ = [
    "Floats",
    "Ones",
    "ParentSet",
    "Question",
    "Records",
    "SampleFunction",
    "Selection",
    "Source",
    "Summands",
    "Types",
    "as_integers",
    "clip_records",
    "floats",
    "numbers",
    "only_column",
    "rows_of",
    "sample_size",
    "shift_columns",
]
