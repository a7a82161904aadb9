"""The studio on a messy file of a hospital, for tests that use its page."""

import html
import random
import re
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx

from deniable.studio.draft import Draft, begin
from deniable.studio.pages import Studio
from deniable.studio.server import HERE, application, server

WARDS = ("Chirurgie", "Innere Medizin", "Gynäkologie", "Kinder")
TOKEN = "a-token-of-tests"
"""What stands in the address."""
PLAN = """\
[data]
source = "people.csv"
types = { admitted = "date", age = "integer" }
entity = "who"
adjacency = "add-remove"

[columns]
"admitted month" = { of = "admitted", part = "month" }
"age bands" = { of = "age", bands = [0, 18, 65, 120] }

[adversary]
prior = [0.0, 0.1]

[target]
max_posterior = 0.5

[limits]
rows_per_entity = 2

[[query]]
name = "wards"
statistic = "count"
group_by = ["ward"]
keys = { ward = ["w0", "w1"] }
"""
"""A plan with computed columns and one query, which a file of people fits."""


def hospital_file(folder: Path, patients: int = 400) -> Path:
    """Semicolons, windows-1252, decimal commas, dates with points, and two ways to say nothing."""
    draw = random.Random(52)
    lines = ["Patient;Station;Aufnahme;Alter;Kosten in €;Verstorben"]
    for patient in range(patients):
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            day = f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.2024"
            cost = "k. A." if draw.random() < 0.05 else f"{draw.randint(200, 9000)},50"
            age, died = draw.randint(0, 99), draw.choice("00001")
            lines.append(f"P-{patient:04d};{draw.choice(WARDS)};{day};{age};{cost};{died}")
    place = folder / "aufenthalte.csv"
    place.write_bytes("\r\n".join([*lines, ""]).encode("windows-1252"))
    return place


@contextmanager
def client_of(address, **settings):
    """What asks a page and waits for as long as it takes."""
    with httpx.Client(base_url=address, **settings) as client:
        client.timeout = None
        yield client


@contextmanager
def served(source):
    """The studio of a file or a plan: its desk, and the address of its page."""
    desk = Studio(begin(source))
    listening = socket.create_server((HERE, 0))
    port = listening.getsockname()[1]
    serving = server(application(desk, TOKEN, port))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield desk, f"http://127.0.0.1:{port}/{TOKEN}/"
    finally:
        serving.should_exit = True
        thread.join()
        desk.close()
        listening.close()


def send(studio, page, /, **form):
    """Answer a form of the page as it is now."""
    desk, client = studio
    return client.post(page, data=form | {"version": Draft.read(desk.path).version})


def alerts_of(page):
    """What a page says is wrong, as somebody reads it."""
    alerts = re.findall(r'role="alert"[^>]*>(?:<p>)?(.*?)</', page)
    return [html.unescape(re.sub("<[^>]*>", "", each)) for each in alerts]
