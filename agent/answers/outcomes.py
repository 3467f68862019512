"""What the likely readings of a question come to: the same, nothing, or something else."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, starmap

import numpy as np

from ..errors import GroundwalkError
from ..kg.terms import is_literal
from ..languages import language_words
from ..query.actions import Action
from ..query.binding import Bound, Mention, TermNames
from ..query.execute import execute
from ..query.facts import Facts
from ..query.members import Outcome
from ..query.question import Asked, Before
from ..query.reader import ReadQuery
from ..query.schema_tables import evenly_sampled
from ..query.tree import Query
from .class_words import (
    ClassWord,
    asked_for,
    class_words,
    classes_of,
    narrowing,
    not_met,
)

_LEAST = 0.02
"""The least probability of a reading that is executed before it is known which is answered."""
_BESIDE = 0.1
"""The same beside that of the likeliest, where all are unlikely."""
_MOST = 0.5
"""The share of a set that is too much to be its extreme."""
_SECONDS = 2.0
"""How long that may take."""
_NOTHING = 0.3
"""How likely a question is right to come to nothing, beside how likely a misread one does."""
_NAMED = 0.05
"""The same for a question that comes to what it names."""
_SAMPLED = 50
"""Things that a relation leads to whose classes are looked at."""
_OF_OTHERS = 0.1
"""The same for a question that names a class which nothing is of that it comes to."""
_SHARED = 0.1
"""The same for a question for an extreme that most share."""
_IN_VAIN = 0.1
"""How likely a question is that cannot have another answer than it has."""


def same_result(
    facts: Facts, chosen: ReadQuery, queries: Sequence[ReadQuery], before: Before
) -> list[ReadQuery]:
    """The other likely queries that come to the same; where the graph is at hand."""
    others = [query for query in queries if query is not chosen and query.probability >= _LEAST]
    if not others or not facts.kg.pinned:
        return []
    result = _result(facts, chosen, before)
    return [query for query in others if result and _result(facts, query, before) == result]


def weighed_and_narrowed(
    facts: Facts, queries: Sequence[ReadQuery], asked: Asked
) -> list[ReadQuery]:
    """The queries as the question likely means them: weighed, and narrowed to what it asks for."""
    if queries and _sharing_words().isdisjoint(re.findall(r"\w+", asked.question.lower())):
        likeliest, *others = sorted(queries, key=lambda query: -query.probability)
        queries = [of_each_alone(facts, likeliest, asked.before), *others]
    return narrowed(facts, weighed(facts, queries, asked), asked)


@cache
def _sharing_words() -> frozenset[str]:
    """Words by which somebody asks for what several things have in common, and not for each."""
    return frozenset(language_words()["conversation"]["sharing"])


def of_each_alone(facts: Facts, query: ReadQuery, before: Before) -> ReadQuery:
    """A query for what each of several things has, where it asks for what they have in common.

    The status of one contract and another is that of each where it is not the same: nobody asks for
    the one value that two things share, nor for the one thing that a relation leads to from both.
    Where the graph is not at hand or relations lead to several things, the query is as it was.
    """
    tree = query.bound.query
    shared = [Query(start=tree.start, steps=tree.steps), *tree.also]
    starts = [each.start for each in shared if isinstance(each.start, tuple)]
    is_plain = tree == Query(start=tree.start, steps=tree.steps, also=tree.also)
    if len(shared) < 2 or len(starts) < len(shared) or not (is_plain and tree.steps):
        return query
    if query.probability < _LEAST or not facts.kg.pinned:
        return query
    if any(each != Query(start=each.start, steps=tree.steps) for each in shared):
        return query
    outcomes = [
        _outcome(facts, replace(query, bound=replace(query.bound, query=each)), before)
        for each in (tree, *shared)
    ]
    if any(outcome is None for outcome in outcomes):
        return query
    in_common, *of_each = [outcome.members for outcome in outcomes if outcome is not None]
    if in_common or not all(of_each):
        return query
    are_values = all(is_literal(term) for members in of_each for term in members)
    if not are_values and not all(starmap(facts.is_single, query.bound.hops(tree.steps))):
        return query
    united = Query(start=tuple(chain.from_iterable(starts)), steps=tree.steps)
    return replace(query, bound=replace(query.bound, query=united))


def weighed(facts: Facts, queries: Sequence[ReadQuery], asked: Asked) -> list[ReadQuery]:
    """The queries, likeliest first, where those count less that were hardly asked.

    People ask for what there is, and not for what they name; for bells where they say so; and for
    an extreme where one differs from others. Where the graph is not at hand, the queries are as
    they were.
    What weighs little beside others may yet be the likeliest of them. An extreme that all share
    answers nothing, nor does a no to what is never so: another question was meant, read or not.
    """
    least = min(_LEAST, _BESIDE * max((query.probability for query in queries), default=0.0))
    likely = [query for query in queries if query.probability >= least]
    if not likely or not facts.kg.pinned:
        return list(queries)
    is_alone = len(likely) == 1
    words = [] if is_alone else class_words(facts.kg, asked)
    outcomes = [
        None if is_alone and query.bound.query.extreme is None else _listed(facts, query, asked)
        for query in likely
    ]
    came_to = list(zip(likely, outcomes, strict=True))
    shares = [_shared(facts, query, outcome, asked.before) for query, outcome in came_to]
    weights = [1.0] * len(likely)
    if not is_alone:
        weights = [
            _weight(facts, query.bound, outcome, share, words)
            * (_NOTHING if _takes_nothing_away(facts, query, outcome, asked.before) else 1.0)
            for (query, outcome), share in zip(came_to, shares, strict=True)
        ]
    are_vain = [
        share == 1.0 or _is_of_other_kind(facts, query.bound)
        for query, share in zip(likely, shares, strict=True)
    ]
    if len(set(weights)) == 1 and not any(are_vain):
        return list(queries)
    total = sum(query.probability for query in likely)
    weighted = sum(w * query.probability for w, query in zip(weights, likely, strict=True))
    factors = [
        weight * total / weighted * (_IN_VAIN if is_vain else 1.0)
        for weight, is_vain in zip(weights, are_vain, strict=True)
    ]
    reweighed = [
        replace(query, probability=query.probability * factor)
        for query, factor in zip(likely, factors, strict=True)
    ]
    reweighed += [query for query in queries if query.probability < least]
    return sorted(reweighed, key=lambda query: -query.probability)


def _is_of_other_kind(facts: Facts, bound: Bound) -> bool:
    """Whether a query asks if a thing is among some that are never of its class, nor it.

    Whether a ward is where somebody lives, who live in towns: nobody asks that, and it is always
    false.
    """
    tree = bound.query
    is_among = tree == Query(start=tree.start, steps=tree.steps, also=tree.also, answer="yesno")
    if not (is_among and tree.steps and len(tree.also) == 1):
        return False
    (other,) = tree.also
    if not isinstance(other.start, tuple) or other != Query(start=other.start):
        return False
    terms = [bound.mentioned(number).term for number in other.start]
    asked = [term for term in terms if term is not None and not is_literal(term)]
    relation, inverse = bound.hops(tree.steps)[-1]
    ends = facts.having(relation) if inverse else facts.reached(relation)
    if len(asked) < len(terms) or np.isin(facts.ids(asked), ends).any():
        return False
    kinds, kinds_of_ends = (
        [{""} if is_literal(term) else {*classes_of(facts, term)} for term in some]
        for some in (asked, facts.terms(evenly_sampled(ends, _SAMPLED)))
    )
    are_known = all(kinds) and all(kinds_of_ends)
    return are_known and set[str]().union(*kinds).isdisjoint(chain.from_iterable(kinds_of_ends))


def _listed(facts: Facts, query: ReadQuery, asked: Asked) -> Outcome | None:
    """What a query for things, or for how many, comes to; None for another."""
    if query.bound.query.answer not in ("list", "count"):
        return None
    return _outcome(facts, query, asked.before)


def _weight(
    facts: Facts, bound: Bound, outcome: Outcome | None, share: float, words: Sequence[ClassWord]
) -> float:
    """How likely a query comes to what it does if it is meant, beside if it is not.

    `share` is that of a set which has the extreme that is asked for.
    """
    if outcome is None:
        return 1.0
    weight = _OF_OTHERS if not_met(facts, bound, outcome, words) else 1.0
    if share >= _MOST:
        weight *= _SHARED
    if bound.query.answer == "count":
        return weight
    if not outcome.members:
        return _NOTHING
    is_named = {*outcome.members} <= {mention.term for mention in bound.mentions}
    return _NAMED if is_named else weight


def _shared(facts: Facts, query: ReadQuery, outcome: Outcome | None, before: Before) -> float:
    """The share of a set whose extreme a query is for that has it; 0 where it is as was asked."""
    tree = query.bound.query
    if tree.extreme is None or outcome is None or outcome.size <= tree.extreme.n:
        return 0.0
    every = tree.model_copy(update={"extreme": None})
    whole = _outcome(facts, replace(query, bound=replace(query.bound, query=every)), before)
    return outcome.size / whole.size if whole is not None and whole.size else 0.0


def _takes_nothing_away(
    facts: Facts, query: ReadQuery, outcome: Outcome | None, before: Before
) -> bool:
    """Whether a query takes named things away from a set that none of them is in."""
    tree = query.bound.query.model_copy(update={"extreme": None})
    sets = tuple(other for other in tree.without if other != Query(start=other.start))
    if outcome is None or len(sets) == len(tree.without):
        return False
    trees = tree, tree.model_copy(update={"without": sets})
    bounds = [replace(query.bound, query=each) for each in trees]
    less, whole = (_outcome(facts, replace(query, bound=bound), before) for bound in bounds)
    return less is not None and whole is not None and less.size == whole.size


def narrowed(facts: Facts, queries: Sequence[ReadQuery], asked: Asked) -> list[ReadQuery]:
    """The queries, where a walk is narrowed to the class that its question names.

    Where the graph is not at hand, the queries are as they were.
    """
    if not facts.kg.pinned:
        return list(queries)
    words = asked_for(asked, class_words(facts.kg, asked, by_last_word=True))
    if not words:
        return list(queries)
    first = dict[tuple[Query, tuple[Mention, ...]], ReadQuery]()
    for query in queries:
        if query.probability >= _LEAST:
            query = _narrowed(facts, query, asked.before, words)
        key = query.bound.query, query.bound.mentions
        if known := first.get(key):
            first[key] = replace(known, probability=known.probability + query.probability)
        else:
            first[key] = query
    return sorted(first.values(), key=lambda query: -query.probability)


def _narrowed(
    facts: Facts, query: ReadQuery, before: Before, words: Sequence[ClassWord]
) -> ReadQuery:
    """A query of which the walk is narrowed to a class; the same one where none is meant."""
    bound, tree = query.bound, query.bound.query
    if not isinstance(tree.start, tuple) or tree.answer not in ("list", "count"):
        return query
    if not tree.steps or tree != Query(start=tree.start, steps=tree.steps, answer=tree.answer):
        return query  # its other conditions may be what the class was said of
    outcome = _outcome(facts, query, before)
    try:
        class_ = None if outcome is None else narrowing(facts, bound, outcome, words)
    except GroundwalkError:
        return query
    if class_ is None:
        return query
    narrowed_tree = TermNames(facts.kg).named(tree.model_copy(update={"of_class": class_}))
    kinds = [action.kind for action in query.actions]
    index = next(at for at, kind in enumerate(kinds) if kind not in ("pointer", "step"))
    actions = (*query.actions[:index], Action("class", class_), *query.actions[index:])
    classes = {**bound.classes, narrowed_tree.of_class: class_, class_: class_}
    return replace(
        query, bound=replace(bound, query=narrowed_tree, classes=classes), actions=actions
    )


def apart_from_itself(facts: Facts, query: ReadQuery, before: Before) -> ReadQuery:
    """A query for the others where it asks what something is not related to.

    Which countries does Germany not border? Nobody asks that of Germany itself, though it has no
    border with itself. Of those that border France, Germany is one, and stays. Where the graph is
    not at hand or nobody likely asks that, the query is as it was.
    """
    if query.probability < _LEAST or not facts.kg.pinned:
        return query
    bound, tree = query.bound, query.bound.query
    denied = [
        excluded.start
        for excluded in tree.without
        if isinstance(excluded.start, tuple)
        and len(excluded.steps) == 1
        and not {*bound.hops(excluded.steps)} & {*bound.hops(tree.steps)}
        and excluded == Query(start=excluded.start, steps=excluded.steps)
    ]
    if not denied or tree.answer not in ("list", "count"):
        return query
    members = tree.model_copy(update={"extreme": None, "columns": (), "answer": "list"})
    outcome = _outcome(facts, replace(query, bound=replace(bound, query=members)), before)
    there = frozenset(outcome.members if outcome is not None else ())
    themselves = [
        Query(start=start)
        for start in dict.fromkeys(denied)
        if not there.isdisjoint(bound.mentioned(number).term for number in start)
    ]
    without = (*tree.without, *themselves)
    return replace(query, bound=replace(bound, query=tree.model_copy(update={"without": without})))


def words_of_other_classes(facts: Facts, query: ReadQuery, asked: Asked) -> list[ClassWord]:
    """The words that name classes which nothing is of that a query comes to."""
    words = class_words(facts.kg, asked) if facts.kg.pinned else []
    outcome = _outcome(facts, query, asked.before) if words else None
    return [] if outcome is None else not_met(facts, query.bound, outcome, words)


def _outcome(facts: Facts, query: ReadQuery, before: Before) -> Outcome | None:
    """What a query comes to; None where it cannot be executed soon."""
    try:
        return execute(facts, query.bound, earlier=before.answered, seconds=_SECONDS)
    except GroundwalkError:
        return None


def _result(facts: Facts, query: ReadQuery, before: Before) -> tuple[Hashable, ...] | None:
    outcome = _outcome(facts, query, before)
    if outcome is None:
        return None
    value = outcome.form, outcome.value, outcome.unit, outcome.size, outcome.rows
    return (*value, frozenset(outcome.members))
