"""Questions that were asked one by one: they fit their schemas, and what does not fit is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.query.actions import spell
from groundwalk.training.reader.asked import ASKED, asked_graphs, read_asked
from groundwalk.training.reader.examples import examples_of
from groundwalk.training.reader.sources import Mention

SCHEMA = {
    "classes": ["choir", "singer", "hall"],
    "relations": [
        ["singsWith", "singer", "choir"],
        ["rehearses in", "choir", "hall"],
        ["seats", "hall", "number"],
        ["founded", "choir", "date"],
        ["town", "hall", "text"],
    ],
}


def asked(folder: Path, *questions: dict[str, Any]) -> Path:
    file = folder / "choirs.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in (SCHEMA, *questions)), encoding="utf-8")
    return file


def question(text: str, **query: Any) -> dict[str, Any]:
    return {"q": text, "query": query}


@pytest.mark.slow
def test_every_question_fits_its_schema_and_is_learnt() -> None:
    for graph in asked_graphs():
        texts = [one.question for one in graph.questions]
        assert len(set(texts)) == len(texts)
        assert len(examples_of(graph.questions)) == len(texts), graph.name


def test_a_question_has_its_mentions_with_their_classes_and_its_actions(tmp_path: Path) -> None:
    halls = question(
        "Which halls of [Bergen] do [the Larks] use, with over [two hundred] seats?",
        start=[0],
        steps=["^town"],
        filters=[{"relation": "seats", "op": ">", "mention": 2}],
        **{"and": [{"start": [1], "steps": ["rehearses in"]}]},
    )
    graph = read_asked(asked(tmp_path, halls))
    (one,) = graph.questions
    assert one.question == "Which halls of Bergen do the Larks use, with over two hundred seats?"
    assert one.mentions == (
        Mention(15, 21, "Bergen", ""),
        Mention(25, 34, "the Larks", "choir"),
        Mention(50, 61, "two hundred", "number"),
    )
    assert spell(one.actions, {}) == (
        "<QUERY><0><STEP>^town<WHERE>seats<GREATER><2><AND><1><STEP>rehearses in<END></QUERY>"
    )
    assert (one.source, one.schema, graph.name) == (ASKED, graph.name, "asked:choirs")


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (question("Who is in [the Larks]?", start=[0], steps=["singers"]), "no relation 'singers'"),
        (
            question("Seats of [Ann]?", start=[0], steps=["singsWith", "seats"]),
            "'seats' never leads from choir",
        ),
        (
            question("Where?", start={"class": "hall"}, steps=["rehearses in"]),
            "'rehearses in' never leads from hall",
        ),
        (
            question(
                "Largest?", start={"class": "choir"}, extreme={"relation": "seats", "most": True}
            ),
            "'seats' never leads from choir",
        ),
        (question("Which rooms?", start={"class": "room"}), "no class 'room'"),
        (
            question("Halls of [Ann]?", start=[0], steps=["singsWith"], **{"class": "hall"}),
            "none of these is of the class 'hall'",
        ),
        (
            question(
                "Halls without choirs?",
                start={"class": "hall"},
                **{"not": [{"start": {"class": "choir"}}]},
            ),
            "joined with one of another class",
        ),
        (
            question("Who is in [the Larks] of [Bergen]?", start=[0], steps=["^singsWith"]),
            "2 mentions",
        ),
        (question("Who?", begin=[0]), "the query is malformed"),
        ({"query": {"start": [0]}}, "'q'"),
    ],
)
def test_a_question_that_does_not_fit_is_told_with_its_line(
    wrong: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    right = question("Who is in [the Larks]?", start=[0], steps=["^singsWith"])
    with pytest.raises(InputError) as error:
        read_asked(asked(tmp_path, right, wrong))
    assert "choirs.jsonl" in str(error.value)
    assert "3: " in str(error.value)
    assert fault in str(error.value)
