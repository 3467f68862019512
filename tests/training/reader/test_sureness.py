"""What the evidence of a reading weighs is fitted on questions that are known right or misread."""

import json
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.answers.sureness import Evidence, sureness
from groundwalk.agent.kg import open_kg
from groundwalk.agent.reader.weights import open_reader
from groundwalk.training.reader.asked import read_asked, write_asked
from groundwalk.training.reader.sureness import (
    Known,
    known_of_asked,
    read_as_asked,
    reading_with,
    with_sureness,
)

from ...agent.reader.tiny import tiny_reader

READ = Known(Evidence(0.5, 0.6, 0.0, 0.9), right=True)
MISREAD = Known(Evidence(0.5, 0.6, 0.9, 0.2), right=False)
LIKELY = Known(Evidence(0.95, 0.99, 0.1, 0.8), right=True)
UNLIKELY = Known(Evidence(0.1, 0.3, 0.1, 0.8), right=False)


def test_weights_tell_what_was_right_from_what_was_not() -> None:
    made, asked = [LIKELY, UNLIKELY] * 20, [READ, MISREAD] * 10
    weights = with_sureness(tiny_reader(), made, asked).settings.sureness
    right, wrong = (
        [sureness(known.evidence, weights) for known in pair]
        for pair in ((READ, LIKELY), (MISREAD, UNLIKELY))
    )
    assert min(right) > 0.6 and max(wrong) < 0.4


def test_no_evidence_counts_against_its_sense() -> None:
    right = Known(Evidence(0.9, 0.9, 0.1, 0.1), right=True)
    wrong = Known(Evidence(0.1, 0.2, 0.1, 0.9), right=False)
    known = [right, wrong] * 20
    of_chance, of_share, of_unread, of_likeness, _ = with_sureness(
        tiny_reader(), known, known
    ).settings.sureness
    assert of_likeness == 0 and of_unread <= 0
    assert of_chance > 0 and of_share > 0


@pytest.mark.parametrize("asked", [[], [READ] * 10])
def test_nothing_is_weighed_where_nothing_tells(asked: list[Known]) -> None:
    reader = tiny_reader()
    assert with_sureness(reader, [LIKELY, UNLIKELY], asked) is reader


def test_the_evidence_of_a_question_is_that_of_its_reading() -> None:
    with open_kg("world") as kg:
        read = reading_with(kg, open_reader().load())
        made = read_as_asked(read, "What is the capital of Kenya?")
    assert made is not None and made[1].evidence is not None
    assert made[1].evidence.probability > 0.8 and made[1].evidence.likeness == 1.0


def test_what_was_asked_one_by_one_is_right_where_its_query_says_all_of_it(tmp_path: Path) -> None:
    relations = [["member of", "singer", "choir"], ["retired", "singer", "boolean"]]
    schema = {"classes": ["singer", "choir"], "relations": relations}
    retired = {
        "start": [0],
        "filters": [{"relation": "retired", "op": "exists"}],
        "answer": "yesno",
    }
    member = {"start": [0], "steps": ["^member of"]}
    lines = (
        schema,
        {"q": "Who is a member of [the Larks]?", "query": member},
        {"q": "Who is a {former} member of [the Larks]?", "query": member},
        {"q": "Which choir is [Bea] a member of?", "query": None, "classes": ["singer"]},
        {"q": "Which choir is [Ann Bay] a member of?", "query": member | {"steps": ["member of"]}},
        {"q": "Is [Ann Bay] retired?", "query": retired},
    )
    file = tmp_path / "choirs.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    graph = read_asked(file)
    write_asked(graph, tmp_path / "choirs.ttl", Random(0))
    with open_kg(tmp_path / "choirs.ttl", cache=tmp_path / "cache") as kg:
        known = list(known_of_asked(reading_with(kg, open_reader().load()), graph))
    assert [one.right for one in known] == [True, False, False, True, True]
