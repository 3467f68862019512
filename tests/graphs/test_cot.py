"""cot and cot-sc: what chains of thought prove, what they make up, and what they agree on."""

from collections.abc import Iterator
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.free_text import LocalChat
from groundwalk.agent.llm.local import LocalModel
from groundwalk.graphs.prompted.conclusions import LIKELIHOOD
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.outputs import ChatResult

from .families import labels
from .prompting import QUESTION, TRIPLES, ask, instruct_model, open_graph, path_model, saying, shown
from .scripted import Scripted, in_order

GOOD = """Step by step:
1. <TRIPLE>Ada -> mother of -> Ben</TRIPLE> Ben is a child.
2. <TRIPLE>Ben -> lives in -> Oslo</TRIPLE> He lives in Oslo.
So the answer is * Oslo"""
MADE_UP = """1. <TRIPLE>Ada -> mother of -> Ben</TRIPLE>
2. <TRIPLE>Ben -> born in -> Atlantis</TRIPLE>
3. <TRIPLE>Ben -> lives in -> Oslo</TRIPLE>
4. <TRIPLE>Ben -> lives in -> Rome</TRIPLE>
The answer is * Oslo and * Atlantis and * Rome"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_graph(tmp_path_factory.mktemp("cot"))
    yield opened
    opened.close()


def test_a_chain_of_thought_proves_its_answer(kg: KnowledgeGraph) -> None:
    llm = in_order(GOOD)
    state = ask(kg, "cot", llm=llm)
    assert labels(state) == {"Oslo"} and state["unsupported"] == []
    assert shown(state) == {("Ada", "mother of", "Ben"), ("Ben", "lives in", "Oslo")}
    emitted = state["emitted"]
    assert (emitted["triples"], emitted["supported"], emitted["ill"]) == (2, 2, 0)
    assert (emitted["chains"], emitted["supported_chains"]) == (1, 1)
    assert "<TRIPLE>" in llm.asked[0] and "Ben -> lives in -> Oslo" in llm.asked[0]


@pytest.mark.parametrize(
    "chain",
    [
        "Ada -> mother of -> Ben\nBen -> lives in -> Oslo\n",
        "- Ada -> mother of -> Ben. She is his mother.\n- `Ben → lives in → Oslo`\n",
        "(Ada, mother of, Ben)\n2) (Ben, lives in, Oslo) Oslo it is.\n",
        "1. < Ada -> mother of -> Ben > This tells us of Ben.\n2. <Ben -> lives in -> Oslo>\n",
        "We know: Ada -> mother of -> Ben -> lives in -> Oslo\n",
        "<TRIPLE>Oslo -> ^lives in -> Ben</TRIPLE><TRIPLE>ada -> Mother of -> ben</TRIPLE>\n",
    ],
)
def test_triples_are_read_however_they_are_written(kg: KnowledgeGraph, chain: str) -> None:
    state = ask(kg, "cot", llm=in_order(f"{chain}The answer is: **Oslo**"))
    assert labels(state) == {"Oslo"}
    assert shown(state) == {("Ada", "mother of", "Ben"), ("Ben", "lives in", "Oslo")}
    assert state["emitted"]["triples"] == 2


def test_made_up_triples_are_counted_and_never_shown(kg: KnowledgeGraph) -> None:
    state = ask(kg, "cot", llm=in_order(MADE_UP))
    assert labels(state) == {"Oslo"}
    assert state["unsupported"] == ["Atlantis", "Rome"]
    assert shown(state) == {("Ada", "mother of", "Ben"), ("Ben", "lives in", "Oslo")}
    emitted = state["emitted"]
    assert (emitted["triples"], emitted["supported"], emitted["unsupported"]) == (4, 2, 2)
    assert (emitted["ill"], emitted["supported_chains"]) == (2, 1)


def test_a_chain_that_touches_no_topic_proves_nothing(kg: KnowledgeGraph) -> None:
    state = ask(kg, "cot", llm=in_order("<TRIPLE>Cleo -> lives in -> Rome</TRIPLE> * Rome"))
    assert labels(state) == set() and state["unsupported"] == ["Rome"]
    emitted = state["emitted"]
    assert (emitted["supported"], emitted["ill"], emitted["supported_chains"]) == (1, 1, 0)


def test_bullets_of_triples_are_no_answers(kg: KnowledgeGraph) -> None:
    text = "* Ada -> mother of -> Ben\n* Ben -> lives in -> Oslo\nThe answer is Oslo"
    state = ask(kg, "cot", llm=in_order(text))
    assert labels(state) == {"Oslo"} and state["unsupported"] == []


def test_a_reply_without_triples_proves_nothing(kg: KnowledgeGraph) -> None:
    state = ask(kg, "cot", llm=in_order("The answer is * Oslo"))
    assert labels(state) == set() and state["unsupported"] == ["Oslo"]
    assert state["emitted"]["chains"] == 1 and state["emitted"]["triples"] == 0
    state = ask(kg, "cot", llm=in_order("I cannot tell."))
    assert "1 reply could not be read" in state["notes"]
    assert state["usage"]["unread"] == 1


def test_samples_take_what_most_of_them_answer(kg: KnowledgeGraph) -> None:
    rome = "<TRIPLE>Ada -> mother of -> Cleo</TRIPLE><TRIPLE>Cleo -> lives in -> Rome</TRIPLE>"
    both = f"{GOOD}\n{rome} * Rome"
    state = ask(kg, "cot-sc", llm=in_order(GOOD, f"{rome} * Rome", both), samples=3)
    assert labels(state) == {"Oslo", "Rome"}
    assert {answer["score"] for answer in state["answers"]} == {round(2 / 3, 6)}
    state = ask(kg, "cot-sc", llm=in_order(GOOD, f"{rome} * Rome", GOOD), samples=3)
    assert labels(state) == {"Oslo"}
    state = ask(kg, "cot-sc", llm=in_order("* Mars", "* Mars", GOOD), samples=3)
    assert labels(state) == set() and state["unsupported"] == ["Mars"]
    assert state["usage"]["llm_calls"] == 3


def test_samples_that_came_before_the_client_failed_count(kg: KnowledgeGraph) -> None:
    state = ask(kg, "cot-sc", llm=in_order(GOOD, GOOD), samples=5)
    assert labels(state) == {"Oslo"}
    assert any("ConnectionError" in note and "2 of 5" in note for note in state["notes"])
    assert (state["usage"]["llm_calls"], state["usage"]["llm_failed"]) == (3, 1)
    assert any("temperature" in note for note in state["notes"])


class Warm(Scripted):
    """Has a temperature, and keeps at which it was asked."""

    temperature: float = 0.0
    felt: list[float] = []

    def __init__(self) -> None:
        super().__init__(lambda prompt: GOOD)

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.felt.append(self.temperature)
        return super()._generate(*args, **kwargs)


def test_samples_are_drawn_at_a_temperature_where_the_client_has_one(kg: KnowledgeGraph) -> None:
    llm = Warm()
    state = ask(kg, "cot-sc", llm=llm, samples=2)
    assert llm.felt == [0.7, 0.7] and llm.temperature == 0.0
    ask(kg, "cot-sc", llm=llm, samples=1, temperature=1.2)
    assert llm.felt[2:] == [1.2]
    assert not any("temperature" in note for note in state["notes"])


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("method", ["cot", "cot-sc"])
def test_a_path_model_writes_without_constraint_and_says_so(
    kg: KnowledgeGraph, method: str, masked: bool
) -> None:
    state = ask(kg, method, local=path_model(masked=masked), beams=3, samples=3)
    assert LIKELIHOOD in state["notes"] and state["reasoner"] == "likelihood"
    assert state["answers"] == [], "a random model writes nothing that is in the graph"
    assert state["emitted"]["chains"] > 0 and state["emitted"]["supported"] == 0
    assert state["usage"]["forward_passes"] > 0
    again = ask(kg, method, local=path_model(masked=masked), beams=3, samples=3)
    assert again["emitted"] == state["emitted"] and again["unsupported"] == state["unsupported"]


@pytest.mark.parametrize("method", ["cot", "cot-sc"])
def test_a_local_model_that_follows_instructions_writes(kg: KnowledgeGraph, method: str) -> None:
    state = ask(kg, method, local=instruct_model(), samples=2)
    assert LIKELIHOOD not in state["notes"] and state["reasoner"] == "llm"
    assert state["usage"]["tokens"] > 500 and state["usage"]["llm_calls"] == 0
    assert state["usage"]["prompt_tokens"] > 100 * (1 + (method == "cot-sc"))


def test_thoughts_prove_and_answer_nothing(kg: KnowledgeGraph) -> None:
    thought = f"<think>{GOOD}</think>" + GOOD.replace("Ben", "Cleo").replace("Oslo", "Rome")
    local = saying(thought)
    for state in (ask(kg, "cot", local=local), ask(kg, "cot", llm=LocalChat(local))):
        assert labels(state) == {"Rome"} and state["unsupported"] == []
        assert shown(state) == {("Ada", "mother of", "Cleo"), ("Cleo", "lives in", "Rome")}


def test_a_local_chat_model_draws_its_samples_by_the_seed(kg: KnowledgeGraph) -> None:
    drawn: list[str] = []

    class Kept(LocalChat):
        def __init__(self, local: LocalModel) -> None:
            super().__init__(local)

        def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
            result = super()._generate(*args, **kwargs)
            drawn.append(str(result.generations[0].message.text))
            return result

    llm = Kept(instruct_model())
    for seed in (0, 0, 1):
        state = ask(kg, "cot-sc", llm=llm, samples=2, seed=seed, temperature=1.5)
        assert not any("temperature" in note for note in state["notes"])
    first, again, other = drawn[:2], drawn[2:4], drawn[4:]
    assert first == again != other and first[0] != first[1]


PIECES = st.sampled_from(
    ["Ada", "Ben", " -> ", "mother of", "lives in", "Oslo", "<TRIPLE>", "</TRIPLE>", "\n", "* "]
    + ["^", "<", ">", "(", ")", ", ", "→", "Answer: ", '"x"', "<http://x>", "_:b", "\x00", "Mars"]
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=100))
def test_no_reply_breaks_it_or_shows_what_is_not_there(kg: KnowledgeGraph, reply: str) -> None:
    state = ask(kg, "cot", llm=Scripted(lambda prompt: reply))
    assert shown(state) <= TRIPLES
    emitted = state["emitted"]
    assert emitted["supported"] + emitted["unsupported"] == emitted["triples"]
    assert QUESTION == state["question"]
