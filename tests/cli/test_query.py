"""`groundwalk ask --query` as a user meets it: real processes, files and standard input."""

import json
from pathlib import Path
from typing import Any

import pytest

from ..agent.decoding.servers import serving
from .test_cli import assert_one_line_error, groundwalk

TREE: dict[str, Any] = {
    "mentions": ["Portugal"],
    "query": {"start": [0], "steps": [{"relation": "borders"}]},
}
MESSAGE = {"role": "assistant", "content": json.dumps({"query": TREE["query"]})}


def written(folder: Path, record: Any) -> str:
    file = folder / "query.json"
    file.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
    return str(file)


def test_a_query_of_a_file_is_answered(tmp_path: Path) -> None:
    run = groundwalk(tmp_path, "ask", "--query", written(tmp_path, TREE))
    assert run.returncode == 0, run.stderr
    assert "borders of Portugal" in run.stdout and "Spain" in run.stdout
    run = groundwalk(tmp_path, "ask", "--query", "-", "--json", say=json.dumps(TREE))
    printed = json.loads(run.stdout)
    assert printed["query"] == TREE["query"] and printed["status"] == "answered"
    assert [answer["label"] for answer in printed["answers"]] == ["Spain"]
    run = groundwalk(
        tmp_path,
        "ask",
        "--quiet",
        "--query",
        "-",
        say=json.dumps(TREE["query"] | {"start": {"entity": "Portugal"}}),
    )
    assert run.stdout == "Spain\n"


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("{", "is not JSON"),
        ("{}", "holds no query"),
        ("null", "holds no query"),
        ("[" * 100_000, "is not JSON"),
        ({"start": {"class": "river"}, "step": []}, "malformed: step"),
        ({"start": {"class": "rivers"}}, "no class called 'rivers'"),
        ({"start": {"entity": "\x1b[31mGermany"}}, "no entity called"),
        (
            {
                "start": {"class": "river"},
                "filters": [{"relation": "mouth", "op": ">", "value": 3}],
            },
            "no order",
        ),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, record: Any, words: str) -> None:
    run = groundwalk(tmp_path, "ask", "--query", written(tmp_path, record))
    assert_one_line_error(run, 2, words)


def test_a_chat_llm_behind_a_server_proposes_a_query(tmp_path: Path) -> None:
    reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}]}
    with serving(lambda path, body: (200, json.dumps(reply).encode())) as (address, bodies):
        question = "Which countries does Portugal border?"
        how = ("--method", "query", "--llm", f"{address}#m", "--json")
        run = groundwalk(tmp_path, "ask", question, *how)
        shown = groundwalk(tmp_path, "ask", question, *how[:-1])
        groundwalk(tmp_path, "ask", question, *how, "--paper", "--set", "reasoning=vote")
    assert run.returncode == shown.returncode == 0, run.stderr + shown.stderr
    printed = json.loads(run.stdout)
    assert printed["query"] == TREE["query"] and printed["method"] == "query"
    assert [answer["label"] for answer in printed["answers"]] == ["Spain"]
    assert "borders of Portugal" in shown.stdout and "verified" in shown.stdout
    assert [body["response_format"]["type"] for body in bodies] == ["json_schema"] * 2


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    assert_one_line_error(groundwalk(tmp_path, "ask", "--query", "none.json"), 2, "none.json")
    file = tmp_path / "query.json"
    file.write_bytes(b'"\xff"')
    assert_one_line_error(groundwalk(tmp_path, "ask", "--query", str(file)), 2, "UTF-8")
    run = groundwalk(tmp_path, "ask", "Why?", "--query", written(tmp_path, TREE))
    assert_one_line_error(run, 2, "two things")
