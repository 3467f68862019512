"""DoG's search equals Algorithm 1 done naively: every triple enumerated, every text recomputed."""

import math
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import pytest
import torch
from groundwalk.agent.decoding.chain_search import (
    ChainHypothesis,
    ChainPlan,
    ChainQuestion,
    chain_search,
)
from groundwalk.agent.decoding.chains import ChainLimits, ChainTriples
from groundwalk.agent.decoding.index import entity_openings
from groundwalk.agent.decoding.units import UnitTable, wire_tokens
from groundwalk.agent.decoding.wire import MARKERS, TRIPLE
from groundwalk.agent.errors import ConstraintError, NoPathError
from groundwalk.agent.kg import Path, Term, Triple
from hypothesis import strategies as st

from ...properties import holds_for
from . import oracle, worlds
from .language import TOKENIZERS, Graph, facts, opened, topics
from .test_chains import spell
from .test_search import MODELS, PROMPT

LIMITS = ChainLimits()
NOWHERE = Path("", ())
ENDS = range(10, 16)


def eager(family: str) -> Any:
    """A model that often writes the opening tag and the tokens that end a chain."""
    model = deepcopy(MODELS[family])
    often = [wire_tokens(TOKENIZERS[family], TRIPLE)[0], *ENDS]
    with torch.no_grad():
        model.lm_head.weight[often] *= 3.0
    return model


EAGER = {family: eager(family) for family in MODELS}


class Naive(NamedTuple):
    """A chain so far, as the oracle keeps it."""

    triples: tuple[Triple, ...]
    tokens: tuple[int, ...]
    score: float
    ended: bool = False
    stuck: bool = False


def free_text(
    model: Any, tokens: Sequence[int], stops: set[int], banned: frozenset[int], limit: int
) -> tuple[tuple[int, ...], int | None]:
    """The likeliest text, one forward pass a token."""
    text: list[int] = []
    while True:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([[*tokens, *text]])).logits[0, -1]
        logits[sorted(banned)] = -torch.inf
        token = int(logits.argmax())
        if token in stops or len(text) == limit:
            return tuple(text), token if token in stops else None
        text.append(token)


def triples_of(chain: ChainHypothesis) -> tuple[Triple, ...]:
    """The triples of a chain, as the KG holds them."""
    return tuple(step.triple for step in chain.steps)


def algorithm_1(
    model: Any,
    prompt: Callable[[tuple[Triple, ...]], Sequence[int]],
    legal: Callable[[tuple[Triple, ...]], dict[tuple[int, ...], Triple]],
    tags: tuple[int, int],
    plan: ChainPlan,
) -> list[Naive]:
    """As in the paper, with what its docstring settles."""

    def rank(chain: Naive) -> Any:
        return (-round(chain.score, 6), chain.tokens)

    pool = [Naive((), (), 0.0)]
    for _ in range(plan.steps):
        longer: list[Naive] = []
        for chain in pool:
            if chain.ended or chain.stuck:
                longer.append(chain)
                continue
            start = prompt(chain.triples)
            stops = {*plan.ends, tags[0]}
            before = (*start, *chain.tokens)
            text, stop = free_text(model, before, stops, plan.banned, plan.free)
            tokens = (*chain.tokens, *text)
            if stop in plan.ends:
                longer.append(chain._replace(tokens=tokens, ended=True))
                continue
            words = legal(chain.triples)
            best = oracle.naive_search(
                model,
                [*start, *tokens],
                dict.fromkeys(words, NOWHERE),
                beams=plan.beams,
                scores=plan.scores,
            )
            for word, score in best:
                triples = (*chain.triples, words[word])
                stuck = not legal(triples)
                longer.append(Naive(triples, (*tokens, *word), chain.score + score, False, stuck))
        pool = sorted(longer, key=rank)[: plan.beams]
    last: list[Naive] = []
    for chain in pool:
        if not chain.ended:
            shown = chain.triples[:-1] if chain.stuck else chain.triples
            before = (*prompt(shown), *chain.tokens)
            banned = plan.banned | {tags[0]}
            text, _ = free_text(model, before, set(plan.ends), banned, plan.free)
            chain = chain._replace(tokens=(*chain.tokens, *text))
        last.append(chain)
    return last


def commitment(
    model: Any,
    prompt: Callable[[tuple[Triple, ...]], Sequence[int]],
    graph: Graph,
    openings: UnitTable,
    chain: ChainHypothesis,
    plan: ChainPlan,
    *,
    stuck: bool,
) -> float:
    """What the model gives, over its whole vocabulary, to openings, relations and the end."""

    def logprobs(tokens: Sequence[int]) -> torch.Tensor:
        with torch.no_grad():
            return model(input_ids=torch.tensor([tokens])).logits[0].double().log_softmax(-1)

    index, total, triples = graph.index, 0.0, triples_of(chain)
    for number, (triple, (start, stop)) in enumerate(zip(triples, chain.words, strict=True)):
        before = [*prompt(triples[:number]), *chain.tokens[:start]]
        word = chain.tokens[start:stop]
        values = logprobs([*before, *word])
        head, relation = index.entities.find(triple.head), index.relations.find(triple.relation)
        assert head is not None and relation is not None
        first = 1 + len(openings.unit(head)) + len(index.style.arrow)
        chosen = [0, *range(first, first + len(index.relation_table.unit(2 * relation)))]
        total += sum(float(values[len(before) - 1 + at, word[at]]) for at in chosen)
    if plan.ends and not plan.free:
        shown = triples[:-1] if stuck else triples
        ending = logprobs([*prompt(shown), *chain.tokens])[-1, sorted(plan.ends)]
        total += float(ending.logsumexp(0))
    return total


def follows(graph: Graph, some: Sequence[Term], chain: Sequence[Triple]) -> Iterator[Triple]:
    """The triples that a well-formed chain may go on with (section 2.2)."""
    visited = {*some, *(end for t in chain for end in (t.head, t.tail))}
    for triple in graph.facts:
        if visited & {triple.head, triple.tail} and triple not in chain:
            yield triple


@holds_for(
    facts=facts(),
    family=st.sampled_from(sorted(MODELS)),
    local=st.booleans(),
    beams=st.integers(1, 3),
    steps=st.integers(1, 3),
    scores=st.sampled_from(["allowed", "full"]),
    free=st.integers(0, 3),
    ends=st.frozensets(st.sampled_from(ENDS), max_size=3),
    data=st.data(),
    quick=20,
    slow=60,
)
def test_chains_equal_algorithm_1(
    facts: set[worlds.Fact],
    family: str,
    local: bool,
    beams: int,
    steps: int,
    scores: Any,
    free: int,
    ends: frozenset[int],
    data: st.DataObject,
) -> None:
    tokenizer, model = TOKENIZERS[family], EAGER[family]
    tags = wire_tokens(tokenizer, TRIPLE)
    added = tokenizer.get_added_vocab()
    markers = frozenset(added[marker] for marker in MARKERS)
    plan = ChainPlan(ends, beams, steps, scores, free, banned=markers - {tags[0]})
    with opened(facts, tokenizer) as graph:
        known = {end for triple in graph.facts for end in (triple.head, triple.tail)}
        some = [term for term in topics(data.draw, facts) if term in known]
        openings = entity_openings(graph.kg, tokenizer, graph.index)
        try:
            constraint = ChainTriples(graph.index, openings, some, tags, LIMITS)
        except NoPathError:
            return

        def legal(chain: tuple[Triple, ...]) -> dict[tuple[int, ...], Triple]:
            return {
                spell(graph, openings, triple, tags): triple
                for triple in follows(graph, some, chain)
            }

        def shown(chain: Sequence[Triple]) -> list[int]:
            """A prompt that tells chains apart, as one that shows their subgraph does."""
            return [*PROMPT, *(7 + graph.facts.index(t) % 200 for t in chain)] if local else PROMPT

        asked = ChainQuestion((lambda c: shown(c.chain)) if local else PROMPT, constraint)
        (found,) = chain_search(model, [asked], plan)
        expected = algorithm_1(model, shown, legal, tags, plan)
        for ours, theirs in zip(found.chains, expected, strict=True):
            committed = commitment(model, shown, graph, openings, ours, plan, stuck=theirs.stuck)
            assert ours.relevance == pytest.approx(math.exp(committed), rel=1e-4, abs=1e-30)
    assert [triples_of(chain) for chain in found.chains] == [chain.triples for chain in expected]
    assert [chain.tokens for chain in found.chains] == [chain.tokens for chain in expected]
    assert [chain.ended for chain in found.chains] == [chain.ended for chain in expected]
    scored = [chain.score for chain in found.chains]
    assert scored == pytest.approx([chain.score for chain in expected], abs=1e-5)
    for chain in found.chains:
        assert_tags_stand_alone(chain, tags)
        assert len(set(triples_of(chain))) == len(chain.steps)


def assert_tags_stand_alone(chain: ChainHypothesis, tags: tuple[int, int]) -> None:
    """The words are where they are said to be, and no tag is anywhere else."""
    places = [i for i, token in enumerate(chain.tokens) if token in tags]
    assert places == [place for start, stop in chain.words for place in (start, stop - 1)]
    assert len(chain.words) == len(chain.steps)
    assert not chain.conclusion or chain.conclusion == chain.tokens[-len(chain.conclusion) :]


def constraint_over(facts: set[worlds.Fact]) -> ChainTriples:
    tokenizer = TOKENIZERS["byte-level"]
    with opened(facts, tokenizer) as graph:
        openings = entity_openings(graph.kg, tokenizer, graph.index)
        tags = wire_tokens(tokenizer, TRIPLE)
        return ChainTriples(graph.index, openings, [worlds.entity(0)], tags, LIMITS)


def star() -> tuple[ChainTriples, Any]:
    return constraint_over({(0, 0, 1), (1, 1, 2), (2, 2, 3), (0, 3, 4)}), MODELS["byte-level"]


def test_questions_in_a_batch_get_what_they_get_alone() -> None:
    constraint, model = star()
    plan = ChainPlan(frozenset([9]), beams=2, steps=3, free=2)
    questions = [ChainQuestion(prompt, constraint) for prompt in (PROMPT, PROMPT[:2], [40] * 7)]
    questions.append(ChainQuestion(PROMPT, constraint_over({(0, 0, 1)})))
    together = chain_search(model, questions, plan)
    for question, found in zip(questions, together, strict=True):
        (alone,) = chain_search(model, [question], plan)
        assert [c.tokens for c in found.chains] == [c.tokens for c in alone.chains]
        assert [c.score for c in found.chains] == pytest.approx([c.score for c in alone.chains])


def test_full_visibility_computes_nothing_twice() -> None:
    constraint, model = star()
    plan, prompt = ChainPlan(frozenset(), beams=2, steps=3, free=2), [40] * 30
    (full,) = chain_search(model, [ChainQuestion(prompt, constraint)], plan)
    (local,) = chain_search(model, [ChainQuestion(lambda _: prompt, constraint)], plan)
    assert [c.tokens for c in local.chains] == [c.tokens for c in full.chains]
    assert full.cost.prompt_tokens == len(prompt)
    assert full.cost.tokens < sum(len(c.tokens) for c in full.chains) * 3
    assert local.cost.prompt_tokens > 3 * len(prompt)
    for cost in (full.cost, local.cost):
        assert 0 < cost.forced_tokens <= cost.tokens


def test_chains_that_nothing_may_follow_stay_and_are_concluded() -> None:
    constraint, tags = constraint_over({(0, 0, 1)}), wire_tokens(TOKENIZERS["byte-level"], TRIPLE)
    plan = ChainPlan(frozenset(), beams=3, steps=4, free=5, banned=frozenset(tags[1:]))
    (found,) = chain_search(EAGER["byte-level"], [ChainQuestion(PROMPT, constraint)], plan)
    (chain,) = found.chains
    assert len(chain.steps) == 1 and not chain.ended
    assert len(chain.conclusion) == 5 and not {*tags} & {*chain.conclusion}


def test_both_kinds_of_visibility_in_one_batch_are_an_error() -> None:
    constraint, model = star()
    questions = [ChainQuestion(PROMPT, constraint), ChainQuestion(lambda _: PROMPT, constraint)]
    with pytest.raises(ConstraintError, match="whole graph"):
        chain_search(model, questions, ChainPlan(frozenset()))
