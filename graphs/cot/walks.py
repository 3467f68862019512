"""cot and cot-sc by a model that only writes reasoning paths: it writes them without constraint.

This is the ablation of GCR and DoG: nothing keeps the model from walks that the KG does not hold,
and they are counted. A model that reads topic entities masked is given the one that its walk
leaves, since it could not know its name.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...agent.answers.question import Conclusion, Outcome, Question
from ...agent.decoding.plan import Cost, of_model
from ...agent.decoding.units import tokenize, unit_style, wire_tokens
from ...agent.decoding.wire import ARROW, PATH, escape
from ...agent.llm.free_text import Writing, write_freely
from ...agent.llm.prompt import wire_prompt
from ...agent.llm.written_triples import WrittenTriple, read_walk
from ...agent.state import Answer, Candidate
from ..ground import Ground
from ..prompted.claims import Understand, claim_reader
from ..prompted.conclusions import LIKELIHOOD, elect, weighed
from ..prompted.walks import Walk, end, walked
from .thoughts import Thought, agree

_BEAMS = 10
_LONGEST = 100
"""Tokens of a walk."""


def search_free_walks(question: Question, ground: Ground, *, consistent: bool) -> Outcome:
    """The ends of the likeliest relation path that was written; or what most samples end in."""
    options, local = question.options, ground.local
    how = Writing(
        _LONGEST,
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
        cost={**of_model(cost), "kg_requests": requests},
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
