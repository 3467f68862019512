"""What `ask` prints of a result; `test_partial.py` has the command where words are left out."""

import io
import json
from typing import Any, cast

import pytest
from groundwalk.agent.answers.computed import result_record
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.records import Named, Reading
from groundwalk.agent.state import State
from groundwalk.cli import render
from groundwalk.cli.ask import _show  # pyright: ignore[reportPrivateUsage]
from groundwalk.cli.render import Screen, other_reading, print_kg, summary_line
from groundwalk.cli.session import reply_of
from rich.console import Console

LINE = 'not understood: "friendly"'


@pytest.fixture(scope="module")
def world() -> KnowledgeGraph:
    return open_kg("world")


def step() -> dict[str, Any]:
    named = [{"term": f"<urn:{name}>", "label": name} for name in ("a", "r", "b")]
    parts = dict(zip(("head", "relation", "tail"), named, strict=True))
    return {**parts, "inverse": False, "verdict": "supported"}


def state(**given: Any) -> State:
    answer = {"term": "<urn:b>", "label": "Rhine", "score": 1.0, "chains": [[step()]]}
    return cast(State, {"answers": [answer], "topics": [], "notes": [], **given})


def partial(**given: Any) -> State:
    word = {"text": "friendly", "start": 4, "end": 12, "used_by": "unread"}
    return state(status="partial", account=[word], reading="every river", **given)


def shown(kg: KnowledgeGraph, given: State) -> list[str]:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    Screen(console=console).result(given, kg)
    return cast(io.StringIO, console.file).getvalue().splitlines()


def test_without_an_answer_no_reading_stands_below_it(world: KnowledgeGraph) -> None:
    lines = shown(world, cast(State, {**partial(), "status": "abstained", "answers": []}))
    assert lines[1] == LINE and not any("read as" in line for line in lines)


def test_a_reply_tells_what_is_left_out_before_its_other_notes() -> None:
    assert reply_of(partial(notes=["cut"]))["notes"] == [LINE, "cut"]


def test_a_misspelt_name_is_told_above_the_answer(world: KnowledgeGraph) -> None:
    notes = ['"Rhin" is taken for Rhine', "cut"]
    _, first, second, *lines = shown(world, state(notes=notes))
    assert (first, second.split()[0]) == (notes[0], "Rhine")
    assert [line.strip() for line in lines].count("cut") == 1
    assert not any(notes[0] in line for line in lines)


@pytest.mark.parametrize(
    ("given", "told_so"),
    [
        ({"confidence": 0.5}, True),
        ({"confidence": 0.0}, False),
        ({"confidence": 0.0, "result": result_record("truth", "No.", "looked up")}, False),
        ({"confidence": 0.5, "result": result_record("truth", "Yes.", "looked up")}, True),
        ({"confidence": 1.0, "query_tree": {"start": [0]}}, False),
        ({"confidence": 0.9, "query_tree": {"start": [0]}, "readings": [{}]}, True),
    ],
)
def test_confidence_is_shown_where_something_was_uncertain(
    world: KnowledgeGraph, given: dict[str, Any], told_so: bool
) -> None:
    assert ("confidence" in summary_line(state(**given), world)) == told_so


@pytest.mark.parametrize(("tree", "is_told"), [({"start": {"part": 0}}, False), ({}, True)])
def test_a_plain_question_in_other_words_is_no_reading(
    world: KnowledgeGraph, tree: dict[str, Any], is_told: bool
) -> None:
    lines = shown(world, state(reading='the answers to "Who?"', query_tree=tree))
    assert any("read as" in line for line in lines) is is_told


def test_beside_the_confidence_the_number_of_another_reading_is_called_otherwise(
    world: KnowledgeGraph,
) -> None:
    readings = [
        Reading(query={}, words=words, probability=p) for words, p in (("one", 0.6), ("two", 0.2))
    ]
    given = {"confidence": 0.7, "reading": "one", "readings": readings}
    text = "\n".join(shown(world, state(result=result_record("count", "8", ""), **given)))
    assert "or was it: two? (probability 0.20" in text


@pytest.mark.parametrize(
    ("confidence", "probabilities", "named"),
    [
        (0.8, [0.8, 0.2], True),
        (0.9, [0.9, 0.1], False),
        (1.0, [0.8, 0.2], False),
        (0.8, [0.8], False),
        (0.75, [0.5, 0.25, 0.2], True),
    ],
)
def test_another_likely_reading_is_named_unless_it_comes_to_the_same(
    confidence: float, probabilities: list[float], named: bool
) -> None:
    words = ["first", "second", "third"]
    readings = [
        Reading(query={}, words=own, probability=p)
        for own, p in zip(words, probabilities, strict=False)
    ]
    other = other_reading({"confidence": confidence, "reading": "first", "readings": readings})
    assert (other is not None) is named


@pytest.mark.parametrize(("confidence", "is_told"), [(0.29, False), (0.3, True), (0.61, True)])
def test_how_an_unsure_answer_is_had_is_told_where_it_is_plausible(
    world: KnowledgeGraph, confidence: float, is_told: bool
) -> None:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    unsure = cast(State, {"status": "unsure", "confidence": confidence, "notes": []})
    _show(Screen(console=console), unsure, world)
    hint = f"it is answered with --set confidence={confidence:.2f}"
    assert (hint in cast(io.StringIO, console.file).getvalue()) == is_told
    assert ("--set" in cast(io.StringIO, console.file).getvalue()) == is_told


def test_of_many_statements_of_classes_the_first_are_counted(
    world: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    statements = sum(1 for kind in world.profile.types for _ in world.stated(kind))
    for most, is_cut in ((statements, False), (statements - 1, True)):
        monkeypatch.setattr(render, "MOST_TYPES", most)
        print_kg(world, as_json=False)
        assert (f"of the first {most:,} statements" in capsys.readouterr().out) == is_cut
        print_kg(world, as_json=True)
        notes = json.loads(capsys.readouterr().out)["notes"]
        assert any(f"of the first {most:,} statements" in note for note in notes) == is_cut


@pytest.mark.parametrize("marks", [["[1]", "[2]"], ["", ""]])
def test_values_stand_in_the_order_of_their_marks(marks: list[str]) -> None:
    written = io.StringIO()
    answers = [
        {
            "term": f'"{size}"^^<http://www.w3.org/2001/XMLSchema#integer>',
            "label": f"{size}",
            "score": 1.0,
            "chains": [[step()]],
            "of": [{"term": f"<urn:{name}>", "label": name}],
            "unit": "mm",
        }
        for size, name in ((3, "Zoe"), (5, "Ann"))
    ]
    Screen(console=Console(file=written, width=80)).named(cast(Any, answers), marks)
    lines = [" ".join(line.split()) for line in written.getvalue().splitlines()[-2:]]
    zoe, ann = f"Zoe 3 mm {marks[0]}".rstrip(), f"Ann 5 mm {marks[1]}".rstrip()
    assert lines == ([zoe, ann] if all(marks) else [ann, zoe])


@pytest.mark.parametrize(
    ("heading", "value"), [("height (cm)", "3"), ("height cm", "3"), ("height", "3 cm")]
)
def test_a_unit_that_the_heading_has_is_not_repeated(heading: str, value: str) -> None:
    written = io.StringIO()
    relation = {"term": "<urn:height>", "label": heading}
    answers = [
        {
            "term": '"3"^^<http://www.w3.org/2001/XMLSchema#integer>',
            "label": "3",
            "score": 1.0,
            "chains": [[{**step(), "relation": relation}]],
            "of": [{"term": f"<urn:{name}>", "label": name}],
            "unit": "cm",
        }
        for name in ("Ann", "Zoe")
    ]
    Screen(console=Console(file=written, width=80)).named(cast(Any, answers), ["", ""])
    assert " ".join(written.getvalue().splitlines()[-1].split()) == f"Zoe {value}"


def test_numbers_of_a_table_are_shown_with_their_units() -> None:
    written = io.StringIO()
    maker = Named(term="<https://parts.example/Acme>", label="Acme")
    rows: list[list[Named | int]] = [[maker, 20_010, 4]]
    table = render.rows_table(rows, ["maker", "length", "count"], ["", "mm", ""])
    Console(file=written, width=80).print(table)
    assert written.getvalue().splitlines()[-1].split() == ["Acme", "20,010", "mm", "4"]
