"""A question that only names another thing asks the query of the question before."""

from typing import Any

from groundwalk.agent.conversation.before import before_of
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.question import Before
from groundwalk.agent.records import Turn
from langgraph.checkpoint.memory import InMemorySaver

from ..whole import build_graph, labels

PERU, CHILE = (f"<https://groundwalk.example/world/country/{name}>" for name in ("peru", "chile"))
CAPITAL = {"start": [0], "steps": [{"relation": "capital"}]}
BORDERS = {"start": [0], "steps": [{"relation": "borders"}]}


def turn(number: int, asked: str, name: str, term: str, query: Any) -> Turn:
    entity: Any = {"term": term, "label": name, "kind": "country", "description": "", "score": 1.0}
    start = asked.index(name)
    mention: Any = {"text": name, "start": start, "end": start + len(name), "ambiguous": False}
    known: Any = {
        **{"number": number, "question": asked, "asked": asked, "alone": True, "query": query},
        **{"status": "answered", "mentions": [{**mention, "candidates": [entity]}]},
        **{"topics": [entity], "answers": [], "cut": False, "confidence": 1.0, "notes": []},
        "text": "",
    }
    return known


def test_the_question_before_is_told_in_full() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    other = turn(2, "and Chile?", "Chile", CHILE, CAPITAL)
    before = before_of(kg, [whole, other])
    assert before.asked.question == "What is the capital of Chile?"
    (own,) = before.mentions.bound
    assert (own.term, own.text) == (CHILE, "Chile")
    (place,) = before.asked.mentions
    assert before.asked.question[place.start : place.end] == "Chile"
    assert before.topics == (CHILE,)


def test_a_question_of_its_own_is_told_as_it_is() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    for query in (BORDERS, None):
        other = turn(2, "Which countries border Chile?", "Chile", CHILE, query)
        assert before_of(kg, [whole, other]).asked.question == "Which countries border Chile?"


def test_a_question_that_was_not_answered_words_no_later_one() -> None:
    kg = open_kg("world")
    king: Turn = {**turn(1, "Who is the king of Peru?", "Peru", PERU, CAPITAL), "status": "unsure"}
    whole = turn(2, "What is the capital of Chile?", "Chile", CHILE, CAPITAL)
    assert before_of(kg, [king, whole]).asked.question == "What is the capital of Chile?"


def test_a_value_of_the_question_before_stays_in_it() -> None:
    kg = open_kg("world")
    longer = {"start": [0], "filters": [{"op": ">", "mention": 1}]}
    whole = turn(1, "Which rivers of Peru are longer than 900 km?", "Peru", PERU, longer)
    moved = {"start": [0], "filters": [{"op": ">", "mention": 2}]}
    before = before_of(kg, [whole, turn(2, "and of Chile?", "Chile", CHILE, moved)])
    assert before.asked.question == "Which rivers of Chile are longer than 900 km?"
    assert [own.text for own in before.mentions.bound] == ["Chile", "900"]


def test_what_names_nothing_leaves_the_question_before() -> None:
    kg = open_kg("world")
    whole = turn(1, "Which countries border Peru?", "Peru", PERU, BORDERS)
    count: Any = {**turn(2, "Peru", "Peru", PERU, None), "asked": "how many?", "mentions": []}
    why: Any = {**turn(3, "Peru", "Peru", PERU, None), "asked": "why?", "alone": False}
    for turns in ([whole, count], [whole, why], [whole, count, why]):
        assert before_of(kg, turns).asked.question == "Which countries border Peru?"


def test_two_counts_by_another_method_are_two_questions() -> None:
    graph: Any = build_graph("gcr", checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    for asked in ("How many rivers flow through France?", "How many countries border Germany?"):
        graph.invoke({"question": asked}, config)
    turns = graph.get_state(config).values["turns"]
    assert len({str(own["query"]) for own in turns}) == 2
    before = before_of(open_kg("world"), turns)
    assert before.asked.question == "How many countries border Germany?"


def test_what_is_about_the_last_topic_keeps_it() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    currency = {"start": {"last": "topics"}, "steps": [{"relation": "currency"}]}
    rivers = {"start": {"class": "river"}}
    nothing: Any = {"asked": "and its currency?", "mentions": [], "topics": [], "answers": [{}]}
    for query, topics in ((currency, (PERU,)), (rivers, ())):
        then: Any = {**turn(2, "Peru", "Peru", PERU, query), **nothing}
        then["answers"] = [{"term": CHILE, "label": "Chile", "score": 1.0, "chains": []}]
        assert before_of(kg, [whole, then]).topics == topics


def silent(asked: str, name: str = "", term: str = "") -> Turn:
    made = turn(2, asked, name, term, None)
    made["status"] = "abstained"
    return made if name else {**made, "mentions": [], "topics": []}


def test_a_question_that_was_not_answered_is_what_is_talked_about() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    other = silent("Who is the king of Chile?", "Chile", CHILE)
    before = before_of(kg, [whole, other])
    assert (before.topics, tuple(before.answers)) == ((CHILE,), (CHILE,))
    unsure = before_of(kg, [whole, {**other, "status": "unsure"}])
    assert (unsure.topics, tuple(unsure.answers)) == ((CHILE,), ())


def test_a_card_is_what_is_talked_about() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    card: Turn = {**turn(2, "tell me about Chile", "Chile", CHILE, None), "card": True}
    before = before_of(kg, [whole, card])
    assert (before.topics, tuple(before.answers)) == ((CHILE,), (CHILE,))


def test_nothing_came_before_what_follows_a_question_that_was_about_nothing() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    assert before_of(kg, [whole, silent("Who baked the first bagel?")]) == Before()
    again = turn(3, "What is the capital of Chile?", "Chile", CHILE, CAPITAL)
    turns = [whole, silent("Who baked the first bagel?"), again]
    assert before_of(kg, turns).topics == (CHILE,)


def test_what_goes_on_from_an_answer_without_being_understood_leaves_it() -> None:
    kg = open_kg("world")
    whole = turn(1, "What is the capital of Peru?", "Peru", PERU, CAPITAL)
    assert before_of(kg, [whole, silent("and how old is it?")]).topics == (PERU,)
    assert before_of(kg, [whole, silent("which of them is old?")], "it").topics == (PERU,)


def test_after_what_may_have_meant_one_of_several_nothing_is_it() -> None:
    kg = open_kg("world")
    whole = turn(1, "Which countries border Austria?", "Austria", PERU, BORDERS)
    answers: Any = [
        {"term": term, "label": "", "score": 1.0, "chains": []} for term in (PERU, CHILE)
    ]
    several: Turn = {**whole, "answers": answers}
    of_them, of_it = silent("which of them is the largest?"), silent("and how old is it?")
    later: Turn = {**of_it, "number": 3}
    again: Turn = {**several, "number": 3}
    assert before_of(kg, [several, of_them], "its") == Before()
    assert before_of(kg, [several, of_them, later], "It") == Before()
    for turns, pointing in (
        ([several], "its"),
        ([several, of_it], "its"),
        ([several, of_them], "them"),
        ([several, of_them], ""),
        ([several, of_them, again], "its"),
    ):
        assert tuple(before_of(kg, turns, pointing).answers) == (PERU, CHILE)


def test_a_follow_up_that_was_not_understood_can_be_put_in_other_words() -> None:
    graph: Any = build_graph(checkpointer=InMemorySaver())
    config, state = {"configurable": {"thread_id": "1"}}, dict[str, Any]()
    for asked in ("Which countries border Austria?", "which of them is the largest?"):
        state = graph.invoke({"question": asked}, config)
    assert state["status"] == "abstained"
    its = graph.invoke({"question": "what is its capital?"}, config)
    assert its["answers"] == [] and its["notes"][0].startswith('I do not know what "its" is')
    state = graph.invoke({"question": "which of them use the euro?"}, config)
    assert labels(state) == ["Germany", "Italy", "Slovakia", "Slovenia"]
