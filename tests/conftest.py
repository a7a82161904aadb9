"""Settings for every test: hypothesis draws the same examples every time; servers start once."""

import functools
import gc
import os
import pickle
import re
import sys

import duckdb
import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from tests.cases import chromium, engines, left_out, postgres_server, spark_session
from tests.cases.effort import usual

# Two busy cores make deadlines a coin toss. `HYPOTHESIS_PROFILE=search` looks for new examples.
settings.register_profile(
    "same-every-time",
    max_examples=usual(14, 100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same-every-time"))

# `CliRunner` makes the command anew for each call, which takes 36 ms; most calls take less than 1.
typer.testing._get_command = functools.cache(typer.testing._get_command)
duckdb.connect = engines.lent


def pytest_collection_finish():
    """Search for garbage as seldom as the program does, and draw a page's charts once.

    Who checks a release writes its page anew, and 9 of 10 parts of that are charts. Tests of charts
    import the functions from where they are defined, and draw each time.
    """
    gc.set_threshold(100_000, 10, 10)
    gc.freeze()
    for name, module in list(sys.modules.items()):
        for chart in ("bar_chart", "point_chart", "belief_chart"):
            draw = vars(module).get(chart) if name.startswith("deniable.") else None
            if draw is not None and draw.__module__ != name:
                setattr(module, chart, drawn_once(draw))


def drawn_once(draw):
    """A chart of the same arguments is the same text, which tests/unit/report shows.

    Where pages are written without drawings, it is drawn anew, which is to say not at all.
    """

    @functools.lru_cache(256)
    def drawn(pickled):
        given, named = pickle.loads(pickled)
        return draw(*given, **named)

    def chart(*given, **named):
        if not sys.modules["deniable.report.charts"].are_drawn():
            return draw(*given, **named)
        return drawn(pickle.dumps((given, named)))

    return functools.wraps(draw)(chart)


def pytest_collection_modifyitems(items):
    """Workers must collect the same tests: no id may hold an address in memory."""
    named = [item.nodeid for item in items if " at 0x" in item.nodeid]
    assert not named, f"Give these parameters ids of their own: {named[:3]}"


class OneWorkerAServer(LoadScopeScheduling):
    """File by file to whichever worker is free, but to one worker all that share a server.

    A file's fixtures are made once; test by test, each worker would make them, and half a minute
    would go by in the scheduler, which counts all that it gave away after each test. pytest-xdist's
    own groups (--dist loadgroup, 3.8) have no effect under pytest 9.2.
    """

    def _split_scope(self, nodeid):
        asked_for = re.findall("[a-z]+", nodeid.partition("::")[2].lower())
        for server in ("spark", "postgres", "browser"):
            if f"/test_{server}" in nodeid or server in asked_for:
                return server
        return nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config, log):
    """Start each server once where tests run in several workers.

    Files come in their own order, long attacks and laws first and short ones last.
    """
    config.option.loadscopereorder = False
    return OneWorkerAServer(config, log)


def pytest_terminal_summary(terminalreporter):
    """Say plainly which tests a machine left out for want of a server."""
    for reason in left_out.reasons(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(reason)


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this process's own, started when the first test asks for it."""
    with postgres_server.server() as server:
        yield server


@pytest.fixture(scope="session")
def spark():
    """A Spark session of this process's own, started when the first test asks for it."""
    with spark_session.cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def browser():
    """A browser without a window, started when a module's first test asks for it.

    It is closed with the module: while it is there `asyncio.run` is refused in its process.
    """
    with chromium.started_browser() as started:
        yield started
