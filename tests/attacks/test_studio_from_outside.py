"""What other pages, other machines' names and hostile files reach of the studio: nothing."""

import logging
import re

import pytest

import deniable
from deniable.errors import InvalidArgument
from deniable.studio.draft import Draft, begin
from tests.cases.answers import HOSTILE
from tests.cases.refusals import refuses
from tests.cases.studio_page import TOKEN, client_of, hospital_file, served

STEPS = ("file", "who", "attacker", "publish", "cost", "preview", "release", "results")
REFUSED = "Refused. The studio answers only at the address that it printed when it was started."
HOSTILE_COLUMN = "ward'\"><script>alert(1)</script>\u202e"


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    with (
        served(hospital_file(folder, patients=20)) as (desk, address),
        client_of(address) as client,
    ):
        yield desk, address, client


def refused(answer):
    return answer.status_code == 403 and answer.text == REFUSED


@pytest.mark.parametrize("token", ["", "a", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "%00", "é"])
def test_without_the_token_everything_is_refused_in_the_same_words(studio, token):
    _, address, client = studio
    root = address.removesuffix(f"{TOKEN}/")
    for step in ("", *STEPS, "plan.toml", "studio.css", "files/results.csv", "nothing"):
        assert refused(client.get(f"{root}{token}/{step}"))
        assert refused(client.post(f"{root}{token}/{step}", data={"do": "next"}))


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": "127.0.0.1"}, {"host": "127.0.0.1.evil.example:80"},
     {"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"},
     {"sec-fetch-site": "same-site"}, {"origin": "http://127.0.0.1:1"}],
    ids=str,
)  # fmt: skip
def test_a_request_of_another_page_is_refused_though_it_has_the_token(studio, headers):
    desk, _, client = studio
    before = desk.path.read_bytes()
    form = {"do": "next", "before": "1", "after": "99", "version": Draft.read(desk.path).version}
    assert refused(client.get("file", headers=headers))
    assert refused(client.post("attacker", headers=headers, data=form))
    assert desk.path.read_bytes() == before


def test_a_form_about_an_older_plan_changes_nothing(studio):
    desk, _, client = studio
    before = desk.path.read_bytes()
    answer = client.post(
        "attacker", data={"do": "next", "before": "1", "after": "9", "version": "0"}
    )
    assert answer.status_code == 422
    assert "changed since" in answer.text
    assert desk.path.read_bytes() == before


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [(b"a=" + b"x" * 2**21, "application/x-www-form-urlencoded", 413),
     (b"a=%ff", "application/x-www-form-urlencoded", 400),
     (b"a=\xff", "application/x-www-form-urlencoded", 400),
     (b"&".join(b"a=1" for _ in range(3000)), "application/x-www-form-urlencoded", 400),
     (b"{}", "application/json", 415), (b"a=1", "text/plain", 415)],
    ids=["long", "no text", "no ASCII", "fields", "json", "plain"],
)  # fmt: skip
def test_a_body_that_no_form_sends_is_refused(studio, body, kind, status):
    _, _, client = studio
    answer = client.post("file", content=body, headers={"content-type": kind})
    assert answer.status_code == status


def test_every_answer_forbids_frames_scripts_and_stores_of_others(studio):
    _, _, client = studio
    for step in (*STEPS, "studio.js", "progress", "nothing"):
        headers = client.get(step).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_no_page_has_the_token_in_it(studio):
    _, _, client = studio
    assert all(TOKEN not in client.get(step).text for step in (*STEPS, "studio.js"))


@pytest.mark.parametrize("name", ["..%2fvisits.csv", "aufenthalte.csv", "%2fetc%2fpasswd"])
def test_no_file_but_those_of_a_release_is_sent(studio, name):
    _, _, client = studio
    assert client.get(f"files/{name}").status_code == 404


# --- Hostile files: names and cells are text, wherever they stand.


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("<b>hostile")
    place = folder / "<img src=x onerror=alert(1)>.csv"
    lines = ["who,{},n".format('"' + HOSTILE_COLUMN.replace('"', '""') + '"')]
    cell = '"' + HOSTILE.replace('"', '""') + '"'
    lines += [f"{person},{cell},{person}" for person in range(9)]
    place.write_text("\n".join(lines), "utf-8")
    with (
        served(place) as (desk, address),
        client_of(address, follow_redirects=True) as client,
    ):
        yield desk, client


def send(desk, client, step, **form):
    form = {name.replace("__", "."): value for name, value in form.items()}
    return client.post(step, data=form | {"version": Draft.read(desk.path).version})


def tags(page):
    """Every tag of a page that is none of the templates'."""
    return re.findall(
        r"<(?:script|img|b)\b[^>]*>", page.replace('<script src="studio.js" defer>', "")
    )


def test_nothing_of_a_file_is_markup_or_script(hostile):
    desk, client = hostile
    source = Draft.read(desk.path).table("data")["source"]
    send(desk, client, "file", do="next", source=source, columns="3", type__2="integer")
    send(desk, client, "who", do="next", whose="entity", column="0", rows="1", unit="<b>x</b>")
    send(desk, client, "attacker", do="next", before="10", after="50")
    query = {
        "statistic": "count",
        "name": HOSTILE,
        "group__0": "1",
        "keys__0": f"{HOSTILE[:80]}\nb",
    }
    answer = send(desk, client, "publish", do="save", **query)
    assert answer.status_code == 200
    assert Draft.read(desk.path).queries[0]["group_by"] == [HOSTILE_COLUMN]
    pages = [client.get(step).text for step in (*STEPS, "publish?query=0")]
    pages.append(send(desk, client, "publish", do="save", statistic="sum", low="<b>").text)
    for page in pages:
        assert [each for each in tags(page) if each != "<b>" or "lead" not in page] == []
    assert "&lt;script&gt;" in pages[0]


def test_a_column_is_named_by_its_place_and_no_other_is_taken(hostile):
    desk, _ = hostile
    draft = Draft.read(desk.path)
    for place in ("3", "-1", "x", "１", "1e0"):
        with refuses(InvalidArgument, "choose-it-again"):
            draft.column({"column": place}, "column")


def test_no_value_is_logged_and_a_fault_says_its_type_alone(studio, monkeypatch, capfd, caplog):
    desk, _, client = studio

    def fail(*_):
        raise RuntimeError("P-0001")

    with caplog.at_level(logging.DEBUG):
        monkeypatch.setattr(desk, "show", fail)
        answer = client.get("file")
        monkeypatch.undo()
        client.get("file")
    assert (answer.status_code, answer.text) == (500, "An internal error: RuntimeError.")
    ours = [each for each in caplog.records if not each.name.startswith(("httpx", "httpcore"))]
    assert ours == []
    assert "".join(capfd.readouterr()) == ""


def test_a_plan_that_was_begun_stays(tmp_path):
    place = hospital_file(tmp_path, patients=2)
    (tmp_path / "aufenthalte.toml").write_text("# mine\n[data]\nsource = 'aufenthalte.csv'\n")
    assert begin(place).read_text().startswith("# mine")
    assert begin(tmp_path / "aufenthalte.toml") == tmp_path / "aufenthalte.toml"


def test_only_this_machine_is_listened_to(tmp_path):
    with served(hospital_file(tmp_path, patients=2)) as (_, address):
        assert address.startswith("http://127.0.0.1:")
    assert deniable.studio.__module__ == "deniable.studio.server"
