"""The server: limits, headers, who may ask, and work that is really stopped."""

import json
import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from linscope.web.hosts import work
from linscope.web.hosts.server import application
from linscope.web.limits import BODY
from linscope.web.samples import sample
from linscope.web.schema import openapi
from tests.web.pages import Here

SPEC = {**sample("or"), "algorithm": "perceptron", "params": {}}


@pytest.fixture(scope="module")
def client():
    with TestClient(application(crew=work.Crew(1)), base_url="http://localhost") as found:
        yield found


def test_page_and_answers(client):
    for path, kind in [("/", "text/html"), ("/page.js", "javascript"), ("/playground.css", "css")]:
        reply = client.get(path)
        assert reply.status_code == 200
        assert kind in reply.headers["content-type"]
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
    assert client.get("/catalog").json()["lectures"]
    run = client.post("/fit", json=SPEC).json()
    assert run["total"] == 21


@pytest.mark.slow
def test_a_hundred_questions_at_once(client):
    with ThreadPoolExecutor(100) as pool:
        asked = [pool.submit(client.post, "/fit", json=SPEC) for _ in range(100)]
        assert {each.result().status_code for each in asked} == {200}


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        ("{", {}, 400),
        ("[" * 10_000, {}, 400),
        ("[]", {}, 422),
        ("null", {}, 422),
        (json.dumps(SPEC), {"content-type": "text/plain"}, 415),
        ('"' + "x" * BODY + '"', {}, 413),
        (json.dumps({**SPEC, "algorithm": "none"}), {}, 422),
    ],
)
def test_bad_questions(client, content, headers, status):
    reply = client.post(
        "/fit", content=content, headers={"content-type": "application/json", **headers}
    )
    assert reply.status_code == status
    assert reply.json()["error"]


def test_other_names_of_this_machine_are_refused(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403


def test_beyond_this_machine_a_token_is_needed():
    client = TestClient(application("secret", Here()), base_url="http://10.0.0.1")
    assert client.get("/").status_code == 401
    assert client.get("/?token=wrong").status_code == 401
    assert client.get("/?token=secret").status_code == 200
    assert client.get("/catalog", headers={"authorization": "Bearer secret"}).status_code == 200


def test_no_file_is_reached(client):
    for path in ("/static/page.html", "/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd"):
        assert client.get(path).status_code == 404


# Fractions that grow at every step: half a minute of work.
LONG = {
    **sample("five_points"),
    "algorithm": "lms-stochastic",
    "params": {"eta0": 0.0123456789, "max_iter": 400},
    "exact": True,
}


@pytest.mark.slow
def test_work_that_takes_too_long_is_stopped(client, monkeypatch):
    assert client.post("/fit", json=SPEC).status_code == 200
    before = {child.pid for child in multiprocessing.active_children()}
    monkeypatch.setattr(work, "SECONDS", 0.3)
    reply = client.post("/fit", json=LONG)
    monkeypatch.undo()
    assert reply.status_code == 503
    assert "fewer points" in reply.json()["error"]
    after = {child.pid for child in multiprocessing.active_children()}
    assert len(before - after) == 1
    assert client.post("/fit", json=SPEC).status_code == 200


def test_the_description_is_of_what_is_answered(client):
    document = client.get("/openapi.json").json()
    assert document == json.loads(json.dumps(openapi()))
    schema = document["paths"]["/fit"]["post"]["requestBody"]["content"]["application/json"]
    Draft202012Validator.check_schema(schema["schema"])
    Draft202012Validator(schema["schema"]).validate(SPEC)


def test_a_stopped_crew_leaves_no_process():
    crew = work.Crew(1)
    app = application(crew=crew)
    with TestClient(app, base_url="http://localhost"):
        processes = [each.process for each in crew.workers]
    deadline = time.monotonic() + 10
    while any(each.is_alive() for each in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(each.is_alive() for each in processes)


OTHERS = [[2, 3], [4, 5], [6, 7]]
DEEP = "[" * 900 + "]" * 900
STRANGE = [
    '"\\ud800"', '"\\udfff x"', '"\\u0000"', '"a\\u0000b"', '"\\u202eabc"', '"\\u2066"',
    '"\\ufeff"', '"\\u0007"', '"\\ud83d\\ude00"', '"' + "x" * 5000 + '"', "1e400", "-1e400", "NaN",
    "1" * 4000, "1e-400", "-0.0", "true", "null", DEEP, '{"a":' * 900 + "1" + "}" * 900,
    '{"\\ud800": 1}', "[]", "{}",
]  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE, ids=lambda text: text[:12])
def test_no_value_ends_the_process(client, strange):
    """Everywhere in a question: an answer, or one sentence; and the same process goes on."""
    assert client.post("/fit", json=SPEC).status_code == 200
    before = {child.pid for child in multiprocessing.active_children()}
    place = '"HERE"'
    places = [
        ("fit", {**SPEC, "algorithm": "HERE"}),
        ("fit", {**SPEC, "mode": "HERE"}),
        ("fit", {**SPEC, "start": "HERE"}),
        ("fit", {**SPEC, "loss": "HERE"}),
        ("fit", {**SPEC, "exact": "HERE"}),
        ("fit", {**SPEC, "brief": {"at": "HERE"}}),
        ("fit", {**SPEC, "params": {"eta0": "HERE"}}),
        ("fit", {**SPEC, "params": {"rule": "HERE"}}),
        ("fit", {**SPEC, "params": {"init": ["HERE"]}}),
        ("fit", {**SPEC, "data": "HERE"}),
        ("fit", {**SPEC, "data": {**SPEC["data"], "names": ["HERE", "b", "c", "d"]}}),
        ("fit", {**SPEC, "data": {**SPEC["data"], "features": ["HERE", "b"]}}),
        ("fit", {**SPEC, "data": {**SPEC["data"], "labels": ["HERE", "b", "b", "b"]}}),
        (
            "fit",
            {**SPEC, "data": {**SPEC["data"], "points": [["HERE", 1], [2, 3], [4, 5], [6, 7]]}},
        ),
        ("everyone", {"data": "HERE"}),
        ("sample", {"name": "HERE"}),
        ("sample", {"name": "ring", "params": {"n": "HERE"}}),
        ("table", {"text": "HERE"}),
        ("table", {"text": "a,b\n1,2\n3,4\n5,6\n", "x": ["HERE"]}),
        ("table", {"text": "a,b\n1,2\n3,4\n5,6\n", "y": "HERE"}),
    ]
    for kind, body in places:
        content = json.dumps(body).replace(place, strange)
        reply = client.post(
            f"/{kind}", content=content, headers={"content-type": "application/json"}
        )
        assert reply.status_code in (200, 400, 413, 422), (kind, body, reply.text)
        if reply.status_code != 200:
            assert len(reply.json()["error"]) > 10
    assert {child.pid for child in multiprocessing.active_children()} == before
    assert client.post("/fit", json=SPEC).status_code == 200


def test_half_a_surrogate_pair_is_named(client):
    spec = {**SPEC, "data": {**SPEC["data"], "features": ["a", "\ud800"]}}
    sent = {"content": json.dumps(spec), "headers": {"content-type": "application/json"}}
    reply = client.post("/fit", **sent)
    assert reply.status_code == 422
    assert "U+D800" in reply.json()["error"]


def test_a_fault_of_ours_is_told_and_the_process_lives():
    worker = work.Worker()
    try:
        for _ in range(2):
            with pytest.raises(work.Fault, match="terminal"):
                worker.ask([], None)  # no name of a question: nothing else is known to fail
        assert b"perceptron" in worker.ask("catalog", None)
        assert worker.process.is_alive()
    finally:
        worker.stop()
