"""At every step of a chain, the words are the triples that touch it, and none else."""

from pathlib import Path as Folder

import pytest
from groundwalk.agent.decoding.chains import ChainTriples
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.openings import Openings, entity_openings
from groundwalk.agent.decoding.subgraph import ChainLimits
from groundwalk.agent.decoding.units import Tokens, wire_tokens
from groundwalk.agent.decoding.wire import TRIPLE
from groundwalk.agent.errors import ConstraintError, KGError, NoPathError
from groundwalk.agent.kg import Triple
from hypothesis import given, settings
from hypothesis import strategies as st

from . import worlds
from .language import TOKENIZERS, Graph, facts, language, opened, python_lines, shuffled, topics
from .test_search import MODELS, PROMPT, search

limits = st.builds(
    ChainLimits,
    repeats=st.booleans(),
    excluded=st.frozensets(st.sampled_from([worlds.relation(0)]), max_size=1),
)


def spell(graph: Graph, openings: Openings, triple: Triple, tags: tuple[int, int]) -> Tokens:
    index = graph.index
    head, tail = index.entities.find(triple.head), index.entities.find(triple.tail)
    relation = index.relations.find(triple.relation)
    assert head is not None and relation is not None and tail is not None
    word = [tags[0], *openings.units.unit(head), *index.style.arrow]
    word += [*index.relation_units[2 * relation], *index.style.arrow, *index.entity_unit(tail)]
    return (*word, tags[1])


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
        assert list(openings.units) == graph.first_entities
        if data.draw(st.booleans()):
            openings = shuffled(data.draw, graph.first_entities, graph.index)
        known = {end for triple in graph.facts for end in (triple.head, triple.tail)}
        visited, chain = set(some) & known, list[Triple]()
        constraint: ChainTriples | None = None
        for _ in range(4):
            legal = [
                triple
                for triple in graph.facts
                if visited & {triple.head, triple.tail}
                and triple.relation not in limits.excluded
                and (limits.repeats or triple not in chain)
            ]
            if not legal:
                with pytest.raises(NoPathError):
                    if constraint is None:
                        ChainTriples(graph.index, openings, some, tags, limits)
                    else:
                        constraint.after(chain[-1])
                return
            if constraint is None:
                constraint = ChainTriples(graph.index, openings, some, tags, limits)
            else:
                constraint = constraint.after(chain[-1])
            assert constraint.visited == visited
            assert list(constraint.chain) == chain
            words = language(constraint)
            found = {constraint.triple(state): word for word, state in words.items()}
            assert len(found) == len(words)
            assert found == {triple: spell(graph, openings, triple, tags) for triple in legal}
            for triple in set(graph.facts) - set(legal):
                with pytest.raises(ConstraintError):
                    constraint.after(triple)
            chain.append(data.draw(st.sampled_from(legal)))
            visited |= {chain[-1].head, chain[-1].tail}


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


@pytest.mark.parametrize("family", ["byte-level", "metaspace"])
def test_words_read_as_the_wire_says(family: str) -> None:
    tokenizer = TOKENIZERS[family]
    with opened({(2, 1, 0), (6, 2, 2), (6, 3, 5)}, tokenizer) as graph:
        openings = entity_openings(graph.kg, tokenizer, graph.index)
        tags = wire_tokens(tokenizer, TRIPLE)
        constraint = ChainTriples(graph.index, openings, [worlds.entity(2)], tags, ChainLimits())
        words = language(constraint)
        spelled = {
            tuple(tokenizer(f"<TRIPLE>{text}</TRIPLE>", add_special_tokens=False)["input_ids"])
            for text in ("New York -> r s -> A", "Paris -> capital -> New York")
        }
        assert set(words) == spelled
        for word, state in words.items():
            flags = constraint.relation_tokens(state)
            chosen = [token for token, flag in zip(word, flags, strict=True) if flag]
            assert chosen[0] == tags[0]
            assert str(tokenizer.decode(chosen[1:])).strip() in {"r s", "capital"}


def test_chain_that_used_every_triple_is_a_dead_end(tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    kg = worlds.graph([(0, 0, 1), (4, 0, 5)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = entity_openings(kg, tokenizer, index), wire_tokens(tokenizer, TRIPLE)
    constraint = ChainTriples(index, openings, [worlds.entity(1)], tags, ChainLimits())
    only = Triple(worlds.entity(0), worlds.relation(0), worlds.entity(1))
    with pytest.raises(NoPathError, match="2 entities"):
        constraint.after(only)
    again = ChainTriples(index, openings, [worlds.entity(1)], tags, ChainLimits(repeats=True))
    assert again.after(only).after(only).chain == (only, only)
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


@pytest.mark.parametrize("repeats", [False, True])
def test_hub_costs_no_python_for_each_of_its_edges(repeats: bool, tmp_path: Folder) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    size = 10_000
    facts = [(100 + i, 0, 0) for i in range(size)] + [(1, 2, 100 + i) for i in range(size)]
    kg = worlds.graph([*facts, (0, 1, 1)], tmp_path)
    index = build_index(kg, tokenizer)
    openings, tags = entity_openings(kg, tokenizer, index), wire_tokens(tokenizer, TRIPLE)

    def walk() -> list[Triple]:
        constraint = ChainTriples(
            index, openings, [worlds.entity(0)], tags, ChainLimits(repeats=repeats)
        )
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
    kg = worlds.graph([(i, 0, 0) for i in range(len(worlds.HOSTILE))], tmp_path)
    index = build_index(kg, tokenizer)
    made, kept = (list(entity_openings(kg, tokenizer, index).units) for _ in range(2))
    assert made == kept and len(set(kept)) == len(worlds.HOSTILE)
    assert kg.folder is not None
    (folder,) = kg.folder.glob("openings-*")
    (folder / "ranks.npy").unlink()
    with pytest.raises(KGError, match="damaged"):
        entity_openings(kg, tokenizer, index)
