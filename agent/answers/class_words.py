"""Words of a question that name a class of the graph: what it asks for has to meet them.

"Which bells hang in Wendle?" names bells. A reading whose answers, and what it walks through on the
way, are known to be of other classes is not what was asked, whatever the model says.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from ..kg import KnowledgeGraph
from ..kg.labels.names import normalise
from ..kg.store import Word as Name
from ..kg.terms import Step, Term
from ..linking.spans import Span
from ..linking.words import singular
from ..query.account import UNREAD, QuestionWord, question_words
from ..query.binding import Bound
from ..query.facts import Facts
from ..query.members import Outcome, Steps
from ..query.question import Asked
from ..reader.lexicon import label_words
from ..records import Word
from ..stopping import look_up

_LONGEST = 3
"""The most words of a class's name."""
_MEMBERS = 20
"""Answers that are looked at, and answers whose proofs are."""
_NARROWED = 200
"""The most answers of which it is looked up whether they are of a class."""
MOST_MEMBERS = 10_000
"""Members of a class that are counted."""
_CLASSES_AT_ONCE = 100
"""The most classes whose members are looked up at once."""


class ClassWord(NamedTuple):
    """The characters of a question that name classes, and these."""

    start: int
    end: int
    text: str
    classes: frozenset[Term]


def class_words(kg: KnowledgeGraph, asked: Asked, *, by_last_word: bool = False) -> list[ClassWord]:
    """The words outside mentions that name a class of the graph, the longest names first.

    Where `by_last_word` says so, *albums* name the class *music album*, too.
    """
    words = question_words(asked.question, asked.mentions.numbered)
    runs = [
        words[first : first + length]
        for length in range(_LONGEST, 0, -1)
        for first in range(len(words) - length + 1)
    ]
    runs = [run for run in runs if all(word.mention is None for word in run)]
    if not runs:
        return []
    classes_by_form = defaultdict[str, set[Term]](set)
    for name in kg.labels.vocabulary():
        if not name.relation:
            classes_by_form[_form(name.text)].add(name.term)
    if by_last_word:
        classes_by_last_word = defaultdict[str, set[Term]](set)
        for form, terms in classes_by_form.items():
            classes_by_last_word[form.rpartition(" ")[2]] |= terms
        classes_by_form = classes_by_last_word | classes_by_form
    matches, taken_words = list[ClassWord](), set[QuestionWord]()
    for run in runs:
        text = asked.question[run[0].start : run[-1].end]
        if taken_words.isdisjoint(run) and (classes := classes_by_form.get(_form(text))):
            matches.append(ClassWord(run[0].start, run[-1].end, text, frozenset(classes)))
            taken_words.update(run)
    return matches


def names_in_either_number(kg: KnowledgeGraph, text: str) -> list[Name]:
    """The names of classes and relations that a text is, in the form for one or for many."""
    form = _form(text)
    return [word for word in kg.labels.vocabulary() if _form(word.text) == form]


def class_called(kg: KnowledgeGraph, text: str) -> Term | None:
    """The only class that a text is the name of; None where there is none, or are several."""
    classes = {word.term for word in names_in_either_number(kg, text) if not word.relation}
    return classes.pop() if len(classes) == 1 else None


def members_of(kg: KnowledgeGraph, class_: Term) -> dict[Term, Steps]:
    """The members of a class as far as they are counted, each with the steps from the class to it.

    Raises ServiceError.
    """
    members = dict[Term, Steps]()
    for walks in _few_first(_walks_down(kg, class_)):
        look_up()
        classes = [each for each, _ in walks]
        of_kinds = [
            kg.store.follow(classes, kind, True, limit=MOST_MEMBERS) for kind in kg.profile.types
        ]
        for (_, down), *typed in zip(walks, *of_kinds, strict=True):
            for step in chain.from_iterable(typed):
                if step.target not in members:
                    members[step.target] = (*down, step)
            if len(members) >= MOST_MEMBERS:
                return dict(islice(members.items(), MOST_MEMBERS))
    return members


_Walk: TypeAlias = tuple[Term, Steps]
"""A class, and the steps down to it from a class above."""


def _walks_down(kg: KnowledgeGraph, class_: Term) -> Iterator[_Walk]:
    """A class and those below it, the nearest first. Raises ServiceError."""
    yield class_, ()
    above, level = dict[Term, Steps](), dict[Term, Steps]({class_: ()})
    for each, up in kg.membership.below(class_).items():
        if up.target not in above:
            above, level = level, {}
        level[each] = (*above[up.target], Step(up.triple, True))
        yield each, level[each]


def _few_first(walks: Iterator[_Walk]) -> Iterator[Sequence[_Walk]]:
    """Walks in batches that grow: the first classes may have all the members that are counted."""
    size = 1
    while some := list(islice(walks, size)):
        yield some
        size = min(2 * size, _CLASSES_AT_ONCE)


def _form(text: str) -> str:
    """The name of a class, or a phrase, in one form for one and for many."""
    *before, last = normalise(" ".join(label_words(text))).split() or [""]
    return " ".join((*before, singular(last)))


def not_met(
    facts: Facts, bound: Bound, outcome: Outcome, words: Sequence[ClassWord]
) -> list[ClassWord]:
    """Those of the words whose classes nothing has that a query comes to or walks through.

    A word that a relation or a class of the query has in its label is met. Where any of the things
    has no class, all are.
    """
    if outcome.form not in ("members", "number") or not outcome.members:
        return []
    open_ = _unspoken(facts, bound, words)
    if not open_:
        return []
    classes = [set(classes_of(facts, term)) for term in _walked_through(outcome)]
    if not all(classes):
        return []
    every = set[Term]().union(*classes)
    return [word for word in open_ if word.classes.isdisjoint(every)]


def asked_for(asked: Asked, words: Sequence[ClassWord]) -> list[ClassWord]:
    """Those of the words that stand before all mentions, or at once after one.

    "Swedish musicians" and "which musicians are Swedish" ask for musicians. What comes later may
    say what is not asked for: "who is Swedish, but no musician".
    """
    mentions = asked.mentions.numbered
    first = min((mention.start for mention in mentions), default=0)
    return [
        word
        for word in words
        if word.end <= first
        or any(asked.question[m.end : word.start].isspace() for m in mentions if m.end < word.start)
    ]


def narrowing(
    facts: Facts, bound: Bound, outcome: Outcome, words: Sequence[ClassWord]
) -> Term | None:
    """The class to which a question narrows a walk: "Swedish musicians" are not all Swedes.

    `outcome` is that of the walk. None where all that it comes to is of that class or nothing is,
    where it is too much to look at, and where a word may tell of the relation, of what lies on the
    way, or of others among the answers. Raises GroundwalkError as looking up classes does.
    """
    if len(outcome.members) > _NARROWED:
        return None
    classes_of_members = [set(classes_of(facts, term)) for term in outcome.members]
    members = {*outcome.members}
    classes_on_the_way = [
        set(classes_of(facts, term)) for term in _walked_through(outcome) if term not in members
    ]
    named_classes = {class_ for word in _unspoken(facts, bound, words) for class_ in word.classes}
    candidates = {
        class_
        for class_ in named_classes
        if any(class_ in classes for classes in classes_of_members)
    }
    if len(candidates) != 1 or not all(classes_of_members):
        return None
    (class_,) = candidates
    is_on_the_way = any(class_ in classes for classes in classes_on_the_way)
    return (
        None
        if is_on_the_way or all(class_ in classes for classes in classes_of_members)
        else class_
    )


def _unspoken(facts: Facts, bound: Bound, words: Sequence[ClassWord]) -> list[ClassWord]:
    """The words that no relation and no class of a query has in its label."""
    spoken = set(_words_of_names(facts.kg, [*bound.relations.values(), *bound.classes.values()]))
    return [word for word in words if not set(_form(word.text).split()) & spoken]


def _words_of_names(kg: KnowledgeGraph, terms: Collection[Term]) -> Iterable[str]:
    """The words of the names of relations and classes, each in the singular."""
    for name in kg.walk_labels.names(list(terms)):
        yield from map(singular, map(str.lower, label_words(name)))


def _walked_through(outcome: Outcome) -> list[Term]:
    """Things that an outcome has for members, and those on the way to some of them."""
    terms = dict.fromkeys(outcome.members[:_MEMBERS])
    for member in outcome.members[:_MEMBERS]:
        for step in outcome.proofs.get(member, ()):
            terms |= dict.fromkeys((step.source, step.target))
    return [term for term in terms if not term.startswith('"')]


def classes_of(facts: Facts, term: Term) -> Iterable[Term]:
    """The classes of a thing, and those above them."""
    (node,) = facts.ids([term]).tolist()
    classes = {facts.term(class_) for _, class_ in facts.types_of(node)}
    return classes | facts.kg.class_order.above(classes)


def left_out(
    account: Sequence[Word], stretches: Sequence[ClassWord] | Sequence[Span]
) -> list[Word]:
    """The account, where the words of some stretches are left out of the query."""
    return [
        {**word, "used_by": UNREAD}
        if any(stretch.start <= word["start"] < stretch.end for stretch in stretches)
        else word
        for word in account
    ]
