"""No key or password reaches logs, traces, run directories, caches, errors or the screen."""

from pathlib import Path

import pytest

from ..evaluation.runner.test_evaluate import make_folder
from ..evaluation.tracing import Received
from .secrets import (
    BASIC,
    GRAPH_PASSWORD,
    HEADER,
    KEY,
    LLM_PASSWORD,
    SECRETS,
    TOKEN,
    Told,
    call_tools,
    environment,
    run,
    services,
    written,
)

pytestmark = pytest.mark.slow

QUESTION = "Who is a child of [Ada]?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("secrets"))


def with_user(address: str, password: str) -> str:
    return address.replace("//", f"//bob:{password}@")


def asked(home: Path, folder: Path, told: dict[str, str], kg: str, llm: str) -> list[Told]:
    """What the commands print that ask services."""
    parts = ("--kg", kg, "--llm", llm, "--model", str(folder / "model"))
    data = ("--dataset", "jsonl", "--data", str(folder / "q.jsonl"), "--limit", "2")
    return [
        run(home, told, "ask", *parts, "--json", QUESTION),
        run(home, told, "chat", *parts, "--thread", "own", say=f"{QUESTION}\n"),
        run(home, told, "eval", "run", *data, *parts, "--out", "run"),
        call_tools(home, told, *parts, question=QUESTION),
        run(home, told, "eval", "judge", "run", "--llm", llm),
    ]


def assert_silent(home: Path, printed: list[Told], traced: list[Received]) -> None:
    assert all("DEBUG" in own.err for own in printed[:4])
    places = written(home)
    for number, own in enumerate(printed):
        places |= {f"{number} out": own.out.encode(), f"{number} err": own.err.encode()}
    places |= {f"trace {number}": own.body for number, own in enumerate(traced)}
    leaks = [(name, s) for name, data in places.items() for s in SECRETS if s.encode() in data]
    assert not leaks


def test_nothing_is_told_where_all_goes_well(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with services() as found:
        told = environment(home, found)
        kg, llm = with_user(found.graph.url, GRAPH_PASSWORD), with_user(found.llm, LLM_PASSWORD)
        printed = asked(home, folder, told, kg, f"{llm}#m")
        assert [own.code for own in printed] == [0] * 5, [own.err[-500:] for own in printed]
        assert {own.headers["Authorization"] for own in found.graph.asked} == {f"Basic {BASIC[0]}"}
        assert {own.headers["X-Key"] for own in found.graph.asked} == {HEADER}
        assert {own["authorization"] for own in found.prompts} == {f"Basic {BASIC[1]}"}
        assert any(b"Ada" in own.body for own in found.traced)
    assert_silent(home, printed, found.traced)


def test_nothing_is_told_where_the_llm_refuses_and_repeats_it(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with services(llm_refuses=True) as found:
        told = environment(home, found)
        printed = asked(home, folder, told, found.graph.url, f"{found.llm}#m")
        assert [own.code for own in printed] == [0, 0, 0, 0, 3]
        assert {own.headers["Authorization"] for own in found.graph.asked} == {f"Bearer {TOKEN}"}
        assert {own["authorization"] for own in found.prompts} == {f"Bearer {KEY}"}
    assert "not allowed with Bearer ***" in printed[-1].err
    assert_silent(home, printed, found.traced)


def test_nothing_is_told_where_the_graph_refuses_and_repeats_it(
    folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with services(graph_refuses=True) as found:
        told = environment(home, found)
        printed = asked(home, folder, told, with_user(found.graph.url, GRAPH_PASSWORD), "none")
        assert all(own.code for own in printed)
        assert {own.headers["Authorization"] for own in found.graph.asked} == {f"Basic {BASIC[0]}"}
    assert_silent(home, printed, found.traced)
