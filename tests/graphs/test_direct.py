"""direct and structlm: the triples in one prompt, and the answers matched with them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.free_text import LocalChat
from groundwalk.graphs.direct import struct_prompt
from groundwalk.graphs.prompted.conclusions import LIKELIHOOD
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import MistralConfig

from ..whole import build_graph
from .families import labels
from .prompting import QUESTION, ask, instruct_model, open_graph, path_model, saying, shown
from .scripted import Scripted, in_order

CLUB = "Which club does Kim play for?"


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_graph(tmp_path_factory.mktemp("direct"))
    yield opened
    opened.close()


def test_answers_come_with_a_walk_among_the_triples_that_were_shown(kg: KnowledgeGraph) -> None:
    llm = in_order("# Answers:\n1. Oslo\n2. rome")
    state = ask(kg, "direct", llm=llm)
    assert labels(state) == {"Oslo", "Rome"}
    assert shown(state) == {
        ("Ada", "mother of", "Ben"),
        ("Ada", "mother of", "Cleo"),
        ("Ben", "lives in", "Oslo"),
        ("Cleo", "lives in", "Rome"),
    }
    assert (state["reasoner"], state["confidence"]) == ("llm", 1.0)
    assert (state["usage"]["llm_calls"], state["usage"]["prompt_tokens"]) == (1, 10)
    assert (state["usage"]["tokens"], state["usage"]["llm_uncounted"]) == (2, 0)
    (prompt,) = llm.asked
    facts = prompt.split("# Facts:\n")[1].split("\n\n")[0].splitlines()
    assert {tuple(fact.split(" -> ")) for fact in facts} >= shown(state)
    assert QUESTION in prompt


def test_a_prompt_shows_as_many_triples_as_it_may(kg: KnowledgeGraph) -> None:
    llm = in_order("NONE")
    state = ask(kg, "direct", llm=llm, shown=2)
    assert llm.asked[0].count(" -> ") - llm.asked[0].count("head -> relation -> tail") * 2 == 4
    assert state["status"] == "abstained" and state["unsupported"] == []


def test_what_the_shown_triples_do_not_prove_is_only_asserted(kg: KnowledgeGraph) -> None:
    state = ask(kg, "direct", llm=in_order("Oslo\nParis\nSt. Ives, Cornwall"))
    assert labels(state) == {"Oslo"}
    assert state["unsupported"] == ["Paris", "St. Ives, Cornwall"]


@pytest.mark.parametrize(
    ("reply", "unread"), [("<think>Oslo?", 1), ("```\n```", 1), ("NONE", 0), ("[]", 0)]
)
def test_a_reply_that_says_nothing_is_counted(kg: KnowledgeGraph, reply: str, unread: int) -> None:
    state = ask(kg, "direct", llm=in_order(reply))
    assert state["status"] == "abstained" and state["usage"]["unread"] == unread
    assert ("1 reply could not be read" in state["notes"]) == bool(unread)


def test_an_llm_that_fails_ends_in_silence_and_a_note(kg: KnowledgeGraph) -> None:
    state = ask(kg, "direct", llm=in_order())
    assert state["status"] == "abstained"
    assert (state["usage"]["llm_calls"], state["usage"]["llm_failed"]) == (1, 1)
    assert "ConnectionError: the LLM did not answer" in state["notes"]


@pytest.mark.parametrize("method", ["direct", "structlm"])
def test_a_path_model_weighs_walks_and_says_so(kg: KnowledgeGraph, method: str) -> None:
    state = ask(kg, method, local=path_model())
    assert LIKELIHOOD in state["notes"] and state["reasoner"] == "likelihood"
    assert state["answers"] and 0 <= state["confidence"] < 1
    ways = {
        tuple((s["relation"]["label"], s["inverse"]) for s in chain)
        for answer in state["answers"]
        for chain in answer["chains"]
    }
    assert len(ways) == 1, "the ends of one relation path"


def test_the_bundled_model_weighs_walks_of_the_world() -> None:
    graph: Any = build_graph("direct")
    state = graph.invoke(
        {"question": "What is the official language of the country whose capital is Vienna?"}
    )
    assert labels(state) == {"German"} and LIKELIHOOD in state["notes"]
    assert state["emitted"]["supported"] == state["emitted"]["triples"] > 0


def test_the_bundled_model_makes_things_up_without_a_constraint() -> None:
    graph: Any = build_graph("cot")
    state = graph.invoke({"question": "Which countries border Austria?"})
    emitted = state["emitted"]
    assert emitted["triples"] == emitted["supported"] + emitted["unsupported"] >= 10
    assert emitted["unsupported"] > 0 and set(state["unsupported"]).isdisjoint(labels(state))
    chains = [chain for answer in state["answers"] for chain in answer["chains"]]
    assert {step["verdict"] for chain in chains for step in chain} <= {"supported"}


@pytest.mark.parametrize("method", ["direct", "structlm"])
def test_a_local_model_that_follows_instructions_writes(kg: KnowledgeGraph, method: str) -> None:
    state = ask(kg, method, local=instruct_model())
    assert LIKELIHOOD not in state["notes"] and state["reasoner"] == "llm"
    assert state["usage"]["forward_passes"] > 0 and state["usage"]["llm_calls"] == 0


def test_a_local_model_and_a_chat_model_are_read_and_counted_alike(kg: KnowledgeGraph) -> None:
    local = saying("<think>Rome?\nRome</think>\n1. Oslo")
    states = [ask(kg, "direct", local=local), ask(kg, "direct", llm=LocalChat(local))]
    for state in states:
        assert labels(state) == {"Oslo"} and state["unsupported"] == []
    own, chat = (state["usage"] for state in states)
    assert own["prompt_tokens"] == chat["prompt_tokens"] > 100
    assert (own["llm_calls"], chat["llm_calls"], chat["llm_uncounted"]) == (0, 1, 0)
    silent = ask(kg, "direct", local=saying("<think>Rome?\nRome"))
    assert silent["status"] == "abstained" and silent["unsupported"] == []
    assert silent["usage"]["unread"] == 1


@pytest.mark.parametrize("method", ["direct", "tog"])
def test_names_that_look_numbered_are_read_whole(kg: KnowledgeGraph, method: str) -> None:
    walked = ("plays for: 0.6\nlikes: 0.4", "Yes") if method == "tog" else ()
    replies = "1. FC Köln", "- 1. FC Köln", "1. fc köln"
    clubs = [ask(kg, method, llm=in_order(*walked, r), question=CLUB) for r in replies]
    clubs += [ask(kg, "direct", local=saying(reply), question=CLUB) for reply in replies]
    for state in clubs:
        assert labels(state) == {"1. FC Köln"} and state["unsupported"] == []
    state = ask(kg, method, llm=in_order(*walked, "1) FC Köln"), question=CLUB)
    assert labels(state) == {"FC Köln"}


def test_structlm_reads_triples_in_its_own_form() -> None:
    local = instruct_model()
    tokens = struct_prompt(local, QUESTION, ["Ada -> mother of -> Ben", "Ben -> age -> 3"], None)
    text = str(local.tokenizer.decode(tokens))
    assert text.startswith("[INST] <<SYS>>\n") and text.endswith("[/INST]")
    assert "triples:\n\nAda mother of Ben | Ben age 3\n\n\nquestion:\n\n" + QUESTION in text
    other = MistralConfig(vocab_size=10, hidden_size=8, num_attention_heads=1)
    mistral: Any = SimpleNamespace(model=SimpleNamespace(config=other), tokenizer=local.tokenizer)
    tokens = struct_prompt(mistral, QUESTION, ["Ada -> likes -> Ben"], None)
    text = str(local.tokenizer.decode(tokens))
    assert "[INST]" not in text and "### Instruction:\n" in text
    assert text.endswith("### Response:\n")


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=200) | st.sampled_from(["{", "[[]]", "* ", "Answer:", "\x00", "Zoe"]))
def test_no_reply_breaks_it(kg: KnowledgeGraph, reply: str) -> None:
    state = ask(kg, "direct", llm=Scripted(lambda prompt: reply))
    assert labels(state) <= {"Ben", "Cleo", "Eve", "Oslo", "Rome"}
