"""No key or password reaches logs, traces, run directories, caches, errors or the screen."""

from pathlib import Path
from typing import Any

import pytest

from ..evaluation.test_evaluate import make_folder
from .secrets import (
    BASIC,
    HEADER,
    KEY,
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
    """What every command that asks services prints."""
    parts = ("--kg", kg, "--llm", llm, "--model", str(folder / "model"))
    data = ("--dataset", "jsonl", "--data", str(folder / "q.jsonl"), "--limit", "2")
    return [
        run(home, told, "ask", *parts, "--json", QUESTION),
        run(home, told, "ask", *parts, "--thread", "own", QUESTION),
        run(home, told, "chat", *parts, say=f"{QUESTION}\n"),
        run(home, told, "eval", "run", *data, *parts, "--out", "run"),
        call_tools(home, told, *parts, question=QUESTION),
    ]


def assert_silent(home: Path, printed: list[Told], traced: list[Any]) -> None:
    places = {
        f"{n} {name}": text.encode()
        for n, own in enumerate(printed)
        for name, text in zip(("out", "err"), own[1:], strict=True)
    }
    places |= written(home) | {f"trace {n}": own.body for n, own in enumerate(traced)}
    leaks = [
        (place, secret)
        for place, data in places.items()
        for secret in SECRETS
        if secret.encode() in data
    ]
    assert not leaks


def test_nothing_is_told_where_all_goes_well(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with services() as found:
        told = environment(home, found)
        kg, llm = (
            with_user(address, password)
            for address, password in ((found.graph.url, SECRETS[0]), (f"{found.llm}#m", SECRETS[1]))
        )
        printed = asked(home, folder, told, kg, llm)
        printed += [
            run(home, told, "eval", "judge", "run", "--llm", llm),
            run(home, told, "eval", "report", "run"),
        ]
        assert [own.code for own in printed] == [0] * len(printed), printed
        assert {own.headers["Authorization"] for own in found.graph.asked} == {f"Basic {BASIC[0]}"}
        assert {own.headers["X-Key"] for own in found.graph.asked} == {HEADER}
        assert {own["authorization"] for own in found.prompts} == {f"Basic {BASIC[1]}"}
        assert any(b"Ada" in own.body for own in found.traced)
    assert all("DEBUG" in own.err for own in printed)
    assert_silent(home, printed, found.traced)


def test_nothing_is_told_where_the_llm_refuses_and_repeats_it(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with services(llm_refuses=True) as found:
        told = environment(home, found)
        printed = asked(home, folder, told, found.graph.url, f"{found.llm}#m")
        printed += [run(home, told, "eval", "judge", "run", "--llm", f"{found.llm}#m")]
        assert printed[-1].code == 3
        assert {own.headers["Authorization"] for own in found.graph.asked} == {f"Bearer {TOKEN}"}
        assert {own["authorization"] for own in found.prompts} == {f"Bearer {KEY}"}
    assert_silent(home, printed, found.traced)


def test_nothing_is_told_where_the_graph_refuses_and_repeats_it(
    folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with services(graph_refuses=True) as found:
        told = environment(home, found)
        kg = with_user(found.graph.url, SECRETS[0])
        printed = asked(home, folder, told, kg, f"{found.llm}#m")
        assert {own.headers["Authorization"] for own in found.graph.asked} == {f"Basic {BASIC[0]}"}
    assert_silent(home, printed, found.traced)
