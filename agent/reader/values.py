"""Values that questions name as they name things: cities, statuses and codes kept as texts."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from ..caching import once
from ..kg.graph import MOST_WHOLE, KnowledgeGraph
from ..kg.labels.index import Hit, TermInfo
from ..kg.labels.names import local_name, normalise
from ..kg.nodes import literal_tag
from ..kg.store import LabelsOver
from ..kg.terms import Term, is_literal
from ..query.facts import Facts

_MOST_VALUES = 5_000
"""The different values of a relation that may be named; more are descriptions."""
_MOST_LETTERS, _MOST_WORDS = 60, 6
"""Of a value that somebody would say in a question."""
_CODE = re.compile(r"[+#]?\d+(?:[.:/\- ]\d+)+")
_NUMBER = re.compile(r"\d{1,3}(?: \d{3})+|\d+\.\d+")
_FIRST = 100
"""Facts of a relation of a large graph that show whether it leads to values."""
_DATATYPE = ":"
"""What is in the tag of a typed literal, and in no language tag."""


class _Value(NamedTuple):
    text: str
    relation: str
    """The name of the relation that leads to it; empty where several do."""
    uses: int
    is_title: bool = False
    """Whether nothing leads to it but relations that name things without another name."""


class LabelsWithValues(LabelsOver):
    """The labels of a graph, and the short texts that its relations lead to.

    A value is described by what its relation is called, if it has but one: what is a city of halls
    and of players is not more the one than the other. Those of an endpoint are not known.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        super().__init__(kg.labels)
        self._values = once(lambda: _values(kg) if kg.pinned else {})
        self._by_norm = once(self._spelled)

    def _spelled(self) -> dict[str, list[Term]]:
        terms = defaultdict[str, list[Term]](list)
        for term, value in self._values().items():
            terms[normalise(value.text)].append(term)
        return terms

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; a value is of the kind that its relation is called."""
        values = self._values()
        return [
            info._replace(kind=value.relation, degree=max(info.degree, value.uses))
            if (value := values.get(info.term))
            else info
            for info in self._labels.describe(terms)
        ]

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean, then the values that do not name them."""
        entities = self._labels.lookup(norm)
        names, values = {hit.text for hit in entities}, self._values()
        hits = [
            Hit(term, value.text, "local", value.uses)
            for term in self._by_norm().get(norm, ())
            if not ((value := values[term]).is_title and value.text in names)
        ]
        return [*entities, *sorted(hits, key=lambda hit: (-hit.degree, hit.term))]

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some entity or value may be meant by."""
        norms = norms if isinstance(norms, dict) else list(norms)
        by_norm = self._by_norm()
        return self._labels.known(norms) | {norm for norm in norms if norm in by_norm}

    def longest(self) -> int:
        """The number of words of the longest name that is worth looking up."""
        return max(self._labels.longest(), _MOST_WORDS if self._values() else 0)


def _values(kg: KnowledgeGraph) -> dict[Term, _Value]:
    """The values that may be named; the names of things name the things."""
    facts, values, naming = Facts(kg), dict[Term, _Value](), kg.profile.naming_facts
    is_large = kg.counts.facts > MOST_WHOLE
    for relation, name in zip(
        kg.walk_relations, kg.walk_labels.names(kg.walk_relations), strict=True
    ):
        if relation in kg.profile.naming or (is_large and not _has_few(kg, relation)):
            continue
        reached_ids = facts.reached(relation)
        if len(reached_ids) > _MOST_VALUES or not any(map(is_literal, facts.terms(reached_ids))):
            continue
        pairs, is_title = facts.step(reached_ids, relation, inverse=True), relation in naming
        uses = dict(zip(*np.unique(pairs.sources, return_counts=True), strict=True))
        for number, term in zip(reached_ids.tolist(), facts.terms(reached_ids), strict=True):
            if is_literal(term) and (text := _spoken_text(term)):
                value = _Value(text, name, int(uses.get(number, 1)), is_title)
                if before := values.get(term):
                    is_name = is_title and before.is_title
                    value = _Value(text, "", before.uses + value.uses, is_name)
                values[term] = value
    return values


def _has_few(kg: KnowledgeGraph, relation: Term) -> bool:
    """Whether a relation leads to values, and to few; it is read as far as that takes."""
    tails = (fact.tail for fact in kg.stated(relation))
    first = list(islice(tails, _FIRST))
    if not any(map(is_literal, first)):
        return False
    different = set[str](first)
    for tail in tails:
        different.add(tail)
        if len(different) > _MOST_VALUES:
            return False
    return True


def _spoken_text(term: Term) -> str:
    """The text of a value that a question might name; empty for others."""
    tag, text = literal_tag(term), local_name(term)
    is_text = _DATATYPE not in tag or tag.endswith("#string")
    few = len(text) <= _MOST_LETTERS and len(text.split()) <= _MOST_WORDS
    return text if is_text and few and (any(map(str.isalpha, text)) or _is_code(text)) else ""


def _is_code(text: str) -> bool:
    """Whether digits with marks between them are no number: `10.0.4.12`, `978-0-452-28423-4`."""
    return _CODE.fullmatch(text) is not None and _NUMBER.fullmatch(text) is None
