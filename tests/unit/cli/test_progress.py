import re
import sys
import time

from deniable.cli.output import progress_bar


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


def frames(terminal):
    """Label, share that is filled, and percent of each picture of the bar."""
    pattern = re.compile(r"\r\x1b\[\?25l(.+?)  \[(#*)(-*)\] +(\d+)%")
    *drawn, end = terminal.written
    assert end == "\x1b[?25h\n"  # the cursor is shown again
    parts = [pattern.match(each).groups() for each in drawn]
    return [(each[0], len(each[1]) / len(each[1] + each[2]), int(each[3])) for each in parts]


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
    assert frames(terminal) == [("Working", 0.0, 0), ("Working", 0.5, 50), ("Working", 1.0, 100)]


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
    assert [percent for _, _, percent in frames(terminal)] == [0, 50, 100]
