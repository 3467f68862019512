"""The printed summary."""

import io
from pathlib import Path

import pytest
from groundwalk.agent.records import Entity, nothing_emitted
from groundwalk.evaluation.analysis.summary import RunSummary, summarise
from groundwalk.evaluation.records import Record
from groundwalk.evaluation.report.terminal import print_summary
from groundwalk.evaluation.runner.evaluate import run
from rich.console import Console

from ..stub_records import stub_records
from ..stubs import SAMPLES, config, named, opens


@pytest.fixture(name="summary")
def _summary(tmp_path: Path) -> RunSummary:
    return run(SAMPLES, opens(), tmp_path, config(), console=Console(quiet=True))


def printed(summary: RunSummary, *, terminal: bool) -> str:
    file = io.StringIO()
    print_summary(summary, Console(file=file, force_terminal=terminal, color_system=None, width=80))
    return file.getvalue()


def test_in_a_pipe_it_is_plain_and_aligned(summary: RunSummary) -> None:
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
def test_what_it_says(summary: RunSummary, terminal: bool) -> None:
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


def test_few_questions_say_little() -> None:
    records = stub_records()
    said = "so few answerable questions (4) that shares and intervals say little"
    assert said in printed(summarise(records), terminal=False).splitlines()
    many = [record for _ in range(3) for record in stub_records()]
    assert "say little" not in printed(summarise(many), terminal=False)


def test_equal_values_have_no_interval() -> None:
    one = next(record for record in stub_records() if record["metrics"])
    text = printed(summarise([one]), terminal=False)
    assert "100.0" in text and "100.0 (" not in text


def test_without_answerable_questions_there_is_no_table(tmp_path: Path) -> None:
    chosen = SAMPLES[3:4]
    summary = run(chosen, opens(), tmp_path / "o", config(chosen), console=Console(quiet=True))
    text = printed(summary, terminal=False)
    assert "Hits@1" not in text
    assert "no triples in answers" in text


@pytest.mark.parametrize(
    ("reasoners", "said"),
    [
        (["vote"] * 3, "the LLM did not answer for 3 of 7 questions: the vote did"),
        (["vote", "llm"], "the LLM did not answer for 2 of 7 questions: the vote did for 1"),
        (["llm"], "the LLM did not answer for 1 of 7 questions"),
        ([], ""),
    ],
)
def test_an_llm_that_did_not_answer_is_told(reasoners: list[str], said: str) -> None:
    records = stub_records()
    answered = [record for record in records if record["answers"]]
    for record, reasoner in zip(answered, reasoners, strict=False):
        record["usage"]["llm_failed"], record["reasoner"] = 1, reasoner
    lines = printed(summarise(records), terminal=False).splitlines()
    assert [line for line in lines if line.startswith("the LLM")] == [said] * bool(said)


def test_a_vote_that_found_nothing_did_not_answer() -> None:
    records = stub_records()
    silent = next(record for record in records if not record["answers"])
    silent["usage"]["llm_failed"], silent["reasoner"] = 1, "vote"
    lines = printed(summarise(records), terminal=False).splitlines()
    told = [line for line in lines if line.startswith("the LLM")]
    assert told == ["the LLM did not answer for 1 of 7 questions"]


def test_the_likelihood_form_is_named() -> None:
    records = [*stub_records("gcr"), *stub_records("tog")]
    for record, reasoner in zip(records[7:], ["likelihood", "vote", "likelihood"], strict=False):
        record["reasoner"] = reasoner
    summary = summarise(records)
    assert summary.methods["tog"].reasoners == {"likelihood": 2, "vote": 1}
    _, gcr, tog, *lines = printed(summary, terminal=False).splitlines()
    assert [row.split("  ")[0] for row in (gcr, tog)] == ["gcr", "tog (likelihood)"]
    assert any(line.startswith("tog (likelihood), 7 questions: ") for line in lines)
    told = [line for line in lines if line.startswith("likelihood form: ")]
    assert told == ["likelihood form: no LLM was asked, the local model decided 2 of 7 questions"]


def test_tokens_of_prompts_and_after_them_are_told_apart() -> None:
    records = stub_records()
    for record in records:
        record["usage"]["prompt_tokens"], record["usage"]["tokens"] = 2000, 30
        record["usage"]["forced_tokens"] = 12
    lines = printed(summarise(records), terminal=False).splitlines()
    assert "tokens a question: 2,000.0 of prompts, 30.0 after them (12.0 forced)" in lines
    assert not any("in no count" in line for line in lines)
    records[0]["usage"]["llm_uncounted"] = records[1]["usage"]["llm_uncounted"] = 1
    said = "the LLM did not tell the tokens of 2 replies: in no count"
    assert said in printed(summarise(records), terminal=False).splitlines()


def test_replies_that_could_not_be_read_are_told() -> None:
    records = stub_records()
    assert "could not be read" not in printed(summarise(records), terminal=False)
    records[0]["usage"]["unread"], records[1]["usage"]["unread"] = 1, 2
    said = "3 replies of language models could not be read"
    assert said in printed(summarise(records), terminal=False).splitlines()


def test_questions_without_a_topic_are_told() -> None:
    records = stub_records()
    assert records[3]["status"] == records[5]["status"] == "abstained"
    said = "no entity of the graph was recognised in 2 of 7 questions"
    assert said in printed(summarise(records), terminal=False).splitlines()
    peru = Entity(**named("Peru"), kind="", description="", score=1)
    for record in records:
        record["topics"] = [peru]
    assert "recognised" not in printed(summarise(records), terminal=False)


def test_several_methods_have_a_row_each() -> None:
    def emitting(method: str) -> list[Record]:
        records = stub_records(method)
        for record in records:
            record["emitted"] = {**nothing_emitted(), "triples": 4, "supported": 3, "ill": 1}
        return records

    summary = summarise([*emitting("gcr"), *emitting("dog")])
    plain = printed(summary, terminal=False)
    head, *rows = plain.splitlines()[:3]
    assert head.split() == "Hits@1 Hit F1 unans. supp. ill seconds passes LLM".split()
    for row, method in zip(rows, ("gcr", "dog"), strict=True):
        name, hits, *cells = row.replace("(", " (").split("  ")
        cells = " ".join(cells).split()
        assert (name, hits) == (method, "25.0")
        assert cells[1:] == ["50.0", "37.5", "33.3", "75.0", "25.0", "0.250", "0.0", "0.7"]
    for text in (plain, printed(summary, terminal=True)):
        assert max(map(len, text.splitlines())) <= 80
        assert "dog, 7 questions: 2 abstained, 3 answered, 2 error" in text
        assert "emitted: 28 triples, 75.0% supported, 25.0% ill" in text


def test_a_method_without_answerable_questions_has_a_row_too() -> None:
    rows = summarise([*stub_records("gcr")[3:5], *stub_records("dog")[3:5]])
    assert printed(rows, terminal=False).splitlines()[1].split() == (
        "gcr - - - 50.0 - - 0.250 0.0 1.0".split()
    )
