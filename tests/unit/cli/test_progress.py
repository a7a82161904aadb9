import sys
import time

from deniable.cli.progress import progress_bar


class Terminal:
    """Standard error that somebody watches."""

    def __init__(self):
        self.written = []

    def isatty(self):
        return True

    def write(self, text):
        self.written.append(text)
        return len(text)

    def flush(self):
        pass


def test_without_a_terminal_there_is_no_bar(capsys):
    with progress_bar("Working") as progress:
        assert progress is None
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_it_reaches_the_end_and_never_goes_back(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("Working") as progress:
        for fraction in (0.0, 0.5, 0.2, 1.0):
            progress(fraction)
    told = "".join(terminal.written)
    assert "Working" in told
    assert "100%" in told
    assert "20%" not in told


def test_with_patience_only_work_that_lasts_is_drawn(monkeypatch):
    terminal, now = Terminal(), [100.0]
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with progress_bar("Working", patience=0.5) as progress:
        for fraction in (0.0, 0.5, 1.0):
            progress(fraction)
    assert terminal.written == []
    with progress_bar("Working", patience=0.5) as progress:
        progress(0.25)
        now[0] += 1
        for fraction in (0.5, 1.0):
            progress(fraction)
    told = "".join(terminal.written)
    assert "100%" in told
    assert "25%" not in told
