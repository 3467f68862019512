"""An independent account of what the decoder must find: enumerate, spell, mask, search naively."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from groundwalk.agent.decoding.index import TokenIndex, build_index
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.units import unit_tokens, wire_tokens
from groundwalk.agent.decoding.wire import PATH, escape
from groundwalk.agent.kg import KnowledgeGraph, Path, Step, Term, Triple
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

Words = dict[tuple[int, ...], Path]


def paths(facts: Sequence[Triple], topics: Sequence[Term], limits: PathLimits) -> Iterator[Path]:
    """Every legal path, depth first over the list of facts."""

    def walk(path: Path, visited: frozenset[Term]) -> Iterator[Path]:
        if path.steps:
            yield path
        if len(path.steps) == limits.hops:
            return
        for triple in facts:
            for inverse in (False, True) if limits.inverse else (False,):
                step = Step(triple, inverse)
                if step.source != path.end:
                    continue
                if limits.revisits == "no-topic" and step.target in topics:
                    continue
                if limits.revisits == "simple" and step.target in visited:
                    continue
                yield from walk(Path(path.topic, (*path.steps, step)), visited | {step.target})

    for topic in topics:
        yield from walk(Path(topic, ()), frozenset([topic]))


def topic_units(
    kg: KnowledgeGraph,
    tokenizer: PreTrainedTokenizerFast,
    index: TokenIndex,
    topics: Sequence[Term],
) -> dict[Term, tuple[int, ...]]:
    names = [escape(name) for name in kg.labels.names(topics)]
    units = unit_tokens(tokenizer, replace(index.style, lead=""), names)
    return dict(zip(topics, units, strict=True))


def constraint(
    kg: KnowledgeGraph,
    tokenizer: PreTrainedTokenizerFast,
    topics: Sequence[Term],
    limits: PathLimits,
    index: TokenIndex | None = None,
) -> ReasoningPaths:
    """What has to hold the search to the same paths."""
    index = index or build_index(kg, tokenizer)
    units = topic_units(kg, tokenizer, index, topics)
    return ReasoningPaths(index, units, wire_tokens(tokenizer, PATH), limits)


def words(
    kg: KnowledgeGraph,
    tokenizer: PreTrainedTokenizerFast,
    index: TokenIndex,
    topics: Sequence[Term],
    limits: PathLimits,
) -> Words:
    """The token sequence of every legal path; a sequence that two paths share is an error."""
    tag, end = wire_tokens(tokenizer, PATH)
    starts = topic_units(kg, tokenizer, index, topics)
    spelled: Words = {}
    for path in paths(sorted(kg.store.facts()), topics, limits):
        tokens = [tag, *starts[path.topic]]
        for step in path.steps:
            relation = index.relations.find(step.triple.relation)
            target = index.entities.find(step.target)
            assert relation is not None and target is not None
            tokens += index.style.arrow + index.relation_table.unit(2 * relation + step.inverse)
            tokens += index.style.arrow + index.entity_table.unit(target)
        word = (*tokens, end)
        assert word not in spelled, "two paths are spelled alike"
        spelled[word] = path
    return spelled


def naive_search(
    model: LlamaForCausalLM, prompt: list[int], legal: Words, *, beams: int, scores: str
) -> list[tuple[tuple[int, ...], float]]:
    """Beam search under the trie of all words, one full forward pass a beam and token."""
    trie: dict[tuple[int, ...], set[int]] = {}
    for word in legal:
        for i in range(len(word)):
            trie.setdefault(word[:i], set()).add(word[i])

    def rank(beam: tuple[tuple[int, ...], float]) -> tuple[float, tuple[int, ...]]:
        return (-round(beam[1], 6), beam[0])

    running: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    finished: list[tuple[tuple[int, ...], float]] = []
    while running:
        candidates: list[tuple[tuple[int, ...], float]] = []
        for word, score in running:
            with torch.no_grad():
                logits = model(input_ids=torch.tensor([prompt + list(word)])).logits[0, -1].float()
            choices = sorted(trie[word])
            norm = (logits[choices] if scores == "allowed" else logits).logsumexp(0)
            candidates += [((*word, t), score + float(logits[t] - norm)) for t in choices]
        candidates = sorted(candidates, key=rank)[: 2 * beams]
        closed = [c for c in candidates[:beams] if c[0] in legal]
        finished = sorted([*finished, *closed], key=rank)[:beams]
        running = [c for c in candidates if c[0] not in legal][:beams]
        if len(finished) == beams and running and finished[-1][1] >= running[0][1]:
            break
    return finished
