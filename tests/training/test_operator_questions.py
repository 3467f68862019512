"""Questions with operators: over any graph they say what the graph allows, and can be found."""

from collections import Counter
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.automaton import query_of
from groundwalk.agent.query.values import value_of
from groundwalk.training.material import gather
from groundwalk.training.queries.operator_questions import operator_question
from groundwalk.training.queries.question import QueryQuestion
from groundwalk.training.recipe import Recipe

from .asking import CONCERTS, WORLD, Asking, asking, fault

SEEDS = 300


def made(own: Asking, seeds: int = SEEDS) -> list[QueryQuestion]:
    """What each of the seeds comes to."""
    operators = own.questioner.operators
    assert operators is not None
    found = (operator_question(operators, Random(seed)) for seed in range(seeds))
    return list(filter(None, found))


@pytest.mark.parametrize("source", [WORLD, CONCERTS], ids=["world", "concerts"])
def test_what_is_asked_is_legal_and_every_mention_is_found(source: str) -> None:
    own = asking(source)
    questions = made(own)
    assert len(questions) > SEEDS / 2
    wrong = list[str]()
    for question in questions:
        told = own.asked(question)
        assert told is not None, question
        asked, schema = told
        assert asked.actions is not None
        query_of(asked.actions, asked.values)
        if found := fault(asked.actions, schema):
            wrong.append(f"{asked.question}: {found}")
    assert wrong == []


@pytest.mark.parametrize("source", [WORLD, CONCERTS], ids=["world", "concerts"])
def test_operators_of_all_kinds_are_asked(source: str) -> None:
    questions = made(asking(source), 5 * SEEDS)
    kinds = Counter(action.kind for own in questions for action in own.actions or ())
    wanted = {"count", "yesno", "most", "least", "where", "many", "greater", "less", "exists"}
    wanted |= {"missing", "not", "and", "sum", "avg", "group", "column", "place", "first", "to"}
    assert wanted - {*kinds} == set()
    assert any(own.earlier for own in questions)


def test_the_signs_of_a_question_are_those_of_its_names() -> None:
    for own in made(asking(CONCERTS)):
        words = (*own.words, *(own.earlier.question if own.earlier else ()))
        signs = {ord(letter) - 0xE000 for word in words for letter in word.text if word.names}
        assert {*range(len(own.named))} <= signs


def test_texts_are_never_named() -> None:
    """Every thing of the concerts has a class; the texts and values among the facts have none."""
    for own in made(asking(CONCERTS), 2 * SEEDS):
        assert all(named.kind for named in own.named), own


def test_a_text_among_numbers_is_no_number(tmp_path: Path) -> None:
    """Real columns have `unknown` in them; what is compared is a number all the same."""
    lines = [
        f'<urn:{n}> a <urn:Pump> ; <urn:power> {n} . <urn:{n}> <urn:name> "pump {n}" .'
        for n in range(20)
    ]
    file = tmp_path / "pumps.ttl"
    file.write_text("\n".join([*lines, '<urn:x> a <urn:Pump> ; <urn:power> "unknown" .']))
    with closing(open_kg(str(file))) as kg:
        material = gather(kg, str(file), Recipe(formats=("path", "query")))
        operators = material.queries and material.queries.operators
        assert operators is not None
        (measures,) = operators.measures.values()
        assert {own.move for own in measures}
        for own in measures:
            assert all(value_of(operators.graph.terms[end]) for end in own.values)
        questions = [operator_question(operators, Random(seed)) for seed in range(400)]
    assert any(questions)


def test_a_relation_that_leads_to_things_and_texts_can_be_asked_about(tmp_path: Path) -> None:
    lines = [
        f"<urn:b{n}> a <urn:Book> ; <urn:by> <urn:w{n % 5}> . <urn:w{n % 5}> a <urn:Writer> ."
        f' <urn:c{n}> a <urn:Book> ; <urn:by> "nobody {n}" , <urn:x{n}> .'
        for n in range(20)
    ]
    file = tmp_path / "books.ttl"
    file.write_text("\n".join(lines))
    with closing(open_kg(str(file))) as kg:
        queries = gather(kg, str(file), Recipe(formats=("path", "query"))).queries
        assert queries is not None
        made = list(islice(queries.stream(0), 600))
    assert len(made) == 600


@pytest.mark.parametrize("odd", ['"-0100-03-01"', '"1910-02-30"', '"12000-01-01"', '"1990-00-10"'])
def test_days_that_are_none_are_compared_as_years(odd: str, tmp_path: Path) -> None:
    date = "^^<http://www.w3.org/2001/XMLSchema#date>"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [
        f'<urn:{n}> a <urn:Pump> ; {label} "pump {n}" ; <urn:built> {odd}{date} .'
        f"<urn:{n}> <urn:of> <urn:m> ."
        for n in range(20)
    ]
    lines += ["<urn:x> a <urn:Pump> ; <urn:built> 1990 .", f'<urn:m> {label} "maker" .']
    file = tmp_path / "pumps.ttl"
    file.write_text("\n".join(lines))
    with closing(open_kg(str(file))) as kg:
        queries = gather(kg, str(file), Recipe(formats=("path", "query"))).queries
    assert queries is not None and queries.operators is not None
    for seed in range(600):
        operator_question(queries.operators, Random(seed))
