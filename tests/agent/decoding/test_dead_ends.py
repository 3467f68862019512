"""What cannot be decoded says so, by name, before a model runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from groundwalk.agent.decoding.chains import ChainLimits, ChainTriples
from groundwalk.agent.decoding.index import (
    TokenIndex,
    build_index,
    entity_openings,
    relation_openings,
)
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.relation_paths import RelationPaths
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH, PLAN, TRIPLE, Wire
from groundwalk.agent.errors import ConstraintError, NoPathError
from groundwalk.agent.kg import KnowledgeGraph, Term
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from . import oracle, worlds
from .test_search import MODELS, PROMPT, TOKENIZERS

FAMILY = "byte-level"
LABEL_ONLY, UNKNOWN = worlds.entity(17), worlds.entity(99)


@dataclass(frozen=True)
class Graph:
    """0 -> 1 -> 2, and 2 -> 2; entity 17 has a label and no triple."""

    kg: KnowledgeGraph
    index: TokenIndex

    def paths(self, topics: Sequence[Term], limits: PathLimits) -> ReasoningPaths:
        tokenizer = TOKENIZERS[FAMILY]
        units = oracle.topic_units(self.kg, tokenizer, self.index, topics)
        return ReasoningPaths(self.index, units, wire_tokens(tokenizer, PATH), limits)

    def plans(self, topics: Sequence[Term], limits: PathLimits) -> RelationPaths:
        tokenizer = TOKENIZERS[FAMILY]
        openings = relation_openings(self.kg, tokenizer, self.index)
        return RelationPaths(self.index, openings, topics, wire_tokens(tokenizer, PLAN), limits)

    def chains(self, topics: Sequence[Term], limits: PathLimits) -> ChainTriples:
        tokenizer = TOKENIZERS[FAMILY]
        openings = entity_openings(self.kg, tokenizer, self.index)
        tags = wire_tokens(tokenizer, TRIPLE)
        return ChainTriples(self.index, openings, topics, tags, ChainLimits())


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    facts = [(0, 0, 1), (1, 1, 2), (2, 0, 2)]
    kg = worlds.graph(facts, tmp_path_factory.mktemp("graph"))
    yield Graph(kg, build_index(kg, TOKENIZERS[FAMILY]))
    kg.close()


FORMATS: dict[str, Callable[[Graph], Callable[[Sequence[Term], PathLimits], Any]]] = {
    "paths": lambda graph: graph.paths,
    "plans": lambda graph: graph.plans,
    "chains": lambda graph: graph.chains,
}


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize(
    "topics",
    [[UNKNOWN], [LABEL_ONLY], [UNKNOWN, LABEL_ONLY], []],
    ids=["unknown", "without triples", "neither", "no topic"],
)
def test_nothing_to_decode_is_no_path(name: str, topics: list[Term], graph: Graph) -> None:
    with pytest.raises(NoPathError) as raised:
        FORMATS[name](graph)(topics, PathLimits())
    assert raised.value.hint and raised.value.exit_code == 2 and raised.value.code == "no_path"


@pytest.mark.parametrize("name", ["paths", "plans"])
@pytest.mark.parametrize(
    ("topic", "limits"),
    [
        (0, PathLimits(hops=0)),
        (2, PathLimits(inverse=False)),
    ],
    ids=["no hops", "only back to the topic"],
)
def test_limits_that_allow_no_walk_are_no_path(
    name: str, topic: int, limits: PathLimits, graph: Graph
) -> None:
    with pytest.raises(NoPathError, match="topic entities"):
        FORMATS[name](graph)([worlds.entity(topic)], limits)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_topics_that_lead_nowhere_do_not_harm_those_that_do(name: str, graph: Graph) -> None:
    model, found = MODELS[FAMILY], list[list[tuple[int, ...]]]()
    for topics in ([worlds.entity(0)], [UNKNOWN, worlds.entity(0), LABEL_ONLY]):
        constraint = FORMATS[name](graph)(topics, PathLimits())
        (own,) = beam_search(model, [Question(PROMPT, constraint)], BeamPlan(beams=4))
        found.append([h.tokens for h in own.hypotheses])
    assert found[0] and found[0] == found[1]


def test_walk_ends_where_it_can_only_go_back(graph: Graph) -> None:
    """A dead end on the way closes the path; it never breaks a beam off."""
    constraint = graph.paths([worlds.entity(0)], PathLimits(hops=4, revisits="simple"))
    question = Question(PROMPT, constraint)
    (found,) = beam_search(MODELS[FAMILY], [question], BeamPlan(beams=8))
    ends = {constraint.path(h.state).end for h in found.hypotheses}
    assert len(found.hypotheses) == 2 and ends == {worlds.entity(1), worlds.entity(2)}


@pytest.mark.parametrize("wire", [PATH, TRIPLE, PLAN], ids=lambda wire: wire.open)
def test_tokenizer_without_the_tags_is_an_error(wire: Wire) -> None:
    bare = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    with pytest.raises(ConstraintError, match=f"no token {wire.open}") as raised:
        wire_tokens(bare, wire)
    assert "train" in raised.value.hint
    bare.add_tokens([wire.open])
    with pytest.raises(ConstraintError, match=f"no token {wire.close}"):
        wire_tokens(bare, wire)
