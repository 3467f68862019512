"""What is joined by `and` may have a member in common, as far as the relations tell."""

from collections.abc import Iterator, Sequence

import pytest
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.decoding.plan import BeamPlan
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.question import Asked, mentions_of
from groundwalk.agent.query.schema import GraphSchema
from groundwalk.agent.query.schema_tables import GraphTables
from groundwalk.agent.reader import search
from groundwalk.agent.reader.graph import reading_tools
from groundwalk.agent.reader.inputs import KIND_NUMBERS
from groundwalk.agent.reader.search import LabelReader, may_overlap

from .tiny import film_graph, tiny_reader

BASE = "https://films.example/"
DIRECTED, LENGTH = f"<{BASE}directedBy>", f"<{BASE}lengthInMinutes>"
BY_ADA = (Action("pointer", number=0), Action("step", DIRECTED, inverse=True))
OF_RAIN = (Action("pointer", number=1), Action("step", DIRECTED))
FILMS = (Action("class", f"<{BASE}Film>"),)


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = film_graph(tmp_path_factory.mktemp("films"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def schema(kg: KnowledgeGraph) -> GraphSchema:
    mentions = (Mention("Ada Lind", f"<{BASE}ada>"), Mention("Rain", f"<{BASE}rain>"))
    return GraphSchema(GraphTables(Facts(kg)), mentions)


@pytest.mark.parametrize("kind", ["and", "not"])
@pytest.mark.parametrize(
    ("before", "added", "may"),
    [
        (FILMS, BY_ADA, True),
        (OF_RAIN, OF_RAIN, True),
        (BY_ADA, OF_RAIN, False),
        (OF_RAIN, BY_ADA, False),
        (OF_RAIN, (Action("pointer", number=0),), True),
    ],
    ids=["films by", "both directors", "a film, a director", "a director, a film", "a thing"],
)
def test_a_set_meets_another_where_it_has_the_relation(
    schema: GraphSchema,
    kind: str,
    before: tuple[Action, ...],
    added: tuple[Action, ...],
    *,
    may: bool,
) -> None:
    joint: Action = Action("and") if kind == "and" else Action("not")
    assert may_overlap((*before, joint, *added), schema) == may


def test_what_is_not_joined_or_is_joined_already_may_be_anything(schema: GraphSchema) -> None:
    assert may_overlap(BY_ADA, schema)
    whole = (*FILMS, Action("and"), *BY_ADA, Action("end"), Action("step", LENGTH))
    assert may_overlap(whole, schema)
    counted = (*BY_ADA, Action("and"), *OF_RAIN, Action("end"), Action("count"))
    assert may_overlap(counted, schema)


QUESTION = "Rain and Ada Lind"


def read(kg: KnowledgeGraph, beams: int, joins: float = 0.0) -> list[tuple[Action, ...]]:
    found = linked(LabelLinker(kg.labels), kg, QUESTION)
    asked = Asked(QUESTION, mentions_of(QUESTION, found.mentions))
    own = tiny_reader()
    own.network.weights["kinds.bias"][KIND_NUMBERS["and"]] += joins
    queries = LabelReader(reading_tools(kg, lambda: own)).read(asked, BeamPlan(beams)).queries
    return [query.actions for query in queries]


def joined(actions: Sequence[Action], *_: object) -> bool:
    return any(own.kind == "and" for own in actions)


def always(*_: object) -> bool:
    return True


def not_joined(actions: Sequence[Action], *_: object) -> bool:
    return not joined(actions)


def longer(actions: Sequence[Action], *_: object) -> bool:
    return len(actions) > 2


@pytest.mark.slow
def test_a_set_that_cannot_meet_another_is_not_read(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "may_overlap", always)
    assert any(map(joined, read(kg, 200, 6.0)))
    monkeypatch.setattr(search, "may_overlap", not_joined)
    assert not any(map(joined, read(kg, 200, 6.0)))


def test_a_single_beam_goes_on_where_the_likeliest_end_cannot_be(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "may_overlap", longer)
    (actions,) = read(kg, 1)
    assert len(actions) > 3
