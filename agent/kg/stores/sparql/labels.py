"""The names of a KG behind an endpoint: asked for when they are needed, not indexed.

An endpoint can only be asked for exact literals, so that each text is tried in some `spellings`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from ....caching import Recent
from ....errors import ServiceError
from ...labels.index import Hit, RelationInfo, Similar, SurfaceKind, TermInfo, Word
from ...labels.names import normalise, one_line, with_triple_terms
from ...nodes import lexical_form
from ...profile import GENERIC, SCHEMA_NAMESPACES, Profile, TextList
from ...terms import Term, is_literal
from . import label_queries
from .about import About, Roles, Terms, Values, text_predicates
from .beside import quietly, side_by_side
from .client import SparqlClient
from .naming import EndpointNames
from .queries import Query, Scope, can_ask
from .scan import in_batches, relation_counts

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_SMALL = frozenset(
    "a an and as at but by de for from in la le of on or the to und von with".split()
)
_LONGEST_ACRONYM = 4


def spellings(norm: str, written: str = "") -> tuple[str, ...]:
    """The spellings to try for a normalised text, and for how it was written: each once.

    As it is, with a capital, with a capital at every word, the same without small words inside, and
    a short word in capitals.
    """
    distinct: dict[str, None] = {}
    for text in filter(None, (written, norm)):
        titled = _WORD.sub(lambda match: _capital(match[0]), text)
        inside = _WORD.sub(lambda match: _title(match[0], match.start()), text)
        distinct |= dict.fromkeys((text, _capital(text), titled, inside))
        if len(text) <= _LONGEST_ACRONYM:
            distinct[text.upper()] = None
    return tuple(distinct)


def _title(word: str, start: int) -> str:
    return word.lower() if start and word.lower() in _SMALL else _capital(word)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_LONGEST_NAME = 8
_MOST_TEXTS = 397
_MOST_HITS = 200
_MOST_REMEMBERED = 100_000
_MOST_WORDS = 1_000
_MOST_PREPARED = 92
"""Relations and classes whose names and uses are read before they are asked for."""

_SECONDS_FOR_VOCABULARY = 10.0
_KINDS: tuple[SurfaceKind, ...] = ("label", "alias", "hidden")

_Spelled = tuple[Term, Term]
"""A term and the predicate by which it has a text."""


class SparqlLabels:
    """Implements `Labels`. Every method raises ServiceError where the endpoint does not answer.

    A term keeps the name that it was given, and has it alone: see `EndpointNames`. Texts are found
    by exact literals in the spellings that people use, in the languages of the profile; a term
    without a label is not found. Degrees are counted up to a thousand triples in each direction.
    """

    @property
    def exhaustive(self) -> bool:
        """Names in other spellings or languages than asked for are not found."""
        return False

    def __init__(
        self,
        client: SparqlClient,
        *,
        profile: Profile = GENERIC,
        terms: Terms | None = None,
        look_around: Callable[[Sequence[Term]], None] | None = None,
    ) -> None:
        """`look_around` reads what is around entities that a question may be about."""
        self._client = client
        self._look_around = look_around
        self._profile = profile
        graphs = client.settings.graphs
        self._whole = Scope(graphs)
        self._facts = Scope.of_facts(graphs, profile)
        self._naming = text_predicates(profile, "labels", "aliases", "hidden")
        self._terms = terms or Terms(client, profile)
        self._texts: Recent[str, tuple[_Spelled, ...]] = Recent(_MOST_REMEMBERED)
        self._spellings: Recent[str, tuple[str, ...]] = Recent(_MOST_REMEMBERED)
        self._names = EndpointNames(self._terms, self._bearers, profile)
        self._words: Sequence[Word] = ()
        self._counts: Mapping[Term, int] | None = None
        self._every_relation: frozenset[Term] | None = None
        """All relations of facts, once the endpoint has listed them."""
        self._is_prepared = False

    def close(self) -> None:
        """Close the connections, the store's too."""
        self._client.close()

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, which no other that was named before has."""
        return with_triple_terms(
            terms, lambda some: [*map(self._names.names(some).__getitem__, some)]
        )

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is; of one without a label, a fact or a member only its local name."""
        about, roles = self._terms.about(terms), self._terms.roles(terms)
        kinds, names = self._terms.kinds(terms), self._names.names(terms)
        known = {term for term in terms if about[term].labelled or any(roles[term])}
        return [
            TermInfo(
                term,
                names[term],
                about[term].label,
                about[term].description if term in known else "",
                kinds[term] if term in known or is_literal(term) else "",
                roles[term].degree,
            )
            for term in terms
        ]

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations, of exactly this name; else of this label.

        `Georgia (country)` is the Georgia that would be named so among all that are called so.
        Relations that have no label are found by the name that they have instead.
        """
        for label in dict.fromkeys((text, text.rpartition(" (")[0])):
            terms = self.labelled(label, relation=relation) if label else []
            names = dict(zip(terms, self.names(terms), strict=True))
            if exact := sorted(term for term in terms if names[term] == text):
                return exact
            if terms and label == text:
                return sorted(terms)
        return [info.term for info in self.relations() if info.name == text] if relation else []

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations, of exactly this label; values are not found."""
        terms = self._bearers([text])[text]
        about = self._terms.about(terms)
        same = [term for term in terms if about[term].label == text]
        return [
            t for t, used in zip(same, self._are_relations(same), strict=True) if used == relation
        ]

    def _are_relations(self, terms: Sequence[Term]) -> list[bool]:
        """Whether each term makes facts; not asked for where all relations were listed."""
        if self._every_relation is not None:
            return [term in self._every_relation for term in terms]
        roles = self._terms.roles(terms)
        return [bool(roles[term].uses) for term in terms]

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean: labels first, then by degree."""
        if not norm:
            return []
        remembered = self._spellings.get(norm) or spellings(norm)
        by_text = self._texts.take(remembered, self._find_texts)
        spelled = [(text, *pair) for text in remembered for pair in by_text[text]]
        terms = list(dict.fromkeys(term for _, term, _ in spelled))
        about, roles = self._terms.about(terms), self._terms.roles(terms)
        best: dict[Term, Hit] = {}
        for text, term, predicate in spelled:
            if not _is_linkable(roles[term], about[term]):
                continue
            kind = self._surface_kind(predicate, text, about[term].label)
            hit = Hit(term, one_line(text), kind, roles[term].degree)
            best[term] = min(best.get(term, hit), hit, key=lambda h: (_KINDS.index(h.kind), h.text))
        hits = sorted(best.values(), key=lambda h: (_KINDS.index(h.kind), -h.degree, h.term))
        return hits[:_MOST_HITS]

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some term is spelled as, all in a few requests.

        Of a mapping, the texts as they were written are looked up too, and by `lookup` later.
        """
        written: Mapping[str, str] = norms if isinstance(norms, Mapping) else {}
        spellings_of: dict[str, tuple[str, ...]] = {}
        for norm in filter(None, norms):
            again = self._spellings.get(norm) or ()
            spellings_of[norm] = (
                *dict.fromkeys((*again, *spellings(norm, written.get(norm, "")))),
            )
        self._spellings.put(spellings_of)
        all_texts = [text for texts in spellings_of.values() for text in texts]
        by_text, *_ = side_by_side(partial(self._terms_by_text, all_texts), *self._preparations())
        return {
            norm for norm, texts in spellings_of.items() if any(by_text[text] for text in texts)
        }

    def _terms_by_text(self, texts: Sequence[str]) -> dict[str, tuple[_Spelled, ...]]:
        """Who has each text; what is said of them, and is around them, is read with it."""
        by_text = self._texts.take(texts, self._find_texts)
        terms = list(dict.fromkeys(term for pairs in by_text.values() for term, _ in pairs))
        around = partial(self._look_around, terms) if self._look_around and terms else None
        works = [partial(self._terms.about, terms), partial(self._terms.roles, terms)]
        side_by_side(*works, *filter(None, [around]))
        return by_text

    def _preparations(self) -> list[Callable[[], object]]:
        """What every question asks for first: the uses and the names of relations and classes."""
        if self._is_prepared or not self._words:
            return []
        self._is_prepared = True
        relations = list(dict.fromkeys(word.term for word in self._words if word.relation))
        classes = list(dict.fromkeys(word.term for word in self._words if not word.relation))

        works = [
            partial(self._counted, _SECONDS_FOR_VOCABULARY),
            partial(self.names, [*relations, *classes][:_MOST_PREPARED]),
        ]
        return [partial(quietly, work) for work in works]

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        """None: without an index there is no search for typos."""
        return []

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        """None: SPARQL has no index of words, so every label would have to be read."""
        return []

    def with_local_name(self, name: str) -> list[Hit]:
        """None: nothing tells the namespaces of the graph without reading it."""
        return []

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts use, the most used first; a large endpoint may time out."""
        facts = self._counted()
        names = self._names.names(facts)
        ordered = sorted(facts, key=lambda term: (-facts[term], term))
        return [RelationInfo(term, names[term], facts[term]) for term in ordered]

    def _counted(self, timeout: float | None = None) -> Mapping[Term, int]:
        """How many facts each relation has; counted once."""
        if self._counts is None:
            self._counts = relation_counts(self._client, self._facts, timeout=timeout)
            self._terms.learn_relations(self._counts)
        return self._counts

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of relations and classes, of at most a thousand each; read once.

        Nothing where the endpoint does not list them within ten seconds: linking does without.
        """
        if not self._words:
            with suppress(ServiceError):
                self._words = self._read_words()
        return [*self._words]

    def _read_words(self) -> list[Word]:
        whole, types = self._facts, self._profile.types
        relations, classes = side_by_side(
            partial(self._listed, label_queries.relations(whole, _MOST_WORDS)),
            partial(self._listed, label_queries.classes(types, self._whole, _MOST_WORDS)),
        )
        self._terms.learn_relations(relations)
        if len(relations) < _MOST_WORDS:
            self._every_relation = frozenset(relations)
        values: dict[Term, Values] = {**classes, **relations}
        terms = [
            term
            for term in sorted(values)
            if term in relations or not term[1:].startswith(SCHEMA_NAMESPACES)
        ]
        about, words = self._terms.about(terms), list[Word]()
        for term in terms:
            aliases = sorted(
                one_line(lexical_form(value))
                for predicate, value in values[term]
                if predicate in self._naming.all_predicates and is_literal(value)
            )
            once = {normalise(text): text for text in reversed([about[term].label, *aliases])}
            once.pop("", None)
            words.extend(Word(text, term, term in relations) for text in sorted(once.values()))
        return words

    def _listed(self, query: Query) -> dict[Term, Values]:
        """The terms that a query lists, each with its names and what is told of it."""
        profile, seconds = self._profile, _SECONDS_FOR_VOCABULARY
        lists: list[TextList] = ["labels", "descriptions", "aliases", "hidden"]
        predicates = text_predicates(profile, *lists, link_predicates=profile.types)
        listing = label_queries.listed_with_texts(query, predicates, profile.languages, self._whole)
        answer = self._client.select(listing, timeout=seconds)
        values: dict[Term, list[tuple[Term, Term]]] = {}
        if not answer.cut:
            for term, predicate, value in answer.rows:
                if term is not None:
                    pairs = values.setdefault(term, [])
                    if predicate is not None and value is not None:
                        pairs.append((predicate, value))
        else:
            rows = self._client.select(query, timeout=seconds).rows
            values = {term: [] for (term,) in rows if term is not None}
            for _, answer in in_batches(
                self._client,
                [term for term in values if can_ask(term)],
                lambda batch: label_queries.texts(
                    batch, predicates, profile.languages, self._whole
                ),
                most=_MOST_TEXTS,
            ):
                for term, predicate, value in answer.rows:
                    if term in values and predicate is not None and value is not None:
                        values[term].append((predicate, value))
        self._terms.learn(values)
        return {term: (*pairs,) for term, pairs in values.items()}

    def longest(self) -> int:
        """The number of words of the longest name that is looked up."""
        return _LONGEST_NAME

    def _bearers(self, labels: Sequence[str]) -> dict[str, list[Term]]:
        """The IRIs that have each text as a label."""
        by_text = self._texts.take(labels, self._find_texts)
        naming = self._profile.text_predicates("labels")
        return {
            label: list(dict.fromkeys(term for term, p in by_text[label] if p in naming))
            for label in labels
        }

    def _find_texts(self, texts: Sequence[str]) -> Mapping[str, tuple[_Spelled, ...]]:
        matches: dict[str, list[_Spelled]] = {text: [] for text in texts}
        values: dict[Term, list[tuple[Term, Term]]] = {}
        for _, answer in in_batches(
            self._client,
            texts,
            lambda batch: label_queries.spelled(
                batch, self._naming, self._terms.predicates, self._profile.languages, self._whole
            ),
            most=_MOST_TEXTS,
        ):
            for literal, predicate, term, about, value in answer.rows:
                if literal is not None and predicate is not None and term is not None:
                    matches.get(lexical_form(literal), []).append((term, predicate))
                    pairs = values.setdefault(term, [])
                    if about is not None and value is not None:
                        pairs.append((about, value))
        self._terms.learn({term: dict.fromkeys(pairs) for term, pairs in values.items()})
        return {text: tuple(sorted(set(pairs))) for text, pairs in matches.items()}

    def _surface_kind(self, predicate: Term, text: str, label: str) -> SurfaceKind:
        if predicate in self._profile.text_predicates("labels"):
            return "label" if one_line(text) == label else "alias"
        return "alias" if predicate in self._profile.text_predicates("aliases") else "hidden"


def _is_linkable(roles: Roles, about: About) -> bool:
    """Whether a question can be about the term: it has facts, or a label and is no schema."""
    if roles.facts:
        return True
    return about.labelled and not (roles.uses or roles.members or about.schema)
