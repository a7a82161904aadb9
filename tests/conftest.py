"""Settings for every test: hypothesis draws the same examples every time; servers start once."""

import functools
import gc
import itertools
import os
import re
import shutil
import sys
import tempfile
from multiprocessing.util import Finalize
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from deniable.theorems.analysis.explain import ErrorCurve
from tests.cases import chromium, engines, left_out, postgres_server, spark_session
from tests.cases.effort import THOROUGH, half_of_this_commit, one_half, usual

# Two busy cores make deadlines a coin toss. `HYPOTHESIS_PROFILE=search` looks for new examples.
settings.register_profile(
    "same-every-time",
    max_examples=usual(10, 100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same-every-time"))

duckdb.connect = engines.lent


def pytest_collection_finish():
    """Search for garbage as seldom as the program does, and compute two things once.

    Pages show error rates again and again; where noise is Gaussian, they are half of a page's time.
    What a claim comes to takes a quarter of an audit of few runs.
    """
    gc.set_threshold(100_000, 10, 10)
    gc.freeze()
    ErrorCurve.false_negatives = functools.cache(ErrorCurve.false_negatives)
    if audit := sys.modules.get("deniable.auditing.audit"):
        audit.derive = functools.cache(audit.derive)


MEMORY = Path("/dev/shm")  # where there is such a file system
ROOM = 4 * 2**30  # bytes: the whole suite writes less than a quarter of it


def pytest_configure(config):
    """Write into memory where there is room, and take half where the whole suite is asked for.

    Tests that write files take a fifth less time there. Workers inherit both choices;
    `TMPDIR` or `--basetemp` names another place, which is kept.
    """
    has_room = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    if has_room and "TMPDIR" not in os.environ:
        for left in MEMORY.glob("deniable-tests-*-*"):  # by a run that was killed
            if not Path("/proc", left.name.split("-")[2]).exists():
                shutil.rmtree(left, ignore_errors=True)
        folder = tempfile.mkdtemp(prefix=f"deniable-tests-{os.getpid()}-", dir=MEMORY)
        os.chmod(folder, 0o711)  # tests that act as somebody else go through it
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        # The last thing of all: multiprocessing removes a folder of its own there at -100.
        Finalize(None, shutil.rmtree, [folder], {"ignore_errors": True}, exitpriority=-200)
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not THOROUGH:
        os.environ.setdefault("DENIABLE_HALF", str(half_of_this_commit()))


def pytest_collection_modifyitems(config, items):
    """Workers must collect the same tests, and what needs a server says so by name."""
    named = [item.nodeid for item in items if " at 0x" in item.nodeid]
    assert not named, f"Give these parameters ids of their own: {named[:3]}"
    for server in ("spark", "postgres"):
        asking = [each.nodeid for each in items if server in getattr(each, "fixturenames", ())]
        apart = [each for each in asking if scope_of(each) != server]
        assert not apart, f"Name {server}, or another worker starts one too: {apart[:3]}"
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
        return scope_of(nodeid)


def scope_of(nodeid):
    """The server that a test's name says it needs, or its file."""
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


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """Paths for the tests of a file, one after the other."""
    folder = tmp_path_factory.mktemp("file")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture
def tmp_path(numbered):
    """An empty folder of the test's own, in one of its file.

    pytest's own looks through the folders of all tests before: some milliseconds for each test.
    """
    path = next(numbered)
    path.mkdir(mode=0o700)  # for nobody else, as pytest's
    return path


@pytest.fixture
def in_memory(tmp_path):
    """A folder in memory where there is such a file system: waiting for a disk takes no time."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)
