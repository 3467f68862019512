"""What chains of thought prove, and what several of them agree on (self-consistency)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...agent.kg.labels.names import normalise
from ...agent.kg.terms import Path, Step, Term, Triple, is_well_formed
from ...agent.llm.reading import compared
from ...agent.llm.written_triples import read_reasoning
from ...agent.state import Answer, Candidate, Named, StepRecord
from ..dog.conclusions import read_conclusion
from ..prompted.claims import Understand
from ..prompted.conclusions import Conclusion, proofs
from ..prompted.walks import chain_candidate

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
    in_graph = [step for step, holds in zip(steps, held, strict=True) if holds is not False]
    proven = proofs(topics, in_graph)
    ends = {entity["term"]: entity for step in in_graph for entity in (step["head"], step["tail"])}
    entities = [named for term, named in ends.items() if term in proven]
    named, asserted = read_conclusion(reasoning.rest, entities)
    bare = [_AND.sub("", name) for name in asserted]
    asserted = [name for name in bare if normalise(name) not in _NOTHING]
    whole = len(in_graph) == len(steps) and _hangs_together(topics, steps)
    answers = [
        Answer(**entity, score=1.0, chains=[steps], form="chain")
        if whole
        else Answer(**entity, score=1.0, chains=proven[entity["term"]])
        for entity in named
    ]
    chain = chain_candidate(steps, answers) if steps else None
    return Thought(chain, answers, asserted), requests


def agree(thoughts: Sequence[Thought], reasoner: str) -> Conclusion:
    """What most of the thoughts answer; the score of an answer is the share of those that do.

    Every thought that answers has one vote for each name. Names with more than half of the votes
    win; where there are none, those with the most votes that one thought names together. What wins
    without a proof is unsupported.
    """
    ballots = [ballot for ballot in map(_ballot, thoughts) if ballot]
    votes = Counter(name for ballot in ballots for name in ballot)
    won = _winners(ballots, votes)
    answers = dict[Term, Answer]()
    for thought in thoughts:
        for answer in thought.answers:
            name = compared(answer["label"])
            if name in won:
                share = round(votes[name] / len(thoughts), 6)
                answers[answer["term"]] = _joined(answers.get(answer["term"]), answer, share)
    proven = {compared(answer["label"]) for answer in answers.values()}
    texts = {compared(text): text for thought in thoughts for text in thought.asserted}
    unsupported = [texts[name] for name in won if name not in proven]
    confidence = 1.0 if answers else 0.0
    return Conclusion(list(answers.values()), unsupported, confidence, reasoner)


def _winners(ballots: Sequence[Mapping[str, None]], votes: Mapping[str, int]) -> list[str]:
    """The names with more than half of the votes; else the best of one ballot with most votes."""
    won = [name for name, count in votes.items() if 2 * count > len(ballots)]
    if won or not ballots:
        return won
    most = max(votes.values())
    first = next(ballot for ballot in ballots if any(votes[name] == most for name in ballot))
    return [name for name in first if votes[name] == most]


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
