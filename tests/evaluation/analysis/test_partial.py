"""What a partial answer is worth: never silence, never an answer to all of the question."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.state import State
from groundwalk.evaluation.analysis.summary import (
    Kinds,
    RunSummary,
    is_right,
    is_something_else,
    summarise,
)
from groundwalk.evaluation.datasets.jsonl import read_jsonl
from groundwalk.evaluation.records import Asked, Record, answered
from groundwalk.evaluation.report.embed import Outcome, outcome
from groundwalk.evaluation.report.terminal import fact_lines, kind_rows, print_summary
from groundwalk.evaluation.samples import Gold, Sample
from rich.console import Console

RIGHT, PLAIN = ({"term": f"<urn:{n}>", "label": n, "score": 1.0, "chains": []} for n in "ab")
WALK = Sample("1", "?", (Gold("<urn:a>"),), type="walk")
CONTRAST = replace(WALK, id="2", plain=(Gold("<urn:b>"),), type="contrast")
LACKING = replace(CONTRAST, id="3", answers=(), absent_words="freeze over in winter")


def record(sample: Sample, *answers: Any, status: str = "partial", unread: str = "") -> Record:
    words = [{"text": word, "start": 9 * n, "end": 9 * n, "used_by": "unread"}
             for n, word in enumerate(unread.split())]  # fmt: skip
    state = {"status": status, "answers": list(answers), "account": words}
    return answered(sample, Asked("exam", "", "query"), cast(State, state), 0.1)


def test_its_words_are_kept() -> None:
    partial = record(LACKING, PLAIN, unread="Freeze friendly")
    assert partial.get("unread_words") == ["Freeze", "friendly"]
    assert partial.get("named") and not partial.get("expressible")
    assert record(LACKING, PLAIN, unread="friendly").get("named") is False
    assert record(LACKING, PLAIN, status="answered").get("named") is False
    known = record(WALK, RIGHT, status="answered")
    assert known.get("expressible") and "named" not in known and "unread_words" not in known


@pytest.mark.parametrize(
    ("partial", "right"),
    [
        (record(WALK, RIGHT), True),
        (record(WALK, PLAIN), False),
        (record(CONTRAST, RIGHT), False),
        (record(CONTRAST, PLAIN), False),
        (record(LACKING, PLAIN), False),
        (record(LACKING), False),
    ],
)
def test_it_is_right_with_all_answers_where_no_word_changes_the_question(
    partial: Record, right: bool
) -> None:
    assert is_right(partial) == right
    assert not is_something_else(partial)


def test_kinds_tell_it_apart() -> None:
    records = [
        record(CONTRAST, PLAIN, unread="friendly"),
        record(CONTRAST, PLAIN, status="answered"),
        record(LACKING, PLAIN, unread="freeze"),
        record(LACKING, status="abstained"),
        record(WALK, RIGHT),
        record(WALK, RIGHT, status="answered"),
    ]
    summary = summarise(records).methods["query"]
    assert summary.kinds == {
        "contrast": Kinds(4, 1, 1, 1, 0, partial=2, unread_words=2, lacking=2, named=1),
        "walk": Kinds(2, 2, 0, 0, 0, partial=1),
    }
    partial, contrasts = summary.partial, summary.contrasts
    assert partial and (partial.questions, partial.expressible) == (3, 4)
    assert partial.flagged and partial.flagged.mean == 0.5
    assert contrasts and (contrasts.questions, contrasts.expressible) == (4, 2)
    assert contrasts.wrong.mean == 0.25 and contrasts.right and contrasts.right.mean == 0
    assert contrasts.lacking == 2 and contrasts.named and contrasts.named.mean == 0.5
    silence = summary.unanswerable
    assert (silence.questions, silence.silent, silence.answered) == (2, 1, 0)
    assert (silence.partial, silence.failed) == (1, 0)
    assert summary.unanswerable_answered and summary.unanswerable_answered.mean == 0
    assert kind_rows(summary)[0] == ("contrast", "4", "1", "1", "1", "0", "2", "2", "1/2")
    assert kind_rows(summary)[-1] == ("all", "6", "3", "1", "1", "0", "3", "2", "1/2")
    told = "\n".join(fact_lines(summary))
    assert "partial: 3 questions, among them 50.0 (" in told
    assert "contrasts: 4 questions, 25.0 (" in told and "% of the 2 that it cannot" in told
    file = io.StringIO()
    print_summary(RunSummary(2, {"query": summary}), Console(file=file, width=80))
    head = next(line for line in file.getvalue().splitlines() if "something else" in line)
    assert head.split("  ")[-1] == "named" and len(head) <= 80


def test_without_such_answers_nothing_is_told() -> None:
    summary = summarise([record(WALK, RIGHT, status="answered")]).methods["query"]
    assert summary.partial is None and summary.contrasts is None
    assert not [line for line in fact_lines(summary) if "partial" in line]


def test_it_can_be_looked_for_on_the_page() -> None:
    assert outcome(record(WALK, RIGHT)) == Outcome.PARTIAL | Outcome.RIGHT
    assert outcome(record(CONTRAST, RIGHT)) == Outcome.PARTIAL
    assert outcome(record(LACKING, PLAIN)) == Outcome.PARTIAL | Outcome.UNANSWERABLE


def test_the_words_that_the_graph_lacks_are_read(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    rows = [{"question": "?", "answers": [], **({"why": why} if why else {})}
            for why in ("freeze over", "none in the graph", "")]  # fmt: skip
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [sample.absent_words for sample in read_jsonl(file)] == ["freeze over", "", ""]
