"""The vote: which relation path wins, what it reaches, and what joins it."""

from collections.abc import Callable, Collection, Iterator, Sequence
from math import log

import pytest
from groundwalk.agent.answers.candidates import candidate
from groundwalk.agent.answers.vote import Election, vote
from groundwalk.agent.kg import KnowledgeGraph, Path, Step, Triple, name_iri, open_kg
from groundwalk.agent.kg.terms import RelationPath
from groundwalk.agent.kg.walking.execution import Execution, Junction
from groundwalk.agent.options import Options
from groundwalk.agent.records import Candidate

FACTS = """
Paris|country|France
France|capital|Paris
France|borders|Spain
France|borders|Italy
Spain|borders|Portugal
Chad|continent|Africa
Mali|continent|Africa
Peru|continent|America
Chad|speaks|French
Mali|speaks|French
France|speaks|French
Chad|speaks|Arabic
Mali|writes|Arabic
School|teaches|French
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("vote")
    (folder / "facts.kb").write_text(FACTS, encoding="utf-8")
    opened = open_kg(str(folder / "facts.kb"), cache=folder / "cache")
    yield opened
    opened.close()


def iri(name: str) -> str:
    return f"<{name_iri(name)}>"


def walk(kg: KnowledgeGraph, text: str, probability: float, relevance: float = 0.5) -> Candidate:
    """`A -> r -> B -> ^s -> C` as a candidate."""
    names = text.split(" -> ")
    steps: list[Step] = []
    for source, relation, target in zip(names[::2], names[1::2], names[2::2], strict=False):
        ends = [iri(source), iri(relation.removeprefix("^")), iri(target)]
        if relation.startswith("^"):
            ends.reverse()
        steps.append(Step(Triple(*ends), relation.startswith("^")))
    return candidate(kg.labels, Path(iri(names[0]), tuple(steps)), log(probability), relevance)


def elect(
    kg: KnowledgeGraph,
    *candidates: Candidate,
    options: Options | None = None,
    offered: Callable[[Sequence[str]], Collection[str]] | None = None,
    others: Sequence[str] = (),
    common: bool = False,
    apart: bool = False,
) -> Election:
    linked = sorted({*(c["topic"]["term"] for c in candidates), *map(iri, others)})
    outcome = vote(
        *(kg.store, candidates, linked, options or Options()),
        common=common,
        topics_apart=apart,
        offered=offered,
    )
    assert outcome is not None
    return outcome


def ends(outcome: Election) -> set[str]:
    return {elected.end for elected in outcome.elected}


def test_no_candidates_no_outcome(kg: KnowledgeGraph) -> None:
    assert vote(kg.store, [], [], Options()) is None


def test_winner_reaches_all_its_answers(kg: KnowledgeGraph) -> None:
    outcome = elect(
        kg,
        walk(kg, "France -> capital -> Paris", 0.6, 0.3),
        walk(kg, "France -> borders -> Spain", 0.4, 0.7),
    )
    assert ends(outcome) == {iri("Spain"), iri("Italy")}
    assert outcome.elected[0].end == iri("Spain")  # the decoded one comes first


def test_how_many_walks_of_a_relation_path_were_found_says_nothing(kg: KnowledgeGraph) -> None:
    outcome = elect(
        kg,
        walk(kg, "France -> borders -> Spain", 0.4, 0.4),
        walk(kg, "France -> borders -> Italy", 0.4, 0.4),
        walk(kg, "France -> capital -> Paris", 0.2, 0.6),
    )
    assert ends(outcome) == {iri("Paris")}


def test_where_nothing_is_relevant_paths_vote_with_their_probability(kg: KnowledgeGraph) -> None:
    outcome = elect(
        kg,
        walk(kg, "France -> capital -> Paris", 0.4, 0.0),
        walk(kg, "France -> borders -> Spain", 0.3, 0.0),
        walk(kg, "France -> borders -> Italy", 0.3, 0.0),
    )
    assert ends(outcome) == {iri("Spain"), iri("Italy")}


def test_an_unlikely_topic_weighs_little(kg: KnowledgeGraph) -> None:
    outcome = elect(
        kg,
        walk(kg, "France -> capital -> Paris", 0.9, 0.5),
        walk(kg, "Spain -> borders -> Portugal", 0.1, 0.9),
    )
    assert ends(outcome) == {iri("Paris")}


def test_relation_paths_to_the_same_entities_stand_together(kg: KnowledgeGraph) -> None:
    outcome = elect(
        kg,
        walk(kg, "Paris -> country -> France -> borders -> Spain", 0.4, 0.4),
        walk(kg, "Paris -> country -> France", 0.3, 0.3),
        walk(kg, "Paris -> ^capital -> France", 0.3, 0.3),
    )
    assert ends(outcome) == {iri("France")} and outcome.confidence == pytest.approx(0.6)


@pytest.mark.parametrize("common", [False, True])
def test_two_topics_that_meet_in_different_ways_are_both_meant(
    kg: KnowledgeGraph, common: bool
) -> None:
    outcome = elect(
        kg,
        walk(kg, "Africa -> ^continent -> Chad", 0.5, 0.45),
        walk(kg, "Arabic -> ^speaks -> Chad", 0.5, 0.45),
        common=common,
    )
    (answer,) = outcome.elected
    assert answer.end == iri("Chad")
    assert {path.topic for path in answer.paths} == {iri("Africa"), iri("Arabic")}
    assert outcome.confidence == pytest.approx(0.9)


@pytest.mark.parametrize("common", [False, True])
def test_a_relation_path_that_leaves_both_topics_is_of_the_one_it_was_found_for(
    kg: KnowledgeGraph, common: bool
) -> None:
    """Both speak French, which is not what one speaks and the other writes."""
    outcome = elect(
        kg,
        walk(kg, "Chad -> speaks -> Arabic", 0.5, 0.45),
        walk(kg, "Mali -> writes -> Arabic", 0.5, 0.45),
        common=common,
    )
    assert ends(outcome) == {iri("Arabic")}


@pytest.mark.parametrize(("chance", "both"), [(0.25, True), (0.02, False)])
def test_how_likely_both_are_meant_is_told_by_their_relations(
    kg: KnowledgeGraph, chance: float, both: bool
) -> None:
    outcome = elect(
        kg,
        walk(kg, "Africa -> ^continent -> Chad", 0.7, 0.65),
        walk(kg, "Arabic -> ^speaks -> Chad", chance, chance),
    )
    assert (ends(outcome) == {iri("Chad")}) == both


def test_same_relation_from_two_topics_is_a_union_with_common_answers_first(
    kg: KnowledgeGraph,
) -> None:
    outcome = elect(
        kg,
        walk(kg, "Chad -> speaks -> Arabic", 0.5),
        walk(kg, "Mali -> speaks -> French", 0.5),
    )
    assert [e.end for e in outcome.elected] == [iri("French"), iri("Arabic")]


def test_in_common_a_relation_path_is_walked_from_topics_without_one_too(
    kg: KnowledgeGraph,
) -> None:
    """The beams may be full of the ends of one topic."""
    neighbours = walk(kg, "France -> borders -> Italy", 0.9)
    assert ends(elect(kg, neighbours, others=["Portugal"])) == {iri("Italy"), iri("Spain")}
    both = walk(kg, "France -> borders -> Spain -> borders -> Portugal", 0.9)
    spoken = walk(kg, "Chad -> speaks -> Arabic", 0.9)
    outcome = elect(kg, spoken, others=["Mali", "France"], common=True)
    assert ends(outcome) == {iri("French")}
    assert {path.topic for path in outcome.elected[0].paths} == {
        *map(iri, ("Chad", "Mali", "France"))
    }
    assert ends(elect(kg, both, others=["Peru"], common=True)) == {iri("Portugal")}
    apart = elect(kg, spoken, others=["Mali", "Peru"], common=True)
    assert ends(apart) == {iri("French"), iri("Arabic")}
    assert ends(elect(kg, spoken, others=["Peru"], common=True)) == {iri("Arabic"), iri("French")}


def test_three_topics_meet_each_by_its_own_relation_path(kg: KnowledgeGraph) -> None:
    """However few of the beams a topic has: how likely its relations are counts."""
    walks = [
        walk(kg, "Africa -> ^continent -> Mali", 0.97, 0.9),
        walk(kg, "French -> ^speaks -> France", 0.02, 0.8),
        walk(kg, "Arabic -> ^speaks -> Chad", 0.01, 0.3),
    ]
    (answer,) = elect(kg, *walks, common=True).elected
    assert answer.end == iri("Chad")
    assert elect(kg, *walks, common=True).confidence == pytest.approx(1.0)
    weakest = elect(kg, *walks, common=True, apart=True)
    assert ends(weakest) == {iri("Chad")} and weakest.confidence == pytest.approx(0.3)
    assert {path.topic for path in answer.paths} == {*map(iri, ("Africa", "French", "Arabic"))}


def test_a_likelier_relation_path_that_meets_no_other_gives_way(kg: KnowledgeGraph) -> None:
    walks = [
        walk(kg, "France -> capital -> Paris", 0.5, 0.5),
        walk(kg, "France -> borders -> Spain", 0.2, 0.2),
        walk(kg, "Portugal -> ^borders -> Spain", 0.3, 0.3),
    ]
    outcome = elect(kg, *walks, common=True)
    assert ends(outcome) == {iri("Spain")} and outcome.confidence == pytest.approx(0.5)
    offered = elect(kg, *walks, common=True, offered={iri("Paris")}.intersection)
    assert ends(offered) == {iri("Paris")}, "which one topic alone leads to"


def test_what_is_offered_decides_where_topics_meet(kg: KnowledgeGraph) -> None:
    walks = [
        walk(kg, "Chad -> speaks -> French", 0.4, 0.8),
        walk(kg, "Mali -> speaks -> French", 0.4, 0.8),
        walk(kg, "Chad -> continent -> Africa", 0.1, 0.4),
        walk(kg, "Mali -> continent -> Africa", 0.1, 0.4),
    ]
    assert ends(elect(kg, *walks, common=True)) == {iri("French")}
    offered = elect(kg, *walks, common=True, offered={iri("Africa")}.intersection)
    assert ends(offered) == {iri("Africa")}


def test_how_likely_a_relation_path_is_from_another_topic_does_not_count(
    kg: KnowledgeGraph,
) -> None:
    walks = [
        walk(kg, "Chad -> speaks -> French", 0.5, 0.9),
        walk(kg, "Chad -> continent -> Africa", 0.1, 0.3),
        walk(kg, "Mali -> speaks -> French", 0.1, 0.1),
        walk(kg, "Mali -> continent -> Africa", 0.5, 0.8),
    ]
    assert ends(elect(kg, *walks, common=True, apart=True)) == {iri("Africa")}


def test_many_topics_with_many_relation_paths_are_not_all_tried(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10 to the power of 12 ways the likeliest come first, and few are tried."""
    tried = list[Sequence[tuple[str, RelationPath]]]()
    reached = Junction.reached

    def counted(self: Junction, walks: Sequence[tuple[str, RelationPath]]) -> Execution:
        tried.append(walks)
        return reached(self, walks)

    monkeypatch.setattr(Junction, "reached", counted)
    names = [f"T{n}" for n in range(12)]
    walks = [walk(kg, f"{t} -> r{n} -> X", 0.1, 0.5 + n / 100) for t in names for n in range(10)]
    assert not elect(kg, *walks, common=True).elected
    assert {relations for _, relations in tried[0]} == {((iri("r9"), False),)}
    assert 1 < len(tried) < 50


def test_what_is_hardly_relevant_from_a_topic_is_not_weighed_by_its_votes(
    kg: KnowledgeGraph,
) -> None:
    walks = [
        walk(kg, "Chad -> speaks -> French", 0.5, 0.9),
        walk(kg, "Chad -> continent -> Africa", 0.5, 0.5),
        walk(kg, "Mali -> speaks -> French", 0.5, 1e-7),
        walk(kg, "Mali -> continent -> Africa", 0.5, 0.8),
    ]
    outcome = elect(kg, *walks, common=True, apart=True)
    assert ends(outcome) == {iri("Africa")} and outcome.confidence == pytest.approx(0.5)


def test_topics_that_were_searched_apart_make_each_other_no_likelier(kg: KnowledgeGraph) -> None:
    walks = [
        walk(kg, "Paris -> country -> France", 0.5, 0.4),
        walk(kg, "Spain -> ^borders -> France", 0.5, 0.4),
        walk(kg, "Peru -> continent -> America", 0.5, 0.1),
    ]
    together, apart = (elect(kg, *walks, apart=own).confidence for own in (False, True))
    assert (together, apart) == (pytest.approx(0.8), pytest.approx(0.4))


def test_a_topic_with_other_paths_only_joins_nothing(kg: KnowledgeGraph) -> None:
    """It was searched from, and this is not what was found likely."""
    spoken = walk(kg, "Chad -> speaks -> Arabic", 0.9, 0.9)
    other = walk(kg, "Mali -> continent -> Africa", 0.001, 0.001)
    same = walk(kg, "Mali -> speaks -> French", 0.001, 0.001)
    assert ends(elect(kg, spoken, other, common=True)) == {iri("Arabic"), iri("French")}
    assert ends(elect(kg, spoken, same, common=True)) == {iri("Arabic"), iri("French")}
    joined = elect(kg, spoken, others=["Mali"], common=True)
    assert joined.requests == elect(kg, spoken, common=True).requests + 1


def test_where_relation_paths_meet_the_chains_from_all_their_topics_are_kept(
    kg: KnowledgeGraph,
) -> None:
    outcome = elect(
        kg,
        walk(kg, "Chad -> speaks -> French", 0.4, 0.45),
        walk(kg, "Mali -> speaks -> French", 0.3, 0.45),
        walk(kg, "School -> teaches -> French", 0.3, 0.45),
        common=True,
    )
    (answer,) = outcome.elected
    assert [path.topic for path in answer.paths] == [*map(iri, ("Chad", "Mali", "School"))]


def test_more_answers_than_may_be_shown_are_counted(kg: KnowledgeGraph) -> None:
    outcome = elect(kg, walk(kg, "France -> borders -> Spain", 0.6), options=Options(max_answers=1))
    assert len(outcome.elected) == 1 and outcome.left_out == 1


def test_offered_ends_come_before_likelier_ones(kg: KnowledgeGraph) -> None:
    walks = [
        walk(kg, "France -> capital -> Paris", 0.4, 0.6),
        walk(kg, "France -> borders -> Spain", 0.4, 0.3),
    ]

    def offered(*names: str) -> set[str]:
        wanted = set(map(iri, names))
        return ends(elect(kg, *walks, offered=wanted.intersection))

    assert offered("Italy", "Peru") == {iri("Italy")}
    assert offered("Paris", "Spain") == {iri("Paris")}
    assert offered("Peru") == offered() == {iri("Paris")}


def test_topic_is_no_answer_unless_walks_may_return(kg: KnowledgeGraph) -> None:
    back = walk(kg, "Chad -> speaks -> French -> ^speaks -> Mali", 0.6)
    assert iri("Chad") not in ends(elect(kg, back))
    assert iri("Chad") in ends(elect(kg, back, options=Options(revisits="walk")))
