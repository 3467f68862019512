"""Questions with queries over two graphs that are there, and what of a graph they may say."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import NamedTuple

from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.actions import Action, spell_action
from groundwalk.agent.query.automaton import Partial
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.schema import GraphSchema, Schema
from groundwalk.agent.query.schema_tables import GraphTables
from groundwalk.agent.query.tree import EarlierSet
from groundwalk.training.material import (
    default_phrasebook,
    default_skeletons,
    query_questioner,
    questioner_for,
)
from groundwalk.training.queries.question import Named, QueryQuestion, earlier_class
from groundwalk.training.queries.questions import QueryQuestioner
from groundwalk.training.queries.typed import TypedQuestion, typed_question
from groundwalk.training.questions.graph import Graph, load_graph

WORLD = "world"
CONCERTS = str(files("groundwalk.data") / "exams" / "concerts" / "concerts.ttl")


class Asking(NamedTuple):
    """A graph, and what composes questions over it."""

    kg: KnowledgeGraph
    questioner: QueryQuestioner
    tables: GraphTables

    @property
    def graph(self) -> Graph:
        """The graph in numbers."""
        return self.questioner.graph

    def asked(self, question: QueryQuestion) -> tuple[TypedQuestion, Schema] | None:
        """A question as somebody would type it, and what may be said of its mentions."""
        asked = typed_question(question)
        if asked is None:
            return None
        mentions = [
            self._mention(asked.question, own.start, own.end, question) for own in asked.mentions
        ]
        if (before := asked.earlier) is not None:
            mentions += [
                self._mention(before.question, own.start, own.end, question)
                for own in before.mentions
            ]
        earlier = {}
        if before is not None:
            earlier = self.earlier(before.topics, before.answers)
        schema = GraphSchema(self.tables, mentions, values=asked.values, earlier=earlier)
        return asked, schema

    def earlier(self, topics: str, answers: str) -> dict[EarlierSet, list[str]]:
        """Some terms of the classes of what came before."""
        told: dict[EarlierSet, list[str]] = {}
        if topics:
            told["topics"] = self.some(topics)
        if answers:
            told["answers"] = self.some(answers)
        return told

    def some(self, kind: str) -> list[str]:
        """Some terms of a class, as the agent tells classes."""
        graph = self.graph
        nodes = (node for own in graph.nodes.values() for node in own)
        fitting = [node for node in nodes if earlier_class(graph, node) == kind]
        return [graph.terms[node] for node in Random(kind).sample(fitting, min(12, len(fitting)))]

    def _mention(self, text: str, start: int, end: int, question: QueryQuestion) -> Mention:
        named = next((own for own in question.named if own.text == text[start:end]), None)
        return Mention(text[start:end], named and self._term(named))

    def _term(self, named: Named) -> str | None:
        places = self._places().get((named.text, named.kind))
        return None if places is None else self.graph.terms[places]

    def _places(self) -> dict[tuple[str, str], int]:
        return _places(self.graph.names, self.graph.kinds)


@cache
def _places(names: tuple[str, ...], kinds: tuple[str, ...]) -> dict[tuple[str, str], int]:
    return {own: place for place, own in enumerate(zip(names, kinds, strict=True))}


@cache
def asking(source: str, *, skeletons: bool = False) -> Asking:
    """What composes questions over a graph, with the skeletons that come with it or without."""
    kg = open_kg(source)
    graph = load_graph(kg)
    book = default_phrasebook(source)
    if book is None:
        plain = questioner_for(kg, graph, None, hops=3, seed=0)
    else:
        with book as file:
            plain = questioner_for(kg, graph, Path(file), hops=3, seed=0)
    questioner = query_questioner(kg, plain, default_skeletons(source) if skeletons else None)
    return Asking(kg, questioner, GraphTables(Facts(kg)))


def fault(actions: tuple[Action, ...], schema: Schema) -> str:
    """The first action that the graph does not allow, with those before it; empty for none."""
    partial = Partial()
    for place, action in enumerate(actions):
        following = partial.following(schema)
        last = place + 1 == len(actions)
        if action not in following.actions or (last and not following.may_end):
            return " ".join(map(spell_action, actions[: place + 1]))
        if not last:
            partial = partial.after(action)
    return ""
