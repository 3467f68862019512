"""What a KG or an LLM holds is text wherever it is shown: in the terminal, on pages, in queries."""

import io
import json
from typing import Any, cast

import pyoxigraph as ox
import pytest
from groundwalk.agent.evidence import explain
from groundwalk.agent.kg.verification.claim_lines import to_line
from groundwalk.cli.render import Screen
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.plugins.sparql import prepareQuery
from rich.console import Console

from ..agent.evidence.replies import answer, named, reply, step
from ..evaluation.report.pages import Page
from .strategies import TEXTS, half_texts, texts

ALLOWED = set("\n\t")


class Source:
    """The part of a KG that a screen shows."""

    source = "\x1b[2J[red]graph[/]"


def hostile(text: str) -> Any:
    """A reply in which every name is this text."""
    one, other = named(text, "<urn:a>"), named(text, "<urn:b>")
    chain = [step(one, named(text, "<urn:p>"), other)]
    more: dict[str, Any] = {"question": text, "notes": [text], "unsupported": [text]}
    return reply([answer(other, chain)], one, **more)


def raw(text: str) -> set[str]:
    """The characters that a terminal may act on."""
    return {c for c in text if not c.isprintable()} - ALLOWED


def elements(text: str) -> set[tuple[str, str]]:
    """The elements of the page for it, each with the names of its attributes."""
    page = Page(explain("html", hostile(text)))
    return {(tag, name) for tag, attributes in page.elements for name in ("", *attributes)}


CALM = elements("calm")


@settings(max_examples=60)
@given(texts)
def test_a_page_has_the_same_elements_whatever_the_names(text: str) -> None:
    assert elements(text) <= CALM


@pytest.mark.parametrize("text", TEXTS)
def test_turtle_and_queries_are_read_again(text: str) -> None:
    told = hostile(text)
    turtle, query = explain("turtle", told), explain("sparql", told)
    assert (ox.NamedNode("urn:a"), ox.NamedNode("urn:p"), ox.NamedNode("urn:b")) in {
        (quad.subject, quad.predicate, quad.object)
        for quad in ox.parse(turtle.encode(), ox.RdfFormat.TURTLE)
    }
    Graph().parse(data=turtle, format="turtle")
    calm = explain("sparql", hostile("calm"))
    bare, plain = (
        [line for line in own.splitlines() if line and not line.startswith("#")]
        for own in (query, calm)
    )
    assert bare == plain
    prepareQuery(query)


@settings(max_examples=60)
@given(half_texts)
def test_the_terminal_is_not_steered(text: str) -> None:
    told = hostile(text)
    out = io.StringIO()
    screen = Screen(console=Console(file=out, highlight=False, soft_wrap=True, no_color=True))
    state = {**told, "candidates": [], "confidence": 0.5, "topics": told["topics"]}
    screen.event(cast(Any, {"event": "linked", "topics": told["topics"]}))
    screen.event(cast(Any, {"event": "understood", "operation": None, "asked": text}))
    screen.result(cast(Any, state), cast(Any, Source()))
    assert not raw(out.getvalue())
    assert not raw(explain("tree", told)) and not raw(explain("mermaid", told))


@given(st.dictionaries(half_texts, half_texts, max_size=3))
def test_lines_of_json_are_printable(fields: dict[str, Any]) -> None:
    line = to_line(fields)
    assert line.isprintable()
    assert json.loads(line) == fields
