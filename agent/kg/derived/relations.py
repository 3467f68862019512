"""Relations that exist in a reading only: IRIs that say what they stand for, and their names."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from ...caching import once
from ...errors import ServiceError
from ..labels.index import RelationInfo, TermInfo, Word
from ..labels.names import local_name
from ..patterns import FactPattern, PatternRelation, pattern_relation, relation_name
from ..store import Labels, LabelsOver
from ..terms import Term, is_iri

Walked: TypeAlias = tuple[Term, bool]
"""A relation and the direction in which it is walked, True from tail to head."""

_JOINED = "<urn:groundwalk:joined:"
_ABOUT = "<urn:groundwalk:about:"
_SIGNS = {False: "+", True: "-"}
_WAYS = {sign: inverse for inverse, sign in _SIGNS.items()}


class Joined(NamedTuple):
    """Two relations as they are walked through a mediator, one to it and one on from it."""

    first: Walked
    second: Walked

    @property
    def turned(self) -> "Joined":
        """The same way backwards."""
        return Joined(turned(self.second), turned(self.first))

    @property
    def term(self) -> Term:
        """Its IRI, as `<urn:groundwalk:joined:+RELATION:-RELATION>`, percent-encoded."""
        return _spelled(self)


@lru_cache(maxsize=10_000)
def _spelled(joined: Joined) -> Term:
    (one, back), (other, off) = joined
    return f"{_JOINED}{_SIGNS[back]}{quote(one, safe='')}:{_SIGNS[off]}{quote(other, safe='')}>"


def turned(walked: Walked) -> Walked:
    """The same relation, walked the other way."""
    return walked[0], not walked[1]


@lru_cache(maxsize=10_000)
def parts_of(relation: Term) -> Joined | None:
    """The two relations that a joined one stands for; None for any other relation."""
    if not relation.startswith(_JOINED):
        return None
    pieces = relation.removeprefix(_JOINED).removesuffix(">").split(":")
    if len(pieces) != 2 or not all(piece[:1] in _WAYS for piece in pieces):
        return None
    first, second = ((unquote(piece[1:]), _WAYS[piece[0]]) for piece in pieces)
    joined = Joined(first, second)
    return joined if joined.term == relation else None


def about(predicate: Term) -> Term:
    """The relation from a statement of this predicate to its subject."""
    return f"{_ABOUT}{quote(predicate, safe='')}>"


@lru_cache(maxsize=10_000)
def predicate_of(relation: Term) -> Term | None:
    """The predicate of the statements that a relation leads from; None for any other relation."""
    if not relation.startswith(_ABOUT):
        return None
    predicate = unquote(relation.removeprefix(_ABOUT).removesuffix(">"))
    return predicate if is_iri(predicate) and about(predicate) == relation else None


_ONCE = "{} (statement)"
"""The name of a joined relation whose two have the same label, which a third may have too."""


def plain_name(name: str) -> str:
    """The label that both relations of a joined one have, by its name; any other name as it is."""
    return name.removesuffix(_ONCE.format(""))


class ReadingLabels(LabelsOver):
    """Implements `Labels`. A joined relation has both labels with a hyphen between them.

    So does DoG (appendix B). A label that both have, as Wikidata's do for a statement and its
    value, stands once. Where that does not tell relations of one call apart, their names stand in
    the place of the labels, and then numbers.
    """

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, no two of one call alike."""
        virtual = {term: parts for term in sorted({*terms}) if (parts := _named_after(term))}
        if not virtual:
            return self._labels.names(terms)
        real = list(dict.fromkeys(p for term in terms for p in virtual.get(term, (term,))))
        names = dict(zip(real, self._labels.names(real), strict=True))
        infos = self._labels.describe(list(dict.fromkeys(chain(*virtual.values()))))
        labels = {info.term: info.label for info in infos}
        used = {names[term] for term in terms if term not in virtual}
        for term, parts in virtual.items():
            candidates = (_joined(parts, labels), "-".join(names[part] for part in parts))
            names[term] = _unused_name(candidates, used)
            used.add(names[term])
        return [names[term] for term in terms]

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; a relation of the reading has its name and no facts."""
        virtual = [term for term in terms if _named_after(term)]
        names = dict(zip(virtual, self.names(virtual), strict=True))
        known = iter(self._labels.describe([term for term in terms if term not in names]))
        return [
            TermInfo(term, names[term], names[term], "", "", 0) if term in names else next(known)
            for term in terms
        ]


class PatternLabels(LabelsOver):
    """Implements `Labels`, of an endpoint, which does not know what patterns of a profile say."""

    def __init__(
        self,
        labels: Labels,
        patterns: Mapping[str, FactPattern],
        count: Callable[[], Mapping[Term, int]] = dict,
    ) -> None:
        """`count` lists the relations that patterns say, each with about how many facts it has."""
        super().__init__(labels)
        self._patterns = patterns
        self._counts = once(count)

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term; that of a pattern's relation as the pattern says it."""
        made_of = self._made_of(terms)
        others = [term for term in dict.fromkeys(terms) if term not in made_of]
        names = dict(zip(others, self._labels.names(others), strict=True))
        used_names = {*names.values()}
        labels = property_labels(self._labels, [made.predicate for made in made_of.values()])
        for term, made in sorted(made_of.items()):
            name = relation_name(self._patterns[made.pattern], labels[made.predicate], made.number)
            names[term] = _unused_name((name, f"{name} {local_name(made.predicate)}"), used_names)
            used_names.add(names[term])
        return [names[term] for term in terms]

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is."""
        patterns = dict.fromkeys(self._made_of(terms))
        names = dict(zip(patterns, self.names([*patterns]), strict=True))
        others = iter(self._labels.describe([term for term in terms if term not in patterns]))
        return [
            TermInfo(term, names[term], names[term], "", "", self._counts().get(term, 0))
            if term in patterns
            else next(others)
            for term in terms
        ]

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations, of exactly this name; else of this label."""
        return self._labels.named(text, relation=relation) or self.labelled(text, relation=relation)

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities and values, or the relations, of exactly this label."""
        made = [info.term for info in self._relations() if info.name == text] if relation else []
        return [*self._labels.labelled(text, relation=relation), *made]

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts use, the most used first."""
        infos = [*self._labels.relations(), *self._relations()]
        return sorted(infos, key=lambda info: (-info.facts, info.term))

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of relations and classes."""
        try:
            infos = self._relations()
        except ServiceError:  # linking does without
            infos = list[RelationInfo]()
        labels = property_labels(
            self._labels,
            [pattern.predicate for pattern in self._made_of(i.term for i in infos).values()],
        )
        texts = {
            Word(text, info.term, True): None
            for info in infos
            if (pattern := pattern_relation(info.term))
            for text in (info.name, labels[pattern.predicate])
        }
        return [*self._labels.vocabulary(), *texts]

    def _relations(self) -> list[RelationInfo]:
        counts = self._counts()
        names = self.names([*counts])
        return [
            RelationInfo(term, name, facts)
            for (term, facts), name in zip(counts.items(), names, strict=True)
        ]

    def _made_of(self, terms: Iterable[Term]) -> dict[Term, PatternRelation]:
        """Those of the terms that are relations of patterns, with what they are made of."""
        made = {term: pattern_relation(term) for term in terms}
        return {t: one for t, one in made.items() if one and one.pattern in self._patterns}


class WithoutPatterns(LabelsOver):
    """Implements `Labels`, of a reading that takes the facts of a KG as they are."""

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations of the KG itself, of exactly this name; else label."""
        terms = self._labels.named(text, relation=relation)
        return [term for term in terms if not pattern_relation(term)]

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts of the KG itself use, the most used first."""
        return [info for info in self._labels.relations() if not pattern_relation(info.term)]


def property_label(labels: Labels, term: Term) -> str:
    """The label of a property that may be no relation of facts; else its local name in words."""
    return property_labels(labels, [term])[term]


def property_labels(labels: Labels, terms: Sequence[Term]) -> dict[Term, str]:
    """The label of each property."""
    return {
        info.term: local_name(info.term, relation=True)
        if info.label == local_name(info.term)
        else info.label
        for info in labels.describe(terms)
    }


def _named_after(relation: Term) -> tuple[Term, ...] | None:
    """The relations of the KG that a relation of the reading is named after."""
    if joined := parts_of(relation):
        return tuple(predicate_of(part) or part for part, _ in joined)
    predicate = predicate_of(relation)
    return (predicate,) if predicate else None


def _joined(parts: Sequence[Term], labels: Mapping[Term, str]) -> str:
    distinct = list(dict.fromkeys(labels[part] for part in parts))
    once = len(distinct) < len(parts)
    return _ONCE.format(distinct[0]) if once else "-".join(distinct)


def _unused_name(names: Sequence[str], used_names: Collection[str]) -> str:
    numbered = (f"{names[-1]} ({number})" for number in count(2))
    return next(name for name in chain(names, numbered) if name not in used_names)
