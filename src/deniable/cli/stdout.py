"""Standard output of the program: what is printed arrives, or the command hears that it did not."""

import errno
import io
import os
import sys
from typing import Any


class Unprinted(Exception):
    """Standard output took no more. No `OSError`: nothing is wrong with what the command did."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason.strerror)
        self.closed = reason.errno == errno.EPIPE
        """Whoever read it has gone, as `head` does: no error at all."""


class _Checked(io.FileIO):
    """A descriptor whose failure to be written is told apart from that of every other file."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            silence(self.fileno())
            raise Unprinted(error) from None


def check_standard_output() -> None:
    r"""Make the process's standard output raise `Unprinted` where it cannot be written.

    Text that the terminal's encoding does not have is shown by its code, as `\xb1`.
    """
    if sys.stdout is None:  # closed before the program began
        return
    old, descriptor = sys.stdout, sys.stdout.fileno()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Checked(descriptor, "w", closefd=False)),
        encoding=old.encoding,
        errors="backslashreplace",
        line_buffering=os.isatty(descriptor),
    )


def printable(text: str) -> str:
    r"""Text of which a terminal obeys nothing: names of files, columns and variants are others'.

    Ends of line stay; other space is a space, and marks that are not printed (escapes, control
    characters, marks of direction) are U+FFFD.

    Examples
    --------
    >>> printable("rs1\x1b[2J\tb") == "rs1\ufffd[2J b"
    True
    """
    return "".join(mark if mark == "\n" else _replace_control(mark) for mark in text)


def _replace_control(mark: str) -> str:
    if mark.isprintable():
        return mark
    return " " if mark.isspace() else "\ufffd"


def write_utf8(text: str) -> None:
    """Write text as UTF-8, whatever the terminal's encoding, and see that it arrives.

    Half of a surrogate pair, which stands for a byte in the name of a file, becomes the six
    characters that JSON writes for it.
    """
    if sys.stdout is None:  # closed before the program began
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def silence(descriptor: int) -> None:
    """Let what is still to be written to a broken descriptor go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
