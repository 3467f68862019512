"""The compiled graph end to end: a real store, a real (random) model, a real LangGraph run."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from groundwalk.agent.errors import ConstraintError, InputError, QuestionError, ServiceError
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.options import Options, paper_options
from groundwalk.agent.state import State
from groundwalk.graphs import METHODS
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from ..agent.decoding import worlds
from ..whole import build_graph
from .families import open_family

PLAIN = Options(queries=False)
"""The method by itself: no reader takes the question apart before it."""
FAMILY = """
Ada|mother of|Ben
Ada|mother of|Cleo
Ben|lives in|Oslo
Cleo|lives in|Rome
Rome|capital of|Italy
Zoe|likes|Zoe
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_family(tmp_path_factory.mktemp("family"), FAMILY)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def model() -> LocalModel:
    tokenizer = worlds.byte_level()
    weights = worlds.random_model(len(tokenizer)).float()
    return LocalModel("random", weights, tokenizer, ModelSettings(hops=2, instruct=False))


def chains(state: State) -> list[Any]:
    return [chain for answer in state.get("answers", []) for chain in answer["chains"]]


def test_every_answer_is_proven_by_triples_of_the_store(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    state: Any = build_graph(kg=kg, generator=model).invoke({"question": "Where is Ada's child?"})
    assert state["status"] == "answered"
    assert state["topics"][0]["label"] == "Ada"
    assert chains(state)
    for chain in chains(state):
        for step in chain:
            triple = Triple(*(step[key]["term"] for key in ("head", "relation", "tail")))
            assert kg.store.holds([triple]) == [True] and step["verdict"] == "supported"
    assert state["reasoner"] == "vote" and state["usage"]["forward_passes"] > 0
    assert state["messages"][-1].text == "; ".join(a["label"] for a in state["answers"])


def test_same_question_same_answer(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)
    first, second = (graph.invoke({"question": "Ada?"}, context=PLAIN) for _ in range(2))
    assert first["candidates"] == second["candidates"] and first["answers"] == second["answers"]


def test_messages_are_a_question_too(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)
    state = graph.invoke({"messages": [HumanMessage("Where does Ben live?")]})
    assert state["question"] == "Where does Ben live?" and len(state["messages"]) == 2


def test_what_left_the_store_after_decoding_is_no_answer(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    class Emptied(type(kg.store)):
        def holds(self, triples: Any) -> list[bool]:
            return [False] * len(triples)

    empty = object.__new__(Emptied)
    empty.__dict__ = kg.store.__dict__
    state: Any = build_graph(kg=replace(kg, store=empty), generator=model).invoke(
        {"question": "Ada?"}, context=PLAIN
    )
    assert state["status"] == "abstained" and not state["answers"] and not state["candidates"]


def test_a_store_that_does_not_answer_leaves_nothing_certain(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    class Silent(type(kg.store)):
        def holds(self, triples: Any) -> list[bool]:
            raise ServiceError("no answer")

    silent = object.__new__(Silent)
    silent.__dict__ = kg.store.__dict__
    state: Any = build_graph(kg=replace(kg, store=silent), generator=model).invoke(
        {"question": "Ada?"}, context=PLAIN
    )
    assert state["status"] == "unchecked" and not state["answers"]


def test_unknown_entity_is_said(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)
    state: Any = graph.invoke({"question": "where is blorb"}, context=PLAIN)
    assert state["status"] == "abstained" and "no entity" in state["notes"][0]


def test_entity_without_a_path_is_said(kg: KnowledgeGraph, model: LocalModel) -> None:
    state: Any = build_graph(kg=kg, generator=model).invoke({"question": "Whom does Zoe like?"})
    assert state["status"] == "abstained"
    assert any("no path" in note for note in state["notes"])
    assert state["messages"][-1].text == "The graph does not say."
    assert state["view"]["widened"]


def test_an_unlikely_path_is_no_answer(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)
    state: Any = graph.invoke({"question": "Ada?"}, context=replace(PLAIN, confidence=1.0))
    assert state["status"] == "abstained" and not state["answers"]


@pytest.mark.parametrize("question", ["", "   ", None, "x" * 1_000_000])
def test_unusable_questions(kg: KnowledgeGraph, model: LocalModel, question: Any) -> None:
    with pytest.raises(QuestionError):
        build_graph(kg=kg, generator=model).invoke({"question": question})


def test_unknown_method(kg: KnowledgeGraph, model: LocalModel) -> None:
    with pytest.raises(InputError, match="no method"):
        build_graph("magic", kg=kg, generator=model)


def test_a_model_without_the_tags_is_refused(kg: KnowledgeGraph, model: LocalModel) -> None:
    bare = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    graph = build_graph(kg=kg, generator=replace(model, tokenizer=bare))
    with pytest.raises(ConstraintError, match="no token <PATH>"):
        graph.invoke({"question": "Ada?"}, context=PLAIN)


def test_llm_names_the_answers_and_only_proven_ones_count(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    llm = FakeListChatModel(responses=["1. Oslo\n- Atlantis\n"])
    state: Any = build_graph(kg=kg, generator=model, llm=llm).invoke({"question": "Where is Ben?"})
    assert [a["label"] for a in state["answers"]] == ["Oslo"] and chains(state)
    assert state["unsupported"] == ["Atlantis"] and state["usage"]["llm_calls"] == 1
    assert state["usage"]["llm_failed"] == 0


def test_hypothesis_answers_may_be_the_models_own_words(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    """They reach the LLM, and no answer is made of them."""
    llm = FakeListChatModel(responses=["Oslo"] * 2)
    graph = build_graph(kg=kg, generator=model, llm=llm)
    kinds: tuple[Literal["end", "free"], ...] = ("end", "free")
    plain, free = (
        cast(State, graph.invoke({"question": "Where is Ben?"}, context=Options(hypothesis=kind)))
        for kind in kinds
    )
    ends = [c["answer"]["label"] for c in free.get("candidates", [])]
    assert [c["hypothesis"] for c in plain.get("candidates", [])] == ends
    assert [c["hypothesis"] for c in free.get("candidates", [])] != ends
    assert [a["label"] for a in free.get("answers", [])] == ["Oslo"]
    assert {step["verdict"] for chain in chains(free) for step in chain} == {"supported"}


class Recording(FakeListChatModel):
    prompts: list[str] = []  # noqa: RUF012

    def _call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        self.prompts.append(messages[0].text)
        return super()._call(messages, *args, **kwargs)


@pytest.mark.parametrize("method", ["gcr", "rog", "retrieve"])
def test_choices_are_shown_and_their_letters_read(
    kg: KnowledgeGraph, model: LocalModel, method: str
) -> None:
    llm = Recording(responses=["(C)"])
    graph = build_graph(method, kg=kg, generator=model, llm=llm)
    turn: Any = {"question": "Where is Ben?", "choices": ["Rome", "Italy", "Oslo"]}
    state: Any = graph.invoke(turn, context=Options(planning="random"))
    assert "A. Rome\nB. Italy\nC. Oslo\n" in llm.prompts[-1]
    assert [a["label"] for a in state["answers"]] == ["Oslo"] and chains(state)


@pytest.mark.parametrize("method", ["gcr", "rog", "retrieve"])
def test_examples_come_before_the_question(
    kg: KnowledgeGraph, model: LocalModel, method: str
) -> None:
    llm = Recording(responses=["Oslo"] * 3)
    graph = build_graph(method, kg=kg, generator=model, llm=llm)
    for examples in (0, 2, 99):
        options = Options(planning="random", examples=examples)
        state: Any = graph.invoke({"question": "Where is Ben?"}, context=options)
        assert [a["label"] for a in state["answers"]] == ["Oslo"]
    counts = [prompt.count("# Question:\n") for prompt in llm.prompts[-3:]]
    assert counts[0] == 1 and counts[1] == 3 and counts[2] > 3
    for prompt in llm.prompts[-3:]:
        assert prompt.rpartition("# Question:\n")[2].startswith("Where is Ben?")


def test_an_instruct_models_examples_reach_its_prompt(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    told = replace(model, settings=ModelSettings(hops=2, instruct=True))
    graph = build_graph(kg=kg, generator=told)
    plain: Any
    shown: Any
    plain, shown = (
        graph.invoke({"question": "Ada?"}, context=replace(PLAIN, examples=number))
        for number in (0, 3)
    )
    assert shown["usage"]["prompt_tokens"] > plain["usage"]["prompt_tokens"]


def test_a_choice_that_no_path_ends_in_is_no_answer(kg: KnowledgeGraph, model: LocalModel) -> None:
    llm = FakeListChatModel(responses=["A"])
    turn: Any = {"question": "Where is Ben?", "choices": ["Atlantis", "Oslo"]}
    state: Any = build_graph(kg=kg, generator=model, llm=llm).invoke(turn)
    assert not state["answers"] and state["unsupported"] == ["Atlantis"]


@pytest.mark.parametrize("choice", ["Ben", "cleo", "Oslo", "Rome"])
def test_the_vote_takes_an_end_that_is_a_choice(
    kg: KnowledgeGraph, model: LocalModel, choice: str
) -> None:
    turn: Any = {"question": "Ada?", "choices": ["Atlantis", choice]}
    options = Options(confidence=0.0, beams=20)
    state: Any = build_graph(kg=kg, generator=model).invoke(turn, context=options)
    assert [a["label"].casefold() for a in state["answers"]] == [choice.casefold()]


def test_groups_without_a_penalty_find_the_same_path(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)

    def found(**options: Any) -> set[str]:
        context = replace(PLAIN, beams=3, **options)
        state: Any = graph.invoke({"question": "Ada?"}, context=context)
        return {candidate["text"] for candidate in state["candidates"]}

    assert len(found()) > 1
    assert len(found(groups=None, diversity=0.0)) == 1
    assert len(found(groups=None, diversity=50.0)) > 1


def test_the_papers_settings_are_those_of_its_decoding(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    """K groups of one beam, log-probabilities of the whole vocabulary, free hypotheses."""
    options = paper_options(Options(beams=4), METHODS["gcr"].paper)
    wanted = (None, 1.0, "full", "free")
    assert (options.groups, options.diversity, options.scores, options.hypothesis) == wanted
    graph = build_graph(kg=kg, generator=model)
    state: Any = graph.invoke({"question": "Where is Ben?"}, context=options)
    plain: Any = graph.invoke({"question": "Where is Ben?"}, context=Options(beams=4))
    assert state["candidates"] and max(c["score"] for c in state["candidates"]) < max(
        c["score"] for c in plain["candidates"]
    )


@pytest.mark.parametrize(("reply", "unread"), [("<think>Oslo?", True), ("NONE", False)])
def test_a_reply_that_says_nothing_is_counted(
    kg: KnowledgeGraph, model: LocalModel, reply: str, unread: bool
) -> None:
    llm = FakeListChatModel(responses=[reply, reply])
    state: Any = build_graph(kg=kg, generator=model, llm=llm).invoke({"question": "Where is Ben?"})
    usage = state["usage"]
    assert not state["answers"] and usage["unread"] == unread * usage["llm_calls"]
    told = [note for note in state["notes"] if "could not be read" in note]
    assert told == ["2 replies could not be read"] * unread, "once for each view"


def test_llm_that_fails_leaves_the_vote(kg: KnowledgeGraph, model: LocalModel) -> None:
    llm = FakeListChatModel(responses=[])
    state: Any = build_graph(kg=kg, generator=model, llm=llm).invoke({"question": "Where is Ben?"})
    assert state["reasoner"] == "vote" and state["status"] == "answered"
    assert any("did not answer" in note for note in state["notes"])
    assert (state["usage"]["llm_calls"], state["usage"]["llm_failed"]) == (1, 1)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("twins")
    lines = [
        "@prefix e: <http://example.org/> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
    ]
    for state in ("ohio", "texas"):
        lines.append(
            f'e:s-{state} rdfs:label "Springfield" ; e:in e:{state} ; e:has e:mall-{state} .'
        )
        lines.append(f'e:{state} rdfs:label "{state}" .')
    (folder / "twins.ttl").write_text("\n".join(lines), encoding="utf-8")
    opened = open_kg(str(folder / "twins.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


def test_ambiguous_name_interrupts_and_resumes(twins: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=twins, generator=model, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    asked: Any = graph.invoke({"question": "Where is Springfield?"}, config)
    (interrupt,) = asked["__interrupt__"]
    options = interrupt.value["options"]
    assert len(options) == 2 and "Springfield" in interrupt.value["ask"]
    again: Any = graph.invoke(Command(resume="7"), config)
    assert "number from 1 to 2" in again["__interrupt__"][0].value["hint"]
    both: Any = graph.invoke(Command(resume="spring"), config)
    assert "number from 1 to 2" in both["__interrupt__"][0].value["hint"]
    state: Any = graph.invoke(Command(resume="2"), config)
    assert state["topics"][0]["term"] == options[1]["term"]
    assert state["status"] == "answered"


def test_ambiguous_name_without_a_checkpointer_is_a_status(
    twins: KnowledgeGraph, model: LocalModel
) -> None:
    graph = build_graph(kg=twins, generator=model)
    state: Any = graph.invoke({"question": "Where is Springfield?"})
    assert state["status"] == "ambiguous" and not state["answers"]
    assert "may mean" in state["notes"][0]
    best: Any = graph.invoke(
        {"question": "Where is Springfield?"}, context=Options(on_ambiguous="best")
    )
    assert best["status"] == "answered"


def test_second_turn_of_a_thread_starts_clean(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    graph.invoke({"question": "Where is Ben?"}, config, context=PLAIN)
    state: Any = graph.invoke({"question": "blorb"}, config, context=PLAIN)
    assert state["status"] == "abstained" and not state["answers"] and not state["candidates"]
    assert [m.type for m in state["messages"]] == ["human", "ai", "human", "ai"]
    assert state["usage"]["forward_passes"] == 0


def test_events_stream_as_they_happen(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)
    events: Any = list(graph.stream({"question": "Where is Ben?"}, stream_mode="custom"))
    assert [e["event"] for e in events] == ["linked", "loaded", "decoded", "verified", "responded"]


def test_state_is_plain_json(kg: KnowledgeGraph, model: LocalModel) -> None:
    import json

    state: Any = build_graph(kg=kg, generator=model).invoke({"question": "Where is Ben?"})
    json.dumps({key: value for key, value in state.items() if key != "messages"})


def test_mermaid_shows_the_machine(kg: KnowledgeGraph, model: LocalModel, tmp_path: Path) -> None:
    drawing = build_graph(kg=kg, generator=model).get_graph().draw_mermaid()
    for node in ("link", "ask_user", "load", "gcr", "induce", "verify", "respond"):
        assert node in drawing


def test_a_topic_that_no_walk_uses_leaves_no_answer(kg: KnowledgeGraph, model: LocalModel) -> None:
    graph = build_graph(kg=kg, generator=model)
    state: Any = graph.invoke({"question": "Zoe and where is Ben?"}, context=PLAIN)
    assert [t["label"] for t in state["topics"]] == ["Zoe", "Ben"]
    assert state["status"] == "abstained" and not state["answers"]
    assert "no walk to an answer uses Zoe" in state["notes"]


def test_each_of_several_topics_is_searched_from_alone(
    kg: KnowledgeGraph, model: LocalModel
) -> None:
    asked: State = {"question": "Where are Ada and Ben?"}
    graph = build_graph(kg=kg, generator=model)
    options = replace(PLAIN, beams=1, hops=2, inverse=False)
    shared: Any = graph.invoke(asked, context=replace(options, every_topic=False))
    each: Any = graph.invoke(asked, context=options)
    assert len(shared["candidates"]) == 1
    assert shared["candidates"][0]["text"] in [own["text"] for own in each["candidates"]]
    assert {c["topic"]["label"] for c in each["candidates"]} == {"Ada", "Ben"}
    passes = [state["usage"]["forward_passes"] for state in (shared, each)]
    assert passes[0] < passes[1]


def test_a_name_may_hold_a_negation(model: LocalModel, tmp_path: Path) -> None:
    films = tmp_path / "films.kb"
    films.write_text("Don't Look Now|directed by|Nicolas Roeg\n", encoding="utf-8")
    kg = open_kg(str(films), cache=tmp_path / "cache")
    state: Any = build_graph(kg=kg, generator=model).invoke(
        {"question": "Who directed Don't Look Now?"}
    )
    assert [answer["label"] for answer in state["answers"]] == ["Nicolas Roeg"]


def test_bytes_that_are_no_text_are_refused(kg: KnowledgeGraph, model: LocalModel) -> None:
    with pytest.raises(QuestionError, match="UTF-8"):
        build_graph(kg=kg, generator=model).invoke({"question": "Ben \udcff?"})
