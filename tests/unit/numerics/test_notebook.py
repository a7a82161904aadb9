import sys
import time
from types import SimpleNamespace
from typing import ClassVar

import pytest

from deniable.numerics.effort import notebook_bar


class ProgressBar:
    """Stands for IPython's: remembers what was drawn."""

    made: ClassVar[list] = []

    def __init__(self, total):
        self.total, self.drawn, self._progress = total, [], 0
        ProgressBar.made.append(self)

    def display(self):
        self.drawn.append(self._progress)

    @property
    def progress(self):
        return self._progress

    @progress.setter
    def progress(self, value):
        self._progress = value
        self.display()


@pytest.fixture
def notebook(monkeypatch):
    """A session with a kernel, as in Jupyter."""
    ProgressBar.made = []
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    display = SimpleNamespace(ProgressBar=ProgressBar)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shell


def test_without_a_notebook_nothing_is_drawn(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert notebook_bar(None) is None


def test_a_terminal_session_of_ipython_is_no_notebook(notebook):
    notebook.kernel = None
    assert notebook_bar(None) is None


@pytest.mark.usefixtures("notebook")
def test_what_was_asked_for_is_kept():
    assert notebook_bar(print) is print


@pytest.mark.usefixtures("notebook")
def test_a_bar_moves_forward_only_and_a_second_piece_of_work_gets_its_own():
    bar = notebook_bar(None)
    for fraction in (0.0, 0.25, 0.2, 0.5, 1.0):
        bar(fraction)
    for fraction in (0.5, 1.0):
        bar(fraction)
    assert [each.drawn for each in ProgressBar.made] == [[0, 250, 500, 1000], [0, 500, 1000]]


@pytest.mark.usefixtures("notebook")
def test_work_that_is_over_at_once_draws_nothing():
    notebook_bar(None)(1.0)
    assert ProgressBar.made == []


@pytest.mark.usefixtures("notebook")
def test_with_patience_only_work_that_lasts_is_drawn(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    short = notebook_bar(None, patience=0.5)
    for fraction in (0.0, 0.5, 1.0):
        short(fraction)
    assert ProgressBar.made == []
    lasting = notebook_bar(None, patience=0.5)
    lasting(0.25)
    now[0] += 1
    for fraction in (0.5, 1.0):
        lasting(fraction)
    assert [each.drawn for each in ProgressBar.made] == [[0, 500, 1000]]
