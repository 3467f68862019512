"""The service of examples/service.py, over HTTP on loopback, and the errors in docs/services.md."""

import json
import re
import runpy
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import groundwalk
import pytest

from ..docs.pages import blocks, inline

httpx = pytest.importorskip("httpx")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("fastapi", reason="fastapi is not installed")

ROOT = Path(__file__).parents[2]
KOREA = "What is the capital of Korea?"


class Served:
    """The running service: its names, and a client of its address."""

    def __init__(self, names: dict[str, Any], client: Any) -> None:
        self.names, self.client = names, client

    @property
    def line(self) -> Any:
        return self.names["SERVICE"]["graph"].line

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(path, json=body)

    def events(self, question: str) -> list[tuple[str, str]]:
        with self.client.stream("GET", "/ask/stream", params={"question": question}) as reply:
            text = "".join(reply.iter_text())
        return re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    names = runpy.run_path(str(ROOT / "examples" / "service.py"))
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(names["app"], log_level="error"))
    running = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    running.start()
    while not server.started and running.is_alive():
        time.sleep(0.01)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with httpx.Client(base_url=address, timeout=20) as client:
        yield Served(names, client)
    server.should_exit = True
    running.join(20)
    listener.close()
    assert not running.is_alive()


def test_a_question_and_the_one_after_it(served: Served) -> None:
    first = served.post("/ask", question="What is the capital of Kenya?").json()
    assert (first["status"], first["text"]) == ("answered", "Nairobi")
    second = served.post("/ask", question="and its currency?", thread=first["thread"]).json()
    assert second["text"] == "Kenyan shilling"


def test_what_is_meant_is_chosen(served: Served) -> None:
    asked = served.post("/ask", question=KOREA).json()
    assert (asked["status"], asked["text"]) == ("ambiguous", "Which Korea do you mean?")
    labels = [option["label"] for option in asked["asks"][0]["options"]]
    chosen = served.post("/choose", thread=asked["thread"], option=labels[1]).json()
    assert (chosen["status"], chosen["text"]) == ("answered", "Seoul")
    again = served.post("/choose", thread=asked["thread"], option="1")
    assert again.status_code == 422
    assert again.json()["error"] == "nothing is asked in this thread (ask a question first)"


def test_the_page_has_what_goes_in_and_comes_out(served: Served) -> None:
    ask, asks, choose, chosen = (
        json.loads(block.text) for block in blocks("docs/services.md") if block.language == "json"
    )
    assert_shown(asks, served.post("/ask", **ask).json())
    assert_shown(chosen, served.post("/choose", **choose).json())
    (error,) = (code for code in inline("docs/services.md") if code.startswith('{"error'))
    assert served.post("/ask", question="").json() == json.loads(error)


def assert_shown(shown: Any, said: Any) -> None:
    """That a page shows what is said, but for likelihoods and for the end of lists."""
    match shown:
        case dict():
            shown_fields: dict[str, Any] = shown
            assert shown_fields.keys() == said.keys()
            for name, value in shown_fields.items():
                assert_shown(value, said[name])
        case [_, *_]:
            assert len(shown) <= len(said)
            for value, other in zip(shown, said, strict=False):
                assert_shown(value, other)
        case float():
            assert type(said) is float
        case _:
            assert shown == said


def test_a_reading_is_chosen(served: Served) -> None:
    question = "Which friendly countries border Austria?"
    unsure = served.post("/ask", question=question).json()
    assert unsure["status"] == "unsure"
    counting = 1 + [own["words"].startswith("how many") for own in unsure["readings"]].index(True)
    counted = served.post("/choose", thread=unsure["thread"], reading=counting).json()
    assert counted["result"]["value"] == 8
    none = served.post("/choose", thread="none", reading=1)
    assert none.status_code == 422 and "no reading 1" in none.json()["error"]


def test_events_are_streamed(served: Served) -> None:
    assert [kind for kind, _ in served.events(KOREA)] == ["linked", "ambiguous", "result"]
    events = served.events("How many countries border Austria?")
    assert [kind for kind, _ in events] == ["linked", "computed", "responded", "result"]
    assert '"value": 8' in events[-1][1]
    empty = served.client.get("/ask/stream", params={"question": " "})
    assert empty.status_code == 422 and "empty" in empty.json()["error"]


def test_what_callers_get_wrong(served: Served) -> None:
    for body in ({"question": " "}, {"question": "x" * 5_000}):
        reply = served.post("/ask", **body)
        assert reply.status_code == 422 and "question" in reply.json()["error"]
    assert served.post("/ask").status_code == 422


def test_a_full_line_and_a_slow_answer(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    handler = served.names["answer"].__globals__
    with served.line.turn():
        monkeypatch.setitem(handler, "SECONDS", 0.02)
        slow = served.post("/ask", question=KOREA)
        assert slow.status_code == 504 and slow.json()["error"] == "no answer within 0.02 seconds"
        monkeypatch.setattr(served.line, "most_waiting", 0)
        stream = served.client.get("/ask/stream", params={"question": KOREA})
        for full in (served.post("/ask", question=KOREA), stream):
            assert full.status_code == 503 and int(full.headers["Retry-After"]) >= 1
            assert full.json()["error"] == "0 questions are waiting already (ask again later)"
        assert served.client.get("/health").json()["answering"] == 1
    monkeypatch.undo()
    assert served.post("/ask", question=KOREA).status_code == 200
    assert served.client.get("/health").json()["answering"] == 0


def test_what_the_graph_holds(served: Served) -> None:
    about = served.client.get("/about").json()
    assert about["classes"] and about["relations"] and about["questions"]


def test_the_page_has_the_status_of_every_error(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "services.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?Error`.*?) \| (?:.*?) \| (\d+)", page, re.MULTILINE)
    said = {name: int(status) for names, status in rows for name in re.findall(r"`(\w+)`", names)}
    public = {name for name in groundwalk.__all__ if name.endswith("Error")}
    assert said.keys() == public - {"GroundwalkError"} | {"TimeoutError"}
    for name, status in said.items():
        error = TimeoutError() if name == "TimeoutError" else getattr(groundwalk, name)("why", "do")
        reply = served.names["failed"](None, error)
        assert reply.status_code == status
        assert ("Retry-After" in reply.headers) == (status == 503)
        assert (b"why (do)" in reply.body) == (status in (422, 503))
    assert "KGError: why (do)" in capsys.readouterr().err


def test_it_is_short() -> None:
    assert len((ROOT / "examples" / "service.py").read_text("utf-8").splitlines()) <= 120
