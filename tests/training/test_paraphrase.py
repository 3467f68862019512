"""Rewordings by a chat model: scripted, and over HTTP from a server of the test's own."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from random import Random
from threading import Thread
from typing import IO, Any, ClassVar

import pytest
from groundwalk.agent.errors import InputError, ServiceError
from groundwalk.agent.llm.chat import chat_model
from groundwalk.training.asked import paraphrase
from groundwalk.training.asked.lesson_stream import draw
from groundwalk.training.asked.paraphrase import Chat, mixed, read_wordings, reword
from groundwalk.training.questions.graph import execute
from groundwalk.training.questions.questioner import Questioner, make_questioner
from groundwalk.training.wording.english import OTHER, TOPIC, load_english
from groundwalk.training.wording.phrasebook import make_phrasebook
from hypothesis import given
from hypothesis import strategies as st

from ..graphs.scripted import Scripted, in_order
from .toy import is_answered, toy_graph


def questioner() -> Questioner:
    graph, english = toy_graph(), load_english()
    return make_questioner(
        graph, make_phrasebook(graph, english, None, {}), english, hops=2, seed=0
    )


def asked_for(prompt: str) -> str:
    """The question that a prompt shows."""
    return prompt.split("# Question:\n", 1)[1].splitlines()[0]


def politely(prompt: str) -> str:
    question = asked_for(prompt)
    return f"1. Tell me please: {question}\n- {question} I wonder\nno placeholder here\n"


def chat(folder: Path, llm: Any) -> Chat:
    return Chat(llm, "someone", folder / "replies.jsonl")


def test_wordings_become_lessons_about_the_same(tmp_path: Path) -> None:
    llm, maker = Scripted(politely), questioner()
    lessons = reword(maker, chat(tmp_path, llm), seed=1, questions=12)
    assert len(llm.asked) == 12 == len(set(llm.asked)) and len(lessons) == 24
    graph = maker.graph
    for lesson in lessons:
        assert lesson.text.startswith("Tell me please: ") or lesson.text.endswith(" I wonder")
        assert lesson.text.count(TOPIC) == 1 and lesson.text.count(OTHER) == len(lesson.others)
        assert lesson.answers == execute(graph, lesson.topic, lesson.paths[0]) != frozenset()
        sample = draw(maker, lesson, Random(0), 0.0)
        assert sample and is_answered(graph, sample)
    for prompt in llm.asked:
        slots = re.findall(r"\[[a-z ]+\]", asked_for(prompt))
        assert slots and not any(name in asked_for(prompt) for name in graph.names)


def test_a_rerun_asks_nothing_and_a_broken_one_goes_on(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="someone did not answer: nobody there") as raised:
        reword(questioner(), chat(tmp_path, in_order("x [country]", "y [city]")), seed=1)
    assert "replies.jsonl" in raised.value.hint
    file = tmp_path / "replies.jsonl"
    file.write_bytes(file.read_bytes() + b'{"llm": "torn')
    rest = Scripted(politely)
    whole = reword(questioner(), chat(tmp_path, rest), seed=1, questions=8)
    assert len(rest.asked) == 6
    again = reword(questioner(), chat(tmp_path, in_order()), seed=1, questions=8)
    assert again == whole
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 8 and {row["llm"] for row in rows} == {"someone"}


def test_another_model_is_asked_anew(tmp_path: Path) -> None:
    reword(questioner(), chat(tmp_path, Scripted(politely)), seed=1, questions=3)
    other = Scripted(politely)
    reword(questioner(), Chat(other, "other", tmp_path / "replies.jsonl"), seed=1, questions=3)
    assert len(other.asked) == 3


def test_useless_replies_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="none of 4 replies"):
        reword(questioner(), chat(tmp_path, Scripted(lambda _: "No.")), seed=1, questions=4)


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"key": "x"}'])
def test_a_damaged_line_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"replies\.jsonl, line 1: holds no reply"):
        reword(questioner(), chat(tmp_path, in_order()), seed=1)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")

    def on_a_full_disk(path: Path, why: str) -> IO[bytes]:
        return full.open("ab", buffering=0)

    monkeypatch.setattr(paraphrase, "open_lines", on_a_full_disk)
    to = Chat(Scripted(politely), "someone", tmp_path / "replies.jsonl")
    to.replies.touch()
    with pytest.raises(InputError, match=r"replies\.jsonl cannot be written: No space left"):
        reword(questioner(), to, seed=1, questions=3)


def test_replies_that_cannot_be_kept(tmp_path: Path) -> None:
    to = Chat(Scripted(politely), "someone", tmp_path / "missing" / "replies.jsonl")
    with pytest.raises(InputError, match="cannot be written"):
        reword(questioner(), to, seed=1)


SLOTS = {TOPIC: "[country]", OTHER: "[other country]"}
PIECE = st.sampled_from(
    ["[country]", "[Country]", "[other country]", "[city]", "what is", "\n", "3) "]
)


@given(st.lists(PIECE, max_size=10).map(" ".join), st.integers(1, 3))
def test_only_lines_with_each_placeholder_once_are_read(reply: str, most: int) -> None:
    texts = read_wordings(reply, SLOTS, most)
    assert len(texts) <= most and len(set(texts)) == len(texts)
    for text in texts:
        assert text.count(TOPIC) == text.count(OTHER) == 1 and "[" not in text
        back = text.replace(TOPIC, "[country]").replace(OTHER, "[other country]")
        assert back in " ".join(reply.replace("[Country]", "[country]").split())


def test_reworded_questions_are_among_the_stream_about_other_topics_too(tmp_path: Path) -> None:
    maker = questioner()
    lessons = reword(maker, chat(tmp_path, Scripted(politely)), seed=1, questions=6)
    stream = mixed(maker.stream(3), lessons, maker, noise=0.0, seed=3)
    samples = list(islice(stream, 600))
    found = [s for s in samples if "Tell me please" in s.question or "I wonder" in s.question]
    assert 100 < len(found) < 260
    assert all(is_answered(maker.graph, sample) for sample in found)
    assert {sample.walk[0] for sample in found} > {lesson.topic for lesson in lessons}
    again = mixed(maker.stream(3), lessons, maker, noise=0.0, seed=3)
    assert list(islice(again, 600)) == samples


class _Server(BaseHTTPRequestHandler):
    """Chat completions as OpenAI's API has them."""

    status: ClassVar[int] = 200
    prompts: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        self.prompts.append(prompt)
        message = {"role": "assistant", "content": politely(prompt)}
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        data = json.dumps(reply).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1#m"
        server.shutdown()


def test_over_http(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Server, "prompts", [])
    llm = chat_model(address)
    lessons = reword(questioner(), chat(tmp_path, llm), seed=1, questions=3)
    assert len(lessons) == 6 and len(_Server.prompts) == 3
    monkeypatch.setattr(_Server, "status", 403)
    with pytest.raises(ServiceError, match="did not answer") as raised:
        reword(questioner(), chat(tmp_path, llm), seed=1, questions=5)
    assert "\n" not in raised.value.message
    assert len(reword(questioner(), chat(tmp_path, llm), seed=1, questions=3)) == 6
