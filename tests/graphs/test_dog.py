"""dog: chains over a real store, with random models and with one that was taught what to write."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from groundwalk.agent.kg import (
    KnowledgeGraph,
    OxigraphStore,
    Reading,
    Triple,
    load_profile,
    open_kg,
)
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options
from groundwalk.graphs import ground as grounds
from groundwalk.graphs.dog.prompt import ChainPrompt
from hypothesis import given, settings
from hypothesis import strategies as st

from ..agent.decoding import worlds
from ..agent.decoding.language import facts
from ..whole import build_graph, labels
from .families import FAMILY, open_family
from .test_dog_prompt import without_tags

FACTS = {tuple(line.split("|")) for line in FAMILY.strip().splitlines()}
QUESTION = "Where do the children of Ada live?"
TOKENIZER = worlds.byte_level()


def random_local(*formats: str, seed: int = 0, **values: Any) -> LocalModel:
    """A general model without formats, and with `chain` one that writes bare chains."""
    weights = worlds.random_model(len(TOKENIZER), seed=seed).float()
    own = ModelSettings(hops=2, instruct=False, formats=formats or ("path",), **values)
    return LocalModel("random", weights, TOKENIZER, own)


BARE = random_local("path", "chain", chains="walk")
GENERAL = random_local()


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_family(tmp_path_factory.mktemp("dog"))
    yield opened
    opened.close()


def asked(
    kg: KnowledgeGraph,
    local: LocalModel,
    question: str = QUESTION,
    prompts: Path | None = None,
    **options: Any,
) -> Any:
    """What dog says by itself; nothing is held back for lack of confidence."""
    context = Options(
        on_ambiguous="best", confidence=0.0, queries=False, conversation=False, **options
    )
    graph: Any = build_graph("dog", kg=kg, generator=local, prompts=prompts)
    return graph.invoke({"question": question}, context=context)


def chains(state: Any) -> set[tuple[tuple[str, str, str], ...]]:
    return {
        tuple((s["head"]["label"], s["relation"]["label"], s["tail"]["label"]) for s in own)
        for own in (
            *(candidate["steps"] for candidate in state["candidates"]),
            *(chain for answer in state["answers"] for chain in answer["chains"]),
        )
    }


@pytest.mark.parametrize("local", [BARE, GENERAL], ids=["bare", "general"])
@pytest.mark.parametrize("visibility", ["full", "local"])
@pytest.mark.parametrize("complete", [True, False])
def test_all_that_it_writes_is_in_the_graph(
    kg: KnowledgeGraph, local: LocalModel, visibility: str, complete: bool
) -> None:
    state = asked(kg, local, visibility=visibility, complete=complete, free=6)
    emitted = state["emitted"]
    assert emitted["supported"] == emitted["triples"] > 0
    assert emitted["ill"] == emitted["unsupported"] == 0
    assert {triple for chain in chains(state) for triple in chain} <= FACTS
    assert all(candidate["steps"] for candidate in state["candidates"])
    assert state["usage"]["forward_passes"] > 0


@settings(max_examples=25, deadline=None)
@given(
    facts=facts(),
    formats=st.sampled_from([("path", "chain"), ("path",)]),
    spelling=st.sampled_from(["kg", "walk"]),
    seed=st.integers(0, 5),
    beams=st.integers(1, 3),
    steps=st.integers(1, 4),
    scores=st.sampled_from(["allowed", "full"]),
    visibility=st.sampled_from(["full", "local"]),
    inverse=st.booleans(),
    complete=st.booleans(),
    data=st.data(),
)
def test_chains_are_well_formed_in_any_graph(
    facts: set[worlds.Fact],
    formats: tuple[str, ...],
    spelling: Any,
    seed: int,
    data: st.DataObject,
    **options: Any,
) -> None:
    local = random_local(*formats, seed=seed, chains=spelling)
    topic = data.draw(st.sampled_from(sorted({head for head, _, _ in facts})))
    with TemporaryDirectory() as folder:
        graph = worlds.graph(facts, Path(folder))
        (name,) = graph.labels.names([worlds.entity(topic)])
        state = asked(graph, local, f"what is near [{name}]", free=3, **options)
        graph.close()
    for candidate in state["candidates"]:
        visited = {entity["term"] for entity in state["topics"]}
        for step in candidate["steps"]:
            ends = {step["head"]["term"], step["tail"]["term"]}
            assert (step["tail"] if step["inverse"] else step["head"])["term"] in visited
            assert ends & visited and step["verdict"] == "supported"
            visited |= ends
        assert len(candidate["steps"]) <= options["steps"]
        if "chain" in formats:
            targets = [s["head"] if s["inverse"] else s["tail"] for s in candidate["steps"]]
            topics = {entity["term"] for entity in state["topics"]}
            assert not topics & {target["term"] for target in targets}
        assert options["inverse"] or not any(step["inverse"] for step in candidate["steps"])
    emitted = state["emitted"]
    assert emitted["unsupported"] == emitted["ill"] == emitted["unknown"] == 0
    assert all(answer["chains"] for answer in state["answers"])


@pytest.mark.parametrize("local", [BARE, GENERAL], ids=["bare", "general"])
def test_a_graph_that_is_looked_up_gives_the_same(
    kg: KnowledgeGraph, local: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = asked(kg, local, free=6)
    monkeypatch.setattr(grounds, "MOST_WHOLE", 0)
    growing = asked(kg, local, free=6)
    assert chains(growing) == chains(whole) and labels(growing) == labels(whole)
    assert growing["usage"]["kg_requests"] > whole["usage"]["kg_requests"]


STATEMENTS = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix s: <http://www.wikidata.org/entity/statement/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
wd:Q1 rdfs:label "Ada Stone"@en ; p:P39 s:Q1-a .
s:Q1-a a wikibase:Statement ; ps:P39 wd:Q2 ; pq:P1366 wd:Q3 .
wd:Q2 rdfs:label "mayor"@en . wd:Q3 rdfs:label "Ben Hill"@en .
wd:P39 rdfs:label "position held"@en . wd:P1366 rdfs:label "replaced by"@en .
"""


@pytest.mark.parametrize("complete", [True, False])
def test_chains_through_statements_rest_on_real_triples(tmp_path: Path, complete: bool) -> None:
    (tmp_path / "kg.ttl").write_text(STATEMENTS, encoding="utf-8")
    profile = load_profile("wikidata")
    kg = open_kg(str(tmp_path / "kg.ttl"), cache=tmp_path / "cache", profile=profile)
    assert kg.reading == Reading("collapse")
    state = asked(kg, BARE, "Who is Ada Stone?", steps=1, beams=1, complete=complete)
    assert labels(state)
    for proof in (chain for answer in state["answers"] for chain in answer["chains"]):
        triples = [Triple(*(step[k]["term"] for k in Triple._fields)) for step in proof]
        assert all(kg.store.holds(triples))
        assert any("/statement/" in term for triple in triples for term in triple)
        assert {step["verdict"] for step in proof} == {"supported"}
    assert "read with statement nodes passed through" in state["notes"]
    kg.close()


def test_any_instruct_model_writes_chains(kg: KnowledgeGraph) -> None:
    tokenizer = without_tags([("Ġ", "<"), ("Ġ", "-"), ("Ġ-", ">")], template=True)
    weights = worlds.random_model(len(tokenizer)).float()
    state = asked(kg, LocalModel("random", weights, tokenizer, ModelSettings()), free=4, beams=2)
    assert state["emitted"]["supported"] == state["emitted"]["triples"] > 0
    assert {triple for chain in chains(state) for triple in chain} <= FACTS


def test_the_bundled_model_writes_only_what_the_bundled_graph_holds() -> None:
    graph: Any = build_graph("dog")
    for question in (
        "Which countries border the country whose capital is Vienna?",
        "What is the currency of France?",
    ):
        state = graph.invoke({"question": question}, context=Options(on_ambiguous="best"))
        emitted = state["emitted"]
        assert emitted["supported"] == emitted["triples"] > 0
        assert emitted["ill"] == emitted["unsupported"] == 0


def test_a_trained_model_searches_from_each_of_several_topics_alone(kg: KnowledgeGraph) -> None:
    question = "Where are Ada and Eve?"
    options: dict[str, Any] = {"beams": 1, "steps": 1}
    shared = asked(kg, BARE, question, every_topic=False, **options)
    each = asked(kg, BARE, question, **options)
    assert len(shared["candidates"]) == 1
    assert {own["topic"]["label"] for own in each["candidates"]} == {"Ada", "Eve"}
    general = [asked(kg, GENERAL, question, every_topic=on, **options) for on in (True, False)]
    passes = [state["usage"]["forward_passes"] for state in (shared, each, *general)]
    assert passes[0] < passes[1] and passes[2] == passes[3]


def test_a_model_that_was_not_trained_for_chains_is_told_of(kg: KnowledgeGraph) -> None:
    untrained = random_local("path", masked=True)
    assert any("not trained" in note for note in asked(kg, untrained)["notes"])
    for local in (BARE, GENERAL):
        assert not any("not trained" in note for note in asked(kg, local, free=2)["notes"])


def test_a_topic_that_nothing_touches_ends_in_silence(kg: KnowledgeGraph) -> None:
    state = asked(kg, BARE, "Who is Ada?", inverse=False, hops=1)
    assert state["status"] == "answered"
    silent = asked(kg, BARE, "What is the capital of [Italy]?", inverse=False)
    assert silent["status"] == "abstained" and silent["emitted"]["chains"] == 0
    assert "no triple touches the topic entities" in silent["notes"]


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prompt of the question alone."""
    folder = tmp_path_factory.mktemp("prompts")
    (folder / "dog").mkdir()
    (folder / "dog" / "chain.jinja").write_text("{{ question }}", encoding="utf-8")
    return folder


def taught(brief: Path, reply: str) -> LocalModel:
    """A general model that learnt by heart to reply so to the question."""
    local = replace(GENERAL, model=worlds.random_model(len(TOKENIZER)).float())
    prompt = ChainPrompt(local, brief).tokens(QUESTION, [])
    ids = [*prompt, *TOKENIZER(reply, add_special_tokens=False)["input_ids"]]
    tokens = torch.tensor([[*ids, TOKENIZER.eos_token_id]])
    wanted = torch.where(torch.arange(tokens.shape[1]) < len(prompt), -100, tokens)
    optimizer = torch.optim.Adam(local.model.parameters(), lr=5e-3)
    with torch.enable_grad():
        for _ in range(200):
            loss = local.model(input_ids=tokens, labels=wanted).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if loss.item() < 0.005:
                break
    local.model.eval()
    return local


WALK = (
    " <TRIPLE>Ada -> mother of -> Cleo</TRIPLE> A child."
    " <TRIPLE>Cleo -> lives in -> Rome</TRIPLE> She lives there."
)
BACK = "<TRIPLE>Ada -> mother of -> Ben</TRIPLE> <TRIPLE>Eve -> mother of -> Ben</TRIPLE>"


@pytest.fixture(scope="module")
def walker(brief: Path) -> LocalModel:
    return taught(brief, f"{WALK} The answer is * Rome")


def test_it_thinks_between_triples_and_concludes(
    kg: KnowledgeGraph, brief: Path, walker: LocalModel
) -> None:
    state = asked(kg, walker, prompts=brief, complete=False)
    assert labels(state) == ["Rome"]
    (proof,) = state["answers"][0]["chains"]
    assert [step["tail"]["label"] for step in proof] == ["Cleo", "Rome"]
    assert state["reasoner"] == "chain" and state["confidence"] > 0.8


def test_a_walk_stands_for_all_that_its_relation_path_reaches(
    kg: KnowledgeGraph, brief: Path, walker: LocalModel
) -> None:
    state = asked(kg, walker, prompts=brief)
    assert labels(state) == ["Rome", "Oslo"]
    assert state["reasoner"] == "vote"


def test_what_no_triple_brings_in_is_only_asserted(kg: KnowledgeGraph, brief: Path) -> None:
    state = asked(kg, taught(brief, f"{WALK} * Paris"), prompts=brief, beams=1)
    assert (state["answers"], state["unsupported"]) == ([], ["Paris"])
    assert state["emitted"]["supported"] == 2


def test_a_triple_may_hang_on_its_tail(kg: KnowledgeGraph, brief: Path) -> None:
    local = taught(brief, f" {BACK} * Eve and * Ben")
    state = asked(kg, local, prompts=brief, beams=1)
    assert labels(state) == ["Eve", "Ben"]
    assert {answer.get("form") for answer in state["answers"]} == {"chain"}
    (steps,) = (candidate["steps"] for candidate in state["candidates"])
    assert [step["inverse"] for step in steps] == [False, True]


def test_a_reply_without_triples_is_asserted_and_lost(kg: KnowledgeGraph, brief: Path) -> None:
    state = asked(kg, taught(brief, " It is * Rome"), prompts=brief, beams=1)
    assert (state["status"], state["unsupported"]) == ("abstained", ["Rome"])
    emitted = state["emitted"]
    assert (emitted["chains"], emitted["supported_chains"], emitted["triples"]) == (1, 0, 0)


def test_the_store_has_the_last_word(
    tmp_path: Path, brief: Path, walker: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kg = open_family(tmp_path)
    assert labels(asked(kg, walker, prompts=brief, beams=1, complete=False)) == ["Rome"]
    inner = OxigraphStore.holds

    def without(self: OxigraphStore, triples: Any) -> Any:
        found = inner(self, triples)
        return [own and "Rome" not in t.tail for own, t in zip(found, triples, strict=True)]

    monkeypatch.setattr(OxigraphStore, "holds", without)
    state = asked(kg, walker, prompts=brief, beams=1, complete=False)
    assert state["answers"] == [] and state["emitted"]["unsupported"] == 1
    kg.close()
