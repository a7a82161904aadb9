"""The studio on a messy file of a hospital, for tests that use its page."""

import random
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx

from deniable.studio.draft import begin
from deniable.studio.pages import Studio
from deniable.studio.server import HERE, application, server

WARDS = ("Chirurgie", "Innere Medizin", "Gynäkologie", "Kinder")
TOKEN = "a-token-of-tests"
"""What stands in the address."""


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
