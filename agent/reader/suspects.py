"""The words of a question that may ask for something else than its query does.

The network has not learnt that a word beside one of a label may do so, nor what the graph has names
for. What is suspected may yet be filler, so no reading is ruled out by it.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from itertools import chain, pairwise

from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..linking.words import FUNCTION_WORDS, singular
from ..query.actions import Action
from .graph import ReadingTools
from .inputs import CLASS, Label, label_way
from .lexicon import QuestionWord, form_share, label_words

_MET_BESIDE = -1.0
"""How far a label explains a word beside one of its own, at least, if the word asks nothing else;
over graphs apart 3 of 198 right answers have a word with less."""
PLAIN_SETS = frozenset(("pointer", "answers", "topics", "part", "end"))
"""Actions of which a query computes nothing."""
_EVERY = frozenset(("class", "count", "end"))
"""Those of a query for every member of a class, or how many there are."""
SETS = PLAIN_SETS | {"class", "step"}
"""Those of a query that follows relations and computes nothing."""


def suspected(
    tools: ReadingTools,
    words: Sequence[QuestionWord],
    actions: Sequence[Action],
    labels: Sequence[Label],
    scores: Sequence[Sequence[float]],
) -> set[int]:
    """The words that may ask for something else than a query with these labels.

    `scores` say for each word how far each of the labels explains it.
    """
    met = [max(row, default=0.0) for row in scores]
    suspects = _asking_more(words, actions, labels, met, tools.inputs.lexicon.apart)
    suspects |= _of_other_classes(words, labels, tools.labels.class_names())
    for action in _had(actions, tools.tables.kg):
        label = tools.labels.label(action.name, label_way(action))
        suspects |= _maybe_values(words, label, labels.index(label), scores)
    return suspects


def forms_of(word: QuestionWord) -> set[str]:
    """The parts of a word, also as one of many."""
    return {*word.parts, *map(singular, word.parts)}


def _beside(words: Sequence[QuestionWord], relations: Sequence[str]) -> set[int]:
    """The words that may make another relation of a label beside some words of it.

    They stand next to words of a label that has others, too: *birth place* is no `birth date`. A
    word that says nothing may stand in between, as in *date of death*. They also follow a whole
    label: *population density* is no `population`.
    """
    said = {part for word in words for part in forms_of(word)}
    labels = [{*label_words(relation)} - FUNCTION_WORDS for relation in relations]
    said |= {part for part in set().union(*labels) if any(form_share(part, s) for s in said)}
    beside = set[int]()
    for index, word in enumerate(words):
        having = [label for label in labels if not label.isdisjoint(forms_of(word))]
        if not having:
            continue
        beside.add(index + 1)
        if any(label <= said for label in having):
            continue
        beside.add(index - 1)
        if index + 1 < len(words) and words[index + 1].text in FUNCTION_WORDS:
            beside.add(index + 2)
    return beside & {*range(len(words))}


def _asking_more(
    words: Sequence[QuestionWord],
    actions: Sequence[Action],
    labels: Sequence[Label],
    met: Sequence[float],
    apart: Mapping[str, Collection[str]],
) -> set[int]:
    """The words that may ask for something else than the labels of a query.

    `met` says how far any label explains each word.
    """
    kinds = {action.kind for action in actions}
    label_parts = {part for label in labels for part in label_words(label.called)}
    followed = [label.called for label in labels if label.way != CLASS]
    beside = set[int]()
    if kinds <= _EVERY:
        beside = _next_to(words, label_parts)
    elif kinds <= SETS and len(followed) == 1:  # of several labels others may explain a word
        beside = _beside(words, followed)
    unexplained = {index for index in beside if met[index] < _MET_BESIDE}
    return unexplained | _of_others(words, label_parts, apart)


def _of_others(
    words: Sequence[QuestionWord],
    label_parts: Set[str],
    apart: Mapping[str, Collection[str]],
) -> set[int]:
    """The words that are never said for a word of a label which the question has not."""
    asked = {part for word in words for part in forms_of(word)}
    others = {other for part in label_parts - asked for other in apart.get(part, ())}
    return {index for index, word in enumerate(words) if not others.isdisjoint(forms_of(word))}


def _of_other_classes(
    words: Sequence[QuestionWord], labels: Sequence[Label], classes: Collection[str]
) -> set[int]:
    """The words that name a class, where a query for another leads to none of it."""
    if all(label.way != CLASS for label in labels):
        return set()
    of_query = {*(label.tail for label in labels), *(word.kind for word in words)}
    others = {name.lower() for name in classes} - {name.lower() for name in of_query}
    return {index for index, word in enumerate(words) if not others.isdisjoint(forms_of(word))}


def _next_to(words: Sequence[QuestionWord], label_parts: Collection[str]) -> set[int]:
    """The words next to one of a class that is asked for whole: *purple robots* are not all."""
    said = (at for at, word in enumerate(words) if not forms_of(word).isdisjoint(label_parts))
    beside = {at + way for at in said for way in (-1, 1)}
    return beside & {*range(len(words))}


def _had(actions: Sequence[Action], kg: KnowledgeGraph) -> list[Action]:
    """The relations of which a query asks only whether there is a value that is not true or false.

    An endpoint is not asked for the values of its relations.
    """
    pairs = pairwise(actions) if kg.pinned else ()
    return [
        action
        for action, after in pairs
        if action.kind == "where"
        and after.kind in ("exists", "missing")
        and not kg.truths.of(action.name)
    ]


def _maybe_values(
    words: Sequence[QuestionWord], label: Label, column: int, scores: Sequence[Sequence[float]]
) -> set[int]:
    """The words that may name a value of a relation which is only asked to have one.

    *The colour purple* and *purple bags* are not all that have a colour. Such words stand next to a
    word of the label, or mean it where none is said and the values are texts.
    """
    parts = {*label_words(label.called)} - FUNCTION_WORDS
    if beside := _next_to(words, parts):
        after = {at + 1 for at in beside if words[at].text in FUNCTION_WORDS}
        return beside | after & {*range(len(words))}
    if label.tail != "text":
        return set()
    return {at for at, row in enumerate(scores) if row[column] == max(row) >= _MET_BESIDE}


def is_called(kg: KnowledgeGraph, word: QuestionWord) -> bool:
    """Whether something that others are said to be is called as a word is, or as one of many is.

    Such are kinds and groups of things, of which nothing else is said. The names of others may be
    any words, as titles are.
    """
    if not kg.pinned:
        return False
    hits = (kg.labels.lookup(normalise(text)) for text in (word.text, singular(word.text)))
    terms = [hit.term for hit in chain.from_iterable(hits)]
    leaving, reaching = (kg.walks.relations_at(terms, inverse) for inverse in (False, True))
    return any(into and not out for into, out in zip(reaching, leaving, strict=True))
