"""Work that takes long can be cancelled until something may have been charged, and no longer."""

import threading
import time

import pytest

import deniable
from deniable.ledger import new, show
from deniable.numerics.operating_system import run_interruptibly
from deniable.studio.pages import ASKING, DONE, FAILED, Work
from tests.cases.release_case import write_case


def asked(work):
    """Wait until it asks."""
    while work.state != ASKING and not work.is_over:
        time.sleep(0.01)
    return work.state == ASKING


def releasing(folder):
    plan = write_case(folder, target="epsilon = 1.0")
    ledger = folder / "hospital.ledger"
    new(ledger, "visits", epsilon=2.0, entity="person")
    out = folder / "out"

    def call(tell, ask):
        return deniable.release(
            plan, out, ledger=ledger, dataset="visits", progress=tell, confirm=ask
        )

    return Work("release", "v", call), ledger, out


def test_a_no_charges_nothing_and_writes_nothing(tmp_path):
    work, ledger, out = releasing(tmp_path)
    assert asked(work)
    assert work.cancel()
    work.wait()
    assert work.state == FAILED
    assert work.error == "Cancelled. Nothing was charged, drawn or written."
    assert show(ledger).charges == 0
    assert not out.exists()


def test_a_yes_is_released_and_cannot_be_cancelled_any_more(tmp_path):
    work, ledger, out = releasing(tmp_path)
    assert asked(work)
    work.answer(agreed=True)
    assert not work.cancel()
    work.answer(agreed=False)
    work.wait()
    assert work.state == DONE
    assert (work.result.out, show(ledger).charges) == (out, 1)
    assert not work.cancel()


def test_an_engine_is_interrupted_whose_work_is_not_wanted_any_more():
    began, stopped = threading.Event(), threading.Event()

    def query():
        began.set()
        assert stopped.wait()

    work = Work("preview", "v", lambda *_: run_interruptibly(query, stopped.set))
    assert began.wait()
    assert work.cancel()
    work.wait()
    assert stopped.is_set()
    assert work.error.startswith("Cancelled.")


@pytest.mark.parametrize("failure", [RuntimeError("ann's record"), MemoryError("ann's record")])
def test_a_fault_says_its_type_and_no_value(failure):
    def fail(*_):
        raise failure

    work = Work("preview", "v", fail)
    work.wait()
    assert work.state == FAILED
    assert type(failure).__name__ in work.error
    assert "ann" not in work.error
