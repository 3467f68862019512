"""The language of relation paths is that of all paths, with the entities taken out."""

from pathlib import Path as Folder
from typing import cast

import pytest
from groundwalk.agent.decoding.index import build_index, relation_openings
from groundwalk.agent.decoding.paths import PathLimits, Revisits
from groundwalk.agent.decoding.relation_paths import RelationPaths
from groundwalk.agent.decoding.units import Tokens, UnitTable, wire_tokens
from groundwalk.agent.decoding.wire import PLAN
from groundwalk.agent.errors import ConstraintError, NoPathError
from groundwalk.agent.kg import RelationPath, execute
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds
from .language import TOKENIZERS, Graph, facts, language, opened, python_lines, shuffled, topics
from .test_search import MODELS, PROMPT, search

limits = st.builds(
    PathLimits,
    hops=st.integers(1, 3),
    inverse=st.booleans(),
    revisits=st.sampled_from(["walk", "no-topic"]),
)


def spell(
    graph: Graph, openings: UnitTable, relations: RelationPath, tags: tuple[int, int]
) -> Tokens:
    index, word = graph.index, [tags[0]]
    for hop, (term, inverse) in enumerate(relations):
        place = index.relations.find(term)
        assert place is not None
        walked = 2 * place + inverse
        if hop:
            word += [*index.style.arrow, *index.relation_table.unit(walked)]
        else:
            word += openings.unit(walked)
    return (*word, tags[1])


@settings(max_examples=40, deadline=None)
@given(facts=facts(12), limits=limits, family=st.sampled_from(sorted(TOKENIZERS)), data=st.data())
def test_words_are_the_relations_of_all_paths(
    facts: set[worlds.Fact], limits: PathLimits, family: str, data: st.DataObject
) -> None:
    tokenizer = TOKENIZERS[family]
    tags = wire_tokens(tokenizer, PLAN)
    with opened(facts, tokenizer) as graph:
        some = topics(data.draw, facts)
        expected = {path.relations for path in oracle.paths(graph.facts, some, limits)}
        openings = relation_openings(graph.kg, tokenizer, graph.index)
        assert list(openings) == graph.first_relations
        if data.draw(st.booleans()):
            openings = shuffled(data.draw, graph.first_relations, graph.index)
        if not expected:
            with pytest.raises(NoPathError):
                RelationPaths(graph.index, openings, some, tags, limits)
            return
        constraint = RelationPaths(graph.index, openings, some, tags, limits)
        words = language(constraint)
        found = {constraint.relations(state): word for word, state in words.items()}
        assert len(found) == len(words)
        assert found == {
            relations: spell(graph, openings, relations, tags) for relations in expected
        }
        banned = some if limits.revisits == "no-topic" else []
        longest = max(expected, key=lambda relations: (len(relations), relations))
        assert execute(graph.kg.store, some, longest, banned=banned).reached


@pytest.mark.parametrize("family", ["byte-level", "metaspace"])
def test_words_read_as_the_wire_says(family: str) -> None:
    tokenizer = TOKENIZERS[family]
    with opened({(0, 2, 1), (5, 3, 1), (5, 1, 6)}, tokenizer) as graph:
        openings = relation_openings(graph.kg, tokenizer, graph.index)
        tags = wire_tokens(tokenizer, PLAN)
        constraint = RelationPaths(
            graph.index, openings, [worlds.entity(0)], tags, PathLimits(hops=3)
        )
        words = language(constraint)
        spelled = {str(tokenizer.decode(list(word[1:-1]))).strip() for word in words}
        assert spelled == {"capital", "capital -> ^cap", "capital -> ^cap -> r s"} | {
            "capital -> ^cap -> cap"
        }
        for word, state in words.items():
            text = " -> ".join(
                "^" * inverse + {1: "r s", 2: "capital", 3: "cap"}[int(term[-2])]
                for term, inverse in constraint.relations(state)
            )
            ids = tokenizer(f"<PLAN>{text}</PLAN>", add_special_tokens=False)["input_ids"]
            assert list(word) == ids
            flags = constraint.relation_tokens(state)
            later = len(constraint.relations(state)) - 1
            assert flags.count(False) == later * (len(graph.index.style.arrow) - 1)


@pytest.mark.parametrize(
    ("revisits", "expected"),
    [
        ("no-topic", {"r", "r -> capital"}),
        ("walk", {"r", "r s", "r -> r", "r -> r s", "r -> capital", "r s -> r", "r s -> r s"}),
    ],
)
def test_what_only_a_topic_leads_to_is_no_word(
    revisits: Revisits, expected: set[str], tmp_path: Folder
) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(0, 0, 0), (0, 0, 4), (0, 1, 0), (4, 2, 5)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = relation_openings(kg, tokenizer, index), wire_tokens(tokenizer, PLAN)
    limits = PathLimits(inverse=False, revisits=revisits)
    constraint = RelationPaths(index, openings, [worlds.entity(0)], tags, limits)
    found = {str(tokenizer.decode(list(word[1:-1]))) for word in language(constraint)}
    assert found == expected


def test_simple_revisits_are_refused_and_say_why(tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(0, 0, 1)], tmp_path)
    index = build_index(kg, tokenizer)
    with pytest.raises(ConstraintError, match="how each was reached"):
        RelationPaths(
            index,
            relation_openings(kg, tokenizer, index),
            [worlds.entity(0)],
            wire_tokens(tokenizer, PLAN),
            PathLimits(revisits="simple"),
        )


def test_illegal_token_is_an_error(tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(0, 0, 1)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = relation_openings(kg, tokenizer, index), wire_tokens(tokenizer, PLAN)
    constraint = RelationPaths(index, openings, [worlds.entity(0)], tags, PathLimits())
    with pytest.raises(ConstraintError, match="not legal"):
        constraint.advance(constraint.start(), tags[1])


@pytest.mark.parametrize(("family", "scores"), [("byte-level", "allowed"), ("metaspace", "full")])
def test_beam_search_finds_the_best_relation_paths(
    family: str, scores: str, tmp_path: Folder
) -> None:
    tokenizer = TOKENIZERS[family]
    facts = [(i, (i + j) % 3, (2 * i + 3 * j) % 5) for i in range(5) for j in range(2)]
    kg = worlds.graph(facts, tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = relation_openings(kg, tokenizer, index), wire_tokens(tokenizer, PLAN)
    constraint = RelationPaths(index, openings, [worlds.entity(4)], tags, PathLimits(hops=2))
    words = language(constraint)
    legal = cast(oracle.Words, words)
    expected = oracle.naive_search(MODELS[family], PROMPT, legal, beams=2, scores=scores)
    found, _ = search(MODELS[family], PROMPT, constraint, beams=2, scores=scores)
    assert [h.tokens for h in found] == [word for word, _ in expected]
    assert [h.score for h in found] == pytest.approx([score for _, score in expected], abs=1e-5)
    assert all(h.state == words[h.tokens] and 0.0 <= h.relevance <= 1.0 for h in found)


@pytest.mark.parametrize("revisits", ["walk", "no-topic"])
def test_hub_costs_no_python_for_each_of_its_edges(revisits: Revisits, tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    size = 10_000
    around = [(100 + i, 0, 0) for i in range(size)] + [(100 + i, 1, 200 + i) for i in range(size)]
    kg = worlds.graph([*around, (0, 2, 1)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = relation_openings(kg, tokenizer, index), wire_tokens(tokenizer, PLAN)
    limits = PathLimits(hops=3, revisits=revisits)
    constraint = RelationPaths(index, openings, [worlds.entity(1)], tags, limits)
    words: dict[Tokens, object] = {}
    assert python_lines(lambda: words.update(language(constraint))) < size
    assert len(words) == (7 if revisits == "walk" else 5)
