"""Every example runs offline as it stands, with the bundled model and graph, and says this."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

SAYS = {
    "lcel": [
        "Spain",
        "['Czechia, Germany, Hungary, Italy, Liechtenstein, Slovakia, Slovenia, Switzerland', "
        "'None in the graph.']",
    ],
    "agent_tool": [
        "human: Which countries border the Czech Republic?",
        "tool: Austria; Germany; Poland; Slovakia",
        "Czechia -> borders -> Austria",
        "artifact: answered, 4 answers with their chains",
        "ai: According to the graph: Austria; Germany; Poland; Slovakia.",
    ],
    "inside_a_graph": ["Take some Swiss franc."],
    "streaming": [
        "linked ['Lesotho']",
        "decoded 10 paths along the graph",
        "responded answered Bloemfontein; Cape Town; Pretoria",
    ],
    "batches": [
        "What is the capital of Kenya? answered ['Nairobi']",
        "Which languages are official in Belgium? answered ['Dutch', 'French', 'German']",
        "Who painted the Mona Lisa? abstained []",
    ],
    "threads": ["Which Korea do you mean? ['North Korea', 'South Korea']", "['Seoul']"],
    "async_callers": [
        "['Austria: Vienna', 'Brazil: Brasília', 'Canada: Ottawa', 'Denmark: Copenhagen', "
        "'Egypt: Cairo', 'France: Paris', 'Ghana: Accra', 'Hungary: Budapest']",
        "linked",
        "responded",
    ],
    "own_rdflib_graph": [
        "What is the capital of Ruritania? ['Strelsau']",
        "What does Ruritania border? ['Evallonia', 'Graustark']",
        "What is the capital of Ruritania? The graph does not say. "
        "(1 of 1 left out: the graph no longer holds what they rest on)",
    ],
    "own_chat_model": ["in the graph: ['Nairobi']", "said by the model only: ['Atlantis']"],
}
"""Lines of what each prints, in their order."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


def test_every_example_is_here() -> None:
    served = {"service"}  # test_service.py
    assert {path.stem for path in EXAMPLES.glob("*.py")} == SAYS.keys() | served


@pytest.mark.parametrize("name", SAYS)
def test_an_example_says_what_it_should(
    name: str, cache: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "agent_tool":
        pytest.importorskip("langchain", reason="langchain is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("GROUNDWALK_CACHE", cache)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    said = capsys.readouterr()
    lines = iter(said.out.splitlines())
    missing = [line for line in SAYS[name] if line not in lines]
    assert not missing, said.out
    assert not said.err
