"""Commands as processes, over services that fail: one line, and chat goes on."""

from pathlib import Path

import pytest

from ..faults.servers import Fault, Proxy, at_once, at_verification, refused, world_endpoint
from ..faults.wrongs import noise, status
from .test_cli import assert_one_line_error, groundwalk

pytestmark = pytest.mark.slow

NOWHERE = "http://127.0.0.1:9"
QUESTION = "What is the capital of France?"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    once = "GROUNDWALK_SPARQL_ATTEMPTS=1\nGROUNDWALK_LLM_ATTEMPTS=1\n"
    (tmp_path / ".env").write_text(once, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("fault", "says"), [(refused, "no connection"), (noise, "broken or no SPARQL result")]
)
def test_ask_over_an_endpoint_that_fails_is_one_line(home: Path, fault: Fault, says: str) -> None:
    with Proxy(f"{NOWHERE}/sparql") as proxy:
        proxy.fail(fault, at_once)
        run = groundwalk(home, "ask", QUESTION, "--kg", proxy.url)
    assert_one_line_error(run, 3, proxy.url, says)
    assert run.stdout == ""


def test_ask_whose_llm_fails_is_answered_by_the_vote(home: Path) -> None:
    with Proxy(f"{NOWHERE}/v1") as proxy:
        proxy.fail(refused, at_once)
        run = groundwalk(home, "ask", QUESTION, "--llm", f"{proxy.url}#m")
    said = " ".join((run.stdout + run.stderr).split())
    assert run.returncode == 0 and "Paris" in run.stdout and "Traceback" not in said
    assert "no connection: the LLM did not answer; the vote did" in said


def test_a_chat_goes_on_with_the_next_question(home: Path) -> None:
    with world_endpoint() as endpoint, Proxy(endpoint.url) as proxy:
        proxy.fail(status(503), at_verification, lasts=1)
        say = f"{QUESTION}\nWhat is the capital of Spain?\n"
        run = groundwalk(home, "chat", "--kg", proxy.url, say=say)
    said = " ".join((run.stdout + run.stderr).split())
    assert run.returncode == 0 and "Traceback" not in said
    assert "503 Service Unavailable" in said and "Paris" not in said.partition("503")[0]
    assert "Madrid" in said.partition("503")[2]
