"""The size of a set of answers, and its members with the largest or smallest value."""

from collections.abc import Sequence
from dataclasses import replace

from ..conversation.computing import extreme
from ..conversation.lookups import Valued, valued
from ..conversation.wording import same_noun
from ..kg import KnowledgeGraph
from ..kg.terms import Path, Term
from ..query.values import Value
from ..state import Answer, Operation, StepRecord
from .checked import checked_paths
from .computed import Computed, listed, some, told


def counted(kg: KnowledgeGraph, operation: Operation, members: Computed) -> Computed:
    """The number of distinct members, where they are what was to be counted."""
    answers, noun = members.answers, operation["noun"]
    if noun and not _are(kg, answers, noun):
        note = f"what was found is not said to be {noun}: {listed(answers)}"
        return Computed("abstained", topics=members.topics, notes=[*members.notes, note])
    apart = _left_out(kg, members)
    but = f", not counting {some(apart)}" if apart else ""
    text = f"{len(answers)}{but} (counted: {listed(answers)})"
    how = "counted over verified answers; the graph may not hold all that there are"
    result = told("count", text, how, value=len(answers))
    return replace(members, status="answered", result=result)


def _left_out(kg: KnowledgeGraph, members: Computed) -> list[str]:
    """The topics that may belong to the set: a walk of several steps never comes back to them."""
    if all(len(chain) == 1 for answer in members.answers for chain in answer["chains"]):
        return []
    kinds = {info.kind for info in kg.labels.describe([a["term"] for a in members.answers])}
    return [topic["label"] for topic in members.topics if topic["kind"] in kinds]


def _are(kg: KnowledgeGraph, answers: Sequence[Answer], noun: str) -> bool:
    """Whether a noun calls answers by their class, or by the relation that led to them.

    In a graph without classes, whatever was found is taken for it.
    """
    infos = kg.labels.describe([answer["term"] for answer in answers])
    kinds = {info.kind for info in infos if info.kind}
    if not kinds:
        return True
    vocabulary = kg.labels.vocabulary()
    ends = [chain[-1]["relation"] for answer in answers for chain in answer["chains"]]
    meant = {relation["term"] for relation in ends}
    meant |= {word.term for word in vocabulary if word.text in kinds and not word.relation}
    names = kinds | {relation["label"] for relation in ends}
    names |= {word.text for word in vocabulary if word.term in meant}
    return any(same_noun(noun, name) for name in names)


def extreme_of(kg: KnowledgeGraph, operation: Operation, members: Computed) -> Computed:
    """The members with the largest or smallest value, and the verified values of all.

    Raises ServiceError.
    """
    own = {answer["term"]: answer for answer in members.answers}
    found = valued(kg, list(own), operation["properties"])
    proven = _proven(kg, found) if found else {}
    values = {member: [value for value, _ in pairs] for member, pairs in proven.items()}
    best = extreme(list(own), values, most=operation["most"])
    if found is None or best is None:
        note = f"none of {len(own)} has a value for {operation['properties'][0]} in the graph"
        return Computed("abstained", topics=members.topics, notes=[*members.notes, note])
    (name,) = kg.walk_labels.names([found.relation])
    winners = [own[term] for term in best.members]
    lacking = [own[term]["label"] for term in best.without]
    notes = [*members.notes, *_compared(members.answers)]
    if lacking:
        without = f"{len(lacking)} of {len(own)} have no {name} in the graph to compare"
        notes.append(f"{without}: {some(lacking)}")
    shown = next(steps for value, steps in proven[best.members[0]] if value == best.value)
    ends = ("earliest", "latest") if best.value.unit == "date" else ("smallest", "largest")
    end = ends[operation["most"]]
    triples = [step for pairs in proven.values() for _, steps in pairs for step in steps]
    compared = some([f"{step['head']['label']} {step['tail']['label']}" for step in triples])
    how = f"the {end} {name} of {len(own) - len(lacking)}: {compared}"
    text = f"{listed(winners)} ({name}: {shown[-1]['tail']['label']})"
    result = told("extreme", text, how, triples=triples)
    return replace(members, status="answered", answers=winners, result=result, notes=notes)


def _compared(answers: Sequence[Answer]) -> list[str]:
    """A note on which set was compared, where walks of several steps led to it."""
    ways = dict.fromkeys(_way(chain) for own in answers for chain in own["chains"] if chain)
    if all(len(chain) < 2 for own in answers for chain in own["chains"]):
        return []
    return [f"compared: everything that is reached by {some(list(ways))}"]


def _way(chain: Sequence[StepRecord]) -> str:
    """Where a chain starts, and the relations along it."""
    first = chain[0]
    start = (first["tail"] if first["inverse"] else first["head"])["label"]
    arrows = (
        f"<- {step['relation']['label']} -"
        if step["inverse"]
        else f"- {step['relation']['label']} ->"
        for step in chain
    )
    return " ... ".join([f"{start} {next(arrows)}", *arrows, ""]).rstrip()


def _proven(kg: KnowledgeGraph, found: Valued) -> dict[Term, list[tuple[Value, list[StepRecord]]]]:
    """The values of each member whose triples the store holds, with these."""
    paths = {
        (member, step): Path(member, (step,))
        for member, steps in found.steps.items()
        for step in steps
    }
    chains = checked_paths(kg, list(paths.values()))
    return {
        member: [
            (value, chains[path])
            for step, value in zip(steps, found.values[member], strict=True)
            if (path := paths[member, step]) in chains
        ]
        for member, steps in found.steps.items()
    }
