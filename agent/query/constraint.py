"""The constraint of queries: the automaton over the words `<QUERY>...</QUERY>` that are legal.

A word spells the actions of a query. What may come next is what `legal` says: the grammar, and the
schema of the graph. So a word can always be brought to an end, and what it says can be executed,
whether it comes to anything or not. A state is a range of the actions that may follow a partial
query, sorted by their tokens, and a depth in them.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from ..decoding.constraint import Expanding
from ..decoding.model import Tokenizer
from ..decoding.units import DistinctUnits, Tokens, tag_token, tokenize, wire_tokens
from ..decoding.wire import POINTERS, QUERY, QUERY_MARKERS, escape, spell_relation
from ..errors import NoPathError
from ..kg import Labels
from ..kg.store import class_labels
from .actions import Action
from .automaton import MOST_ACTIONS, Partial, query_of
from .schema import Schema
from .tree import Query


class ActionTokens:
    """How a tokenizer spells the actions of queries over one graph.

    No two relations are spelled alike, and no two classes: equal labels are numbered. Raises
    ConstraintError where the tokenizer lacks a marker of queries.
    """

    def __init__(self, tokenizer: Tokenizer, labels: Labels) -> None:
        self.tags = wire_tokens(tokenizer, QUERY)
        markers = [marker for marker in QUERY_MARKERS if marker not in (QUERY.open, QUERY.close)]
        self._markers = {marker: tag_token(tokenizer, marker) for marker in markers}
        self._labels = labels
        self._relations = DistinctUnits(partial(tokenize, tokenizer), "")
        self._classes = DistinctUnits(partial(tokenize, tokenizer), "")
        self._units: dict[tuple[bool, str, bool], Tokens] = {}
        self._words: dict[Action, Tokens] = {}
        self._spell([Action("step", relation.term) for relation in labels.relations()])
        words = {word.term for word in class_labels(labels)}
        self._spell([Action("class", term) for term in sorted(words)])

    def words(self, actions: Sequence[Action]) -> list[Tokens]:
        """The tokens of each action inside a query; those of the end of all are not among them."""
        new = [action for action in actions if action not in self._words]
        self._spell(action for action in new if action.name)
        self._words.update((action, self._word(action)) for action in new)
        return [self._words[action] for action in actions]

    def _word(self, action: Action) -> Tokens:
        if action.number is not None:
            return (self._markers[POINTERS[action.number]],)
        marker = self._markers[f"<{action.kind.upper()}>"]
        return (marker, *self._units[_unit(action)]) if action.name else (marker,)

    def _spell(self, actions: Iterable[Action]) -> None:
        """Tokenise the names that are new, relations in both directions."""
        new = [unit for unit in map(_unit, actions) if unit not in self._units]
        for is_class, units in ((False, self._relations), (True, self._classes)):
            terms = list(dict.fromkeys(name for of_class, name, _ in new if of_class == is_class))
            ways = (False,) if is_class else (False, True)
            keys = [(is_class, term, inverse) for term in terms for inverse in ways]
            names = dict(zip(terms, map(escape, self._labels.names(terms)), strict=True))
            spelled = [spell_relation(names[term], inverse) for _, term, inverse in keys]
            self._units.update(zip(keys, units.make(spelled), strict=True))


class QueryState(NamedTuple):
    """A state of the automaton: the actions `lo:hi` after a partial query share `depth` tokens."""

    phase: Literal["open", "action", "done"]
    partial: int
    lo: int
    hi: int
    depth: int


class _Front(NamedTuple):
    """The actions that may follow a partial query, in the order of their tokens."""

    words: list[Tokens]
    actions: list[Action]
    may_end: bool


class Queries(Expanding[QueryState]):
    """The automaton of the queries about some mentions; a `Constraint`.

    Raises NoPathError where the schema lets no query begin.
    """

    def __init__(self, schema: Schema, tokens: ActionTokens, *, most: int = MOST_ACTIONS) -> None:
        """`most` is how many actions a query may have, its end among them."""
        super().__init__()
        self._schema = schema
        self._tokens = tokens
        self._most = most
        self._partials = [Partial()]
        self._numbers: dict[tuple[int, Action], int] = {}
        self._fronts: dict[int, _Front] = {}
        if not self._front_of(0).words:
            raise NoPathError("no query can begin over this graph", "name something that it holds")

    # The protocol.

    def start(self) -> QueryState:
        """The state before the opening tag."""
        return QueryState("open", 0, 0, len(self._front_of(0).words), 0)

    def prepare(self, states: Sequence[QueryState]) -> None:
        """Nothing: the schema looks up what it is asked."""

    def relation_tokens(self, state: QueryState) -> Sequence[bool]:
        """Every token chooses what is asked: queries spell no entities."""
        *inner, _ = self.actions(state)
        return [True] * (2 + sum(map(len, self._tokens.words(inner))))

    def actions(self, state: QueryState) -> tuple[Action, ...]:
        """The actions that a finished state stands for, in terms of the graph."""
        return self._partials[state.partial].actions

    def query(self, state: QueryState) -> Query:
        """The query that a finished state stands for."""
        return query_of(self.actions(state))

    # The automaton.

    def _expand(self, state: QueryState) -> dict[int, QueryState]:
        match state.phase:
            case "open":
                return {self._tokens.tags[0]: state._replace(phase="action")}
            case "action":
                return self._expand_action(state)
            case "done":
                return {}

    def _expand_action(self, state: QueryState) -> dict[int, QueryState]:
        number, lo, hi, depth = state.partial, state.lo, state.hi, state.depth
        words, actions, _ = self._front_of(number)
        children: dict[int, QueryState] = {}
        if lo < hi and depth and len(words[lo]) == depth:
            # A name that is whole may end here; then the next action begins with a marker.
            children = dict(self._children_of(self._first(self._following(number, actions[lo]))))
            lo += 1
        while lo < hi:
            token, end = words[lo][depth], lo + 1
            while end < hi and words[end][depth] == token:
                end += 1
            if actions[lo].kind == "end" and token == self._tokens.tags[1]:
                following = self._following(number, actions[lo])
                children[token] = QueryState("done", following, 0, 0, 0)
            else:
                children[token] = QueryState("action", number, lo, end, depth + 1)
            lo = end
        return children

    def _first(self, number: int) -> QueryState:
        """The state before the next action."""
        return QueryState("action", number, 0, len(self._front_of(number).words), 0)

    def _following(self, number: int, action: Action) -> int:
        """The number of a partial query with one more action."""
        following = self._numbers.get((number, action))
        if following is None:
            following = self._numbers[number, action] = len(self._partials)
            before = self._partials[number]
            if action.kind == "end" and self._front_of(number).may_end:
                self._partials.append(Partial((*before.actions, action)))
            else:
                self._partials.append(before.after(action))
        return following

    def _front_of(self, number: int) -> _Front:
        front = self._fronts.get(number)
        if front is None:
            actions, may_end = self._partials[number].following(self._schema, most=self._most)
            words = self._tokens.words(actions)
            if may_end:
                words[actions.index(Action("end"))] = (self._tokens.tags[1],)
            order = sorted(range(len(words)), key=words.__getitem__)
            front = _Front([words[i] for i in order], [actions[i] for i in order], may_end)
            self._fronts[number] = front
        return front


def _unit(action: Action) -> tuple[bool, str, bool]:
    """What tells the names of actions apart."""
    return action.kind == "class", action.name, action.inverse
