"""At every step of a chain, the words are the triples that touch it, and none else."""

from collections.abc import Collection
from pathlib import Path as Folder
from typing import Any

import pytest
from groundwalk.agent.decoding.chains import ChainLimits, ChainTriples, Spelling
from groundwalk.agent.decoding.index import build_index, entity_openings
from groundwalk.agent.decoding.units import Tokens, UnitTable, wire_tokens
from groundwalk.agent.decoding.wire import TRIPLE
from groundwalk.agent.errors import ConstraintError, KGError, NoPathError
from groundwalk.agent.kg import Step, Term, Triple
from hypothesis import given, settings
from hypothesis import strategies as st

from . import worlds
from .language import TOKENIZERS, Graph, facts, language, opened, python_lines, shuffled, topics
from .test_search import MODELS, PROMPT, search


def _limits(how: Any, **others: Any) -> ChainLimits:
    return ChainLimits(spelling=how[0], onward=how[1], **others)


limits = st.builds(
    _limits,
    how=st.sampled_from([("kg", False), ("walk", False), ("walk", True)]),
    inverse=st.booleans(),
)


def spell(
    graph: Graph,
    openings: UnitTable,
    triple: Triple,
    tags: tuple[int, int],
    *,
    backwards: bool = False,
) -> Tokens:
    index = graph.index
    head, tail = index.entities.find(triple.head), index.entities.find(triple.tail)
    relation = index.relations.find(triple.relation)
    assert head is not None and relation is not None and tail is not None
    source, target = (tail, head) if backwards else (head, tail)
    word = [tags[0], *openings.unit(source), *index.style.arrow]
    word += index.relation_table.unit(2 * relation + backwards)
    return (*word, *index.style.arrow, *index.entity_table.unit(target), tags[1])


def spellings(
    graph: Graph,
    openings: UnitTable,
    triple: Triple,
    tags: tuple[int, int],
    visited: Collection[Term],
    limits: ChainLimits,
) -> dict[Tokens, Triple]:
    """The words of a triple that touches what was visited."""
    if limits.spelling == "kg":
        return {spell(graph, openings, triple, tags): triple}
    ways = [False] * (triple.head in visited)
    ways += [True] * (triple.tail in visited and limits.inverse)
    return {spell(graph, openings, triple, tags, backwards=way): triple for way in ways}


@settings(max_examples=40, deadline=None)
@given(facts=facts(), limits=limits, family=st.sampled_from(sorted(TOKENIZERS)), data=st.data())
def test_words_are_the_triples_that_touch_the_chain(
    facts: set[worlds.Fact], limits: ChainLimits, family: str, data: st.DataObject
) -> None:
    tokenizer = TOKENIZERS[family]
    tags = wire_tokens(tokenizer, TRIPLE)
    with opened(facts, tokenizer) as graph:
        some = topics(data.draw, facts)
        openings = entity_openings(graph.kg, tokenizer, graph.index)
        assert list(openings) == graph.first_entities
        if data.draw(st.booleans()):
            openings = shuffled(data.draw, graph.first_entities, graph.index)
        known = {end for triple in graph.facts for end in (triple.head, triple.tail)}
        visited, chain = set(some) & known, list[Step]()
        constraint: ChainTriples | None = None
        for _ in range(4):
            sources = {chain[-1].target} if limits.onward and chain else visited
            legal = [
                triple
                for triple in graph.facts
                if (triple.head in sources or (triple.tail in sources and limits.inverse))
                and triple not in (step.triple for step in chain)
            ]
            if not legal:
                with pytest.raises(NoPathError):
                    if constraint is None:
                        ChainTriples(graph.index, openings, some, tags, limits)
                    else:
                        constraint.after(chain[-1].triple, inverse=chain[-1].inverse)
                return
            if constraint is None:
                constraint = ChainTriples(graph.index, openings, some, tags, limits)
            else:
                constraint = constraint.after(chain[-1].triple, inverse=chain[-1].inverse)
            assert constraint.visited == visited
            assert list(constraint.chain) == [step.triple for step in chain]
            words = language(constraint)
            expected = dict[Tokens, Triple]()
            for triple in legal:
                expected |= spellings(graph, openings, triple, tags, sources, limits)
            assert {w: constraint.triple(state) for w, state in words.items()} == expected
            for word, state in words.items():
                step = constraint.step(state)
                assert step.triple == expected[word] and step.source in sources
                walked = spell(graph, openings, step.triple, tags, backwards=step.inverse)
                assert word == walked or limits.spelling == "kg"
                assert step.inverse == (step.triple.head not in visited) or word == walked
            for triple in set(graph.facts) - set(legal):
                with pytest.raises(ConstraintError):
                    constraint.after(triple)
            state = data.draw(st.sampled_from([words[word] for word in sorted(words)]))
            chain.append(constraint.step(state))
            visited |= {chain[-1].source, chain[-1].target}


@pytest.mark.parametrize("family", sorted(TOKENIZERS))
def test_head_that_is_not_visited_has_its_triples_with_all_topics(family: str) -> None:
    tokenizer = TOKENIZERS[family]
    with opened({(6, r, t) for r in range(4) for t in (1, 2, 3, 5)}, tokenizer) as graph:
        openings = entity_openings(graph.kg, tokenizer, graph.index)
        tags, some = wire_tokens(tokenizer, TRIPLE), [worlds.entity(t) for t in (3, 1, 2)]
        constraint = ChainTriples(graph.index, openings, some, tags, ChainLimits())
        expected = {
            spell(graph, openings, triple, tags): triple
            for triple in graph.facts
            if triple.tail in some
        }
        words = language(constraint)
        assert {word: constraint.triple(state) for word, state in words.items()} == expected


@pytest.mark.parametrize(
    ("spelling", "texts"),
    [
        ("kg", {"New York -> r s -> A", "Paris -> capital -> New York"}),
        ("walk", {"New York -> r s -> A", "New York -> ^capital -> Paris"}),
    ],
)
@pytest.mark.parametrize("family", ["byte-level", "metaspace"])
def test_words_read_as_the_wire_says(family: str, spelling: Spelling, texts: set[str]) -> None:
    tokenizer = TOKENIZERS[family]
    with opened({(2, 1, 0), (6, 2, 2), (6, 3, 5)}, tokenizer) as graph:
        openings = entity_openings(graph.kg, tokenizer, graph.index)
        tags = wire_tokens(tokenizer, TRIPLE)
        limits = ChainLimits(spelling=spelling)
        constraint = ChainTriples(graph.index, openings, [worlds.entity(2)], tags, limits)
        words = language(constraint)
        spelled = {
            tuple(tokenizer(f"<TRIPLE>{text}</TRIPLE>", add_special_tokens=False)["input_ids"])
            for text in texts
        }
        assert set(words) == spelled
        for word, state in words.items():
            flags = constraint.relation_tokens(state)
            chosen = [token for token, flag in zip(word, flags, strict=True) if flag]
            assert chosen[0] == tags[0]
            relation = str(tokenizer.decode(chosen[1:])).strip()
            assert any(f"-> {relation} ->" in text for text in texts)


@pytest.mark.parametrize("spelling", ["kg", "walk"])
def test_chain_that_used_every_triple_is_a_dead_end(tmp_path: Folder, spelling: Spelling) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(0, 0, 1), (4, 0, 5)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = entity_openings(kg, tokenizer, index), wire_tokens(tokenizer, TRIPLE)
    limits = ChainLimits(spelling=spelling)
    constraint = ChainTriples(index, openings, [worlds.entity(1)], tags, limits)
    only = Triple(worlds.entity(0), worlds.relation(0), worlds.entity(1))
    with pytest.raises(NoPathError, match="2 entities"):
        constraint.after(only)
    for strange in (only._replace(head="<nowhere>"), only._replace(tail=worlds.entity(0))):
        with pytest.raises(ConstraintError, match="next triple"):
            constraint.after(strange)
    with pytest.raises(ConstraintError, match="not legal"):
        constraint.advance(constraint.start(), tags[1])


def test_search_alternates_with_chains(tmp_path: Folder) -> None:
    tokenizer, model = TOKENIZERS["byte-level"], MODELS["byte-level"]
    kg = worlds.graph([(i, 0, (i + 1) % 6) for i in range(6)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = entity_openings(kg, tokenizer, index), wire_tokens(tokenizer, TRIPLE)
    constraint = ChainTriples(index, openings, [worlds.entity(0)], tags, ChainLimits())
    prompt = list(PROMPT)
    for _ in range(5):
        found, _ = search(model, prompt, constraint, beams=2)
        assert found
        prompt += [*found[0].tokens, 7]
        constraint = constraint.after(constraint.triple(found[0].state))
    assert len(constraint.visited) == 6 and len(set(constraint.chain)) == 5


@pytest.mark.parametrize("spelling", ["kg", "walk"])
def test_hub_costs_no_python_for_each_of_its_edges(spelling: Spelling, tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    size = 10_000
    facts = [(100 + i, 0, 0) for i in range(size)] + [(1, 2, 100 + i) for i in range(size)]
    kg = worlds.graph([*facts, (0, 1, 1)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = entity_openings(kg, tokenizer, index), wire_tokens(tokenizer, TRIPLE)

    limits = ChainLimits(spelling=spelling)

    def walk() -> list[Triple]:
        constraint = ChainTriples(index, openings, [worlds.entity(0)], tags, limits)
        while True:
            state = constraint.start()
            while not constraint.done(state):
                state = constraint.advance(state, constraint.allowed(state)[-1])
            if len(constraint.chain) == 2:
                return [*constraint.chain, constraint.triple(state)]
            constraint = constraint.after(constraint.triple(state))

    assert python_lines(walk) < size
    assert len(walk()) == 3


def test_openings_survive_the_disk_and_say_when_they_did_not(tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(i, 0, 0) for i in range(len(worlds.HOSTILE))], tmp_path, on_disk=True)
    index = build_index(kg, tokenizer)
    made, kept = (list(entity_openings(kg, tokenizer, index)) for _ in range(2))
    assert made == kept and len(set(kept)) == len(worlds.HOSTILE)
    assert kg.folder is not None
    (folder,) = kg.folder.glob("openings-*")
    (folder / "ranks.npy").unlink()
    with pytest.raises(KGError, match="damaged"):
        entity_openings(kg, tokenizer, index)


def test_only_walks_go_on_from_a_place() -> None:
    with pytest.raises(ConstraintError, match="walks"):
        ChainLimits(spelling="kg", onward=True)
