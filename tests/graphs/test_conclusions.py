"""Answers from gathered triples: every chain is a shortest walk of them from a topic."""

from collections.abc import Sequence

from groundwalk.agent.answers.candidates import path_of
from groundwalk.agent.kg.terms import is_connected
from groundwalk.agent.records import Named, StepRecord
from groundwalk.graphs.prompted.conclusions import elect, match_answers, proofs
from groundwalk.graphs.prompted.walks import Walk, end
from hypothesis import given
from hypothesis import strategies as st


def named(name: str) -> Named:
    return Named(term=f"<{name}>", label=name)


def fact(head: str, relation: str, tail: str, inverse: bool = False) -> StepRecord:
    return StepRecord(
        head=named(head),
        relation=named(relation),
        tail=named(tail),
        inverse=inverse,
        verdict="unknown",
    )


def walk(topic: str, *steps: StepRecord) -> Walk:
    return Walk(topic=named(topic), steps=list(steps), score=1.0, relevance=1.0)


NAMES = "abcdef"
facts = st.lists(
    st.builds(fact, st.sampled_from(NAMES), st.sampled_from("rs"), st.sampled_from(NAMES),
              st.booleans()),
    max_size=8,
)  # fmt: skip


def distances(topic: str, steps: Sequence[StepRecord]) -> dict[str, int]:
    """How far each entity is, by relaxation until nothing changes."""
    far = {f"<{topic}>": 0}
    for _ in range(len(NAMES)):
        for step in steps:
            one, other = step["head"]["term"], step["tail"]["term"]
            for source, target in ((one, other), (other, one)):
                if source in far:
                    far[target] = min(far.get(target, 99), far[source] + 1)
    return far


@given(facts, st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
def test_proofs_are_shortest_walks_of_the_given_triples(
    steps: list[StepRecord], topics: list[str]
) -> None:
    found = proofs([named(topic) for topic in topics], steps)
    given_triples = {path_of("", [step]).steps[0].triple for step in steps}
    for topic in topics:
        far = distances(topic, steps)
        for entity, length in far.items():
            own = [way for way in found.get(entity, []) if _start(way) == f"<{topic}>"]
            assert len(own) == (1 if length else 0)
            for way in own:
                path = path_of(f"<{topic}>", way)
                assert is_connected(frozenset([f"<{topic}>"]), path) and path.end == entity
                assert len(way) == length
                assert {step.triple for step in path.steps} <= given_triples
    assert sum(map(len, found.values())) == sum(len(distances(t, steps)) - 1 for t in topics)


def _start(way: Sequence[StepRecord]) -> str:
    return (way[0]["tail"] if way[0]["inverse"] else way[0]["head"])["term"]


def test_answers_are_matched_by_name_one_by_one_or_in_a_list() -> None:
    steps = [fact("Ada", "mother of", "Ben"), fact("Ada", "mother of", "Cleo and Co")]
    topics = [named("Ada")]
    found = match_answers(["**BEN**, Cleo", "cleo and co"], topics, steps)
    assert [a["label"] for a in found.answers] == ["Ben", "Cleo and Co"]
    assert found.unsupported == ["Cleo"] and found.confidence == 1.0
    nothing = match_answers(["Ada", "Rome, Oslo"], topics, steps)
    assert not nothing.answers and nothing.unsupported == ["Ada", "Rome, Oslo"]
    assert nothing.confidence == 0.0


def test_a_name_is_first_taken_as_it_is_written() -> None:
    steps = [fact("Ada", "speaks", name) for name in ("C", "C++", "C#")]
    for name in ("C", "C++", "C#", "c++"):
        (answer,) = match_answers([name], [named("Ada")], steps).answers
        assert answer["label"] == name.upper()
    only = match_answers(["C#"], [named("Ada")], [fact("Ada", "speaks", "C")])
    assert not only.answers and only.unsupported == ["C#"]


def test_triples_apart_from_the_topics_prove_nothing() -> None:
    found = match_answers(["Oslo"], [named("Ada")], [fact("Ben", "lives in", "Oslo")])
    assert not found.answers and found.unsupported == ["Oslo"]


def test_the_heaviest_relation_path_is_elected_with_all_its_ends() -> None:
    walks = [
        walk("Ada", fact("Ada", "r", "Ben")),
        walk("Ada", fact("Ada", "r", "Cleo")),
        walk("Ada", fact("Ada", "s", "Zoe")),
        walk("Ada"),
    ]
    found = elect(walks, [0.2, 0.6, 0.5, 1.0])
    assert [(a["label"], a["score"]) for a in found.answers] == [("Cleo", 0.6), ("Ben", 0.2)]
    assert found.confidence == 0.6
    assert not elect([walk("Ada")], [1.0]).answers


def test_two_topics_mean_what_both_lead_to() -> None:
    walks = [
        walk("Ada", fact("Ada", "r", "Ben")),
        walk("Ada", fact("Ada", "r", "Cleo")),
        walk("Rome", fact("Cleo", "in", "Rome", inverse=True)),
    ]
    found = elect(walks, [0.9, 0.8, 0.1])
    assert [a["label"] for a in found.answers] == ["Cleo"]
    assert [end(walks[0])["label"]] == ["Ben"] and len(found.answers[0]["chains"]) == 2
