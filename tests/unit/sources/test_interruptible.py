"""Whatever thread a signal reaches, and whatever the engine is about, it is heard."""

import signal
import threading

import pytest

from deniable.sources.engine import engine
from deniable.sources.interruptible import settled

FOREVER = "SELECT count(*) FROM range(100000000000000) AS t(i) WHERE i % 7 = 3"


@pytest.fixture
def ctrl_c():
    """Ctrl-C as a terminal's job hears it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_what_a_call_gives_or_raises():
    def fails():
        raise ValueError("no")

    assert settled(lambda: 7, list).result() == 7
    assert str(settled(fails, list).exception()) == "no"


def test_stop_is_asked_for_until_the_call_ends(ctrl_c):
    asked = threading.Semaphore(0)

    def stubborn():
        ctrl_c()
        for _ in range(3):
            asked.acquire()

    with pytest.raises(KeyboardInterrupt):
        settled(stubborn, asked.release)


def test_a_signal_that_another_thread_was_sent_ends_a_query(ctrl_c):
    """A wait without an end slept on until the query had ended."""
    with engine("visits.csv", "200MB") as running:

        def query():
            ctrl_c()
            running.backend.con.execute(FOREVER).fetchall()

        with pytest.raises(KeyboardInterrupt):
            running.run(query)
