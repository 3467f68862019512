"""Methods of plain questions with a model that reads queries: parts, and the rest over them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from groundwalk.agent.answers.readings import ReadWith
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.bag_of_words import Guess
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.nodes.read_parts import read_parts
from groundwalk.agent.options import Options
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.reader import QueryReader
from groundwalk.agent.query.word_reader import NoAccount, WordReader
from groundwalk.agent.records import Word
from groundwalk.agent.state import State
from groundwalk.graphs.ground import Parts
from groundwalk.graphs.methods import METHODS, method_options, unused
from groundwalk.graphs.skeleton import skeleton
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from ..agent.query.models import scripted
from ..whole import labels
from .test_read import one

CAPITAL = "what is the capital of <0>[country]"
BOTH = "which countries border <0>[country] and <1>[country]"
BOTH_READ = "<0><STEP>borders<AND><1><STEP>borders<END>"
WALKS = {
    "borders of [country]": ("borders", 0.9),
    "capital of [country]": ("capital", 0.8),
    "every river that flows through [country]": ("^flows through", 0.9),
}
"""The walk that the method takes for a question, and how sure it is of it."""


class Named:
    """What `lookup` looks up: a relation for each question, told beforehand. It keeps them."""

    def __init__(self, kg: KnowledgeGraph, walks: Mapping[str, tuple[str, float]]) -> None:
        self._kg = kg
        self._walks = walks
        self.asked = list[str]()
        self.confidences = {"lookup": 0.5}

    def rank_by_template(self, question: str) -> Iterator[Guess]:
        question = question.lower().rstrip("?")
        self.asked.append(question)
        if question in self._walks:
            name, probability = self._walks[question]
            (relation,) = self._kg.walk_labels.named(name.removeprefix("^"), relation=True)
            yield Guess(((relation, name.startswith("^")),), probability)


class Method:
    """`lookup` with a model that reads queries; `asked` are the questions that it looked up."""

    def __init__(
        self,
        kg: KnowledgeGraph,
        local: LocalModel,
        walks: Mapping[str, tuple[str, float]] = WALKS,
        account: type[WordReader] = NoAccount,
        *,
        checkpointer: Any = False,
    ) -> None:
        named: Any = Named(kg, walks)
        self.asked: list[str] = named.asked
        linker = LabelLinker(kg.labels)
        parts = Parts(
            kg, linker, local.settings, lambda: local, baselines=lambda: named, account=account
        )
        self.graph: Any = skeleton("lookup", METHODS["lookup"], parts, checkpointer)

    def ask(self, *questions: str, **options: Any) -> Any:
        """The state after the last of some questions of one conversation."""
        thread, state = {"configurable": {"thread_id": "1"}}, None
        for question in questions:
            state = self.graph.invoke({"question": question}, thread, context=Options(**options))
        return state


def verdicts(state: Any) -> set[str]:
    steps = [step for own in state["answers"] for chain in own["chains"] for step in chain]
    steps += state["result"]["triples"] if state["result"] else []
    return {step["verdict"] for step in steps}


def test_one_walk_goes_to_the_method_as_it_is(kg: KnowledgeGraph) -> None:
    walks = {"what is the capital of [country]": ("capital", 0.9)}
    method = Method(kg, scripted(one(CAPITAL, "<0><STEP>capital")), walks)
    state = method.ask("What is the capital of Kenya?")
    assert (state["status"], labels(state)) == ("answered", ["Nairobi"])
    assert method.asked == ["what is the capital of [country]"]
    assert state["operation"] is None and state["query_tree"] is None and state["result"] is None
    assert state["confidence"] == pytest.approx(0.9) and state["reasoner"] == "vote"
    assert state["readings"][0]["words"] == "capital of Kenya"
    assert state["asked"] == "What is the capital of Kenya?" and state["notes"] == []


def test_words_of_a_walk_are_the_methods(kg: KnowledgeGraph) -> None:
    question = "which countries never do without a border with <0>[country]"
    walks = {question.replace("<0>", ""): ("borders", 0.9)}
    method = Method(kg, scripted(one(question, "<0><STEP>borders")), walks)
    state = method.ask("Which countries never do without a border with Kenya?")
    assert state["status"] == "answered" and "Uganda" in labels(state) and state["notes"] == []


def test_the_rest_is_computed_over_what_the_method_verified(kg: KnowledgeGraph) -> None:
    method = Method(kg, scripted(one(BOTH, BOTH_READ)))
    state = method.ask("Which countries border Kenya and Uganda?")
    assert (state["status"], set(labels(state))) == ("answered", {"South Sudan", "Tanzania"})
    assert method.asked == ["borders of [country]", "borders of [country]"]
    assert [part["question"] for part in state["parts"]] == [
        "borders of Kenya",
        "borders of Uganda",
    ]
    assert state["query_tree"] == {"start": {"part": 0}, "and": [{"start": {"part": 1}}]}
    assert state["reading"] == state["readings"][0]["words"]
    assert "borders of Kenya" in state["reading"] and "borders of Uganda" in state["reading"]
    assert state["confidence"] == pytest.approx(0.9)
    assert {topic["label"] for topic in state["topics"]} == {"Kenya", "Uganda"}
    assert verdicts(state) == {"supported"} and all(
        len(own["chains"]) == 2 for own in state["answers"]
    )
    assert {mention["text"] for mention in state["mentions"]} == {"Kenya", "Uganda"}
    json.dumps({key: own for key, own in state.items() if key != "messages"})


@pytest.mark.parametrize(
    ("query", "kind", "value"),
    [
        ("<0><STEP>borders<COUNT>", "count", 9),
        ("<0><STEP>borders<YESNO>", "truth", True),
        ("<0><STEP>^flows through<MOST>length in kilometres", "extreme", None),
        ("<0><STEP>^flows through<STEP>length in kilometres<SUM>", "sum", None),
    ],
)
def test_operators_are_over_the_part(
    kg: KnowledgeGraph, query: str, kind: str, value: object
) -> None:
    method = Method(kg, scripted(one("whatever of <0>[country]", query)))
    state = method.ask("Whatever of Germany?")
    assert state["status"] == "answered" and state["result"]["kind"] == kind
    assert len(method.asked) == 1 and verdicts(state) == {"supported"}
    assert value is None or state["result"]["value"] == value
    assert kind != "extreme" or labels(state) == ["Danube"]
    assert kind != "sum" or state["result"]["value"] > 5_000
    assert state["result"]["how"] == "computed over verified answers"


def test_it_is_computed_over_what_the_method_found_and_not_over_the_graph(
    kg: KnowledgeGraph,
) -> None:
    walks = {"borders of [country]": ("capital", 0.9)}
    method = Method(kg, scripted(one("whatever of <0>[country]", "<0><STEP>borders<COUNT>")), walks)
    assert method.ask("Whatever of Kenya?")["result"]["value"] == 1


def test_a_part_without_an_answer_is_told(kg: KnowledgeGraph) -> None:
    read = "<0><STEP>borders<NOT><1><STEP>capital<END>"
    local = scripted(one(BOTH, read))
    silent = Method(kg, local, {"borders of [country]": ("borders", 0.9)})
    state = silent.ask("Which countries border Kenya and Uganda?")
    assert (state["status"], labels(state), state["result"]) == ("abstained", [], None)
    assert "the graph does not say: capital of Uganda" in state["notes"]
    assert state["reading"] and state["readings"]
    doubtful = Method(kg, local, {**WALKS, "capital of [country]": ("capital", 0.4)})
    state = doubtful.ask("Which countries border Kenya and Uganda?")
    assert (state["status"], labels(state)) == ("unsure", [])
    unlikely = "the best path is not likely enough (0.40, at least 0.50)"
    assert f"capital of Uganda: {unlikely}" in state["notes"]


def test_an_unsure_reading_is_told_and_no_part_is_answered(kg: KnowledgeGraph) -> None:
    method = Method(kg, scripted(one(BOTH, BOTH_READ, 0.61), least=0.7))
    state = method.ask("Which countries border Kenya and Uganda?")
    assert (state["status"], labels(state), method.asked) == ("unsure", [], [])
    assert state["notes"][-1].endswith("not sure enough (0.61, at least 0.70)")
    assert method.ask("Which countries border Kenya and Uganda?", confidence=0.5)["answers"]


def test_all_readings_that_are_walks_say_that_it_is_one(kg: KnowledgeGraph) -> None:
    script = {CAPITAL: [("<0><STEP>capital", 0.4), ("<0><STEP>borders", 0.35)]}
    script[CAPITAL].append(("<0><STEP>borders<COUNT>", 0.25))
    walks = {"what is the capital of [country]": ("capital", 0.9)}
    state = Method(kg, scripted(script, least=0.7), walks).ask("What is the capital of Kenya?")
    assert labels(state) == ["Nairobi"]


@pytest.mark.parametrize("general", [True, False])
def test_which_walk_it_is_is_for_the_method_to_say(kg: KnowledgeGraph, general: bool) -> None:
    """Of a reader of any graph it counts whether a question is a walk, and not its account."""
    script = {CAPITAL: [("<0><STEP>capital", 0.3), ("<0><STEP>borders", 0.2), ("<NONE>", 0.5)]}
    local = scripted(script)
    reader = QueryReader(kg, lambda: local, None)
    tools = ReadWith(kg, LabelLinker(kg.labels), reader, _Left, 0.7, is_general=general)
    graph: Any = StateGraph(State, context_schema=Options)
    graph.add_node("read", read_parts(tools, "lookup"))
    graph.add_edge(START, "read")
    asked = "What is the capital of Kenya?"
    state = graph.compile().invoke({"question": asked, "asked": asked}, context=Options())
    unsure = [note for note in state["notes"] if "not sure enough" in note]
    assert bool(unsure) is not general and not state.get("account")


def test_walks_from_another_thing_are_another_reading(kg: KnowledgeGraph) -> None:
    """The method chooses a walk from a thing, and not the thing."""
    question = "whatever of <0>[country] or <1>[country]"
    script = {question: [("<0><STEP>capital", 0.3), ("<0><STEP>borders", 0.2)]}
    script[question].append(("<1><STEP>capital", 0.5))
    local = scripted(script)
    tools = ReadWith(
        kg, LabelLinker(kg.labels), QueryReader(kg, lambda: local, None), NoAccount, 0.7, True
    )
    graph: Any = StateGraph(State, context_schema=Options)
    graph.add_node("read", read_parts(tools, "lookup"))
    graph.add_edge(START, "read")
    asked = "Whatever of Kenya or Uganda?"
    state = graph.compile().invoke({"question": asked, "asked": asked}, context=Options())
    assert (state["status"], state["confidence"]) == ("unsure", 0.5)


def test_what_has_no_walk_is_computed_over_the_whole_graph(kg: KnowledgeGraph) -> None:
    question, read = "the <0>2 highest mountains", "<CLASS>mountain<MOST>height in metres<FIRST><2>"
    method = Method(kg, scripted(one(question, read)))
    state = method.ask("The 2 highest mountains?")
    assert labels(state) == ["Mount Everest", "K2"] and method.asked == []
    assert "computed over the whole graph, not over what lookup verified" in state["notes"]


def test_the_set_that_a_part_is_taken_from_is_the_graphs(kg: KnowledgeGraph) -> None:
    question = "which countries do not border <0>[country]"
    read = "<CLASS>country<NOT><0><STEP>borders<END><COUNT>"
    method = Method(kg, scripted(one(question, read)))
    state = method.ask("Which countries do not border Kenya?")
    assert state["result"]["value"] > 100 and method.asked == ["borders of [country]"]


def test_a_follow_up_is_asked_in_full(kg: KnowledgeGraph) -> None:
    walks = {**WALKS, "what is the capital of [country]": ("capital", 0.9)}
    walks["currency of [country]"] = ("currency", 0.9)
    script = {
        CAPITAL: [("<0><STEP>capital", 1.0)],
        "what is the capital of <0>[country]? <TOPICS>[country]<ANSWERS>[city] and its currency": [
            ("<TOPICS><STEP>currency", 1.0)
        ],
        "what is the capital of <1>[country]? <TOPICS>[country]<ANSWERS>[city] and of "
        "<0>[country]": [("<0><STEP>capital", 1.0)],
    }
    method = Method(kg, scripted(script), walks, checkpointer=InMemorySaver())
    state = method.ask("What is the capital of Kenya?", "And of Peru?")
    assert labels(state) == ["Lima"] and state["asked"] == "capital of Peru"
    method = Method(kg, scripted(script), walks, checkpointer=InMemorySaver())
    state = method.ask("What is the capital of Kenya?", "And its currency?")
    assert labels(state) == ["Kenyan shilling"] and state["question"] == "And its currency?"
    assert method.asked[-1] == "currency of [country]" and state["topics"][0]["label"] == "Kenya"


def test_a_part_narrows_the_last_answers(kg: KnowledgeGraph) -> None:
    question = "which countries border <0>[country]"
    script = {
        question: [("<0><STEP>borders", 1.0)],
        "which countries border <1>[country]? <TOPICS>[country]<ANSWERS><MANY>[country] "
        "which of them border <0>[country]": [("<ANSWERS><AND><0><STEP>borders<END>", 1.0)],
    }
    walks = {**WALKS, "which countries border [country]": ("borders", 0.9)}
    method = Method(kg, scripted(script), walks, checkpointer=InMemorySaver())
    state = method.ask("Which countries border Kenya?", "Which of them border Uganda?")
    assert set(labels(state)) == {"South Sudan", "Tanzania"}
    assert verdicts(state) == {"supported"}


def test_what_is_computed_of_the_last_answers_is_over_what_was_verified(
    kg: KnowledgeGraph,
) -> None:
    script = {
        "which countries border <0>[country]": [("<0><STEP>borders", 1.0)],
        "which countries border <0>[country]? <TOPICS>[country]<ANSWERS><MANY>[country] how many": [
            ("<ANSWERS><COUNT>", 1.0)
        ],
    }
    walks = {"which countries border [country]": ("borders", 0.9)}
    method = Method(kg, scripted(script), walks, checkpointer=InMemorySaver())
    state = method.ask("Which countries border Kenya?", "How many?")
    assert state["result"]["value"] == 5 and state["notes"] == []


class _Left(NoAccount):
    """Says that one word of every question is left out."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        assert question and mentions and actions
        return [
            Word(text="friendly", start=0, end=8, used_by="unread"),
            Word(text="borders", start=9, end=16, used_by="borders"),
        ]


@pytest.mark.parametrize("query", ["<0><STEP>borders", "<0><STEP>borders<COUNT>"])
@pytest.mark.parametrize("shown", [True, False])
def test_words_that_are_left_out_make_it_partial(
    kg: KnowledgeGraph, query: str, shown: bool
) -> None:
    local = scripted(one("friendly borders of <0>[country]", query))
    walks = {**WALKS, "friendly borders of [country]": ("borders", 0.9)}
    method = Method(kg, local, walks, _Left)
    state = method.ask("Friendly borders of Kenya", partial=shown)
    assert state["status"] == ("partial" if shown else "abstained")
    assert bool(labels(state)) == shown and state["notes"][0] == 'not understood: "friendly"'
    assert shown or state["result"] is None
    assert len(state["account"]) == 2


def test_an_ambiguous_name_is_asked_back_first(kg: KnowledgeGraph) -> None:
    local = scripted(one("how many border <0>[country]", "<0><STEP>borders<COUNT>"))
    method = Method(kg, local, checkpointer=InMemorySaver())
    asked = method.ask("How many border Congo?")
    assert asked["__interrupt__"]
    state = method.graph.invoke(Command(resume="1"), {"configurable": {"thread_id": "1"}})
    assert state["result"]["kind"] == "count" and method.asked == ["borders of [country]"]


def test_a_paper_leaves_queries_out(kg: KnowledgeGraph) -> None:
    local = scripted(one(BOTH, BOTH_READ))
    walks = {"which countries border [country]": ("borders", 0.9)}
    method = Method(kg, local, walks)
    own = method_options("lookup", Options(), paper=True)
    assert not own.queries
    state = method.graph.invoke(
        {"question": "Which countries border both Kenya and Uganda?"}, context=own
    )
    assert state["readings"] == [] and state["account"] == []
    assert state["operation"] is None and state["parts"] == []
    assert method.asked == ["which countries border both [country] and [country]"]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_may_leave_queries_out(name: str) -> None:
    assert unused(name, Options(queries=False, partial=False)) == []
    if name != "paths":
        assert not method_options(name, Options(), paper=True).queries
        kept = method_options(name, Options(), paper=True, user_set={"queries"})
        assert kept.queries
