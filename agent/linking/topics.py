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
    disambiguates,
    is_apposition,
    listed_with,
    relevance,
    says_which,
    surroundings,
)
from .mention import Candidate, Mention, is_ambiguous
from .ranking import LinkedSpan, candidates, weighed_as_adjective, weighed_by_context
from .spans import Span, Token, whole_end


class Words(NamedTuple):
    """The words that alone name no entity, and the names of the KG's relations.

    Of these and of classes, `nouns` are the last words.
    """

    everyday: frozenset[str]
    relations: frozenset[str]
    nouns: frozenset[str]


def mentions(
    labels: Labels,
    question: str,
    tokens: Sequence[Token],
    linked_spans: Iterable[LinkedSpan],
    words: Words,
) -> list[Mention]:
    """Rank candidates in context, drop what only describes another mention, merge topics."""
    items = sorted(linked_spans, key=lambda item: item.span)
    terms = dict.fromkeys(graded.hit.term for item in items for graded in item.grades)
    if not terms:
        return []
    infos = {info.term: info for info in labels.describe(list(terms))}
    first = {item.span: _mention(question, item, infos) for item in items}
    hidden = {item.span: _terms_by_hidden_name(item) for item in items}
    lists = listed_with(question, tokens, list(first))
    ranked: dict[Span, Mention] = {}
    absorbed: set[Span] = set()
    for span, mention in first.items():
        apposed = _apposed_candidates(question, tokens, span, first)
        if len(mention.candidates) > 1 and span.first >= 0:
            listed = lists[span] - {span, *apposed}
            others = _mentions_outside(first, {span, *apposed, *listed})
            context = surroundings(question, tokens, span, words.relations, words.everyday, listed)
            mention = _weighed_by_context(mention, context, list(apposed.values()), others, infos)
            word = described(question, tokens, lists[span])
            mention = _weighed_as_adjective(mention, word, words.nouns, hidden[span])
        ranked[span] = mention
        absorbed.update(
            other_span for other_span in apposed if _describes(first[other_span], mention)
        )
    topic_spans = [span for span in first if span not in absorbed]
    topics: dict[Term, Mention] = {}
    for span in topic_spans:
        mention = _told_by_apposition(question, tokens, span, ranked[span], infos)
        if any(span.start < other_span.start < mention.end for other_span in topic_spans):
            mention = ranked[span]
        topics.setdefault(mention.candidates[0].term, mention)
    return list(topics.values())


def _told_by_apposition(
    question: str,
    tokens: Sequence[Token],
    span: Span,
    mention: Mention,
    infos: Mapping[Term, TermInfo],
) -> Mention:
    """A mention with the words after it that tell which of its candidates it means."""
    if len(mention.candidates) < 2 or is_ambiguous(mention):
        return mention
    info, *rivals = (infos[candidate.term] for candidate in mention.candidates)
    which = says_which(question, tokens, span, info, rivals)
    if which is None:
        return mention
    end = whole_end(question, Span(mention.start, which.end, span.first, which.last))
    return replace(mention, text=question[mention.start : end], end=end)


def _mentions_outside(mentions: Mapping[Span, Mention], spans: set[Span]) -> list[Mention]:
    return [mention for span, mention in mentions.items() if span not in spans]


def _describes(neighbour: Mention, mention: Mention) -> bool:
    """Whether the description of what a mention means has a name of what stands beside it."""
    description = f" {normalise(mention.candidates[0].description)} "
    names = (neighbour.candidates[0].label, neighbour.text)
    return any(f" {normalise(name)} " in description for name in names)


def _terms_by_hidden_name(item: LinkedSpan) -> frozenset[Term]:
    """The terms that a span means by a hidden name."""
    return frozenset(graded.hit.term for graded in item.grades if graded.hit.kind == "hidden")


def _apposed_candidates(
    question: str, tokens: Sequence[Token], span: Span, first: Mapping[Span, Mention]
) -> dict[Span, Candidate]:
    """The best candidates of the mentions that only say which one of a span is meant."""
    has_homonyms = len(first[span].candidates) > 1
    return {
        other: mention.candidates[0]
        for other, mention in first.items()
        if is_apposition(question, tokens, span, other)
        or (has_homonyms and disambiguates(question, tokens, span, other))
    }


def _weighed_as_adjective(
    mention: Mention, noun: str, nouns: frozenset[str], hidden: frozenset[Term]
) -> Mention:
    """A mention before a noun that is no class of what it may mean, as `French` of `rivers`."""
    kinds = {normalise(candidate.kind) for candidate in mention.candidates}
    if noun not in nouns - kinds:
        return mention
    return replace(mention, candidates=weighed_as_adjective(mention.candidates, hidden))


def _mention(question: str, item: LinkedSpan, infos: Mapping[Term, TermInfo]) -> Mention:
    start, end = item.span.start, whole_end(question, item.span)
    described_terms = [infos[graded.hit.term] for graded in item.grades]
    return Mention(question[start:end], start, end, candidates(item, described_terms))


def _weighed_by_context(
    mention: Mention,
    context: Surroundings,
    apposed: Sequence[Candidate],
    other_mentions: Sequence[Mention],
    infos: Mapping[Term, TermInfo],
) -> Mention:
    clear = [other.candidates[0] for other in other_mentions if not is_ambiguous(other)]
    beside_labels = [candidate.label for candidate in apposed]
    other_labels = [candidate.label for candidate in clear]
    fits = [
        relevance(infos[candidate.term], context, beside_labels, other_labels)
        for candidate in mention.candidates
    ]
    named = frozenset(candidate.term for candidate in clear)
    return replace(mention, candidates=weighed_by_context(mention.candidates, fits, named))
