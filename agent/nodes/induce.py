"""induce: from decoded paths to answers (GCR section 4.3).

A general LLM reads the paths and names the answers, in one call. Without one, a vote decides, and
the result says so. Neither makes a fact: every answer keeps the chains that must prove it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path as Folder
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ..kg import KnowledgeGraph
from ..kg.names import one_line
from ..kg.terms import Term
from ..llm.asking import Asker, UnansweredError
from ..llm.choices import lettered, unlettered
from ..llm.matching import Labels
from ..llm.reading import read_answers, says_nothing
from ..options import Options
from ..prompting import render
from ..state import Answer, Candidate, State
from . import Node
from .records import name_terms, readings_of, step_records, with_reading
from .usage import spent
from .vote import vote

_MOST_PATHS = 200
"""Paths that one prompt shows, the likeliest first."""

EXPLANATION = "# Explanation:"
"""What stands above the explanation in a reply, where one was asked for."""


def induce(
    kg: KnowledgeGraph,
    llm: BaseChatModel | None,
    prompts: Folder | None = None,
    method: str = "gcr",
    *,
    common: bool = False,
    apart: bool = False,
) -> Node:
    """Answers and their chains from the candidates; by `llm`, or by vote without one.

    The LLM is asked as the prompt folder `method` says; `common` is the vote's, and `apart`
    where each topic is searched from alone (`Options.every_topic`).
    """

    def run(state: State, runtime: Runtime[Options]) -> dict[str, Any]:
        options = runtime.context or Options()
        if options.reasoning == "ends":
            return _ends(state)
        asks = state.get("candidates") or options.planning == "none"
        if llm is not None and asks and options.reasoning == "best":
            since, asker = perf_counter(), Asker(llm)
            try:
                return _ask(asker, state, prompts, method, options)
            except UnansweredError as error:  # the vote still stands
                asked: State = {**state, "usage": spent(state, since, **asker.cost)}
                changes = _vote(kg, asked, options, common=common, apart=apart)
                voted = "; the vote did" if changes["answers"] else ""
                note = f"{error}: the LLM did not answer{voted}"
                return {**changes, "notes": [*(n for n in changes["notes"] if n != note), note]}
        return _vote(kg, state, options, common=common, apart=apart)

    return run


def _ends(state: State) -> dict[str, Any]:
    """Every candidate's end is an answer, the likeliest first (RoG's ablation, section 5.3)."""
    since = perf_counter()
    candidates = sorted(state.get("candidates", []), key=lambda c: -c["score"])
    answers: dict[str, Answer] = {}
    for own in candidates:
        answer = Answer(**own["answer"], score=own["score"], chains=[])
        answers.setdefault(answer["term"], answer)["chains"].append(own["steps"])
    return {
        "answers": list(answers.values()),
        "notes": with_reading(state.get("notes", []), readings_of(candidates)),
        "reasoner": "ends",
        "confidence": max((c["relevance"] for c in candidates), default=0.0),
        "usage": spent(state, since),
    }


def _vote(
    kg: KnowledgeGraph, state: State, options: Options, *, common: bool, apart: bool
) -> dict[str, Any]:
    since = perf_counter()
    notes = list(state.get("notes", []))
    linked = [topic["term"] for topic in state.get("topics", [])]
    offered = _offered(kg, state.get("choices", []))
    apart = apart and options.every_topic
    candidates = state.get("candidates", [])
    outcome = vote(
        kg.walks, candidates, linked, options, common=common, apart=apart, offered=offered
    )
    if outcome is None:
        return {"answers": [], "reasoner": "vote", "notes": notes, "usage": spent(state, since)}
    named = name_terms(kg.labels, [elected.end for elected in outcome.elected])
    walked = [path for elected in outcome.elected for path in elected.paths]
    proofs = dict(zip(walked, kg.prove(walked), strict=True))
    used = (kg.used(path, proof) for path, proof in proofs.items() if proof)
    notes = with_reading(notes, used)
    proven = list(dict.fromkeys(proof for proof in proofs.values() if proof))
    chains = dict(zip(proven, step_records(kg.labels, proven), strict=True))
    answers = list[Answer]()
    for elected in outcome.elected:
        own = dict.fromkeys(proof for path in elected.paths if (proof := proofs[path]))
        if own:
            shown = [chains[proof] for proof in own]
            answers.append(Answer(**named[elected.end], score=elected.score, chains=shown))
    if outcome.left_out:
        more = "answer is" if outcome.left_out == 1 else "answers are"
        notes.append(f"{outcome.left_out} more {more} not shown")
    if outcome.truncated:
        notes.append("the relation path reaches more entities than were followed")
    return {
        "answers": answers,
        "reasoner": "vote",
        "confidence": outcome.confidence,
        "notes": notes,
        "usage": spent(state, since, kg_requests=outcome.requests),
    }


def _offered(
    kg: KnowledgeGraph, choices: Sequence[str]
) -> Callable[[Sequence[Term]], set[Term]] | None:
    """Which of some terms have the name of a choice; None where there are no choices."""
    if not choices:
        return None

    def offered(terms: Sequence[Term]) -> set[Term]:
        infos = kg.labels.describe(terms)
        known = Labels(info.name for info in infos), Labels(info.label for info in infos)
        places = (place for own in known for choice in choices for place in own.places(choice))
        return {infos[place].term for place in places}

    return offered


def _ask(
    asker: Asker, state: State, prompts: Folder | None, method: str, options: Options
) -> dict[str, Any]:
    since = perf_counter()
    candidates = sorted(state.get("candidates", []), key=lambda c: -c["score"])
    notes, choices = list(state.get("notes", [])), state.get("choices", [])
    if len(candidates) > _MOST_PATHS:
        notes.append(f"the LLM was shown {_MOST_PATHS} of {len(candidates)} paths")
        candidates = candidates[:_MOST_PATHS]
    prompt = render(
        f"{method}/induce.jinja",
        prompts,
        question=state.get("question", ""),
        paths=[{"text": c["text"], "answer": c["hypothesis"]} for c in candidates],
        explain=options.explain,
        examples=options.examples,
        choices=lettered(choices),
    )
    lines, _, reasons = asker.ask(prompt).partition(EXPLANATION)
    asker.unread += says_nothing(lines)
    answers, unsupported = match_lines(lines, candidates, choices)
    given = [chain for answer in answers for chain in answer["chains"]]
    notes = with_reading(notes, readings_of(c for c in candidates if c["steps"] in given))
    notes = asker.told(notes)
    if reasons.strip():
        notes.append(f"the LLM's explanation, unchecked: {one_line(reasons)[:1_000]}")
    return {
        "answers": answers,
        "unsupported": unsupported,
        "reasoner": "llm",
        "confidence": 1.0 if answers else 0.0,
        "notes": notes,
        "usage": spent(state, since, **asker.cost),
    }


def match_lines(
    reply: str, candidates: Sequence[Candidate], choices: Sequence[str] = ()
) -> tuple[list[Answer], list[str]]:
    """What a reply answers, with the chains, and the names in it that no decoded path ends in.

    Where it is not written as it was asked for, the lines that are names count. Letters are those
    of `choices`.
    """
    labels = [decoded["answer"]["label"] for decoded in candidates]
    known = Labels(labels)
    names = unlettered(read_answers(reply, labels), choices)
    found, unsupported = known.match(names)
    if names and not found:
        lines = known.match(_lines(reply, known))
        found, unsupported = lines if lines[0] else (found, unsupported)
    answers: dict[str, Answer] = {}
    for proof in (candidates[place] for places in found for place in places):
        term = proof["answer"]["term"]
        answer = answers.setdefault(
            term, Answer(**proof["answer"], score=proof["score"], chains=[])
        )
        if proof["steps"] not in answer["chains"]:
            answer["chains"].append(proof["steps"])
    return list(answers.values()), unsupported


def _lines(reply: str, known: Labels) -> list[str]:
    """The lines, those that are names without what numbers them, such as `1.` in `1.Oslo`."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    tries = ((line, line.lstrip("-*•0123456789.) ")) for line in lines)
    return [next(filter(known.places, own), own[0][:200]) for own in tries]
