"""What is joined by `and` may have a member in common, as far as the relations tell."""

from collections.abc import Iterator

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.schema import GraphSchema
from groundwalk.agent.query.tables import GraphTables
from groundwalk.agent.reader.overlap import may_overlap

from .tiny import film_graph

BASE = "https://films.example/"
DIRECTED, LENGTH = f"<{BASE}directedBy>", f"<{BASE}lengthInMinutes>"
BY_ADA = (Action("pointer", number=0), Action("step", DIRECTED, inverse=True))
OF_RAIN = (Action("pointer", number=1), Action("step", DIRECTED))
FILMS = (Action("class", f"<{BASE}Film>"),)


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphSchema]:
    kg: KnowledgeGraph = film_graph(tmp_path_factory.mktemp("films"))
    mentions = (Mention("Ada Lind", f"<{BASE}ada>"), Mention("Rain", f"<{BASE}rain>"))
    yield GraphSchema(GraphTables(Facts(kg)), mentions)
    kg.close()


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
