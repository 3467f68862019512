"""The names of a KG behind an endpoint: asked for when they are needed, not indexed.

An endpoint can only be asked for exact literals, so that each text is tried in some `spellings`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from ....caching import Recent
from ....errors import ServiceError
from ...labels.index import Hit, RelationInfo, Similar, SurfaceKind, TermInfo, Word
from ...labels.names import normalise, one_line, with_triples
from ...nodes import lexical_form
from ...profile import GENERIC, SCHEMA_NAMESPACES, Profile
from ...terms import Term, is_literal
from . import label_queries
from .about import About, Roles, Terms
from .client import SparqlClient
from .naming import EndpointNames
from .queries import Scope, can_ask
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
    tried: dict[str, None] = {}
    for text in filter(None, (written, norm)):
        titled = _WORD.sub(lambda match: _capital(match[0]), text)
        inside = _WORD.sub(lambda match: _title(match[0], match.start()), text)
        tried |= dict.fromkeys((text, _capital(text), titled, inside))
        if len(text) <= _LONGEST_ACRONYM:
            tried[text.upper()] = None
    return tuple(tried)


def _title(word: str, start: int) -> str:
    return word.lower() if start and word.lower() in _SMALL else _capital(word)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_LONGEST_NAME = 8
_MOST_TEXTS = 397
_MOST_HITS = 200
_MOST_REMEMBERED = 100_000
_MOST_WORDS = 1_000
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

    def __init__(self, client: SparqlClient, *, profile: Profile = GENERIC) -> None:
        self._client = client
        self._profile = profile
        graphs = client.settings.graphs
        self._whole = Scope(graphs)
        self._facts = Scope(graphs, tuple(sorted(profile.skipped)), profile.skipped_prefixes)
        self._terms = Terms(client, profile)
        self._texts: Recent[str, tuple[_Spelled, ...]] = Recent(_MOST_REMEMBERED)
        self._spellings: Recent[str, tuple[str, ...]] = Recent(_MOST_REMEMBERED)
        self._names = EndpointNames(self._terms, self._bearers, profile)

    def close(self) -> None:
        """Close the connections, the store's too."""
        self._client.close()

    def names(self, terms: Sequence[Term]) -> list[str]:
        """The display name of each term, which no other that was named before has."""
        return with_triples(terms, lambda some: [*map(self._names.names(some).__getitem__, some)])

    def describe(self, terms: Sequence[Term]) -> list[TermInfo]:
        """What each term is."""
        about, roles = self._terms.about(terms), self._terms.roles(terms)
        kinds, names = self._terms.kinds(terms), self._names.names(terms)
        return [
            TermInfo(
                term,
                names[term],
                about[term].label,
                about[term].description,
                kinds[term],
                roles[term].degree,
            )
            for term in terms
        ]

    def named(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations, of exactly this name; else of this label.

        `Georgia (country)` is the Georgia that would be named so among all that are called so.
        """
        for label in dict.fromkeys((text, text.rpartition(" (")[0])):
            infos = self.describe(self.labelled(label, relation=relation)) if label else []
            for column in ("name", "label"):
                if found := sorted(info.term for info in infos if getattr(info, column) == text):
                    return found
        return []

    def labelled(self, text: str, *, relation: bool = False) -> list[Term]:
        """The entities, or the relations, of exactly this label; values are not found."""
        terms = self._bearers([text])[text]
        about, roles = self._terms.about(terms), self._terms.roles(terms)
        return [t for t in terms if about[t].label == text and bool(roles[t].uses) == relation]

    def lookup(self, norm: str) -> list[Hit]:
        """The entities that a normalised text may mean: labels first, then by degree."""
        if not norm:
            return []
        remembered = self._spellings.get(norm) or spellings(norm)
        found = self._texts.take(remembered, self._find)
        spelled = [(text, *pair) for text in remembered for pair in found[text]]
        terms = list(dict.fromkeys(term for _, term, _ in spelled))
        about, roles = self._terms.about(terms), self._terms.roles(terms)
        best: dict[Term, Hit] = {}
        for text, term, predicate in spelled:
            if not _is_linkable(roles[term], about[term]):
                continue
            kind = self._kind(predicate, text, about[term].label)
            hit = Hit(term, one_line(text), kind, roles[term].degree)
            best[term] = min(best.get(term, hit), hit, key=lambda h: (_KINDS.index(h.kind), h.text))
        hits = sorted(best.values(), key=lambda h: (_KINDS.index(h.kind), -h.degree, h.term))
        return hits[:_MOST_HITS]

    def known(self, norms: Iterable[str]) -> set[str]:
        """Which of many normalised texts some term is spelled as, all in a few requests.

        Of a mapping, the texts as they were written are looked up too, and by `lookup` later.
        """
        written: Mapping[str, str] = norms if isinstance(norms, Mapping) else {}
        tried: dict[str, tuple[str, ...]] = {}
        for norm in filter(None, norms):
            again = self._spellings.get(norm) or ()
            tried[norm] = (*dict.fromkeys((*again, *spellings(norm, written.get(norm, "")))),)
        self._spellings.put(tried)
        found = self._texts.take((t for texts in tried.values() for t in texts), self._find)
        return {norm for norm, texts in tried.items() if any(found[text] for text in texts)}

    def similar(self, norm: str, limit: int = 10, *, distance: int = 2) -> list[Similar]:
        """None: without an index there is no search for typos."""
        return []

    def containing(self, words: Sequence[str], limit: int = 200) -> list[Hit]:
        """None: SPARQL has no index of words, so every label would have to be read."""
        return []

    def relations(self) -> list[RelationInfo]:
        """Every relation that facts use, the most used first; a large endpoint may time out."""
        facts = relation_counts(self._client, self._facts)
        names = self._names.names(facts)
        ordered = sorted(facts, key=lambda term: (-facts[term], term))
        return [RelationInfo(term, names[term], facts[term]) for term in ordered]

    def vocabulary(self) -> list[Word]:
        """Labels and aliases of relations and classes, of at most a thousand each.

        Nothing where the endpoint does not list them within ten seconds: linking does without.
        """
        try:
            relations, classes = self._schema()
        except ServiceError:
            return []
        terms = sorted({*relations, *classes})
        texts = {term: [found.label] for term, found in self._terms.about(terms).items()}
        for term, text in sorted(self._aliases(terms)):
            texts.get(term, []).append(text)
        words: list[Word] = []
        for term in terms:
            once = {normalise(text): text for text in reversed(texts[term])}
            once.pop("", None)
            words.extend(Word(text, term, term in relations) for text in sorted(once.values()))
        return words

    def longest(self) -> int:
        """The number of words of the longest name that is looked up."""
        return _LONGEST_NAME

    def _bearers(self, labels: Sequence[str]) -> dict[str, list[Term]]:
        """The IRIs that have each text as a label."""
        found = self._texts.take(labels, self._find)
        naming = frozenset(self._profile.labels)
        return {
            label: list(dict.fromkeys(term for term, p in found[label] if p in naming))
            for label in labels
        }

    def _find(self, texts: Sequence[str]) -> Mapping[str, tuple[_Spelled, ...]]:
        profile = self._profile
        predicates = list(dict.fromkeys((*profile.labels, *profile.aliases, *profile.hidden)))
        matches: dict[str, list[_Spelled]] = {text: [] for text in texts}
        for _, answer in in_batches(
            self._client,
            texts,
            lambda batch: label_queries.spelled(batch, predicates, profile.languages, self._whole),
            most=_MOST_TEXTS,
        ):
            for literal, predicate, term in answer.rows:
                if literal is not None and predicate is not None and term is not None:
                    matches.get(lexical_form(literal), []).append((term, predicate))
        return {text: tuple(sorted(set(pairs))) for text, pairs in matches.items()}

    def _kind(self, predicate: Term, text: str, label: str) -> SurfaceKind:
        if predicate in self._profile.labels:
            return "label" if one_line(text) == label else "alias"
        return "alias" if predicate in self._profile.aliases else "hidden"

    def _schema(self) -> tuple[set[Term], set[Term]]:
        """The relations and the classes of the KG, as far as they can be listed quickly."""
        term_sets: list[set[Term]] = []
        for query in (
            label_queries.relations(self._facts, _MOST_WORDS),
            label_queries.classes(self._profile.types, self._whole, _MOST_WORDS),
        ):
            rows = self._client.select(query, timeout=_SECONDS_FOR_VOCABULARY).rows
            term_sets.append({term for (term,) in rows if term is not None})
        relations, classes = term_sets
        return relations, {c for c in classes if not c[1:].startswith(SCHEMA_NAMESPACES)}

    def _aliases(self, terms: Sequence[Term]) -> list[tuple[Term, str]]:
        """Every label and alias of some terms in the languages of the profile."""
        profile = self._profile
        predicates = list(dict.fromkeys((*profile.labels, *profile.aliases, *profile.hidden)))
        aliases: list[tuple[Term, str]] = []
        for _, answer in in_batches(
            self._client,
            [term for term in terms if can_ask(term)],
            lambda batch: label_queries.texts(batch, predicates, profile.languages, self._whole),
            most=_MOST_TEXTS,
        ):
            for term, _, value in answer.rows:
                if term is not None and value is not None and is_literal(value):
                    aliases.append((term, one_line(lexical_form(value))))
        return aliases


def _is_linkable(roles: Roles, about: About) -> bool:
    """Whether a question can be about the term: it has facts, or a label and is no schema."""
    if roles.facts:
        return True
    return about.labelled and not (roles.uses or roles.members or about.schema)
