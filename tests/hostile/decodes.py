"""Many decodes with random models over random hostile graphs, each looked up by rdflib.

A decode is one finished word of the real search: a reasoning path, a relation path, or a chain of
DoG. Its triples, for a relation path those of the paths that it leads along on the store, must be
in the text that the graph was read from; and what the verifier says of them must be true.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as Folder
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch
from groundwalk.agent.decoding.chain_search import ChainPlan, ChainQuestion, chain_search
from groundwalk.agent.decoding.chains import ChainLimits, ChainTriples
from groundwalk.agent.decoding.graph_index import GraphIndex, Units
from groundwalk.agent.decoding.growing import GrowingIndex, NameTokens
from groundwalk.agent.decoding.index import build_index, entity_openings, relation_openings
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.relation_paths import RelationPaths
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import unit_tokens, wire_tokens
from groundwalk.agent.decoding.wire import MARKERS, PATH, PLAN, TRIPLE, escape
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import KnowledgeGraph, Path, Store, Term, execute, open_kg, verify_paths
from groundwalk.agent.kg.walking.view import GraphView, ViewLimits
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from . import strategies
from .oracle import Oracle

_QUESTIONS = 12
"""Questions of a batch."""
_BATCHES = (4, 3, 1)
"""Batches of paths, of relation paths and of chains, which take longest, over one graph."""


class Tally(NamedTuple):
    """Decodes and their distinct triples; those of them that hold something that rdflib does not
    find, and those that rdflib finds and the verifier denies.
    """

    decodes: int = 0
    triples: int = 0
    unsupported: int = 0
    denied: int = 0

    def __add__(self, other: object) -> "Tally":
        assert isinstance(other, Tally)
        return Tally(*map(sum, zip(self, other, strict=True)))


def tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer whose special tokens are texts that labels hold."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=4_000,
        min_frequency=1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[*strategies.TOKENS],
        show_progress=False,
    )
    bpe.train_from_iterator([" -> ".join(strategies.TEXTS)], trainer)
    special = [*strategies.TOKENS, *MARKERS]
    return PreTrainedTokenizerFast(tokenizer_object=bpe, additional_special_tokens=special)


def random_model(vocabulary: int, random: Random) -> LlamaForCausalLM:
    """A tiny model with random weights, more or less sure of itself."""
    torch.manual_seed(random.getrandbits(32))
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=random.choice((1, 2)),
        num_attention_heads=2,
        num_key_value_heads=random.choice((1, 2)),
        max_position_embeddings=16_384,
        initializer_range=random.choice((0.02, 0.2, 1.0)),
    )
    return LlamaForCausalLM(config).eval()


@dataclass(frozen=True)
class _Opened:
    """A graph that was read, as it is decoded over: known as a whole, or growing."""

    kg: KnowledgeGraph
    index: GraphIndex
    entities: Units
    relations: Units


def decode(size: int, seed: int = 0, languages: Sequence[Any] = ()) -> Tally:
    """Decode at least `size` words, over a new graph with a new model again and again."""
    random, total = Random(seed), Tally()
    known = list(languages) or [tokenizer()]
    while total.decodes < size:
        graph = strategies.some_graph(random)
        total += _over(graph, random.choice(known), random)
    return total


def _over(graph: strategies.Graph, own: PreTrainedTokenizerFast, random: Random) -> Tally:
    oracle, model = Oracle(graph.text), random_model(len(own), random)
    with TemporaryDirectory() as folder:
        file = Folder(folder) / "graph.nt"
        file.write_text(graph.text, encoding="utf-8")
        kg = open_kg(str(file), cache=file)  # no folder: the graph is built in memory
        total = Tally()
        for opened in _opened(kg, own, random):
            for emitted, batches in zip((_paths, _plans, _chains), _BATCHES, strict=True):
                for _ in range(batches):
                    for topics, found in emitted(opened, own, model, graph, random):
                        total += judged(kg.store, oracle, topics, found)
        kg.close()
    return total


def _opened(kg: KnowledgeGraph, own: PreTrainedTokenizerFast, random: Random) -> Iterator[_Opened]:
    if random.random() < 0.5:
        index = build_index(kg, own)
        yield _Opened(kg, index, entity_openings(kg, own, index), relation_openings(kg, own, index))
    else:
        around = GraphView(kg.store, kg.labels, ViewLimits(None, None), "")
        growing = GrowingIndex(around, NameTokens(own), small_run=random.choice((0, 2, 100)))
        yield _Opened(kg, growing, growing.entity_openings, growing.relation_openings)


def judged(store: Store, oracle: Oracle, topics: Sequence[Term], found: Sequence[Path]) -> Tally:
    """One decode: whether all its chains are there, and whether the verifier says so."""
    right = bool(found) and all(oracle.carries(topics, path) for path in found)
    said = verify_paths(store, topics, found, chains=set(found))
    denied = right and any(path.verdict != "supported" for path in said)
    triples = {step.triple for path in found for step in path.steps}
    return Tally(1, len(triples), not right, denied)


Emitted = Iterator[tuple[Sequence[Term], Sequence[Path]]]
"""For each decode its topics and what it stands for."""


def _topics(graph: strategies.Graph, random: Random) -> list[Term]:
    return random.sample(graph.nodes, random.randint(1, 2))


def _prompt(own: PreTrainedTokenizerFast, random: Random) -> list[int]:
    """Any tokens, tags and special ones among them."""
    return [random.randrange(len(own)) for _ in range(random.randint(1, 12))]


def _limits(random: Random, *revisits: Any) -> PathLimits:
    return PathLimits(random.randint(1, 3), random.random() < 0.7, random.choice(revisits))


def _plan(random: Random) -> BeamPlan:
    width = random.choice((8, 16, 24))
    groups = random.choice((1, 1, 1, 4))
    return BeamPlan(width, random.choice(("allowed", "full")), groups)


def _paths(
    opened: _Opened,
    own: PreTrainedTokenizerFast,
    model: Any,
    graph: strategies.Graph,
    random: Random,
) -> Emitted:
    tags, asked = wire_tokens(own, PATH), list[tuple[list[Term], ReasoningPaths]]()
    for _ in range(_QUESTIONS):
        topics = _topics(graph, random)
        names = [escape(name) for name in opened.kg.labels.names(topics)]
        units = dict(zip(topics, unit_tokens(own, opened.index.style, names), strict=True))
        try:
            limits = _limits(random, "walk", "no-topic", "simple")
            asked.append((topics, ReasoningPaths(opened.index, units, tags, limits)))
        except NoPathError:
            continue
    questions = [Question(_prompt(own, random), paths) for _, paths in asked]
    found = beam_search(model, questions, _plan(random), relevance=random.random() < 0.3)
    for (topics, paths), own_found in zip(asked, found, strict=True):
        for word in own_found.hypotheses:
            yield topics, [paths.path(word.state)]


def _plans(
    opened: _Opened,
    own: PreTrainedTokenizerFast,
    model: Any,
    graph: strategies.Graph,
    random: Random,
) -> Emitted:
    tags, asked = wire_tokens(own, PLAN), list[tuple[list[Term], PathLimits, RelationPaths]]()
    for _ in range(_QUESTIONS):
        topics, limits = _topics(graph, random), _limits(random, "walk", "no-topic")
        try:
            words = RelationPaths(opened.index, opened.relations, topics, tags, limits)
            asked.append((topics, limits, words))
        except NoPathError:
            continue
    questions = [Question(_prompt(own, random), words) for _, _, words in asked]
    found = beam_search(model, questions, _plan(random), relevance=random.random() < 0.3)
    for (topics, limits, words), own_found in zip(asked, found, strict=True):
        banned = topics if limits.revisits == "no-topic" else ()
        for word in own_found.hypotheses:
            relations = words.relations(word.state)
            reached = execute(opened.kg.store, topics, relations, banned=banned, keep=1).reached
            yield topics, [path for own in reached for path in own.paths]


def _chains(
    opened: _Opened,
    own: PreTrainedTokenizerFast,
    model: Any,
    graph: strategies.Graph,
    random: Random,
) -> Emitted:
    tags, asked = wire_tokens(own, TRIPLE), list[tuple[list[Term], ChainTriples]]()
    for _ in range(_QUESTIONS):
        topics = _topics(graph, random)
        onward = random.random() < 1 / 3
        limits = ChainLimits(
            inverse=random.random() < 0.7,
            spelling="walk" if onward or random.random() < 0.5 else "kg",
            onward=onward,
        )
        try:
            first = ChainTriples(opened.index, opened.entities, topics, tags, limits)
            asked.append((topics, first))
        except NoPathError:
            continue
    plan = ChainPlan(
        ends=frozenset(random.sample(range(len(own) - len(MARKERS)), 4)),
        beams=random.choice((8, 16)),
        steps=random.randint(1, 3),
        scores=random.choice(("allowed", "full")),
        free=random.choice((0, 0, 0, 4)),
    )
    questions = [ChainQuestion(_prompt(own, random), first) for _, first in asked]
    for (topics, _), found in zip(asked, chain_search(model, questions, plan), strict=True):
        for chain in found.chains:
            if chain.steps:
                yield topics, [Path(topics[0], chain.steps)]
