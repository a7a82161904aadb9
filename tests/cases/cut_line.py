"""A line to a PostgreSQL server that is cut at a word: before it arrives, or before its answer."""

import contextlib
import shutil
import socket
import tempfile
import threading
from pathlib import Path
from urllib.parse import quote

_PORT = ".s.PGSQL.5432"


class CutLine:
    """A socket that passes everything on, until `word` is sent while it is armed."""

    def __init__(self, server):
        self.server, self.word, self.arrives, self.after = server / _PORT, None, False, 0
        self.folder = Path(tempfile.mkdtemp(prefix="deniable-cut-", dir="/tmp"))
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / _PORT))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url):
        """The same database, along this line."""
        return url.replace(
            quote(str(self.server.parent), safe=""), quote(str(self.folder), safe="")
        )

    def cut(self, word, *, arrives, after=0):
        """Cut the line once, when a message with this word is sent after so many others."""
        self.word, self.arrives, self.after = word, arrives, after

    def close(self):
        """Take no more calls."""
        self.listener.close()
        shutil.rmtree(self.folder)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(str(self.server))
                threading.Thread(target=self._forth, args=(near, far), daemon=True).start()
                threading.Thread(target=self._back, args=(far, near), daemon=True).start()

    def _forth(self, near, far):
        with contextlib.suppress(OSError):
            while data := near.recv(65536):
                if self.word is None or self.word not in data:
                    pass
                elif self.after:
                    self.after -= 1
                else:
                    self.word = None
                    near.shutdown(socket.SHUT_RDWR)
                    if self.arrives:
                        far.sendall(data)
                    break
                far.sendall(data)
            far.shutdown(socket.SHUT_WR)

    def _back(self, far, near):
        with contextlib.suppress(OSError), far:
            while data := far.recv(65536):
                with contextlib.suppress(OSError):
                    near.sendall(data)
        near.close()
