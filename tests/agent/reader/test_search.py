"""A query is as likely as the network makes its actions, and a wide search finds the likeliest."""

from collections.abc import Callable, Iterator
from functools import cache
from math import exp, log
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.decoding.plan import BeamPlan
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.operations import log_softmax
from groundwalk.agent.query.actions import LITERAL, Action
from groundwalk.agent.query.automaton import Partial, actions_of
from groundwalk.agent.query.binding import Mention, TermNames
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.normal import MentionValue
from groundwalk.agent.query.question import Asked, Mentions, mentions_of
from groundwalk.agent.query.reader import distinct_queries
from groundwalk.agent.query.schema import GraphSchema
from groundwalk.agent.query.schema_tables import GraphTables
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.reader.account import LabelAccount
from groundwalk.agent.reader.graph import GraphLabels, reading_tools
from groundwalk.agent.reader.inputs import (
    CLASS,
    FORWARD,
    KIND_NUMBERS,
    KINDS,
    LITERALS,
    NONE,
    Inputs,
    PartialReading,
    kind_of,
    label_way,
    number_actions,
)
from groundwalk.agent.reader.lexicon import words_of
from groundwalk.agent.reader.search import LabelReader

from .tiny import film_graph, tiny_reader

QUESTIONS = ("who directed Rain", "the film of Ada Lind", "is Bo Ek a person")
BEAMS = 60
MOST = 3
"""Actions of the queries that are enumerated."""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    kg = film_graph(tmp_path_factory.mktemp("films"))
    yield kg
    kg.close()


def asked_of(kg: KnowledgeGraph, question: str) -> Asked:
    found = linked(LabelLinker(kg.labels), kg, question)
    return Asked(question, mentions_of(question, found.mentions))


def every_query(schema: GraphSchema, partial: Partial) -> Iterator[tuple[Action, ...]]:
    """All whole queries of at most `MOST` actions, by recursion."""
    following = partial.following(schema)
    if following.may_end:
        yield (*partial.actions, Action("end"))
    if len(partial.actions) + 1 < MOST:
        for action in following.actions:
            if action.kind != "end" or not following.may_end:
                yield from every_query(schema, partial.after(action))


class Shares(NamedTuple):
    """Log-shares of what may come next: of each kind, and of each action within its kind."""

    kinds: dict[str, float]
    within: dict[str, dict[Action, float]]
    names: dict[bool, dict[str, float]]
    """Of classes, and of relations."""


def chances_of(
    kg: KnowledgeGraph, asked: Asked, schema: GraphSchema, seed: int
) -> Callable[[tuple[Action, ...]], float]:
    """The log-probability of a query, action by action, each a softmax over what is legal there."""
    reader = tiny_reader(seed)
    inputs, labels = Inputs(reader.lexicon), GraphLabels(GraphTables(Facts(kg)))
    words = words_of(asked.question, asked.mentions.numbered)
    several = [labels.label(*own) for own in labels.all_labels()]
    at_word = {word.mention: place for place, word in enumerate(words)}

    @cache
    def shares_after(before: tuple[Action, ...]) -> Shares:
        partial = Partial()
        for action in before:
            partial = partial.after(action)
        legal = partial.following(schema).actions
        posed = PartialReading(words, several, number_actions(before, words, several))
        scores = reader.network(inputs.batch([posed]))
        is_number = bool(before) and before[-1].kind in LITERAL
        within = dict[str, dict[Action, float]]()
        for own in legal:
            kind = kind_of(own)
            if own.name:
                at = next(
                    n for n, label in enumerate(several) if label.key == (own.name, label_way(own))
                )
                score = float(scores.labels[0, -1, at])
            elif own.number is None:
                score = 0.0
            elif is_number:
                score = float(log_softmax(scores.literals[0, -1])[min(own.number, LITERALS - 1)])
            else:
                score = float(scores.words[0, -1, at_word[own.number]])
            within.setdefault(kind, {})[own] = score
        # A kind's share is its score, and how well what it may name fits.
        names = {way: dict[str, float]() for way in (True, False)}
        for own in legal:
            if own.name:
                is_class = label_way(own) == CLASS
                key = f"{own.name} {own.inverse}"
                names[is_class][key] = within[kind_of(own)][own]
        kinds = {NONE: float(scores.kinds[0, -1, KIND_NUMBERS[NONE]])}
        for kind, several_of in within.items():
            share = float(scores.kinds[0, -1, KINDS.index(kind)])
            if kind.endswith("*"):
                share += logsum(names[kind == "class*"].values())
            elif kind == "pointer" and not is_number:
                share += max(logsum(several_of.values()), -1e3)
            kinds[kind] = share
        return Shares(kinds, within, names)

    def chance_of(actions: tuple[Action, ...]) -> float:
        total = 0.0
        for place, action in enumerate(actions):
            shares, kind = shares_after(actions[:place]), kind_of(action)
            total += shares.kinds[kind] - logsum(shares.kinds.values())
            if action.name:
                total += shares.within[kind][action]
                total -= logsum(shares.names[kind == "class*"].values())
            elif action.number is not None:
                total += shares.within[kind][action]
                if not (place and actions[place - 1].kind in LITERAL):
                    total -= logsum(shares.within[kind].values())
        return total

    return chance_of


def logsum(values: object) -> float:
    return float(torch.logsumexp(torch.tensor(list(values)), 0))  # pyright: ignore


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", [0, 1])
def test_each_query_is_as_likely_as_its_actions(
    kg: KnowledgeGraph, question: str, seed: int
) -> None:
    asked = asked_of(kg, question)
    schema = GraphSchema(GraphTables(Facts(kg)), asked.pointed.bound, values=asked.pointed.values)
    chance_of = chances_of(kg, asked, schema, seed)
    expected = {actions: chance_of(actions) for actions in every_query(schema, Partial())}
    assert len(expected) > 10
    reader = LabelReader(reading_tools(kg, lambda: tiny_reader(seed)))
    found = reader.read(asked, BeamPlan(BEAMS))
    best = max(expected, key=lambda actions: expected[actions])
    assert log(max(own.probability for own in found.queries)) >= expected[best] - 1e-4
    assert sum(own.probability for own in found.queries) <= 1 + 1e-6
    alone = 0
    for own in found.queries[:12]:
        chance = exp(chance_of(own.actions))
        assert own.probability >= chance * (1 - 1e-3)  # other actions may come to the same query
        alone += own.probability <= chance * (1 + 1e-3)
    assert alone > 3


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_relation_that_is_left_out_is_read_nowhere(
    kg: KnowledgeGraph, question: str, seed: int
) -> None:
    asked, plan = asked_of(kg, question), BeamPlan(BEAMS)

    def read(without: frozenset[str]) -> set[str]:
        tools = reading_tools(kg, lambda: tiny_reader(seed), without)
        queries = LabelReader(tools).read(asked, plan).queries
        with tools.lent() as own:
            assert without.isdisjoint(name for name, _ in own.labels.all_labels())
        return {action.name for query in queries for action in query.actions}

    relations = read(frozenset()) & {own.term for own in kg.labels.relations()}
    assert relations
    for relation in relations:
        assert relation not in read(frozenset((relation,)))


def test_a_number_of_things_that_is_compared_with_a_length_is_no_query(kg: KnowledgeGraph) -> None:
    tree = {
        "start": {"class": "film"},
        "group": [{"relation": "directed By"}],
        "having": [{"agg": "count", "op": "<", "mention": 0}],
        "answer": "list",
    }
    actions = actions_of(read_query(tree))
    several = [actions, (Action("has", "<https://films.example/directedBy>"), Action("end"))]
    for unit, count in (("", 2), ("gram", 1)):
        pointed = Mentions((), (Mention("400"),), {0: MentionValue(400, unit)})
        found = distinct_queries(kg, TermNames(kg), several, [0.5, 0.4], pointed)
        assert len(found) == count


def test_a_question_has_the_time_of_its_own(kg: KnowledgeGraph) -> None:
    tools = reading_tools(kg, lambda: tiny_reader(0))
    reader, asked = LabelReader(tools), asked_of(kg, QUESTIONS[0])
    with tools.lent() as own:
        own.facts.limit(-1.0)
    assert reader.read(asked, BeamPlan(5)).queries
    with tools.lent() as own:
        own.facts.limit(-1.0)
    account = LabelAccount(tools)
    (most,) = account.most_unread(asked.question, asked.mentions.numbered, [(Action("end"),)])
    assert most > 0


def test_a_date_that_no_action_points_at_is_left_out(kg: KnowledgeGraph) -> None:
    account = LabelAccount(reading_tools(kg, lambda: tiny_reader(0)))
    asked = Asked("films since 1984-05-03", mentions_of("films since 1984-05-03", []))
    whole = (Action("class"), Action("end"))
    assert account.most_unread(asked.question, asked.mentions.numbered, [whole]) == [1.0]


def test_where_no_query_can_be_made_that_is_told(kg: KnowledgeGraph) -> None:
    tree = {
        "start": {"class": "film"},
        "group": [{"relation": "directed By"}],
        "having": [{"agg": "count", "op": "<", "mention": 0}],
        "answer": "list",
    }
    pointed = Mentions((), (Mention("400"),), {0: MentionValue(400, "gram")})
    with pytest.raises(NoPathError):
        distinct_queries(kg, TermNames(kg), [actions_of(read_query(tree))], [0.5], pointed)


def test_a_label_tells_the_kind_of_value_that_it_leads_to(tmp_path: Path) -> None:
    file = tmp_path / "beds.ttl"
    file.write_text(
        """@prefix : <https://ward.example/> .
        :a :electric "yes" ; :free true ; :length 2 ; :note "by the door" ; :near :b .
        :b :electric "no" ; :free false ; :length 3 ; :note "yes" .""",
        encoding="utf-8",
    )
    with open_kg(str(file)) as kg:
        labels = GraphLabels(GraphTables(Facts(kg)))
        tails = {
            name: labels.label(f"<https://ward.example/{name}>", FORWARD).tail
            for name in ("electric", "free", "length", "note", "near")
        }
    values = {"electric": "boolean", "free": "boolean", "length": "number", "note": "text"}
    assert tails == values | {"near": ""}
