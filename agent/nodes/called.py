"""What a set of answers is called, what is not in it, and by which ways it was reached."""

from collections.abc import Sequence

from ..conversation.wording import same_noun
from ..kg import KnowledgeGraph
from ..state import Answer, StepRecord
from .computed import Computed, some


def left_out(kg: KnowledgeGraph, members: Computed) -> list[str]:
    """The topics that may belong to the set: a walk of several steps never comes back to them."""
    if all(len(chain) == 1 for answer in members.answers for chain in answer["chains"]):
        return []
    kinds = {info.kind for info in kg.labels.describe([a["term"] for a in members.answers])}
    return [topic["label"] for topic in members.topics if topic["kind"] in kinds]


def are(kg: KnowledgeGraph, answers: Sequence[Answer], noun: str) -> bool:
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


def compared_ways(answers: Sequence[Answer]) -> list[str]:
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
