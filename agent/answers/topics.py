"""Topic entities that come with a question, as datasets have them, in the place of linked ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..kg import KnowledgeGraph
from ..kg.labels.index import TermInfo
from ..kg.store import metered
from ..kg.terms import Term
from ..linking import Candidate, Linker, Mention, is_ambiguous
from ..linking.mention import listed_names
from ..records import Entity, MentionRecord
from .differences import described_candidates, told_apart, with_distinguishing_facts
from .values_beside import told_by_values

TAKEN_FOR = '" is taken for '
"""What a note on a misspelt name has between the name and what it is read as."""


def given_mentions(
    kg: KnowledgeGraph, question: str, topics: Sequence[str], linked: Sequence[Mention]
) -> tuple[list[Mention], list[str]]:
    """A mention for each given topic, a term or a label; and notes on those that are not in the KG.

    A topic stands where the linker or its name finds it in the question, else nowhere: its mention
    is empty, at the beginning. Of several entities of one label the one with most facts is meant.
    """
    mentions, notes, taken_spans = list[Mention](), list[str](), list[tuple[int, int]]()
    for text in dict.fromkeys(topics):
        info = find_entity(kg, text)
        if info is None:
            notes.append(f"the given topic {text} is not in the graph")
            continue
        start, end = _span_of(question, info, linked)
        if any(start < stop and begin < end for begin, stop in taken_spans):
            start = end = 0
        taken_spans.append((start, end))
        mentions.append(Mention(question[start:end], start, end, (_candidate(info),)))
    return mentions, notes


def find_entity(kg: KnowledgeGraph, text: str) -> TermInfo | None:
    """The entity of a term, or that of a label with most facts; None where the KG has none."""
    if text.startswith(("<", '"', "_:")):
        (steps,) = kg.walks.neighbours([text], limit=1)
        return kg.labels.describe([text])[0] if steps else None
    infos = kg.labels.describe(kg.labels.named(text))
    return min(infos, key=lambda info: (-info.degree, info.term), default=None)


def listed_apart(kg: KnowledgeGraph, terms: Sequence[Term]) -> list[str]:
    """Entities as candidates are listed, with what tells those of one name apart. ServiceError."""
    infos = {info.term: info for info in kg.labels.describe(list(terms))}
    candidates = told_apart(kg, [_candidate(infos[term]) for term in terms])
    return listed_names(mention_record(Mention("", 0, 0, candidates))["candidates"])


def _candidate(info: TermInfo) -> Candidate:
    known = (info.term, info.name, info.label, info.description, info.kind)
    return Candidate(*known, 1.0, "label")


def _span_of(question: str, info: TermInfo, linked: Sequence[Mention]) -> tuple[int, int]:
    """Where the question names an entity; nothing at its beginning where it does not."""
    for mention in linked:
        if any(candidate.term == info.term for candidate in mention.candidates):
            return mention.start, mention.end
    for name in (info.name, info.label):
        start = question.find(name)
        if start >= 0:
            return start, start + len(name)
    return 0, 0


class Linked(NamedTuple):
    """The mentions of a question, notes about them, and how often an endpoint was asked."""

    mentions: list[MentionRecord]
    notes: list[str]
    requests: int


def linked(
    linker: Linker, kg: KnowledgeGraph | None, question: str, given: Sequence[str] | None = None
) -> Linked:
    """Link a question; a name that may mean several has what tells them. Raises ServiceError."""
    with metered() as meter:
        recognised, missing = linker.link(question), list[str]()
        if kg is not None and given is not None:
            recognised, missing = given_mentions(kg, question, given, recognised)
        represented_mentions = [represented(mention, kg) for mention in recognised]
        mentions = [mention for mention, _ in represented_mentions]
        if kg is not None:
            mentions = told_by_values(kg, question, mentions)
            mentions, unlike = _bracketed_as_described(kg, question, mentions)
            mentions = [with_distinguishing_facts(kg, mention) for mention in mentions]
            missing += unlike
    misspelt = [_spelling_note(mention) for mention, _ in represented_mentions]
    notes = [
        *missing,
        *dict.fromkeys(filter(None, (*misspelt, *(note for _, note in represented_mentions)))),
    ]
    return Linked(list(map(mention_record, mentions)), notes, meter.requests)


def _bracketed_as_described(
    kg: KnowledgeGraph, question: str, mentions: Sequence[Mention]
) -> tuple[list[Mention], list[str]]:
    """The mentions, those in brackets as they are described there; and notes on what is not so."""
    described_mentions, notes = list[Mention](), list[str]()
    for mention in mentions:
        is_marked = question[: mention.start].rstrip().endswith("[")
        described = described_candidates(kg, mention) if is_marked else mention
        if described is None:
            notes.append(f"nothing in the graph is {mention.text}")
        else:
            described_mentions.append(described)
    return described_mentions, notes


def _spelling_note(mention: Mention) -> str:
    """The note on a name that is spelt otherwise than in the question; empty for any other."""
    first, *_ = mention.candidates
    is_told = first.matched == "fuzzy" and not is_ambiguous(mention)
    return f'"{mention.text}{TAKEN_FOR}{first.name}' if is_told else ""


def best_topics(mentions: list[MentionRecord]) -> list[Entity]:
    """The first candidate of every mention, each entity once, in the order of the question."""
    best = [mention["candidates"][0] for mention in mentions]
    return list({entity["term"]: entity for entity in best}.values())


def settled_topics(mentions: list[MentionRecord], *, is_settled: bool = False) -> list[Entity]:
    """The topics, without those of names that may mean several entities, unless all is settled."""
    return best_topics([mention for mention in mentions if is_settled or not mention["ambiguous"]])


def represented(mention: Mention, kg: KnowledgeGraph | None) -> tuple[Mention, str]:
    """The mention with representatives for its candidates, each once; and a note where it tells."""
    if kg is None or not kg.reading.same_as:
        return mention, ""
    representatives = kg.representatives(candidate.term for candidate in mention.candidates)
    infos = {info.term: info for info in kg.labels.describe(list({*representatives.values()}))}
    distinct: dict[Term, Candidate] = {}
    for candidate in mention.candidates:
        info = infos[representatives[candidate.term]]
        fields = (info.term, info.name, info.label, info.description, info.kind)
        representative = Candidate(*fields, candidate.score, candidate.matched)
        distinct.setdefault(info.term, candidate if info.term == candidate.term else representative)
    first = mention.candidates[0]
    info = infos[representatives[first.term]]
    is_replaced = first.term != info.term
    note = f"{first.name} is read as {info.name}, the same by owl:sameAs" if is_replaced else ""
    return replace(mention, candidates=tuple(distinct.values())), note


def mention_record(mention: Mention) -> MentionRecord:
    """The JSON record of a linked mention."""
    return MentionRecord(
        text=mention.text,
        start=mention.start,
        end=mention.end,
        ambiguous=is_ambiguous(mention),
        candidates=[
            Entity(
                term=candidate.term,
                label=candidate.name,
                kind=candidate.kind,
                description=candidate.description,
                score=round(candidate.score, 6),
            )
            for candidate in mention.candidates
        ],
    )
