"""What chains of thought prove, and what several of them agree on (self-consistency)."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..decoding.wire import SEPARATOR, escape
from ..kg.names import normalise
from ..kg.terms import Path, Step, Term, Triple, is_well_formed
from ..llm.reading import compared
from ..llm.written_triples import read_reasoning
from ..state import Answer, Candidate, Named, StepRecord
from .conclude import Conclusion, proofs
from .dog_answers import read_conclusion
from .written import Understand

_NOTHING = {"", "none", "unknown", "n a"}
_AND = re.compile(r"\s*(?:[,;]|\b(?:and|or))\s*$")


class Thought(NamedTuple):
    """A chain of thought: the triples that it wrote, its answers, and what it only asserts.

    `chain` is None where no triple could be read.
    """

    chain: Candidate | None
    answers: Sequence[Answer]
    asserted: Sequence[str]


def think(
    understand: Understand, text: str, topics: Sequence[Named], shown: Sequence[StepRecord]
) -> tuple[Thought, int]:
    """Read a text, and the requests that it took.

    An answer is an entity that the text names as one and that its own triples, as far as the KG
    holds them, lead to from a topic entity. The whole chain is its proof where it holds together,
    else the shortest walk over those triples.
    """
    reasoning = read_reasoning(text)
    steps, held, requests = understand(reasoning.triples, shown, topics)
    kept = [step for step, holds in zip(steps, held, strict=True) if holds is not False]
    proven = proofs(topics, kept)
    ends = {own["term"]: own for step in kept for own in (step["head"], step["tail"])}
    entities = [named for term, named in ends.items() if term in proven]
    named, asserted = read_conclusion(reasoning.rest, entities)
    bare = [_AND.sub("", name) for name in asserted]
    asserted = [name for name in bare if normalise(name) not in _NOTHING]
    whole = len(kept) == len(steps) and _hangs_together(topics, steps)
    answers = [
        Answer(**own, score=1.0, chains=[steps], form="chain")
        if whole
        else Answer(**own, score=1.0, chains=proven[own["term"]])
        for own in named
    ]
    chain = chain_candidate(steps, answers) if steps else None
    return Thought(chain, answers, asserted), requests


def agree(thoughts: Sequence[Thought]) -> Conclusion:
    """What most of the thoughts answer; the score of an answer is the share of those that do.

    Every thought that answers has one vote for each name. Names with more than half of the votes
    win; where there are none, those with the most votes that one thought names together. What wins
    without a proof is unsupported.
    """
    ballots = [own for own in map(_ballot, thoughts) if own]
    votes = Counter(name for own in ballots for name in own)
    most = max(votes.values(), default=0)
    won = [name for name, count in votes.items() if 2 * count > len(ballots)]
    if not won and ballots:
        first = next(own for own in ballots if any(votes[name] == most for name in own))
        won = [name for name in first if votes[name] == most]
    answers = dict[Term, Answer]()
    for thought in thoughts:
        for own in thought.answers:
            name = compared(own["label"])
            if name in won:
                share = round(votes[name] / len(thoughts), 6)
                answers[own["term"]] = _joined(answers.get(own["term"]), own, share)
    proven = {compared(answer["label"]) for answer in answers.values()}
    texts = {compared(text): text for thought in thoughts for text in thought.asserted}
    unsupported = [texts[name] for name in won if name not in proven]
    return Conclusion(list(answers.values()), unsupported, 1.0 if answers else 0.0)


def _ballot(thought: Thought) -> dict[str, None]:
    names = [*(answer["label"] for answer in thought.answers), *thought.asserted]
    return dict.fromkeys(map(compared, names))


def _joined(one: Answer | None, other: Answer, share: float) -> Answer:
    """One answer with the chains of both; no chain twice."""
    chains = list(one["chains"]) if one else []
    chains += [chain for chain in other["chains"] if chain not in chains]
    loose = "chain" in (other.get("form"), one.get("form") if one else None)
    return Answer(
        term=other["term"],
        label=other["label"],
        score=share,
        chains=chains,
        form="chain" if loose else "path",
    )


def _hangs_together(topics: Sequence[Named], steps: Sequence[StepRecord]) -> bool:
    triples = [Triple(*(s[part]["term"] for part in ("head", "relation", "tail"))) for s in steps]
    starts = frozenset(topic["term"] for topic in topics)
    return is_well_formed(starts, Path("", tuple(Step(triple) for triple in triples)))


def chain_candidate(steps: list[StepRecord], answers: Sequence[Answer] = ()) -> Candidate:
    """The record of all that was written, for the verifier to judge."""
    last = steps[-1]["head"] if steps[-1]["inverse"] else steps[-1]["tail"]
    answer = Named(term=answers[0]["term"], label=answers[0]["label"]) if answers else last
    parts = ("head", "relation", "tail")
    texts = [SEPARATOR.join(escape(step[part]["label"]) for part in parts) for step in steps]
    return Candidate(
        topic=steps[0]["tail"] if steps[0]["inverse"] else steps[0]["head"],
        steps=steps,
        answer=answer,
        hypothesis=" and ".join(answer["label"] for answer in answers),
        text=" | ".join(texts),
        score=0.0,
        relevance=1.0 if answers else 0.0,
        form="chain",
    )
