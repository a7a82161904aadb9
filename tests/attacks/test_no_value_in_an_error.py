"""Whatever fails in whatever source, what is raised, logged and printed holds no person's value.

Work that no plan can ask for goes straight to the engine, so that what fails is foreign code with
the values in its hands. What stands in the way is named in `deniable.errors`.
"""

import logging
import traceback

import pyarrow as pa
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import schema
from deniable.publish.statistics import Count, Histogram, Mean, Quantile, Sum
from deniable.publish.totals import exact_totals
from tests.cases.effort import one_in
from tests.cases.sources import HANDED, PLACES, SOURCES

CANARY = "canary-of-one-person"
TABLE = pa.table(
    {
        "person": [f"{CANARY}-{n}" for n in range(40)],
        "text": [f"{CANARY} ' \" \\ {n}" for n in range(40)],
        "n": [8_015_551_212 + n for n in range(40)],
    }
)
VALUES = (CANARY, "80155512")
"""What stands in every text and in every number of the table."""
PROTECTION = Protection(Adjacency.ADD_REMOVE, 1)
WRONG = {
    "a text is summed": Query("q", Sum("text", (0, 1))),
    "a text is averaged": Query("q", Mean("text", (0, 1))),
    "a text is cut into bins": Query("q", Histogram("text", (0, 1))),
    "a text is ordered as a number": Query("q", Quantile("text", (0, 1), candidates=3)),
    "a text is compared with a number": Query("q", Count(), where=(Condition("text", ">", 3),)),
    "a text is grouped as numbers": Query("q", Count(), Grouping(("text",), ((1, 2),))),
    "a number is grouped as texts": Query("q", Count(), Grouping(("n",), (("a", CANARY[:3]),))),
    "a column is not there": Query("q", Sum("missing", (0, 1))),
}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    """Makes a source: some can be read once only."""
    return lambda: SOURCES[request.param](TABLE, tmp_path, request.getfixturevalue)


@pytest.mark.parametrize("source", [*PLACES, *one_in(3, [*HANDED])], indirect=True)
def test_no_failure_shows_a_value(source, capfd, caplog, request):
    caplog.set_level(logging.DEBUG)
    failed = {}
    *others, missing = WRONG.items()
    turn = [*SOURCES].index(request.node.callspec.params["source"])
    for place, (wrong, query) in enumerate([*one_in(2, others, turn), missing]):
        entities = ("person", "missing" if wrong == "a column is not there" else None)
        for entity in one_in(2, entities, place):
            try:
                exact_totals(source(), entity, [(query, PROTECTION)], memory_limit="200MB")
            except Exception as error:
                failed[wrong] = "".join(traceback.format_exception(error))
    printed, complained = capfd.readouterr()
    everything = [*failed.values(), printed, complained, caplog.text]
    assert "a column is not there" in failed
    assert len(failed) > 1
    assert not [text for text in everything if any(value in text for value in VALUES)]


def test_what_a_source_is_like_shows_no_value(source, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    said = [repr(source()), str(source()), repr(schema(source())), *capfd.readouterr(), caplog.text]
    assert not [text for text in said if any(value in text for value in VALUES)]
