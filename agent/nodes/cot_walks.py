"""cot and cot-sc by a model that only writes reasoning paths: it writes them without constraint.

This is the ablation of GCR and DoG: nothing keeps the model from walks that the KG does not hold,
and they are counted. A model that reads topic entities masked is given the one that its walk
leaves, since it could not know its name.
"""

from collections.abc import Callable, Sequence
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from ..decoding.plan import Cost
from ..decoding.units import tokenize, unit_style, wire_tokens
from ..decoding.wire import ARROW, PATH, escape
from ..llm.free_text import Writing, write_freely
from ..llm.local import LocalModel
from ..llm.prompt import wire_prompt
from ..llm.written_triples import WrittenTriple, read_walk
from ..options import Options
from ..state import Answer, Candidate, Named, State
from . import Node
from .conclude import Conclusion, elect
from .explore import Walk, end, walked
from .likely import LIKELIHOOD, weighed
from .records import question_mentions
from .thoughts import Thought, agree
from .usage import of_model, spent
from .written import Understand

_BEAMS = 10
_LONGEST = 100
"""Tokens of a walk."""


def free_walks(
    generator: Callable[[], LocalModel],
    understand: Understand,
    prompts: Folder | None = None,
    *,
    consistent: bool = False,
) -> Node:
    """The ends of the likeliest relation path that was written; or what most samples end in."""

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        since = perf_counter()
        options = runtime.context or Options()
        local = generator()
        topics = [Named(term=t["term"], label=t["label"]) for t in state.get("topics", [])]
        closing = frozenset({wire_tokens(local.tokenizer, PATH)[1]})
        how = Writing(
            _LONGEST,
            beams=options.beams or _BEAMS,
            samples=options.samples if consistent else 0,
            temperature=options.temperature,
            seed=options.seed,
            closing=closing,
        )
        texts, cost = list[str](), Cost()
        for prompt, begun in _starts(local, state, topics, prompts):
            own = write_freely(local, prompt, how)
            texts += [begun + text for text in own.texts]
            cost += own.cost
        read = [walk for text in texts if (walk := read_walk(text))]
        walks, sound, requests = _understood(understand, read, topics)
        if walks:
            walks, weighing = weighed(local, state, walks, prompts)
            cost += weighing
        if consistent:
            found = agree([_thought(*own) for own in zip(walks, sound, strict=True)])
            chains = [chain for answer in found.answers for chain in answer["chains"]]
            won = [walk["relevance"] for walk in walks if walk["steps"] in chains]
            confidence = max(won, default=0.0)
        else:
            found = elect(walks, [walk["relevance"] for walk in walks])
            found, confidence = _proven(found, walks, sound), found.confidence
        runtime.stream_writer({"event": "decoded", "paths": len(walks)})
        lost = len(texts) - len(read)
        told_of = [f"{lost} of {len(texts)} written walks could not be read"] if lost else []
        notes = list(state.get("notes", []))
        return {
            "candidates": _distinct(walks),
            "answers": found.answers,
            "unsupported": found.unsupported,
            "lost": lost,
            "reasoner": "likelihood",
            "confidence": round(min(confidence, 1.0), 6),
            "notes": [*notes, *(note for note in (LIKELIHOOD, *told_of) if note not in notes)],
            "usage": spent(state, since, kg_requests=requests, **of_model(cost)),
        }

    return run


def _starts(
    local: LocalModel, state: State, topics: Sequence[Named], prompts: Folder | None
) -> list[tuple[list[int], str]]:
    """The tokens after which to write, and the beginning of the text that is among them."""
    question, mentions = state.get("question", ""), question_mentions(state)
    prompt, _ = wire_prompt(local, question, mentions, PATH, prompts)
    if not local.settings.masked:
        return [(prompt, "")]
    opening, arrow = wire_tokens(local.tokenizer, PATH)[0], unit_style(local.tokenizer, []).arrow
    names = [escape(topic["label"]) for topic in topics]
    return [
        ([*prompt, opening, *name_tokens, *arrow], f"{PATH.open}{name}{ARROW}")
        for name, name_tokens in zip(names, tokenize(local.tokenizer, names), strict=True)
    ]


def _understood(
    understand: Understand, read: Sequence[Sequence[WrittenTriple]], topics: Sequence[Named]
) -> tuple[list[Walk], list[bool], int]:
    """The written walks in terms of the KG, whether it may hold them, and the requests."""
    steps, held, requests = understand([step for walk in read for step in walk], [], topics)
    walks, sound, place = list[Walk](), list[bool](), 0
    for own in read:
        part = slice(place, place + len(own))
        first = steps[place]
        start = first["tail"] if first["inverse"] else first["head"]
        walks.append(Walk(topic=start, steps=steps[part], score=1.0, relevance=1.0))
        sound.append(all(holds is not False for holds in held[part]))
        place += len(own)
    return walks, sound, requests


def _thought(walk: Walk, sound: bool) -> Thought:
    last = end(walk)
    answers = [Answer(**last, score=1.0, chains=[walk["steps"]])] if sound else []
    return Thought(walked(walk), answers, [] if sound else [last["label"]])


def _proven(found: Conclusion, walks: Sequence[Walk], sound: Sequence[bool]) -> Conclusion:
    """The answers whose walks the KG may hold; the others are only asserted."""
    held = [walk["steps"] for walk, holds in zip(walks, sound, strict=True) if holds]
    answers = list[Answer]()
    for answer in found.answers:
        if chains := [chain for chain in answer["chains"] if chain in held]:
            answers.append({**answer, "chains": chains})
    kept = {answer["term"] for answer in answers}
    others = [answer["label"] for answer in found.answers if answer["term"] not in kept]
    return Conclusion(answers, others, found.confidence)


def _distinct(walks: Sequence[Walk]) -> list[Candidate]:
    found: dict[str, Candidate] = {}
    for candidate in map(walked, walks):
        found.setdefault(candidate["text"], candidate)
    return list(found.values())
