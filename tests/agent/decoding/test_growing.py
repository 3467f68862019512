"""An index that grows with the walk gives what the whole index gives, and asks for little."""

from typing import Any

import numpy as np
import pytest
from groundwalk.agent.decoding.chains import ChainLimits, ChainTriples
from groundwalk.agent.decoding.graph_index import GraphIndex
from groundwalk.agent.decoding.growing import NameTokens
from groundwalk.agent.decoding.index import entity_openings
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question, Scores, SearchResult
from groundwalk.agent.decoding.relation_paths import RelationPaths
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.units import tokenize, unit_style
from groundwalk.agent.decoding.wire import PATH, PLAN, TRIPLE, escape
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import Term
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, test_chains, worlds
from .language import TOKENIZERS, facts, topics
from .neighbourhoods import pair
from .test_search import limits

FAMILIES = ("byte-level", "metaspace")
MODELS = {family: worlds.random_model(len(TOKENIZERS[family])) for family in FAMILIES}
PROMPT = [5, 9, 30]

searches: dict[str, st.SearchStrategy[Any]] = {
    "family": st.sampled_from(FAMILIES),
    "beams": st.sampled_from([1, 3, 8]),
    "scores": st.sampled_from(["allowed", "full"]),
    "few": st.sampled_from([0, 2, 100]),
    "data": st.data(),
}


def search(family: str, constraint: Any, beams: int, scores: Scores) -> SearchResult[Any]:
    question = Question(PROMPT, constraint)
    (found,) = beam_search(MODELS[family], [question], BeamPlan(beams, scores))
    return found


def assert_same(whole: SearchResult[Any], growing: SearchResult[Any]) -> None:
    """The same words with the same scores, found at the same cost."""
    assert [h.tokens for h in growing.hypotheses] == [h.tokens for h in whole.hypotheses]
    for ours, theirs in zip(growing.hypotheses, whole.hypotheses, strict=True):
        assert ours.score == pytest.approx(theirs.score, abs=1e-9)
        assert ours.relevance == pytest.approx(theirs.relevance, rel=1e-9)
    assert growing.cost == whole.cost


@pytest.mark.parametrize("family", sorted(TOKENIZERS))
def test_hostile_names_tokenise_apart(family: str) -> None:
    """So no test below leaves out a graph because the numbers of colliding names differ."""
    tokenizer = TOKENIZERS[family]
    style = unit_style(tokenizer, worlds.HOSTILE)
    assert style.arrow == NameTokens(tokenizer).style.arrow
    for names in (worlds.HOSTILE, worlds.RELATIONS):
        units = tokenize(tokenizer, [style.lead + escape(name) for name in names])
        assert len({*units, ()}) == len(names) + 1


@settings(max_examples=50, deadline=None)
@given(facts=facts(), family=st.sampled_from(sorted(TOKENIZERS)), data=st.data())
def test_runs_are_those_of_the_whole_index(
    facts: set[worlds.Fact], family: str, data: st.DataObject
) -> None:
    def runs(index: GraphIndex, term: Term) -> list[tuple[Any, ...]]:
        (node,) = index.find([term])
        assert node is not None
        index.fetch(runs=index.runs(np.array([node])))
        found = list[tuple[Any, ...]]()
        for run in range(*index.leaving(node)):
            walked = int(index.run_relation[run])
            edges = index.edges(np.array([run]))
            targets = [index.entities[node] for node in index.edge_target[edges].tolist()]
            units = [index.entity_table.unit(node) for node in index.edge_target[edges].tolist()]
            relation = index.relations[walked // 2], index.relation_table.unit(walked)
            found.append((relation, walked % 2, targets, units))
        return found

    few = data.draw(st.sampled_from([0, 2, 100]))
    with pair(facts, family, few) as both:
        whole, growing = both.graph.index, both.growing
        terms = data.draw(st.permutations(list(whole.entities)))
        while terms:
            some = [terms.pop() for _ in range(min(len(terms), data.draw(st.integers(1, 4))))]
            assert None not in growing.find(some)
            requests = growing.requests
            for term in some:
                assert runs(growing, term) == runs(whole, term)
            assert growing.requests <= requests + (few < 100) * len(some)
        known = np.arange(len(growing.entities))
        by_openings = growing.entity_openings.ordered(known)
        expected = entity_openings(both.graph.kg, both.tokenizer, whole).ordered(known)
        assert [growing.entities[i] for i in by_openings] == [whole.entities[i] for i in expected]
        asked = [term for terms in both.remote.asked for term in terms]
        named = [term for terms in both.remote.named for term in terms]
        assert len(set(asked)) == len(asked) and len(set(named)) == len(named)
        assert growing.find(["<nowhere>"]) == growing.find(["<nowhere>"]) == [None]
        assert both.remote.asked.count(["<nowhere>"]) == 1


@settings(max_examples=50, deadline=None)
@given(
    facts=facts(),
    limits=limits,
    **searches,
)
def test_paths_are_those_of_the_whole_index(
    facts: set[worlds.Fact],
    limits: PathLimits,
    family: str,
    beams: int,
    scores: Scores,
    few: int,
    data: st.DataObject,
) -> None:
    some = topics(data.draw, facts)
    with pair(facts, family, few) as both:
        units = oracle.topic_units(both.graph.kg, both.tokenizer, both.graph.index, some)
        made = both.of(PATH, lambda index, _, tags: ReasoningPaths(index, units, tags, limits))
        assert both.growing.requests == 1
        if made is None:
            return
        whole, growing = made
        expected, found = (search(family, each, beams, scores) for each in made)
        assert_same(expected, found)
        assert [growing.path(h.state) for h in found.hypotheses] == [
            whole.path(h.state) for h in expected.hypotheses
        ]


@settings(max_examples=30, deadline=None)
@given(
    facts=facts(),
    limits=test_chains.limits,
    **searches,
)
def test_chains_are_those_of_the_whole_index(
    facts: set[worlds.Fact],
    limits: ChainLimits,
    family: str,
    beams: int,
    scores: Scores,
    few: int,
    data: st.DataObject,
) -> None:
    some = topics(data.draw, facts)
    with pair(facts, family, few) as both:
        made = both.of(
            TRIPLE, lambda index, openings, tags: ChainTriples(index, openings, some, tags, limits)
        )
        for step in range(3):
            assert both.growing.requests <= 1 + step or few < 100
            if made is None:
                return
            whole, growing = made
            assert (growing.chain, growing.visited) == (whole.chain, whole.visited)
            expected, found = (search(family, each, beams, scores) for each in made)
            assert_same(expected, found)
            triples = [whole.triple(h.state) for h in expected.hypotheses]
            assert [growing.triple(h.state) for h in found.hypotheses] == triples
            steps = [whole.step(h.state) for h in expected.hypotheses]
            assert [growing.step(h.state) for h in found.hypotheses] == steps
            chosen, inverse = data.draw(st.sampled_from(steps))
            try:
                longer = whole.after(chosen, inverse=inverse)
            except NoPathError:
                with pytest.raises(NoPathError):
                    growing.after(chosen, inverse=inverse)
                return
            made = longer, growing.after(chosen, inverse=inverse)


@settings(max_examples=30, deadline=None)
@given(
    facts=facts(),
    limits=limits.filter(lambda limits: limits.revisits != "simple"),
    **searches,
)
def test_relation_paths_are_those_of_the_whole_index(
    facts: set[worlds.Fact],
    limits: PathLimits,
    family: str,
    beams: int,
    scores: Scores,
    few: int,
    data: st.DataObject,
) -> None:
    some = topics(data.draw, facts)
    with pair(facts, family, few) as both:
        made = both.of(
            PLAN, lambda index, openings, tags: RelationPaths(index, openings, some, tags, limits)
        )
        assert both.growing.requests == 1
        if made is None:
            return
        whole, growing = made
        expected, found = (search(family, each, beams, scores) for each in made)
        assert_same(expected, found)
        assert [growing.relations(h.state) for h in found.hypotheses] == [
            whole.relations(h.state) for h in expected.hypotheses
        ]
