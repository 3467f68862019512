"""Every method over the world graph with the bundled model, as one run of the batch runner.

Once for questions that the model reads as queries, and once for methods that are by themselves.
"""

import json
from importlib import resources
from typing import Any, NamedTuple

import pytest
from groundwalk.agent.options import Options
from groundwalk.evaluation.datasets.jsonl import read_world
from groundwalk.evaluation.runner.asking import Setup
from groundwalk.evaluation.runner.evaluate import evaluate
from groundwalk.graphs import METHODS
from groundwalk.graphs.prompted.conclusions import LIKELIHOOD
from rdflib import Graph
from rdflib.util import from_n3
from rich.console import Console

FEW, MANY = 3, 8
CONSTRAINED = {"gcr", "query", "dog", "plan"}
UNCONSTRAINED = {"cot", "cot-sc"}
"""The methods whose triples the model writes freely; what of them is true may be nothing."""
LIKELIHOODS = {"tog", "tot", "direct", "cot", "cot-sc", "structlm"}
"""The methods in whose place the local model's likelihoods decide."""
WITHOUT_MODEL = {"paths", "retrieve", "words", "lookup"}
"""The methods that ask no local model where there is no chat LLM, and none reads the question."""


class Run(NamedTuple):
    """The lines that a run wrote, by method and question, and its summary."""

    lines: dict[tuple[str, str], Any]
    summary: Any
    read: bool
    """Whether the model read the questions as queries."""
    questions: int

    def of(self, method: str) -> list[Any]:
        return [line for (own, _), line in self.lines.items() if own == method]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((True, FEW), id="read"),
        pytest.param((False, FEW), id="alone"),
        pytest.param((True, MANY), id="many-read", marks=pytest.mark.slow),
        pytest.param((False, MANY), id="many-alone", marks=pytest.mark.slow),
    ],
)
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    read, questions = request.param
    out = tmp_path_factory.mktemp("every") / "run"
    options = Options(on_ambiguous="best", queries=read)
    setup = Setup("world", "", tuple(METHODS), kg=None, model="bundled", options=options)
    evaluate(setup, out, first=questions, console=Console(quiet=True))
    texts = (out / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    lines = [json.loads(text) for text in texts]
    keyed = {(line["method"], line["id"]): line for line in lines}
    assert len(keyed) == len(lines)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return Run(keyed, summary, read, questions)


@pytest.fixture(scope="module")
def world() -> Graph:
    """The bundled graph, read by somebody else's parser."""
    file = resources.files("groundwalk.data.world") / "world.ttl"
    return Graph().parse(data=file.read_text(encoding="utf-8"), format="turtle")


def test_every_question_has_a_line_for_every_method(done: Run) -> None:
    asked = [sample.id for sample in read_world()[: done.questions]]
    assert set(done.lines) == {(method, name) for method in METHODS for name in asked}
    assert {line["error"] for line in done.lines.values()} == {None}
    assert set(done.summary["methods"]) == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_shown_is_in_the_graph_and_leads_to_the_answer(
    done: Run, world: Graph, method: str
) -> None:
    lines = done.of(method)
    if method not in UNCONSTRAINED:
        assert any(line["answers"] for line in lines), "else nothing is shown that could be false"
    for line in lines:
        topics = {topic["term"] for topic in line["topics"]}
        for answer in line["answers"]:
            assert answer["chains"]
            for chain in answer["chains"]:
                assert all(triple(step) in world for step in chain), chain
                if answer.get("form", "path") == "path":
                    assert leads(chain, topics) == answer["term"]
                else:
                    assert answer["term"] in touched(chain, topics)


def triple(step: Any) -> Any:
    return tuple(from_n3(step[part]["term"]) for part in ("head", "relation", "tail"))


def leads(chain: Any, topics: set[str]) -> str:
    """Where a walk ends that leaves a topic entity, and goes on where it came to."""
    places = topics
    for step in chain:
        source, target = ("tail", "head") if step["inverse"] else ("head", "tail")
        assert step[source]["term"] in places
        places = {step[target]["term"]}
    (end,) = places
    return end


def touched(chain: Any, topics: set[str]) -> set[str]:
    """The entities of a chain, each triple of which touches a topic or one before it."""
    seen = set(topics)
    for step in chain:
        ends = {step["head"]["term"], step["tail"]["term"]}
        assert ends & seen
        seen |= ends
    return seen - topics


@pytest.mark.parametrize("method", sorted(CONSTRAINED))
def test_a_constraint_leaves_nothing_unsupported_and_nothing_ill(done: Run, method: str) -> None:
    for line in done.of(method):
        emitted = line["emitted"]
        assert emitted["unsupported"] == emitted["unknown"] == emitted["ill"] == 0
        assert emitted["triples"] == emitted["supported"]
        if done.read and method == "query":
            assert emitted["triples"] == 0, "it is executed, no triple is decoded"
            assert line["triples"] == line["supported"] > 0
        else:
            assert emitted["triples"] > 0


def test_what_is_made_up_without_a_constraint_is_counted_and_not_shown(done: Run) -> None:
    for method in UNCONSTRAINED:
        assert sum(line["emitted"]["unsupported"] for line in done.of(method)) > 0
        assert all(line["triples"] == line["supported"] for line in done.of(method))


@pytest.mark.parametrize("method", METHODS)
def test_a_likelihood_form_says_so_and_no_other_does(done: Run, method: str) -> None:
    for line in done.of(method):
        assert (LIKELIHOOD in line["notes"]) == (method in LIKELIHOODS)
        assert (line["reasoner"] == "likelihood") == (method in LIKELIHOODS)


@pytest.mark.parametrize("method", METHODS)
def test_every_cost_is_there(done: Run, method: str) -> None:
    for line in done.of(method):
        usage = line["usage"]
        assert all(isinstance(count, int | float) and count >= 0 for count in usage.values())
        assert 0 < usage["seconds"] <= line["seconds"] and usage["kg_requests"] > 0
        assert usage["llm_calls"] == usage["llm_failed"] == usage["unread"] == 0
        asks = done.read or method not in WITHOUT_MODEL
        assert (usage["forward_passes"] > 0) == (usage["tokens"] > 0) == asks
    costs = done.summary["methods"][method]["costs"]
    assert costs["kg_requests"] == sum(line["usage"]["kg_requests"] for line in done.of(method))
