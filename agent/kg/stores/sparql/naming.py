"""Which name a term of an endpoint has: the same whatever else is asked for, as far as can be."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from threading import Lock

from ....caching import Recent
from ...labels.literals import readable
from ...labels.names import Naming, free_name, local_name, normalise, short_form
from ...nodes import literal_tag
from ...profile import Profile
from ...terms import Term, is_literal
from .about import About, Roles, Terms

_MOST_NAMESAKES = 23
"""Terms of one label that are compared: as many as one request counts the facts of."""

_MOST_REMEMBERED = 200_000

FindLabelled = Callable[[Sequence[str]], Mapping[str, Collection[Term]]]
"""The IRIs of the endpoint that have each text as a label."""


class EndpointNames:
    """Gives each term the name that an index of the whole KG would give it, and remembers it.

    All that share its label are asked about with it: the one with most facts is called by the
    label, others get a qualifier. Where more than 23 share it, each is called by its label, its
    short description or class, and its local name.

    An endpoint cannot be asked for literals or for local names: of what is called like one of
    those, the first to be asked for has the name. So it is with relations of a label that more than
    23 terms share. Of the last 200,000 terms no two relations, and no two others, have one name.
    Safe to share between threads.
    """

    def __init__(self, terms: Terms, labelled: FindLabelled, profile: Profile) -> None:
        self._terms = terms
        self._labelled = labelled
        self._profile = profile
        self._names: Recent[Term, str] = Recent(_MOST_REMEMBERED)
        self._owners: Recent[tuple[bool, str], Term] = Recent(_MOST_REMEMBERED)
        self._lock = Lock()

    def names(self, terms: Iterable[Term]) -> dict[Term, str]:
        """The name of each term. Raises ServiceError.

        One request more than what is said of the terms, where no label is shared; those that share
        one take about one for 23 of them, and one for 97.
        """
        names = {term: self._names.get(term) for term in terms}
        if new := [term for term, name in names.items() if name is None]:
            names |= self._new_names(new)
        return {term: name for term, name in names.items() if name is not None}

    def _new_names(self, terms: Sequence[Term]) -> dict[Term, str]:
        about = self._terms.about(terms)
        groups: dict[str, set[Term]] = {}
        for term in terms:
            groups.setdefault(self._label(term, about), set()).add(term)
        crowded = self._join(groups, about)
        shared = [
            t
            for label, namesakes in groups.items()
            if label in crowded or len(namesakes) > 1
            for t in namesakes
        ]
        roles, kinds = self._terms.roles(shared), self._terms.kinds(shared)
        namings = [
            Naming(
                *(term, label, about[term].description, kinds.get(term, "")),
                degree=roles.get(term, Roles()).degree,
            )
            for label, namesakes in groups.items()
            for term in namesakes
        ]
        relations = frozenset(term for term in shared if roles[term].uses)
        both = frozenset(term for term in relations if roles[term].facts)
        with self._lock:
            return self._assign(namings, relations, both, crowded)

    def _label(self, term: Term, about: Mapping[Term, About]) -> str:
        return readable(term, self._profile) if is_literal(term) else about[term].label

    def _join(self, groups: dict[str, set[Term]], about: dict[Term, About]) -> set[str]:
        """Add the namesakes of each label to its group; the labels that have too many."""
        asked = [label for label, namesakes in groups.items() if not all(map(_is_typed, namesakes))]
        bearers = self._labelled(asked)
        crowded = {label for label in asked if len(bearers[label]) > _MOST_NAMESAKES}
        others = {label: bearers[label] for label in asked if label not in crowded}
        about |= self._terms.about(
            t for namesakes in others.values() for t in namesakes if t not in about
        )
        for label, namesakes in others.items():
            groups[label].update(term for term in namesakes if about[term].label == label)
        return crowded

    def _assign(
        self,
        namings: Sequence[Naming],
        relations: Collection[Term],
        relation_entities: Collection[Term],
        crowded: Collection[str],
    ) -> dict[Term, str]:
        """Relations are named first, and apart from entities; `relation_entities` have one name."""
        names = {n.term: name for n in namings if (name := self._names.get(n.term)) is not None}

        def take(naming: Naming, name: str) -> bool:
            kinds = {
                naming.term in relations,
                naming.term in relations and naming.term not in relation_entities,
            }
            keys = [(kind, name) for kind in kinds]
            if any(self._owners.get(key) not in (None, naming.term) for key in keys):
                return False
            self._owners.put(dict.fromkeys(keys, naming.term))
            names[naming.term] = name
            return True

        new = [naming for naming in namings if naming.term not in names]
        numbers: dict[str, int] = {}
        for kind in (True, False):
            some = [naming for naming in new if (naming.term in relations) == kind]
            waiting: list[Naming] = []
            for naming in sorted(some, key=lambda naming: (-naming.degree, naming.term)):
                apart = not kind and naming.label in crowded
                if not take(naming, _name_with_qualifier(naming) if apart else naming.label):
                    waiting.append(naming)
            for naming in waiting:
                free_name(naming, partial(take, naming), numbers)
        self._names.put(names)
        return names


def _is_typed(term: Term) -> bool:
    """Whether a literal has a datatype: a number or the like, as which few entities are called."""
    return is_literal(term) and ":" in literal_tag(term)


def _name_with_qualifier(naming: Naming) -> str:
    """A name that tells a term from all others of its label, without knowing them."""
    qualifiers = [
        text
        for text in (short_form(naming.description), naming.kind)
        if text and normalise(text) != normalise(naming.label)
    ]
    return f"{naming.label} ({' '.join([*qualifiers[:1], local_name(naming.term)])})"
