"""What answers belong to is verified, whole, and stands beside them."""

import csv
import io
from io import StringIO
from typing import Any

import pytest
from groundwalk.agent.answers.queries import executed, given_query
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.records import Answer
from groundwalk.cli.render import Screen
from groundwalk.cli.tables import belongings, csv_of
from rich.console import Console


@pytest.fixture(scope="module")
def kg() -> KnowledgeGraph:
    return open_kg("world")


def answers(kg: KnowledgeGraph, mentions: list[str], *hops: str, **others: Any) -> list[Answer]:
    """The answers of a walk; a relation after ^ is walked backwards."""
    steps = [{"relation": h.lstrip("^")} | ({"inverse": True} if h[0] == "^" else {}) for h in hops]
    tree = {"start": list(range(len(mentions))), "steps": steps, **others}
    bound, _ = given_query(kg, {"query": tree, "mentions": mentions})
    return executed(kg, Facts(kg), bound).computed.answers


def followed(kg: KnowledgeGraph, names: set[str], hop: str) -> set[tuple[str, str]]:
    """The names of the ends of all facts of a relation that leave things of these names."""
    (relation,) = (r.term for r in kg.labels.relations() if r.name == hop.lstrip("^"))
    facts = list(kg.store.statements(relation))
    ends = [kg.labels.names([fact.head, fact.tail]) for fact in facts]
    pairs = [(tail, head) if hop[0] == "^" else (head, tail) for head, tail in ends]
    return {(source, target) for source, target in pairs if source in names}


@pytest.mark.parametrize("last", ["capital", "^flows through", "official language", "member of"])
def test_an_answer_belongs_to_all_that_the_graph_has_before_it(
    kg: KnowledgeGraph, last: str
) -> None:
    before = {target for _, target in followed(kg, {"Austria"}, "borders")}
    made = answers(kg, ["Austria"], "borders", last)
    pairs = {(owner["label"], a["label"]) for a in made for owner in a.get("of", [])}
    assert pairs and pairs == followed(kg, before, last)


def test_what_does_not_tell_answers_apart_is_not_said(kg: KnowledgeGraph) -> None:
    both = [{"start": [1], "steps": [{"relation": "borders"}]}]
    assert belongings(answers(kg, ["Austria"], "borders")) == [[]] * 8
    one_step = answers(kg, ["Germany"], "borders", **{"class": "country"})
    assert not any("of" in answer for answer in one_step)
    bound, _ = given_query(
        kg,
        {
            "query": {"start": [0], "steps": [{"relation": "borders"}], "and": both},
            "mentions": ["Germany", "France"],
        },
    )
    assert not any("of" in own for own in executed(kg, Facts(kg), bound).computed.answers)
    assert belongings([]) == []


def printed(made: list[Answer]) -> list[str]:
    file = io.StringIO()
    screen = Screen(console=Console(file=file, width=200, highlight=False, soft_wrap=True))
    screen.answers({"answers": made, "status": "answered"})
    return [line.strip() for line in file.getvalue().splitlines()]


def test_names_stand_beside_what_they_belong_to(kg: KnowledgeGraph) -> None:
    (line,) = printed(answers(kg, ["France", "Spain"], "capital"))
    assert line == "Madrid (Spain), Paris (France)"
    (line,) = printed(answers(kg, ["Germany"], "borders", "official language"))
    assert "French (Belgium, France, Luxembourg, Switzerland)" in line, "one more is no longer"


def test_values_are_a_table_of_two_columns(kg: KnowledgeGraph) -> None:
    lines = printed(answers(kg, ["Germany"], "^flows through", "length in kilometres"))
    assert ["Danube", "2850"] in [line.split() for line in lines]
    assert lines[0] == "length in kilometres" and lines[1:] == sorted(lines[1:])
    lines = printed(answers(kg, ["Europe"], "^continent", "^flows through", "length in kilometres"))
    assert len(lines) == 22 and lines[-1].startswith("and ") and lines[-1].endswith("lists all)")


def test_a_row_of_the_table_is_a_pair(kg: KnowledgeGraph) -> None:
    made = answers(kg, ["Germany"], "borders", "official language")
    header, *rows = csv.reader(StringIO(csv_of({"answers": made})))
    assert header == ["answer", "term", "of", "term of it"]
    pairs = {(owner["term"], a["term"]) for a in made for owner in a.get("of", [])}
    assert {(row[3], row[1]) for row in rows} == pairs and len(rows) == len(pairs) > len(made)
