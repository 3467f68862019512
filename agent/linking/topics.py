"""From stretches that name something to the topics of a question, each with its candidates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..kg.labels.index import TermInfo
from ..kg.labels.names import normalise
from ..kg.store import Labels
from ..kg.terms import Term
from .context import (
    Surroundings,
    described,
    is_apposition,
    listed_with,
    relevance,
    surroundings,
    tells_which,
)
from .mention import Candidate, Mention, is_ambiguous
from .mentions import Span, Token, whole_end
from .ranking import Found, as_adjective, candidates, in_context


class Words(NamedTuple):
    """The words that alone name no entity, and the names of the KG's relations.

    Of these and of classes, `nouns` are the last words.
    """

    everyday: frozenset[str]
    relations: frozenset[str]
    nouns: frozenset[str]


def mentions(
    labels: Labels, question: str, tokens: Sequence[Token], named: Iterable[Found], words: Words
) -> list[Mention]:
    """Rank candidates in context, drop what only describes another mention, merge topics."""
    items = sorted(named, key=lambda item: item.span)
    terms = dict.fromkeys(graded.hit.term for item in items for graded in item.grades)
    if not terms:
        return []
    infos = {info.term: info for info in labels.describe(list(terms))}
    first = {item.span: _mention(question, item, infos) for item in items}
    hidden = {
        item.span: {graded.hit.term for graded in item.grades if graded.hit.kind == "hidden"}
        for item in items
    }
    lists = listed_with(question, tokens, list(first))
    ranked: dict[Span, Mention] = {}
    absorbed: set[Span] = set()
    for span, mention in first.items():
        several = len(mention.candidates) > 1
        beside = {
            other: first[other].candidates[0]
            for other in first
            if is_apposition(question, tokens, span, other)
            or (several and tells_which(question, tokens, span, other))
        }
        listed = lists[span] - {span, *beside}
        others = [first[other] for other in first if other not in (span, *beside, *listed)]
        if several and span.first >= 0:
            said = surroundings(question, tokens, span, words.relations, words.everyday, listed)
            mention = _in_context(mention, said, list(beside.values()), others, infos)
            word = described(question, tokens, lists[span])
            kinds = {normalise(candidate.kind) for candidate in mention.candidates}
            if word in words.nouns - kinds:
                mention = replace(
                    mention, candidates=as_adjective(mention.candidates, hidden[span])
                )
        ranked[span] = mention
        best = f" {normalise(mention.candidates[0].description)} "
        absorbed.update(
            other
            for other, candidate in beside.items()
            if any(f" {normalise(name)} " in best for name in (candidate.label, first[other].text))
        )
    topics: dict[Term, Mention] = {}
    for span, mention in ranked.items():
        if span not in absorbed:
            topics.setdefault(mention.candidates[0].term, mention)
    return list(topics.values())


def _mention(question: str, item: Found, infos: Mapping[Term, TermInfo]) -> Mention:
    start, end = item.span.start, whole_end(question, item.span)
    several = [infos[graded.hit.term] for graded in item.grades]
    return Mention(question[start:end], start, end, candidates(item, several))


def _in_context(
    mention: Mention,
    said: Surroundings,
    beside: Sequence[Candidate],
    others: Sequence[Mention],
    infos: Mapping[Term, TermInfo],
) -> Mention:
    clear = [other.candidates[0] for other in others if not is_ambiguous(other)]
    beside_labels = [candidate.label for candidate in beside]
    other_labels = [candidate.label for candidate in clear]
    fits = [
        relevance(infos[candidate.term], said, beside_labels, other_labels)
        for candidate in mention.candidates
    ]
    named = frozenset(candidate.term for candidate in clear)
    return replace(mention, candidates=in_context(mention.candidates, fits, named))
