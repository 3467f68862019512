"""What chains conclude: the entities that answer, and what is only asserted (DoG section 2.2)."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ...agent.answers.candidates import name_terms, spell, step_records
from ...agent.decoding.chain_search import ChainHypothesis
from ...agent.decoding.wire import SEPARATOR, escape
from ...agent.kg import KnowledgeGraph
from ...agent.kg.terms import Path, Step, Term, is_connected
from ...agent.llm.replies import compared
from ...agent.records import Answer, Candidate, Named, StepRecord

_STARRED = re.compile(r"(?<!\*)\*+(?=[^\s*])([^*\n]*[^*\s])\*+|(?<!\*)\*+\s*([^*\n]+)")
"""A name in asterisks, or after one."""
_FINAL = re.compile(r"\banswers?\b[^\n.:]{0,200}?(?::|\bis\b|\bare\b)", re.I)
_QUALIFIER = re.compile(r" \([^()]*\)$")
_BETWEEN = {"and", "or", "the", "a", "an"}
_LONGEST = 200
"""Characters of a name that is only asserted."""


class Concluded(NamedTuple):
    """A chain as a record, the entities that it answers with, and names that it only asserts.

    A model may also end its chain without a triple, and then there is no record.
    """

    chain: Candidate | None
    answers: list[Named]
    asserted: list[str]


class _Proof(NamedTuple):
    """The triples of the store behind a chain, and what of the reading it rests on, in words."""

    steps: tuple[Step, ...]
    read: list[str]


def conclude(
    kg: KnowledgeGraph,
    topics: Collection[Term],
    chains: Sequence[tuple[ChainHypothesis, str | None]],
) -> list[Concluded]:
    """What each chain concludes in its text; without a text it answers with what it reaches last.

    Only entities that the chain's triples bring in, and no topic entity, are answers. A chain that
    is one walk from a topic entity to its only answer has the form `path`. Chains that the store no
    longer holds are left out. Raises ServiceError.
    """
    proofs = _proofs(kg, [chain for chain, _ in chains])
    pairs = zip(chains, proofs, strict=True)
    proven = [(chain, text, proof) for (chain, text), proof in pairs if proof is not None]
    records = step_records(kg.labels, [Path("", proof.steps) for _, _, proof in proven])
    ends = [end for chain, _, _ in proven for s in chain.steps for end in (s.source, s.target)]
    named = name_terms(kg.labels, ends)
    concluded = list[Concluded]()
    for (chain, text, proof), steps in zip(proven, records, strict=True):
        if not steps:
            concluded.append(Concluded(None, [], read_conclusion(text or "", [])[1]))
            continue
        entities = [named[end] for end in _brought_in(chain, topics)]
        if text is None:
            answers, asserted = _last_reached(chain, entities), list[str]()
        else:
            answers, asserted = read_conclusion(text, entities)
        record = _record(chain, answers, asserted, topics, steps, named)
        if not kg.reading.plain:
            record["walked"] = [(step.triple.relation, step.inverse) for step in chain.steps]
            record["read"] = proof.read
        concluded.append(Concluded(record, answers, asserted))
    return concluded


def _last_reached(chain: ChainHypothesis, entities: Sequence[Named]) -> list[Named]:
    last = chain.steps[-1].target
    return [entity for entity in entities if entity["term"] == last]


def _proofs(kg: KnowledgeGraph, chains: Sequence[ChainHypothesis]) -> list[_Proof | None]:
    """What is behind each chain, in its order; None where the store no longer holds it."""
    walked = [Path(step.source, (step,)) for chain in chains for step in chain.steps]
    pairs, proofs = iter(zip(walked, kg.prove(walked), strict=True)), list[_Proof | None]()
    for chain in chains:
        of_chain = [next(pairs) for _ in chain.steps]
        proven = [(path, proof) for path, proof in of_chain if proof is not None]
        steps = [step for _, proof in proven for step in proof.steps]
        read = [word for path, proof in proven for word in kg.used(path, proof)]
        whole = len(proven) == len(of_chain)
        proofs.append(_Proof(tuple(steps), list(dict.fromkeys(read))) if whole else None)
    return proofs


def _brought_in(chain: ChainHypothesis, topics: Collection[Term]) -> list[Term]:
    ends = [end for step in chain.steps for end in (step.source, step.target)]
    return [end for end in dict.fromkeys(ends) if end not in topics]


def _record(
    chain: ChainHypothesis,
    answers: Sequence[Named],
    asserted: Sequence[str],
    topics: Collection[Term],
    steps: list[StepRecord],
    named: Mapping[Term, Named],
) -> Candidate:
    start, last = chain.steps[0].source, chain.steps[-1].target
    walk = is_connected(frozenset(topics), Path(start, chain.steps))
    is_path = walk and [answer["term"] for answer in answers] == [last]
    return Candidate(
        topic=named[start],
        steps=steps,
        answer=answers[0] if answers else named[last],
        hypothesis=" and ".join([*(answer["label"] for answer in answers), *asserted]),
        text=spell(named[start], steps) if is_path else _spelled(steps),
        score=round(chain.score, 6),
        relevance=round(chain.relevance, 6),
        form="path" if is_path else "chain",
    )


def read_conclusion(text: str, entities: Sequence[Named]) -> tuple[list[Named], list[str]]:
    """The entities that a conclusion names after `*`, and what it names there that is none of them.

    Without any `*`, what comes after the last `answer is` or `answer:` counts. A name may be
    followed by anything, and stand without its qualifier in brackets.
    """
    names = {compared(_QUALIFIER.sub("", entity["label"])): entity for entity in entities}
    names.update((compared(entity["label"]), entity) for entity in entities)
    pieces = [match[1] or match[2] for match in _STARRED.finditer(text)]
    if not pieces:
        marks = [match.end() for match in _FINAL.finditer(text)]
        pieces = [text[mark:].strip().partition("\n")[0] for mark in marks[-1:]]
    answers, asserted = dict[Term, Named](), list[str]()
    for piece in pieces:
        mentioned = _named(piece, names)
        answers.update((entity["term"], entity) for entity in mentioned)
        bare = piece.strip(" .,;:!?\"'")[:_LONGEST]
        if bare and not mentioned:
            asserted.append(bare)
    return list(answers.values()), list(dict.fromkeys(asserted))


def elect(concluded: Sequence[Concluded]) -> tuple[list[Answer], list[str], float]:
    """The answers of the best chain that has any, with the chains of all that name them too.

    Also what the best chains only asserted, and the relevance of the one that decided.
    """
    unsupported = list[str]()
    for first in concluded:
        unsupported += first.asserted
        if first.chain and first.answers:
            answers = [_answer(named, concluded) for named in first.answers]
            return answers, list(dict.fromkeys(unsupported)), first.chain["relevance"]
    return [], list(dict.fromkeys(unsupported)), 0.0


def _answer(named: Named, concluded: Sequence[Concluded]) -> Answer:
    chains = [c.chain for c in concluded if c.chain and named in c.answers]
    paths = all(chain.get("form") == "path" for chain in chains)
    return Answer(
        **named,
        score=round(min(math.fsum(math.exp(chain["score"]) for chain in chains), 1.0), 6),
        chains=[chain["steps"] for chain in chains],
        form="path" if paths else "chain",
    )


def _named(piece: str, names: Mapping[str, Named]) -> list[Named]:
    """The entities that a piece of text begins with, one after another."""
    longest = max((len(name.split()) for name in names), default=0)
    words, entities, at = compared(piece).split(), list[Named](), 0
    while at < len(words):
        stops = range(min(len(words), at + longest), at, -1)
        stop = next((s for s in stops if " ".join(words[at:s]) in names), None)
        if stop is not None:
            entities.append(names[" ".join(words[at:stop])])
        elif words[at] not in _BETWEEN:
            break
        at = stop or at + 1
    return entities


def _spelled(steps: Sequence[StepRecord]) -> str:
    triples = [(step["head"], step["relation"], step["tail"]) for step in steps]
    return " | ".join(SEPARATOR.join(escape(part["label"]) for part in t) for t in triples)
