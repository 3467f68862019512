"""cot: chain of thought, which is DoG without its constraint; cot-sc: with self-consistency.

The prompt is that of dog (section 3.3), and nothing keeps the model from triples that the KG does
not hold. Triples in the reply are read in whatever way they are written, and become terms where a
name is exactly that of something in the KG; triples that it does not hold, and chains that do not
hang together, are counted and not shown. An answer is proven by the triples of its own chain.

cot-sc (Wang et al., 2023) draws `samples` replies and takes what more than half of them answer,
else what is answered most often.

Where there is neither a chat LLM nor a local model that follows instructions, a model that writes
reasoning paths writes them without constraint, and a note says so. A model that reads topic
entities masked is given the one that its walk leaves, since it could not know its name.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path as Folder
from random import Random
from typing import NamedTuple

from langchain_core.language_models import BaseChatModel

from ..agent.answers.candidates import step_records
from ..agent.answers.question import Conclusion, Outcome, Question
from ..agent.decoding.plan import Cost, usage_fields
from ..agent.decoding.units import tokenize, unit_style, wire_tokens
from ..agent.decoding.wire import ARROW, PATH, TRIPLE, escape
from ..agent.kg.labels.names import normalise
from ..agent.kg.terms import Path, Step, Term, Triple, is_well_formed
from ..agent.llm.asking import Asker, UnansweredError
from ..agent.llm.chat import drawing
from ..agent.llm.free_text import Writing, write_freely
from ..agent.llm.prompt import wire_prompt
from ..agent.llm.replies import compared
from ..agent.llm.written_triples import WrittenTriple, read_reasoning, read_walk
from ..agent.options import Options
from ..agent.records import Answer, Candidate, Named, StepRecord
from ..prompts import render
from .dog.conclusions import read_conclusion
from .dog.prompt import chain_prompt
from .ground import Ground
from .method import VIEW, Method, never
from .prompted.claims import Understand, claim_reader
from .prompted.conclusions import LIKELIHOOD, elect, proofs, weighed, writes_paths
from .prompted.surroundings import shown_triples, spelled
from .prompted.walks import Walk, chain_candidate, end, walked

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


_LONGEST = 512
"""Tokens of a local model's chain of thought."""
_ALIKE = "the LLM's client takes no temperature, so that its samples may be alike"


@dataclass(frozen=True)
class _Written:
    """Texts of a model, and what they took."""

    texts: Sequence[str]
    notes: Sequence[str] = ()
    cost: dict[str, int] = field(default_factory=dict[str, int])
    shortened: int = 0


def search_thoughts(question: Question, ground: Ground, *, consistent: bool) -> Outcome:
    """One chain of thought, or if `consistent` what `Options.samples` of them agree on."""
    if ground.llm is None and writes_paths(ground.local):
        return search_free_walks(question, ground, consistent=consistent)
    triples = shown_triples(question, ground)
    (shown,) = step_records(ground.kg.labels, [Path("", tuple(map(Step, triples)))])
    samples = question.options.samples if consistent else 0
    facts = spelled(ground.kg, triples)
    if ground.llm is not None:
        prompt = _prompt(question.text, facts, ground.prompts)
        written = _ask(ground.llm, prompt, samples, question.options)
    else:
        written = _write(question, ground, facts, samples)
    understand = ground.shared.made(claim_reader)
    thoughts, requests = list[Thought](), 0
    for text in written.texts:
        thought, asked = think(understand, text, question.named_topics, shown)
        thoughts.append(thought)
        requests += asked
    ground.emit({"event": "decoded", "paths": len(thoughts)})
    unread = sum(not (thought.chain or thought.answers or thought.asserted) for thought in thoughts)
    return Outcome(
        [thought.chain for thought in thoughts if thought.chain],
        agree(thoughts, "llm"),
        lost=sum(thought.chain is None for thought in thoughts),
        notes=written.notes,
        cost={**written.cost, "unread": unread, "kg_requests": requests},
        shortened=written.shortened,
    )


def _write(question: Question, ground: Ground, facts: Sequence[str], samples: int) -> _Written:
    """The texts of the local model."""
    options = question.options
    tokens = ground.shared.made(chain_prompt).tokens(question.text, facts)
    how = Writing(_LONGEST, samples=samples, temperature=options.temperature, seed=options.seed)
    written = write_freely(ground.local, tokens, how)
    return _Written(written.texts, cost=usage_fields(written.cost))


def _prompt(question: str, facts: Sequence[str], prompts: Folder | None) -> str:
    return render(
        "cot/chain.jinja",
        prompts,
        question=question,
        triples=facts,
        open=TRIPLE.open,
        close=TRIPLE.close,
    )


def _ask(llm: BaseChatModel, prompt: str, samples: int, options: Options) -> _Written:
    """One reply, or some samples; as many as there are until the client fails.

    What a local model draws depends on the seed, the prompt and the number of the sample alone.
    """
    notes, asker, texts = list[str](), Asker(llm), list[str]()
    try:
        for number in range(samples or 1):
            if samples:
                seed = Random(f"{options.seed} {number} {prompt}").getrandbits(32)
                drawn = drawing(llm, options.temperature, seed)
                if drawn is None and not number:
                    notes.append(_ALIKE)
                asker.llm = drawn or llm
            texts.append(asker.ask(prompt))
    except UnansweredError as error:
        got = f"; {len(texts)} of {samples} replies came" if samples else ""
        notes.append(f"{error}: the LLM did not answer{got}")
    return _Written(texts, notes, asker.cost, asker.shortened)


_BEAMS = 10
_LONGEST_WALK = 100
"""Tokens of a walk."""


def search_free_walks(question: Question, ground: Ground, *, consistent: bool) -> Outcome:
    """The ends of the likeliest relation path that was written; or what most samples end in."""
    options, local = question.options, ground.local
    how = Writing(
        _LONGEST_WALK,
        beams=options.beams or _BEAMS,
        samples=options.samples if consistent else 0,
        temperature=options.temperature,
        seed=options.seed,
        closing=frozenset({wire_tokens(local.tokenizer, PATH)[1]}),
    )
    texts, cost = list[str](), Cost()
    for prompt, begun in _starts(question, ground):
        written = write_freely(local, prompt, how)
        texts += [begun + text for text in written.texts]
        cost += written.cost
    read = [walk for text in texts if (walk := read_walk(text))]
    walks, sound, requests = _understood(ground.shared.made(claim_reader), read, question)
    if walks:
        walks, weighing = weighed(question, ground, walks)
        cost += weighing
    conclusion = _agreed(walks, sound) if consistent else _elected(walks, sound)
    ground.emit({"event": "decoded", "paths": len(walks)})
    lost = len(texts) - len(read)
    unread = [f"{lost} of {len(texts)} written walks could not be read"] if lost else []
    return Outcome(
        _distinct(walks),
        conclusion,
        lost=lost,
        notes=[LIKELIHOOD, *unread],
        cost={**usage_fields(cost), "kg_requests": requests},
    )


def _agreed(walks: Sequence[Walk], sound: Sequence[bool]) -> Conclusion:
    """What most of the samples end in."""
    agreed = agree([_thought(*pair) for pair in zip(walks, sound, strict=True)], "likelihood")
    chains = [chain for answer in agreed.answers for chain in answer["chains"]]
    won = [walk["relevance"] for walk in walks if walk["steps"] in chains]
    return replace(agreed, confidence=max(won, default=0.0))


def _elected(walks: Sequence[Walk], sound: Sequence[bool]) -> Conclusion:
    """The ends of the likeliest relation path, as far as the KG may hold its walks."""
    elected = elect(walks, [walk["relevance"] for walk in walks], "likelihood")
    return _proven(elected, walks, sound)


def _starts(question: Question, ground: Ground) -> list[tuple[list[int], str]]:
    """The tokens after which to write, and the beginning of the text that is among them."""
    local = ground.local
    prompt, _ = wire_prompt(local, question.text, question.mentions, PATH, ground.prompts)
    if not local.settings.masked:
        return [(prompt, "")]
    opening, arrow = wire_tokens(local.tokenizer, PATH)[0], unit_style(local.tokenizer, []).arrow
    names = [escape(topic["label"]) for topic in question.topics]
    return [
        ([*prompt, opening, *name_tokens, *arrow], f"{PATH.open}{name}{ARROW}")
        for name, name_tokens in zip(names, tokenize(local.tokenizer, names), strict=True)
    ]


def _understood(
    understand: Understand, read: Sequence[Sequence[WrittenTriple]], question: Question
) -> tuple[list[Walk], list[bool], int]:
    """The written walks in terms of the KG, whether it may hold them, and the requests."""
    written = [step for walk in read for step in walk]
    steps, held, requests = understand(written, [], question.named_topics)
    walks, sound, first = list[Walk](), list[bool](), 0
    for walk in read:
        part = slice(first, first + len(walk))
        step = steps[first]
        start = step["tail"] if step["inverse"] else step["head"]
        walks.append(Walk(topic=start, steps=steps[part], score=1.0, relevance=1.0))
        sound.append(all(holds is not False for holds in held[part]))
        first += len(walk)
    return walks, sound, requests


def _thought(walk: Walk, sound: bool) -> Thought:
    last = end(walk)
    answers = [Answer(**last, score=1.0, chains=[walk["steps"]])] if sound else []
    return Thought(walked(walk), answers, [] if sound else [last["label"]])


def _proven(elected: Conclusion, walks: Sequence[Walk], sound: Sequence[bool]) -> Conclusion:
    """The answers whose walks the KG may hold; the others are only asserted."""
    held = [walk["steps"] for walk, holds in zip(walks, sound, strict=True) if holds]
    answers = list[Answer]()
    for answer in elected.answers:
        if chains := [chain for chain in answer["chains"] if chain in held]:
            answers.append({**answer, "chains": chains})
    proven = {answer["term"] for answer in answers}
    others = [answer["label"] for answer in elected.answers if answer["term"] not in proven]
    return replace(elected, answers=answers, unsupported=others)


def _distinct(walks: Sequence[Walk]) -> list[Candidate]:
    distinct: dict[str, Candidate] = {}
    for candidate in map(walked, walks):
        distinct.setdefault(candidate["text"], candidate)
    return list(distinct.values())


_USES = VIEW | {"beams", "shown", "embeddings", "seed"}
_METHOD = partial(
    Method,
    prompts="cot",
    reads=never,
    reasons=True,
    answers_from_facts=True,
    paper={"shown": 120},
)
COT = _METHOD(
    partial(search_thoughts, consistent=False),
    "chain of thought without a constraint (DoG's ablation)",
    uses=_USES,
)
COT_SC = _METHOD(
    partial(search_thoughts, consistent=True),
    "what most of several chains of thought answer (self-consistency)",
    uses=_USES | {"samples", "temperature"},
)
