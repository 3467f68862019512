"""Years before our era and before 1000, and months of any year, here and at an endpoint."""

from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from groundwalk import open_kg
from groundwalk.agent.errors import QuestionError
from groundwalk.agent.query.binding import bind
from groundwalk.agent.query.comparison import operand_of
from groundwalk.agent.query.endpoint import execute_anywhere
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.tree import read_query

from ..kg.sparql.endpoint import Endpoint

TEMPLES = """
@prefix : <https://temples.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Parthenon a :Temple ; :built "-0447-07-28T00:00:00Z"^^xsd:dateTime ; :height 13 .
:Luxor a :Temple ; :built "-1400-01-01"^^xsd:date ; :height 990 .
:Hera a :Temple ; :built "-0590"^^xsd:gYear .
:Pantheon a :Temple ; :built "0126-05-01"^^xsd:date .
:Late a :Temple ; :built "0950"^^xsd:gYear .
:Modern a :Temple ; :built "1990-05-14"^^xsd:date .
"""


@pytest.mark.parametrize(
    ("op", "value", "of", "names"),
    [
        ("<", "-1000", "year", "Luxor"),
        ("<", "-0447", "", "Luxor Hera"),
        ("=", "-0447", "year", "Parthenon"),
        ("=", "-0447-07-28", "", "Parthenon"),
        ("=", "-0447-07", "", "Parthenon"),
        ("=", "-0590", "", "Hera"),
        (">", "-0300", "year", "Pantheon Late Modern"),
        ("=", "-04XX", "year", "Parthenon"),
        ("<", "-04XX", "", "Luxor Hera"),
        (">", "0001", "year", "Pantheon Late Modern"),
        ("<", 990, "year", "Parthenon Luxor Hera Pantheon Late"),
        (">=", 950, "", "Late Modern"),
        ("=", "126", "year", "Pantheon"),
        ("=", "--05", "", "Pantheon Modern"),
        ("=", "--07", "year", "Parthenon"),
        ("!=", "--05", "", "Parthenon Luxor Hera Late"),
    ],
)
def test_early_years_are_compared_here_and_at_an_endpoint(
    op: str, value: str | int, of: str, names: str, tmp_path: Path
) -> None:
    condition: dict[str, Any] = {"relation": "built", "op": op, "value": value}
    condition |= {"of": of} if of else {}
    query = read_query({"start": {"class": "Temple"}, "filters": [condition]})
    file, store = tmp_path / "temples.ttl", ox.Store()
    file.write_text(TEMPLES, encoding="utf-8")
    store.load(TEMPLES.encode(), format=ox.RdfFormat.TURTLE)
    with open_kg(str(file)) as kg, Endpoint(store) as served, open_kg(served.url) as there:
        for outcome in (
            execute_anywhere(Facts(kg), bind(kg, query)),
            execute_anywhere(Facts(there), bind(there, query)),
        ):
            assert {*outcome.members} == {f"<https://temples.example/{n}>" for n in names.split()}


def test_a_month_of_any_year_has_no_order(tmp_path: Path) -> None:
    condition = {"relation": "built", "op": "<", "value": "--05"}
    query = read_query({"start": {"class": "Temple"}, "filters": [condition]})
    file, store = tmp_path / "temples.ttl", ox.Store()
    file.write_text(TEMPLES, encoding="utf-8")
    store.load(TEMPLES.encode(), format=ox.RdfFormat.TURTLE)
    with open_kg(str(file)) as kg, Endpoint(store) as served, open_kg(served.url) as there:
        for graph in (kg, there):
            with pytest.raises(QuestionError, match="no order"):
                execute_anywhere(Facts(graph), bind(graph, query))


def test_three_digits_with_a_unit_are_no_year() -> None:
    assert operand_of(990).date and operand_of("990").date
    assert operand_of(990, "m").date is None
    assert operand_of(99).date is None
