"""A date that is said with its month is never compared by its year alone."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk import build_graph
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.normal import MentionValue
from groundwalk.agent.query.question import Mentions
from groundwalk.agent.query.tree import read_query, write_query
from groundwalk.agent.query.whole_dates import with_whole_dates

BORN = {"relation": "born", "op": "=", "of": "year"}


def _condition(text: str, value: str | None, written: dict[str, Any]) -> dict[str, Any]:
    values = {} if value is None else {0: MentionValue(value)}
    query = read_query({"start": {"class": "person"}, "filters": [{**BORN, **written}]})
    mentions = Mentions(bound=(Mention(text),), values=values)
    return write_query(with_whole_dates(query, mentions))["filters"][0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("29 February 1996", "1996-02-29"),
        ("1996-02-29", None),
        ("March 2021", "2021-03"),
        ("March", "--03"),
    ],
)
@pytest.mark.parametrize("written", [{"mention": 0}, {"value": {"start": [0]}}])
def test_what_has_a_month_is_compared_whole(
    text: str, value: str | None, written: dict[str, Any]
) -> None:
    assert "of" not in _condition(text, value, written)


@pytest.mark.parametrize(
    ("text", "value"), [("1996", 1996), ("1980s", "198X"), ("590 BC", "-0590"), ("the Larks", None)]
)
@pytest.mark.parametrize(
    "written",
    [
        {"mention": 0},
        {"value": {"start": [0]}},
        {"value": {"start": [0], "steps": [{"relation": "born"}]}},
    ],
)
def test_what_has_none_stays(text: str, value: Any, written: dict[str, Any]) -> None:
    assert _condition(text, value, written)["of"] == "year"


def test_a_day_is_not_its_year(tmp_path: Path) -> None:
    (tmp_path / "born.ttl").write_text(
        """@prefix : <https://x.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :birthDate rdfs:label "birth date" .
        :z a :Person ; rdfs:label "Zoe Celik" ; :birthDate "1996-02-29"^^xsd:date .
        :m a :Person ; rdfs:label "Max Kern" ; :birthDate "1996-07-01"^^xsd:date .""",
        encoding="utf-8",
    )
    told = build_graph(kg=str(tmp_path / "born.ttl")).invoke(
        {"question": "Who was born on 29 February 1996?"}
    )
    assert [answer["label"] for answer in told["answers"]] == ["Zoe Celik"]
