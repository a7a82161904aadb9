"""The one place that opens a browser."""

import os
import sys
import webbrowser
from pathlib import Path


def opened(page: Path) -> bool:
    """Open a page where there is a screen to show it; otherwise say so.

    A browser in a terminal would take the terminal over, so without a screen none is started.
    """
    if not _has_screen():
        return False
    try:
        return webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        return False


def _has_screen() -> bool:
    wanted = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, wanted))
