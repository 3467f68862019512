"""The ways that lead to answers, as patterns of SPARQL: topics and relations fixed, the rest open.

A walk becomes its relation path, so that whatever that reaches is found; a chain that is no walk
(DoG section 2.2) becomes its triples, with a variable for every entity but the topics.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..kg.sparql.queries import can_spell, spell
from ..kg.terms import Term, Triple, is_triple_term, triple_of
from ..state import Answer, StepRecord
from .reply import step_of

ANSWER = "?answer"


class Route(NamedTuple):
    """The triple patterns of a chain, the variables of what it reaches, and what is left open.

    `loose` are terms that had to be fixed, and that no query can name: blank nodes.
    """

    patterns: tuple[str, ...]
    reached: tuple[str, ...]
    loose: tuple[Term, ...] = ()


def routes(answer: Answer, topics: Collection[Term]) -> list[Route]:
    """The distinct routes of an answer's chains."""
    loose_form = answer.get("form") == "chain"
    found = (
        _chain(chain, answer["term"], topics) if loose_form else _walk(chain)
        for chain in answer["chains"]
        if chain
    )
    return list(dict.fromkeys(found))


def opened(rows: Sequence[Triple]) -> list[str]:
    """The patterns of triples, with a variable for each term that no query can name."""
    unnamed = dict.fromkeys(term for row in rows for term in row if not can_spell(term))
    variables = {term: f"?b{number}" for number, term in enumerate(unnamed, 1)}
    return [f"{' '.join(variables.get(t) or spell(t) for t in row)} ." for row in rows]


class _Names:
    """Gives terms their place in the patterns of one route."""

    def __init__(self) -> None:
        self.loose: list[Term] = []
        self._count = 0

    def fixed(self, term: Term) -> str:
        """The term itself, where a query can name it."""
        if can_spell(term):
            return spell(term)
        self.loose.append(term)
        return self.fresh("s")

    def fresh(self, kind: str) -> str:
        """A variable that nothing else in the route has."""
        self._count += 1
        return f"?{kind}{self._count}"


def _walk(chain: Sequence[StepRecord]) -> Route:
    names, patterns, reached = _Names(), list[str](), list[str]()
    place = names.fixed(step_of(chain[0]).source)
    for number, record in enumerate(chain, 1):
        other = ANSWER if number == len(chain) else names.fresh("x")
        head, tail = (other, place) if record["inverse"] else (place, other)
        patterns.append(_pattern(record, head, tail, names))
        reached.append(other)
        place = other
    return Route(tuple(patterns), tuple(reached), tuple(names.loose))


def _chain(chain: Sequence[StepRecord], answer: Term, topics: Collection[Term]) -> Route:
    names, places = _Names(), dict[Term, str]()
    steps = [step_of(record) for record in chain]
    ends = [end for step in steps for end in (step.source, step.target)]
    known = {*topics} & {*ends} or {ends[0]}
    answer = answer if answer in ends else ends[-1]
    for end in ends:
        if end not in places:
            place = names.fixed(end) if end in known else names.fresh("x")
            places[end] = ANSWER if end == answer else place
    patterns = [
        _pattern(record, places[head], places[tail], names)
        for record, step in zip(chain, steps, strict=True)
        for head, tail in [_ends(step.source, step.target, record["inverse"])]
    ]
    reached = [place for end, place in places.items() if end == answer or end not in known]
    return Route(tuple(patterns), tuple(reached), tuple(names.loose))


def _ends(source: Term, target: Term, inverse: bool) -> tuple[Term, Term]:
    return (target, source) if inverse else (source, target)


def _pattern(record: StepRecord, head: str, tail: str, names: _Names) -> str:
    """One triple; of a triple term, the subject is the place and the predicate is fixed."""
    if is_triple_term(record["tail"]["term"]):
        told = triple_of(record["tail"]["term"])
        tail = f"<<( {tail} {names.fixed(told.relation)} {names.fresh('o')} )>>"
    return f"{head} {names.fixed(record['relation']['term'])} {tail} ."
