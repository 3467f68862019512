"""Names that an agent writes, as terms of the graph; and triples written so that it may do so."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..agent.answers.topics import listed_apart
from ..agent.errors import InputError
from ..agent.kg import KnowledgeGraph
from ..agent.kg.labels.meanings import Meanings, entities_meant, written_term
from ..agent.kg.labels.names import normalise
from ..agent.kg.store import Way
from ..agent.kg.terms import Term, is_literal
from ..agent.records import StepRecord
from .mcp_results import LONGEST, cut

Triple = list[str]
"""Head, relation and tail, each as `verify_chain` takes it: a name, with its term where others have
that name too."""
Spelling = Callable[[Sequence[StepRecord]], list[Triple]]
_PARTS = ("head", "relation", "tail")
_MOST_SHOWN = 5


class Names:
    """The names of one graph. Its methods raise ServiceError where an endpoint does not answer."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg = kg
        self._meanings = Meanings(kg.labels, kg.profile.skipped)

    def entity(self, text: str) -> Term:
        """The one entity of a term or a name. Raises InputError."""
        hint = "find_entity lists names that are close"
        if (term := written_term(text)) is not None:
            at = self.kg.listed.relations_at
            is_there = any(at([term], inverse)[0] for inverse in (False, True))
            if not (is_there or self.has_members(term)):
                raise InputError(f"the graph has no facts about {cut(text)}", hint)
            return term
        return self._only(text, entities_meant(self.kg.labels, text), "entity", hint)

    def has_members(self, term: Term) -> bool:
        """Whether it is the class of anything."""
        classes = (term, *self.kg.membership.below(term))
        ways = [Way(class_, kind, True) for class_ in classes for kind in self.kg.profile.types]
        return any(self.kg.store.follow_each(ways, limit=1))

    def relation(self, text: str) -> Term:
        """The one relation of a term or a name. Raises InputError."""
        if (term := written_term(text)) is not None:
            return term
        terms: Sequence[Term] = self._meanings.find([text], relation=True)[text]
        if not terms:
            norm = normalise(text)
            relations = self.kg.labels.relations()
            terms = [relation.term for relation in relations if normalise(relation.name) == norm]
        hint = "neighbours without a relation lists those of an entity"
        return self._only(text, terms, "relation", hint)

    def as_written(self, texts: Sequence[str]) -> dict[str, str]:
        """Each text as a claim has it: a name as it stands, else the term that is written."""
        terms = {text: term for text in texts if (term := written_term(text)) is not None}
        doubtful = [text for text in terms if not text.startswith(("<", '"', "_:"))]
        named = self._meanings.find(doubtful) if doubtful else {}
        return {text: text if named.get(text) else terms.get(text, text) for text in texts}

    def spelled(self, steps: Sequence[StepRecord]) -> list[Triple]:
        """Triples as they can be looked up again.

        A name that means exactly its term stands alone. Behind an endpoint that is not looked up,
        and the term stands beside the name.
        """
        if not self.kg.pinned:
            return [[_with_term(_part(step, part)) for part in _PARTS] for step in steps]
        ends = {_part(step, part)["label"] for step in steps for part in ("head", "tail")}
        relations = {step["relation"]["label"] for step in steps}
        known = self._meanings.find(sorted(ends))
        related = self._meanings.find(sorted(relations), relation=True)
        return [
            [
                _unambiguous(step["head"], _things(known[step["head"]["label"]])),
                _unambiguous(step["relation"], related[step["relation"]["label"]]),
                _unambiguous(step["tail"], known[step["tail"]["label"]]),
            ]
            for step in steps
        ]

    def meant(self, text: str) -> set[Term]:
        """What a text of a claim may mean: the term that it is, or all that have it for a name."""
        return {text, *self._meanings.find([text])[text]}

    def _only(self, text: str, terms: Sequence[Term], what: str, hint: str) -> Term:
        if not terms:
            raise InputError(f"no {what} of the graph is called {text!r}", hint)
        if len(terms) > 1:
            shown = terms[:_MOST_SHOWN]
            is_thing = what == "entity"
            names = listed_apart(self.kg, shown) if is_thing else self.kg.labels.names(shown)
            named = zip(names, shown, strict=True)
            meant = "; ".join(f"{name} {term}" for name, term in named)
            more = f" and {len(terms) - _MOST_SHOWN} more" if len(terms) > _MOST_SHOWN else ""
            raise InputError(f"{text!r} may mean {meant}{more}", "give the term that is meant")
        return terms[0]


def _part(step: StepRecord, part: str) -> Mapping[str, Any]:
    return {"head": step["head"], "relation": step["relation"], "tail": step["tail"]}[part]


def _things(terms: Sequence[Term]) -> Sequence[Term]:
    """The entities among what a name means; where there are none, all of it."""
    return [term for term in terms if not is_literal(term)] or terms


def _unambiguous(named: Mapping[str, Any], means: Sequence[Term]) -> str:
    """The label alone where it means exactly this term, else with the term."""
    is_sure = tuple(means) == (named["term"],) and len(named["label"]) <= LONGEST
    return named["label"] if is_sure else _with_term(named)


def _with_term(named: Mapping[str, Any]) -> str:
    term = named["term"]
    if is_literal(term):
        return term if len(term) <= 2 * LONGEST else cut(named["label"])
    return term if named["label"] == term else f"{cut(named['label'])} {term}"
