"""The one place that opens a browser."""

import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


def open_in_browser(page: Path) -> bool:
    """Open a page where there is a screen to show it; otherwise say so.

    A browser in a terminal would take the terminal over, so without a screen none is started.
    """
    if not _has_screen():
        return False
    with _silence():
        try:
            return webbrowser.open(page.resolve().as_uri())
        except webbrowser.Error:
            return False


@contextmanager
def _silence() -> Iterator[None]:
    """Let nothing that a browser prints, now or later, into what the command prints."""
    kept: dict[int, int] = {}
    with ExitStack() as stack:
        for stream in (1, 2):
            with suppress(OSError):  # a stream that is closed shows nothing anyway
                kept[stream] = os.dup(stream)
                stack.callback(os.close, kept[stream])
        null = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, null)
        for stream, before in kept.items():
            os.dup2(null, stream)
            stack.callback(os.dup2, before, stream)
        yield


def _has_screen() -> bool:
    wanted = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, wanted))
