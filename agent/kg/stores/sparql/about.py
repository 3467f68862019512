"""What an endpoint says of terms: labels, descriptions, classes, and how often they are used."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ....caching import Recent
from ...labels.names import local_name, one_line
from ...nodes import lexical_form, literal_tag
from ...profile import INDIVIDUALS, SCHEMA_NAMESPACES, Profile, TextList, precedence
from ...terms import Term, is_iri, is_literal
from . import label_queries
from .client import SparqlClient
from .label_queries import TextPredicates
from .queries import Scope, can_ask
from .scan import in_batches

_MOST_TERMS = 97
"""A prime number, so that the same number of rows for each term is not a round one."""

_MOST_COUNTED_TERMS = 23
_MOST_REMEMBERED = 100_000
_MOST_TRIPLES = 1_000
_MOST_MEMBERS = 10_000


class About(NamedTuple):
    """A term's best label, or its local name, its description and the classes that it is in.

    `schema` when the term is itself a class or a property by RDFS or OWL.
    """

    label: str
    labelled: bool
    description: str = ""
    classes: tuple[Term, ...] = ()
    schema: bool = False


class Roles(NamedTuple):
    """How many facts an entity has, how many a relation makes, and how many members a class has.

    Counted in the first thousand triples of each place of the term.
    """

    facts: int = 0
    uses: int = 0
    members: int = 0

    @property
    def degree(self) -> int:
        """The uses of a relation, else the facts of an entity."""
        return self.uses or self.facts


Values = tuple[tuple[Term, Term], ...]
"""What a term has: predicates, each with a text or an IRI."""


class Terms:
    """Reads about many terms at once, and remembers the last 100,000. Raises ServiceError."""

    def __init__(self, client: SparqlClient, profile: Profile) -> None:
        self._client = client
        self._profile = profile
        self._scope = Scope(client.settings.graphs)
        self.predicates = text_predicates(
            profile, "labels", "descriptions", link_predicates=profile.types
        )
        """The predicates of what is read about terms."""
        self._labels = profile.text_predicates("labels")
        self._descriptions = profile.text_predicates("descriptions")
        self._values: Recent[Term, Values] = Recent(_MOST_REMEMBERED)
        self._relations: Recent[Term, bool] = Recent(_MOST_REMEMBERED)
        self._abouts: Recent[Term, About] = Recent(_MOST_REMEMBERED)
        self._roles: Recent[Term, Roles] = Recent(_MOST_REMEMBERED)
        self._sizes: Recent[Term, int] = Recent(_MOST_REMEMBERED)

    def learn(self, values: Mapping[Term, Iterable[tuple[Term, Term]]]) -> None:
        """Take what an answer told of terms, whole, by `predicates`."""
        self._values.put({term: tuple(pairs) for term, pairs in values.items()})

    def learn_relations(self, relations: Iterable[Term]) -> None:
        """Take it that these are relations of facts."""
        self._relations.put(dict.fromkeys(relations, True))

    def about(self, terms: Iterable[Term]) -> dict[Term, About]:
        """What is said of each term; one that cannot be asked about has its local name."""
        return self._abouts.take(terms, self._read_about)

    def roles(self, terms: Iterable[Term]) -> dict[Term, Roles]:
        """How often each term is used."""
        return self._roles.take(terms, self._read_roles)

    def kinds(self, terms: Iterable[Term]) -> dict[Term, str]:
        """The label of the smallest class of each term, or of the datatype of a literal."""
        about = self.about(terms)
        sizes = self._sizes.take(
            (
                c
                for term_about in about.values()
                if len(term_about.classes) > 1
                for c in term_about.classes
            ),
            self._read_sizes,
        )
        best = {
            term: min(term_about.classes, key=lambda c: (sizes.get(c, 0), c))
            for term, term_about in about.items()
            if term_about.classes
        }
        labels = self.about(best.values())
        kinds = {term: labels[best[term]].label if term in best else "" for term in about}
        for term in filter(is_literal, about):
            tag = literal_tag(term)
            kinds[term] = local_name(f"<{tag}>") if tag else ""
        return kinds

    def _read_about(self, terms: Sequence[Term]) -> Mapping[Term, About]:
        abouts = self._read_texts([term for term in terms if is_iri(term) and can_ask(term)])
        unlabelled = [term for term, about in abouts.items() if not about.labelled]
        sources = {t: source for t in unlabelled if (source := self._profile.labelled_as(t))}
        labels = self._read_texts(list(sources.values()))
        for term, source in sources.items():
            if labels[source].labelled:
                abouts[term] = abouts[term]._replace(label=labels[source].label, labelled=True)
        for term in self._used_as_relations(
            [term for term in unlabelled if not abouts[term].labelled]
        ):
            name = self._profile.name_of.get(term) or local_name(term, relation=True)
            abouts[term] = abouts[term]._replace(label=name)
        return {term: abouts.get(term) or About(local_name(term), False) for term in terms}

    def _read_texts(self, terms: Sequence[Term]) -> dict[Term, About]:
        asked = list(dict.fromkeys(term for term in terms if can_ask(term)))
        values = self._values.take(asked, self._read_values)
        best = {term: self._best_text(self._labels, texts) for term, texts in values.items()}
        best |= self._any_labels([term for term, text in best.items() if text is None])
        return {term: self._about(term, best[term], values[term]) for term in values} | {
            term: About(local_name(term), False) for term in terms if term not in values
        }

    def _read_values(self, terms: Sequence[Term]) -> Mapping[Term, Values]:
        values: dict[Term, list[tuple[Term, Term]]] = {term: [] for term in terms}
        languages = self._profile.languages
        for _, answer in in_batches(
            self._client,
            terms,
            lambda batch: label_queries.texts(batch, self.predicates, languages, self._scope),
            most=_MOST_TERMS,
        ):
            for term, predicate, value in answer.rows:
                if term in values and predicate is not None and value is not None:
                    values[term].append((predicate, value))
        return {term: tuple(pairs) for term, pairs in values.items()}

    def _about(self, term: Term, label: str | None, values: Values) -> About:
        label = one_line(label or "")
        classes = sorted({v for p, v in values if p in self._profile.types and is_iri(v)})
        own_classes = [c for c in classes if not c[1:].startswith(SCHEMA_NAMESPACES)]
        return About(
            label or local_name(term),
            bool(label),
            self._best_text(self._descriptions, values) or "",
            tuple(own_classes),
            any(c not in own_classes and c not in INDIVIDUALS for c in classes),
        )

    def _best_text(
        self, predicates: Sequence[Term], values: Iterable[tuple[Term, Term]]
    ) -> str | None:
        """The text that the profile prefers: by language and predicate, then alphabet."""
        ranked: list[tuple[int, int, int, str]] = []
        languages = self._profile.languages
        for predicate, value in values:
            if predicate in predicates and is_literal(value) and one_line(lexical_form(value)):
                tag = literal_tag(value)
                language = self._profile.language_rank("" if ":" in tag else tag)
                if language is not None:
                    first, order = precedence(languages, language), predicates.index(predicate)
                    ranked.append((first, order, language, lexical_form(value)))
        return min(ranked)[-1] if ranked else None

    def _any_labels(self, terms: Sequence[Term]) -> dict[Term, str | None]:
        """A label in whatever language there is."""
        predicates = self._labels
        asked = text_predicates(self._profile, "labels")
        labels: dict[Term, tuple[int, str]] = {}
        for _, answer in in_batches(
            self._client,
            terms,
            lambda batch: label_queries.any_text(batch, asked, self._scope),
            most=_MOST_TERMS,
        ):
            for term, predicate, text in answer.rows:
                if term is not None and predicate in predicates and text is not None:
                    label = predicates.index(predicate), lexical_form(text)
                    if one_line(label[1]):
                        labels[term] = min(labels.get(term, label), label)
        return {term: labels[term][1] if term in labels else None for term in terms}

    def _used_as_relations(self, terms: Sequence[Term]) -> list[Term]:
        """The terms that are relations of facts."""
        facts = [term for term in terms if not self._profile.skips(term)]
        relations = self._relations.take(facts, self._read_used)
        return [term for term in facts if relations[term]]

    def _read_used(self, terms: Sequence[Term]) -> Mapping[Term, bool]:
        relations: set[Term | None] = set()
        for _, answer in in_batches(
            self._client,
            terms,
            lambda batch: label_queries.used_relations(batch, self._scope),
            most=_MOST_TERMS,
        ):
            relations.update(row[0] for row in answer.rows)
        return {term: term in relations for term in terms}

    def _read_roles(self, terms: Sequence[Term]) -> Mapping[Term, Roles]:
        roles_of = dict.fromkeys(terms, Roles())
        for batch, answer in in_batches(
            self._client,
            [term for term in terms if can_ask(term)],
            lambda batch: label_queries.roles(batch, self._scope, _MOST_TRIPLES),
            most=_MOST_COUNTED_TERMS,
        ):
            for number_of_term, way, relation, count in answer.rows:
                term = _numbered(batch, number_of_term)
                if term is None or relation is None:
                    continue
                number, roles = _number(count), roles_of[term]
                if way == '"in"' and relation in self._profile.types:
                    roles = roles._replace(members=roles.members + number)
                elif not self._profile.skips(relation):
                    field = "uses" if way == '"use"' else "facts"
                    roles = roles._replace(**{field: getattr(roles, field) + number})
                roles_of[term] = roles
        return roles_of

    def _read_sizes(self, classes: Sequence[Term]) -> Mapping[Term, int]:
        sizes = dict.fromkeys(classes, 0)
        for batch, answer in in_batches(
            self._client,
            [term for term in classes if can_ask(term)],
            lambda batch: label_queries.members(
                batch, self._profile.types, self._scope, _MOST_MEMBERS
            ),
            most=_MOST_COUNTED_TERMS,
        ):
            for number_of_class, count in answer.rows:
                term = _numbered(batch, number_of_class)
                if term is not None:
                    sizes[term] = _number(count)
        return sizes


def text_predicates(
    profile: Profile, *lists: TextList, link_predicates: Sequence[Term] = ()
) -> TextPredicates:
    """How terms have the texts of some lists of a profile; `link_predicates` lead to IRIs."""
    direct = dict.fromkeys(chain(*(getattr(profile, name) for name in lists), link_predicates))
    nodes = ((way, text) for name, way, text in profile.text_nodes if name in lists)
    return TextPredicates((*direct,), (*nodes,))


def _numbered(batch: Sequence[Term], index: Term | None) -> Term | None:
    number = _number(index)
    return batch[number] if index is not None and number < len(batch) else None


def _number(term: Term | None) -> int:
    text = lexical_form(term or "")
    return int(text[:9]) if text.isascii() and text.isdigit() else 0
