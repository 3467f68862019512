"""The language of an automaton, by walking all of it; and graphs dense enough to be worth it."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path as Folder
from tempfile import TemporaryDirectory
from typing import Any

from groundwalk.agent.decoding.constraint import Constraint, State
from groundwalk.agent.decoding.index import TokenIndex, build_index
from groundwalk.agent.decoding.units import Tokens, UnitTable, unit_tokens
from groundwalk.agent.decoding.wire import MARKERS, escape, spell_relation
from groundwalk.agent.kg import KnowledgeGraph, Triple
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from . import worlds


def byte_by_byte() -> PreTrainedTokenizerFast:
    """A tokenizer without merges: the arrow is three tokens, and names go on with its first."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bpe = Tokenizer(models.BPE({token: i for i, token in enumerate(alphabet)}, []))
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=bpe, additional_special_tokens=list(MARKERS))


TOKENIZERS = {
    "byte-level": worlds.byte_level(),
    "metaspace": worlds.metaspace(),
    "byte by byte": byte_by_byte(),
}


@st.composite
def facts(draw: st.DrawFn, most: int = 20) -> set[worlds.Fact]:
    """Some facts over few entities and relations, so that runs have several edges."""
    nodes, relations = (
        draw(st.lists(st.sampled_from(range(len(names))), min_size=1, max_size=some, unique=True))
        for names, some in ((worlds.HOSTILE, 6), (worlds.RELATIONS, 3))
    )
    node = st.sampled_from(nodes)
    triples = st.tuples(node, st.sampled_from(relations), node)
    return draw(st.sets(triples, min_size=1, max_size=most))


def topics(draw: Callable[[st.SearchStrategy[Any]], Any], facts: set[worlds.Fact]) -> list[str]:
    """One or two entities of the facts, and now and then one that the KG does not hold."""
    nodes = sorted({node for head, _, tail in facts for node in (head, tail)})
    some = st.lists(st.sampled_from([*nodes, 99]), min_size=1, max_size=2, unique=True)
    return [worlds.entity(node) for node in draw(some)]


def shuffled(
    draw: Callable[[st.SearchStrategy[Any]], Any], units: list[Tokens], index: TokenIndex
) -> UnitTable:
    """Openings in which names have one another's units, so that no order is as in the index."""
    mixed = list[Tokens](draw(st.permutations(units)))
    return UnitTable.of(mixed, index.style.arrow)


@dataclass(frozen=True)
class Graph:
    """A KG with its index, and all units spelled without the help of what is tested."""

    kg: KnowledgeGraph
    index: TokenIndex
    facts: list[Triple]
    first_entities: list[Tokens]
    first_relations: list[Tokens]


@contextmanager
def opened(facts: set[worlds.Fact], tokenizer: PreTrainedTokenizerFast) -> Generator[Graph]:
    with TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder))
        index = build_index(kg, tokenizer)
        bare = replace(index.style, lead="")
        entities = [escape(name) for name in kg.labels.names(list(index.entities))]
        relations = [
            spell_relation(escape(name), inverse)
            for name in kg.labels.names(list(index.relations))
            for inverse in (False, True)
        ]
        yield Graph(
            kg,
            index,
            sorted(kg.store.facts()),
            unit_tokens(tokenizer, bare, entities),
            unit_tokens(tokenizer, bare, relations),
        )
        kg.close()


def language(constraint: Constraint[State]) -> dict[Tokens, State]:
    """Every word with its finished state. Fails where the automaton breaks its protocol."""
    words: dict[Tokens, State] = {}
    waiting: list[tuple[Tokens, State]] = [((), constraint.start())]
    while waiting:
        word, state = waiting.pop()
        legal = list(constraint.allowed(state))
        assert legal == sorted(set(legal))
        assert bool(legal) != constraint.done(state)
        if constraint.done(state):
            assert len(constraint.relation_tokens(state)) == len(word)
            words[word] = state
        waiting += [((*word, token), constraint.advance(state, token)) for token in legal]
    return words


def python_lines(work: Callable[[], object]) -> int:
    """How many lines of Python `work` executes, whatever the arrays that it hands to numpy."""
    lines = 0

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines
