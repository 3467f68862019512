"""induce: from decoded paths to answers (GCR section 4.3).

A general LLM reads the paths and names the answers, in one call. Without one, a vote decides, and
the result says so. Neither makes a fact: every answer keeps the chains that must prove it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as Folder
from time import perf_counter

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from ...prompts import render
from ..answers.candidates import name_terms, reading_notes, step_records
from ..answers.judging import not_shown
from ..answers.question import (
    Conclusion,
    Outcome,
    Question,
    accounted,
    concluded,
    question_in,
)
from ..answers.vote import Elected, vote
from ..kg import KnowledgeGraph
from ..kg.labels.names import one_line
from ..kg.terms import Term
from ..llm.asking import Asker, UnansweredError
from ..llm.matching import Labels, lettered, unlettered
from ..llm.replies import read_answers, says_nothing
from ..options import Options
from ..records import Answer, Candidate
from ..state import State
from . import Node

_MOST_PATHS = 200
"""Paths that one prompt shows, the likeliest first."""

EXPLANATION = "# Explanation:"
"""What stands above the explanation in a reply, where one was asked for."""


@dataclass(frozen=True)
class Reasoning:
    """How a method's candidates are reasoned over."""

    kg: KnowledgeGraph
    llm: BaseChatModel | None
    prompts: Folder | None = None
    folder: str = "gcr"
    """The folder of the prompt with which the LLM is asked."""
    common: bool = False
    """Whether a relation path from several topics means what they lead to in common."""
    topics_apart: bool = False
    """Whether each topic was searched from alone, where `Options.every_topic` says so."""


def induce(reasoning: Reasoning) -> Node:
    """Answers and their chains from the candidates; by the LLM, or by vote without one."""

    def run(state: State, runtime: Runtime[Options]) -> State:
        since = perf_counter()
        question = question_in(state, runtime.context or Options())
        candidates = state.get("candidates", [])
        outcome = induced(reasoning, question, candidates)
        conclusion = outcome.conclusion or Conclusion()
        if conclusion.reasoner != "llm":  # what the LLM asserted over a narrower view stays
            conclusion = replace(conclusion, unsupported=state.get("unsupported", []))
        if not candidates:
            conclusion = replace(conclusion, confidence=state.get("confidence", 0.0))
        return {**concluded(state, conclusion), **accounted(state, outcome, since)}

    return run


def induced(reasoning: Reasoning, question: Question, candidates: Sequence[Candidate]) -> Outcome:
    """What is concluded from candidates. Where the LLM does not answer, the vote still stands."""
    options, common = question.options, reasoning.common
    if options.reasoning == "ends":
        return _all_ends(candidates)
    asks = candidates or options.planning == "none"
    if reasoning.llm is None or not asks or options.reasoning != "best":
        return voted(
            reasoning.kg, question, candidates, common=common, topics_apart=reasoning.topics_apart
        )
    asker = Asker(reasoning.llm)
    try:
        return _asked_of_llm(asker, reasoning, question, candidates)
    except UnansweredError as error:
        fallback = voted(
            reasoning.kg, question, candidates, common=common, topics_apart=reasoning.topics_apart
        )
        decided = "; the vote did" if fallback.conclusion and fallback.conclusion.answers else ""
        notes = [*fallback.notes, f"{error}: the LLM did not answer{decided}"]
        return replace(fallback, notes=notes, cost={**asker.cost, **fallback.cost})


def _all_ends(candidates: Sequence[Candidate]) -> Outcome:
    """Every candidate's end is an answer, the likeliest first (RoG's ablation, section 5.3)."""
    ordered = sorted(candidates, key=lambda c: -c["score"])
    answers: dict[str, Answer] = {}
    for candidate in ordered:
        answer = Answer(**candidate["answer"], score=candidate["score"], chains=[])
        answers.setdefault(answer["term"], answer)["chains"].append(candidate["steps"])
    confidence = max((c["relevance"] for c in ordered), default=0.0)
    return Outcome(
        conclusion=Conclusion(list(answers.values()), (), confidence, "ends"),
        notes=reading_notes(c.get("read", []) for c in ordered),
    )


def voted(
    kg: KnowledgeGraph,
    question: Question,
    candidates: Sequence[Candidate],
    *,
    common: bool = False,
    topics_apart: bool = False,
) -> Outcome:
    """What the vote over candidates concludes; `common` and the rest are as in `Reasoning`."""
    options = question.options
    topics_apart = topics_apart and options.every_topic
    result = vote(
        kg.walks,
        candidates,
        question.terms,
        options,
        common=common,
        topics_apart=topics_apart,
        offered=_offered(kg, question.choices),
    )
    if result is None:
        return Outcome(conclusion=Conclusion(reasoner="vote"))
    answers, notes = _proven_answers(kg, result.elected)
    cuts = not_shown(result.left_out)
    if result.truncated:
        cuts.append("the relation path reaches more entities than were followed")
    return Outcome(
        conclusion=Conclusion(answers, (), result.confidence, "vote"),
        notes=notes,
        cuts=cuts,
        cost={"kg_requests": result.requests},
    )


def _proven_answers(
    kg: KnowledgeGraph, elected: Sequence[Elected]
) -> tuple[list[Answer], list[str]]:
    """The elected ends with the chains that prove them, and a note on what these rest on."""
    named_terms = name_terms(kg.labels, [winner.end for winner in elected])
    walks = [path for winner in elected for path in winner.paths]
    proofs = dict(zip(walks, kg.prove(walks), strict=True))
    proven = list(dict.fromkeys(proof for proof in proofs.values() if proof))
    chains = dict(zip(proven, step_records(kg.labels, proven), strict=True))
    answers = list[Answer]()
    for winner in elected:
        own_proofs = dict.fromkeys(proof for path in winner.paths if (proof := proofs[path]))
        if own_proofs:
            shown = [chains[proof] for proof in own_proofs]
            answers.append(Answer(**named_terms[winner.end], score=winner.score, chains=shown))
    used = (kg.used(path, proof) for path, proof in proofs.items() if proof)
    return answers, reading_notes(used)


def _offered(
    kg: KnowledgeGraph, choices: Sequence[str]
) -> Callable[[Sequence[Term]], set[Term]] | None:
    """Which of some terms have the name of a choice; None where there are no choices."""
    if not choices:
        return None

    def offered(terms: Sequence[Term]) -> set[Term]:
        infos = kg.labels.describe(terms)
        known = Labels(info.name for info in infos), Labels(info.label for info in infos)
        matched = (i for labels in known for choice in choices for i in labels.positions(choice))
        return {infos[i].term for i in matched}

    return offered


def _asked_of_llm(
    asker: Asker, reasoning: Reasoning, question: Question, candidates: Sequence[Candidate]
) -> Outcome:
    """What the LLM concludes from the candidates. Raises UnansweredError."""
    ordered, cuts = sorted(candidates, key=lambda c: -c["score"]), list[str]()
    if len(ordered) > _MOST_PATHS:
        cuts.append(f"the LLM was shown {_MOST_PATHS} of {len(ordered)} paths")
        ordered = ordered[:_MOST_PATHS]
    prompt = render(
        f"{reasoning.folder}/induce.jinja",
        reasoning.prompts,
        question=question.text,
        paths=[{"text": c["text"], "answer": c["hypothesis"]} for c in ordered],
        explain=question.options.explain,
        examples=question.options.examples,
        choices=lettered(question.choices),
    )
    lines, _, reasons = asker.ask(prompt).partition(EXPLANATION)
    asker.unread += says_nothing(lines)
    answers, unsupported = match_lines(lines, ordered, question.choices)
    proofs = [chain for answer in answers for chain in answer["chains"]]
    notes = reading_notes(c.get("read", []) for c in ordered if c["steps"] in proofs)
    if reasons.strip():
        notes.append(f"the LLM's explanation, unchecked: {one_line(reasons)[:1_000]}")
    return Outcome(
        conclusion=Conclusion(answers, unsupported, 1.0 if answers else 0.0, "llm"),
        notes=notes,
        cuts=cuts,
        cost=asker.cost,
        shortened=asker.shortened,
    )


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
    matched, unsupported = known.match(names)
    if names and not matched:
        lines = known.match(_lines(reply, known))
        matched, unsupported = lines if lines[0] else (matched, unsupported)
    answers: dict[str, Answer] = {}
    for proof in (candidates[i] for positions in matched for i in positions):
        term = proof["answer"]["term"]
        answer = answers.setdefault(
            term, Answer(**proof["answer"], score=proof["score"], chains=[])
        )
        if proof["steps"] not in answer["chains"]:
            answer["chains"].append(proof["steps"])
    return list(answers.values()), unsupported


def _lines(reply: str, labels: Labels) -> list[str]:
    """The lines, those that are names without what numbers them, such as `1.` in `1.Oslo`."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    tries = ((line, line.lstrip("-*•0123456789.) ")) for line in lines)
    return [next(filter(labels.positions, texts), texts[0][:200]) for texts in tries]
