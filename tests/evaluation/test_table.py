"""The printed summary."""

import io
from pathlib import Path

import pytest
from groundwalk.evaluation.run import run
from groundwalk.evaluation.summary import Summary
from groundwalk.evaluation.table import print_summary
from rich.console import Console

from .stubs import CONFIG, SAMPLES, stub_answer


@pytest.fixture(name="summary")
def _summary(tmp_path: Path) -> Summary:
    return run(SAMPLES, stub_answer, tmp_path, CONFIG, console=Console(quiet=True))


def printed(summary: Summary, *, terminal: bool) -> str:
    file = io.StringIO()
    print_summary(summary, Console(file=file, force_terminal=terminal, color_system=None, width=80))
    return file.getvalue()


def test_in_a_pipe_it_is_plain_and_aligned(summary: Summary) -> None:
    text = printed(summary, terminal=False)
    assert text.isascii()
    head, everything, *_ = lines = text.splitlines()
    assert everything.startswith("all")
    assert everything.index("25.0 (") == head.index("Hits@1")
    assert [line.split("  ")[0] for line in lines[2:6]] == [
        "1 hop",
        "2 hops",
        "1 answer",
        "2-4 answers",
    ]


@pytest.mark.parametrize("terminal", [True, False])
def test_what_it_says(summary: Summary, terminal: bool) -> None:
    text = printed(summary, terminal=terminal)
    assert max(map(len, text.splitlines())) <= 80
    for said in (
        "Hits@1",
        "37.5 (",
        "gcr, 7 questions: 2 abstained, 3 answered, 2 error",
        "unanswerable: 3 questions, 1 rightly silent, 1 wrongly answered, 1 failed",
        "faithfulness: 75.0% (3 of 4 triples supported)",
        "not counted: 1 answers without a chain",
        "seconds a question: median",
    ):
        assert said in text


def test_without_answerable_questions_there_is_no_table(tmp_path: Path) -> None:
    summary = run(SAMPLES[3:4], stub_answer, tmp_path / "o", CONFIG, console=Console(quiet=True))
    text = printed(summary, terminal=False)
    assert "Hits@1" not in text
    assert "no triples emitted" in text
