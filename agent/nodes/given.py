"""Topic entities that come with a question, as datasets have them, in the place of linked ones."""

from collections.abc import Sequence

from ..kg import KnowledgeGraph
from ..kg.labels import TermInfo
from ..linking import Candidate, Mention


def given_mentions(
    kg: KnowledgeGraph, question: str, given: Sequence[str], linked: Sequence[Mention]
) -> tuple[list[Mention], list[str]]:
    """A mention for each given topic, a term or a label; and notes on those that are not in the KG.

    A topic stands where the linker or its name finds it in the question, else nowhere: its mention
    is empty, at the beginning. Of several entities of one label the one with most facts is meant.
    """
    mentions, notes, taken = list[Mention](), list[str](), list[tuple[int, int]]()
    for text in dict.fromkeys(given):
        info = find_entity(kg, text)
        if info is None:
            notes.append(f"the given topic {text} is not in the graph")
            continue
        start, end = _place(question, info, linked)
        if any(start < stop and begin < end for begin, stop in taken):
            start = end = 0
        taken.append((start, end))
        own = Candidate(info.term, info.name, info.label, info.description, info.kind, 1.0, "label")
        mentions.append(Mention(question[start:end], start, end, (own,)))
    return mentions, notes


def find_entity(kg: KnowledgeGraph, text: str) -> TermInfo | None:
    """The entity of a term, or that of a label with most facts; None where the KG has none."""
    if text.startswith(("<", '"', "_:")):
        (steps,) = kg.walks.neighbours([text], limit=1)
        return kg.labels.describe([text])[0] if steps else None
    infos = kg.labels.describe(kg.labels.named(text))
    return min(infos, key=lambda info: (-info.degree, info.term), default=None)


def _place(question: str, info: TermInfo, linked: Sequence[Mention]) -> tuple[int, int]:
    """Where the question names an entity; nothing at its beginning where it does not."""
    for mention in linked:
        if any(candidate.term == info.term for candidate in mention.candidates):
            return mention.start, mention.end
    for name in (info.name, info.label):
        start = question.find(name)
        if start >= 0:
            return start, start + len(name)
    return 0, 0
