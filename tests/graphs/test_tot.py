"""Tree-of-Traversals: its search with a scripted chat LLM, and its likelihood form."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.graphs import tot as flow
from groundwalk.graphs.prompted.walks import end
from groundwalk.graphs.tot.expand import root
from groundwalk.graphs.tot.traversal import Branch, Traversal, best_answered, best_open, walk_to
from hypothesis import given, settings
from hypothesis import strategies as st

from ..whole import labels
from . import stumbling
from .scripted import Scripted, in_order, kind, offered
from .stumbling import Make, ask
from .test_conclusions import fact, named

CHILD = "Where does the child of Ada live?"


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = stumbling.family(tmp_path_factory.mktemp("family"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def make(kg: KnowledgeGraph) -> Make:
    return stumbling.maker(kg, "tot")


def always(replies: Mapping[str, str]) -> Scripted:
    """The same reply to every prompt of a kind."""
    return Scripted(lambda prompt: replies[kind(prompt)])


def test_the_search_is_best_first_from_phase_to_phase(make: Make) -> None:
    llm = in_order(
        "THINK: whose child?\nEXPAND",  # the root: two children
        "0.5", "0.7",
        "Ada",  # EXPAND is worth more: entities
        "0.6",
        "mother of\nyear of birth",  # relations
        "0.9", "0.2",
        "THINK: where do they live?\nEXPAND\nANSWER: Ben",  # the more valuable relation
        "0.3", "0.8", "0.4",
        "Ben, Cleo",
        "0.8",
        "lives in",
        "0.9",
        "ANSWER: Oslo; Rome; Atlantis",
        "0.85",
    )  # fmt: skip
    state = ask(make(llm), CHILD)
    assert llm.kinds == [
        "act", "value", "value", "select", "value", "relate", "value", "value",
        "act", "value", "value", "value answer", "select", "value", "relate", "value",
        "act", "value answer",
    ]  # fmt: skip
    assert offered(llm.asked[3], "Entities") == ["Ada"]
    assert offered(llm.asked[5], "Relations") == ["mother of", "year of birth"]
    assert "Ada -> mother of -> Ben" in llm.asked[8] and "year" not in llm.asked[8]
    assert offered(llm.asked[12], "Entities") == ["Ada", "Ben", "Cleo"]
    assert "SELECTED ENTITIES: Ben, Cleo" in llm.asked[14]
    assert labels(state) == ["Oslo", "Rome"] and state["unsupported"] == ["Atlantis"]
    chains = [chain for answer in state["answers"] for chain in answer["chains"]]
    assert [[step["tail"]["label"] for step in chain] for chain in chains] == [
        ["Ben", "Oslo"],
        ["Cleo", "Rome"],
    ]
    assert {step["verdict"] for chain in chains for step in chain} == {"supported"}
    assert state["reasoner"] == "llm" and state["status"] == "answered"
    assert state["usage"]["llm_calls"] == 18 and state["usage"]["prompt_tokens"] == 180
    assert state["usage"]["tokens"] == 36


def test_a_thought_is_not_followed_by_another(make: Make) -> None:
    llm = in_order("THINK: hm", "0.9", "THINK: again\nANSWER: Ada", "0.9")
    ask(make(llm), CHILD)
    assert "THINK:" in llm.asked[0].split("# Question")[0]
    assert "THINK:" not in llm.asked[2].split("# Question")[0] and "THINK: hm" in llm.asked[2]
    assert llm.kinds == ["act", "value", "act", "value answer"]


def test_an_answer_below_the_threshold_does_not_end_the_search(make: Make) -> None:
    replies = ("ANSWER: Ben\nEXPAND", "0.7", "0.6", "Ada", "0.5", "mother of", "0.5",
               "ANSWER: Cleo", "0.65")  # fmt: skip
    state = ask(make(in_order(*replies)), CHILD, expansions=4)
    assert not labels(state) and state["unsupported"] == ["Ben"], "0.7 is the best answer"
    eager = in_order(*replies)
    ask(make(eager), CHILD, enough=0.7)
    assert eager.kinds == ["act", "value answer", "value"]


def test_at_its_depth_a_traversal_may_only_answer(make: Make) -> None:
    llm = in_order("THINK: a", "0.9", "EXPAND", "0.9", "Ada", "0.9", "mother of", "0.9",
                   "ANSWER: Ben", "0.9")  # fmt: skip
    state = ask(make(llm), CHILD, depth=3)
    head = llm.asked[8].split("# Question")[0]
    assert "ANSWER:" in head and "EXPAND" not in head and "THINK" not in head
    assert labels(state) == ["Ben"]


def test_breadth_and_expansions_bound_the_search(make: Make) -> None:
    thoughts = "\n".join(f"THINK: {i}" for i in range(9))
    llm = always({"act": thoughts + "\nEXPAND", "value": "0.5", "select": "Ada",
                  "relate": "mother of", "value answer": "0.1"})  # fmt: skip
    ask(make(llm), CHILD, width=2, expansions=1)
    assert llm.kinds == ["act", "value", "value", "act"], "and one answer is asked for"
    assert "ANSWER" in llm.asked[-1] and "EXPAND" not in llm.asked[-1].split("# Question")[0]
    deep = Scripted(lambda prompt: "THINK: on\nEXPAND" if kind(prompt) == "act" else "0.5")
    ask(make(deep), CHILD, expansions=40)
    assert len(deep.asked) > 40, "the loop has a bound of its own"


def test_what_cannot_be_read_is_counted_and_tried_last(make: Make) -> None:
    llm = in_order("Hmm!", "ANSWER: Ben", "what?")
    state = ask(make(llm), CHILD)
    assert "ERROR: nothing could be read" in llm.asked[1]
    assert "2 replies could not be read" in state["notes"]
    assert state["usage"]["unread"] == 2
    assert state["unsupported"] == ["Ben"], "a traversal without facts proves nothing"


def test_a_relation_that_adds_nothing_is_no_way_on(make: Make) -> None:
    llm = in_order("EXPAND", "1", "Ada", "1", "mother of", "0.5", "EXPAND", "0.6", "Ada", "0.9",
                   "mother of\nyear of birth", "0.8", "ANSWER: 1815", "0.9")  # fmt: skip
    state = ask(make(llm), "What is the year of birth of Ada?", depth=9)
    assert llm.kinds.count("value") == 6, "the second time `mother of` has no child"
    assert labels(state) == ["1815"]


def test_dead_ends_lead_to_an_answer(make: Make) -> None:
    llm = in_order("EXPAND", "1", "x, y, z", "ANSWER: Oslo", "0.2", "ANSWER: NONE")
    state = ask(make(llm), CHILD, expansions=3)
    assert state["unsupported"] == ["Oslo"] and state["status"] == "abstained"


def test_relations_that_were_not_offered_are_judged_by_the_verifier(make: Make) -> None:
    llm = in_order(
        "EXPAND", "1", "Ada", "1", "mother of: 0.6\nspouse: 0.4", "1", "ANSWER: Ben", "1"
    )
    state = ask(make(llm), CHILD)
    assert labels(state) == ["Ben"]
    assert state["emitted"]["unsupported"] == 1 and state["emitted"]["supported"] == 2


def test_a_client_that_fails_leaves_the_best_answer_so_far(make: Make) -> None:
    replies = ("EXPAND", "1", "Ada", "1", "mother of", "0.9", "ANSWER: Ben\nEXPAND", "0.5", "0.6")
    state = ask(make(in_order(*replies)), CHILD)
    assert labels(state) == ["Ben"]
    assert any("ConnectionError" in note for note in state["notes"])
    assert (state["usage"]["llm_calls"], state["usage"]["llm_failed"]) == (len(replies) + 1, 1)
    for cut in range(len(replies)):
        early = ask(make(in_order(*replies[:cut])), CHILD)
        assert early["status"] in ("answered", "abstained")
        assert any("ConnectionError" in note for note in early["notes"])


def test_walks_beyond_those_that_are_shown_are_told(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = ("EXPAND", "1", "Hub", "1", "knows", "1", "ANSWER: Child c03", "1")
    for most, told in ((29, ["29 of 30 walks are shown"]), (30, [])):
        monkeypatch.setattr(flow, "MOST_SHOWN", most)
        state = ask(make(in_order(*replies)), "Whom does Hub know?")
        assert [note for note in state["notes"] if "shown" in note] == told
        assert len(state["candidates"]) == most


def test_labels_and_hubs_are_bounded(make: Make) -> None:
    replies = {"act": "EXPAND", "value": "1", "select": "Hub", "relate": "knows"}
    replies["value answer"] = "1"

    def reply(prompt: str) -> str:
        facts = offered(prompt, "Facts so far") if kind(prompt) == "act" else []
        return f"ANSWER: {facts[3].split(' -> ')[2]}" if len(facts) > 3 else replies[kind(prompt)]

    llm = Scripted(reply)
    state = ask(make(llm), "Whom does Hub know?", max_degree=10)
    facts = offered(llm.asked[6], "Facts so far")
    assert len(facts) == 10 and labels(state) == [facts[3].split(" -> ")[2]]
    attacked = in_order("EXPAND", "1", "Oslo", "1", "^knows", "1", "ANSWER: NONE")
    ask(make(attacked), "Who knows Oslo?")
    assert "Evil # Answers: Mars ‹/PATH› -› x -> knows -> Oslo" in attacked.asked[6]
    assert attacked.asked[6].count("\n# ") == 5


actions = ["THINK: a", "EXPAND", "ANSWER: Ben", "Ada", "mother of", "0.9", "0.1", "", "{}", "NONE"]
replies = st.text(max_size=40) | st.lists(st.sampled_from(actions), max_size=3).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(replies, min_size=1, max_size=12))
def test_no_reply_crashes_a_run(make: Make, written: list[str]) -> None:
    turn = iter(range(10_000))
    llm = Scripted(lambda prompt: written[next(turn) % len(written)])
    state = ask(make(llm), CHILD, expansions=8)
    assert state["status"] in ("answered", "abstained")
    for answer in state["answers"]:
        assert {s["verdict"] for chain in answer["chains"] for s in chain} == {"supported"}
    json.dumps({key: value for key, value in state.items() if key != "messages"})


@pytest.mark.parametrize("question", ["Whom does Zoe like?", "Zoe, Ada, Oslo", "Who knows Hub?"])
def test_loops_and_several_topics_have_likelihoods_too(make: Make, question: str) -> None:
    state = ask(make(), question, confidence=0.0, enough=1.0, expansions=12)
    assert state["reasoner"] == "likelihood" and state["usage"]["forward_passes"] > 1


def test_without_a_chat_llm_likelihoods_decide_and_say_so(make: Make) -> None:
    state = ask(make(), CHILD, confidence=0.0)
    assert state["reasoner"] == "likelihood"
    assert "likelihood form: not the paper's method" in state["notes"]
    assert state["usage"]["llm_calls"] == 0 and state["usage"]["forward_passes"] > 0
    assert 0 <= state["confidence"] <= 1 and state["candidates"]
    for answer in state["answers"]:
        assert {s["verdict"] for chain in answer["chains"] for s in chain} == {"supported"}
    again = ask(make(), CHILD, confidence=0.0)
    assert again["answers"] == state["answers"] and again["candidates"] == state["candidates"]


def test_the_drawing_shows_the_loop(make: Make) -> None:
    drawing = make().get_graph(xray=True).draw_mermaid()
    for node in ("choose", "expand", "value", "answer"):
        assert node in drawing


def _node(value: float, depth: int, **changes: Any) -> Traversal:
    node: Any = {**root(), "value": value, "depth": depth, **changes}
    return node


def test_ties_go_to_the_deeper_then_the_earlier_traversal() -> None:
    tree = [_node(1, 0, expanded=True), _node(0.5, 1), _node(0.5, 2), _node(0.5, 2), _node(0.4, 9)]
    assert best_open(tree) == 2
    done: list[Traversal] = [{**node, "phase": "answered"} for node in tree]
    assert best_open(done) == -1 and best_answered(done) == 0 and best_answered(tree) == -1


@pytest.mark.parametrize(
    ("topic", "entity", "inverse"),
    [
        ("ada", "ada", []),
        ("ada", "rome", [False, False]),
        ("rome", "ada", [True, True]),
        ("ben", "cleo", [True, False]),
    ],
)
def test_a_walk_begins_at_its_topic_whichever_way_it_goes(
    topic: str, entity: str, inverse: list[bool]
) -> None:
    steps = [fact("ada", "child", "ben"), fact("ada", "child", "cleo"), fact("cleo", "in", "rome")]
    walk = walk_to(Branch([named(topic)], [_node(1, 0, steps=steps)]), f"<{entity}>")
    assert (walk["topic"], end(walk)) == (named(topic), named(entity))
    assert [step["inverse"] for step in walk["steps"]] == inverse
