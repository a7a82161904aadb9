#!/usr/bin/env bash
# Surprise: pyarrow: csv.read_csv with use_threads=False still reads in a thread of its own, which stays after the call. Where the
# input is Python's (bytes in a BufferReader, a file object) that thread holds a Python object, and may give it back
# while the interpreter ends: apache/arrow#34314. The option's documentation says "whether to use multiple threads to
# accelerate reading"; nothing says that memory is Python's until then. Of Arrow's own memory the thread holds nothing.
# Who is hurt: short programs under load, which end with status 134 after their work is done.
# What we do: bytes are copied into Arrow's memory before they are read, and our program ends the process itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install --quiet pyarrow==26.0.1
v/bin/python - <<'PYTHON'
import os
import sys
import threading

import pyarrow as pa
from pyarrow import csv


def threads():
    return len(os.listdir("/proc/self/task"))


class Noted:
    """A file object that says in which thread it is read."""

    closed, readers = False, set()

    def __init__(self):
        self.parts = [b"a,b\n1,2\n", b""]

    def read(self, size=-1):
        self.readers.add(threading.get_ident() == main)
        return self.parts.pop(0) if self.parts else b""

    def readable(self):
        return True

    def close(self):
        self.closed = True


main = threading.get_ident()
before = threads()
options = csv.ReadOptions(use_threads=False)
csv.read_csv(pa.BufferReader(b"a,b\n1,2\n"), read_options=options)
after = threads()
file = Noted()
csv.read_csv(pa.PythonFile(file, mode="r"), read_options=options)
elsewhere = False in file.readers
print(f"pyarrow {pa.__version__}, use_threads=False")
print(f"threads before the first read {before}, after it {after}")
print(f"a file object was read in a thread other than the caller's: {elsewhere}")
sys.exit(not (after > before and elsewhere))
PYTHON
