"""What a graph holds, said to whoever opens a conversation: sizes, classes, and what may be asked.

Examples of questions are made of the graph's own relations and names, and are tried before they
are shown.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ..answers.computed import Computed, result_record
from ..kg import KnowledgeGraph
from ..kg.labels.index import RelationInfo, TermInfo
from ..kg.labels.names import one_line
from ..kg.store import Counts, class_labels
from ..kg.terms import Step, Term, is_literal
from ..languages import language_words
from ..records import Named

EXAMPLES = " Ask, for example: "
"""What stands before the examples in an introduction."""
MOST_EXAMPLES = 3
_MOST_CLASSES = 5
MOST_TYPES = 2_000_000
"""Statements of classes that are counted."""
_MOST_RELATIONS = 24
"""Relations, the most used first, of which examples are made."""
_MOST_FACTS = 200
"""Facts of a relation among which the best known entity is chosen."""
_MOST_ANSWERS = 8
"""Answers of an example: more are hard to take in."""
_MOST_TRIED = 12


@dataclass(frozen=True)
class ClassSize:
    """A class of the graph, and how many members it has."""

    term: Term
    name: str
    members: int


@dataclass(frozen=True)
class Example:
    """A question, and the terms that answer it in the graph."""

    question: str
    answers: frozenset[Term]


@dataclass(frozen=True)
class Introduction:
    """What is said of a graph; an endpoint is not counted, and gives no examples.

    `classes` and `relations` have the largest first; `questions` are examples that were answered.
    """

    source: str
    counts: Counts | None
    classes: tuple[ClassSize, ...]
    relations: tuple[RelationInfo, ...]
    questions: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it in one line."""
        source = one_line(self.source)
        if self.counts is None:
            return f"{source} is asked as you ask; names must be spelled as it spells them."
        size = f"{self.counts.facts:,} facts about {self.counts.entities:,} entities"
        classes = [f"{kind.name} ({kind.members:,})" for kind in self.classes[:_MOST_CLASSES]]
        among = f", among them {', '.join(classes)}" if classes else ""
        examples = f"{EXAMPLES}{' '.join(self.questions)}" if self.questions else ""
        return one_line(f"{source} holds {size}{among}.{examples}")


def introduce(
    kg: KnowledgeGraph,
    answers: Callable[[str], frozenset[Term]] | None = None,
) -> Introduction:
    """What the graph holds, and examples that `answers` answers as the graph does.

    `answers` gives the terms that a question is answered with; without it examples are not tried.
    Raises ServiceError where the graph does not answer.
    """
    if not kg.pinned:
        return Introduction(kg.name, None, (), (), ())
    relations = tuple(kg.walk_labels.relations())
    made = _examples(kg, relations)
    tried = islice(made, MOST_EXAMPLES if answers is None else _MOST_TRIED)
    good = (e for e in tried if answers is None or answers(e.question) == e.answers)
    questions = tuple(example.question for example in islice(good, MOST_EXAMPLES))
    return Introduction(kg.name, kg.counts, class_sizes(kg), relations, questions)


def class_sizes(kg: KnowledgeGraph) -> tuple[ClassSize, ...]:
    """The classes of entities, the largest first; a member by two predicates counts once."""
    known = {word.term for word in class_labels(kg.labels)}
    statements = (t for kind in kg.profile.types for t in kg.stated(kind))
    pairs = ((t.tail, t.head) for t in islice(statements, MOST_TYPES) if t.tail in known)
    sizes = Counter(class_ for class_, _ in (pairs if len(kg.profile.types) == 1 else set(pairs)))
    names = dict(zip(sizes, kg.labels.names(list(sizes)), strict=True))
    ordered = sorted(sizes, key=lambda class_: (-sizes[class_], names[class_]))
    return tuple(ClassSize(class_, names[class_], sizes[class_]) for class_ in ordered)


def _examples(kg: KnowledgeGraph, relations: Sequence[RelationInfo]) -> Iterator[Example]:
    """Examples, each of another relation and about another entity."""
    wording = language_words()["examples"]
    used_topics = set[Term]()
    for relation in relations[:_MOST_RELATIONS]:
        name = kg.asked_as(relation.term)
        form = _form(wording, name.lower())
        inverse = form != "noun"
        topic = _best_known(kg, relation.term, inverse=inverse, used_topics=used_topics)
        if topic is None:
            continue
        (steps,) = kg.listed.follow([topic.term], relation.term, inverse, limit=_MOST_ANSWERS + 1)
        answers = frozenset(step.target for step in steps)
        if len(answers) > _MOST_ANSWERS:
            continue
        kind = _class_name(kg, answers)
        if inverse and not kind:
            continue
        names = {"relation": name, "name": topic.name, "class": kind}
        used_topics.add(topic.term)
        yield Example(one_line(wording[form].format_map(names)), answers)


def _form(wording: Mapping[str, str], relation: str) -> str:
    """The wording that goes with the name of a relation."""
    forms = (form for form in ("verb", "done") if re.fullmatch(wording[f"is_{form}"], relation))
    return next(forms, "noun")


def _best_known(
    kg: KnowledgeGraph, relation: Term, *, inverse: bool, used_topics: set[Term]
) -> TermInfo | None:
    """The entity of a relation's first facts that most other facts are about."""
    triples = islice(kg.stated(relation), _MOST_FACTS)
    ends = dict.fromkeys(Step(triple, inverse).source for triple in triples)
    terms = [term for term in ends if not is_literal(term) and term not in used_topics]
    named = [info for info in kg.labels.describe(terms) if info.label]
    return max(named, key=lambda info: (info.degree, info.term), default=None)


def _class_name(kg: KnowledgeGraph, terms: frozenset[Term]) -> str:
    """The class that most of some terms have; empty where they have none."""
    things = sorted(term for term in terms if not is_literal(term))
    kinds = [info.kind for info in kg.labels.describe(things) if info.kind]
    return max(sorted(set(kinds)), key=kinds.count) if kinds else ""


_NOTHING_OPEN = "There is nothing to say yes or no to. Ask anything, or help for what may be asked."
_IN_A_LINE = {"thanks": "You are welcome.", "yes": _NOTHING_OPEN, "no": _NOTHING_OPEN}
"""The whole reply to some courtesies."""


def introduced(introduction: Introduction, courtesy: str) -> Computed:
    """The reply to a courtesy: some of them want no list of what the graph holds."""
    text = _IN_A_LINE.get(courtesy, "")
    if not text:
        opening = "Hello. " if courtesy == "greetings" else ""
        text = f"{opening}{introduction.text}"
    result = result_record("introduction", text, "what the graph holds")
    shown = introduction.questions if EXAMPLES in text else ()
    result["rows"] = [[Named(term="", label=question)] for question in shown]
    return Computed("introduced", result=result)
