"""Whatever thread a signal reaches, and whatever the engine is about, it is heard."""

import gc
import signal
import threading

import pytest

from deniable.numerics.operating_system import run_interruptibly
from deniable.publish.sources import engine

FOREVER = "SELECT count(*) FROM range(100000000000000) AS t(i) WHERE i % 7 = 3"


@pytest.fixture
def ctrl_c():
    """Ctrl-C as a terminal's job hears it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # Python drops an exception that a handler raises inside a finalizer or a callback of the
    # collector, and other tests of this process left some: a person presses twice, a test hangs.
    gc.collect()
    gc.disable()
    yield lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    gc.enable()
    signal.signal(signal.SIGINT, before)


def test_what_a_call_gives_or_raises():
    def fails():
        raise ValueError("no")

    assert run_interruptibly(lambda: 7, list).result() == 7
    assert str(run_interruptibly(fails, list).exception()) == "no"


def test_stop_is_asked_for_until_the_call_ends(ctrl_c):
    asked = threading.Semaphore(0)

    def stubborn():
        ctrl_c()
        for _ in range(3):
            asked.acquire()

    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(stubborn, asked.release)


def test_a_signal_that_another_thread_was_sent_ends_a_query(ctrl_c):
    """A wait without an end slept on until the query had ended."""
    with engine("visits.csv", "200MB") as running:

        def query():
            ctrl_c()
            running.backend.con.execute(FOREVER).fetchall()

        with pytest.raises(KeyboardInterrupt):
            running.run(query)


def test_a_second_ctrl_c_while_a_query_is_stopped_leaves_nobody_waiting(ctrl_c):
    """It ended the asking and waited for the query, which nobody stopped any more."""
    stopped, asked = threading.Event(), []

    def query():
        ctrl_c()
        stopped.wait()

    def stop():
        asked.append(True)
        if len(asked) == 1:
            raise KeyboardInterrupt
        stopped.set()

    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(query, stop)
    assert len(asked) >= 2


def test_no_call_is_left_running_whenever_a_signal_comes(ctrl_c):
    """One that came while the thread began left the call alone with the engine, which then hung."""
    running = []

    def query():
        running.append(True)
        ctrl_c()
        stopped.wait()
        running.pop()

    for _ in range(50):
        stopped = threading.Event()
        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(query, stopped.set)
        assert running == []


def test_an_engine_answers_after_each_of_many_interrupted_queries(ctrl_c):
    """An interrupt that comes when its query has ended must not reach the next one."""
    with engine("visits.csv", "200MB") as running:
        for number in range(25):
            rows = 10 ** (3 + number % 5)

            def query(rows=rows):
                ctrl_c()
                running.backend.con.execute(f"SELECT sum(hash(i)) FROM range({rows}) AS t(i)")

            with pytest.raises(KeyboardInterrupt):
                running.run(query)
            found = running.run(lambda: running.backend.con.execute("SELECT 7").fetchall())
            assert found == [(7,)]
