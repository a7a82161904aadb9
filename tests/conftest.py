"""Settings for every test: hypothesis draws the same examples every time; servers start once."""

import functools
import gc
import json
import os
import pickle
import re
import sys
import tempfile
import types
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from deniable.report import charts, environment
from deniable.report.html import text
from deniable.theorems.analysis.explain import ErrorCurve
from tests.cases import chromium, engines, left_out, postgres_server, spark_session
from tests.cases.effort import THOROUGH, half_of_this_commit, one_half, usual

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

duckdb.connect = engines.lent


def pytest_collection_finish():
    """Search for garbage as seldom as the program does, and draw a page's charts once.

    Who checks a release writes its page anew, and 9 of 10 parts of that are charts. Tests of charts
    call the function where it is defined, and draw each time.
    """
    gc.set_threshold(100_000, 10, 10)
    gc.freeze()
    environment.inline = drawn_once(environment.inline)
    environment.environment.cache_clear()


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


def pytest_configure(config):
    """Take half where the whole suite is asked for.

    Workers inherit the choice.
    """
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not THOROUGH:
        os.environ.setdefault("DENIABLE_HALF", str(half_of_this_commit()))


def pytest_collection_modifyitems(config, items):
    """Workers must collect the same tests: no id may hold an address in memory."""
    named = [item.nodeid for item in items if " at 0x" in item.nodeid]
    assert not named, f"Give these parameters ids of their own: {named[:3]}"
    if half := os.environ.get("DENIABLE_HALF"):
        kept = one_half([item.nodeid for item in items], int(half))
        config.hook.pytest_deselected(items=[each for each in items if each.nodeid not in kept])
        items[:] = [each for each in items if each.nodeid in kept]


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


PICTURES = (
    "docs/",
    "README.md",
    "src/",
    "tests/test_",
    "tests/papers/",
    "tests/attacks/test_browser",
)
"""Where pictures are looked at, or stand in pages that are kept; and modules that name SVG."""
RATES = functools.cache(ErrorCurve.false_negatives)
"""What tests get wrong at least by a guarantee, which a page is written for again and again."""


@pytest.fixture(scope="module", autouse=True)
def pictures_in_words(request):
    """Where nobody looks at pictures: to draw them takes half of a small release's time.

    Vega's part alone is left out. A picture is then the text of all that Vega would be given, so
    that two pages are the same where they were with their pictures, a page of a release is checked
    as ever, and a value that should not be there is seen. What Vega could not read at all, a number
    that is none say, is an error here too. Error rates of one guarantee, half of what is left where
    noise is Gaussian, are computed once.
    """
    place = request.path.relative_to(request.config.rootpath).as_posix()
    if place.startswith(PICTURES) or "svg" in request.path.read_text(encoding="utf-8").lower():
        yield
        return

    def written(specification):
        read = json.loads(specification, parse_int=float)
        json.dumps(read, allow_nan=False, ensure_ascii=False).encode("utf-8")
        return f'<svg viewBox="0 0 8 8"><text>{text(specification)}</text></svg>'

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charts, "vl_convert", types.SimpleNamespace(vegalite_to_svg=written))
        patch.setattr(charts, "are_drawn", lambda: False)  # nothing of it is kept for other tests
        patch.setattr(ErrorCurve, "false_negatives", lambda *given: RATES(*given))
        charts._render_svg.cache_clear()
        yield
    charts._render_svg.cache_clear()


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


@pytest.fixture
def in_memory(tmp_path):
    """A folder in memory where there is such a file system: waiting for a disk takes no time."""
    memory = Path("/dev/shm")  # a folder of the test's own in it
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
