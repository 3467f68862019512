"""The constraint of queries: its words are what the actions allow, and the search is exact."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import Tokens, wire_tokens
from groundwalk.agent.decoding.wire import POINTERS, QUERY, QUERY_MARKERS
from groundwalk.agent.errors import ConstraintError, NoPathError, ShortageError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import Action, read_text, spell
from groundwalk.agent.query.automaton import legal, query_of
from groundwalk.agent.query.binding import Mention, bind
from groundwalk.agent.query.constraint import ActionTokens, Queries
from groundwalk.agent.query.execute import execute
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.schema import GraphSchema, Schema
from hypothesis import strategies as st

from ...properties import holds_for
from ..decoding import oracle, worlds
from ..decoding.language import language
from ..decoding.test_huggingface import assert_equal_up_to_ties, generate
from ..decoding.test_search import PROMPT, search


def _knowing_queries(tokenizer: Any) -> Any:
    tokenizer.add_special_tokens(
        {"additional_special_tokens": [*tokenizer.all_special_tokens, *QUERY_MARKERS]}
    )
    return tokenizer


TOKENIZERS = {
    "byte-level": _knowing_queries(worlds.byte_level()),
    "metaspace": _knowing_queries(worlds.metaspace()),
}
MODELS = {name: worlds.random_model(len(own)) for name, own in TOKENIZERS.items()}
FAMILIES = st.sampled_from(sorted(TOKENIZERS))
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


class World(NamedTuple):
    """Links between entities, the classes of some, and the numbers that others have."""

    links: set[worlds.Fact]
    kinds: dict[int, int]
    sizes: dict[int, int]


WORLDS = st.builds(
    World,
    links=st.sets(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=5
    ),
    kinds=st.dictionaries(st.integers(0, 5), st.integers(6, 7), max_size=2),
    sizes=st.dictionaries(st.integers(0, 5), st.integers(0, 9), max_size=2),
)


@contextmanager
def opened(world: World) -> Generator[tuple[KnowledgeGraph, GraphSchema]]:
    """A graph of hostile names, and two mentions over it."""
    links, kinds, sizes = world
    with tempfile.TemporaryDirectory() as folder:
        plain = worlds.graph(links, Path(folder))
        plain.close()
        file = Path(folder) / "graph.nt"
        lines = [
            f"{worlds.entity(own)} <{TYPE}> {worlds.entity(kind)} ." for own, kind in kinds.items()
        ]
        lines += [
            f'{worlds.entity(own)} {worlds.relation(5)} "{size}"^^'
            "<http://www.w3.org/2001/XMLSchema#integer> ."
            for own, size in sizes.items()
        ]
        file.write_text(file.read_text(encoding="utf-8") + "\n".join(lines) + "\n", "utf-8")
        kg = open_kg(str(file), cache=Path(folder) / "with-classes")
        head = min(links)[0]
        mentions = (Mention(worlds.HOSTILE[head], worlds.entity(head)), Mention("3"))
        yield kg, GraphSchema(Facts(kg), mentions)
        kg.close()


def sequences(schema: Schema, most: int) -> list[tuple[Action, ...]]:
    """Every query of at most so many actions."""
    whole = list[tuple[Action, ...]]()
    waiting: list[tuple[Action, ...]] = [()]
    while waiting:
        before = waiting.pop()
        after = legal(before, schema, most=most)
        if not after:
            whole.append(before)
        waiting += [(*before, own) for own in dict.fromkeys(after)]
    return whole


def display_names(kg: KnowledgeGraph, actions: tuple[Action, ...]) -> dict[str, str]:
    terms = list(dict.fromkeys(own.name for own in actions if own.name))
    return dict(zip(terms, kg.walk_labels.names(terms), strict=True))


@holds_for(WORLDS, FAMILIES, quick=5, slow=40)
def test_words_are_the_queries_that_actions_say(world: World, family: str) -> None:
    """The words of the constraint are the queries that actions say, and are spelled like them."""
    tokenizer = TOKENIZERS[family]
    with opened(world) as (kg, schema):
        constraint = Queries(schema, ActionTokens(tokenizer, kg.walk_labels), most=4)
        expected = set(sequences(schema, 4))
        words = language(constraint)
        found = {constraint.actions(state): word for word, state in words.items()}
        assert found.keys() == expected and len(found) == len(words)
        for state in words.values():
            actions = constraint.actions(state)
            assert constraint.query(state) == query_of(actions)
        for actions, word in found.items():
            text = spell(actions, display_names(kg, actions))
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
            decoded = tokenizer.decode(list(word)).replace(" ", "")
            assert list(word) == ids or "(2)" in decoded
            assert len(read_text(text)) == len(actions)


def _words(constraint: Queries) -> dict[Tokens, Any]:
    return {word: constraint.actions(state) for word, state in language(constraint).items()}


def plans(*beams: int) -> st.SearchStrategy[BeamPlan]:
    return st.builds(BeamPlan, st.sampled_from(beams), st.sampled_from(["allowed", "full"]))


@holds_for(WORLDS, FAMILIES, plans(1, 3, 10), quick=6, slow=40)
def test_top_k_equals_naive_search(world: World, family: str, plan: BeamPlan) -> None:
    tokenizer, model, beams, scores = TOKENIZERS[family], MODELS[family], plan.beams, plan.scores
    with opened(world) as (kg, schema):
        tokens = ActionTokens(tokenizer, kg.walk_labels)
        words: Any = _words(Queries(schema, tokens, most=4))
        constraint = Queries(schema, tokens, most=4)
        found, cost = search(model, PROMPT, constraint, beams=beams, scores=scores)
        expected = oracle.naive_search(model, PROMPT, words, beams=beams, scores=scores)
        assert [own.tokens for own in found] == [word for word, _ in expected]
        assert [own.score for own in found] == pytest.approx([s for _, s in expected], abs=1e-5)
        for own in found:
            assert constraint.actions(own.state) == words[own.tokens]
            assert 0.0 <= own.relevance <= 1.0
        assert cost.forward_passes <= max(map(len, words)) + 2


@holds_for(WORLDS, FAMILIES, plans(2, 5, 10), quick=5, slow=40)
def test_the_same_queries_as_generate(world: World, family: str, plan: BeamPlan) -> None:
    tokenizer, model = TOKENIZERS[family], MODELS[family]
    with opened(world) as (kg, schema):
        tokens = ActionTokens(tokenizer, kg.walk_labels)
        words: Any = _words(Queries(schema, tokens, most=4))
        (found,) = beam_search(model, [Question(PROMPT, Queries(schema, tokens, most=4))], plan)
        ours = [(h.tokens, h.score) for h in found.hypotheses]
        pad = tokenizer.convert_tokens_to_ids("<pad>")
        close = wire_tokens(tokenizer, QUERY)[1]
        assert_equal_up_to_ties(ours, generate(model, words, close, plan, pad))


@pytest.fixture(scope="module")
def world_facts(kg: KnowledgeGraph) -> Facts:
    return Facts(kg)


@pytest.fixture(scope="module")
def world_tokens(kg: KnowledgeGraph) -> ActionTokens:
    return ActionTokens(TOKENIZERS["byte-level"], kg.walk_labels)


@pytest.mark.parametrize("seed", range(30))
def test_every_walk_of_the_automaton_ends_in_a_query_that_is_executed(
    world_facts: Facts, world_tokens: ActionTokens, seed: int
) -> None:
    """On the bundled graph, whatever the model would choose."""
    random = Random(seed)
    mentions = (Mention("Germany"), Mention("1000"), Mention("1990"))
    schema, most = GraphSchema(world_facts, mentions), random.randint(2, 16)
    constraint = Queries(schema, world_tokens, most=most)
    state, word = constraint.start(), list[int]()
    while not constraint.done(state):
        token = random.choice(constraint.allowed(state))
        state = constraint.advance(state, token)
        word.append(token)
    assert len(constraint.relation_tokens(state)) == len(word)
    with suppress(ShortageError):
        bound = bind(world_facts.kg, constraint.query(state), mentions)
        execute(world_facts, bound, seconds=1)


def test_numbers_and_names_come_from_mentions_only(
    world_facts: Facts, world_tokens: ActionTokens
) -> None:
    """Without mentions there is nothing to point at: no pointer opens a set or compares a value."""
    for mentions in ((), (Mention("Germany"),)):
        constraint = Queries(GraphSchema(world_facts, mentions), world_tokens)
        state = constraint.advance(constraint.start(), constraint.allowed(constraint.start())[0])
        legal_now = TOKENIZERS["byte-level"].convert_ids_to_tokens(list(constraint.allowed(state)))
        assert set(legal_now) & set(POINTERS) == set(POINTERS[: len(mentions)])


def test_a_token_that_is_not_legal_is_an_error(
    world_facts: Facts, world_tokens: ActionTokens
) -> None:
    constraint = Queries(GraphSchema(world_facts, (Mention("Germany"),)), world_tokens)
    with pytest.raises(ConstraintError, match="not legal"):
        constraint.advance(constraint.start(), world_tokens.tags[1])


def test_a_tokenizer_without_the_markers_is_an_error(kg: KnowledgeGraph) -> None:
    with pytest.raises(ConstraintError, match="no token <QUERY>"):
        ActionTokens(worlds.byte_level(), kg.walk_labels)


def test_where_no_query_can_begin_it_is_said(
    world_facts: Facts, world_tokens: ActionTokens
) -> None:
    with pytest.raises(NoPathError, match="no query can begin"):
        Queries(GraphSchema(world_facts, (Mention("Germany"),)), world_tokens, most=1)
