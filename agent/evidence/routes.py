"""The routes that lead to answers, as patterns of SPARQL that bind `?answer`.

A walk becomes its relation path, so that everything it reaches is found. Where it turns back along
a triple, as a proof does to what a node says beside the way, that triple's other end is named. A
chain that is no walk (DoG section 2.2) becomes its triples, with a variable for every entity but
the topics.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..kg.stores.sparql.queries import can_spell, spell
from ..kg.terms import Term, Triple, is_triple_term, triple_of
from ..query.sparql_patterns import block, select
from ..query.sparql_patterns import either as union
from ..records import Answer, Named, StepRecord
from .reply import step_of

ANSWER = "?answer"


class _Route(NamedTuple):
    """The triple patterns of a chain, and the variables of the entities that it reaches.

    `unnamed` are the blank nodes that it starts from: no query can name them.
    """

    patterns: tuple[str, ...]
    reached: tuple[str, ...]
    unnamed: tuple[Term, ...] = ()


def patterns_to_answers(
    topics: Sequence[Named], answers: Sequence[Answer], graphs: Sequence[Term]
) -> list[str]:
    """Patterns for what the relation paths of the answers' chains reach; empty without chains.

    Routes that prove one answer together are joined, others are alternatives. So every answer is
    found, and an answer of two topics is only what both lead to. Where no walk comes back to a
    topic entity, none may.
    """
    terms = {topic["term"] for topic in topics}
    banned = [] if _comes_back(terms, answers) else [*map(spell, sorted(filter(can_spell, terms)))]
    return either([_block(group, banned, graphs) for group in _groups(terms, answers)])


def fixed_unnamed(topics: Sequence[Named], answers: Sequence[Answer]) -> set[Term]:
    """The blank nodes that routes start from, where the query has variables instead."""
    terms = {topic["term"] for topic in topics}
    routes = (route for answer in answers for route in _routes(answer, terms))
    return {term for route in routes for term in route.unnamed}


def opened(rows: Sequence[Triple]) -> list[str]:
    """The patterns of triples, with a variable for each term that no query can name."""
    unnamed = dict.fromkeys(term for row in rows for term in row if not can_spell(term))
    variables = {term: f"?b{number}" for number, term in enumerate(unnamed, 1)}
    return [f"{' '.join(variables.get(t) or spell(t) for t in row)} ." for row in rows]


def either(bodies: Sequence[list[str]]) -> list[str]:
    """The union of groups of patterns."""
    if len(bodies) < 2:
        return [line for body in bodies for line in body]
    return union(bodies)


def in_graphs(patterns: Sequence[str], graphs: Sequence[Term]) -> list[str]:
    """Patterns in one graph; of several graphs, each pattern in any of them."""
    match [spell(graph) for graph in graphs]:
        case []:
            return list(patterns)
        case [graph]:
            return block(patterns, f"GRAPH {graph} {{")
        case many:
            values = " ".join(many)
            return [
                f"VALUES ?g{number} {{ {values} }} GRAPH ?g{number} {{ {pattern} }}"
                for number, pattern in enumerate(patterns, 1)
            ]


def _routes(answer: Answer, topics: Collection[Term]) -> list[_Route]:
    """The distinct routes of an answer's chains."""
    chains = [chain for chain in answer["chains"] if chain]
    if answer.get("form") == "chain":
        return list(dict.fromkeys(_chain(chain, answer["term"], topics) for chain in chains))
    return list(dict.fromkeys(map(_walk, chains)))


def _groups(topics: Collection[Term], answers: Sequence[Answer]) -> list[list[_Route]]:
    """The smallest sets of routes that prove an answer, each once."""
    sets = dict.fromkeys(frozenset(_routes(answer, topics)) for answer in answers)
    smallest = [routes for routes in sets if routes and not any(o < routes for o in sets if o)]
    return [sorted(group) for group in smallest]


def _block(group: Sequence[_Route], banned: Sequence[str], graphs: Sequence[Term]) -> list[str]:
    """What all routes of a group reach, without coming to what is banned."""
    bodies: list[list[str]] = []
    for route in group:
        body = in_graphs(route.patterns, graphs)
        for variable in route.reached if banned else ():
            body.append(f"FILTER({variable} NOT IN ({', '.join(banned)}))")
        bodies.append(body)
    if len(bodies) == 1:
        return bodies[0]
    selected = f"DISTINCT {ANSWER}"
    return [line for body in bodies for line in block(select(selected, body))]


def _comes_back(topics: set[Term], answers: Sequence[Answer]) -> bool:
    """Whether some walk returns to a topic entity, or one is an answer."""
    walks = (a["chains"] for a in answers if a.get("form") != "chain")
    ends = {step_of(step).target for chains in walks for chain in chains for step in chain}
    return not topics.isdisjoint(ends | {answer["term"] for answer in answers})


class _Spelling:
    """How the terms of one route are spelled: by themselves, or as variables."""

    def __init__(self) -> None:
        self.unnamed: list[Term] = []
        self._count = 0

    def fixed(self, term: Term) -> str:
        """The term itself; a variable for a blank node."""
        if can_spell(term):
            return spell(term)
        self.unnamed.append(term)
        return self.fresh("s")

    def fresh(self, kind: str) -> str:
        """A variable that nothing else in the route has."""
        self._count += 1
        return f"?{kind}{self._count}"


def _walk(chain: Sequence[StepRecord]) -> _Route:
    spelling, patterns, targets = _Spelling(), list[str](), list[str]()
    node = spelling.fixed(step_of(chain[0]).source)
    aside = _asides(chain)
    for number, record in enumerate(chain, 1):
        if number - 1 in aside:
            other = spelling.fixed(step_of(record).target)
            patterns.append(_pattern(record, *_head_and_tail(record, node, other), spelling))
        if {number - 1, number - 2} & aside:
            continue
        target = ANSWER if number == len(chain) else spelling.fresh("x")
        patterns.append(_pattern(record, *_head_and_tail(record, node, target), spelling))
        targets.append(target)
        node = target
    return _Route(tuple(patterns), tuple(targets), tuple(spelling.unnamed))


def _head_and_tail(record: StepRecord, source: str, target: str) -> tuple[str, str]:
    """The head and the tail of a step between two nodes."""
    return (target, source) if record["inverse"] else (source, target)


def _asides(chain: Sequence[StepRecord]) -> set[int]:
    """The indices of steps that the next one turns back, where the walk goes on after that."""
    indices = set[int]()
    steps = [step_of(record) for record in chain]
    for index, (step, back) in enumerate(zip(steps[:-2], steps[1:-1], strict=True)):
        turns = back.triple == step.triple and back.inverse != step.inverse
        if turns and can_spell(step.target) and index - 1 not in indices:
            indices.add(index)
    return indices


def _chain(chain: Sequence[StepRecord], answer: Term, topics: Collection[Term]) -> _Route:
    spelling, nodes = _Spelling(), dict[Term, str]()
    steps = [step_of(record) for record in chain]
    ends = [end for step in steps for end in (step.source, step.target)]
    fixed_terms = {*topics} & {*ends} or {ends[0]}
    answer = answer if answer in ends else ends[-1]
    for end in ends:
        if end not in nodes:
            node = spelling.fixed(end) if end in fixed_terms else spelling.fresh("x")
            nodes[end] = ANSWER if end == answer else node
    patterns = list[str]()
    for record, step in zip(chain, steps, strict=True):
        head, tail = (step.source, step.target)[:: -1 if record["inverse"] else 1]
        patterns.append(_pattern(record, nodes[head], nodes[tail], spelling))
    free_nodes = [node for end, node in nodes.items() if end == answer or end not in fixed_terms]
    return _Route(tuple(patterns), tuple(free_nodes), tuple(spelling.unnamed))


def _pattern(record: StepRecord, head: str, tail: str, spelling: _Spelling) -> str:
    """One triple; of a triple term, the subject is the node and the predicate is fixed."""
    if is_triple_term(record["tail"]["term"]):
        quoted = triple_of(record["tail"]["term"])
        tail = f"<<( {tail} {spelling.fixed(quoted.relation)} {spelling.fresh('o')} )>>"
    return f"{head} {spelling.fixed(record['relation']['term'])} {tail} ."
