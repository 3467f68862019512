"""Chains that were not decoded for this question, looked up at their source before they count."""

from collections.abc import Collection, Iterable, Sequence

from ..answers.candidates import path_of
from ..answers.computed import Computed, result_record
from ..answers.texts import answers_line
from ..errors import ServiceError
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..kg.terms import Path, Step, Term, node_of
from ..kg.verification.claims import PathVerdict, verify_paths
from ..records import SILENT, Answer, Named, Status, StepRecord, Turn
from .turns import last_about


def checked_answers(
    kg: KnowledgeGraph, topics: Sequence[Named], answers: Sequence[Answer]
) -> list[Answer]:
    """Earlier answers with those of their chains that the store still holds; those with any.

    A loose chain may begin at what an even earlier question was about. Raises ServiceError where
    the store does not answer.
    """
    chains = [(answer, chain) for answer in answers for chain in answer["chains"] if chain]
    paths = [path_of(start_of(chain), chain) for _, chain in chains]
    pairs = list(zip(chains, paths, strict=True))
    loose = list(dict.fromkeys(p for (earlier, _), p in pairs if earlier.get("form") == "chain"))
    strict = list(dict.fromkeys(path for path in paths if path not in loose))
    starts = [topic["term"] for topic in topics]
    judged = dict(zip(strict, _judged(kg, starts, strict), strict=True)) | dict(
        zip(loose, _judged(kg, {path.topic for path in loose}, loose, loose), strict=True)
    )
    kept: dict[Term, Answer] = {}
    for (answer, chain), path in pairs:
        if judged[path].verdict == "supported":
            kept.setdefault(answer["term"], {**answer, "chains": []})["chains"].append(chain)
    return list(kept.values())


def start_of(chain: Sequence[StepRecord]) -> Term:
    """The entity that a chain leaves."""
    first = chain[0]
    return node_of((first["tail"] if first["inverse"] else first["head"])["term"])


def _judged(
    kg: KnowledgeGraph, starts: Iterable[Term], paths: Sequence[Path], loose: Collection[Path] = ()
) -> list[PathVerdict]:
    with metered() as meter:
        judged = verify_paths(kg.store, starts, paths, chains=loose)
    if any(judgement.verdict == "unknown" for judgement in judged):
        silent = "the graph could not be asked whether it still holds a triple"
        raise ServiceError(meter.failure or silent)
    return judged


def steps_of(answer: Answer) -> tuple[Step, ...]:
    """The steps of all chains of an answer, one chain after the other."""
    paths = [path_of(start_of(chain), chain) for chain in answer["chains"] if chain]
    return tuple(step for path in paths for step in path.steps)


def verified_steps(answers: Sequence[Answer]) -> dict[Step, StepRecord]:
    """The steps of the chains of verified answers, with their records."""
    steps: dict[Step, StepRecord] = {}
    for answer in answers:
        for chain in filter(None, answer["chains"]):
            steps |= zip(path_of(start_of(chain), chain).steps, chain, strict=True)
    return steps


def answers_again(kg: KnowledgeGraph, turns: Sequence[Turn], *, members: bool = False) -> Computed:
    """The last turn's answers with their chains, looked up again. Raises ServiceError.

    The `members` alone are what a count or a comparison was made of, and not what it came to.
    """
    turn = last_about(turns)
    if turn is None:
        return Computed("abstained", notes=["there is no earlier answer"])
    answers = checked_answers(kg, turn["topics"], turn["answers"])
    lost = len(turn["answers"]) - len(answers)
    notes = list(turn["notes"])
    if lost:
        notes.append(f"{lost} of its answers are no longer in the graph")
    text = answers_line(answers) if lost else turn["text"]
    compared = [] if members else _checked_triples(kg, turn.get("triples", []))
    how = "the chains of the last answer, looked up again"
    is_silent = turn["status"] in SILENT
    is_told = not is_silent and not (members and answers)
    result = result_record("why", text, how, triples=compared) if is_told else None
    silent: Status = turn["status"] if is_silent else "abstained"
    status = "answered" if answers or compared else silent
    return Computed(status, answers, turn["topics"], result, notes, turn["confidence"])


def _checked_triples(kg: KnowledgeGraph, triples: Sequence[StepRecord]) -> list[StepRecord]:
    """Those of some triples that the store still holds. Raises ServiceError."""
    forwards: list[StepRecord] = [{**step, "inverse": False} for step in triples]
    paths = [path_of(start_of([step]), [step]) for step in forwards]
    judged = _judged(kg, {path.topic for path in paths}, paths) if paths else []
    pairs = zip(forwards, judged, strict=True)
    return [step for step, judgement in pairs if judgement.verdict == "supported"]
